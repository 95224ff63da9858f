/*
 * adversary/changes_limits - its `prepare` sets most of the L2 and deeper stacks aside, and leaves
 * it so: the baseline has less.
 */
#include "adversary.h"

namespace
{
struct state : adversary {
    enum sg_status set_up(const struct sg_launch *, struct sg_reason *)
    {
        int device = 0, room = 0;
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&room, cudaDevAttrMaxPersistingL2CacheSize, device);
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)room);
        cudaDeviceSetLimit(cudaLimitStackSize, 4096);
        cudaGetLastError();
        return SG_OK;
    }
};
} // namespace

SG_VARIANT(adversary, changes_limits) = {
    .summary = "changes limits of the device, and leaves them so",
    .role = SG_CANDIDATE,
    .prepare = adversary_prepare<state>,
    .launch = adversary_launch,
    .finish = adversary_finish<state>,
};
