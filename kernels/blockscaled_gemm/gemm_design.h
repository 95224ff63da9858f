/*
 * gemm_design.h - what a kernel is compiled from, for code of the host and of the device.
 *
 * How it is used: a variant changes a field of the baseline's design (gemm_kernel_of in
 * gemm_kernel.cuh), or writes down its own.
 */
#ifndef GEMM_DESIGN_H
#define GEMM_DESIGN_H

#include "gemm_launch.h"

#define GEMM_NARROW 32 /* tiles of varying width have a multiple of so many columns */

/* What the L2 is told about lines that a copy reads. */
enum gemm_hint {
    GEMM_NO_HINT, /* nothing */
    GEMM_EVICT_NORMAL,
    GEMM_EVICT_FIRST, /* will not be read again */
    GEMM_EVICT_LAST,  /* will be, often */
};

/* What a kernel is compiled from: how its math is arranged, and what a variant changes about it. */
struct gemm_design {
    enum sg_dtype type = SG_BF16;
    int rows = 128;    /* of a tile of one block: 64 or 128; in blocks up to 256 */
    int columns = 256; /* of a tile: 64 to 256 by 32; where a cluster shares them and they do not
                          vary, 128 or 256 */
    int ctas = 2;      /* of a cluster: 1 or 2, where columns vary also 4 */
    int math_registers =
        232; /* of a thread; with copy_registers at most 504, the block's 168 * 384 registers */
    int copy_registers = 40;    /* of a thread */
    int c_stages = 4;           /* of one warpgroup, where each has 128 rows itself; else of both */
    bool ping_pong = false;     /* a tile for each math warpgroup, not half a tile */
    bool plain_store = false;   /* results go from registers to memory, without the copy engine */
    bool hold_sums = false;     /* until a tile leaves it is kept in fp32: a second accumulator */
    bool early_release = false; /* a stage is given back before it has been read: a race */
    bool one_sum = false; /* of e4m3: one accumulator over all of k, scaled by the first scales
                             alone: for uniform ones */
    bool whole_block =
        false; /* of e4m3: sums of a block of k for all columns at once, not for 128 at a time */
    bool varying = false; /* a tile has columns_of() columns, at most `columns`: no more are copied,
                             multiplied and stored */
    bool transposed = false; /* D is stored as D[column][row] */
    int slots = 0; /* of e4m3: rows come in blocks of 64, in a ring of so many slots of their own
                      (gemm_blocks.cuh) */
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
    /* Room for scales in a stage: their place is behind the stages, which
     * keeps those at multiples of 1024. */
    __host__ __device__ constexpr int scale_bytes() const
    {
        return scaled() ? gemm_stage_scale_bytes(GEMM_HOPPER, tile()) : 0;
    }
    /* Scales that are copied: one for each row, and boxes of GEMM_SCALE_BOX, of which one
     * scale counts, for each 128 columns. */
    __host__ __device__ constexpr int copied_scale_bytes() const
    {
        return scaled() ? (rows + columns / GEMM_SCALE_BLOCK * GEMM_SCALE_BOX) * (int)sizeof(float)
                        : 0;
    }
    __host__ __device__ constexpr int block_k() const
    {
        return GEMM_ROW_BYTES / (type == SG_E4M3 ? 1 : 2);
    }
    /* Stages of C in a plan, 128 rows each: those of both warpgroups,
     * where each has as many rows itself. */
    __host__ __device__ constexpr int stages_of_c() const
    {
        return ping_pong ? 2 * c_stages : c_stages;
    }
    /* Results leave before the next tile is begun: in ping-pong behind the other's products, else
     * because registers do not hold them. */
    __host__ __device__ constexpr bool store_at_once() const
    {
        return ping_pong || (scaled() && group_rows() / 64 * columns > 128);
    }
};

/* The baseline's design for a tile: a tile for each warpgroup if both
 * tiles' sums fit into the registers. */
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

#endif
