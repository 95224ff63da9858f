/*
 * gemm_raster.h - which tile is whose turn: the order of tiles, and how many clusters share them.
 *
 * Plain C and CUDA, so that a test without a GPU can walk every tile. Tiles and rows
 * of tiles are those of a cluster.
 * Invariant: over tile = 0 .. rows * columns - 1 every place comes up once, whatever the group.
 *
 *     for (int tile = cluster; tile < rows * columns; tile +=
 *     gemm_clusters(rows * columns, resident))
 *         work_on(gemm_place_of(rows, columns, group, tile));
 */
#ifndef GEMM_RASTER_H
#define GEMM_RASTER_H

#include "gemm_layout.h"

struct gemm_place {
    int row, column; /* of tiles */
};

/*
 * Tiles go down `group` rows (at least 1), then one column to the right: what runs at the same time
 * reads few rows of A and few of B, which then come from the L2.
 */
GEMM_BOTH struct gemm_place gemm_place_of(int rows, int columns, int group, int tile)
{
    const int in_group = group * columns;
    const int first = tile / in_group * group;
    const int height = rows - first < group ? rows - first : group;
    const struct gemm_place place = {first + tile % in_group % height, tile % in_group / height};
    return place;
}

/*
 * The group for D[m][n] of depth k in 16 bits. Row by row when B is so small that it stays in the
 * L2 from one row of tiles to the next, while D goes through: then A and B come from DRAM once. In
 * groups of eight rows B had to come again for each (8192x8192x1024: 84 MB were read where 34 are
 * needed; notes.md has grouped_raster's times beside the baseline's). Else eight rows, as what 64
 * clusters work on is then about as high as wide, and the least is read for it.
 */
#define GEMM_L2_SHARE \
    (INT64_C(16)      \
     << 20) /* bytes of B: a quarter of an H200's L2 of 60 MB; it was measured up to here */

GEMM_BOTH int gemm_group(int64_t n, int64_t k)
{
    return n * k * 2 <= GEMM_L2_SHARE ? 1 : 8;
}

/*
 * Clusters of a persistent grid. Those that waited for a place would double its time, so no more
 * than are resident together; and no more than it takes to be done in as many rounds, because the
 * others would be idle in the last and in the way until then.
 */
GEMM_BOTH int gemm_clusters(int tiles, int resident)
{
    const int rounds = (tiles + resident - 1) / resident;
    return (tiles + rounds - 1) / rounds;
}

#endif
