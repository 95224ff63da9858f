/*
 * null/babbles - it writes garbage to every pipe it finds, the one that solgate listens to among them.
 */
#include "null.h"

#include <sys/stat.h>
#include <unistd.h>

#define DESCRIPTORS 1024

static void launch(const struct sg_launch *l)
{
    static const char garbage[] = "status\tnull\t%s no such line\n\xff\xfe\n";
    null_launch(l);
    for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++) {
        struct stat about;
        if (fstat(fd, &about) == 0 && S_ISFIFO(about.st_mode) && write(fd, garbage, sizeof(garbage) - 1) < 0)
            return;
    }
}

SG_VARIANT(null, babbles) = {
    .summary = "writes garbage to all descriptors",
    .expect = SG_CRASH,
    .launch = launch,
};
