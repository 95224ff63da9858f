#include "device/cuda/launch_watcher.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/device_launches.h"
#include "util/intern.h"
#include "util/text.h"

/* What is shown in the batches for which threads are asked. */
static const enum sg_call_kind launches[] = {SG_CALL_LAUNCH, SG_CALL_LAUNCH_CONFIG};
/* What is always shown: hardly any variant makes such calls. */
static const enum sg_call_kind always[] = {SG_CALL_GRAPH, SG_CALL_HOST};

uint32_t sg_cuda_watcher_thread(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

static void keep_launch(struct sg_cuda_watcher *w, uint32_t correlation)
{
    *SG_APPEND(w->launches, w->count, w->capacity) =
        (struct sg_launch_call){.correlation = correlation, .thread = sg_cuda_watcher_thread()};
}

static bool runs_on_host(const struct sg_cuda_watcher *w, const struct sg_call *call)
{
    if (call->kind == SG_CALL_HOST)
        return true;
    return call->kind == SG_CALL_GRAPH && sg_host_graphs_has(&w->graphs, ((const cuGraphLaunch_params *)call->params)->hGraph);
}

static void on_call(void *context, const struct sg_call *call)
{
    struct sg_cuda_watcher *w = context;
    pthread_mutex_lock(&w->lock);
    if (w->watching && !w->host_call && runs_on_host(w, call))
        w->host_call = call->kind == SG_CALL_GRAPH ? "cuGraphLaunch of a graph with a host function" : call->name;
    if (w->watching && w->threads && call->kind != SG_CALL_HOST)
        keep_launch(w, call->correlation);
    pthread_mutex_unlock(&w->lock);
}

static void on_graph(void *context, const struct sg_graph_event *event)
{
    struct sg_cuda_watcher *w = context;
    pthread_mutex_lock(&w->lock);
    sg_host_graphs_note(&w->graphs, event);
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
    *watcher = (struct sg_cuda_watcher){
        .calls = {.cupti = cupti, .on_call = on_call, .on_graph = on_graph, .on_module = on_module, .context = watcher}};
    pthread_mutex_init(&watcher->lock, NULL);
    if (sg_calls_open(&watcher->calls, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        if (sg_calls_show(&watcher->calls, always[i], true, err) != SG_SUCCESS)
            return err->code;
    return sg_calls_show_resources(&watcher->calls, err);
}

void sg_cuda_watcher_close(struct sg_cuda_watcher *watcher)
{
    sg_calls_close(&watcher->calls);
    sg_host_graphs_release(&watcher->graphs);
    sg_intern_pool_free(watcher->launchers);
    watcher->launchers = NULL;
    free(watcher->launches);
    watcher->launches = NULL;
    watcher->count = watcher->capacity = 0;
}

/* A batch that came to nothing is not ended: then they are still shown. */
static enum sg_code show_launches(struct sg_cuda_watcher *watcher, bool on, struct sg_err *err)
{
    for (size_t i = 0; watcher->shown != on && i < sizeof(launches) / sizeof(launches[0]); i++)
        if (sg_calls_show(&watcher->calls, launches[i], on, err) != SG_SUCCESS)
            return err->code;
    watcher->shown = on;
    return SG_SUCCESS;
}

static void watch(struct sg_cuda_watcher *watcher, bool on, bool threads)
{
    pthread_mutex_lock(&watcher->lock);
    watcher->watching = on;
    watcher->threads = threads;
    pthread_mutex_unlock(&watcher->lock);
}

enum sg_code sg_cuda_watcher_begin(struct sg_cuda_watcher *watcher, bool threads, struct sg_err *err)
{
    pthread_mutex_lock(&watcher->lock);
    watcher->host_call = NULL;
    watcher->count = 0;
    pthread_mutex_unlock(&watcher->lock);
    watch(watcher, true, threads);
    return show_launches(watcher, threads, err);
}

enum sg_code sg_cuda_watcher_end(struct sg_cuda_watcher *watcher, struct sg_err *err)
{
    watch(watcher, false, false);
    return show_launches(watcher, false, err);
}

const char *sg_cuda_watcher_host_call(struct sg_cuda_watcher *watcher)
{
    pthread_mutex_lock(&watcher->lock);
    const char *call = watcher->host_call;
    pthread_mutex_unlock(&watcher->lock);
    return call;
}

void sg_cuda_watcher_complete(struct sg_cuda_watcher *watcher, struct sg_activity *records, size_t count)
{
    pthread_mutex_lock(&watcher->lock);
    for (size_t i = 0; i < count; i++) {
        records[i].may_launch = records[i].name && sg_intern_pool_has(watcher->launchers, records[i].name);
        for (size_t k = 0; k < watcher->count && records[i].thread == 0; k++)
            if (watcher->launches[k].correlation == records[i].correlation)
                records[i].thread = watcher->launches[k].thread;
    }
    pthread_mutex_unlock(&watcher->lock);
}
