/*
 * group_choice.h - how wide the baseline's tiles are, and in which order they come: what a case takes with each width, roughly, and the
 * width that takes least.
 *
 * Plain C and CUDA, so that a test without a GPU can ask. A block multiplies 128 rows of weights by the tokens of its tile, of e4m3 256
 * where these are few: 4 cycles for each token and 128 bytes of k, and of e4m3 what shared memory has to deliver. How fast it gets its
 * weights depends on how many bytes of them are on their way: narrower tiles leave room for more stages. Invariant: the width is one that
 * the baseline has a kernel for.
 */
#ifndef GROUP_CHOICE_H
#define GROUP_CHOICE_H

#include "blockscaled_gemm/gemm_plan.h"
#include "blockscaled_gemm/gemm_raster.h"
#include "group_schedule.h"

#define GROUP_STAGES        8   /* of tokens and weights at most, so that their barriers end where maps are changed */
#define GROUP_TILE_WEIGHTS  128 /* of a block, but for: */
#define GROUP_HIGH_WEIGHTS  256 /* of e4m3, with so few tokens that a thread's sums of twice the rows fit into registers: */
#define GROUP_HIGH_TOKENS   96
#define GROUP_TILE_STEP     32     /* tokens */
#define GROUP_SHARED_TOKENS 128    /* of a tile at most, where two blocks share them */
#define GROUP_BLOCKS        132    /* that an H200 holds */
#define GROUP_CLUSTERS_OF_4 30     /* that it holds at once, as far as was seen: 32 it did not */
#define GROUP_STAGES_OF_4   5      /* of a block of such a cluster: six were slower */
#define GROUP_TILE_CYCLES   2000.0 /* to begin and end a tile */
#define GROUP_CLOCK_GHZ     1.7
#define GROUP_BYTES_A_NS    4130.0 /* of a copy */
#define GROUP_WAIT_NS       2500.0 /* for weights, while all blocks ask for some: 64 KiB a block on their way came at 27 GB/s */

GEMM_BOTH int group_tile_weights(enum sg_dtype type, int tokens)
{
    return type == SG_E4M3 && tokens <= GROUP_HIGH_TOKENS ? GROUP_HIGH_WEIGHTS : GROUP_TILE_WEIGHTS;
}

/* How wide tiles may be; 96 is of e4m3 alone and 256 of bf16, for of e4m3 block sums would come in parts so narrow that operands are read
 * too often. */
#define GROUP_WIDTHS(X) X(64) X(96) X(128) X(192) X(256)

/* Is there a kernel for such tiles, of a width of GROUP_WIDTHS? */
GEMM_BOTH bool group_has_tile(enum sg_dtype type, int tokens, int ctas)
{
    const bool high = group_tile_weights(type, tokens) > GROUP_TILE_WEIGHTS;
    return tokens != (type == SG_E4M3 ? 256 : 96) && (ctas == 1 || ctas == 2 || (ctas == 4 && !high && tokens <= GROUP_SHARED_TOKENS));
}

/* Stages of results, of 128 weights each: what is left beside as many stages of tokens and weights as fit. */
GEMM_BOTH int group_result_stages(enum sg_dtype type, int tokens)
{
    const int wide = tokens == 192 ? 3 : 4;
    return type == SG_E4M3 || tokens < 128 ? 2 : wide;
}

static inline int group_stages(enum sg_dtype type, int tokens)
{
    const struct gemm_tile tile = {.m = group_tile_weights(type, tokens), .n = tokens, .ctas = 1, .dtype = type, .swapped = true};
    const struct gemm_plan empty = gemm_plan_with(GEMM_HOPPER, tile, 1, 0, group_result_stages(type, tokens));
    const int fit = empty.free_bytes / empty.ab_bytes;
    return fit < GROUP_STAGES ? fit : GROUP_STAGES;
}

/* What a case takes with tiles of so many tokens, roughly. */
struct group_estimate {
    int rounds;                /* tiles of a block at most */
    bool even;                 /* no block has more tokens to multiply if tiles come in the order of the groups */
    double memory, arithmetic; /* ns of the block with the most: for its weights, for its products */
};

/* Cycles of a tile's block of k, 128 bytes. */
struct group_cycles {
    double tile, token;
};

/*
 * Of bf16 what the tensor cores take; of e4m3 what is read from shared memory and written to it, scales too (docs/measurements.md). Of
 * tiles of 256 weights that would be 512 + 7 a token; 13 a token is what makes the width that sweeps found the fastest so in five shapes.
 */
