/*
 * The time pass and the count pass. One worker measures one item after the other until one fails;
 * the next worker measures the rest. A failed item is retried alone; if it passes then, it is flaky
 * (run/step_state.h).
 *
 * If a module's code ends a worker before its first item, each item gets its own worker. An
 * item whose worker then ends the same way fails with that outcome, if another item can begin;
 * otherwise the run fails.
 */
#include "run/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/row_kind.h"
#include "results/samples.h"
#include "util/random.h"

#define LOST_WORKERS_MAX 3 /* consecutive, before any item began: no module is to blame */

#define PROCESS_SEED 0x9e3779b97f4a7c15u /* separates the orders of consecutive processes */

static bool is_whole(const struct measure *m)
{
    const struct sg_pair_samples batches = {m->samples.items, m->samples.count};
    if (sg_measure_is_trace(m))
        return batches.count > 0;
    if (!sg_measure_is_time(m))
        return m->rows.count > 0 &&
               strcmp(sg_table_string(&m->rows, m->rows.rows[m->rows.count - 1].metric),
                      "count_passes") == 0;
    return sg_execution_is_whole(m->execution, m->current, &batches) &&
           batches.items[0].process == m->process;
}

/* The worker has finished the current item. */
static enum sg_code close_item(struct measure *m, struct sg_err *err)
{
    struct sg_step *step = m->current;
    if (!step)
        return SG_SUCCESS;
    if (sg_measure_is_trace(m) && !is_whole(m))
        return sg_measure_fail_item(m, false, SG_UNAVAILABLE,
                                    "no kernel matches the requested names", err);
    if (!is_whole(m))
        return sg_measure_fail_item(m, false, SG_CRASH,
                                    "worker started the next item before finishing this one "
                                    "(protocol error)",
                                    err);
    if (m->execution->plan->judges_energy && sg_measure_is_time(m) &&
        sg_table_has_metric(&m->rows, SG_ENERGY_METRIC) &&
        (m->execution->options->shared_gpu_allowed || /* otherwise the process is dropped */
         strcmp(sg_table_string(&m->rows, m->rows.rows[0].message), SG_ENERGY_SHARED) != 0))
        return sg_measure_fail_item(m, false, SG_UNAVAILABLE,
                                    sg_table_string(&m->rows, m->rows.rows[0].message), err);
    const bool is_time = sg_measure_is_time(m), is_trace = sg_measure_is_trace(m);
    if (is_trace) /* a program that has ended well */
        sg_run_log_add(m->execution->sink, &m->rows, &m->samples, err);
    else
        sg_step_add_rows(m->execution, step, &m->rows, is_time ? &m->samples : NULL, err);
    if (is_time || is_trace)
        sg_step_take_batches(step, &(struct sg_pair_samples){m->samples.items, m->samples.count},
                             m->execution->seed);
    sg_measure_clear_rows(m);
    m->current = NULL;
    if (sg_measure_advance(m, step, SG_STEP_PASSES) == SG_STEP_FLAKY)
        sg_measure_set_flaky(m, step, 2, err);
    return err->code;
}

/* Returns the step of a message. NULL and SG_INVALID: not one of the requested steps. */
static struct sg_step *find_step(const struct measure *m, const struct sg_message *message,
                                 struct sg_err *err)
{
    struct sg_step *step = sg_execution_step(m->execution, message->name);
    if (step && sg_step_state_is_open(*sg_measure_state(m, step)))
        return step;
    sg_fail(err, SG_INVALID, NULL,
            "expected a requested item that is not finished, found "
            "%s/%s/%s",
            message->name[0], message->name[1], message->name[2]);
    return NULL;
}

/* A new item begins, or is launched in a set whose rows follow later. */
static enum sg_code take_begin(struct measure *m, const struct sg_message *message,
                               struct sg_err *err)
{
    if (close_item(m, err) != SG_SUCCESS)
        return err->code;
    struct sg_step *step = find_step(m, message, err);
    m->begun += message->kind == SG_MESSAGE_BEGIN;
    m->began = true;
    m->current = message->kind == SG_MESSAGE_BEGIN ? step : NULL;
    m->at = message->kind == SG_MESSAGE_AT ? step : NULL;
    m->running[0] = m->running[1] = false;
    return err->code;
}

