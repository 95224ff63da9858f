#include "cuda_timing.h"
#include "solgate_cuda_error.h"

#include <stdio.h>
#include <string.h>

enum sg_code sg_cuda_timer_init(struct sg_cuda_timer *timer, struct sg_cuda_work *work, struct sg_cupti *cupti, struct sg_err *err)
{
    *timer = (struct sg_cuda_timer){.work = work, .cupti = cupti};
    if (sg_stamper_init(&timer->stamper, work->cuda, err) != SG_DONE)
        return err->code;
    if (cupti)
        return sg_activity_open(cupti, err);
    for (size_t i = 0; i < sizeof(timer->events) / sizeof(timer->events[0]); i++) {
        if (sg_cuda_check(work->cuda, work->cuda->event_create(&timer->events[i], CU_EVENT_DEFAULT), "cuEventCreate", err) != SG_DONE)
            return err->code;
    }
    return SG_DONE;
}

void sg_cuda_timer_release(struct sg_cuda_timer *timer)
{
    if (timer->work)
        sg_stamper_release(&timer->stamper, timer->work->cuda);
}

/* One launch between its two borders: stamps always, events besides where there is no CUPTI. */
static CUresult enqueue(struct sg_cuda_timer *timer, const struct sg_runnable *what, unsigned index, uint64_t repeat)
{
    struct sg_cuda_work *work = timer->work;
    struct sg_launch launch = what->launch;
    launch.repeat = repeat;
    CUresult result = sg_cuda_prepare_launch(work, what);
    if (result == CUDA_SUCCESS)
        result = sg_stamper_mark(&timer->stamper, work->cuda, work->stream, 2 * index);
    if (result == CUDA_SUCCESS && !timer->cupti)
        result = work->cuda->event_record(timer->events[(size_t)2 * index], work->stream);
    if (result == CUDA_SUCCESS)
        what->variant->variant->launch(&launch);
    if (result == CUDA_SUCCESS && !timer->cupti)
        result = work->cuda->event_record(timer->events[2 * index + 1], work->stream);
    if (result == CUDA_SUCCESS)
        result = sg_stamper_mark(&timer->stamper, work->cuda, work->stream, 2 * index + 1);
    return result;
}

/* What the spans between stamp 2i and stamp 2i+1 say of launch i; launch 0 is the settling one. */
static void attribute(const struct sg_span *spans, size_t count, struct sg_visit *visit)
{
    uint64_t start[SG_MAX_LAUNCHES + 1] = {0}, end[SG_MAX_LAUNCHES + 1] = {0};
    unsigned stamps = 0, kernels = 0;
    for (size_t i = 0; i < count; i++) {
        if (spans[i].stamp) {
            stamps++;
            continue;
        }
        if (stamps % 2 == 0)
            continue; /* a restore or a flush, between launches; a flush may be a kernel */
        unsigned launch = stamps / 2;
        if (end[launch] == 0)
            start[launch] = spans[i].start_ns;
        if (spans[i].end_ns > end[launch])
            end[launch] = spans[i].end_ns;
        kernels += spans[i].kernel && launch > 0;
    }
    visit->kernels = kernels / visit->launches;
    for (unsigned i = 0; i < visit->launches; i++)
        visit->ns[i] = end[i + 1] > start[i + 1] ? (double)(end[i + 1] - start[i + 1]) : 0;
}

static enum sg_code read_times(struct sg_cuda_timer *timer, struct sg_visit *visit, struct sg_err *err)
{
    if (timer->cupti) {
        const struct sg_span *spans = NULL;
        size_t count = 0;
        if (sg_activity_take(timer->cupti, 2 * (size_t)(visit->launches + 1), &spans, &count, err) != SG_DONE)
            return err->code;
        attribute(spans, count, visit);
        return SG_DONE;
    }
    const struct sg_cuda *cuda = timer->work->cuda;
    for (unsigned i = 0; i < visit->launches; i++) {
        float ms = 0;
        CUresult result = cuda->event_elapsed(&ms, timer->events[2 * i + 2], timer->events[2 * i + 3]);
        if (sg_cuda_check(cuda, result, "cuEventElapsedTime", err) != SG_DONE)
            return err->code;
        visit->ns[i] = (double)ms * 1e6;
    }
    return SG_DONE;
}

static double visit_clock(struct sg_cuda_timer *timer, unsigned launches)
{
    struct sg_stamp stamps[SG_MAX_STAMPS];
    size_t count = 2 * (size_t)(launches + 1);
    if (timer->work->cuda->download(stamps, timer->stamper.slots, count * sizeof(stamps[0])) != CUDA_SUCCESS)
        return 0;
    /* From the first timed launch to the last: the settling launch is not part of what is reported. */
    return sg_stamp_clock(&stamps[2], &stamps[count - 1]);
}

static enum sg_status check_times(const struct sg_visit *visit, struct sg_why *why)
{
    for (unsigned i = 0; i < visit->launches; i++) {
        if (visit->ns[i] <= 0) {
            snprintf(why->text, sizeof(why->text), "launch %u of %u ran nothing on the device", i + 1, visit->launches);
            return SG_LAUNCH_FAILED;
        }
    }
    return SG_OK;
}

enum sg_status sg_cuda_timer_visit(struct sg_cuda_timer *timer, const struct sg_runnable *what, unsigned launches, struct sg_visit *visit,
                                   struct sg_why *why)
{
    struct sg_cuda_work *work = timer->work;
    *visit = (struct sg_visit){.launches = launches};
    if (timer->cupti)
        sg_activity_begin();
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; result == CUDA_SUCCESS && i <= launches; i++)
        result = enqueue(timer, what, i, what->launch.repeat + i);
    const int refused = what->module->family->last_error ? what->module->family->last_error(why) : 0;
    if (refused != 0)
        return sg_cuda_status(refused, SG_LAUNCH_FAILED);
    if (result == CUDA_SUCCESS)
        result = work->cuda->context_synchronize();
    if (result != CUDA_SUCCESS) {
        sg_cuda_words(work->cuda, result, why);
        return sg_cuda_status((int)result, SG_CUDA_ERROR);
    }
    struct sg_err err = {0};
    if (read_times(timer, visit, &err) != SG_DONE) {
        snprintf(why->text, sizeof(why->text), "no time: %.60s: %.180s", err.where, err.message);
        return SG_UNAVAILABLE;
    }
    visit->sm_clock = visit_clock(timer, launches);
    return check_times(visit, why);
}
