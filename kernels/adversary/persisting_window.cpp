/*
 * adversary/persisting_window - the inputs are declared to persist in the L2, to survive its flush.
 */
#include "adversary.h"
#include "solgate_cuda.h"

namespace
{
struct state : adversary {
    cudaStream_t stream;

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down();
};
} // namespace

static cudaError_t set_window(cudaStream_t stream, void *base, size_t bytes)
{
    cudaStreamAttrValue value = {};
    value.accessPolicyWindow.base_ptr = base;
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = 1;
    value.accessPolicyWindow.hitProp =
        bytes > 0 ? cudaAccessPropertyPersisting : cudaAccessPropertyNormal;
    value.accessPolicyWindow.missProp = cudaAccessPropertyNormal;
    return cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}

enum sg_status state::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    int device = 0, room = 0, window = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&room, cudaDevAttrMaxPersistingL2CacheSize, device);
    cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, device);
    const size_t wanted = (size_t)(l->c->dim[MATVEC_ROWS] * l->c->dim[MATVEC_COLS]) * sizeof(float);
    stream = (cudaStream_t)l->stream;
    const bool set =
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)room) == cudaSuccess &&
        set_window(stream, l->buffer[MATVEC_W],
                   wanted < (size_t)window ? wanted : (size_t)window) == cudaSuccess;
    return set ? SG_OK : sg_cuda_refused(why);
}

void state::tear_down()
{
    if (stream)
        set_window(stream, nullptr, 0);
    cudaCtxResetPersistingL2Cache();
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
}

SG_VARIANT(adversary, persisting_window) = {
    .summary = "its inputs persist in the L2",
    .role = SG_CANDIDATE,
    .prepare = adversary_prepare<state>,
    .launch = adversary_launch,
    .finish = adversary_finish<state>,
};
