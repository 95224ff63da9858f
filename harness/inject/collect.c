#define _GNU_SOURCE /* for RTLD_NOLOAD, dl_iterate_phdr */
#include "inject/collect.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inject/codes.h"
#include "inject/count.h"
#include "inject/cupti_abi.h"
#include "inject/graphs.h"
#include "inject/inject.h"
#include "inject/launches.h"
#include "inject/map.h"
#include "inject/output.h"
#include "inject/ranges.h"

#define BUFFER_BYTES   (1u << 17)
#define BUFFER_ALIGNED 8
#define POOL_MOST      16
#define FLUSH_MOST_NS  UINT64_C(50000000) /* longest pause between two flushes */
#define FLUSH_SHARE    100                /* flushes take at most 1 / FLUSH_SHARE of the time */
#define LAST_WAIT_MS   1000               /* without a new record, at the end of the process */

enum call_kind {
    CALL_OTHER,
    CALL_LAUNCH,
    CALL_LAUNCH_EX,
    CALL_GRAPH,
    CALL_INSTANTIATE,
    CALL_CHANGE,
    CALL_CAPTURE,
    CALL_WAIT
};
#define CALLS_MOST 1024

static struct sg_inject_cupti cupti;
static struct sg_inject_driver driver;
static void *subscriber;
static struct {
    uint8_t *free[POOL_MOST];
    size_t count;
} pool;
static uint64_t next_flush_ns;
static uint64_t last_end_ns; /* the latest end in the records so far */
static bool is_counting;     /* this start counts, it does not time */

#define X(name, number, kind) [number] = CALL_##kind,
static const uint8_t kind_of[CALLS_MOST] = {SG_CUPTI_CALL_TABLE(X)};
#undef X
/* Functions with this suffix take NULL as the per-thread default stream. */
static bool is_per_thread(const char *function)
{
    const size_t length = function ? strlen(function) : 0;
    return length > 5 && strcmp(function + length - 5, "_ptsz") == 0;
}

/* ---- records ---- */

static void on_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
    SG_INJECT_LOCKED;
    *buffer =
        pool.count > 0 ? pool.free[--pool.count] : aligned_alloc(BUFFER_ALIGNED, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *max_records = 0;
    if (!*buffer)
        sg_output_flag(SG_TRACE_FULL, "no memory for records");
}

/* Returns the time from the launch call to the start of the kernel. 0: unknown, or an earlier
 * kernel may still have run at the call. The device was idle if each earlier kernel has a record
 * and all records end before the call. */
static uint64_t latency_of(const struct sg_cupti_kernel *record, const struct sg_launch_call *call)
{
    const struct sg_trace_head *head = sg_output_head();
    const bool was_idle = call->time_ns > last_end_ns && head->records == call->before &&
                          head->graphs == 0 && record->graph == 0;
    return was_idle && record->start > call->time_ns ? record->start - call->time_ns : 0;
}

/* The caller holds sg_inject_lock. */
static void keep_record(const struct sg_cupti_kernel *record)
{
    struct sg_trace_head *head = sg_output_head();
    struct sg_launch_call call = {.kernels = 1};
    const char *symbol = record->name ? record->name : "";
    const bool is_known = sg_launches_take(record->correlation, &call);
    const uint64_t name = sg_map_digest(symbol, strlen(symbol));
    struct sg_trace_series_key key = {.range = call.range,
                                      .symbol = sg_output_name(symbol),
                                      .device = record->device,
                                      .registers = record->registers,
                                      .static_shared = (uint32_t)record->static_shared,
                                      .dynamic_shared = (uint32_t)record->dynamic_shared,
                                      .local_bytes = record->local_bytes,
                                      .in_graph = record->graph != 0};
    for (size_t i = 0; i < 3; i++) {
        key.grid[i] = (uint32_t)record->grid[i];
        key.block[i] = (uint32_t)record->block[i];
    }
    const uint64_t latency_ns = is_known ? latency_of(record, &call) : 0;
    if (call.kernels == SG_KERNELS_UNKNOWN)
        head->launches++;
    head->strays += !is_known;
    head->early += is_known && record->start < call.time_ns;
    head->timeless += record->end <= record->start;
    if (record->end > record->start)
        sg_output_launch(&key, record->end - record->start, latency_ns);
    last_end_ns = record->end > last_end_ns ? record->end : last_end_ns;
    head->records++;
    const struct sg_codes codes = sg_codes_of(name);
    sg_output_code(name, codes.sum, codes.count);
}

