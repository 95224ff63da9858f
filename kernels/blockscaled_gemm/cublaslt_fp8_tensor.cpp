/*
 * blockscaled_gemm/cublaslt_fp8_tensor - the vendor's kernels for e4m3 with one scale a matrix: the
 * fastest of up to 32 algorithms that cuBLASLt proposes.
 *
 * Another product than one with scales of blocks, and the one that fp8 kernels are often measured
 * by. So it runs where both are the same: on cases whose scales are uniform. Sums are promoted to
 * fp32 on their way (fast accumulation off). Expect less time than cublaslt_fp8_block takes: its
 * scales cost nothing in the main loop.
 */
#include "cublaslt.cuh"

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    if (gemm_is_uniform(c))
        return true;
    snprintf(why->text, sizeof(why->text),
             "knows one scale a matrix: right only for e4m3 with uniform scales");
    return false;
}

SG_VARIANT(blockscaled_gemm, cublaslt_fp8_tensor) = {
    .summary = "cuBLASLt for e4m3, one scale a matrix, sums promoted: the fastest of its proposals",
    .role = SG_VENDOR,
    .supports = supports,
    .prepare = lt_prepare_as<lt_one_scale<false>>,
    .launch = lt_launch,
    .finish = lt_finish,
};
