#include "gemm_reference.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include "gemm_layout.h"

enum {
    TILE = 64,
    STEP = 16,
    SIDE = 16,
    EACH = TILE / SIDE
}; /* a block computes TILE^2, a thread EACH^2 of them, SIDE apart */

/* What the elements of a matrix are multiplied by: a scale for GEMM_SCALE_BLOCK of k,
 * of one row or of as many; NULL: 1. */
struct scaling {
    const float *scales;
    bool of_blocks;
    int64_t row_step, k_step; /* from a scale to the next */
};

template <typename T> struct operand {
    const T *elements;
    int64_t rows, depth;
    struct scaling scaling;
};

template <typename T> struct problem {
    operand<T> a, b;
    double *d;
};

static __device__ double scale_of(const struct scaling &s, int64_t row, int64_t k)
{
    return s.scales ? (double)s.scales[(s.of_blocks ? row / GEMM_SCALE_BLOCK : row) * s.row_step +
                                       k / GEMM_SCALE_BLOCK * s.k_step]
                    : 1;
}

/* TILE rows by STEP of k as fp64, zero outside of the matrix. */
template <typename T>
static __device__ void fetch(double (*to)[TILE + 1], const operand<T> &from, int64_t row, int64_t k)
{
    for (int i = threadIdx.y * SIDE + threadIdx.x; i < TILE * STEP; i += SIDE * SIDE) {
        const int64_t y = row + i / STEP, x = k + i % STEP;
        const bool is_inside = y < from.rows && x < from.depth;
        to[i % STEP][i / STEP] = is_inside ? (double)(float)from.elements[y * from.depth + x] *
                                                 scale_of(from.scaling, y, x)
                                           : 0;
    }
}

template <typename T>
static __global__ void __launch_bounds__(SIDE *SIDE) multiply(const problem<T> p)
{
    __shared__ double a[STEP][TILE + 1], b[STEP][TILE + 1];
    const int64_t row = (int64_t)blockIdx.y * TILE, column = (int64_t)blockIdx.x * TILE;
    double sum[EACH][EACH] = {};
    for (int64_t k = 0; k < p.a.depth; k += STEP) {
        fetch(a, p.a, row, k);
        fetch(b, p.b, column, k);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < STEP; i++)
#pragma unroll
            for (int y = 0; y < EACH; y++)
#pragma unroll
                for (int x = 0; x < EACH; x++)
                    sum[y][x] =
                        fma(a[i][y * SIDE + threadIdx.y], b[i][x * SIDE + threadIdx.x], sum[y][x]);
        __syncthreads();
    }
    for (int y = 0; y < EACH; y++)
        for (int x = 0; x < EACH; x++) {
            const int64_t i = row + y * SIDE + threadIdx.y, j = column + x * SIDE + threadIdx.x;
            if (i < p.a.rows && j < p.b.rows)
                p.d[i * p.b.rows + j] = sum[y][x];
        }
}

template <typename T>
static void reference_of(const struct sg_reference_request *request, int64_t sfa_row)
{
    const struct sg_case *c = request->c;
    const int64_t m = c->dim[GEMM_M], n = c->dim[GEMM_N], k = c->dim[GEMM_K];
    problem<T> p = {.a = {(const T *)request->device[GEMM_A], m, k, {}},
                    .b = {(const T *)request->device[GEMM_B], n, k, {}}};
    const size_t bytes = (size_t)(m * n) * sizeof(double);
    const dim3 grid((unsigned)((n + TILE - 1) / TILE), (unsigned)((m + TILE - 1) / TILE));
    if (gemm_has_scales(c)) {
        p.a.scaling = {(const float *)request->device[GEMM_SFA], false, 1, sfa_row};
        p.b.scaling = {(const float *)request->device[GEMM_SFB], true, gemm_sfb_row(k), 1};
    }
    /* The caller looks at the last error, and all of them below stay there. */
    if (cudaMalloc(&p.d, bytes) != cudaSuccess)
        return;
    multiply<<<grid, dim3(SIDE, SIDE)>>>(p);
    cudaMemcpy(request->expected[GEMM_D], p.d, bytes, cudaMemcpyDeviceToHost);
    cudaFree(p.d);
}

void gemm_reference_of_rows(const struct sg_reference_request *request, int64_t sfa_row)
{
    if (request->c->dtype == SG_E4M3)
        reference_of<__nv_fp8_e4m3>(request, sfa_row);
    else if (request->c->dtype == SG_BF16)
        reference_of<__nv_bfloat16>(request, sfa_row);
    else
        reference_of<__half>(request, sfa_row);
}

void gemm_reference(const struct sg_reference_request *request)
{
    gemm_reference_of_rows(request, request->c->dim[GEMM_M]);
}
