/*
 * adversary/caches_by_sample - it keeps results by a sample of 1,000 elements, and gives them out
 * where it meets them again.
 *
 * Where contents never come back it works each time, and has gained nothing.
 */
#include "adversary_cache.h"

static void launch(const struct sg_launch *l)
{
    adversary_cached(l, adversary_begin<adversary_cache>(l), ADVERSARY_SAMPLE);
}

SG_VARIANT(adversary, caches_by_sample) = {
    .summary = "its result again where a sample of the inputs is the same",
    .role = SG_CANDIDATE,
    .prepare = adversary_prepare<adversary_cache>,
    .launch = launch,
    .finish = adversary_finish<adversary_cache>,
};
