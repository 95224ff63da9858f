/*
 * adversary/closes_pipe - while it is timed it closes the pipe that solgate listens to.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adversary.h"

#define FIRST_DESCRIPTOR 3
#define LAST_DESCRIPTOR  1023

static bool is_pipe(int descriptor)
{
    struct stat about;
    const int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) == O_WRONLY && fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode);
}

static void launch(const struct sg_launch *l)
{
    const bool timed = adversary_begin(l)->timed;
    adversary_compute(l);
    for (int descriptor = FIRST_DESCRIPTOR; timed && descriptor <= LAST_DESCRIPTOR; descriptor++)
        if (is_pipe(descriptor))
            close(descriptor);
}

SG_VARIANT(adversary, closes_pipe) = {
    .summary = "closes the pipe that solgate listens to, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_CRASH,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};
