/*
 * bsr_gemm/column_out_of_range - broken on purpose: half2_vec4 reads rows of B a tebibyte behind
 * the right ones, and does not look where B ends.
 *
 * What an index that is no column does to plain loads; the copy engine would deliver zeros. The
 * H100 work log's fourth attempt, a segfault. Must be `cuda_error` (cudaErrorIllegalAddress, 700),
 * and cost no other variant its row; memcheck names the kernel.
 */
#include "bsr_plain.cuh"

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    return bsr_check_rows_of(c, 1, why);
}

SG_VARIANT(bsr_gemm, column_out_of_range) = {
    .summary = "broken: column indices that point behind B",
    .role = SG_CANDIDATE,
    .expect = SG_CUDA_ERROR,
    .supports = supports,
    .launch = bsr_plain_launch<bsr_plain_design{.runs_out = true}>,
};
