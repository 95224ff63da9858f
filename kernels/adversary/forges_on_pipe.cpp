/*
 * adversary/forges_on_pipe - it finds the pipe that solgate listens to and writes a batch of 1 us
 * to it.
 */
#include "adversary_pipes.h"

#define LAST_DESCRIPTOR 1023

static void launch(const struct sg_launch *l)
{
    adversary_forge(l, "forges_on_pipe", LAST_DESCRIPTOR);
}

SG_VARIANT(adversary, forges_on_pipe) = {
    .summary = "writes forged batches to the pipe that solgate listens to",
    .role = SG_CANDIDATE,
    .expect = SG_CRASH,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};
