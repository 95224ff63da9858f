/*
 * gemm_design.cuh - what the warpgroups of a kernel share: the ring of stages, the
 * shared memory, the order of tiles.
 *
 * Invariant: of one design the copying and the multiplying warpgroups compute the same addresses
 * and the same tiles in the same order.
 */
#ifndef GEMM_DESIGN_CUH
#define GEMM_DESIGN_CUH

#include "gemm_design.h"
#include "gemm_ptx.cuh"
#include "gemm_raster.h"

#define GEMM_GROUP_THREADS 128 /* of a warpgroup */

/* A position in the ring; `phase` is the parity of the turn. */
struct gemm_ring {
    int stages;
    int stage = 0;
    uint32_t phase = 0;

    __device__ void next()
    {
        if (++stage == stages) {
            stage = 0;
            phase ^= 1;
        }
    }
    __device__ void skip(int count)
    {
        const int end = stage + count;
        phase ^= (uint32_t)(end / stages) & 1;
        stage = end % stages;
    }
};

/*
 * Shared memory of a block: barriers in the first 1024 bytes, the stages of A and B, those
 * of C. Between the barriers lie scales of columns or, in kernels that make maps, maps
 * that are changed (group_launch.h).
 */
struct gemm_shared {
    static constexpr int column_scales_at = 128, turns_at = 1008;
    uint32_t base;
    int stages, stage_bytes, scale_bytes;

    __device__ uint32_t full(int stage) const
    {
        return base + 16 * stage;
    }
    __device__ uint32_t empty(int stage) const
    {
        return base + 16 * stage + 8;
    }
    __device__ uint32_t turn(int group) const
    {
        return base + turns_at + 8 * group;
    }
    /* At multiples of 128, as the copy engine wants it: there is room
     * for those of GEMM_SCALED_STAGES. */
    __device__ uint32_t column_scales(int stage) const
    {
        return base + column_scales_at + 128 * stage;
    }
    __device__ uint32_t operands(int stage) const
    {
        return base + 1024 + stage * stage_bytes;
    }
    __device__ uint32_t scales(int stage) const
    {
        return operands(stages) + stage * scale_bytes;
    }
    __device__ uint32_t results() const
    {
        return scales(stages);
    }
};

/*
 * A tile: the maps that it is copied by, and where in them this block's part of it begins. What
 * that is, is the business of the type of the kernel's parameter: one that has a `shape`,
 * `copying_threads` and these functions, here those of one product.
 */
struct gemm_work {
    const CUtensorMap *a, *b, *d;
    int a_row, b_row;
    int row, column; /* of D */
    int first_block; /* of k: blocks are taken from there on, around the end, back to it; 0 in
                        designs that do not vary */
    int scale_row;   /* in scaled designs: of the map of blocks' scales */
};

template <gemm_design D>
static __device__ inline gemm_work work_of(const gemm_arguments &g, int tile)
{
    const gemm_place place = gemm_place_of(g.shape.tiles_m, g.shape.tiles_n, g.shape.group, tile);
    const int row = (place.row * D.ctas + (D.ctas > 1 ? (int)cluster_rank() : 0)) * D.rows,
              column = place.column * D.columns;
    return {.a = &g.a,
            .b = &g.b,
            .d = &g.d,
            .a_row = row,
            .b_row = column,
            .row = row,
            .column = column,
            .first_block = 0,
            .scale_row = column / GEMM_SCALE_BLOCK};
}

static __device__ inline void prefetch_maps(const gemm_arguments &g)
{
    tensor_map_prefetch(&g.a);
    tensor_map_prefetch(&g.b);
    tensor_map_prefetch(&g.d);
}

/* The scales of block k of k; a box begins at a multiple of 16 bytes: elsewhere
 * the instruction is an illegal one. */
template <gemm_design D>
static __device__ inline void copy_scales(const gemm_arguments &g, const gemm_shared &shared,
                                          const gemm_work &at, int k, int stage)
{
    const uint32_t full = shared.full(stage);
    tensor_load<GEMM_NO_HINT>(shared.scales(stage), &g.row_scales, at.a_row, k, full);
    tensor_load<GEMM_NO_HINT>(shared.column_scales(stage), &g.column_scales,
                              k / GEMM_SCALE_BOX * GEMM_SCALE_BOX, at.scale_row, full);
}

/* Columns of the tile, a multiple of GEMM_NARROW; asked for in designs that vary only. */
template <gemm_design D> static __device__ constexpr int columns_of(const gemm_arguments &, int)
{
    return D.columns;
}

/* Behind the copies of a block of k: a hint of what will be read later. */
template <gemm_design D>
static __device__ inline void look_ahead(const gemm_arguments &, const gemm_work &, int)
{
}

/*
 * Before the first copy of a tile, by those threads, of which `previous` was the tile before (-1:
 * none); and before the first store, by all who store: for maps that are made on the device.
 */
template <gemm_design D>
static __device__ inline void make_maps(const gemm_arguments &, const gemm_shared &,
                                        const gemm_work &, int tile, int previous)
{
    (void)tile;
    (void)previous;
}
static __device__ inline void accept_map(const gemm_arguments &, const gemm_work &)
{
}

#endif
