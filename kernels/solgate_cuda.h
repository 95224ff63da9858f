/*
 * solgate_cuda.h - for families of CUDA kernels: the `last_error` that each of them needs, as each
 * module has a CUDA runtime of its own; and how a vendor's variant finds its library, which a
 * machine need not have, and its workspace.
 *
 * Invariant: all is inline, so that it asks the runtime of the module that includes it.
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

/* 0, or the number of the last error, which it clears, with its name and text in *why. */
static inline int sg_cuda_last_error(struct sg_reason *why)
{
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        snprintf(why->text, sizeof(why->text), "%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
    return (int)error;
}

/* For a `prepare`: the outcome of the call that just failed, its error in *why. */
static inline enum sg_status sg_cuda_refused(struct sg_reason *why)
{
    const int error = sg_cuda_last_error(why);
    return error != 0 ? sg_cuda_status(error, SG_LAUNCH_FAILED) : SG_LAUNCH_FAILED; /* the driver's calls leave none there */
}

/* A library of the toolkit by its file's name, as dlopen gives it: on the loader path, else in
 * CUDA_HOME. NULL with the reason in *why. */
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
        snprintf(why->text, sizeof(why->text), "no %.50s on the loader path or in lib64 and lib of CUDA_HOME (%.100s)", file,
                 home ? home : "not set");
    return library;
}

/* A function of the library that `file` names, for the caller to
 * cast; NULL with the reason in *why. */
static inline void *sg_cuda_function(void *library, const char *file, const char *name, struct sg_reason *why)
{
    void *function = dlsym(library, name);
    if (!function)
        snprintf(why->text, sizeof(why->text), "%.50s has no %.100s", file, name);
    return function;
}

/* Device memory of a variant's own, which its `finish` frees: SG_OK; or SG_OOM,
 * SG_UNAVAILABLE, with the reason in *why. */
static inline enum sg_status sg_cuda_allocate(void **memory, size_t bytes, struct sg_reason *why)
{
    const cudaError_t error = cudaMalloc(memory, bytes);
    if (error == cudaSuccess)
        return SG_OK;
    sg_cuda_last_error(why);
    return sg_cuda_status((int)error, SG_UNAVAILABLE);
}

#endif
