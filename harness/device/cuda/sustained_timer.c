/* A segment of device/cuda/timer.h: back-to-back launches between two events. */
#include <math.h>
#include <stdio.h>

#include "device/cuda/timer.h"
#include "solgate_cuda_error.h"

#define FIRST_LAUNCHES 8 /* to estimate the time of a launch */
#define LAUNCHES_MAX   1e7

/* Enqueues launches, without their preamble: the L2 is warm, and no input is restored. The driver
 * waits when the queue is full. */
static CUresult enqueue(struct sg_cuda_timer *timer, const struct sg_runnable *what,
                        uint64_t *repeat, uint64_t count)
{
    struct sg_launch launch = what->launch;
    for (uint64_t i = 0; i < count; i++) {
        launch.repeat = (*repeat)++;
        what->variant->variant->launch(&launch);
    }
    return sg_cuda_take_returned(timer->work, what);
}

/* Mean time of the launches between the first two events, ns; waits for them. The clock stamps
 * are between the events. */
static CUresult time_launches(struct sg_cuda_timer *timer, const struct sg_runnable *what,
                              uint64_t *repeat, uint64_t count, double *ns)
{
    struct sg_cuda_work *work = timer->work;
    const struct sg_cuda *cuda = work->cuda;
    float ms = 0;
    CUresult result = cuda->event_record(timer->events[0], work->stream);
    SG_THEN(result, sg_stamper_mark(&timer->stamper, cuda, work->stream, 0, 0));
    SG_THEN(result, enqueue(timer, what, repeat, count));
    SG_THEN(result, sg_stamper_mark(&timer->stamper, cuda, work->stream, 1, 0));
    SG_THEN(result, cuda->event_record(timer->events[1], work->stream));
    SG_THEN(result, cuda->context_synchronize());
    SG_THEN(result, cuda->event_elapsed(&ms, timer->events[0], timer->events[1]));
    *ns = (double)ms * 1e6 / (double)count;
    return result;
}

static double segment_clock(const struct sg_cuda_timer *timer)
{
    struct sg_stamp stamps[2];
    if (timer->work->cuda->download(stamps, timer->stamper.slots, sizeof(stamps)) != CUDA_SUCCESS)
        return 0;
    return sg_stamp_clock(&stamps[0], &stamps[1]);
}

static uint64_t launches_for(double seconds, double ns)
{
    return (uint64_t)fmin(LAUNCHES_MAX, fmax(1, ceil(seconds * 1e9 / fmax(ns, 1))));
}

enum sg_status sg_cuda_timer_sustain(struct sg_cuda_timer *timer, const struct sg_runnable *what,
                                     double seconds, struct sg_batch *batch, struct sg_reason *why)
{
    const struct sg_family *family = what->module->family;
    uint64_t repeat = what->launch.repeat;
    double first_ns = 0;
    *batch = (struct sg_batch){.launches = 1, .kernels = 1};
    if (what->restore_count > 0) {
        snprintf(why->text, sizeof(why->text),
                 "a kernel that overwrites its inputs cannot launch back to back: the inputs "
                 "must be restored");
        return SG_UNSUPPORTED;
    }
    sg_cuda_forget_window(timer->work);
    /* Run the same number of launches first, because the very first one also loads the kernel. The
     * time of few short launches is too long; the warm-up knows it well. */
    CUresult result = enqueue(timer, what, &repeat, FIRST_LAUNCHES);
    SG_THEN(result, time_launches(timer, what, &repeat, FIRST_LAUNCHES, &first_ns));
    SG_THEN(result, time_launches(timer, what, &repeat,
                                  launches_for(SG_WARM_UP_PART * seconds, first_ns), &first_ns));
    SG_THEN(result,
            time_launches(timer, what, &repeat,
                          launches_for((1 - SG_WARM_UP_PART) * seconds, first_ns), &batch->ns[0]));
    const int refused = family->last_error ? family->last_error(why) : 0;
    if (refused != 0)
        return sg_cuda_status(refused, SG_LAUNCH_FAILED);
    if (result != CUDA_SUCCESS) {
        sg_cuda_words(timer->work->cuda, result, why);
        return sg_cuda_status((int)result, SG_CUDA_ERROR);
    }
    batch->sm_clock = segment_clock(timer);
    if (batch->ns[0] > 0)
        return SG_OK;
    snprintf(why->text, sizeof(why->text), "launches back to back ran nothing on the device");
    return SG_LAUNCH_FAILED;
}
