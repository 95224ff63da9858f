/*
 * bsr_gemm/half2_vec4 - the H100 work log's kernel of 68.8 TFLOP/s: 128x128x64, 512 threads, loads
 * of 16 bytes, pairs of f16, fp32 sums in registers; no tensor cores.
 *
 * What it can reach is the fp32 rate of the CUDA cores, less what conversions and reads of shared
 * memory take: a fraction of the baseline. Expect the fma pipe and the issue slots busy, no tensor
 * operation, few bank conflicts. Rows are done as they come.
 */
#include "bsr_plain.cuh"

SG_VARIANT(bsr_gemm, half2_vec4) = {
    .summary = "the H100 work log's kernel: 16-byte loads, half2, fp32 sums, no tensor cores",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = bsr_check_aligned,
    .launch = bsr_plain_launch<bsr_plain_design{}>,
};
