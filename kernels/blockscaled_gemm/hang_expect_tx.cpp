/*
 * blockscaled_gemm/hang_expect_tx - broken on purpose: a stage waits for 16
 * bytes more than are copied to it.
 *
 * The classic mistake after a change of tile or type. The first stage never fills. Must be `hang`,
 * on one small case: each costs its deadline.
 */
#include "gemm_launch.h"

static struct gemm_setup choose(const struct sg_case *c)
{
    struct gemm_setup setup = gemm_baseline(c);
    setup.extra_bytes = 16;
    return setup;
}

SG_VARIANT(blockscaled_gemm, hang_expect_tx) = {
    .summary = "broken: a barrier expects bytes that never come",
    .role = SG_CANDIDATE,
    .expect = SG_HANG,
    .deadline_ms = 3000,
    .supports = gemm_supports_hang,
    .prepare = gemm_prepare<choose>,
    .launch = gemm_launch,
    .finish = gemm_finish,
    .facts = gemm_facts<choose>,
};
