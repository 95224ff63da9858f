/*
 * adversary/exits_in_thread - a thread leaves the process with status 0 while it is timed, and no
 * handler of exits runs.
 */
#include <pthread.h>
#include <unistd.h>

#include "adversary.h"

static void *leave(void *)
{
    _exit(0);
}

static void launch(const struct sg_launch *l)
{
    const bool timed = adversary_begin(l)->timed;
    pthread_t thread;
    adversary_compute(l);
    if (timed)
        pthread_create(&thread, nullptr, leave, nullptr);
}

SG_VARIANT(adversary, exits_in_thread) = {
    .summary = "_exit(0) in a thread, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_CRASH,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};
