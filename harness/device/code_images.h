/*
 * device/code_images.h - can a GPU run what a module was built for? Decided from
 * words, so that it needs neither.
 *
 * The rules are those of the CUDA C++ Programming Guide, "Binary Compatibility" and "PTX
 * Compatibility". Machine code (sm_XY) runs on GPUs of its major compute capability from its
 * minor one on; PTX (compute_XY) on those of its compute capability or a later one. What is
 * architecture-specific (a letter a) runs only on that one; what is family-specific (f)
 * counts as machine code does, PTX too.
 */
#pragma once

#include "solgate_kernel.h"

/*
 * Do `images`, those of sg_module, hold one for a GPU of this compute capability (10 times major
 * plus minor: 90, 120)? True too where nothing is known of either: NULL or "", and 0.
 */
bool sg_images_run_on(const char *images, int capability);

/* The same of a module, which is NULL for none; false with the reason, and what to do about it. */
bool sg_module_runs_on(const struct sg_module *module, int capability, struct sg_reason *why);
