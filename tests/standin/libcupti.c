/* The stand-in of libcupti: see standin.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/file.h>

#include "inject/profiler_abi.h"
#include "standin.h"

#define PENDING_MOST    200000
#define DOMAINS         8
#define CALLBACKS       1024
#define MULTIPLE        SG_CUPTI_MULTIPLE_SUBSCRIBERS
#define NOT_INITIALIZED 15

static sg_cupti_callback the_callback;
static void *the_user;
static const char *the_symbol;
static char contexts[4];
static uint64_t the_time = UINT64_C(1000000000000000000);
static unsigned the_context;
static unsigned char enabled[DOMAINS][CALLBACKS];
static sg_cupti_requested requested;
static sg_cupti_completed completed;
static struct sg_cupti_kernel *pending;
static size_t pending_count;
static unsigned to_drop;
static size_t dropped;
static int is_active, is_final;

/* ---- for the driver ---- */

uint64_t standin_now(void)
{
    return __atomic_add_fetch(&the_time, 1, __ATOMIC_RELAXED);
}

void standin_pass(uint64_t ns)
{
    __atomic_add_fetch(&the_time, ns, __ATOMIC_RELAXED);
}

void standin_symbol(const char *symbol)
{
    the_symbol = symbol;
}

void standin_context(unsigned number)
{
    the_context = number % 4;
}

void standin_call(uint32_t id, const char *function, uint32_t site, const void *parameters,
                  const int *result, uint64_t *own, uint32_t correlation)
{
    const struct sg_cupti_call call = {.site = site,
                                       .function = function,
                                       .parameters = parameters,
                                       .result = result,
                                       .own = own,
                                       .symbol = the_symbol,
                                       .context = &contexts[the_context],
                                       .correlation = correlation};
    if (the_callback && enabled[SG_CUPTI_DRIVER][id])
        the_callback(the_user, SG_CUPTI_DRIVER, id, &call);
}

void standin_resource(uint32_t id, const void *descriptor)
{
    const struct sg_cupti_resource resource = {.descriptor = descriptor};
    if (the_callback && enabled[SG_CUPTI_RESOURCE][id])
        the_callback(the_user, SG_CUPTI_RESOURCE, id, &resource);
}

void standin_drop(unsigned count)
{
    to_drop = count;
}

void standin_record(const struct sg_cupti_kernel *record)
{
    if (!is_active || is_final)
        return;
    if (to_drop > 0) {
        to_drop--;
        dropped++;
        return;
    }
    if (!pending)
        pending = calloc(PENDING_MOST, sizeof(*pending));
    if (pending && pending_count < PENDING_MOST)
        pending[pending_count++] = *record;
}

/* ---- the range profiler: a counter of a launch is its blocks times what its name is worth ---- */

#define RANGES_MOST 64
static int is_counting, is_in_range;
static size_t counted, grids[RANGES_MOST], most_counted;

/* 1 is that of ipc. */
static size_t worth_of(const char *name)
{
    const size_t length = strlen(name), same = strlen("sm__inst_executed.avg.per_cycle_active");
    return length > same ? length - same + 1 : same - length + 1;
}

/* Counters that a pass has room for: STANDIN_PER_PASS, or all. A throughput takes two by itself. */
struct host {
    size_t count, alone;
};

static size_t passes_of(const struct host *host)
{
    const char *given = getenv("STANDIN_PER_PASS");
    const size_t room = given ? (size_t)atoi(given) : SIZE_MAX;
    const size_t shared = given ? (host->count + room - 1) / room : 1;
    return shared > host->alone ? shared : host->alone;
}

void standin_count(const struct sg_cupti_kernel *kernel)
{
    if (!is_counting)
        return;
    if (strcmp(kernel->name, "stuck") == 0)
        for (;;)
            pause();
    const size_t range = is_in_range ? 0 : counted++;
    if (range < RANGES_MOST)
        grids[range] += (size_t)kernel->grid[0];
}

#define OFFERS(symbol, type)        \
    int symbol(struct type *given); \
    int symbol(struct type *given)

OFFERS(cuptiProfilerInitialize, sg_profiler_initialize)
{
    return given->size == SG_PROFILER_SIZE(sg_profiler_initialize, reserved) ? 0 : 1;
}