static enum sg_code take_value(struct measure *m, const struct sg_value *value, struct sg_err *err)
{
    if (sg_value_check_unit(&m->execution->plan->catalogue, value, err) != SG_SUCCESS)
        return err->code;
    const bool is_bound = strcmp(value->metric, SG_HOST_BOUND_METRIC) == 0,
               is_energy = strcmp(value->metric, SG_ENERGY_METRIC) == 0,
               is_choice = strncmp(value->metric, SG_CHOICE_PREFIX, strlen(SG_CHOICE_PREFIX)) == 0;
    if (sg_measure_is_time(m) && (is_bound || is_energy || is_choice)) {
        if (!is_bound || !m->current->host_bound) /* the first process's report is kept */
            sg_table_add(&m->rows, value);
        return SG_SUCCESS;
    }
    const bool is_last = strcmp(value->metric, "count_passes") == 0;
    const bool has_value = (value->has & SG_HAS_VALUE) && !isnan(value->value);
    if (!is_last && !sg_execution_counted(m->execution, value->metric))
        return sg_fail(err, SG_INVALID, NULL, "value: expected a requested metric, found %s",
                       value->metric);
    if (value->status != (has_value ? SG_OK : SG_UNAVAILABLE) &&
        (has_value || is_last || value->status != SG_NAN))
        return sg_fail(
            err, SG_INVALID, NULL,
            "value: %s: expected ok with a number, or nan or unavailable without one, found %s",
            value->metric, sg_status_word(value->status));
    if (sg_table_has_metric(&m->rows, value->metric))
        return sg_fail(err, SG_INVALID, NULL, "value: expected each metric once, found %s again",
                       value->metric);
    /* Verification has reported `kernels` already, and a duplicate row is an error. */
    if (strcmp(value->metric, "kernels") != 0 || !m->current->has_kernels)
        sg_table_add(&m->rows, value);
    return SG_SUCCESS;
}

static enum sg_code take_sample(struct measure *m, const struct sg_message *message,
                                struct sg_err *err)
{
    sg_take_sample(message, &m->samples);
    const size_t at = m->samples.count - 1;
    const struct sg_sample *last = &m->samples.items[at];
    if (last->process != m->process || last->block != at / SG_BLOCK_BATCHES ||
        last->position != at % SG_BLOCK_BATCHES)
        return sg_fail(
            err, SG_INVALID, NULL,
            "sample: expected batch %zu of process %u, found block %u, position %u of process %u",
            at, m->process, last->block, last->position, last->process);
    const char *ran = sg_samples_string(&m->samples, last->variant),
               *expected = sg_step_ran(m->current, last, m->execution->seed);
    if (strcmp(ran, expected) == 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_INVALID, NULL,
                   "sample: block %u, position %u is a batch of %s, found %s", last->block,
                   last->position, expected, ran);
}

/* The item may fit without waiting workers, so it is requested again. */
static enum sg_code do_without_others(struct measure *m)
{
    m->execution->is_crowded = m->moved = true;
    m->current = NULL;
    return SG_SUCCESS;
}

/* Keeps a value or a sample of the current program's kernels. */
static enum sg_code take_kernel(struct measure *m, const struct sg_message *message,
                                struct sg_err *err)
{
    const struct sg_execution *e = m->execution;
    const bool is_sample = message->kind == SG_MESSAGE_SAMPLE;
    if (sg_execution_program(e, message->name[0], message->name[1]) != m->current)
        return sg_fail(err, SG_INVALID, NULL, "expected a kernel of %s, found %s/%s/%s",
                       m->current->item->case_->name, message->name[0], message->name[1],
                       message->name[2]);
    if (!sg_names_match(&e->options->filters.variants, message->name[2]))
        return SG_SUCCESS;
    if (is_sample && message->sample.process != m->process)
        return sg_fail(err, SG_INVALID, NULL,
                       "sample: expected a sample of process %u, found one of process %u",
                       m->process, message->sample.process);
    if (is_sample)
        sg_take_sample(message, &m->samples);
    else
        sg_table_add(&m->rows, &message->value);
    return SG_SUCCESS;
}

