/*
 * adversary_driver.h - the driver's functions that variants play tricks with, from the driver that
 * is loaded already: a module links no libcuda.
 */
#ifndef ADVERSARY_DRIVER_H
#define ADVERSARY_DRIVER_H

#include <cuda.h>

#include "adversary.h"

/* field, name without its suffix, version of the interface, arguments */
#define ADVERSARY_DRIVER_TABLE(X)                                                                        \
    X(context_create, "cuCtxCreate", 11000, (CUcontext * context, unsigned flags, CUdevice device))      \
    X(context_destroy, "cuCtxDestroy", 12000, (CUcontext context))                                       \
    X(context_push, "cuCtxPushCurrent", 12000, (CUcontext context))                                      \
    X(context_pop, "cuCtxPopCurrent", 12000, (CUcontext * context))                                      \
    X(context_get, "cuCtxGetCurrent", 12000, (CUcontext * context))                                      \
    X(context_set, "cuCtxSetCurrent", 12000, (CUcontext context))                                        \
    X(context_device, "cuCtxGetDevice", 12000, (CUdevice * device))                                      \
    X(context_synchronize, "cuCtxSynchronize", 12000, (void))                                            \
    X(memory_range, "cuMemGetAddressRange", 12000, (CUdeviceptr * base, size_t * bytes, CUdeviceptr at)) \
    X(copy_peer, "cuMemcpyPeer", 12000, (CUdeviceptr to, CUcontext there, CUdeviceptr from, CUcontext here, size_t bytes))

struct adversary_driver {
#define X(field, name, version, arguments) CUresult(*field) arguments;
    ADVERSARY_DRIVER_TABLE(X)
#undef X
};

/* SG_UNAVAILABLE with the name of what the driver lacks. */
enum sg_status adversary_find_driver(struct adversary_driver *driver, struct sg_reason *why);

#endif
