/*
 * util/dynlib.h - opens a shared library at run time and binds a table of its functions.
 *
 * The worker does not link CUDA, CUPTI or NVML, because it must report a missing library in words.
 * Searches the loader's path, then $CUDA_HOME, $CUDA_PATH and the toolkit's default folder. In each
 * of these it searches lib64, extras/CUPTI/lib64, lib and targets/x86_64-linux/lib. Invariant:
 * after sg_dynlib_bind returns SG_SUCCESS, every pointer of the table is set.
 */
#pragma once

#include "util/err.h"

struct sg_symbol {
    const char *name;
    size_t offset; /* offset of the function pointer in the table struct */
};

/* file_names: NULL-terminated, tried in order in each folder. SG_INVALID names the files and the
 * loader's last error. */
enum sg_code sg_dynlib_open(const char *const *file_names, void **library, struct sg_err *err);
/* SG_INVALID names the first function that the library lacks, because it is older than solgate
 * needs. */
enum sg_code sg_dynlib_bind(void *library, const char *library_name,
                            const struct sg_symbol *symbols, size_t count, void *table,
                            struct sg_err *err);
/* The file of the library; borrowed, valid while the library is open. */
const char *sg_dynlib_path(void *library);
#define SG_TOOLKIT_PLACES 3
/* a folder of the list above, in order; NULL: its variable is not set */
const char *sg_toolkit_place(size_t index);
void sg_dynlib_close(void *library); /* accepts NULL */
