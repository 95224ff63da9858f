#include "device/cuda/driver_calls.h"

#include <stddef.h>

static const struct {
    CUpti_CallbackId id;
    enum sg_call_kind kind;
} shown[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, SG_CALL_LAUNCH},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, SG_CALL_LAUNCH},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, SG_CALL_LAUNCH},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, SG_CALL_LAUNCH},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, SG_CALL_LAUNCH_CONFIG},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, SG_CALL_LAUNCH_CONFIG},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc, SG_CALL_HOST},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc_ptsz, SG_CALL_HOST},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamAddCallback, SG_CALL_HOST},
    {CUPTI_DRIVER_TRACE_CBID_cuStreamAddCallback_ptsz, SG_CALL_HOST},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void take_call(const struct sg_calls *calls, CUpti_CallbackId id, const CUpti_CallbackData *data)
{
    size_t i = 0;
    while (i < COUNT(shown) && shown[i].id != id)
        i++;
    if (i == COUNT(shown) || data->callbackSite != CUPTI_API_ENTER)
        return;
    const struct sg_call call = {.kind = shown[i].kind, .name = data->functionName, .params = data->functionParams};
    calls->on_call(calls->context, &call);
}

static void take_resource(const struct sg_calls *calls, CUpti_CallbackId id, const CUpti_ResourceData *data)
{
    const CUpti_ModuleResourceData *module = data->resourceDescriptor;
    if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED && module)
        calls->on_module(calls->context, module->pCubin, module->cubinSize);
}

static void CUPTIAPI on_callback(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    const struct sg_calls *calls = user;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
        take_call(calls, id, data);
    else if (domain == CUPTI_CB_DOMAIN_RESOURCE && calls->on_module)
        take_resource(calls, id, data);
}

enum sg_code sg_calls_open(struct sg_calls *calls, struct sg_err *err)
{
    return sg_cupti_check(calls->cupti, calls->cupti->subscribe(&calls->subscriber, on_callback, calls), "cuptiSubscribe", err);
}

void sg_calls_close(struct sg_calls *calls)
{
    if (calls->subscriber)
        calls->cupti->unsubscribe(calls->subscriber);
    calls->subscriber = NULL;
}

enum sg_code sg_calls_show(const struct sg_calls *calls, enum sg_call_kind kind, bool on, struct sg_err *err)
{
    CUptiResult result = CUPTI_SUCCESS;
    for (size_t i = 0; result == CUPTI_SUCCESS && i < COUNT(shown); i++)
        if (shown[i].kind == kind)
            result = calls->cupti->enable_callback(on, calls->subscriber, CUPTI_CB_DOMAIN_DRIVER_API, shown[i].id);
    return sg_cupti_check(calls->cupti, result, "cuptiEnableCallback", err);
}

enum sg_code sg_calls_show_modules(const struct sg_calls *calls, struct sg_err *err)
{
    return sg_cupti_check(calls->cupti,
                          calls->cupti->enable_callback(1, calls->subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED),
                          "cuptiEnableCallback", err);
}
