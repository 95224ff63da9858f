/*
 * blockscaled_gemm/cublaslt - the vendor's kernels for bf16 and f16: the fastest of up to 32
 * algorithms that cuBLASLt proposes.
 *
 * Its first proposal is often not its fastest, so all are timed when the variant is prepared, in
 * turns, with whatever the buffers hold then and a warm L2; the row `note` says which the
 * verification kept, and each process chooses anew. What a launch may use: 64 MiB of workspace.
 * Expect a kernel called nvjet on Hopper.
 */
#include "cublaslt.cuh"

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    if (!gemm_has_scales(c))
        return true;
    snprintf(why->text, sizeof(why->text),
             "for bf16 and f16; operands with scales have variants of their own");
    return false;
}

SG_VARIANT(blockscaled_gemm, cublaslt) = {
    .summary = "cuBLASLt for bf16 and f16: the fastest of its proposals",
    .role = SG_VENDOR,
    .supports = supports,
    .prepare = lt_prepare_as<lt_no_scales>,
    .launch = lt_launch,
    .finish = lt_finish,
};