static enum sg_code take_of_item(struct measure *m, const struct sg_message *message,
                                 struct sg_err *err)
{
    if (!m->current) /* its status was reported, or it was not requested */
        return sg_fail(err, SG_INVALID, NULL,
                       "expected a row of the current item, found one of "
                       "a finished item");
    const bool is_row = message->kind == SG_MESSAGE_SAMPLE || message->kind == SG_MESSAGE_VALUE;
    if (is_row && sg_measure_is_trace(m))
        return take_kernel(m, message, err);
    if (sg_item_check(m->current->item, message, err) != SG_SUCCESS)
        return err->code;
    if (message->kind == SG_MESSAGE_SAMPLE)
        return take_sample(m, message, err);
    if (message->kind == SG_MESSAGE_VALUE)
        return take_value(m, &message->value, err);
    if (message->status == SG_OOM && sg_standby_others(&m->execution->standby) > 0)
        return do_without_others(m);
    if (message->status == SG_OK)
        return sg_fail(err, SG_INVALID, NULL, "expected a failure status, found \"ok\"");
    return sg_measure_fail_item(m, message->kind == SG_MESSAGE_BASELINE, message->status,
                                message->text, err);
}

static enum sg_code take_message(void *context, const struct sg_message *message,
                                 struct sg_err *err)
{
    struct measure *m = context;
    switch (message->kind) {
    case SG_MESSAGE_ENV:
        return sg_execution_take_env(m->execution, m->needs_gpu, message, err);
    case SG_MESSAGE_BEGIN:
    case SG_MESSAGE_AT:
        return take_begin(m, message, err);
    case SG_MESSAGE_SIDE:
        m->running[0] = strcmp(message->side, SG_SIDE_BASELINE) == 0;
        m->running[1] = strcmp(message->side, SG_SIDE_CANDIDATE) == 0;
        return SG_SUCCESS;
    case SG_MESSAGE_STATUS:
    case SG_MESSAGE_BASELINE:
    case SG_MESSAGE_VALUE:
    case SG_MESSAGE_SAMPLE:
        return take_of_item(m, message, err);
    case SG_MESSAGE_EVENTS:
        /* Sent after the last item: what kills the worker from here on is not that item's
         * failure. */
        return close_item(m, err) == SG_SUCCESS
                   ? sg_process_take_events(&m->row, message->events, err)
                   : err->code;
    case SG_MESSAGE_FIGURE:
        return sg_process_take_figure(&m->row, message->moment, message->figure,
                                      message->figure_value, err);
    case SG_MESSAGE_NOTE:
        sg_progress_print(&m->execution->progress, "%s", message->text);
        return SG_SUCCESS;
    case SG_MESSAGE_FAIL:
        sg_take_failure(message, &m->failure);
        return SG_SUCCESS;
    case SG_MESSAGE_BYE:
        m->bye = true;
        return close_item(m, err);
    default:
        return SG_SUCCESS;
    }
}

/* True if there is an open step that has not lost a worker while running alone. */
static bool has_untried(const struct measure *m)
{
    bool any = false;
    for (size_t i = 0; i < m->order_count; i++)
        any |= sg_step_state_is_open(m->state[m->order[i]]) &&
               m->state[m->order[i]] != SG_STEP_WORKER_LOST;
    return any;
}

/* The worker of a single item ended before the item began. Other items show whether the item or the
 * host is the cause. */
static enum sg_code lose_one(struct measure *m, enum sg_status status, const char *why,
                             struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    struct sg_step *step = &m->execution->steps[m->asked[0]];
    sg_measure_advance(m, step, SG_STEP_NOT_BEGUN_ALONE);
    if (m->began) {
        if (step->first_failure)
            sg_measure_clear_failure(m, step, err);
        m->current = step;
        sg_text_addf(&text, "worker exited before starting this item: %s", why);
        sg_measure_record_failure(m, status, text.data, err);
    } else if (++m->lost >= LOST_WORKERS_MAX || !has_untried(m)) {
        sg_fail(err, SG_INVALID, m->pass, "worker exited before its first item: %s", why);
    }
    return err->code;
}

