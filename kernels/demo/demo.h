/*
 * demo.h - what the variants of the family demo share: z = 2 x + y on the host.
 *
 * The first thing to run without a GPU. Five kernels as one meets them, one a file, in two cases;
 * what they compute is real and checked, their times and counters are made up (family.c).
 */
#ifndef SG_DEMO_H
#define SG_DEMO_H

#include "solgate_kernel.h"

enum { DEMO_X, DEMO_Y, DEMO_Z };

void demo_launch(const struct sg_launch *l);

#define DEMO_VARIANT(name, ...) \
    SG_VARIANT(demo, name) = {.deterministic = true, .launch = demo_launch, __VA_ARGS__}

#endif
