/*
 * blockscaled_gemm/no_promotion - broken on purpose: e4m3 in one accumulator over
 * all of k, scaled once at the end.
 *
 * With scales of blocks that would be nonsense. With one scale a matrix it is a tempting shortcut:
 * no FMAs between the products, no wait for them, and for small k it passes. But the tensor cores
 * keep 14 bits of the sum, and what is cut off from each product grows with what is there already:
 * 0.264 % of the rms at k = 8192, when 0.2 % is allowed. Must be `wrong` from there on. What it
 * saves and loses at any k: one_accumulator.
 */
#include "gemm_launch.h"

#include <stdio.h>

#define WRONG_FROM 8192 /* of k */

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    if (c->dim[GEMM_KIND] == GEMM_UNIFORM && c->dim[GEMM_K] >= WRONG_FROM)
        return gemm_supports(c, why);
    snprintf(why->text, sizeof(why->text),
             "told from right only by e4m3 with uniform scales, held to the output's rounding, "
             "from k = %d on",
             WRONG_FROM);
    return false;
}

SG_VARIANT(blockscaled_gemm, no_promotion) = {
    .summary = "broken: e4m3 in one accumulator of 14 bits over all of k",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .deterministic = true,
    .supports = supports,
    .prepare = gemm_prepare<gemm_one_sum>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<gemm_one_sum>,
};
