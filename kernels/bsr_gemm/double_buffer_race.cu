/*
 * bsr_gemm/double_buffer_race - broken on purpose: half2_vec4 with
 * two buffers, of which one is used.
 *
 * The next stage is fetched into the buffer that is being multiplied, and no barrier lies between:
 * a race that always goes wrong, for each warp has overwritten its own part before it reads. The
 * H100 work log's first attempt, an error of 14.28. Must be `wrong` from one whole block on,
 * perhaps by other numbers each time; racecheck of compute-sanitizer finds it.
 */
#include "bsr_plain.cuh"

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    return bsr_check_rows_of(c, 1, why);
}

SG_VARIANT(bsr_gemm, double_buffer_race) = {
    .summary = "broken: the next stage is fetched over the one that is multiplied",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .supports = supports,
    .launch = bsr_plain_launch<bsr_plain_design{.step = 32, .buffers = 2, .same_buffer = true}>,
};