static void on_completed(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    void *record = NULL;
    size_t dropped = 0;
    (void)size;
    if (sg_inject_is_on())
        cupti.dropped(context, stream, &dropped);
    SG_INJECT_LOCKED;
    while (sg_inject_is_on() && valid > 0 &&
           cupti.next_record(buffer, valid, &record) == SG_CUPTI_SUCCESS) {
        const uint32_t kind = *(const uint32_t *)record;
        if (kind == SG_CUPTI_KIND_KERNEL || kind == SG_CUPTI_KIND_CONCURRENT_KERNEL)
            keep_record(record);
    }
    sg_output_head()->dropped += dropped;
    if (pool.count < POOL_MOST)
        pool.free[pool.count++] = buffer;
    else
        free(buffer);
}

static void flush_at_times(void)
{
    const uint64_t before = sg_inject_now_ns();
    if (before < __atomic_load_n(&next_flush_ns, __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&next_flush_ns, before + FLUSH_MOST_NS, __ATOMIC_RELAXED);
    cupti.flush(0);
    const uint64_t after = sg_inject_now_ns(), pause = (after - before) * FLUSH_SHARE;
    __atomic_store_n(&next_flush_ns, after + (pause < FLUSH_MOST_NS ? pause : FLUSH_MOST_NS),
                     __ATOMIC_RELAXED);
}

/* ---- calls of the driver ---- */

/* Returns the number of kernels that the call will run; 0: the call is captured into a graph. */
static uint32_t kernels_of(const struct sg_cupti_call *call, enum call_kind kind)
{
    void *stream = kind == CALL_LAUNCH
                       ? ((const struct sg_launch_parameters *)call->parameters)->stream
                   : kind == CALL_LAUNCH_EX
                       ? ((const struct sg_launch_ex_parameters *)call->parameters)->config->stream
                       : ((const struct sg_graph_launch_parameters *)call->parameters)->stream;
    int status = 0;
    if (!stream && is_per_thread(call->function))
        stream = SG_STREAM_PER_THREAD;
    if (driver.is_capturing && driver.is_capturing(stream, &status) == 0 && status != 0)
        return 0;
    return kind == CALL_GRAPH
               ? sg_graphs_kernels(
                     ((const struct sg_graph_launch_parameters *)call->parameters)->executable)
               : 1;
}

/* Counts a launch with the geometry from its arguments, in a counting start. */
static void count_launch(const struct sg_cupti_call *data, enum call_kind kind)
{
    if (kind == CALL_GRAPH) {
        if (data->site == SG_CUPTI_ENTER)
            sg_count_end(NULL);
        return;
    }
    if (data->site == SG_CUPTI_EXIT) {
        if (*data->own)
            sg_count_leave(data, &driver);
        return;
    }
    *data->own = kernels_of(data, kind);
    if (*data->own == 0)
        return;
    const struct sg_launch_parameters *plain = data->parameters;
    const struct sg_launch_config *config =
        ((const struct sg_launch_ex_parameters *)data->parameters)->config;
    const bool is_plain = kind == CALL_LAUNCH;
    struct sg_trace_series_key key = {.range = sg_ranges_current(),
                                      .dynamic_shared = is_plain ? plain->shared : config->shared};
    memcpy(key.grid, is_plain ? plain->grid : config->grid, sizeof(key.grid));
    memcpy(key.block, is_plain ? plain->block : config->block, sizeof(key.block));
    sg_count_enter(data, &key);
}

static uint64_t *count_of(uint64_t kernels)
{
    struct sg_trace_head *head = sg_output_head();
    return kernels == SG_KERNELS_UNKNOWN ? &head->graphs : &head->launches;
}

static void on_launch(const struct sg_cupti_call *data, enum call_kind kind)
{
    if (is_counting) {
        count_launch(data, kind);
        return;
    }
    if (data->site == SG_CUPTI_ENTER) {
        struct sg_launch_call call = {.kernels = kernels_of(data, kind),
                                      .range = sg_ranges_current()};
        *data->own = call.kernels;
        if (call.kernels == 0)
            return;
        cupti.timestamp(&call.time_ns);
        SG_INJECT_LOCKED;
        call.before = sg_output_head()->launches;
        *count_of(call.kernels) += call.kernels == SG_KERNELS_UNKNOWN ? 1 : call.kernels;
        sg_launches_begin(data->correlation, &call);
    } else if (*data->result != 0 && *data->own != 0) {
        SG_INJECT_LOCKED;
        *count_of(*data->own) -= *data->own == SG_KERNELS_UNKNOWN ? 1 : *data->own;
        sg_launches_cancel(data->correlation);
    }
}

static void on_call(const struct sg_cupti_call *data, uint32_t id)
{
    const enum call_kind kind = id < CALLS_MOST ? kind_of[id] : CALL_OTHER;
    const bool has_returned = data->site == SG_CUPTI_EXIT;
    if (kind == CALL_LAUNCH || kind == CALL_LAUNCH_EX || kind == CALL_GRAPH)
        on_launch(data, kind);
    else if (kind == CALL_INSTANTIATE && has_returned && *data->result == 0) {
        const struct sg_graph_instantiate_parameters *given = data->parameters;
        sg_graphs_add(&driver, *given->executable, given->graph);
    } else if (kind == CALL_CHANGE && has_returned)
        sg_graphs_change(((const struct sg_graph_change_parameters *)data->parameters)->executable);
    else if (kind == CALL_CAPTURE && !has_returned && is_counting)
        sg_count_end(NULL);
    else if (kind == CALL_WAIT && has_returned && is_counting)
        sg_count_pause();
    else if (kind == CALL_WAIT && has_returned)
        flush_at_times();
}

static void on_callback(void *user, uint32_t domain, uint32_t id, const void *data)
{
    (void)user;
    if (!sg_inject_is_on())
        return;
    if (domain == SG_CUPTI_DRIVER)
        on_call(data, id);
    else if (domain == SG_CUPTI_RESOURCE && id == SG_CUPTI_CONTEXT_DESTROY_STARTING) {
        if (is_counting)
            sg_count_end(((const struct sg_cupti_resource *)data)->context);
        else
            cupti.flush(0);
    } else if (domain == SG_CUPTI_RESOURCE && id == SG_CUPTI_MODULE_LOADED) {
        const struct sg_cupti_module *module = ((const struct sg_cupti_resource *)data)->descriptor;
        SG_INJECT_LOCKED;
        sg_codes_add(module->image, module->bytes);
    }
}

/* ---- the libraries ---- */

static bool bind_cupti(void *library)
{
#define X(member, symbol, arguments)                   \
    *(void **)&cupti.member = dlsym(library, #symbol); \
    if (!cupti.member)                                 \
        return false;
    SG_INJECT_CUPTI_TABLE(X)
#undef X
    return true;
}

/* Tries the library already in the process, then the loader's, then the toolkit's: a path would
 * load a second copy. */
static void *open_cupti(void)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12"};
    const char *path = sg_inject_option[SG_TRACE_CUPTI];
    void *library = NULL;
    for (size_t i = 0; !library && i < 4; i++)
        library = dlopen(names[i % 2], RTLD_NOW | RTLD_GLOBAL | (i < 2 ? RTLD_NOLOAD : 0));
    const char *why = library ? NULL : dlerror();
    if (!library && path && *path)
        library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        sg_output_flag(SG_TRACE_NO_CUPTI, "%s", why ? why : "not found");
        return NULL;
    }
    if (!bind_cupti(library)) {
        sg_output_flag(SG_TRACE_NO_CUPTI, "it is older than CUDA 12.6");
        return NULL;
    }
    uint32_t version = 0;
    cupti.version(&version);
    sg_output_head()->cupti = version;
    return library;
}

