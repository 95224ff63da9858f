/*
 * adversary/slows_baseline - honest work; after it a kernel in another stream keeps DRAM busy while
 * the baseline is timed.
 */
#include "adversary.cuh"

#define BUSY_NS 3000000

static __global__ void __launch_bounds__(ADVERSARY_THREADS) keep_busy(problem<float> p, float *sink)
{
    unsigned long long begin, now;
    float sum = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        for (int64_t i = (int64_t)blockIdx.x * ADVERSARY_THREADS + threadIdx.x; i < p.rows * p.cols;
             i += gridDim.x * ADVERSARY_THREADS)
            sum += __ldcg(p.w + i);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - begin < BUSY_NS);
    if (sum == 1)
        *sink = sum; /* else the compiler removes the loop */
}

static void launch(const struct sg_launch *l)
{
    const struct adversary *a = adversary_begin(l);
    adversary_compute(l);
    if (a->timed)
        keep_busy<<<(unsigned)l->sm_count, ADVERSARY_THREADS, 0, a->side>>>(adversary_problem(l),
                                                                            a->kept);
}

ADVERSARY(slows_baseline, SG_MISPLACED, adversary, "keeps DRAM busy while the baseline is timed");
