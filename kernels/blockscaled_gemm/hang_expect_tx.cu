/*
 * blockscaled_gemm/hang_expect_tx - broken on purpose: a stage waits for 16 bytes more than are copied to it.
 *
 * The classic mistake after a change of tile or type. The first stage never fills. Must be `hang`, on one small case: each costs its
 * deadline.
 */
#include "gemm_launch.h"

static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_why *why)
{
    struct gemm_setup setup = gemm_baseline(l->c);
    setup.extra_bytes = 16;
    return gemm_prepare(l, &setup, state, why);
}

SG_VARIANT(blockscaled_gemm, hang_expect_tx) = {
    .summary = "broken: a barrier expects bytes that never come",
    .role = SG_CANDIDATE,
    .expect = SG_HANG,
    .deadline_ms = 3000,
    .supports = gemm_supports_hang,
    .prepare = prepare,
    .launch = gemm_launch,
    .finish = gemm_finish,
};
