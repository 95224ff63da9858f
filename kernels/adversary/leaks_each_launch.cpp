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

ADVERSARY(leaks_each_launch, SG_LEAK, adversary, "keeps 1 MiB of each launch");
