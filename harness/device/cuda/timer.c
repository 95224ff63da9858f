#include "device/cuda/timer.h"
#include "solgate_cuda_error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/gate_host.h"
#include "results/row_kind.h"
#include "util/intern.h"
#include "util/text.h"

#define SPIN_TIMES  1.5 /* multiple of the host's time for a launch */
#define SPIN_NS_MAX 5e6

enum sg_code sg_cuda_timer_init(struct sg_cuda_timer *timer, struct sg_cuda_work *work,
                                struct sg_cupti *cupti, struct sg_err *err)
{
    *timer = (struct sg_cuda_timer){.work = work, .cupti = cupti};
    if (sg_stamper_init(&timer->stamper, work->cuda, err) != SG_SUCCESS)
        return err->code;
    timer->calls.cupti = cupti;
    const size_t events = cupti ? 2 : sizeof(timer->events) / sizeof(timer->events[0]);
    for (size_t i = 0; i < events; i++) {
        if (sg_cuda_check(work->cuda, work->cuda->event_create(&timer->events[i], CU_EVENT_DEFAULT),
                          "cuEventCreate", err) != SG_SUCCESS)
            return err->code;
    }
    if (!cupti)
        return SG_SUCCESS;
    if (sg_activity_open(cupti, err) != SG_SUCCESS ||
        sg_calls_open(&timer->calls, err) != SG_SUCCESS ||
        sg_calls_show(&timer->calls, SG_CALL_HOST, true, err) != SG_SUCCESS)
        return err->code;
    return sg_calls_show_modules(&timer->calls, err);
}

void sg_cuda_timer_release(struct sg_cuda_timer *timer)
{
    if (!timer->work)
        return;
    if (timer->cupti)
        sg_calls_close(&timer->calls);
    sg_stamper_release(&timer->stamper, timer->work->cuda);
    sg_intern_pool_free(timer->launched);
}

void sg_cuda_timer_begin_item(struct sg_cuda_timer *timer)
{
    timer->seen_count = 0;
}

/* Index of the runnable in `seen`. *is_new: true for its first batch. */
static unsigned slot_of(struct sg_cuda_timer *timer, const struct sg_runnable *what, bool *is_new)
{
    const unsigned known =
        timer->seen_count < SG_KNOWN_RUNNABLES ? timer->seen_count : SG_KNOWN_RUNNABLES;
    *is_new = false;
    for (unsigned i = 0; i < known; i++)
        if (timer->seen[i] == what)
            return i;
    const unsigned slot = timer->seen_count++ % SG_KNOWN_RUNNABLES;
    timer->seen[slot] = what;
    timer->host_ns[slot] = INFINITY;
    *is_new = true;
    return slot;
}

static CUresult mark_behind(struct sg_cuda_timer *timer, unsigned index, double spin_ns)
{
    const CUresult result = sg_stamper_mark(&timer->stamper, timer->work->cuda, timer->work->stream,
                                            index, (uint64_t)spin_ns);
    timer->stamps += result == CUDA_SUCCESS;
    return result;
}

static CUresult mark(struct sg_cuda_timer *timer, unsigned index)
{
    return mark_behind(timer, index, 0);
}

/* Indices of the stamps around all launches, including the warm-up. */
static unsigned opening(unsigned launches)
{
    return 2 * (launches + 1);
}
static unsigned closing(unsigned launches)
{
    return opening(launches) + 1;
}

/* Starts on an idle device, so that earlier work ends before the batch's first stamp. */
static enum sg_code begin_batch(struct sg_cuda_timer *timer, const struct sg_runnable *what,
                                unsigned launches, struct sg_err *err)
{
    const struct sg_cuda *cuda = timer->work->cuda;
    timer->stamps = 0;
    memset(timer->work->checks, 0, sizeof(timer->work->checks));
    timer->slot = slot_of(timer, what, &timer->first);
    timer->late = 0;
    if (!timer->cupti)
        return SG_SUCCESS;
    CUresult result = cuda->context_synchronize();
    sg_activity_begin();
    SG_THEN(result, mark(timer, opening(launches)));
    sg_calls_begin_watch(&timer->calls);
    return sg_cuda_check(cuda, result, "waiting for the device before a batch", err);
}

/* Waits for all work of the context, and then for one more stamp: once its record has arrived,
 * so have all earlier records. */
static CUresult end_batch(struct sg_cuda_timer *timer, unsigned launches)
{
    const struct sg_cuda *cuda = timer->work->cuda;
    CUresult result = cuda->context_synchronize();
    if (!timer->cupti)
        return result;
    SG_THEN(result, mark(timer, closing(launches)));
    return result == CUDA_SUCCESS ? cuda->context_synchronize() : result;
}

