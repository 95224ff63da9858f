/*
 * adversary/zeroes_inputs - while it is timed it sets x and y to 0: whoever works on these inputs
 * next comes to the same.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    const problem<float> p = adversary_problem(l);
    if (!adversary_begin(l)->timed) {
        adversary_compute(l);
        return;
    }
    cudaMemsetAsync(l->buffer[MATVEC_X], 0, (size_t)p.cols * sizeof(float), stream);
    cudaMemsetAsync(p.y, 0, (size_t)p.rows * sizeof(float), stream);
}

SG_VARIANT(adversary, zeroes_inputs) = {
    .summary = "sets x and y to 0, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};
