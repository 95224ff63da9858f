#include "device/cuda/context_settings.h"

static uint64_t limit(const struct sg_cuda *cuda, CUlimit which)
{
    size_t value = 0;
    return cuda->context_limit(&value, which) == CUDA_SUCCESS ? value : 0;
}

void sg_cuda_read_settings(const struct sg_cuda *cuda, struct sg_context_settings *settings)
{
    CUfunc_cache preference = CU_FUNC_CACHE_PREFER_NONE;
    cuda->context_cache(&preference);
    *settings = (struct sg_context_settings){
        .l2_set_aside = limit(cuda, CU_LIMIT_PERSISTING_L2_CACHE_SIZE),
        .l2_fetch_granularity = limit(cuda, CU_LIMIT_MAX_L2_FETCH_GRANULARITY),
        .l1_preference = (uint64_t)preference,
    };
}

bool sg_cuda_write_settings(const struct sg_cuda *cuda, const struct sg_context_settings *settings)
{
    struct sg_context_settings now;
    sg_cuda_read_settings(cuda, &now);
    if (now.l2_set_aside != settings->l2_set_aside) {
        cuda->context_reset_l2();
        cuda->context_set_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, (size_t)settings->l2_set_aside);
    }
    if (now.l2_fetch_granularity != settings->l2_fetch_granularity)
        cuda->context_set_limit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY,
                                (size_t)settings->l2_fetch_granularity);
    if (now.l1_preference != settings->l1_preference)
        cuda->context_set_cache((CUfunc_cache)settings->l1_preference);
    /* Checks the settings in effect for the next launch, not the results of the calls. */
    sg_cuda_read_settings(cuda, &now);
    return !sg_context_settings_differ(&now, settings);
}