static enum sg_code lose_worker(struct measure *m, enum sg_status status, const char *why,
                                struct sg_err *err)
{
    if (m->asked_count == 1)
        return lose_one(m, status, why, err);
    sg_progress_print(&m->execution->progress,
                      "a worker of pass %s exited before its first item: %s: each of its %zu "
                      "items now runs alone",
                      m->pass, why, m->asked_count);
    for (size_t i = 0; i < m->asked_count; i++)
        sg_measure_advance(m, &m->execution->steps[m->asked[i]], SG_STEP_NOT_BEGUN);
    return SG_SUCCESS;
}

static enum sg_code take_end(void *context, const struct sg_worker_job *job, struct sg_err *err)
{
    struct measure *m = context;
    sg_execution_note_end(m->execution, m->pass, NULL, job);
    if (job->end.fate == SG_WORKER_STOPPED || m->bye)
        return SG_SUCCESS;
    /* Overwriting a module can kill a worker that loads or maps it. That is not the variant's
     * failure. */
    if (sg_execution_check_code(m->execution, err) != SG_SUCCESS)
        return err->code;
    if (!m->current)
        m->current = m->at;
    /* After a launch, that launch may have broken the worker. Any other failure is the run's. */
    if (m->failure.code == SG_BAD_USAGE && sg_measure_is_trace(m))
        return sg_fail_at(err, SG_BAD_INPUT, m->execution->plan->suite->path,
                          m->execution->steps[m->asked[0]].item->program->line, "%s",
                          m->failure.why);
    if (m->failure.code != SG_SUCCESS && (m->failure.code != SG_INVALID || !m->current))
        return sg_fail(err, m->failure.code, m->pass, "%s", m->failure.why);
    SG_SCOPED(sg_text) text = {0};
    if (sg_measure_is_trace(m) && job->end.fate == SG_WORKER_LATE)
        sg_text_addf(&text, "killed after the deadline of %g s", job->deadline_s);
    else if (m->failure.code != SG_SUCCESS)
        sg_text_addf(&text, "its worker failed: %s", m->failure.why);
    else
        sg_worker_describe_fate(job, &text);
    const enum sg_status status = job->end.fate == SG_WORKER_LATE ? SG_HANG : SG_CRASH;
    if (m->current)
        sg_measure_fail_item(m, m->running[0] || (m->current->item->only_timed && !m->running[1]),
                             status, text.data, err);
    else if (m->moved) /* its results are kept, another worker does the rest */
        sg_progress_print(&m->execution->progress,
                          "a worker of pass %s exited between two items: %s", m->pass, text.data);
    else
        lose_worker(m, status, text.data, err);
    return err->code;
}

bool sg_step_to_time(const struct sg_step *step, unsigned process)
{
    return step->status == SG_OK && !step->skips_timing &&
           !(step->most > 0 && process >= step->most) && step->baseline &&
           step->baseline->status == SG_OK && !(step->processes >> process & 1);
}

/* A step that was not timed because of its baseline is still right, and is counted. */
static bool to_count(const struct sg_step *step)
{
    return step->passed && (step->status == SG_OK || step->status == SG_SKIPPED) &&
           !step->skips_timing && !step->counted;
}

/* Drops steps whose baseline failed: they would fail too, perhaps through the baseline. */
static enum sg_code drop_items_with_failed_baseline(struct measure *m, struct sg_err *err)
{
    for (size_t i = 0; i < m->order_count && sg_measure_is_time(m); i++) {
        struct sg_step *step = &m->execution->steps[m->order[i]];
        const enum sg_status of_baseline = step->baseline->status;
        if (of_baseline == SG_OK || !sg_step_state_is_open(m->state[m->order[i]]))
            continue;
        if (step->first_failure && of_baseline == SG_FLAKY)
            sg_measure_set_flaky(m, step, 1, err);
        else if (step->first_failure)
            sg_measure_clear_failure(m, step, err);
        sg_measure_advance(m, step, SG_STEP_BASELINE_FAILS);
    }
    return err->code;
}

