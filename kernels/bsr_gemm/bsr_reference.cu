#include "bsr_reference.h"

#include <cuda_runtime.h>

#include "blockscaled_gemm/gemm_layout.h"
#include "blockscaled_gemm/gemm_reference.h"
#include "bsr_layout.h"

enum { THREADS = 256, SIDE = 32 };

/* A block row of A a grid row: its blocks one after the other, each element to its place. */
static __global__ void expand(const uint16_t *values, const int32_t *row_ptr, const int32_t *col,
                              uint16_t *dense, int64_t m, int64_t k)
{
    for (int b = row_ptr[blockIdx.x]; b < row_ptr[blockIdx.x + 1]; b++)
        for (int i = threadIdx.x; i < BSR_BLOCK * BSR_BLOCK; i += THREADS) {
            const int64_t row = (int64_t)blockIdx.x * BSR_BLOCK + i / BSR_BLOCK,
                          column = (int64_t)col[b] * BSR_BLOCK + i % BSR_BLOCK;
            if (row < m && column < k)
                dense[row * k + column] = values[(int64_t)b * BSR_BLOCK * BSR_BLOCK + i];
        }
}

static __global__ void transpose(const uint16_t *from, uint16_t *to, int64_t rows, int64_t columns)
{
    __shared__ uint16_t tile[SIDE][SIDE + 1];
    const int64_t row = (int64_t)blockIdx.y * SIDE, column = (int64_t)blockIdx.x * SIDE;
    if (row + threadIdx.y < rows && column + threadIdx.x < columns)
        tile[threadIdx.y][threadIdx.x] = from[(row + threadIdx.y) * columns + column + threadIdx.x];
    __syncthreads();
    if (column + threadIdx.y < columns && row + threadIdx.x < rows)
        to[(column + threadIdx.y) * rows + row + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

static void multiply(const struct sg_reference_request *request, const void *dense,
                     const void *transposed)
{
    const struct sg_case *c = request->c;
    const struct sg_case product = {
        .name = c->name, .dim = {c->dim[BSR_M], c->dim[BSR_N], c->dim[BSR_K]}, .dtype = SG_F16};
    const void *device[GEMM_BUFFERS] = {};
    double *expected[GEMM_BUFFERS] = {};
    device[GEMM_A] = dense;
    device[GEMM_B] = transposed;
    expected[GEMM_D] = request->expected[BSR_D];
    const struct sg_reference_request one = {.c = &product, .device = device, .expected = expected};
    gemm_reference(&one);
}

void bsr_reference(const struct sg_reference_request *request)
{
    const struct sg_case *c = request->c;
    const int64_t m = c->dim[BSR_M], n = c->dim[BSR_N], k = c->dim[BSR_K];
    const size_t dense_bytes = (size_t)(m * k) * sizeof(uint16_t);
    const dim3 grid((unsigned)((n + SIDE - 1) / SIDE), (unsigned)((k + SIDE - 1) / SIDE));
    uint16_t *dense = NULL, *transposed = NULL;
    /* The caller looks at the last error, and all of them below stay there. */
    if (cudaMalloc(&dense, dense_bytes) == cudaSuccess &&
        cudaMalloc(&transposed, (size_t)(n * k) * sizeof(uint16_t)) == cudaSuccess) {
        cudaMemset(dense, 0, dense_bytes);
        expand<<<(unsigned)bsr_block_rows(c), THREADS>>>(
            (const uint16_t *)request->device[BSR_A], (const int32_t *)request->device[BSR_ROW_PTR],
            (const int32_t *)request->device[BSR_COL], dense, m, k);
        transpose<<<grid, dim3(SIDE, SIDE)>>>((const uint16_t *)request->device[BSR_B], transposed,
                                              k, n);
        multiply(request, dense, transposed);
    }
    cudaFree(dense);
    cudaFree(transposed);
}
