/*
 * matvec/cublas - the vendor's kernel: cublasSgemv for f32, cublasGemmEx
 * with one column for bf16 (f32 out).
 *
 * A row-major W[rows][cols] is cuBLAS's column-major A[cols][rows], transposed. The library is
 * opened when the variant is prepared, so that a machine without it says `unavailable` and goes on;
 * handle and workspace are made there too, outside of the timed part.
 */
#include "cublas_library.h"
#include "matvec.h"

#define WORKSPACE_BYTES (32u << 20)

/* cublasGemmEx has a second declaration in C++, so its type must be spelt out. */
typedef cublasStatus_t gemm_function(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                     int, const void *, const void *, cudaDataType, int,
                                     const void *, cudaDataType, int, const void *, void *,
                                     cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);

struct vendor : cublas_library {
    decltype(&cublasSgemv_v2) sgemv;
    gemm_function *gemm;

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
};

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
        return v->sgemv(v->handle, CUBLAS_OP_T, cols, rows, &one, (const float *)w, cols,
                        (const float *)x, 1, &zero, y, 1);
    return v->gemm(v->handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, 1, cols, &one, w, CUDA_R_16BF, cols,
                   x, CUDA_R_16BF, cols, &zero, y, CUDA_R_32F, rows, CUBLAS_COMPUTE_32F,
                   CUBLAS_GEMM_DEFAULT);
}

/* The first call loads the library's kernels, and is the only one whose answer
 * is looked at: so it is made here. */
enum sg_status vendor::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    const enum sg_status opened = open_with(WORKSPACE_BYTES, why);
    if (opened != SG_OK)
        return opened;
    if (!find("cublasSgemv_v2", &sgemv, why) || !find("cublasGemmEx", &gemm, why))
        return SG_UNAVAILABLE;
    const cublasStatus_t status = begin((cudaStream_t)l->stream, WORKSPACE_BYTES);
    return outcome(status == CUBLAS_STATUS_SUCCESS ? multiply(l, this) : status, why);
}

static void launch(const struct sg_launch *l)
{
    multiply(l, (const struct vendor *)l->state);
}

SG_VARIANT(matvec, cublas) = {
    .summary = "cuBLAS: Sgemv for f32, GemmEx with one column for bf16",
    .role = SG_VENDOR,
    .deterministic = true,
    .prepare = sg_prepare_state<vendor>,
    .launch = launch,
    .finish = sg_finish_state<vendor>,
};
