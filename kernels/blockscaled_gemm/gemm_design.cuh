/*
 * gemm_design.cuh - what a kernel is compiled from, and what its warpgroups share: the ring of stages, the shared memory, the order of
 * tiles.
 *
 * Invariant: of one design the copying and the multiplying warpgroups compute the same addresses and the same tiles in the same order.
 * How it is used: a variant changes a field of the baseline's design (gemm_kernel_of in gemm_kernel.cuh), or writes down its own.
 */
#ifndef GEMM_DESIGN_CUH
#define GEMM_DESIGN_CUH

#include "gemm_launch.h"
#include "gemm_ptx.cuh"
#include "gemm_raster.h"

#define GEMM_GROUP_THREADS 128 /* of a warpgroup */

#define GEMM_NARROW 32 /* tiles of varying width have a multiple of so many columns */

/* What a kernel is compiled from: how its math is arranged, and what a variant changes about it. */
struct gemm_design {
    enum sg_dtype type = SG_BF16;
    int rows = 128;             /* of a tile of one block: 64 or 128; in blocks up to 256 */
    int columns = 256;          /* of a tile: 64 to 256 by 32; where a cluster shares them and they do not vary, 128 or 256 */
    int ctas = 2;               /* of a cluster: 1 or 2, where columns vary also 4 */
    int math_registers = 232;   /* of a thread; with copy_registers at most 504, the block's 168 * 384 registers */
    int copy_registers = 40;    /* of a thread */
    int c_stages = 4;           /* of one warpgroup, where each has 128 rows itself; else of both */
    bool ping_pong = false;     /* a tile for each math warpgroup, not half a tile */
    bool plain_store = false;   /* results go from registers to memory, without the copy engine */
    bool hold_sums = false;     /* until a tile leaves it is kept in fp32: a second accumulator */
    bool early_release = false; /* a stage is given back before it has been read: a race */
    bool one_sum = false;       /* of e4m3: one accumulator over all of k, scaled by the first scales alone: for uniform ones */
    bool whole_block = false;   /* of e4m3: sums of a block of k for all columns at once, not for 128 at a time */
    bool varying = false;       /* a tile has columns_of() columns, at most `columns`: no more are copied, multiplied and stored */
    bool transposed = false;    /* D is stored as D[column][row] */
    int slots = 0;              /* of e4m3: rows come in blocks of 64, in a ring of so many slots of their own (gemm_blocks.cuh) */
    enum gemm_hint a_hint = GEMM_NO_HINT, b_hint = GEMM_NO_HINT;

    __host__ __device__ constexpr int group_rows() const
    {
        return ping_pong ? rows : rows / 2;
    }
    __host__ __device__ constexpr bool in_blocks() const
    {
        return slots > 0;
    }
    /* Warpgroups that give a stage back. */
    __host__ __device__ constexpr int readers() const
    {
        return ping_pong ? ctas : 2 * ctas;
    }
    /* Rows of B that are copied at a time. */
    __host__ __device__ constexpr int b_box() const
    {
        return varying ? GEMM_NARROW : columns / ctas;
    }
    __host__ __device__ constexpr int stage_bytes() const
    {
        return (rows + columns) * GEMM_ROW_BYTES;
    }
    __host__ __device__ constexpr bool scaled() const
    {
        return type == SG_E4M3 && !one_sum;
    }
    __host__ __device__ constexpr gemm_tile tile() const
    {
        return {.m = rows * ctas, .n = columns, .ctas = ctas, .dtype = type, .slots = slots};
    }
    /* Room for scales in a stage: their place is behind the stages, which keeps those at multiples of 1024. */
    __host__ __device__ constexpr int scale_bytes() const
    {
        return scaled() ? gemm_stage_scale_bytes(GEMM_HOPPER, tile()) : 0;
    }
    /* Scales that are copied: one for each row, and boxes of GEMM_SCALE_BOX, of which one scale counts, for each 128 columns. */
    __host__ __device__ constexpr int copied_scale_bytes() const
    {
        return scaled() ? (rows + columns / GEMM_SCALE_BLOCK * GEMM_SCALE_BOX) * (int)sizeof(float) : 0;
    }
    __host__ __device__ constexpr int block_k() const
    {
        return GEMM_ROW_BYTES / (type == SG_E4M3 ? 1 : 2);
    }
    /* Stages of C in a plan, 128 rows each: those of both warpgroups, where each has as many rows itself. */
    __host__ __device__ constexpr int stages_of_c() const
    {
        return ping_pong ? 2 * c_stages : c_stages;
    }
    /* Results leave before the next tile is begun: in ping-pong behind the other's products, else because registers do not hold them. */
    __host__ __device__ constexpr bool store_at_once() const
    {
        return ping_pong || (scaled() && group_rows() / 64 * columns > 128);
    }
};

