/*
 * group_gemm/cublas_grouped - the vendor's grouped call:
 * cublasGemmGroupedBatchedEx, a group of one product each.
 *
 * It knows neither that all groups share n and k nor how they lie: pointers to the operands are
 * read from device memory. Expect kernels of an older kind than those of cublaslt_graph; the
 * library chooses them, and there is nothing to choose from. It takes no scales.
 */
#include "../matvec/cublas_library.h"
#include "group_launch.h"
#include "group_products.h"

#define WORKSPACE_BYTES (size_t(64) << 20)

struct vendor : cublas_library {
    decltype(&cublasGemmGroupedBatchedEx) multiply;
    int count;
    /* Of the library's column-major view, in which its first operand is our B. */
    cublasOperation_t first_is[GROUP_MOST], second_is[GROUP_MOST];
    int rows[GROUP_MOST], columns[GROUP_MOST], depth[GROUP_MOST], each[GROUP_MOST];
    float one[GROUP_MOST], zero[GROUP_MOST];
    void **operands; /* on the device: GROUP_MOST pointers each to B, A, D */

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down()
    {
        cudaFree(operands);
        cublas_library::tear_down();
    }
};

static enum sg_status describe(struct vendor *v, const struct sg_launch *l, struct sg_reason *why)
{
    struct group_products products;
    void *pointers[3][GROUP_MOST] = {};
    group_products_init(&products, l);
    v->count = products.count;
    for (int i = 0; i < v->count; i++) {
        const struct group_product *product = &products.of[i];
        v->first_is[i] = CUBLAS_OP_T;
        v->second_is[i] = CUBLAS_OP_N;
        v->rows[i] = (int)product->c.dim[GEMM_N];
        v->columns[i] = (int)product->c.dim[GEMM_M];
        v->depth[i] = (int)product->c.dim[GEMM_K];
        v->each[i] = 1;
        v->one[i] = 1;
        pointers[0][i] = product->buffer[GEMM_B];
        pointers[1][i] = product->buffer[GEMM_A];
        pointers[2][i] = product->buffer[GEMM_D];
    }
    const enum sg_status status = sg_cuda_allocate((void **)&v->operands, sizeof(pointers), why);
    if (status == SG_OK &&
        cudaMemcpy(v->operands, pointers, sizeof(pointers), cudaMemcpyHostToDevice) != cudaSuccess)
        return sg_cuda_refused(why);
    return status;
}

static cublasStatus_t start_multiply(const struct vendor *v)
{
    return v->multiply(v->handle, v->first_is, v->second_is, v->rows, v->columns, v->depth, v->one,
                       (const void *const *)v->operands, CUDA_R_16BF, v->depth,
                       (const void *const *)(v->operands + GROUP_MOST), CUDA_R_16BF, v->depth,
                       v->zero, v->operands + 2 * GROUP_MOST, CUDA_R_16BF, v->rows, v->count,
                       v->each, CUBLAS_COMPUTE_32F);
}

/* The first call loads the library's kernels, and is the only one whose answer
 * is looked at: so it is made here. */
enum sg_status vendor::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    int number = 0;
    enum sg_status status = open_with(WORKSPACE_BYTES, why);
    if (status == SG_OK && !find("cublasGemmGroupedBatchedEx", &multiply, why))
        status = SG_UNAVAILABLE;
    if (status == SG_OK)
        status = describe(this, l, why);
    if (status != SG_OK)
        return status;
    cublasStatus_t answer = begin((cudaStream_t)l->stream, WORKSPACE_BYTES);
    if (answer == CUBLAS_STATUS_SUCCESS)
        answer = start_multiply(this);
    if (answer == CUBLAS_STATUS_SUCCESS)
        answer = version(handle, &number);
    snprintf(why->text, sizeof(why->text), "cuBLAS %d: its own choice", number);
    return outcome(answer, why);
}

static void launch(const struct sg_launch *l)
{
    start_multiply((const struct vendor *)l->state);
}

static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    if (!group_supports(c, why))
        return false;
    if (!gemm_has_scales(c))
        return true;
    snprintf(why->text, sizeof(why->text), "for bf16: cublasGemmGroupedBatchedEx takes no scales");
    return false;
}

SG_VARIANT(group_gemm, cublas_grouped) = {
    .summary = "cublasGemmGroupedBatchedEx, a group for each product",
    .role = SG_VENDOR,
    .supports = supports,
    .prepare = sg_prepare_state<vendor>,
    .launch = launch,
    .finish = sg_finish_state<vendor>,
};
