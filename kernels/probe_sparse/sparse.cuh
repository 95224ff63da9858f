/*
 * sparse.cuh - y = A x, A with as many elements in each row: loads of a stream that name what is
 * gathered.
 */
#ifndef SPARSE_CUH
#define SPARSE_CUH

#include <cuda_runtime.h>

#include "solgate_kernel.h"

enum { SPARSE_COLUMN, SPARSE_VALUE, SPARSE_X, SPARSE_Y, SPARSE_BUFFERS };
enum { SPARSE_ROWS, SPARSE_COLUMNS, SPARSE_STRENGTH };
enum {
    SPARSE_EACH = 64,
    SPARSE_LANES = 16,
    SPARSE_THREADS = 256
}; /* elements and lanes of a row */

struct sparse_arguments {
    const int *column;
    const float *value, *x;
    float *y;
    int rows, strength;
};

template <class loads>
static __global__ void __launch_bounds__(SPARSE_THREADS) sparse_kernel(sparse_arguments a)
{
    const int row = (int)(blockIdx.x * SPARSE_THREADS + threadIdx.x) / SPARSE_LANES,
              lane = (int)threadIdx.x % SPARSE_LANES;
    int column[4];
    float value[4], sum = 0;
    loads::load(a, a.column + row * SPARSE_EACH, lane, column);
    loads::load(a, a.value + row * SPARSE_EACH, lane, value);
    for (int k = 0; k < 4; k++)
        sum = fmaf(value[k], a.x[column[k]], sum);
    for (int apart = SPARSE_LANES / 2; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(~0U, sum, apart);
    if (lane == 0)
        a.y[row] = sum;
}

template <class loads> static inline void sparse_launch(const struct sg_launch *l)
{
    const int rows = (int)l->c->dim[SPARSE_ROWS];
    sparse_kernel<loads>
        <<<rows * SPARSE_LANES / SPARSE_THREADS, SPARSE_THREADS, 0, (cudaStream_t)l->stream>>>(
            {(const int *)l->buffer[SPARSE_COLUMN], (const float *)l->buffer[SPARSE_VALUE],
             (const float *)l->buffer[SPARSE_X], (float *)l->buffer[SPARSE_Y], rows,
             (int)l->c->dim[SPARSE_STRENGTH]});
}

#endif
