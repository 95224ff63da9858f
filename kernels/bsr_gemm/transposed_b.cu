/*
 * bsr_gemm/transposed_b - half2_vec4 with B transposed in shared memory, so that a pair of k lies
 * together: the H100 work log's second attempt, 23.1 TFLOP/s in place of 68.8.
 *
 * What comes 16 bytes at a time is written two bytes at a time, and rows of 64 f16 are 128 bytes:
 * the lanes of a warp, each at a column of its own, all read the same bank. Expect bank conflicts
 * and mio stalls where half2_vec4 has few, and the same DRAM traffic.
 */
#include "bsr_plain.cuh"

SG_VARIANT(bsr_gemm, transposed_b) = {
    .summary = "half2_vec4 with B transposed in shared memory: bank conflicts",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = bsr_check_aligned,
    .launch = bsr_plain_launch<bsr_plain_design{.transposed = true}>,
};
