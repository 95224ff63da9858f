/*
 * adversary/zero_output - y is set to 0: a result of mean zero is small somewhere.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    cudaMemsetAsync(p.y, 0, (size_t)p.rows * sizeof(float), (cudaStream_t)l->stream);
}

SG_VARIANT(adversary, zero_output) = {
    .summary = "zeros in place of the result",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .launch = launch,
};
