#include "adversary_pipes.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_pipe(int descriptor)
{
    struct stat about;
    const int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) == O_WRONLY && fstat(descriptor, &about) == 0 && S_ISFIFO(about.st_mode);
}

int adversary_find_pipe(int from, int last)
{
    for (int descriptor = from; descriptor <= last; descriptor++)
        if (is_pipe(descriptor))
            return descriptor;
    return -1;
}

void adversary_forge(const struct sg_launch *l, const char *variant, int last)
{
    const bool timed = adversary_begin(l)->timed;
    char line[256];
    adversary_compute(l);
    if (!timed)
        return;
    const int length =
        snprintf(line, sizeof(line), "sample\tadversary\t%s\t%s\t0\t0\t1\t%s\t1000\t1980000000\t0\n", l->c->name, variant, variant);
    for (int pipe = adversary_find_pipe(ADVERSARY_FIRST_DESCRIPTOR, last); pipe >= 0; pipe = adversary_find_pipe(pipe + 1, last))
        if (write(pipe, line, (size_t)length) < 0)
            return;
}
