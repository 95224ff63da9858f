/*
 * builds/module_images.h - the targets of a module's device code, read from the bytes of its file
 * without loading it.
 *
 * Pure. Finds the string `images` of sg_module (solgate_kernel.h) by its form: words sm_N and
 * compute_N separated by blanks.
 */
#pragma once

#include "util/text.h"

/* Appends the longest such string; nothing if there is none, as in a module without device code. */
void sg_module_images(const char *bytes, size_t count, struct sg_text *images);
