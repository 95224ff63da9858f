#include "device/cuda/activity.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "device/gate_host.h"
#include "results/row_kind.h"
#include "util/intern.h"
#include "util/text.h"

/* several times a usual batch; CUPTI zeroes a whole buffer first, while the device waits */
#define BUFFER_BYTES     (1u << 16)
#define BUFFER_ALIGNMENT 8
#define FLUSHES_MAX      2000
/* flushes without a pause: the last record is late by less than the shortest sleep */
#define FLUSHES_ON_END 16
#define FLUSH_PAUSE_NS 50000

/* Global, because CUPTI's buffer callbacks have no user pointer. They may run in a thread of
 * CUPTI when a buffer is full. */
static struct {
    pthread_mutex_t lock;
    struct sg_cupti *cupti;
    struct sg_activity *records;
    size_t count, capacity, stamps, timeless;
    struct sg_intern_pool *names; /* kernel names; CUPTI's copies disappear with their module */
    bool broken;                  /* a record that CUPTI could not return */
} recorder = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *buffer = aligned_alloc(BUFFER_ALIGNMENT, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *max_records = 0;
}

static void keep(const struct sg_activity *record)
{
    *SG_APPEND(recorder.records, recorder.count, recorder.capacity) = *record;
    recorder.stamps += sg_activity_is_stamp(record);
    recorder.timeless += record->end_ns == 0;
}

static const char *keep_name(const char *name)
{
    return name ? sg_intern_string(&recorder.names, name) : NULL;
}

/* CUPTI's record structs share only the names of these members. The types are those of CUDA
 * 12.6, the oldest supported; later ones append members. */
#define KEEP(type, of_kind, ...)                                                     \
    keep(&(struct sg_activity){.start_ns = ((const type *)record)->start,            \
                               .end_ns = ((const type *)record)->end,                \
                               .kind = (of_kind),                                    \
                               .stream = ((const type *)record)->streamId,           \
                               .context = ((const type *)record)->contextId,         \
                               .graph = ((const type *)record)->graphId,             \
                               .correlation = ((const type *)record)->correlationId, \
                               __VA_ARGS__})

/* Only a gate of Python reports what its functions launched. */
static const char *keep_launched(const CUpti_ActivityKernel9 *kernel)
{
    if (!sg_gate_host || !kernel->name)
        return NULL;
    SG_FORMATTED(words, SG_CHOICE_SEPARATOR "%s, " SG_GEOMETRY_WORDS ", %u registers", kernel->name,
                 (unsigned)kernel->gridX, (unsigned)kernel->gridY, (unsigned)kernel->gridZ,
                 (unsigned)kernel->blockX, (unsigned)kernel->blockY, (unsigned)kernel->blockZ,
                 (unsigned)kernel->dynamicSharedMemory, (unsigned)kernel->registersPerThread);
    return keep_name(words.data);
}

static void keep_record(const CUpti_Activity *record)
{
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        KEEP(CUpti_ActivityKernel9, SG_ACTIVITY_KERNEL,
             .name = keep_name(((const CUpti_ActivityKernel9 *)record)->name),
             .launched = keep_launched((const CUpti_ActivityKernel9 *)record));
        break;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        KEEP(CUpti_ActivityMemcpy5, SG_ACTIVITY_COPY);
        break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        KEEP(CUpti_ActivityMemcpyPtoP4, SG_ACTIVITY_COPY);
        break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
        KEEP(CUpti_ActivityMemset4, SG_ACTIVITY_SET);
        break;
    default:
        break;
    }
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer,
                                      size_t size, size_t valid)
{
    (void)context;
    (void)stream;
    (void)size;
    CUpti_Activity *record = NULL;
    CUptiResult result = CUPTI_SUCCESS;
    pthread_mutex_lock(&recorder.lock);
    while (valid > 0 &&
           (result = recorder.cupti->activity_next(buffer, valid, &record)) == CUPTI_SUCCESS)
        keep_record(record);
    if (result != CUPTI_SUCCESS && result != CUPTI_ERROR_MAX_LIMIT_REACHED)
        recorder.broken = true;
    pthread_mutex_unlock(&recorder.lock);
    free(buffer);
}

/* By default each thread has a queue, and one may be empty while another is not. Older libraries
 * have only one queue. */
static void queue_for_all_threads(const struct sg_cupti *cupti)
{
    uint8_t per_thread = 0;
    size_t size = sizeof(per_thread);
    cupti->activity_attribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &size, &per_thread);
}

enum sg_code sg_activity_switch(const struct sg_cupti *cupti, bool on, struct sg_err *err)
{
    static const CUpti_ActivityKind kinds[] = {
        CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};
    for (size_t i = 0; err->code == SG_SUCCESS && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        sg_cupti_check(cupti,
                       on ? cupti->activity_enable(kinds[i]) : cupti->activity_disable(kinds[i]),
                       on ? "cuptiActivityEnable" : "cuptiActivityDisable", err);
    return err->code;
}

enum sg_code sg_activity_open(struct sg_cupti *cupti, struct sg_err *err)
{
    recorder.cupti = cupti;
    queue_for_all_threads(cupti);
    return sg_cupti_check(cupti, cupti->activity_register(buffer_requested, buffer_completed),
                          "cuptiActivityRegisterCallbacks", err) == SG_SUCCESS
               ? sg_activity_switch(cupti, true, err)
               : err->code;
}

void sg_activity_begin(void)
{
    pthread_mutex_lock(&recorder.lock);
    recorder.count = recorder.stamps = recorder.timeless = 0;
    recorder.broken = false;
    pthread_mutex_unlock(&recorder.lock);
}

static size_t stamps_so_far(void)
{
    pthread_mutex_lock(&recorder.lock);
    size_t stamps = recorder.stamps;
    pthread_mutex_unlock(&recorder.lock);
    return stamps;
}

static int by_start(const void *left, const void *right)
{
    const struct sg_activity *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static enum sg_code flush(const struct sg_cupti *cupti, struct sg_err *err)
{
    return sg_cupti_check(cupti, cupti->activity_flush(0), "cuptiActivityFlushAll", err);
}

enum sg_code sg_activity_take(struct sg_cupti *cupti, size_t stamps, struct sg_activity **records,
                              size_t *count, struct sg_err *err)
{
    /* CUPTI returns a buffer only when all its records are complete, slightly later than the
     * device. */
    for (int i = 0; i < FLUSHES_MAX && stamps_so_far() < stamps; i++) {
        if (i >= FLUSHES_ON_END)
            nanosleep(&(struct timespec){.tv_nsec = FLUSH_PAUSE_NS}, NULL);
        if (flush(cupti, err) != SG_SUCCESS)
            return err->code;
    }
    /* One more flush, for a buffer that was still incomplete when the last stamp's buffer came. */
    if (flush(cupti, err) != SG_SUCCESS)
        return err->code;
    size_t dropped = 0;
    cupti->activity_dropped(NULL, 0, &dropped);
    pthread_mutex_lock(&recorder.lock);
    if (recorder.broken || dropped > 0 || recorder.timeless > 0 || recorder.stamps < stamps)
        sg_fail(err, SG_INVALID, "CUPTI activity",
                "CUPTI returned %zu of %zu clock stamps, dropped %zu records and left %zu "
                "without times",
                recorder.stamps, stamps, dropped, recorder.timeless);
    else
        qsort(recorder.records, recorder.count, sizeof(*recorder.records), by_start);
    *records = recorder.records;
    *count = recorder.count;
    pthread_mutex_unlock(&recorder.lock);
    return err->code;
}
