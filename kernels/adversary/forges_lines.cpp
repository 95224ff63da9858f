/*
 * adversary/forges_lines - it writes a batch of 1 us, in the words of the protocol, to all pipes at
 * descriptors 3 to 20.
 *
 * Nobody listens there any more: the worker has moved its own out of the way.
 */
#include "adversary_pipes.h"

#define LAST_DESCRIPTOR 20

static void launch(const struct sg_launch *l)
{
    adversary_forge(l, "forges_lines", LAST_DESCRIPTOR);
}

SG_VARIANT(adversary, forges_lines) = {
    .summary = "writes forged batches to descriptors 3 to 20",
    .role = SG_CANDIDATE,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};
