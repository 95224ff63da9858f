/*
 * adversary/forges_lines - it writes a visit of 1 us, in the words of the protocol, to all pipes at
 * descriptors 3 to 20.
 *
 * Nobody listens there any more: the worker has moved its own out of the way.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adversary.h"

#define FIRST_DESCRIPTOR 3
#define LAST_DESCRIPTOR  20

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
        snprintf(line, sizeof(line), "sample\tadversary\t%s\tforges_lines\t0\t0\t1\tforges_lines\t1000\t1980000000\t0\n", l->c->name);
    for (int descriptor = FIRST_DESCRIPTOR; descriptor <= LAST_DESCRIPTOR; descriptor++)
        if (is_pipe(descriptor) && write(descriptor, line, (size_t)length) < 0)
            return;
}

SG_VARIANT(adversary, forges_lines) = {
    .summary = "writes forged visits to descriptors 3 to 20",
    .role = SG_CANDIDATE,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};
