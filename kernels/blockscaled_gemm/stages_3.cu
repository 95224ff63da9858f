/*
 * blockscaled_gemm/stages_3 - three stages of A and B, where the rule gives 4 (256x256) or 6 (256x128).
 *
 * The ring hides the latency of a copy only as long as there is work in it: a stage is 512 or 1024 cycles of multiplication, a copy from
 * the L2 takes about a thousand. Expect long_scoreboard (the wait for a full stage) up and the tensor pipe down; bytes
 * stay as they are. +7 % at 8192x8192x1024, +45 % with tiles of 256x128, +0.5 % at k = 16384.
 */
#include "gemm_launch.h"

SG_VARIANT(blockscaled_gemm, stages_3) = {
    .summary = "three stages of A and B",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = gemm_supports,
    .prepare = gemm_prepare<gemm_with_stages<3>>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<gemm_with_stages<3>>,
};