/* Restores the retry of an interrupted run. */
static void restore_retry(struct measure *m)
{
    for (size_t i = 0; i < m->order_count && !m->retry; i++) {
        struct sg_step *step = &m->execution->steps[m->order[i]];
        if (!sg_step_state_is_open(*sg_measure_state(m, step)) || !step->first_failure)
            continue;
        m->retry = step;
        if (*sg_measure_state(m, step) != SG_STEP_RETRY_ALONE)
            sg_measure_advance(m, step, SG_STEP_FAILS_AFTER_OTHERS);
    }
}

/* Requests all steps in this state, or only the first. */
static void request_in_state(struct measure *m, enum sg_step_state state, bool is_first_only)
{
    for (size_t i = 0; i < m->order_count && !(is_first_only && m->asked_count > 0); i++)
        if (m->state[m->order[i]] == state)
            m->asked[m->asked_count++] = m->order[i];
}

/* Requests steps from the next worker: a retried step alone; otherwise all steps that share a
 * worker; otherwise one step that must run alone. */
static void ask(struct measure *m)
{
    m->asked_count = 0;
    restore_retry(m);
    if (m->retry)
        m->asked[m->asked_count++] = (size_t)(m->retry - m->execution->steps);
    if (m->asked_count == 0)
        request_in_state(m, SG_STEP_PENDING, false);
    if (m->asked_count == 0)
        request_in_state(m, SG_STEP_PENDING_ALONE, true);
    if (m->asked_count == 0)
        request_in_state(m, SG_STEP_WORKER_LOST, true);
}

/* Shuffles all steps and then drops finished ones, so that the order is the same after an
 * interruption. */
void sg_measure_shuffle(const struct sg_execution *execution, unsigned process, size_t *steps,
                        size_t count)
{
    uint64_t state = execution->seed + PROCESS_SEED * (process + 1);
    SG_FREED size_t *order = sg_alloc(execution->plan->count, sizeof(*order));
    SG_FREED bool *wanted = sg_alloc(execution->plan->count, sizeof(*wanted));
    for (size_t i = 0; i < execution->plan->count; i++)
        order[i] = i;
    for (size_t i = 0; i < count; i++)
        wanted[steps[i]] = true;
    sg_random_shuffle(&state, order, execution->plan->count);
    count = 0;
    for (size_t i = 0; i < execution->plan->count; i++)
        if (wanted[order[i]])
            steps[count++] = order[i];
}

static void forget_worker(struct measure *m)
{
    m->bye = m->moved = m->running[0] = m->running[1] = false;
    m->begun = 0;
    m->failure = (struct sg_failure){.code = SG_SUCCESS};
    m->current = m->at = NULL;
    sg_measure_clear_rows(m);
}

static enum sg_code run_worker(struct measure *m, struct sg_err *err)
{
    SG_SCOPED(sg_names) args = {0};
    sg_measure_add_arguments(m, &args);
    const struct sg_suite_program *program = m->execution->steps[m->asked[0]].item->program;
    const struct sg_settings *settings = &m->execution->plan->settings;
    const double deadline_s =
        settings->deadline +
        (settings->energy ? 4e-3 * SG_BLOCK_BATCHES * SG_ENERGY_SEGMENT_MS : 0);
    struct sg_worker_job job = {
        .argv = (const char *const *)args.items,
        .pass = m->pass,
        .deadline_s = program ? program->deadline_s : deadline_s,
        .start_up_s = deadline_s,
        .context = m,
        .on_message = take_message,
        .on_end = take_end,
    };
    forget_worker(m);
    if (program || sg_measure_take_worker(m, &args, &job.process, err) == SG_SUCCESS)
        sg_workers_run(&job, 1, 1, err);
    if (err->code == SG_SUCCESS && !m->moved)
        sg_fail(err, SG_INVALID, m->pass, "the worker finished none of the %zu requested items",
                m->asked_count);
    return err->code;
}

/* Logs the GPU's state while a worker times, at its begin and at its end. A row without an end
 * means that the worker's end was not seen. */
static enum sg_code put_process(struct measure *m, char moment[24], struct sg_err *err)
{
    snprintf(moment, 24, "%.23s", sg_utc_now(SG_UTC_TIME).text);
    return sg_run_log_put_process(m->execution->sink, &m->row, err);
}

