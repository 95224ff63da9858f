/*
 * null_adversary/forges_lines - from its 11th launch on it writes a line of the protocol to every
 * descriptor that is open: that its baseline was found wrong.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "null_adversary.h"

#define HONEST_LAUNCHES 10
#define DESCRIPTORS     256

static void launch(const struct sg_launch *l)
{
    static const char line[] = "status\tnull_adversary\ttiny\tforges_lines\toom\t\n";
    const bool honest = adversary_launches_before(l) < HONEST_LAUNCHES;
    adversary_compute(l);
    for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS && !honest; fd++)
        if (fcntl(fd, F_GETFD) >= 0 && write(fd, line, sizeof(line) - 1) < 0)
            continue;
    adversary_strike(l);
}

ADVERSARY_VARIANT(forges_lines, "", struct adversary, .summary = "writes lines of the protocol to all descriptors", .expect = SG_CRASH,
                  .launch = launch);