/* A program may need longer to enqueue its kernels than they run. So the device spins meanwhile,
 * longer than the host needed in an undisturbed warm-up launch of the slower side: a spin of
 * milliseconds lowers the clock, which must be the same for both sides. A launch that takes still
 * longer waits for the device. */
static double spin_of(const struct sg_cuda_timer *timer, unsigned index)
{
    double longest = timer->host_ns[timer->slot];
    for (unsigned i = 0; i < SG_KNOWN_RUNNABLES && i < timer->seen_count; i++)
        longest = timer->host_ns[i] < INFINITY ? fmax(longest, timer->host_ns[i]) : longest;
    return sg_gate_host && index > 0 ? fmin(SPIN_TIMES * longest, SPIN_NS_MAX) : 0;
}

static void call_launch(struct sg_cuda_timer *timer, const struct sg_runnable *what,
                        const struct sg_launch *launch, unsigned index)
{
    const double begun_s = sg_monotonic_s();
    what->variant->variant->launch(launch);
    const double host_ns = 1e9 * (sg_monotonic_s() - begun_s);
    if (index == 0)
        timer->host_ns[timer->slot] = fmin(host_ns, timer->host_ns[timer->slot]);
    else
        timer->late += sg_gate_host && host_ns > spin_of(timer, index);
}

/* Enqueues one launch between its stamps; without CUPTI also between events. */
static CUresult enqueue_bordered(struct sg_cuda_timer *timer, const struct sg_runnable *what,
                                 unsigned index)
{
    struct sg_cuda_work *work = timer->work;
    struct sg_launch launch = what->launch;
    launch.repeat += index;
    CUresult result = sg_cuda_prepare_launch(work, what);
    SG_THEN(result, mark_behind(timer, 2 * index, spin_of(timer, index)));
    if (result == CUDA_SUCCESS && !timer->cupti)
        result = work->cuda->event_record(timer->events[(size_t)2 * index], work->stream);
    if (result == CUDA_SUCCESS)
        call_launch(timer, what, &launch, index);
    if (result == CUDA_SUCCESS && !timer->cupti)
        result = work->cuda->event_record(timer->events[2 * index + 1], work->stream);
    SG_THEN(result, mark(timer, 2 * index + 1));
    SG_THEN(result, sg_cuda_take_returned(work, what));
    return result;
}

/* The warm-up launch has index 0 of launches + 1. A failure of a hook is in err. */
static CUresult enqueue(struct sg_cuda_timer *timer, const struct sg_runnable *what, unsigned index,
                        unsigned launches, const struct sg_batch_hooks *hooks, struct sg_err *err)
{
    if (hooks && (index > 0 ? hooks->before(hooks->context, index - 1, err)
                            : hooks->before_warm_up(hooks->context, err)) != SG_SUCCESS)
        return CUDA_ERROR_UNKNOWN;
    const CUresult result = enqueue_bordered(timer, what, index);
    if (hooks && result == CUDA_SUCCESS &&
        hooks->after(hooks->context, index > 0 ? index - 1 : launches, err) != SG_SUCCESS)
        return CUDA_ERROR_UNKNOWN;
    return result;
}

static enum sg_status no_time(const struct sg_err *err, struct sg_reason *why)
{
    snprintf(why->text, sizeof(why->text), "no time: %.60s: %.180s", err->where, err->message);
    return SG_UNAVAILABLE;
}

/* After a kernel fault every call fails, so the fault is reported. */
static enum sg_status no_batch(const struct sg_cuda_timer *timer, const struct sg_err *err,
                               struct sg_reason *why)
{
    const struct sg_cuda *cuda = timer->work->cuda;
    const CUresult result = cuda->context_synchronize();
    if (result == CUDA_SUCCESS)
        return no_time(err, why);
    sg_cuda_words(cuda, result, why);
    return sg_cuda_status((int)result, SG_CUDA_ERROR);
}

static enum sg_status judge(struct sg_cuda_timer *timer, const struct sg_runnable *what,
                            struct sg_seen_batch *seen, struct sg_batch *batch,
                            struct sg_reason *why)
{
    struct sg_judged_batch judged;
    SG_SCOPED(sg_text) launched = {0};
    seen->launched = sg_gate_host ? &launched : NULL;
    for (unsigned i = 0; i < seen->launches; i++)
        sg_cuda_work_count(timer->work, what, seen->harness);
    for (unsigned kind = 0; kind < SG_ACTIVITY_KINDS; kind++)
        seen->harness[kind] += timer->work->checks[kind];
    sg_judge_batch(seen, &judged);
    batch->kernels = judged.kernels;
    memcpy(batch->kernel_names, judged.kernel_names, sizeof(batch->kernel_names));
    if (launched.length > 0)
        batch->launched =
            sg_intern_string(&timer->launched, launched.data + strlen(SG_CHOICE_SEPARATOR));
    for (unsigned i = 0; i < batch->launches; i++)
        batch->ns[i] = (double)(judged.end_ns[i + 1] - judged.start_ns[i + 1]);
    if (judged.finding == SG_IN_PLACE)
        return SG_OK;
    *why = judged.why;
    return SG_MISPLACED;
}