static void open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return;
#define X(member, symbol, arguments) *(void **)&driver.member = dlsym(library, #symbol);
    SG_INJECT_DRIVER_TABLE(X)
#undef X
}

static bool check(int result, const char *call, enum sg_trace_flag flag)
{
    const char *words = NULL;
    if (result == SG_CUPTI_SUCCESS)
        return true;
    cupti.result_words(result, &words);
    sg_output_flag(flag, "%s: %s (%d)", call, words ? words : "error", result);
    return false;
}

static bool enable_activity(void)
{
    uint8_t per_thread = 0;
    size_t size = sizeof(per_thread);
    /* one queue for all threads completes sooner */
    cupti.set_attribute(SG_CUPTI_ATTRIBUTE_PER_THREAD_BUFFER, &size, &per_thread);
    return check(cupti.register_buffers(on_requested, on_completed),
                 "cuptiActivityRegisterCallbacks", SG_TRACE_NO_CUPTI) &&
           check(cupti.enable_activity(SG_CUPTI_KIND_CONCURRENT_KERNEL), "cuptiActivityEnable",
                 SG_TRACE_NO_CUPTI);
}

static void enable_callbacks(void)
{
    static const uint32_t resources[] = {SG_CUPTI_CONTEXT_DESTROY_STARTING, SG_CUPTI_MODULE_LOADED};
    if (!check(cupti.subscribe(&subscriber, on_callback, NULL), "cuptiSubscribe",
               SG_TRACE_NO_CALLBACKS)) {
        subscriber = NULL;
        return;
    }
    /* An older CUPTI rejects the newest calls, which its driver lacks too. */
    for (uint32_t id = 0; id < CALLS_MOST; id++)
        if (kind_of[id] != CALL_OTHER)
            cupti.enable_callback(1, subscriber, SG_CUPTI_DRIVER, id);
    for (size_t i = 0; i < sizeof(resources) / sizeof(resources[0]); i++)
        check(cupti.enable_callback(1, subscriber, SG_CUPTI_RESOURCE, resources[i]),
              "cuptiEnableCallback", SG_TRACE_NO_CALLBACKS);
}

