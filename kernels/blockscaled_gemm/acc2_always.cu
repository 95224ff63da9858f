/*
 * blockscaled_gemm/acc2_always - two tiles' sums in registers at 256x256 too:
 * half as many rows for each tile.
 *
 * One of two reverted optimisations, transposed: always two accumulator stages. Registers hold two
 * tiles of 64x256 of a block, not of 128x256, so each warpgroup has a tile of its own (ping-pong),
 * and the two share no B any more. Expect 5/3 of the bytes in shared memory and 3/2 of those from
 * the L2 for the same work of the tensor cores, and waits for full stages (long_scoreboard), more
 * where k is short (notes.md, "Times").
 */
#include "gemm_kernel.cuh"

static constexpr gemm_tile half_tile = {.m = 128, .n = 256, .ctas = 2, .dtype = SG_BF16};
static constexpr gemm_plan greedy = gemm_plan_of(GEMM_HOPPER, half_tile, GEMM_GREEDY);
static constexpr gemm_design design = {
    .rows = 64, .columns = 256, .c_stages = greedy.c / 2, .ping_pong = true};

static struct gemm_setup choose(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.kernel = gemm<design>;
    setup.tile = half_tile;
    setup.plan = gemm_plan_with(GEMM_HOPPER, half_tile, 2, greedy.ab, greedy.c);
    return setup;
}

SG_VARIANT(blockscaled_gemm, acc2_always) = {
    .summary = "two accumulators at 256x256 too, by tiles of half the rows",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = gemm_supports_bf16_columns<256>,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};
