/*
 * exec/readable_name.h - a kernel's symbol as a readable name and as a stable key. Pure.
 *
 * "_ZN2at6native12copy_kernelILi4EEEvi" becomes at::native::copy_kernel. CuTe DSL's layouts and
 * object addresses and the running numbers of Inductor and XLA are dropped, because they differ
 * between builds. Everything else is kept: a name is shortened, never changed.
 */
#pragma once

#include "util/text.h"

void sg_add_readable_name(struct sg_text *out, const char *symbol);
/* Adds the symbol without the file names and hashes that nvcc writes for unnamed namespaces and
 * internal linkage, because these change with each edit. */
void sg_add_stable_symbol(struct sg_text *out, const char *symbol);