void sg_collect_start(void)
{
    open_driver();
    void *library = open_cupti();
    is_counting = library && sg_count_open(library);
    if (library && (is_counting || enable_activity()))
        enable_callbacks();
}

void sg_collect_begin_range(uint32_t name, const char *text)
{
    if (is_counting && sg_inject_is_on())
        sg_count_begin_range(name, text, &driver);
}

void sg_collect_end_range(void)
{
    if (is_counting && sg_inject_is_on())
        sg_count_end_range(&driver);
}

/* ---- end of the process ---- */

static int add_copy(struct dl_phdr_info *info, size_t size, void *user)
{
    char *list = user;
    (void)size;
    if (info->dlpi_name && strstr(info->dlpi_name, "libcupti.so")) {
        const size_t length = strlen(list);
        snprintf(list + length, sizeof(((struct sg_trace_head *)NULL)->copies) - length, "%s%s",
                 length ? ", " : "", info->dlpi_name);
    }
    return 0;
}

static bool is_complete(uint64_t *records)
{
    SG_INJECT_LOCKED;
    *records = sg_output_head()->records;
    return *records >= sg_output_head()->launches;
}

void sg_collect_stop(void)
{
    uint32_t enabled = 0;
    dl_iterate_phdr(add_copy, sg_output_head()->copies);
    if (!subscriber)
        return;
    if (cupti.callback_state(&enabled, subscriber, SG_CUPTI_DRIVER, 307) != SG_CUPTI_SUCCESS ||
        !enabled) {
        sg_output_flag(SG_TRACE_SWITCHED_OFF, "%s", "");
        return;
    }
    if (is_counting) {
        sg_count_end(NULL);
        return;
    }
    cupti.flush(0);
    uint64_t before = 0, now;
    for (unsigned waited = 0; waited < LAST_WAIT_MS && !is_complete(&now); waited++) {
        waited = now > before ? 0 : waited;
        before = now;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        cupti.flush(0);
    }
    cupti.flush(1);
}
