/*
 * solgate_cuda_error.h - maps a CUDA error number to an outcome. Pure, plain C, needs no CUDA
 * toolkit.
 *
 * The runtime and the driver use the same numbers for these errors. Invariant: out of memory, a
 * refused launch and a kernel fault are never confused. After a fault nothing more can run in the
 * process.
 */
#ifndef SOLGATE_CUDA_ERROR_H
#define SOLGATE_CUDA_ERROR_H

#include "solgate_kernel.h"

/* number, outcome, name in the driver */
#define SG_CUDA_ERROR_TABLE(X)                                         \
    X(0, SG_OK, "SUCCESS")                                             \
    X(2, SG_OOM, "OUT_OF_MEMORY")                                      \
    X(209, SG_UNSUPPORTED, "NO_BINARY_FOR_GPU")                        \
    X(214, SG_CUDA_ERROR, "ECC_UNCORRECTABLE")                         \
    X(222, SG_UNSUPPORTED, "UNSUPPORTED_PTX_VERSION: for this driver") \
    X(700, SG_CUDA_ERROR, "ILLEGAL_ADDRESS")                           \
    X(701, SG_LAUNCH_FAILED, "LAUNCH_OUT_OF_RESOURCES")                \
    X(702, SG_CUDA_ERROR, "LAUNCH_TIMEOUT")                            \
    X(709, SG_CUDA_ERROR, "CONTEXT_IS_DESTROYED")                      \
    X(710, SG_CUDA_ERROR, "ASSERT")                                    \
    X(714, SG_CUDA_ERROR, "HARDWARE_STACK_ERROR")                      \
    X(715, SG_CUDA_ERROR, "ILLEGAL_INSTRUCTION")                       \
    X(716, SG_CUDA_ERROR, "MISALIGNED_ADDRESS")                        \
    X(717, SG_CUDA_ERROR, "INVALID_ADDRESS_SPACE")                     \
    X(718, SG_CUDA_ERROR, "INVALID_PC")                                \
    X(719, SG_CUDA_ERROR, "LAUNCH_FAILED: the kernel, not its launch") \
    X(720, SG_LAUNCH_FAILED, "COOPERATIVE_LAUNCH_TOO_LARGE")

/* `otherwise` is the outcome of an error that the table does not list: SG_LAUNCH_FAILED at the
 * launch, SG_CUDA_ERROR at a synchronization. */
static inline enum sg_status sg_cuda_status(int error, enum sg_status otherwise)
{
    static const struct {
        int error;
        enum sg_status status;
    } known[] = {
#define X(number, status, name) {number, status},
        SG_CUDA_ERROR_TABLE(X)
#undef X
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].error == error)
            return known[i].status;
    return otherwise;
}

#endif
