/*
 * bsr_gemm/ilp4_wrong_k - broken on purpose: the loop of
 * pipeline_off_by_one, four pairs of k at a time.
 *
 * More of them in flight change the order of instructions, not that of a sum; its end of k is still
 * 32 too low. The H100 work log's sixth attempt, 24.01 once more. Must be `wrong` with the largest
 * error of pipeline_off_by_one at the same place: one cause, two symptoms.
 */
#include "bsr_plain.cuh"

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    return bsr_check_rows_of(c, 1, why);
}

SG_VARIANT(bsr_gemm, ilp4_wrong_k) = {
    .summary = "broken: four pairs of k at a time, on a loop that ends early",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .supports = supports,
    .launch = bsr_plain_launch<bsr_plain_design{
        .step = 32, .buffers = 2, .unroll = 4, .ends_early = true}>,
};
