/*
 * adversary/forges_on_pipe - it finds the pipe that solgate listens to and writes a visit of 1 us
 * to it.
 */
#include <fcntl.h>
#include <stdio.h>
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
    char line[256];
    adversary_compute(l);
    if (!timed)
        return;
    const int length =
        snprintf(line, sizeof(line), "sample\tadversary\t%s\tforges_on_pipe\t0\t0\t1\tforges_on_pipe\t1000\t1980000000\t0\n", l->c->name);
    for (int descriptor = FIRST_DESCRIPTOR; descriptor <= LAST_DESCRIPTOR; descriptor++)
        if (is_pipe(descriptor) && write(descriptor, line, (size_t)length) < 0)
            return;
}

SG_VARIANT(adversary, forges_on_pipe) = {
    .summary = "writes forged visits to the pipe that solgate listens to",
    .role = SG_CANDIDATE,
    .expect = SG_CRASH,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};
