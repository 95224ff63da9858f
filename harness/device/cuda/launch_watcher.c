#include "device/cuda/launch_watcher.h"

#include "device/device_launches.h"
#include "util/intern.h"

/* Only host calls are shown: hardly any variant makes them, and each call that is shown costs its
 * caller a microsecond. */
static void on_call(void *context, const struct sg_call *call)
{
    struct sg_cuda_watcher *w = context;
    pthread_mutex_lock(&w->lock);
    if (w->watching && !w->host_call)
        w->host_call = call->name;
    pthread_mutex_unlock(&w->lock);
}

static void on_module(void *context, const void *cubin, size_t bytes)
{
    struct sg_cuda_watcher *w = context;
    pthread_mutex_lock(&w->lock);
    sg_device_launches_note(&w->launchers, cubin, bytes);
    pthread_mutex_unlock(&w->lock);
}

enum sg_code sg_cuda_watcher_open(struct sg_cuda_watcher *watcher, const struct sg_cupti *cupti, struct sg_err *err)
{
    *watcher = (struct sg_cuda_watcher){.calls = {.cupti = cupti, .on_call = on_call, .on_module = on_module, .context = watcher}};
    pthread_mutex_init(&watcher->lock, NULL);
    if (sg_calls_open(&watcher->calls, err) != SG_SUCCESS || sg_calls_show(&watcher->calls, SG_CALL_HOST, true, err) != SG_SUCCESS)
        return err->code;
    return sg_calls_show_modules(&watcher->calls, err);
}

void sg_cuda_watcher_close(struct sg_cuda_watcher *watcher)
{
    sg_calls_close(&watcher->calls);
    sg_intern_pool_free(watcher->launchers);
    watcher->launchers = NULL;
}

void sg_cuda_watcher_begin(struct sg_cuda_watcher *watcher)
{
    pthread_mutex_lock(&watcher->lock);
    watcher->host_call = NULL;
    watcher->watching = true;
    pthread_mutex_unlock(&watcher->lock);
}

const char *sg_cuda_watcher_end(struct sg_cuda_watcher *watcher)
{
    pthread_mutex_lock(&watcher->lock);
    const char *call = watcher->host_call;
    watcher->watching = false;
    pthread_mutex_unlock(&watcher->lock);
    return call;
}

void sg_cuda_watcher_complete(struct sg_cuda_watcher *watcher, struct sg_activity *records, size_t count)
{
    pthread_mutex_lock(&watcher->lock);
    for (size_t i = 0; i < count; i++)
        records[i].may_launch = records[i].name && sg_intern_pool_has(watcher->launchers, records[i].name);
    pthread_mutex_unlock(&watcher->lock);
}
