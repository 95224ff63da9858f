/*
 * bsr_gemm/cusparse - the vendor's sparse kernel: cuSPARSE's generic SpMM of a matrix in BSR
 * (CUSPARSE_SPMM_BSR_ALG1), f16, fp32 sums.
 *
 * Blocks and dense matrices are row-major, as ours are. The library knows whole blocks only, so a
 * ragged m or k is refused, and so is a matrix without blocks; whether it takes f16 in blocks of
 * 128 is the library's to say: what it refuses is `unsupported` with its words. Descriptors and the
 * workspace are made once; the library reads row_ptr, columns and values in each launch.
 */
#include <cusparse.h>
#include <stdio.h>

#include "bsr_pattern.h"
#include "solgate_vendor.h"

#define LIBRARY "libcusparse.so." SG_TEXT(CUSPARSE_VER_MAJOR)

/* The library and what we call of it, by the types of its own header. */
struct vendor : sg_vendor {
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t b, d;
    decltype(&cusparseCreate) create;
    decltype(&cusparseDestroy) destroy;
    decltype(&cusparseSetStream) set_stream;
    decltype(&cusparseCreateBsr) create_bsr;
    decltype(&cusparseDestroySpMat) destroy_sparse;
    decltype(&cusparseCreateDnMat) create_dense;
    decltype(&cusparseDestroyDnMat) destroy_dense;
    decltype(&cusparseSpMM_bufferSize) workspace_bytes;
    decltype(&cusparseSpMM) multiply;
    decltype(&cusparseGetErrorString) text;

    bool find_all(struct sg_reason *why);
    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down();
};

bool vendor::find_all(struct sg_reason *why)
{
    return find("cusparseCreate", &create, why) && find("cusparseDestroy", &destroy, why) &&
           find("cusparseSetStream", &set_stream, why) &&
           find("cusparseCreateBsr", &create_bsr, why) &&
           find("cusparseDestroySpMat", &destroy_sparse, why) &&
           find("cusparseCreateDnMat", &create_dense, why) &&
           find("cusparseDestroyDnMat", &destroy_dense, why) &&
           find("cusparseSpMM_bufferSize", &workspace_bytes, why) &&
           find("cusparseSpMM", &multiply, why) && find("cusparseGetErrorString", &text, why);
}

static cusparseStatus_t start_multiply(const struct vendor *v)
{
    const float one = 1, zero = 0;
    return v->multiply(v->handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                       CUSPARSE_OPERATION_NON_TRANSPOSE, &one, v->a, v->b, &zero, v->d, CUDA_R_32F,
                       CUSPARSE_SPMM_BSR_ALG1, v->workspace);
}

/* The three matrices. */
static cusparseStatus_t describe(struct vendor *v, const struct sg_launch *l)
{
    const struct sg_case *c = l->c;
    struct bsr_counts counts;
    bsr_count(c, &counts);
    cusparseStatus_t status = v->create_bsr(
        &v->a, bsr_block_rows(c), bsr_block_columns(c), counts.blocks, BSR_BLOCK, BSR_BLOCK,
        l->buffer[BSR_ROW_PTR], l->buffer[BSR_COL], l->buffer[BSR_A], CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_16F, CUSPARSE_ORDER_ROW);
    if (status == CUSPARSE_STATUS_SUCCESS)
        status = v->create_dense(&v->b, c->dim[BSR_K], c->dim[BSR_N], c->dim[BSR_N],
                                 l->buffer[BSR_B], CUDA_R_16F, CUSPARSE_ORDER_ROW);
    if (status == CUSPARSE_STATUS_SUCCESS)
        status = v->create_dense(&v->d, c->dim[BSR_M], c->dim[BSR_N], c->dim[BSR_N],
                                 l->buffer[BSR_D], CUDA_R_16F, CUSPARSE_ORDER_ROW);
    return status;
}

void vendor::tear_down()
{
    if (a)
        destroy_sparse(a);
    for (cusparseDnMatDescr_t matrix : {b, d})
        if (matrix)
            destroy_dense(matrix);
    if (handle)
        destroy(handle);
    close();
}

static enum sg_status refused(const struct vendor *v, const char *call, cusparseStatus_t status,
                              struct sg_reason *why)
{
    snprintf(why->text, sizeof(why->text), "cuSPARSE: %s: %s", call, v->text(status));
    cudaGetLastError(); /* of a call that the library refused: it is not the kernel's */
    return status == CUSPARSE_STATUS_ALLOC_FAILED ? SG_OOM : SG_UNSUPPORTED;
}

/* The first call loads the library's kernels, and is the only one whose answer
 * is looked at: so it is made here. */
enum sg_status vendor::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    const float one = 1, zero = 0;
    size_t bytes = 0;
    if (!open(LIBRARY, why) || !find_all(why))
        return SG_UNAVAILABLE;
    cusparseStatus_t status = create(&handle);
    if (status == CUSPARSE_STATUS_SUCCESS)
        status = set_stream(handle, (cudaStream_t)l->stream);
    if (status != CUSPARSE_STATUS_SUCCESS)
        return refused(this, "set-up", status, why);
    status = describe(this, l);
    if (status != CUSPARSE_STATUS_SUCCESS)
        return refused(this, "matrices of f16, A in BSR of 128x128", status, why);
    status =
        workspace_bytes(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
                        &one, a, b, &zero, d, CUDA_R_32F, CUSPARSE_SPMM_BSR_ALG1, &bytes);
    if (status != CUSPARSE_STATUS_SUCCESS)
        return refused(this, "SpMM_bufferSize", status, why);
    const enum sg_status allocated = bytes > 0 ? sg_cuda_allocate(&workspace, bytes, why) : SG_OK;
    if (allocated != SG_OK)
        return allocated;
    status = start_multiply(this);
    return status == CUSPARSE_STATUS_SUCCESS ? SG_OK : refused(this, "SpMM", status, why);
}

static void launch(const struct sg_launch *l)
{
    start_multiply((const struct vendor *)l->state);
}

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    if (!bsr_check_aligned(c, why))
        return false;
    struct bsr_counts counts;
    bsr_count(c, &counts);
    if (c->dim[BSR_M] % BSR_BLOCK > 0)
        return bsr_refuse(why, "m", c->dim[BSR_M], "whole blocks of 128: cuSPARSE knows no others");
    if (c->dim[BSR_K] % BSR_BLOCK > 0)
        return bsr_refuse(why, "k", c->dim[BSR_K], "whole blocks of 128: cuSPARSE knows no others");
    return counts.blocks > 0 || bsr_refuse(why, "number of blocks", 0, "1 or more");
}

SG_VARIANT(bsr_gemm, cusparse) = {
    .summary = "cuSPARSE: generic SpMM of a BSR matrix",
    .role = SG_VENDOR,
    .supports = supports,
    .prepare = sg_prepare_state<vendor>,
    .launch = launch,
    .finish = sg_finish_state<vendor>,
};
