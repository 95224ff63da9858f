/*
 * gemm_launch.h - from a case and a kernel to a launch: tensor maps, shared memory, grid.
 * Host code that all variants share.
 *
 * Invariant: everything that a launch needs is made by gemm_prepare; gemm_launch
 * hands it over and does nothing else.
 *
 *     static struct gemm_setup choose(const struct sg_case *c)
 *     {
 *         struct gemm_setup setup = gemm_baseline(c);
 *         setup.group = 8;   what the variant changes
 *         return setup;
 *     }
 *     SG_VARIANT(...) = { ..., .prepare = gemm_prepare<choose>, .launch = gemm_launch, .finish =
 *         gemm_finish, .facts = gemm_facts<choose>
 * };
 */
#ifndef GEMM_LAUNCH_H
#define GEMM_LAUNCH_H

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "gemm_facts.h"

#define GEMM_WARP_ROWS 16  /* that leave at a time, of GEMM_C_COLUMNS */
#define GEMM_THREADS   384 /* of a block: a warpgroup that copies, two that multiply */

#define GEMM_SCALED_STAGES \
    6 /* of e4m3, at most: B's scales lie between the barriers, 128 bytes a stage */

/* What a kernel is told about the problem. Tiles are those of a cluster. */
struct gemm_shape {
    int m, n;
    int tiles_m, tiles_n, tiles;
    int group;       /* rows of tiles that are walked together, at least 1 */
    int blocks_k;    /* of 128 bytes */
    int stages;      /* of A and B */
    int extra_bytes; /* that a stage waits for beyond its own: 0 */
};

/* The parameter of every kernel. Maps first: they need their alignment of 64. */
struct gemm_arguments {
    static constexpr bool looks_first = false; /* at its first tile, while barriers are made: where
                                                  that takes more than a division */
    static constexpr int copying_threads =
        1; /* that walk the tiles before they are copied; the first of them copies */
    CUtensorMap a, b, d;
    CUtensorMap row_scales, column_scales; /* of A and of B, for e4m3 only */
    void *plain;                           /* D without a map */
    struct gemm_shape shape;
    const float *plain_row_scales, *plain_column_scales; /* of e4m3, without maps */
};

typedef void gemm_kernel(const struct gemm_arguments);

/* What a variant chooses. */
struct gemm_setup {
    gemm_kernel *kernel;
    struct gemm_tile tile; /* of a cluster */
    struct gemm_plan plan;
    int group;         /* as gemm_shape.group */
    int extra_bytes;   /* as gemm_shape.extra_bytes */
    int clusters;      /* of the grid; 0: as many as fit, or fewer if they are done as soon */
    bool clamp_shared; /* ask for no more shared memory than there is, though the plan needs more */
};

/* The tile of a case. */
struct gemm_tile gemm_tile_of(const struct sg_case *c);

/* What the baseline does: the kernel of the case's tile, stages by the greedy
 * rule. Of a case that gemm_supports. */
struct gemm_setup gemm_baseline(const struct sg_case *c);

/* e4m3 in one accumulator over all of k, scaled once: right where scales
 * are uniform, as far as 14 bits go. */
struct gemm_setup gemm_one_sum(const struct sg_case *c);

/* Clusters' tiles that D has. */
int gemm_tiles(const struct sg_case *c, struct gemm_tile tile);

/* A type and a tile that the baseline has a kernel for, rows that
 * start at multiples of 16 bytes. */
bool gemm_supports(const struct sg_case *c, struct sg_reason *why);

/* The same for variants with kernels of their own, and of these for such as
 * change tiles of so many columns only. */
bool gemm_supports_bf16(const struct sg_case *c, struct sg_reason *why);
bool gemm_supports_but_f16(const struct sg_case *c, struct sg_reason *why);
bool gemm_supports_tiles(const struct sg_case *c, int columns, struct sg_reason *why);

template <int COLUMNS>
static bool gemm_supports_columns(const struct sg_case *c, struct sg_reason *why)
{
    return gemm_supports_tiles(c, COLUMNS, why);
}

template <int COLUMNS>
static bool gemm_supports_bf16_columns(const struct sg_case *c, struct sg_reason *why)
{
    return gemm_supports_bf16(c, why) && gemm_supports_tiles(c, COLUMNS, why);
}

/* For variants whose fault takes tiles of 256 columns and more blocks
 * of k than such tiles have stages. */
bool gemm_supports_deep(const struct sg_case *c, struct sg_reason *why);

/* For variants that walk the tiles in groups of so many rows: cases
 * that the baseline walks otherwise. */
bool gemm_supports_group_of(const struct sg_case *c, int group, struct sg_reason *why);

/* For variants that hang: the one case that is enough. */
bool gemm_supports_hang(const struct sg_case *c, struct sg_reason *why);

/* SG_OK and *state for gemm_launch and gemm_finish; or the status of the row, with the reason. */
enum sg_status gemm_prepare_setup(const struct sg_launch *l, const struct gemm_setup *setup,
                                  void **state, struct sg_reason *why);
void gemm_launch(const struct sg_launch *l);
void gemm_finish(void *state);

/* `prepare` and `facts` of a variant, from its choice for a case. */
typedef struct gemm_setup gemm_choice(const struct sg_case *c);

template <gemm_choice *CHOOSE>
static enum sg_status gemm_prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    const struct gemm_setup setup = CHOOSE(l->c);
    return gemm_prepare_setup(l, &setup, state, why);
}

template <gemm_choice *CHOOSE>
static size_t gemm_facts(const struct sg_case *c, const int64_t *knob,
                         struct sg_fact out[SG_MAX_FACTS])
{
    (void)knob;
    return gemm_facts_of(CHOOSE(c).plan, out);
}

/* Choices that differ in a number: stages of A and B, and the group of rows, for cases
 * that the baseline walks otherwise. */
template <int STAGES> static struct gemm_setup gemm_with_stages(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.plan = gemm_plan_with(GEMM_HOPPER, setup.tile, setup.plan.acc, STAGES, setup.plan.c);
    return setup;
}

template <int GROUP> static struct gemm_setup gemm_with_group(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.group = GROUP;
    return setup;
}

template <int GROUP> static bool gemm_supports_group(const struct sg_case *c, struct sg_reason *why)
{
    return gemm_supports_group_of(c, GROUP, why);
}

#endif
