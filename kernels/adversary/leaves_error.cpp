/*
 * adversary/leaves_error - its `finish` leaves an error of the runtime behind, for whoever asks
 * next.
 *
 * It is right itself. The error is its own outcome, and not that of the next variant.
 */
#include "adversary.h"

static void finish(void *state)
{
    adversary_finish<adversary>(state);
    cudaSetDevice(-1);
}

SG_VARIANT(adversary, leaves_error) = {
    .summary = "right, and leaves an error behind its end",
    .role = SG_CANDIDATE,
    .expect = SG_LAUNCH_FAILED,
    .prepare = adversary_prepare<adversary>,
    .launch = adversary_launch,
    .finish = finish,
};
