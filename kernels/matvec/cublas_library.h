/*
 * cublas_library.h - cuBLAS as its variants use it: the library, a handle in the
 * launches' stream, and a workspace.
 *
 * Invariant: nothing here is called in a launch.
 */
#ifndef CUBLAS_LIBRARY_H
#define CUBLAS_LIBRARY_H

#include <cublas_v2.h>

#include "solgate_vendor.h"

#define CUBLAS_LIBRARY "libcublas.so." SG_TEXT(CUBLAS_VER_MAJOR)

/* The library, and what each variant calls of it, by the types of its own header. */
struct cublas_library : sg_vendor {
    cublasHandle_t handle;
    decltype(&cublasCreate_v2) create;
    decltype(&cublasDestroy_v2) destroy;
    decltype(&cublasSetStream_v2) set_stream;
    decltype(&cublasSetWorkspace_v2) set_workspace;
    decltype(&cublasGetVersion_v2) version;
    decltype(&cublasGetStatusString) text;

    /* Opened, with a workspace of so many bytes; the variant finds its own functions behind it. */
    enum sg_status open_with(size_t bytes, struct sg_reason *why)
    {
        if (!open(CUBLAS_LIBRARY, why) || !find("cublasCreate_v2", &create, why) ||
            !find("cublasDestroy_v2", &destroy, why) ||
            !find("cublasSetStream_v2", &set_stream, why) ||
            !find("cublasSetWorkspace_v2", &set_workspace, why) ||
            !find("cublasGetVersion_v2", &version, why) ||
            !find("cublasGetStatusString", &text, why))
            return SG_UNAVAILABLE;
        return sg_cuda_allocate(&workspace, bytes, why);
    }
    cublasStatus_t begin(cudaStream_t stream, size_t bytes)
    {
        cublasStatus_t status = create(&handle);
        if (status == CUBLAS_STATUS_SUCCESS)
            status = set_stream(handle, stream);
        return status == CUBLAS_STATUS_SUCCESS ? set_workspace(handle, workspace, bytes) : status;
    }
    /* What the last call came to, with its words in *why unless that is SG_OK. */
    enum sg_status outcome(cublasStatus_t status, struct sg_reason *why) const
    {
        if (status == CUBLAS_STATUS_SUCCESS)
            return SG_OK;
        int number = 0;
        if (handle)
            version(handle, &number);
        snprintf(why->text, sizeof(why->text), "cuBLAS %d: %s", number, text(status));
        return status == CUBLAS_STATUS_ALLOC_FAILED ? SG_OOM : SG_UNSUPPORTED;
    }
    void tear_down()
    {
        if (handle)
            destroy(handle);
        close();
    }
};

#endif
