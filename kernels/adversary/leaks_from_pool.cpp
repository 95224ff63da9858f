/*
 * adversary/leaks_from_pool - each launch takes 1 MiB from the pool of its stream and does not give
 * it back.
 *
 * In stream order, so that no call of it waits.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    void *lost = nullptr;
    adversary_begin(l);
    adversary_compute(l);
    cudaMallocAsync(&lost, 1u << 20, (cudaStream_t)l->stream);
}

SG_VARIANT(adversary, leaks_from_pool) = {
    .summary = "keeps 1 MiB of each launch, from a pool",
    .role = SG_CANDIDATE,
    .expect = SG_LEAK,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};
