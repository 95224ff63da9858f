/*
 * builds/module_images.h - what a module's device code was built for, read from the
 * bytes of its file; nothing is loaded.
 *
 * Pure. It is the string `images` of sg_module (solgate_kernel.h), found by its form: words sm_N
 * and compute_N with blanks between.
 */
#pragma once

#include "util/text.h"

/* Appends the longest such string; nothing where there is none, as
 * in a module without device code. */
void sg_module_images(const char *bytes, size_t count, struct sg_text *images);
