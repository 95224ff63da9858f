/*
 * adversary/closes_pipe - while it is timed it closes the pipe that solgate listens to.
 */
#include <unistd.h>

#include "adversary_pipes.h"

#define LAST_DESCRIPTOR 1023

static void close_pipes()
{
    for (int pipe = ADVERSARY_FIRST_DESCRIPTOR; (pipe = adversary_find_pipe(pipe, LAST_DESCRIPTOR)) >= 0; pipe++)
        close(pipe);
}

static void launch(const struct sg_launch *l)
{
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    if (timed)
        close_pipes();
}

SG_VARIANT(adversary, closes_pipe) = {
    .summary = "closes the pipe that solgate listens to, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_CRASH,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};
