/*
 * gemm_plan.h - the stage rule: how many stages of A and B, of C, and of the accumulator
 * a tile gets, and what they cost.
 *
 * A stage of A and B is one row of 128 bytes of k; a stage of C is 128x32 outputs on their
 * way out; a stage of the accumulator is a tile of fp32. Stages of A, B and C share the
 * shared memory of a block; those of the accumulator have a place of their own, TMEM on
 * Blackwell and the registers of the math threads on Hopper. Plain C and constexpr C++: a
 * kernel takes its template parameters from here.
 *
 * Invariant: a plan is never made to fit. One that does not says so in free_bytes and acc_free, and
 * what happens then is the variant's story.
 *
 *     const struct gemm_tile tile = {.m = 256, .n = 128, .ctas = 2, .dtype = SG_BF16};
 *     const struct gemm_plan plan = gemm_plan_of(GEMM_HOPPER, tile, GEMM_GREEDY);
 */
#ifndef GEMM_PLAN_H
#define GEMM_PLAN_H

#include "gemm_layout.h"

enum gemm_chip_name { GEMM_HOPPER, GEMM_BLACKWELL, GEMM_CHIPS };

struct gemm_chip {
    const char *name;
    int smem_bytes;     /* that one block may have */
    int reserved_bytes; /* of them, for barriers */
    int acc_capacity; /* Hopper: registers of a math thread for accumulators; Blackwell: columns of
                         TMEM */
    bool has_tmem;
};

/*
 * Hopper: 240 registers a math thread; 224 of accumulators are the most that compiled without a
 * spill, 256 spilt. Its two math warpgroups, 256 threads, share a tile (one stage) or have one each
 * (two stages: ping-pong), which is the same number of registers.
 */
GEMM_BOTH struct gemm_chip gemm_chip_of(enum gemm_chip_name name)
{
    const struct gemm_chip chips[GEMM_CHIPS] = {
        {.name = "hopper",
         .smem_bytes = 232448,
         .reserved_bytes = 1024,
         .acc_capacity = 224,
         .has_tmem = false},
        {.name = "blackwell",
         .smem_bytes = 232448,
         .reserved_bytes = 1024,
         .acc_capacity = 512,
         .has_tmem = true},
    };
    return chips[name];
}

#define GEMM_ROW_BYTES 128 /* of k in a stage, in any format */
#define GEMM_BOX_ROOM \
    128 /* bytes for a stage's few scales, so that what is behind them may be copied to */
#define GEMM_BLOCK_ROWS   64   /* of A, in a slot */
#define GEMM_TURN_BYTES   1024 /* where rows come in slots: what a block knows of its turns */
#define GEMM_TILE_BLOCKS  3    /* of a tile at most, where rows come in slots */
#define GEMM_SLOT_BYTES   (GEMM_BLOCK_ROWS * GEMM_ROW_BYTES)
#define GEMM_C_ROWS       128 /* of a stage of C at most */
#define GEMM_C_COLUMNS    32  /* of a stage of C */
#define GEMM_C_BYTES      2   /* of an output: bf16 or f16 */
#define GEMM_MATH_THREADS 256 /* Hopper */
#define GEMM_LEAST_C      2   /* stages of C before A and B are given any */
#define GEMM_TARGET_AB    5   /* of the second strategy */
#define GEMM_TARGET_C     4

struct gemm_tile {
    int m, n; /* of the cluster */
    int ctas; /* blocks that share it, in m */
    enum sg_dtype dtype;
    int slots; /* e4m3 on Hopper: of 64 rows of A each, apart from the stages, which then hold B and
                  all scales; 0: a stage holds both */
};

enum gemm_strategy {
    GEMM_GREEDY, /* as many stages of A and B as fit beside two of C; what is left goes to C */
    GEMM_TARGET, /* 5 of A and B, 4 of C; what is left goes to C */
};

struct gemm_plan {
    int acc, ab, c;         /* stages */
    int ab_bytes, c_bytes;  /* of one stage */
    int smem_bytes;         /* of all stages and the barriers */
    int free_bytes;         /* what the block could have more; below 0: it does not fit */
    int acc_used, acc_free; /* registers of a math thread, or columns of TMEM with those of the
                               scales; acc_free as free_bytes */
};

/*
 * Bytes of scales that a stage holds for one row. Hopper, e4m3: the f32 of A's rows; B's are
 * few and lie between the barriers.
 * Blackwell, e2m1: one byte for 16 elements of both.
 */
GEMM_BOTH int gemm_scale_bytes(enum gemm_chip_name chip, enum sg_dtype dtype)
{
    if (chip == GEMM_HOPPER)
        return dtype == SG_E4M3 ? 4 : 0;
    return dtype == SG_E2M1 ? 16 : 0;
}

