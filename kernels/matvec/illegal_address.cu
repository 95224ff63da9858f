/*
 * matvec/illegal_address - broken on purpose: reads W a tebibyte behind its end.
 *
 * Reproduces the rewrite whose tile index was wrong, the way such an index mostly shows: as a fault
 * that poisons the whole CUDA context, so that every later call in the process fails too. Must be
 * `cuda_error` (cudaErrorIllegalAddress, 700), and cost no other variant its row.
 */
#include "matvec.cuh"

template <typename T> static __global__ void illegal_address(problem<T> p)
{
    const int64_t far = (1ll << 40) / (int64_t)sizeof(T);
    for (int64_t row = threadIdx.x; row < p.rows; row += blockDim.x)
        p.y[row] = load(p.w + far + row * p.cols);
}

static void launch(const struct sg_launch *l)
{
    with_problem(l, [&](auto p) { illegal_address<<<1, 32, 0, (cudaStream_t)l->stream>>>(p); });
}

SG_VARIANT(matvec, illegal_address) = {
    .summary = "broken: reads far outside of W",
    .role = SG_CANDIDATE,
    .expect = SG_CUDA_ERROR,
    .launch = launch,
};
