#include "cuda_activity.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda_stamp.h"
#include "text.h"

#define BUFFER_BYTES     (1u << 20)
#define BUFFER_ALIGNMENT 8
#define FLUSHES_MAX      2000
#define FLUSH_PAUSE_NS   50000

/* CUPTI's buffer callbacks have no user pointer, and come from a thread of its own when a buffer fills up. */
static struct {
    pthread_mutex_t lock;
    struct sg_cupti *cupti;
    struct sg_span *spans;
    size_t count, capacity, stamps;
    bool broken; /* a record CUPTI could not hand over */
} recorder = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *buffer = aligned_alloc(BUFFER_ALIGNMENT, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *max_records = 0;
}

static void keep(const struct sg_span *span)
{
    recorder.spans = sg_grow(recorder.spans, &recorder.capacity, recorder.count + 1, sizeof(*recorder.spans));
    recorder.spans[recorder.count++] = *span;
    recorder.stamps += span->stamp;
}

static void keep_record(const CUpti_Activity *record)
{
    if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
        const CUpti_ActivityKernel10 *kernel = (const CUpti_ActivityKernel10 *)record;
        keep(&(struct sg_span){
            .start_ns = kernel->start,
            .end_ns = kernel->end,
            .stamp = kernel->name && strcmp(kernel->name, SG_STAMP_KERNEL) == 0,
            .kernel = true,
        });
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
        const CUpti_ActivityMemcpy6 *copy = (const CUpti_ActivityMemcpy6 *)record;
        keep(&(struct sg_span){.start_ns = copy->start, .end_ns = copy->end});
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
        const CUpti_ActivityMemset4 *set = (const CUpti_ActivityMemset4 *)record;
        keep(&(struct sg_span){.start_ns = set->start, .end_ns = set->end});
    }
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    (void)context;
    (void)stream;
    (void)size;
    CUpti_Activity *record = NULL;
    CUptiResult result = CUPTI_SUCCESS;
    pthread_mutex_lock(&recorder.lock);
    while (valid > 0 && (result = recorder.cupti->activity_next(buffer, valid, &record)) == CUPTI_SUCCESS)
        keep_record(record);
    if (result != CUPTI_SUCCESS && result != CUPTI_ERROR_MAX_LIMIT_REACHED)
        recorder.broken = true;
    pthread_mutex_unlock(&recorder.lock);
    free(buffer);
}

enum sg_code sg_activity_open(struct sg_cupti *cupti, struct sg_err *err)
{
    static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                               CUPTI_ACTIVITY_KIND_MEMSET};
    recorder.cupti = cupti;
    enum sg_code code =
        sg_cupti_check(cupti, cupti->activity_register(buffer_requested, buffer_completed), "cuptiActivityRegisterCallbacks", err);
    for (size_t i = 0; code == SG_DONE && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        code = sg_cupti_check(cupti, cupti->activity_enable(kinds[i]), "cuptiActivityEnable", err);
    return code;
}

void sg_activity_begin(void)
{
    pthread_mutex_lock(&recorder.lock);
    recorder.count = recorder.stamps = 0;
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
    const struct sg_span *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

enum sg_code sg_activity_take(struct sg_cupti *cupti, size_t stamps, const struct sg_span **spans, size_t *count, struct sg_err *err)
{
    /* A buffer is handed over only when all its records are complete, which lags a little behind the device. */
    for (int i = 0; i < FLUSHES_MAX && stamps_so_far() < stamps; i++) {
        if (i > 0)
            nanosleep(&(struct timespec){.tv_nsec = FLUSH_PAUSE_NS}, NULL);
        if (sg_cupti_check(cupti, cupti->activity_flush(0), "cuptiActivityFlushAll", err) != SG_DONE)
            return err->code;
    }
    size_t dropped = 0;
    cupti->activity_dropped(NULL, 0, &dropped);
    if (recorder.broken || dropped > 0 || recorder.stamps != stamps)
        return sg_fail(err, SG_INVALID, "CUPTI activity", "%zu of %zu clock stamps came back, %zu records were dropped", recorder.stamps,
                       stamps, dropped);
    qsort(recorder.spans, recorder.count, sizeof(*recorder.spans), by_start);
    *spans = recorder.spans;
    *count = recorder.count;
    return SG_DONE;
}
