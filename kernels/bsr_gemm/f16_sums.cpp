/*
 * bsr_gemm/f16_sums - the baseline with sums in f16: half of the registers, and an error that grows
 * with the number of blocks in a row.
 *
 * The tensor cores round after each 16 of k. Small integers stay exact as long as sums are below
 * 2048, so the integer check lets it pass; with normal inputs it must be `wrong` from one whole
 * block on. Expect the baseline's time: the rate of wgmma is the same.
 */
#include "bsr_launch.h"

static struct bsr_setup choose(const struct sg_case *, const int64_t *)
{
    const struct bsr_design design = {.f16_sums = true};
    return {.kernel = bsr_kernel_f16_sums(),
            .columns = design.columns,
            .ctas = design.ctas,
            .order = BSR_LONGEST_FIRST};
}

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    return bsr_check_rows_of(c, 1, why);
}

SG_VARIANT(bsr_gemm, f16_sums) = {
    .summary = "broken: the baseline with sums in f16",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .deterministic = true,
    .supports = supports,
    .prepare = bsr_prepare<choose>,
    .launch = bsr_launch,
    .finish = bsr_finish,
    .facts = bsr_facts<choose>,
};
