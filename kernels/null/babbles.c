/*
 * null/babbles - it finds the pipe that solgate listens to and writes garbage to it.
 */
#include "null.h"

#include <sys/stat.h>
#include <unistd.h>

/* The worker keeps the pipe that solgate listens to out of the way of what opens files: above.
 * Below may be pipes of strangers. */
#define FIRST_DESCRIPTOR 64
#define LAST_DESCRIPTOR  255

static void launch(const struct sg_launch *l)
{
    static const char garbage[] = "status\tnull\t%s no such line\n\xff\xfe\n";
    null_launch(l);
    for (int fd = FIRST_DESCRIPTOR; fd <= LAST_DESCRIPTOR; fd++) {
        struct stat about;
        if (fstat(fd, &about) == 0 && S_ISFIFO(about.st_mode) &&
            write(fd, garbage, sizeof(garbage) - 1) < 0)
            return;
    }
}

SG_VARIANT(null, babbles) = {
    .summary = "writes garbage to the pipe that solgate listens to",
    .expect = SG_CRASH,
    .launch = launch,
};
