/*
 * exec/readable_name.h - the symbol of a kernel as a word for people, and as a key. Pure.
 *
 * "_ZN2at6native12copy_kernelILi4EEEvi" is at::native::copy_kernel; what CuTe DSL writes of its
 * layouts and where objects are, and the running numbers of Inductor and XLA, are left out, for
 * they differ from build to build. All else stays: a kernel is shown shorter and never renamed.
 */
#pragma once

#include "util/text.h"

void sg_add_readable_name(struct sg_text *out, const char *symbol);
/* All of it but the files and hashes that nvcc writes for nameless namespaces and internal linkage:
 * they change with each edit. */
void sg_add_stable_symbol(struct sg_text *out, const char *symbol);
