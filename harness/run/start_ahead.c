/*
 * Workers of the time pass that start ahead. Their steps are predicted: those of the
 * current process, in each worker's own order. If an item fails, the prediction is wrong, and
 * the waiting workers are started again. A worker of the count pass starts while earlier workers
 * end.
 */
#include <math.h>

#include "run/measure.h"

#define READY_S_MAX 10.0 /* a worker that takes longer is started again later */

/* Starts the worker that times the remaining steps of that process. If it cannot start yet, it is
 * started later as usual. */
static void start(const struct measure *m, unsigned process)
{
    struct sg_execution *e = m->execution;
    SG_FREED size_t *asked = sg_alloc(m->order_count, sizeof(*asked));
    struct measure next = *m;
    struct sg_names args = {0};
    next.process = process;
    next.row.attempt = sg_process_log_attempt(&e->sink->processes, process);
    next.asked = asked;
    next.asked_count = 0;
    for (size_t i = 0; i < m->order_count; i++)
        if (sg_step_to_time(&e->steps[m->order[i]], process))
            next.asked[next.asked_count++] = m->order[i];
    sg_measure_shuffle(e, process, next.asked, next.asked_count);
    if (next.asked_count > 0) {
        sg_measure_add_arguments(&next, &args);
        sg_standby_start(&e->standby, &args, &(struct sg_err){0});
    }
}

/* Starts as many workers as verify in parallel. A run with both kinds of devices has two workers
 * per process, and only one of them can be next. */
static void start_ahead(const struct measure *m, unsigned first)
{
    const struct sg_execution *e = m->execution;
    if (!sg_measure_is_time(m) || e->is_crowded ||
        sg_run_plan_needs_gpu(e->plan) == sg_run_plan_needs_host(e->plan))
        return;
    for (unsigned i = first; i <= m->ahead && i <= e->options->jobs; i++)
        start(m, m->process + i);
}

/* Ends the workers that are finished. */
static void dismiss(struct sg_execution *e)
{
    struct sg_worker_job job = {.deadline_s = e->plan->settings.deadline};
    if (!sg_standby_dismiss(&e->standby, job.deadline_s, &job.end))
        sg_execution_note_end(e, e->standby_pass, NULL, &job);
}

static enum sg_code start_batch(const struct measure *m, struct sg_err *err)
{
    struct sg_standby *standby = &m->execution->standby;
    struct sg_names args = {0};
    sg_measure_add_arguments(m, &args);
    sg_standby_forget(standby);
    if (sg_standby_start(standby, &args, err) == SG_SUCCESS && m->asked_count == m->order_count)
        start_ahead(m, 1);
    dismiss(m->execution);
    return err->code;
}

enum sg_code sg_measure_take_worker(const struct measure *m, const struct sg_names *args,
                                    struct sg_worker_process **process, struct sg_err *err)
{
    struct sg_standby *standby = &m->execution->standby;
    if (!sg_standby_is_next(standby, args) && start_batch(m, err) != SG_SUCCESS)
        return err->code;
    sg_standby_settle(standby, fmin(READY_S_MAX, m->execution->plan->settings.deadline));
    const bool is_ready = sg_standby_is_next(standby, args);
    if (!is_ready) /* starts as usual, with no other worker */
        sg_execution_end_standby(m->execution);
    *process = is_ready ? sg_standby_take(standby) : NULL;
    m->execution->standby_pass = m->pass;
    return SG_SUCCESS;
}

void sg_execution_start_time(struct sg_execution *e)
{
    SG_FREED size_t *all = sg_execution_all_steps(e);
    if (!e->starts_ahead)
        return;
    e->starts_ahead = false;
    start_ahead(&(struct measure){.execution = e,
                                  .pass = "time",
                                  .needs_gpu = sg_run_plan_needs_gpu(e->plan),
                                  .order = all,
                                  .order_count = e->plan->count - e->plan->program_count,
                                  .ahead = SG_PROCESSES_MIN - 1},
                0);
}

void sg_execution_end_standby(struct sg_execution *e)
{
    dismiss(e);
    sg_standby_clear(&e->standby);
}
