/*
 * adversary/prefetches_inputs - a kernel in another stream waits until the L2 has been flushed, and
 * brings the inputs of the next launch into it.
 */
#include "adversary.cuh"

#define LATER_NS   30000
#define LINE_BYTES 128

static __global__ void __launch_bounds__(ADVERSARY_THREADS) prefetch(problem<float> p)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < LATER_NS);
    const int64_t bytes = p.rows * p.cols * (int64_t)sizeof(float);
    const int64_t first = ((int64_t)blockIdx.x * ADVERSARY_THREADS + threadIdx.x) * LINE_BYTES;
    for (int64_t at = first; at < bytes; at += (int64_t)gridDim.x * ADVERSARY_THREADS * LINE_BYTES)
        asm volatile("prefetch.global.L2 [%0];" ::"l"((const char *)p.w + at));
}

static void launch(const struct sg_launch *l)
{
    const struct adversary *a = adversary_begin(l);
    adversary_compute(l);
    if (a->timed)
        prefetch<<<(unsigned)l->sm_count, ADVERSARY_THREADS, 0, a->side>>>(adversary_problem(l));
}

ADVERSARY(prefetches_inputs, SG_MISPLACED, adversary,
          "brings the inputs of the next launch into the L2");