OFFERS(cuptiDeviceGetChipName, sg_profiler_chip)
{
    given->name = "GH100";
    return 0;
}

/* The counters are of one context at a time. A range profiler keeps its first configuration, and
 * has to be asked for the size of its data. */
static const void *enabled_for;

/* STANDIN_CLIENT: a file that who has the counters holds, of several processes. */
static int client = -1;

static int is_free(void)
{
    const char *path = getenv("STANDIN_CLIENT");
    client = client < 0 && path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : client;
    return !path || flock(client, LOCK_EX | LOCK_NB) == 0;
}
static uint32_t configured[2];
static size_t sized;

OFFERS(cuptiProfilerGetCounterAvailability, sg_profiler_availability)
{
    given->image_size = 8;
    if (enabled_for || !is_free())
        return 26;
    flock(client, LOCK_UN);
    return getenv("STANDIN_NO_COUNTERS") ? atoi(getenv("STANDIN_NO_COUNTERS")) : 0;
}

OFFERS(cuptiProfilerHostInitialize, sg_host_initialize)
{
    given->host = calloc(1, sizeof(struct host));
    return !given->host;
}

OFFERS(cuptiProfilerHostDeinitialize, sg_host_only)
{
    free(given->host);
    return 0;
}

OFFERS(cuptiProfilerHostConfigAddMetrics, sg_host_add)
{
    struct host *host = given->host;
    host->count += given->count;
    for (size_t i = 0; i < given->count; i++)
        if (strstr(given->names[i], "sm__throughput"))
            host->alone = 2;
    return given->count == 0;
}

OFFERS(cuptiProfilerHostGetConfigImageSize, sg_host_image_size)
{
    given->image_size = 8;
    return 0;
}

OFFERS(cuptiProfilerHostGetConfigImage, sg_host_image)
{
    const struct host *host = given->host;
    const uint32_t image[2] = {(uint32_t)passes_of(host), (uint32_t)host->count};
    memcpy(given->image, image, sizeof(image));
    return 0;
}

OFFERS(cuptiProfilerHostGetNumOfPasses, sg_host_passes)
{
    uint32_t image[2];
    memcpy(image, given->image, sizeof(image));
    given->passes = image[0];
    return 0;
}

OFFERS(cuptiProfilerHostEvaluateToGpuValues, sg_host_evaluate)
{
    for (size_t i = 0; i < given->count; i++)
        given->values[i] = (double)(grids[given->range] * worth_of(given->names[i]));
    return given->range >= counted;
}

OFFERS(cuptiRangeProfilerEnable, sg_range_enable)
{
    given->range = &counted;
    if (enabled_for || !is_free())
        return 26;
    enabled_for = given->context;
    configured[0] = 0;
    sized = 0;
    return 0;
}

OFFERS(cuptiRangeProfilerDisable, sg_range_only)
{
    enabled_for = NULL;
    flock(client, LOCK_UN);
    return given->range != &counted;
}

OFFERS(cuptiRangeProfilerGetCounterDataSize, sg_range_data_size)
{
    given->data_size = 8 + given->count;
    sized = given->data_size;
    return 0;
}

OFFERS(cuptiRangeProfilerCounterDataImageInitialize, sg_range_data_init)
{
    return given->data_size == sized ? 0 : 999;
}

OFFERS(cuptiRangeProfilerSetConfig, sg_range_config)
{
    uint32_t image[2];
    memcpy(image, given->config, sizeof(image));
    if (configured[0] == 0)
        memcpy(configured, image, sizeof(image));
    if (memcmp(configured, image, sizeof(image)) != 0)
        return 999;
    most_counted = given->most_ranges;
    return given->replay != (image[0] == 1 ? SG_PROFILER_USER_REPLAY : SG_PROFILER_KERNEL_REPLAY) ||
           (given->range_kind == SG_PROFILER_USER_RANGE && image[0] != 1);
}

OFFERS(cuptiRangeProfilerStart, sg_range_only)
{
    const int is_begun = is_counting;
    counted = 0;
    memset(grids, 0, sizeof(grids));
    is_in_range = 0;
    is_counting = 1;
    return given->range != &counted || is_begun;
}

