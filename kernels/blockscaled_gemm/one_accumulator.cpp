/*
 * blockscaled_gemm/one_accumulator - what promotion costs: e4m3 in one accumulator over all of k,
 * where a case allows what that loses.
 *
 * The same kernel as no_promotion, on cases of the loose kind, from k = 512 to 16384: the suite
 * promotion measures time and error (error_rms).
 * Expect FMAs of the main loop gone, tensor pipe up, less time at every k, and an error that grows
 * with k while the baseline's stays (notes.md, "What promotion costs and saves").
 */
#include "gemm_launch.h"

#include <stdio.h>

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    if (c->dim[GEMM_KIND] == GEMM_LOOSE)
        return gemm_supports(c, why);
    snprintf(why->text, sizeof(why->text),
             "one accumulator over all of k: right only where a case allows what that loses");
    return false;
}

SG_VARIANT(blockscaled_gemm, one_accumulator) = {
    .summary = "e4m3 in one accumulator: no promotion, less accurate",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = supports,
    .prepare = gemm_prepare<gemm_one_sum>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<gemm_one_sum>,
};
