/*
 * adversary/launches_early - it asks to begin before the kernel in front of it has ended.
 *
 * That one is a stamp, so what is timed may begin early; an honest option of launches.
 */
#include "adversary.cuh"

static __global__ void __launch_bounds__(ADVERSARY_THREADS) rows_early(problem<float> p)
{
    const float sum = adversary_row(p, blockIdx.x, p.cols);
    if (threadIdx.x == 0)
        p.y[blockIdx.x] = sum;
}

static void launch(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)p.rows);
    config.blockDim = dim3(ADVERSARY_THREADS);
    config.stream = (cudaStream_t)l->stream;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, rows_early, p);
}

SG_VARIANT(adversary, launches_early) = {
    .summary = "begins before the kernel in front of it has ended",
    .role = SG_CANDIDATE,
    .launch = launch,
};
