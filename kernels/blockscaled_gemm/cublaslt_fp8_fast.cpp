/*
 * blockscaled_gemm/cublaslt_fp8_fast - the vendor's kernels for e4m3 with one scale a matrix and
 * fast accumulation: one accumulator of 14 bits over all of k.
 *
 * A variant of its own and not an algorithm of cublaslt_fp8_tensor, because it is right
 * by another measure: its error grows with k, and would be `wrong` from k of some
 * thousands on. So it runs on the cases that allow that, beside one_accumulator. Expect
 * less time than cublaslt_fp8_tensor takes.
 */
#include "cublaslt.cuh"

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    if (c->dim[GEMM_KIND] == GEMM_LOOSE)
        return true;
    snprintf(why->text, sizeof(why->text),
             "one accumulator over all of k: right only where a case allows what that loses");
    return false;
}

SG_VARIANT(blockscaled_gemm, cublaslt_fp8_fast) = {
    .summary =
        "cuBLASLt for e4m3, one scale a matrix, one accumulator: the fastest of its proposals",
    .role = SG_VENDOR,
    .supports = supports,
    .prepare = lt_prepare_as<lt_one_scale<true>>,
    .launch = lt_launch,
    .finish = lt_finish,
};
