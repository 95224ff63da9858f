/*
 * group_gemm/cublas_grouped - the vendor's grouped call: cublasGemmGroupedBatchedEx, a group of one product each.
 *
 * It knows neither that all groups share n and k nor how they lie: pointers to the operands are read from device memory. Expect kernels of
 * an older kind than those of cublaslt_graph; the library chooses them, and there is nothing to choose from. It takes no scales.
 */
#include <cublas_v2.h>

#include "group_launch.h"
#include "group_products.h"
#include "solgate_cuda.h"

#define WORKSPACE_BYTES (size_t(64) << 20)
#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
#define LIBRARY         "libcublas.so." TEXT(CUBLAS_VER_MAJOR)

struct vendor {
    void *library, *workspace;
    cublasHandle_t handle;
    decltype(&cublasCreate_v2) create;
    decltype(&cublasDestroy_v2) destroy;
    decltype(&cublasSetStream_v2) set_stream;
    decltype(&cublasSetWorkspace_v2) set_workspace;
    decltype(&cublasGetVersion_v2) version;
    decltype(&cublasGemmGroupedBatchedEx) multiply;
    decltype(&cublasGetStatusString) text;
    int count;
    /* Of the library's column-major view, in which its first operand is our B. */
    cublasOperation_t first_is[GROUP_MOST], second_is[GROUP_MOST];
    int rows[GROUP_MOST], columns[GROUP_MOST], depth[GROUP_MOST], each[GROUP_MOST];
    float one[GROUP_MOST], zero[GROUP_MOST];
    void **operands; /* on the device: GROUP_MOST pointers each to B, A, D */
};

template <typename Function> static bool find(const struct vendor *v, const char *name, Function *function, struct sg_reason *why)
{
    *function = (Function)sg_cuda_function(v->library, LIBRARY, name, why);
    return *function != nullptr;
}

static bool find_all(struct vendor *v, struct sg_reason *why)
{
    return find(v, "cublasCreate_v2", &v->create, why) && find(v, "cublasDestroy_v2", &v->destroy, why) &&
           find(v, "cublasSetStream_v2", &v->set_stream, why) && find(v, "cublasSetWorkspace_v2", &v->set_workspace, why) &&
           find(v, "cublasGetVersion_v2", &v->version, why) && find(v, "cublasGemmGroupedBatchedEx", &v->multiply, why) &&
           find(v, "cublasGetStatusString", &v->text, why);
}

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
    if (status == SG_OK && cudaMemcpy(v->operands, pointers, sizeof(pointers), cudaMemcpyHostToDevice) != cudaSuccess)
        return sg_cuda_refused(why);
    return status;
}

static cublasStatus_t multiply(const struct vendor *v)
{
    return v->multiply(v->handle, v->first_is, v->second_is, v->rows, v->columns, v->depth, v->one, (const void *const *)v->operands,
                       CUDA_R_16BF, v->depth, (const void *const *)(v->operands + GROUP_MOST), CUDA_R_16BF, v->depth, v->zero,
                       v->operands + 2 * GROUP_MOST, CUDA_R_16BF, v->rows, v->count, v->each, CUBLAS_COMPUTE_32F);
}

/* The first call loads the library's kernels, and is the only one whose answer anybody looks at: so it is made here. */
static cublasStatus_t try_it(struct vendor *v, const struct sg_launch *l, struct sg_reason *why)
{
    int version = 0;
    cublasStatus_t status = v->create(&v->handle);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = v->set_stream(v->handle, (cudaStream_t)l->stream);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = v->set_workspace(v->handle, v->workspace, WORKSPACE_BYTES);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = multiply(v);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = v->version(v->handle, &version);
    snprintf(why->text, sizeof(why->text), "cuBLAS %d: %s", version, status == CUBLAS_STATUS_SUCCESS ? "its own choice" : v->text(status));
    return status;
}

static void finish(void *state)
{
    struct vendor *v = (struct vendor *)state;
    if (v->handle)
        v->destroy(v->handle);
    cudaFree(v->workspace);
    cudaFree(v->operands);
    if (v->library)
        dlclose(v->library);
    delete v;
}

static enum sg_status set_up(struct vendor *v, const struct sg_launch *l, struct sg_reason *why)
{
    v->library = sg_cuda_library(LIBRARY, why);
    if (!v->library || !find_all(v, why))
        return SG_UNAVAILABLE;
    enum sg_status status = sg_cuda_allocate(&v->workspace, WORKSPACE_BYTES, why);
    if (status == SG_OK)
        status = describe(v, l, why);
    if (status != SG_OK)
        return status;
    const cublasStatus_t answer = try_it(v, l, why);
    if (answer == CUBLAS_STATUS_SUCCESS)
        return SG_OK;
    return answer == CUBLAS_STATUS_ALLOC_FAILED ? SG_OOM : SG_UNSUPPORTED;
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
    multiply((const struct vendor *)l->state);
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
    .prepare = prepare,
    .launch = launch,
    .finish = finish,
};
