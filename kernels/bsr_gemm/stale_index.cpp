/*
 * bsr_gemm/stale_index - broken on purpose: the column index is fetched a block ahead, and the
 * one of the block before is used.
 *
 * Each block of A but a row's first meets the rows of B of its predecessor. The copy engine reads
 * nothing that is not there, so no tool finds it but a comparison: must be `wrong` where a row has
 * two blocks. Rows of one block are right.
 */
#include "bsr_launch.h"

static struct bsr_setup choose(const struct sg_case *, const int64_t *)
{
    const struct bsr_design design = {.stale_index = true};
    return {.kernel = bsr_kernel_stale_index(),
            .columns = design.columns,
            .ctas = design.ctas,
            .order = BSR_LONGEST_FIRST};
}

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    return bsr_check_rows_of(c, 2, why);
}

SG_VARIANT(bsr_gemm, stale_index) = {
    .summary = "broken: rows of B by the index of the block before",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .supports = supports,
    .prepare = bsr_prepare<choose>,
    .launch = bsr_launch,
    .finish = bsr_finish,
    .facts = bsr_facts<choose>,
};
