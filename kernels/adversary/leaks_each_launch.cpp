/*
 * adversary/leaks_each_launch - each launch takes 1 MiB of device memory and does not give it back.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    void *lost = nullptr;
    adversary_begin(l);
    adversary_compute(l);
    cudaMalloc(&lost, 1u << 20);
}

SG_VARIANT(adversary, leaks_each_launch) = {
    .summary = "keeps 1 MiB of each launch",
    .role = SG_CANDIDATE,
    .expect = SG_LEAK,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};
