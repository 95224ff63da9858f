/*
 * adversary/patches_events - it replaces cuEventElapsedTime, so that whoever times by events reads
 * 1 us.
 */
#include "adversary.h"
#include "adversary_patch.h"

namespace
{
struct state : adversary_patched {
    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
};
} // namespace

static const char *const driver[] = {"libcuda.so.1"};

/* CUresult (float *, CUevent, CUevent) */
static int one_microsecond(float *ms, void *, void *)
{
    *ms = 1e-3f;
    return 0;
}

enum sg_status state::set_up(const struct sg_launch *, struct sg_reason *)
{
    patch.to = (void *)one_microsecond;
    patch.from = timed ? adversary_loaded(driver, 1, "cuEventElapsedTime_v2") : nullptr;
    adversary_patch_apply(&patch);
    return SG_OK;
}

SG_VARIANT(adversary, patches_events) = {
    .summary = "replaces the function that times events",
    .role = SG_CANDIDATE,
    .supports = adversary_supports_patches,
    .prepare = adversary_prepare<state>,
    .launch = adversary_launch,
    .finish = adversary_finish<state>,
};
