/*
 * adversary/patches_clock - it replaces clock_gettime, so that time goes by four times as slowly.
 */
#include <dlfcn.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "adversary.h"
#include "adversary_patch.h"

namespace
{
struct state : adversary_patched {
    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
};
} // namespace

#define SLOWER 4

static struct timespec began;

static int slow_clock(clockid_t id, struct timespec *now)
{
    const long result = syscall(SYS_clock_gettime, id, now);
    if (id != CLOCK_MONOTONIC || result != 0)
        return (int)result;
    const int64_t ns = ((int64_t)(now->tv_sec - began.tv_sec) * 1000000000 + now->tv_nsec - began.tv_nsec) / SLOWER + began.tv_nsec;
    now->tv_sec = began.tv_sec + ns / 1000000000;
    now->tv_nsec = ns % 1000000000;
    return 0;
}

enum sg_status state::set_up(const struct sg_launch *, struct sg_reason *)
{
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &began);
    patch.to = (void *)slow_clock;
    patch.from = timed ? dlsym(RTLD_DEFAULT, "clock_gettime") : nullptr;
    adversary_patch_apply(&patch);
    return SG_OK;
}

SG_VARIANT(adversary, patches_clock) = {
    .summary = "replaces the clock of the host",
    .role = SG_CANDIDATE,
    .supports = adversary_supports_patches,
    .prepare = adversary_prepare<state>,
    .launch = adversary_launch,
    .finish = adversary_finish<state>,
};
