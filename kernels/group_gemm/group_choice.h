/*
 * group_choice.h - how wide the baseline's tiles are, and in which order they come: what a case
 * takes with each width, roughly, and the width that takes least.
 *
 * Plain C and CUDA, so that a test without a GPU can ask. A block multiplies 128 rows of weights by
 * the tokens of its tile. Of bf16 that takes 4 cycles for each token and 128 bytes of k, and how
 * fast a block gets its weights depends on how many bytes of them are on their way: narrower tiles
 * leave room for more stages. Of e4m3 tokens are counted in blocks of 64, and tiles planned by what
 * they were measured to take. Invariant: the width is one that the baseline has a kernel for.
 */
#ifndef GROUP_CHOICE_H
#define GROUP_CHOICE_H

#include "blockscaled_gemm/gemm_plan.h"
#include "blockscaled_gemm/gemm_raster.h"
#include "group_draws.h"

#define GROUP_STAGES \
    8 /* of tokens and weights at most, so that their barriers end where maps are changed */
#define GROUP_TILE_WEIGHTS  128 /* of a block */
#define GROUP_SLOTS         12  /* of 64 tokens, of e4m3: one to three a block of k */
#define GROUP_TILE_STEP     32  /* tokens */
#define GROUP_SHARED_TOKENS 128 /* of a tile at most, where two blocks share them */
#define GROUP_BLOCKS        132 /* that an H200 holds */
#define GROUP_CLUSTERS_OF_4 30  /* that it holds at once, as far as was seen: 32 it did not */
#define GROUP_STAGES_OF_4   5   /* of a block of such a cluster: six were slower */
#define GROUP_FETCHED_BYTES \
    32768 /* of tokens by a block at most: 4.3 MB by all, behind which nothing was won */
#define GROUP_TILE_CYCLES  2000.0 /* to begin and end a tile */
#define GROUP_TOKEN_CYCLES 4.0    /* of the tensor cores, for 128 bytes of k in bf16 */
#define GROUP_CLOCK_GHZ    1.7
#define GROUP_BYTES_A_NS   4130.0 /* of a copy */
#define GROUP_WAIT_NS                                                                            \
    2500.0 /* for weights, while all blocks ask for some: 64 KiB a block on their way came at 27 \
              GB/s */

/* How wide tiles may be, in tokens. */
#define GROUP_WIDTHS(X) X(64) X(128) X(192) X(256)

/* Is there a kernel for such tiles, of a width of GROUP_WIDTHS? Blocks of e4m3 share nothing: in
 * clusters of two they were slower. */
GEMM_BOTH bool group_has_tile(enum sg_dtype type, int tokens, int ctas)
{
    if (type == SG_E4M3)
        return ctas == 1 && tokens <= GEMM_TILE_BLOCKS * GEMM_BLOCK_ROWS;
    return ctas == 1 || ctas == 2 || (ctas == 4 && tokens <= GROUP_SHARED_TOKENS);
}

/* Stages of results, of 128 weights each: what is left beside as many
 * stages of tokens and weights as fit. */
GEMM_BOTH int group_result_stages(int tokens)
{
    const int wide = tokens == 192 ? 3 : 4;
    return tokens < 128 ? 2 : wide;
}

/* Of bf16. */
static inline int group_stages(int tokens)
{
    const struct gemm_tile tile = {
        .m = GROUP_TILE_WEIGHTS, .n = tokens, .ctas = 1, .dtype = SG_BF16};
    const struct gemm_plan empty =
        gemm_plan_with(GEMM_HOPPER, tile, 1, 0, group_result_stages(tokens));
    const int fit = empty.free_bytes / empty.ab_bytes;
    return fit < GROUP_STAGES ? fit : GROUP_STAGES;
}

/*
 * Cycles of tiles of e4m3, as an H200 took with all others at work (notes.md). Who
 * gives sums is done with them long before who takes them sees them: `give` counts
 * that too, for who takes would wait.
 */
static inline struct group_costs group_costs_of_blocks(void)
{
    return (struct group_costs){
        .block = {720, 850, 1100}, .tile = GROUP_TILE_CYCLES, .give = 6000, .take = 1500};
}

/* What a case takes with tiles of so many tokens, roughly. */
struct group_estimate {
    int rounds; /* tiles of a block at most */
    bool even;  /* no block has more tokens to multiply if tiles come in the order of the groups */
    double memory,
        arithmetic; /* ns of the block with the most: for its weights, for its products */
};

