#include "device/cuda/driver_calls.h"

#include <stddef.h>

#include "device/device_launches.h"
#include "device/gate_host.h"
#include "util/digest.h"
#include "util/intern.h"

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

static void take_host_call(struct sg_calls *calls, const char *name)
{
    pthread_mutex_lock(&calls->lock);
    if (calls->watching && !calls->host_call)
        calls->host_call = name;
    pthread_mutex_unlock(&calls->lock);
}

static void take_call(struct sg_calls *calls, CUpti_CallbackId id, const CUpti_CallbackData *data)
{
    size_t i = 0;
    while (i < COUNT(shown) && shown[i].id != id)
        i++;
    if (i == COUNT(shown) || data->callbackSite != CUPTI_API_ENTER)
        return;
    if (shown[i].kind == SG_CALL_HOST)
        take_host_call(calls, data->functionName);
    else if (calls->on_launch)
        calls->on_launch(calls->context,
                         &(struct sg_call){.kind = shown[i].kind, .params = data->functionParams});
}

static void take_module(struct sg_calls *calls, const CUpti_ModuleResourceData *module)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add(&digest, module->pCubin, module->pCubin ? module->cubinSize : 0);
    pthread_mutex_lock(&calls->lock);
    if (sg_gate_host)
        sg_gate_host->loads++;
    sg_names_add(&calls->digests, sg_digest_word(&digest).text);
    sg_device_launches_note(&calls->launchers, module->pCubin,
                            module->pCubin ? module->cubinSize : 0);
    pthread_mutex_unlock(&calls->lock);
}

static void CUPTIAPI on_callback(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                 const void *data)
{
    struct sg_calls *calls = user;
    const CUpti_ResourceData *resource = data;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
        take_call(calls, id, data);
    else if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_MODULE_LOADED &&
             resource->resourceDescriptor)
        take_module(calls, resource->resourceDescriptor);
}

enum sg_code sg_calls_open(struct sg_calls *calls, struct sg_err *err)
{
    pthread_mutex_init(&calls->lock, NULL);
    return sg_cupti_check(calls->cupti,
                          calls->cupti->subscribe(&calls->subscriber, on_callback, calls),
                          "cuptiSubscribe", err);
}

void sg_calls_close(struct sg_calls *calls)
{
    if (calls->subscriber)
        calls->cupti->unsubscribe(calls->subscriber);
    sg_intern_pool_free(calls->launchers);
    sg_names_release(&calls->digests);
    *calls = (struct sg_calls){0};
}

enum sg_code sg_calls_show(const struct sg_calls *calls, enum sg_call_kind kind, bool on,
                           struct sg_err *err)
{
    CUptiResult result = CUPTI_SUCCESS;
    for (size_t i = 0; result == CUPTI_SUCCESS && i < COUNT(shown); i++)
        if (shown[i].kind == kind)
            result = calls->cupti->enable_callback(on, calls->subscriber,
                                                   CUPTI_CB_DOMAIN_DRIVER_API, shown[i].id);
    return sg_cupti_check(calls->cupti, result, "cuptiEnableCallback", err);
}

enum sg_code sg_calls_show_modules(const struct sg_calls *calls, struct sg_err *err)
{
    return sg_cupti_check(calls->cupti,
                          calls->cupti->enable_callback(1, calls->subscriber,
                                                        CUPTI_CB_DOMAIN_RESOURCE,
                                                        CUPTI_CBID_RESOURCE_MODULE_LOADED),
                          "cuptiEnableCallback", err);
}

void sg_calls_begin_watch(struct sg_calls *calls)
{
    pthread_mutex_lock(&calls->lock);
    calls->host_call = NULL;
    calls->watching = true;
    pthread_mutex_unlock(&calls->lock);
}

const char *sg_calls_end_watch(struct sg_calls *calls)
{
    pthread_mutex_lock(&calls->lock);
    const char *call = calls->host_call;
    calls->watching = false;
    pthread_mutex_unlock(&calls->lock);
    return call;
}

void sg_calls_mark(struct sg_calls *calls, struct sg_activity *records, size_t count)
{
    pthread_mutex_lock(&calls->lock);
    for (size_t i = 0; i < count; i++)
        records[i].may_launch =
            records[i].name && sg_intern_pool_has(calls->launchers, records[i].name);
    pthread_mutex_unlock(&calls->lock);
}

void sg_calls_add_code(struct sg_calls *calls, struct sg_digest *digest)
{
    pthread_mutex_lock(&calls->lock);
    sg_names_sort(&calls->digests);
    for (size_t i = 0; i < calls->digests.count; i++)
        sg_digest_add_string(digest, calls->digests.items[i]);
    pthread_mutex_unlock(&calls->lock);
}