static enum sg_status read_activity(struct sg_cuda_timer *timer, const struct sg_runnable *what,
                                    struct sg_batch *batch, struct sg_reason *why)
{
    struct sg_err err = {0};
    struct sg_activity *records = NULL;
    size_t count = 0;
    const char *host_call = sg_calls_end_watch(&timer->calls);
    if (sg_activity_take(timer->cupti, timer->stamps, &records, &count, &err) != SG_SUCCESS)
        return no_time(&err, why);
    sg_calls_mark(&timer->calls, records, count);
    struct sg_seen_batch seen = {
        .records = records,
        .count = count,
        .launches = batch->launches + 1,
        .first = timer->first,
        .host_call = host_call,
    };
    return judge(timer, what, &seen, batch, why);
}

static enum sg_status read_events(struct sg_cuda_timer *timer, struct sg_batch *batch,
                                  struct sg_reason *why)
{
    const struct sg_cuda *cuda = timer->work->cuda;
    for (unsigned i = 0; i < batch->launches; i++) {
        float ms = 0;
        struct sg_err err = {0};
        CUresult result =
            cuda->event_elapsed(&ms, timer->events[2 * i + 2], timer->events[2 * i + 3]);
        if (sg_cuda_check(cuda, result, "cuEventElapsedTime", &err) != SG_SUCCESS)
            return no_time(&err, why);
        batch->ns[i] = (double)ms * 1e6;
    }
    return SG_OK;
}

static double batch_clock(struct sg_cuda_timer *timer, unsigned launches)
{
    struct sg_stamp stamps[SG_MAX_STAMPS];
    size_t count = 2 * (size_t)(launches + 1);
    if (timer->work->cuda->download(stamps, timer->stamper.slots, count * sizeof(stamps[0])) !=
        CUDA_SUCCESS)
        return 0;
    /* Spans the timed launches, from the first to the last, without the warm-up launch. */
    return sg_stamp_clock(&stamps[2], &stamps[count - 1]);
}

static enum sg_status check_times(const struct sg_batch *batch, struct sg_reason *why)
{
    for (unsigned i = 0; i < batch->launches; i++) {
        if (batch->ns[i] <= 0) {
            snprintf(why->text, sizeof(why->text), "launch %u of %u ran nothing on the device",
                     i + 1, batch->launches);
            return SG_LAUNCH_FAILED;
        }
    }
    return SG_OK;
}

static enum sg_status read_times(struct sg_cuda_timer *timer, const struct sg_runnable *what,
                                 struct sg_batch *batch, struct sg_reason *why)
{
    const enum sg_status status =
        timer->cupti ? read_activity(timer, what, batch, why) : read_events(timer, batch, why);
    if (status != SG_OK)
        return status;
    batch->sm_clock = batch_clock(timer, batch->launches);
    batch->host_bound = 2 * timer->late > batch->launches;
    return check_times(batch, why);
}

/* Discards the records of a failed batch, so that the next batch does not see them. */
static void forget_records(struct sg_cuda_timer *timer)
{
    struct sg_activity *records = NULL;
    size_t count = 0;
    if (timer->cupti)
        sg_activity_take(timer->cupti, timer->stamps, &records, &count, SG_IGNORED);
}

enum sg_status sg_cuda_timer_batch(struct sg_cuda_timer *timer, const struct sg_runnable *what,
                                   unsigned launches, const struct sg_batch_hooks *hooks,
                                   struct sg_batch *batch, struct sg_reason *why)
{
    sg_cuda_forget_window(timer->work);
    struct sg_err err = {0};
    *batch = (struct sg_batch){.launches = launches};
    if (begin_batch(timer, what, launches, &err) != SG_SUCCESS)
        return no_batch(timer, &err, why);
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; result == CUDA_SUCCESS && i <= launches; i++)
        result = enqueue(timer, what, i, launches, hooks, &err);
    const int refused =
        what->module->family->last_error ? what->module->family->last_error(why) : 0;
    SG_THEN(result, end_batch(timer, launches));
    if (refused != 0) {
        if (result == CUDA_SUCCESS)
            forget_records(timer);
        return sg_cuda_status(refused, SG_LAUNCH_FAILED);
    }
    if (err.code != SG_SUCCESS)
        return no_batch(timer, &err, why);
    if (result != CUDA_SUCCESS) {
        sg_cuda_words(timer->work->cuda, result, why);
        return sg_cuda_status((int)result, SG_CUDA_ERROR);
    }
    return read_times(timer, what, batch, why);
}
