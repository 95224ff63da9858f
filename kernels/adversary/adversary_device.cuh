/*
 * adversary_device.cuh - work that the device launches: half of the rows by the grid that the host
 * launched, which is in the records, and the rest by what its first thread starts, which is not.
 */
#ifndef ADVERSARY_DEVICE_CUH
#define ADVERSARY_DEVICE_CUH

#include "adversary.cuh"

/* The rows from `first` on, a block each. */
static __global__ void __launch_bounds__(ADVERSARY_THREADS)
    rows_from(problem<float> p, int64_t first)
{
    const int64_t row = first + blockIdx.x;
    const float sum = adversary_row(p, row, p.cols);
    if (threadIdx.x == 0)
        p.y[row] = sum;
}

static __device__ __host__ inline unsigned adversary_half(const problem<float> &p)
{
    return (unsigned)(p.rows / 2);
}

/* TAIL: behind the grid and before what the host launched next; else beside the grid. */
template <bool TAIL>
static __global__ void __launch_bounds__(ADVERSARY_THREADS) starts_rest(problem<float> p)
{
    const unsigned half = adversary_half(p);
    if (blockIdx.x == 0 && threadIdx.x == 0)
        rows_from<<<(unsigned)p.rows - half, ADVERSARY_THREADS, 0,
                    TAIL ? cudaStreamTailLaunch : cudaStreamFireAndForget>>>(p, half);
    const float sum = adversary_row(p, blockIdx.x, p.cols);
    if (threadIdx.x == 0)
        p.y[blockIdx.x] = sum;
}

template <bool TAIL> static void launch_halves(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    starts_rest<TAIL><<<adversary_half(p), ADVERSARY_THREADS, 0, (cudaStream_t)l->stream>>>(p);
}

#endif
