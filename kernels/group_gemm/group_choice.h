/*
 * group_choice.h - how wide the baseline's tiles are: what a case takes with each width, roughly, and the width that takes least.
 *
 * Plain C and CUDA, so that a test without a GPU can ask. Of a tile of 256 weights a cluster's two blocks multiply 128 each, by the tokens
 * of the tile: 4 cycles for each token and 64 of k. Invariant: the width is one that the baseline has a kernel for.
 */
#ifndef GROUP_CHOICE_H
#define GROUP_CHOICE_H

#include "blockscaled_gemm/gemm_raster.h"
#include "group_schedule.h"

#define GROUP_TILE_WEIGHTS 256    /* of a cluster of two blocks */
#define GROUP_TILE_STEP    32     /* tokens */
#define GROUP_CLUSTERS     66     /* that an H200 holds */
#define GROUP_TILE_CYCLES  2000.0 /* to begin and end a tile */
#define GROUP_CLOCK_GHZ    1.7
#define GROUP_BYTES_A_NS   4300.0 /* of a copy */

/* Nanoseconds by its products, of the cluster with the most, or by its bytes, whatever is longer. */
static inline double group_nanoseconds(const struct sg_case *c, int tokens)
{
    const struct group_sizes *sizes = group_sizes_of(c);
    const struct group_tile tile = {tokens, GROUP_TILE_WEIGHTS, GROUP_TILE_STEP};
    const double m = (double)c->dim[GROUP_M], n = (double)c->dim[GROUP_N], k = (double)c->dim[GROUP_K];
    struct group_list list = group_list_of(sizes, sizes, tile, c->dim[GROUP_N]);
    const int clusters = gemm_clusters(group_tiles(&list), GROUP_CLUSTERS);
    group_sort(&list);
    list.round = clusters;
    const double products = (double)group_longest(&list, clusters) * 4 * group_parts(c->dim[GROUP_K], 64);
    const double arithmetic = (products + GROUP_TILE_CYCLES * group_parts(group_tiles(&list), clusters)) / GROUP_CLOCK_GHZ;
    const double memory = 2 * ((group_busy(sizes) * n + m) * k + m * n) / GROUP_BYTES_A_NS;
    return arithmetic > memory ? arithmetic : memory;
}

/* The widest tiles, which read the L2 least, unless narrower ones are 3 % faster. */
static inline int group_tokens_of(const struct sg_case *c)
{
    int best = 256;
    for (int tokens = 128; tokens >= 64; tokens /= 2)
        if (group_nanoseconds(c, tokens) < 0.97 * group_nanoseconds(c, best))
            best = tokens;
    return best;
}

#endif
