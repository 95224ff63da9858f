/*
 * adversary/cublas - the vendor: cublasSgemv.
 *
 * A row-major W is cuBLAS's column-major matrix, transposed. Without the library it is unavailable.
 * kernels/matvec/cublas.cu says more.
 */
#include <cublas_v2.h>
#include <dlfcn.h>
#include <stdio.h>

#include "adversary.h"
#include "solgate_cuda.h"

#define WORKSPACE_BYTES (32u << 20)
#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define LIBRARY         "libcublas.so." TEXT(CUBLAS_VER_MAJOR)

/* field, function without its suffix */
#define CUBLAS_TABLE(X)                     \
    X(create, cublasCreate_v2)              \
    X(destroy, cublasDestroy_v2)            \
    X(set_stream, cublasSetStream_v2)       \
    X(set_workspace, cublasSetWorkspace_v2) \
    X(sgemv, cublasSgemv_v2)

namespace
{
struct vendor : adversary {
    void *library;
    void *workspace;
    cublasHandle_t handle;
#define X(field, function) decltype(&function) field;
    CUBLAS_TABLE(X)
#undef X

    bool find(struct sg_reason *why);
    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down();
};
} // namespace

static cublasStatus_t multiply(const struct sg_launch *l, const struct vendor *v)
{
    const problem<float> p = adversary_problem(l);
    const float one = 1, zero = 0;
    return v->sgemv(v->handle, CUBLAS_OP_T, p.cols, (int)p.rows, &one, p.w, p.cols, p.x, 1, &zero, p.y, 1);
}

bool vendor::find(struct sg_reason *why)
{
    bool found = true;
#define X(field, function)                                                       \
    field = (decltype(field))sg_cuda_function(library, LIBRARY, #function, why); \
    found = found && field;
    CUBLAS_TABLE(X)
#undef X
    return found;
}

/* The first call loads the library's kernels, and is the only one whose answer anybody looks at. */
enum sg_status vendor::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    library = sg_cuda_library(LIBRARY, why);
    if (!library || !find(why))
        return SG_UNAVAILABLE;
    const enum sg_status allocated = sg_cuda_allocate(&workspace, WORKSPACE_BYTES, why);
    if (allocated != SG_OK)
        return allocated;
    const bool ready =
        create(&handle) == CUBLAS_STATUS_SUCCESS && set_stream(handle, adversary_stream(l, "cublas")) == CUBLAS_STATUS_SUCCESS &&
        set_workspace(handle, workspace, WORKSPACE_BYTES) == CUBLAS_STATUS_SUCCESS && multiply(l, this) == CUBLAS_STATUS_SUCCESS;
    if (!ready)
        snprintf(why->text, sizeof(why->text), "cuBLAS refuses to be set up, or this product");
    return ready ? SG_OK : SG_UNSUPPORTED;
}

void vendor::tear_down()
{
    if (handle)
        destroy(handle);
    cudaFree(workspace);
    if (library)
        dlclose(library);
}

static void launch(const struct sg_launch *l)
{
    multiply(l, (const struct vendor *)l->state);
}

SG_VARIANT(adversary, cublas) = {
    .summary = "honest: cublasSgemv",
    .role = SG_VENDOR,
    .deterministic = true,
    .prepare = adversary_prepare<vendor>,
    .launch = launch,
    .finish = adversary_finish<vendor>,
};
