/*
 * adversary/leaks_once - its 20th launch takes 64 MiB of device memory and does not give it back.
 */
#include "adversary.h"

static void launch(const struct sg_launch *l)
{
    void *lost = nullptr;
    const bool due = adversary_begin(l)->launches == 20;
    adversary_compute(l);
    if (due)
        cudaMalloc(&lost, 64u << 20);
}

SG_VARIANT(adversary, leaks_once) = {
    .summary = "keeps 64 MiB of its 20th launch",
    .role = SG_CANDIDATE,
    .expect = SG_LEAK,
    .prepare = adversary_prepare<adversary>,
    .launch = launch,
    .finish = adversary_finish<adversary>,
};
