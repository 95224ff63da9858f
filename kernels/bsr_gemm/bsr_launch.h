/*
 * bsr_launch.h - from a case and a kernel of tensor cores to a launch: tensor maps, the
 * schedule, shared memory, grid. Host code.
 *
 * Invariant: everything that a launch needs is made by bsr_prepare; bsr_launch hands it
 * over and does nothing else. Column indices and row_ptr are read by the kernel, in each
 * launch: nothing of them is kept.
 *
 *     static struct bsr_setup choose(const struct sg_case *c, const int64_t *knob)
 *     {
 *         struct bsr_setup setup = bsr_baseline(c, knob);
 *         setup.order = BSR_AS_THEY_COME;   what the variant changes
 *         return setup;
 *     }
 *     SG_VARIANT(...) = { ..., .supports = bsr_check_aligned, .prepare =
 *         bsr_prepare<choose>, .launch = bsr_launch,
 *                         .finish = bsr_finish, .facts = bsr_facts<choose> };
 */
#ifndef BSR_LAUNCH_H
#define BSR_LAUNCH_H

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "blockscaled_gemm/gemm_launch.h"
#include "bsr_schedule.h"

#define BSR_STEP        64 /* of k, of a stage: 128 bytes of a row of A */
#define BSR_BOX_COLUMNS 64 /* of B, that are copied at a time: 128 bytes, what a swizzle covers */
#define BSR_C_STAGES    4  /* of results, as in the dense family's tiles of 256 columns */

/* What a kernel is compiled from. A variant changes a member. */
struct bsr_design {
    int columns = 256; /* of a block's tile: 128 or 256 */
    int ctas = 2;      /* of a cluster, 1, 2 or 4, side by side in n: they share the tile of A */
    bool f16_sums = false;    /* of the tensor cores, in place of fp32 */
    bool stale_index = false; /* rows of B by the index of the block before: a fault */
};

/* The parameter of a kernel. Maps first: they need their alignment of 64. */
struct bsr_arguments {
    static constexpr bool looks_first = false;
    CUtensorMap a, b, d;
    const int32_t *row_ptr, *col; /* the case's */
    const int32_t *first, *tiles; /* the schedule: lists of tiles, one a cluster */
    int panels;                   /* of columns * ctas */
    int stages;                   /* of A and B */
};

typedef void bsr_kernel(const struct bsr_arguments);

struct bsr_setup {
    bsr_kernel *kernel; /* NULL: there is none, `why_not` says why */
    const char *why_not;
    int columns, ctas; /* of the kernel's design */
    int stages;        /* of A and B; 0: as many as fit */
    enum bsr_order order;
    bool forgets_empty; /* rows without blocks are not in the schedule: a fault */
};

typedef struct bsr_setup bsr_choice(const struct sg_case *c, const int64_t *knob);

/* The knobs of the baseline, and what it does with them: 0 is its own choice for the case. */
enum { BSR_KNOB_COLUMNS, BSR_KNOB_CTAS, BSR_KNOB_STAGES, BSR_KNOBS };
extern const struct sg_knob bsr_knobs[BSR_KNOBS];
struct bsr_setup bsr_baseline(const struct sg_case *c, const int64_t *knob);

/* The kernels of variants that change the design, in files of their own. */
bsr_kernel *bsr_kernel_f16_sums();
bsr_kernel *bsr_kernel_stale_index();

struct gemm_plan bsr_plan(const struct bsr_setup *setup);

/* SG_OK and *state for bsr_launch and bsr_finish; or the status of the row, with the reason. */
enum sg_status bsr_prepare_setup(const struct sg_launch *l, const struct bsr_setup *setup,
                                 void **state, struct sg_reason *why);
void bsr_launch(const struct sg_launch *l);
void bsr_finish(void *state);

template <bsr_choice *CHOOSE>
static enum sg_status bsr_prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    const struct bsr_setup setup = CHOOSE(l->c, l->knob);
    return bsr_prepare_setup(l, &setup, state, why);
}

template <bsr_choice *CHOOSE>
static size_t bsr_facts(const struct sg_case *c, const int64_t *knob,
                        struct sg_fact out[SG_MAX_FACTS])
{
    const struct bsr_setup setup = CHOOSE(c, knob);
    return setup.kernel ? gemm_facts_of(bsr_plan(&setup), out) : 0;
}

#endif
