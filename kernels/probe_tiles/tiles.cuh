/* tiles.cuh - C = A B in f32, by tiles in shared memory, four by four elements of C a thread. */
#ifndef TILES_CUH
#define TILES_CUH

#include <cuda_runtime.h>

#include "solgate_kernel.h"

enum { TILES_A, TILES_B, TILES_C, TILES_BUFFERS };
enum { TILES_N, TILES_K, TILES_STRENGTH };
enum { TILES_STEP = 16 }; /* of k */

template <int rows, int columns>
static __global__ void __launch_bounds__(rows *columns / 16)
    tiles_kernel(const float *a, const float *b, float *c, int n, int depth)
{
    constexpr int threads = rows * columns / 16, across = columns / 4;
    __shared__ float at[TILES_STEP][rows + 4], bt[TILES_STEP][columns + 4];
    const int row = (int)threadIdx.x / across * 4, column = (int)threadIdx.x % across * 4;
    const float *from_a = a + (int64_t)blockIdx.y * rows * depth,
                *from_b = b + (int64_t)blockIdx.x * columns;
    float sum[4][4] = {};
    for (int k = 0; k < depth; k += TILES_STEP) {
        for (int i = (int)threadIdx.x; i < rows * TILES_STEP; i += threads)
            at[i % TILES_STEP][i / TILES_STEP] =
                from_a[(int64_t)(i / TILES_STEP) * depth + k + i % TILES_STEP];
        for (int i = (int)threadIdx.x; i < columns * TILES_STEP; i += threads)
            bt[i / columns][i % columns] = from_b[(int64_t)(k + i / columns) * n + i % columns];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < TILES_STEP; j++)
            for (int p = 0; p < 4; p++)
                for (int q = 0; q < 4; q++)
                    sum[p][q] = fmaf(at[j][row + p], bt[j][column + q], sum[p][q]);
        __syncthreads();
    }
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++)
            c[(int64_t)(blockIdx.y * rows + row + p) * n + blockIdx.x * columns + column + q] =
                sum[p][q];
}

template <int rows, int columns> static inline void tiles_launch(const struct sg_launch *l)
{
    const int n = (int)l->c->dim[TILES_N];
    tiles_kernel<rows, columns>
        <<<dim3(n / columns, n / rows), rows * columns / 16, 0, (cudaStream_t)l->stream>>>(
            (const float *)l->buffer[TILES_A], (const float *)l->buffer[TILES_B],
            (float *)l->buffer[TILES_C], n, (int)l->c->dim[TILES_K]);
}

#endif
