/*
 * blockscaled_gemm/cublaslt_fp8_block - the vendor's kernels for e4m3 with scales of blocks: the
 * fastest of up to 32 algorithms that cuBLASLt proposes.
 *
 * What the family's e4m3 baseline is measured by: the same inputs, the same scales, the same
 * result. The library reads our scales as they lie: those of A as vectors of 128 of k
 * (VEC128, neighbours in m next to each other), those of B by blocks of 128x128 (BLK128x128,
 * neighbours in k next to each other, rows padded to four). Compute capability 9.0, cuBLAS
 * 12.9 or newer; otherwise it says so.
 */
#include "cublaslt.cuh"

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    const long long m = c->dim[GEMM_M], n = c->dim[GEMM_N];
    if (!gemm_has_scales(c))
        snprintf(why->text, sizeof(why->text), "for e4m3 with scales; the others are cublaslt's");
    else if (m % 4 != 0 || n % 4 != 0)
        snprintf(why->text, sizeof(why->text),
                 "m = %lld and n = %lld: cuBLASLt wants multiples of 4 beside scales of blocks", m,
                 n);
    else
        return true;
    return false;
}

SG_VARIANT(blockscaled_gemm, cublaslt_fp8_block) = {
    .summary =
        "cuBLASLt for e4m3, a scale for 128 of A and 128x128 of B: the fastest of its proposals",
    .role = SG_VENDOR,
    .supports = supports,
    .prepare = lt_prepare_as<lt_scales_of_blocks>,
    .launch = lt_launch,
    .finish = lt_finish,
};
