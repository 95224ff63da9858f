/*
 * solgate_cuda.h - helpers for families of CUDA kernels: `last_error`, which each family must
 * define, and loading of vendor libraries, which may be missing on a machine, and their workspaces.
 *
 * Invariant: every function is inline. Each module links its own CUDA runtime, so an inline
 * function asks the runtime of the module that includes this file.
 *
 *     SG_FAMILY(matvec) = { ..., .last_error = sg_cuda_last_error };
 */
#ifndef SOLGATE_CUDA_H
#define SOLGATE_CUDA_H

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "solgate_cuda_error.h"

/* Returns and clears the last runtime error: 0 for none, else its number, with its name and text in
 * *why. */
static inline int sg_cuda_last_error(struct sg_reason *why)
{
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        snprintf(why->text, sizeof(why->text), "%s: %s", cudaGetErrorName(error),
                 cudaGetErrorString(error));
    return (int)error;
}

/* Call this in `prepare` after a CUDA call failed. Returns the outcome of that call, with the error
 * in *why. */
static inline enum sg_status sg_cuda_refused(struct sg_reason *why)
{
    const int error = sg_cuda_last_error(why);
    return error != 0 ? sg_cuda_status(error, SG_LAUNCH_FAILED)
                      : SG_LAUNCH_FAILED; /* calls of the driver API leave no runtime error */
}

/* Opens a toolkit library by its file name: first on the loader path, then in CUDA_HOME. Returns
 * the handle of dlopen, or NULL with the reason in *why. */
static inline void *sg_cuda_library(const char *file, struct sg_reason *why)
{
    const char *home = getenv("CUDA_HOME");
    const char *folders[] = {"lib64", "lib"};
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; i < 2 && !library && home; i++) {
        char path[4096];
        const int length = snprintf(path, sizeof(path), "%s/%s/%s", home, folders[i], file);
        if (length > 0 && (size_t)length < sizeof(path))
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!library)
        snprintf(why->text, sizeof(why->text),
                 "no %.50s on the loader path or in lib64 and lib of CUDA_HOME (%.100s)", file,
                 home ? home : "not set");
    return library;
}

/* Looks up a function of `library`; `file` is the library's name for the message. The caller casts
 * the result. NULL: not found, with the reason in *why. */
static inline void *sg_cuda_function(void *library, const char *file, const char *name,
                                     struct sg_reason *why)
{
    void *function = dlsym(library, name);
    if (!function)
        snprintf(why->text, sizeof(why->text), "%.50s has no %.100s", file, name);
    return function;
}

/* Allocates device memory for a variant, which the variant's `finish` must free. Returns SG_OK, or
 * SG_OOM or SG_UNAVAILABLE with the reason in *why. */
static inline enum sg_status sg_cuda_allocate(void **memory, size_t bytes, struct sg_reason *why)
{
    const cudaError_t error = cudaMalloc(memory, bytes);
    if (error == cudaSuccess)
        return SG_OK;
    sg_cuda_last_error(why);
    return sg_cuda_status((int)error, SG_UNAVAILABLE);
}

#endif
