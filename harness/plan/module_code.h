/*
 * plan/module_code.h - do two module files hold the same code? Read from the files (ELF, 64 bits,
 * little-endian), nothing is loaded.
 *
 * Device code is what stands in the sections that nvcc embeds (.nv_fatbin, __nv_relfatbin): the
 * machine code of all kernels of a file. Invariant: two files are called the same only when
 * every byte that was looked at is.
 * A file without such sections (the null family) is the same as
 * another only when the whole file is.
 */
#ifndef SG_PLAN_MODULE_CODE_H
#define SG_PLAN_MODULE_CODE_H

#include "util/text.h"

/* SG_BAD_INPUT when one of them is no module file, or is damaged. */
enum sg_code sg_same_code(const char *path, const char *other, bool *same, struct sg_err *err);

#endif
