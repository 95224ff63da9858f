/*
 * null/crash - it brings its process down with a segmentation fault.
 */
#include "null.h"

static void launch(const struct sg_launch *l)
{
    (void)l;
    volatile int *const nowhere = (volatile int *)(uintptr_t)sizeof(int); /* no page is mapped there */
    *nowhere = 1;
}

SG_VARIANT(null, crash) = {
    .summary = "segmentation fault on the host",
    .expect = SG_CRASH,
    .launch = launch,
};
