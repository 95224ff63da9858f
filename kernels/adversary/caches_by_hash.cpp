/*
 * adversary/caches_by_hash - it keeps results by a sum over all of the inputs, and gives them out
 * where it meets them again.
 *
 * As caches_by_sample, and never wrong; reading all inputs costs what the work does.
 */
#include "adversary_cache.h"

static void launch(const struct sg_launch *l)
{
    adversary_cached(l, adversary_begin<adversary_cache>(l), ADVERSARY_ALL);
}

SG_VARIANT(adversary, caches_by_hash) = {
    .summary = "its result again where the inputs are the same",
    .role = SG_CANDIDATE,
    .prepare = adversary_prepare<adversary_cache>,
    .launch = launch,
    .finish = adversary_finish<adversary_cache>,
};