/* The baseline's design for a tile: a tile for each warpgroup if both tiles' sums fit into the registers. */
constexpr gemm_design gemm_design_of(enum sg_dtype type, struct gemm_tile tile)
{
    const bool ping_pong = gemm_acc_stages(tile) == 2 && type != SG_E4M3;
    const struct gemm_plan plan = gemm_plan_of(GEMM_HOPPER, tile, GEMM_GREEDY);
    return {.type = type,
            .rows = tile.m / tile.ctas,
            .columns = tile.n,
            .ctas = tile.ctas,
            .c_stages = ping_pong ? plan.c / 2 : plan.c,
            .ping_pong = ping_pong};
}

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
 * Shared memory of a block: barriers in the first 1024 bytes, the stages of A and B, those of C. Between the barriers lie scales of columns
 * or, in kernels that make maps, maps that are changed (group_launch.h).
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
    /* At multiples of 128, as the copy engine wants it: there is room for those of GEMM_SCALED_STAGES. */
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
 * A tile: the maps that it is copied by, and where in them this block's part of it begins. What that is, is the business of the type of
 * the kernel's parameter: one that has a `shape`, `copying_threads` and these functions, here those of one product.
 */
struct gemm_work {
    const CUtensorMap *a, *b, *d;
    int a_row, b_row;
    int row, column; /* of D */
    int first_block; /* of k: blocks are taken from there on, around the end, back to it; 0 in designs that do not vary */
    int scale_row;   /* in scaled designs: of the map of blocks' scales */
};

template <gemm_design D> static __device__ inline gemm_work work_of(const gemm_arguments &g, int tile)
{
    const gemm_place place = gemm_place_of(g.shape.tiles_m, g.shape.tiles_n, g.shape.group, tile);
    const int row = (place.row * D.ctas + (D.ctas > 1 ? (int)cluster_rank() : 0)) * D.rows, column = place.column * D.columns;
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

/* The scales of block k of k; a box begins at a multiple of 16 bytes: elsewhere the instruction is an illegal one. */
template <gemm_design D>
static __device__ inline void copy_scales(const gemm_arguments &g, const gemm_shared &shared, const gemm_work &at, int k, int stage)
{
    const uint32_t full = shared.full(stage);
    tensor_load<GEMM_NO_HINT>(shared.scales(stage), &g.row_scales, at.a_row, k, full);
    tensor_load<GEMM_NO_HINT>(shared.column_scales(stage), &g.column_scales, k / GEMM_SCALE_BOX * GEMM_SCALE_BOX, at.scale_row, full);
}

/* Columns of the tile, a multiple of GEMM_NARROW; asked for in designs that vary only. */
template <gemm_design D> static __device__ constexpr int columns_of(const gemm_arguments &, int)
{
    return D.columns;
}

/* Behind the copies of a block of k: a hint of what will be read later. */
template <gemm_design D> static __device__ inline void look_ahead(const gemm_arguments &, const gemm_work &, int)
{
}

/*
 * Before the first copy of a tile, by those threads, of which `previous` was the tile before (-1: none); and before the first store, by
 * all who store: for maps that are made on the device.
 */
template <gemm_design D>
static __device__ inline void make_maps(const gemm_arguments &, const gemm_shared &, const gemm_work &, int tile, int previous)
{
    (void)tile;
    (void)previous;
}
static __device__ inline void accept_map(const gemm_arguments &, const gemm_work &)
{
}

#endif
