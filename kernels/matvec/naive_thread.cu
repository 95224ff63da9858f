/*
 * matvec/naive_thread - one thread of the whole GPU does everything.
 *
 * Against vec16_rows: no parallelism at all. Right, and where every attempt to do better starts
 * from and falls back to. Expect one active lane of one warp, 0 % of everything, and a time that is
 * the latency of a load times their number; so its cases are capped.
 */
#include "matvec.cuh"
#include "small.cuh"

template <typename T> static __global__ void naive_thread(problem<T> p)
{
    for (int64_t row = 0; row < p.rows; row++) {
        float sum = 0;
        for (int k = 0; k < p.cols; k++)
            sum = fmaf(load(p.w + row * p.cols + k), load(p.x + k), sum);
        p.y[row] = sum;
    }
}

static void launch(const struct sg_launch *l)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    with_problem(l, [&](auto p) { naive_thread<<<1, 1, 0, stream>>>(p); });
}

SG_VARIANT(matvec, naive_thread) = {
    .summary = "one thread does everything",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .supports = supports_small,
    .launch = launch,
};
