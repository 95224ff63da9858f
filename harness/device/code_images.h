/*
 * device/code_images.h - whether a GPU can run the code of a module. Decided from text, without the
 * GPU and without the module.
 *
 * The rules are those of the CUDA C++ Programming Guide, "Binary Compatibility" and "PTX
 * Compatibility". Machine code (sm_XY) runs on GPUs of the same major compute capability with at
 * least its minor one. PTX (compute_XY) runs on its compute capability and later ones.
 * Architecture-specific code (suffix a) runs only on its capability. Family-specific code (suffix
 * f) follows the rule of machine code, PTX too.
 */
#pragma once

#include "solgate_kernel.h"

/* Returns true if `images`, as in sg_module, include code for a GPU of this compute capability
 * (10 times major plus minor: 90, 120). Also true if either is unknown: NULL or "", and 0. */
bool sg_images_run_on(const char *images, int capability);

/* The same for a module, which may be NULL. If false, `why` has the reason and the remedy. */
bool sg_module_runs_on(const struct sg_module *module, int capability, struct sg_reason *why);
