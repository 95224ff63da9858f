/*
 * group_choice.h - how wide the baseline's tiles are, and in which order they come: what a case takes with each width, roughly, and the
 * width that takes least.
 *
 * Plain C and CUDA, so that a test without a GPU can ask. A block multiplies 128 rows of weights by the tokens of its tile: 4 cycles for
 * each token and 128 bytes of k. How fast it gets its weights depends on how many bytes of them are on their way: narrower tiles leave room
 * for more stages. Invariant: the width is one that the baseline has a kernel for.
 */
#ifndef GROUP_CHOICE_H
#define GROUP_CHOICE_H

#include "blockscaled_gemm/gemm_plan.h"
#include "blockscaled_gemm/gemm_raster.h"
#include "group_schedule.h"

#define GROUP_STAGES        8      /* of tokens and weights at most, so that their barriers end where maps are changed */
#define GROUP_TILE_WEIGHTS  128    /* of a block */
#define GROUP_TILE_STEP     32     /* tokens */
#define GROUP_SHARED_TOKENS 128    /* of a tile at most, where two blocks share them */
#define GROUP_BLOCKS        132    /* that an H200 holds */
#define GROUP_CLUSTERS_OF_4 30     /* that it holds at once, as far as was seen: 32 it did not */
#define GROUP_STAGES_OF_4   5      /* of a block of such a cluster: six were slower */
#define GROUP_TILE_CYCLES   2000.0 /* to begin and end a tile */
#define GROUP_CLOCK_GHZ     1.7
#define GROUP_BYTES_A_NS    4130.0 /* of a copy */
#define GROUP_WAIT_NS       2500.0 /* for weights, while all blocks ask for some: 64 KiB a block on their way came at 27 GB/s */

/* Stages of results: what is left beside as many stages of tokens and weights as fit. */
GEMM_BOTH int group_result_stages(enum sg_dtype type, int tokens)
{
    const int wide = type == SG_E4M3 ? 2 : tokens == 192 ? 3 : 4;
    return tokens < 128 ? tokens / GEMM_C_COLUMNS : wide;
}

static inline int group_stages(enum sg_dtype type, int tokens)
{
    const struct gemm_tile tile = {.m = GROUP_TILE_WEIGHTS, .n = tokens, .ctas = 1, .dtype = type, .swapped = true};
    const struct gemm_plan empty = gemm_plan_with(GEMM_HOPPER, tile, 1, 0, group_result_stages(type, tokens));
    const int fit = empty.free_bytes / empty.ab_bytes;
    return fit < GROUP_STAGES ? fit : GROUP_STAGES;
}

/* What a case takes with tiles of so many tokens, roughly. */
struct group_estimate {
    int rounds;                /* tiles of a block at most */
    double memory, arithmetic; /* ns of the block with the most: for its weights, for its products */
};

/* Cycles of the products of 128 weights by one token and 128 bytes of k; of e4m3 with those of scaling: 500 ns for 128 tokens. */
static inline double group_token_cycles(enum sg_dtype type)
{
    return type == SG_E4M3 ? 7 : 4;
}

static inline struct group_estimate group_estimate_of(const struct sg_case *c, int tokens)
{
    const struct group_sizes *sizes = group_sizes_of(c);
    const struct group_tile tile = {tokens, GROUP_TILE_WEIGHTS, GROUP_TILE_STEP};
    struct group_list list = group_list_of(sizes, sizes, tile, c->dim[GROUP_N]);
    const int blocks = gemm_clusters(group_tiles(&list), GROUP_BLOCKS), rounds = group_parts(group_tiles(&list), blocks);
    group_sort(&list);
    list.round = blocks;
    const int64_t row_bytes = c->dim[GROUP_K] * (c->dtype == SG_E4M3 ? 1 : 2);
    const double products = (double)group_longest(&list, blocks) * group_token_cycles(c->dtype) * group_parts(row_bytes, GEMM_ROW_BYTES);
    const double under_way = (double)group_stages(c->dtype, tokens) * GROUP_TILE_WEIGHTS * GEMM_ROW_BYTES;
    const double alone = under_way / GROUP_WAIT_NS, shared = GROUP_BYTES_A_NS / blocks;
    const double weights = (double)GROUP_TILE_WEIGHTS * (double)row_bytes * rounds;
    const struct group_estimate estimate = {
        .rounds = rounds,
        .memory = weights / (alone < shared ? alone : shared),
        .arithmetic = (products + GROUP_TILE_CYCLES * rounds) / GROUP_CLOCK_GHZ,
    };
    return estimate;
}

/* What takes longer hides the other, but for a quarter of it. */
static inline double group_nanoseconds(const struct sg_case *c, int tokens)
{
    const struct group_estimate e = group_estimate_of(c, tokens);
    return e.memory > e.arithmetic ? e.memory + e.arithmetic / 4 : e.arithmetic + e.memory / 4;
}

/*
 * The widest tiles, which read the L2 least, unless narrower ones are 3 % faster. Of e4m3 none of 256: their block sums come in so narrow
 * parts that the operands are read too often.
 */
static inline int group_tokens_of(const struct sg_case *c)
{
    static const int widths[] = {256, 192, 128, 64};
    const int first = c->dtype == SG_E4M3 ? 1 : 0;
    int best = widths[first];
    for (int i = first + 1; i < 4; i++)
        if (group_nanoseconds(c, widths[i]) < 0.97 * group_nanoseconds(c, best))
            best = widths[i];
    return best;
}

/*
 * Blocks of a cluster, which share tokens. More than one where tiles are so narrow that tokens are as many bytes as weights, and k is so
 * long that saving them is worth what a cluster costs: four where all of them fit at once, else two.
 */
static inline int group_ctas_of(const struct sg_case *c, int tokens)
{
    const int64_t row_bytes = c->dim[GROUP_K] * (c->dtype == SG_E4M3 ? 1 : 2);
    const struct group_tile tile = {tokens, 4 * GROUP_TILE_WEIGHTS, GROUP_TILE_STEP};
    if (tokens > GROUP_SHARED_TOKENS || row_bytes <= 4096)
        return 1;
    const struct group_list list = group_list_of(group_sizes_of(c), group_sizes_of(c), tile, c->dim[GROUP_N]);
    return group_tiles(&list) <= GROUP_CLUSTERS_OF_4 ? 4 : 2;
}

/*
 * Do tiles come in the order of the groups, in every round? Then what tiles share is nearer in time; the highest first, every other round
 * backwards, evens out what blocks have to multiply, which counts where there are two rounds, or products take nearly as long as weights.
 */
static inline bool group_in_order(const struct sg_case *c, int tokens)
{
    const struct group_estimate e = group_estimate_of(c, tokens);
    return e.rounds == 1 || (e.rounds > 2 && e.memory > 1.2 * e.arithmetic);
}

#endif