/* Of bf16. */
static inline struct group_estimate group_estimate_of(const struct sg_case *c, int tokens)
{
    const struct group_sizes *sizes = group_sizes_of(c);
    const int across = group_parts(c->dim[GROUP_N], GROUP_TILE_WEIGHTS);
    struct group_list list = group_list_of(
        sizes, sizes, (struct group_tile){tokens, GROUP_TILE_WEIGHTS, GROUP_TILE_STEP},
        c->dim[GROUP_N]);
    const int tiles = group_tiles(&list) > 0 ? group_tiles(&list)
                                             : 1; /* a case that group_check lets pass has some */
    const int blocks = gemm_clusters(tiles, GROUP_BLOCKS), rounds = group_parts(tiles, blocks);
    const int64_t in_order = group_longest(&list, blocks), row_bytes = c->dim[GROUP_K] * 2;
    group_sort(&list);
    list.round = blocks;
    const int64_t longest = group_longest(&list, blocks);
    const double products =
        (double)longest * GROUP_TOKEN_CYCLES * group_parts(row_bytes, GEMM_ROW_BYTES);
    const double under_way = (double)group_stages(tokens) * GROUP_TILE_WEIGHTS * GEMM_ROW_BYTES;
    const double read_again =
        (double)tiles / across /
        group_busy(sizes); /* from the L2, where tiles of a group lie above each other */
    const double alone = under_way / GROUP_WAIT_NS, shared = GROUP_BYTES_A_NS / blocks * read_again;
    const double weights = (double)GROUP_TILE_WEIGHTS * (double)row_bytes * rounds;
    const struct group_estimate estimate = {
        .rounds = rounds,
        .even = in_order <= longest,
        .memory = weights / (alone < shared ? alone : shared),
        .arithmetic = (products + GROUP_TILE_CYCLES * rounds) / GROUP_CLOCK_GHZ,
    };
    return estimate;
}

/* Of e4m3: of the block that has most to do, where tiles are planned; of more tiles
 * than that all blocks have as much. */
static inline double group_planned_nanoseconds(const struct sg_case *c, int tokens)
{
    const struct group_tile tile = {tokens, GROUP_TILE_WEIGHTS, GEMM_BLOCK_ROWS};
    struct group_list list =
        group_list_of(group_sizes_of(c), group_sizes_of(c), tile, c->dim[GROUP_N]);
    const struct group_costs costs = group_costs_of_blocks();
    return group_plan_tiles(&list, &costs, group_parts(c->dim[GROUP_K], GEMM_ROW_BYTES),
                            GROUP_BLOCKS, true) /
           GROUP_CLOCK_GHZ;
}

/* What takes longer hides the other, but for a quarter of it. */
static inline double group_nanoseconds(const struct sg_case *c, int tokens)
{
    if (c->dtype == SG_E4M3)
        return group_planned_nanoseconds(c, tokens);
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

/* Are tiles of `wide` tokens no better than those of `narrow`, which hold every
 * group as well, with more stages? */
static inline bool group_is_too_wide(const struct sg_case *c, int wide, int narrow)
{
    return narrow < wide && group_largest(group_sizes_of(c)) <= narrow;
}

/* The widest tiles that are not too wide, for they read the L2 least,
 * unless narrower ones are 3 % faster. */
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
        if (is_candidate &&
            (best == 0 || group_nanoseconds(c, widths[i]) < 0.97 * group_nanoseconds(c, best)))
            best = widths[i];
    }
    return best;
}

/*
 * Blocks of a cluster, which share tokens. More than one where tiles are so narrow that tokens are
 * as many bytes as weights, and k is so long that saving them is worth what a cluster costs: four
 * where all of them fit at once, else two.
 */
static inline int group_ctas_of(const struct sg_case *c, int tokens)
{
    const struct group_tile tile = {tokens, 4 * GROUP_TILE_WEIGHTS, GROUP_TILE_STEP};
    if (c->dtype == SG_E4M3 || tokens > GROUP_SHARED_TOKENS || c->dim[GROUP_K] * 2 <= 4096)
        return 1;
    const struct group_list list =
        group_list_of(group_sizes_of(c), group_sizes_of(c), tile, c->dim[GROUP_N]);
    return group_tiles(&list) <= GROUP_CLUSTERS_OF_4 ? 4 : 2;
}

/* In which order tiles come. */
enum group_order {
    GROUP_HIGHEST_FIRST, /* every other round backwards, so that the highest meet the lowest */
    GROUP_IN_ORDER, /* that of the groups, in every round: what tiles share is nearer in time */
    GROUP_PLANNED,  /* of e4m3: a few for who is done first (group_plan.h), more are drawn, high and
                       low ones mixed (group_draws.h) */
};

/* The order that evens out what blocks have to do. */
static inline enum group_order group_even_order(enum sg_dtype type)
{
    return type == SG_E4M3 ? GROUP_PLANNED : GROUP_HIGHEST_FIRST;
}

/*
 * What evens out what blocks have to multiply, if that is to be evened out: of bf16 that counts
 * where there are two rounds, or products take nearly as long as weights.
 */
static inline enum group_order group_order_of(const struct sg_case *c, int tokens)
{
    if (c->dtype == SG_E4M3)
        return group_even_order(c->dtype);
    const struct group_estimate e = group_estimate_of(c, tokens);
    return e.rounds == 1 || e.even || (e.rounds > 2 && e.memory > 1.2 * e.arithmetic)
               ? GROUP_IN_ORDER
               : group_even_order(c->dtype);
}

#endif
