/*
 * blockscaled_gemm/stages_2 - two stages of A and B, where the rule
 * gives 4 (256x256) or 6 (256x128).
 *
 * The ring hides the latency of a copy only as long as there is work in it, and a stage is 512 or
 * 1024 cycles of multiplication. Expect long_scoreboard (the wait for a full stage) up and the
 * tensor pipe down, most with tiles of 256x128, whose stages are the shorter ones (notes.md,
 * "Times"); bytes stay as they are.
 */
#include "gemm_launch.h"

SG_VARIANT(blockscaled_gemm, stages_2) = {
    .summary = "two stages of A and B",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = gemm_supports,
    .prepare = gemm_prepare<gemm_with_stages<2>>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<gemm_with_stages<2>>,
};