OFFERS(cuptiRangeProfilerPushRange, sg_range_push)
{
    is_in_range = given->name != NULL;
    return 0;
}

OFFERS(cuptiRangeProfilerPopRange, sg_range_only)
{
    counted = 1;
    return given->range != &counted || !is_in_range;
}

OFFERS(cuptiRangeProfilerStop, sg_range_stop)
{
    const int is_begun = is_counting;
    is_counting = 0;
    given->is_all = 1;
    return !is_begun || counted > most_counted;
}

OFFERS(cuptiRangeProfilerDecodeData, sg_range_decode)
{
    given->dropped = 0;
    return 0;
}

OFFERS(cuptiRangeProfilerGetCounterDataInfo, sg_range_info)
{
    given->ranges =
        counted + (getenv("STANDIN_CHILD") && counted > 1); /* a kernel that a kernel launched */
    return 0;
}

/* ---- CUPTI ---- */

int cuptiGetVersion(uint32_t *version);
int cuptiGetVersion(uint32_t *version)
{
    *version = 130001;
    return 0;
}

int cuptiGetResultString(int result, const char **words);
int cuptiGetResultString(int result, const char **words)
{
    *words = result == MULTIPLE ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                                : "CUPTI_ERROR_UNKNOWN";
    return 0;
}

int cuptiGetTimestamp(uint64_t *time);
int cuptiGetTimestamp(uint64_t *time)
{
    *time = standin_now();
    return 0;
}

int cuptiSubscribe(void **subscriber, sg_cupti_callback callback, void *user);
int cuptiSubscribe(void **subscriber, sg_cupti_callback callback, void *user)
{
    if (the_callback)
        return MULTIPLE;
    the_callback = callback;
    the_user = user;
    *subscriber = &the_callback;
    return 0;
}

int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t id);
int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t id)
{
    if (subscriber != &the_callback || domain >= DOMAINS || id >= CALLBACKS)
        return 1;
    enabled[domain][id] = enable != 0;
    return 0;
}

int cuptiGetCallbackState(uint32_t *state, void *subscriber, uint32_t domain, uint32_t id);
int cuptiGetCallbackState(uint32_t *state, void *subscriber, uint32_t domain, uint32_t id)
{
    if (is_final || subscriber != &the_callback)
        return NOT_INITIALIZED;
    *state = enabled[domain][id];
    return 0;
}

int cuptiActivityRegisterCallbacks(sg_cupti_requested request, sg_cupti_completed complete);
int cuptiActivityRegisterCallbacks(sg_cupti_requested request, sg_cupti_completed complete)
{
    requested = request;
    completed = complete;
    return 0;
}

int cuptiActivitySetAttribute(int attribute, size_t *size, void *value);
int cuptiActivitySetAttribute(int attribute, size_t *size, void *value)
{
    (void)attribute;
    (void)size;
    (void)value;
    return 0;
}

int cuptiActivityEnable(uint32_t kind);
int cuptiActivityEnable(uint32_t kind)
{
    is_active |= kind == SG_CUPTI_KIND_CONCURRENT_KERNEL;
    return 0;
}

/* A buffer at a time, as long as there are records. */
int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    for (size_t at = 0; !is_final && at < pending_count;) {
        uint8_t *buffer = NULL;
        size_t size = 0, most = 0;
        requested(&buffer, &size, &most);
        size_t count = size / sizeof(*pending);
        if (!buffer || count == 0)
            break;
        if (count > pending_count - at)
            count = pending_count - at;
        memcpy(buffer, pending + at, count * sizeof(*pending));
        at += count;
        completed(NULL, 0, buffer, size, count * sizeof(*pending));
    }
    pending_count = 0;
    return 0;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t size, void **record);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t size, void **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + sizeof(*pending) : buffer;
    if (next + sizeof(*pending) > buffer + size)
        return SG_CUPTI_MAX_LIMIT_REACHED;
    *record = next;
    return 0;
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *count)
{
    (void)context;
    (void)stream;
    *count = dropped;
    dropped = 0;
    return 0;
}

int cuptiFinalize(void);
int cuptiFinalize(void)
{
    is_final = 1;
    the_callback = NULL;
    return 0;
}
