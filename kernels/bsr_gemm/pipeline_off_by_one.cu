/*
 * bsr_gemm/pipeline_off_by_one - broken on purpose: half2_vec4 with two buffers,
 * whose loop ends with the last fetch.
 *
 * The stage that was fetched last is not multiplied: each row lacks its last 32 of k. The H100 work
 * log's third attempt, an error of 24.01 that two others share. Must be `wrong` from one whole
 * block on, everywhere, by the same numbers as ilp4_wrong_k.
 */
#include "bsr_plain.cuh"

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    return bsr_check_rows_of(c, 1, why);
}

SG_VARIANT(bsr_gemm, pipeline_off_by_one) = {
    .summary = "broken: a pipelined loop that ends one stage early",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .supports = supports,
    .launch = bsr_plain_launch<bsr_plain_design{.step = 32, .buffers = 2, .ends_early = true}>,
};
