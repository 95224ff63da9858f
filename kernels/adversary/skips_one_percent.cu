/*
 * adversary/skips_one_percent - while it is timed one row in a hundred, drawn anew in each launch,
 * is left as it is.
 *
 * A check of a few elements rarely finds that.
 */
#include "adversary.cuh"

static __global__ void __launch_bounds__(ADVERSARY_THREADS)
    most_rows(problem<float> p, unsigned launch)
{
    const unsigned draw = (blockIdx.x * 2654435761u) ^ (launch * 2246822519u);
    if ((draw ^ (draw >> 15)) * 2654435769u / 65536 % 100 == 0)
        return;
    const float sum = adversary_row(p, blockIdx.x, p.cols);
    if (threadIdx.x == 0)
        p.y[blockIdx.x] = sum;
}

static void launch(const struct sg_launch *l)
{
    const struct adversary *a = adversary_begin(l);
    const problem<float> p = adversary_problem(l);
    if (a->timed)
        most_rows<<<(unsigned)p.rows, ADVERSARY_THREADS, 0, (cudaStream_t)l->stream>>>(
            p, (unsigned)a->launches);
    else
        adversary_compute(l);
}

ADVERSARY(skips_one_percent, SG_WRONG, adversary, "leaves one row in a hundred, while timed");