/* Scales of A's rows in a stage, and of B's where rows come in slots. */
GEMM_BOTH int gemm_stage_scale_bytes(enum gemm_chip_name chip, struct gemm_tile tile)
{
    const int each = gemm_scale_bytes(chip, tile.dtype), a_rows = tile.m / tile.ctas;
    if (gemm_chip_of(chip).has_tmem)
        return (a_rows + tile.n) * each; /* B's are not shared */
    return a_rows * each + (tile.slots > 0 ? GEMM_BOX_ROOM : 0);
}

/* One stage of a block: its rows of A, and all of B's, or on Blackwell, whose two blocks
 * read each other's, its half of them. */
GEMM_BOTH int gemm_ab_bytes(enum gemm_chip_name chip, struct gemm_tile tile)
{
    const int a_rows = tile.slots > 0 ? 0 : tile.m / tile.ctas;
    const int b_rows = gemm_chip_of(chip).has_tmem ? tile.n / tile.ctas : tile.n;
    return (a_rows + b_rows) * GEMM_ROW_BYTES + gemm_stage_scale_bytes(chip, tile);
}

GEMM_BOTH int gemm_c_bytes(struct gemm_tile tile)
{
    const int rows = tile.m / tile.ctas;
    return (rows < GEMM_C_ROWS ? rows : GEMM_C_ROWS) * GEMM_C_COLUMNS * GEMM_C_BYTES;
}

/*
 * Registers of a math thread: its share of `acc` tiles, and with e4m3 the sums of one block of k,
 * for 64x128 at a time, before they are scaled. TMEM: a column is 128 fp32, one for each row of a
 * block's tile; scales take four columns for 32 rows.
 */
GEMM_BOTH int gemm_acc_used(enum gemm_chip_name chip, struct gemm_tile tile, int acc)
{
    const int rows = tile.m / tile.ctas;
    const int part = tile.n < GEMM_SCALE_BLOCK ? tile.n : GEMM_SCALE_BLOCK;
    if (!gemm_chip_of(chip).has_tmem)
        return acc * rows * tile.n / GEMM_MATH_THREADS + (tile.dtype == SG_E4M3 ? part / 2 : 0);
    return acc * tile.n + (gemm_scale_bytes(chip, tile.dtype) > 0 ? (rows + tile.n) / 32 * 4 : 0);
}

/* One stage where the tile is 256 wide: two would leave nothing beside them. */
GEMM_BOTH int gemm_acc_stages(struct gemm_tile tile)
{
    return tile.n == 256 ? 1 : 2;
}

/* The same, but one of e4m3 on Hopper: both warpgroups share every tile, so that one multiplies
 * while the other scales block sums. */
GEMM_BOTH int gemm_acc_stages_on(enum gemm_chip_name chip, struct gemm_tile tile)
{
    return chip == GEMM_HOPPER && tile.dtype == SG_E4M3 ? 1 : gemm_acc_stages(tile);
}

/* What so many stages cost. */
GEMM_BOTH struct gemm_plan gemm_plan_with(enum gemm_chip_name name, struct gemm_tile tile, int acc,
                                          int ab, int c)
{
    const struct gemm_chip chip = gemm_chip_of(name);
    struct gemm_plan plan = {.acc = acc, .ab = ab, .c = c};
    plan.ab_bytes = gemm_ab_bytes(name, tile);
    plan.c_bytes = gemm_c_bytes(tile);
    plan.smem_bytes = chip.reserved_bytes + ab * plan.ab_bytes + c * plan.c_bytes +
                      tile.slots * GEMM_SLOT_BYTES + (tile.slots > 0 ? GEMM_TURN_BYTES : 0);
    plan.free_bytes = chip.smem_bytes - plan.smem_bytes;
    plan.acc_used = gemm_acc_used(name, tile, acc);
    plan.acc_free = chip.acc_capacity - plan.acc_used;
    return plan;
}

GEMM_BOTH bool gemm_plan_fits(struct gemm_plan plan)
{
    return plan.free_bytes >= 0 && plan.acc_free >= 0;
}

GEMM_BOTH struct gemm_plan gemm_plan_of(enum gemm_chip_name name, struct gemm_tile tile,
                                        enum gemm_strategy strategy)
{
    const int acc = gemm_acc_stages_on(name, tile);
    const bool greedy = strategy == GEMM_GREEDY;
    const struct gemm_plan empty = gemm_plan_with(name, tile, acc, 0, GEMM_LEAST_C);
    const struct gemm_plan least =
        gemm_plan_with(name, tile, acc, greedy ? empty.free_bytes / empty.ab_bytes : GEMM_TARGET_AB,
                       greedy ? GEMM_LEAST_C : GEMM_TARGET_C);
    const int extra = least.free_bytes > 0 ? least.free_bytes / least.c_bytes : 0;
    return gemm_plan_with(name, tile, acc, least.ab, least.c + extra);
}

#endif
