/*
 * device/cuda/driver.h - loads the CUDA driver API at run time: one table of the functions that
 * solgate calls, and errors in words.
 *
 * Invariant: struct sg_cuda is complete after sg_cuda_open, or sg_cuda_open failed with SG_NO_GPU
 * and the reason.
 */
#pragma once

#include <cuda.h>

#include "util/err.h"

/* field, symbol (with the version suffix that cuda.h hides), arguments; all return CUresult */
#define SG_CUDA_TABLE(X)                                                                     \
    X(init, "cuInit", (unsigned flags))                                                      \
    X(driver_version, "cuDriverGetVersion", (int *version))                                  \
    X(device_count, "cuDeviceGetCount", (int *count))                                        \
    X(device_get, "cuDeviceGet", (CUdevice * device, int index))                             \
    X(device_name, "cuDeviceGetName", (char *name, int length, CUdevice device))             \
    X(device_uuid, "cuDeviceGetUuid_v2", (CUuuid * uuid, CUdevice device))                   \
    X(device_pci_id, "cuDeviceGetPCIBusId", (char *id, int length, CUdevice device))         \
    X(device_attribute, "cuDeviceGetAttribute",                                              \
      (int *value, CUdevice_attribute attribute, CUdevice device))                           \
    X(primary_retain, "cuDevicePrimaryCtxRetain", (CUcontext * context, CUdevice device))    \
    X(primary_release, "cuDevicePrimaryCtxRelease_v2", (CUdevice device))                    \
    X(context_set, "cuCtxSetCurrent", (CUcontext context))                                   \
    X(context_synchronize, "cuCtxSynchronize", (void))                                       \
    X(context_reset_l2, "cuCtxResetPersistingL2Cache", (void))                               \
    X(context_limit, "cuCtxGetLimit", (size_t * value, CUlimit limit))                       \
    X(context_set_limit, "cuCtxSetLimit", (CUlimit limit, size_t value))                     \
    X(context_cache, "cuCtxGetCacheConfig", (CUfunc_cache * preference))                     \
    X(context_set_cache, "cuCtxSetCacheConfig", (CUfunc_cache preference))                   \
    X(stream_create, "cuStreamCreate", (CUstream * stream, unsigned flags))                  \
    X(stream_destroy, "cuStreamDestroy_v2", (CUstream stream))                               \
    X(stream_set_attribute, "cuStreamSetAttribute",                                          \
      (CUstream stream, CUstreamAttrID attribute, const CUstreamAttrValue *value))           \
    X(stream_synchronize, "cuStreamSynchronize", (CUstream stream))                          \
    X(memory_alloc, "cuMemAlloc_v2", (CUdeviceptr * memory, size_t bytes))                   \
    X(memory_free, "cuMemFree_v2", (CUdeviceptr memory))                                     \
    X(memory_info, "cuMemGetInfo_v2", (size_t * left, size_t * all))                         \
    X(upload, "cuMemcpyHtoD_v2", (CUdeviceptr to, const void *from, size_t bytes))           \
    X(download, "cuMemcpyDtoH_v2", (void *to, CUdeviceptr from, size_t bytes))               \
    X(copy_async, "cuMemcpyDtoDAsync_v2",                                                    \
      (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                     \
    X(fill32_async, "cuMemsetD32Async",                                                      \
      (CUdeviceptr to, unsigned pattern, size_t words, CUstream stream))                     \
    X(event_create, "cuEventCreate", (CUevent * event, unsigned flags))                      \
    X(event_record, "cuEventRecord", (CUevent event, CUstream stream))                       \
    X(event_elapsed, "cuEventElapsedTime_v2", (float *ms, CUevent start, CUevent end))       \
    X(module_load, "cuModuleLoadData", (CUmodule * module, const void *image))               \
    X(module_function, "cuModuleGetFunction",                                                \
      (CUfunction * function, CUmodule module, const char *name))                            \
    X(launch, "cuLaunchKernel",                                                              \
      (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
       unsigned bz, unsigned shared, CUstream stream, void **arguments, void **extra))       \
    X(function_attribute, "cuFuncGetAttribute",                                              \
      (int *value, CUfunction_attribute attribute, CUfunction function))                     \
    X(function_name, "cuFuncGetName", (const char **name, CUfunction function))              \
    X(kernel_function, "cuKernelGetFunction", (CUfunction * function, CUkernel kernel))      \
    X(occupancy_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                       \
      (int *blocks, CUfunction function, int block_threads, size_t shared_bytes))            \
    X(error_name, "cuGetErrorName", (CUresult result, const char **text))                    \
    X(error_text, "cuGetErrorString", (CUresult result, const char **text))

struct sg_cuda {
    void *library;
#define X(field, symbol, arguments) CUresult(*field) arguments;
    SG_CUDA_TABLE(X)
#undef X
};

/* Makes the next call of a sequence if all earlier calls succeeded. */
#define SG_THEN(result, call)         \
    do {                              \
        if ((result) == CUDA_SUCCESS) \
            (result) = (call);        \
    } while (0)

/* Loads libcuda and initialises it. SG_NO_GPU with the remedy: no driver, no device, or the
 * driver refuses. */
enum sg_code sg_cuda_open(struct sg_cuda *cuda, struct sg_err *err);
void sg_cuda_close(struct sg_cuda *cuda);

/* "700 CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered" */
void sg_cuda_words(const struct sg_cuda *cuda, CUresult result, struct sg_reason *why);
/* Returns SG_SUCCESS for CUDA_SUCCESS, otherwise SG_INVALID with the call and the driver's error
 * text. */
enum sg_code sg_cuda_check(const struct sg_cuda *cuda, CUresult result, const char *call,
                           struct sg_err *err);