static inline struct group_cycles group_cycles_of(enum sg_dtype type, int tokens)
{
    static const struct group_cycles bf16 = {0, 4}, e4m3 = {270, 5}, e4m3_high = {0, 13};
    if (type != SG_E4M3)
        return bf16;
    return group_tile_weights(type, tokens) > GROUP_TILE_WEIGHTS ? e4m3_high : e4m3;
}

static inline struct group_estimate group_estimate_of(const struct sg_case *c, int tokens)
{
    const struct group_sizes *sizes = group_sizes_of(c);
    const int tile_weights = group_tile_weights(c->dtype, tokens), across = group_parts(c->dim[GROUP_N], tile_weights);
    struct group_list list = group_list_of(sizes, sizes, (struct group_tile){tokens, tile_weights, GROUP_TILE_STEP}, c->dim[GROUP_N]);
    const int tiles = group_tiles(&list), blocks = gemm_clusters(tiles, GROUP_BLOCKS), rounds = group_parts(tiles, blocks);
    const int64_t in_order = group_longest(&list, blocks), row_bytes = c->dim[GROUP_K] * (c->dtype == SG_E4M3 ? 1 : 2);
    group_sort(&list);
    list.round = blocks;
    const int64_t longest = group_longest(&list, blocks);
    const struct group_cycles cycles = group_cycles_of(c->dtype, tokens);
    const double products = ((double)longest * cycles.token + rounds * cycles.tile) * group_parts(row_bytes, GEMM_ROW_BYTES);
    const double under_way = (double)group_stages(c->dtype, tokens) * tile_weights * GEMM_ROW_BYTES;
    const double read_again = (double)tiles / across / group_busy(sizes); /* from the L2, where tiles of a group lie above each other */
    const double alone = under_way / GROUP_WAIT_NS, shared = GROUP_BYTES_A_NS / blocks * read_again;
    const double weights = (double)tile_weights * (double)row_bytes * rounds;
    const struct group_estimate estimate = {
        .rounds = rounds,
        .even = in_order <= longest,
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

static inline int64_t group_largest(const struct group_sizes *sizes)
{
    int64_t largest = 0;
    for (int g = 0; g < sizes->count; g++)
        largest = sizes->m[g] > largest ? sizes->m[g] : largest;
    return largest;
}

/* Are tiles of `wide` tokens no better than those of `narrow`, which have as many weights and hold every group as well, with more stages?
 */
static inline bool group_is_too_wide(const struct sg_case *c, int wide, int narrow)
{
    return narrow < wide && group_has_tile(c->dtype, narrow, 1) && group_largest(group_sizes_of(c)) <= narrow &&
           group_tile_weights(c->dtype, narrow) == group_tile_weights(c->dtype, wide);
}

/* The widest tiles that are not too wide, for they read the L2 least, unless narrower ones are 3 % faster. */
static inline int group_tokens_of(const struct sg_case *c)
{
#define GROUP_WIDTH(tokens) tokens,
    static const int widths[] = {GROUP_WIDTHS(GROUP_WIDTH)};
#undef GROUP_WIDTH
    const int count = sizeof(widths) / sizeof(widths[0]);
    int best = 0;
    for (int i = count - 1; i >= 0; i--) {
        bool is_candidate = group_has_tile(c->dtype, widths[i], 1);
        for (int k = 0; k < i; k++)
            is_candidate = is_candidate && !group_is_too_wide(c, widths[i], widths[k]);
        if (is_candidate && (best == 0 || group_nanoseconds(c, widths[i]) < 0.97 * group_nanoseconds(c, best)))
            best = widths[i];
    }
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
    if (tokens > GROUP_SHARED_TOKENS || group_tile_weights(c->dtype, tokens) > GROUP_TILE_WEIGHTS || row_bytes <= 4096)
        return 1;
    const struct group_list list = group_list_of(group_sizes_of(c), group_sizes_of(c), tile, c->dim[GROUP_N]);
    return group_tiles(&list) <= GROUP_CLUSTERS_OF_4 ? 4 : 2;
}

/*
 * Do tiles come in the order of the groups, in every round? Then what tiles share is nearer in time; the highest first, every other round
 * backwards, evens out what blocks have to multiply, if that is to be evened out, which counts where there are two rounds, or products take
 * nearly as long as weights.
 */
static inline bool group_in_order(const struct sg_case *c, int tokens)
{
    const struct group_estimate e = group_estimate_of(c, tokens);
    return e.rounds == 1 || e.even || (e.rounds > 2 && e.memory > 1.2 * e.arithmetic);
}

#endif
