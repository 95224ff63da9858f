/*
 * bsr_gemm/cublaslt_dense - the vendor's dense kernel: A is expanded to a dense
 * matrix, then cuBLASLt multiplies.
 *
 * Values and columns are inputs of each launch, so each launch expands them: its time has the
 * expansion in it, which writes all of A and reads its blocks, a few percent of the product where n
 * is thousands. Times do not depend on the density otherwise: where this row is faster than the
 * baseline, sparse has not paid yet. The product's algorithm is the fastest of those that the
 * library proposes, as in the dense family; the row `note` says which.
 */
#include "blockscaled_gemm/cublaslt.cuh"
#include "bsr_layout.h"
#include "bsr_pattern.h"

enum { THREADS = 256 };

/*
 * A block of A's expansion a thread block, of [block rows * 128][block columns * 128], which is
 * larger than A where A is ragged. Whoever has a block of the row looks whether it is the one of
 * this column; zeros where none has.
 */
static __global__ void __launch_bounds__(THREADS)
    expand(const float4 *values, const int32_t *row_ptr, const int32_t *col, float4 *dense)
{
    constexpr int eights = BSR_BLOCK / 8;
    __shared__ int found;
    if (threadIdx.x == 0)
        found = -1;
    __syncthreads();
    for (int block = row_ptr[blockIdx.y] + (int)threadIdx.x; block < row_ptr[blockIdx.y + 1];
         block += THREADS)
        if (col[block] == (int)blockIdx.x)
            found = block;
    __syncthreads();
    const int block = found;
    for (int i = threadIdx.x; i < BSR_BLOCK * eights; i += THREADS) {
        const int64_t row = (int64_t)blockIdx.y * BSR_BLOCK + i / eights;
        dense[(row * gridDim.x + blockIdx.x) * eights + i % eights] =
            block >= 0 ? values[(int64_t)block * BSR_BLOCK * eights + i] : float4{};
    }
}

/* The dense product as cublaslt.cuh knows it, and what it reads. */
struct dense_state {
    struct sg_case c;
    void *buffer[GEMM_BUFFERS];
    struct sg_launch launch;
    void *dense, *product; /* A; what lt_prepare made */

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down();
};

/* Ours is B[k][n], not B[n][k]: to the library n x k, as it is. A's rows are
 * as long as its blocks of columns. */
static cublasStatus_t describe_b(struct lt_vendor *v, const struct sg_launch *l)
{
    const struct lt_functions *call = &v->call;
    const uint64_t m = (uint64_t)l->c->dim[GEMM_M], n = (uint64_t)l->c->dim[GEMM_N],
                   k = (uint64_t)l->c->dim[GEMM_K];
    const cublasOperation_t as_it_is = CUBLAS_OP_N;
    call->matrix_destroy(v->a);
    call->matrix_destroy(v->b);
    v->a = v->b = nullptr;
    cublasStatus_t status =
        call->product_set(v->product, CUBLASLT_MATMUL_DESC_TRANSA, &as_it_is, sizeof(as_it_is));
    if (status == CUBLAS_STATUS_SUCCESS)
        status = call->matrix_create(&v->b, CUDA_R_16F, n, k, (int64_t)n);
    if (status == CUBLAS_STATUS_SUCCESS)
        status =
            call->matrix_create(&v->a, CUDA_R_16F, k, m, bsr_blocks_of((int64_t)k) * BSR_BLOCK);
    return status;
}

enum sg_status dense_state::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    const struct sg_case *of = l->c;
    const size_t elements =
        (size_t)bsr_block_rows(of) * (size_t)bsr_block_columns(of) * BSR_BLOCK * BSR_BLOCK;
    const enum sg_status status = sg_cuda_allocate(&dense, elements * sizeof(uint16_t), why);
    c = {
        .name = of->name, .dim = {of->dim[BSR_M], of->dim[BSR_N], of->dim[BSR_K]}, .dtype = SG_F16};
    buffer[GEMM_A] = dense;
    buffer[GEMM_B] = l->buffer[BSR_B];
    buffer[GEMM_D] = l->buffer[BSR_D];
    launch = *l;
    launch.c = &c;
    launch.buffer = buffer;
    return status == SG_OK ? lt_prepare(&launch, describe_b, nullptr, &product, why) : status;
}

void dense_state::tear_down()
{
    if (product)
        lt_finish(product);
    cudaFree(dense);
}

static void launch(const struct sg_launch *l)
{
    struct dense_state *s = (struct dense_state *)l->state;
    const struct lt_vendor *v = (const struct lt_vendor *)s->product;
    const dim3 grid((unsigned)bsr_block_columns(l->c), (unsigned)bsr_block_rows(l->c));
    expand<<<grid, THREADS, 0, (cudaStream_t)l->stream>>>(
        (const float4 *)l->buffer[BSR_A], (const int32_t *)l->buffer[BSR_ROW_PTR],
        (const int32_t *)l->buffer[BSR_COL], (float4 *)s->dense);
    s->launch.stream = l->stream;
    lt_multiply(v, &s->launch, &v->algorithm);
}

/* What the gap table holds the sparse variants against: this one's time times the
 * share of the blocks that are there. */
static size_t facts(const struct sg_case *c, const int64_t *, struct sg_fact out[SG_MAX_FACTS])
{
    out[0] = {"density", "1", bsr_density(c), NULL};
    return 1;
}

SG_VARIANT(bsr_gemm, cublaslt_dense) = {
    .summary = "cuBLASLt on A made dense, which is part of the launch",
    .role = SG_VENDOR,
    .supports = bsr_check_aligned,
    .prepare = sg_prepare_state<dense_state>,
    .launch = launch,
    .finish = sg_finish_state<dense_state>,
    .facts = facts,
};
