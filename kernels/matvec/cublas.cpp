/*
 * matvec/cublas - the vendor's kernel: cublasSgemv for f32, cublasGemmEx with one column for bf16 (f32 out).
 *
 * A row-major W[rows][cols] is cuBLAS's column-major A[cols][rows], transposed. The library is opened when the variant is prepared, so
 * that a machine without it says `unavailable` and goes on; handle and workspace are made there too, outside of the timed part.
 */
#include <cublas_v2.h>
#include <dlfcn.h>
#include <stdio.h>

#include "matvec.h"
#include "solgate_cuda.h"

#define WORKSPACE_BYTES (32u << 20)
#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define LIBRARY         "libcublas.so." TEXT(CUBLAS_VER_MAJOR)

/* cublasGemmEx has a second declaration in C++, so its type must be spelt out. */
typedef cublasStatus_t gemm_function(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void *, const void *,
                                     cudaDataType, int, const void *, cudaDataType, int, const void *, void *, cudaDataType, int,
                                     cublasComputeType_t, cublasGemmAlgo_t);

/* The library and what we call of it, by the types of its own header. */
struct vendor {
    void *library;
    void *workspace;
    cublasHandle_t handle;
    decltype(&cublasCreate_v2) create;
    decltype(&cublasDestroy_v2) destroy;
    decltype(&cublasSetStream_v2) set_stream;
    decltype(&cublasSetWorkspace_v2) set_workspace;
    decltype(&cublasSgemv_v2) sgemv;
    gemm_function *gemm;
    decltype(&cublasGetStatusString) text;
};

template <typename Function> static bool find(void *library, const char *name, Function *function, struct sg_reason *why)
{
    *function = (Function)sg_cuda_function(library, LIBRARY, name, why);
    return *function != nullptr;
}

static bool find_all(struct vendor *v, struct sg_reason *why)
{
    return find(v->library, "cublasCreate_v2", &v->create, why) && find(v->library, "cublasDestroy_v2", &v->destroy, why) &&
           find(v->library, "cublasSetStream_v2", &v->set_stream, why) &&
           find(v->library, "cublasSetWorkspace_v2", &v->set_workspace, why) && find(v->library, "cublasSgemv_v2", &v->sgemv, why) &&
           find(v->library, "cublasGemmEx", &v->gemm, why) && find(v->library, "cublasGetStatusString", &v->text, why);
}

static cublasStatus_t multiply(const struct sg_launch *l, const struct vendor *v)
{
    const int rows = (int)l->c->dim[MATVEC_ROWS];
    const int cols = (int)l->c->dim[MATVEC_COLS];
    const void *w = l->buffer[MATVEC_W];
    const void *x = l->buffer[MATVEC_X];
    float *y = (float *)l->buffer[MATVEC_Y];
    const float one = 1;
    const float zero = 0;
    if (l->c->dtype == SG_F32)
        return v->sgemv(v->handle, CUBLAS_OP_T, cols, rows, &one, (const float *)w, cols, (const float *)x, 1, &zero, y, 1);
    return v->gemm(v->handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, 1, cols, &one, w, CUDA_R_16BF, cols, x, CUDA_R_16BF, cols, &zero, y,
                   CUDA_R_32F, rows, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

static void finish(void *state)
{
    struct vendor *v = (struct vendor *)state;
    if (v->handle)
        v->destroy(v->handle);
    cudaFree(v->workspace);
    if (v->library)
        dlclose(v->library);
    delete v;
}

/* The first call loads the library's kernels, and is the only one whose answer anybody looks at: so it is made here. */
static enum sg_status set_up(struct vendor *v, const struct sg_launch *l, struct sg_reason *why)
{
    v->library = sg_cuda_library(LIBRARY, why);
    if (!v->library || !find_all(v, why))
        return SG_UNAVAILABLE;
    const enum sg_status allocated = sg_cuda_allocate(&v->workspace, WORKSPACE_BYTES, why);
    if (allocated != SG_OK)
        return allocated;
    cublasStatus_t status = v->create(&v->handle);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = v->set_stream(v->handle, (cudaStream_t)l->stream);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = v->set_workspace(v->handle, v->workspace, WORKSPACE_BYTES);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = multiply(l, v);
    if (status == CUBLAS_STATUS_SUCCESS)
        return SG_OK;
    snprintf(why->text, sizeof(why->text), "cuBLAS: %s", v->text(status));
    return status == CUBLAS_STATUS_ALLOC_FAILED ? SG_OOM : SG_UNSUPPORTED;
}

static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    struct vendor *v = new vendor{};
    const enum sg_status status = set_up(v, l, why);
    if (status == SG_OK)
        *state = v;
    else
        finish(v);
    return status;
}

static void launch(const struct sg_launch *l)
{
    multiply(l, (const struct vendor *)l->state);
}

SG_VARIANT(matvec, cublas) = {
    .summary = "cuBLAS: Sgemv for f32, GemmEx with one column for bf16",
    .role = SG_VENDOR,
    .deterministic = true,
    .prepare = prepare,
    .launch = launch,
    .finish = finish,
};
