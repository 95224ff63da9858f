/*
 * null/crash - it brings its process down with a segmentation fault.
 */
#include "null.h"

static void launch(const struct sg_launch *l)
{
    (void)l;
    volatile uintptr_t unmapped = sizeof(int); /* volatile, or the compiler sees through it */
    *(volatile int *)unmapped = 1;
}

SG_VARIANT(null, crash) = {
    .summary = "segmentation fault on the host",
    .expect = SG_CRASH,
    .launch = launch,
};
