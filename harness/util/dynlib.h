/*
 * util/dynlib.h - opens a shared library at run time and binds a table of its functions.
 *
 * The worker does not link CUDA, CUPTI or NVML, because it must report a missing library in words.
 * Searches the loader's path, then $CUDA_HOME, $CUDA_PATH and the toolkit's default folder: in each
 * of these lib64, extras/CUPTI/lib64, lib and targets/x86_64-linux/lib. Last come the folders
 * nvidia/NAME/lib of the Python into which solgate was installed: PyTorch brings CUPTI there.
 * Invariant: after sg_dynlib_bind returns SG_SUCCESS, every pointer of the table is set.
 */
#pragma once

#include "util/text.h"

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
/* a toolkit folder of the list above, in order; NULL: its variable is not set */
const char *sg_toolkit_place(size_t index);
/* Appends the path of the first such file below the folders of the list above. Returns false if
 * there is none. */
bool sg_toolkit_file(struct sg_text *path, const char *file_name);
void sg_dynlib_close(void *library); /* accepts NULL */
