/*
 * solgate_cuda.h - for families of CUDA kernels: the `last_error` that each of them needs, as each module has a CUDA runtime of its own.
 *
 * Invariant: it is inline, so that it asks the runtime of the module that includes it.
 *
 *     SG_FAMILY(matvec) = { ..., .last_error = sg_cuda_last_error };
 */
#ifndef SOLGATE_CUDA_H
#define SOLGATE_CUDA_H

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "solgate_kernel.h"

/* 0, or the number of the last error, which it clears, with its name and text in *why. */
static inline int sg_cuda_last_error(struct sg_why *why)
{
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess)
        snprintf(why->text, sizeof(why->text), "%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
    return (int)error;
}

#endif
