/*
 * util/dynlib.h - a shared library opened at run time, and a table of its functions.
 *
 * The worker links neither CUDA nor CUPTI nor NVML: a machine without one of them must
 * still say what is missing, in words.
 * Searched: the loader's path, then $CUDA_HOME and $CUDA_PATH, then the toolkit's usual
 * folder, in lib64, lib, extras/CUPTI/lib64. Invariant: after sg_dynlib_bind returned
 * SG_SUCCESS every pointer of the table is set.
 */
#pragma once

#include "util/err.h"

struct sg_symbol {
    const char *name;
    size_t offset; /* of the function pointer in the table struct */
};

/* file_names: NULL-terminated, tried in order in each folder. SG_INVALID names what was
 * looked for and the loader's last word. */
enum sg_code sg_dynlib_open(const char *const *file_names, void **library, struct sg_err *err);
/* SG_INVALID names the first function that the library lacks: it is older
 * than what solgate was built for. */
enum sg_code sg_dynlib_bind(void *library, const char *library_name, const struct sg_symbol *symbols, size_t count, void *table,
                            struct sg_err *err);
/* The file that it was loaded from; borrowed, as long as it is open. */
const char *sg_dynlib_path(void *library);
#define SG_TOOLKIT_PLACES 3
const char *sg_toolkit_place(size_t index); /* of those above, in their order; NULL: that variable is not set */
void sg_dynlib_close(void *library);        /* NULL is fine */