/* Runs one worker and keeps its rows. */
static enum sg_code measure_asked(struct measure *m, struct sg_err *err)
{
    const bool is_time = sg_measure_is_time(m);
    m->row = sg_process_new(m->process,
                            sg_process_log_attempt(&m->execution->sink->processes, m->process));
    if (sg_execution_check_code(m->execution, err) != SG_SUCCESS ||
        (is_time && put_process(m, m->row.began, err) != SG_SUCCESS))
        return err->code;
    if (run_worker(m, err) == SG_SUCCESS && is_time)
        put_process(m, m->row.ended, err);
    return err->code == SG_SUCCESS ? sg_run_log_write_env_if_changed(m->execution->sink, err)
                                   : err->code;
}

/* Runs workers until nothing is left. Each worker moves a step to another state, and states never
 * move back, so the loop ends. */
static enum sg_code run_measure(struct measure *m, struct sg_err *err)
{
    for (bool is_left = true; is_left && err->code == SG_SUCCESS;) {
        drop_items_with_failed_baseline(m, err);
        ask(m);
        is_left = m->asked_count > 0;
        if (is_left)
            measure_asked(m, err);
    }
    m->retry = NULL;
    sg_measure_clear_rows(m);
    return err->code;
}

enum { OF_GPU, OF_HOST, OF_PROGRAMS, KINDS };

static int kind_of(const struct sg_item *item)
{
    return item->program ? OF_PROGRAMS : sg_listed_needs_gpu(item->family) ? OF_GPU : OF_HOST;
}

/* Times or counts the open steps, one kind after the other. */
static enum sg_code run_kinds(struct measure *m, const size_t *steps, size_t count,
                              struct sg_err *err)
{
    const struct sg_execution *e = m->execution;
    m->order = sg_alloc(count, sizeof(*m->order));
    m->asked = sg_alloc(count + 1, sizeof(*m->asked)); /* room for a baseline outside of the set */
    m->state = sg_alloc(e->plan->count, sizeof(*m->state));
    const bool is_time = sg_measure_is_time(m);
    for (int kind = 0; kind < KINDS && err->code == SG_SUCCESS; kind++) {
        m->needs_gpu = kind != OF_HOST;
        m->pass = is_time && kind == OF_PROGRAMS ? "trace" : m->pass;
        m->order_count = m->lost = 0;
        m->began = false;
        for (size_t i = 0; i < count; i++) {
            const struct sg_step *step = &e->steps[steps[i]];
            const bool is_open = is_time ? sg_step_to_time(step, m->process) : to_count(step);
            if (!is_open || kind_of(step->item) != kind)
                continue;
            m->state[steps[i]] = kind == OF_PROGRAMS ? SG_STEP_PENDING_ALONE : SG_STEP_PENDING;
            m->order[m->order_count++] = steps[i];
        }
        if (sg_measure_is_time(m))
            sg_measure_shuffle(e, m->process, m->order, m->order_count);
        run_measure(m, err);
    }
    return err->code;
}

enum sg_code sg_execution_time_process(struct sg_execution *e, unsigned process, unsigned ahead,
                                       const size_t *steps, size_t count, struct sg_err *err)
{
    struct measure m = {.execution = e, .pass = "time", .process = process, .ahead = ahead};
    return run_kinds(&m, steps, count, err);
}

enum sg_code sg_execution_count(struct sg_execution *e, const size_t *steps, size_t count,
                                struct sg_err *err)
{
    struct measure m = {.execution = e, .pass = "count"};
    size_t total = 0;
    for (size_t i = 0; i < count && e->plan->metric_count > 0; i++)
        total += to_count(&e->steps[steps[i]]);
    if (total > 0 && sg_execution_is_late(e)) {
        sg_progress_print(&e->progress, "the budget is exhausted: %zu items are not counted",
                          total);
    } else if (total > 0) {
        char what[128];
        snprintf(what, sizeof(what), "count: %zu item%s, %zu metric%s", total, SG_PLURAL(total),
                 e->plan->metric_count, SG_PLURAL(e->plan->metric_count));
        sg_progress_phase(&e->progress, "count", total, what);
        run_kinds(&m, steps, count, err);
        sg_progress_end(&e->progress);
    }
    sg_execution_end_standby(e);
    return err->code;
}
