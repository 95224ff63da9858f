/*
 * matvec/block_reduce - a block of 256 threads adds up one row; the sum is a tree in shared memory.
 *
 * Against warp_per_row: eight warps share a row and meet at a barrier after every level of the
 * tree, nine in all, most threads idle from the second level on. Expect stall_barrier where there
 * was none, shared-memory wavefronts, and the more of both the shorter the rows are.
 */
#include "matvec.cuh"

enum { THREADS = 256 };

template <typename T, bool ALIGNED>
static __global__ void __launch_bounds__(THREADS) block_reduce(problem<T> p)
{
    __shared__ float partial[THREADS];
    const int thread = threadIdx.x;
    const T *w = p.w + (int64_t)blockIdx.x * p.cols;
    const int step = ALIGNED ? p.per_vector : 1;
    float sum = 0;
    for (int k = thread * step; k < p.cols; k += THREADS * step) {
        if constexpr (ALIGNED)
            sum = dot16<T>(load16(w + k), load16(p.x + k), sum);
        else
            sum = fmaf(load(w + k), load(p.x + k), sum);
    }
    partial[thread] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (thread < half)
            partial[thread] += partial[thread + half];
        __syncthreads();
    }
    if (thread == 0)
        p.y[blockIdx.x] = partial[0];
}

static void launch(const struct sg_launch *l)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    with_problem(l, [&](auto p) {
        using T = typename decltype(p)::element;
        if (p.aligned())
            block_reduce<T, true><<<(unsigned)p.rows, THREADS, 0, stream>>>(p);
        else
            block_reduce<T, false><<<(unsigned)p.rows, THREADS, 0, stream>>>(p);
    });
}

SG_VARIANT(matvec, block_reduce) = {
    .summary = "a block a row, tree in shared memory with a barrier a level",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = launch,
};
