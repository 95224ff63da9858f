/*
 * The time pass and the count pass: one worker measures many items in turn until one fails, and
 * the next worker measures the rest. run/turn.h handles failures: a failed item is retried
 * alone; if it passes then, it is flaky. A module's code may also end a worker
 * before its first item. Then each item runs alone. If some items can begin, the others fail
 * with that outcome.
 */
#include "run/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/row_kind.h"
#include "results/samples.h"
#include "util/random.h"

#define LOST_WORKERS_MAX 3 /* in a row, before any item began; then no module is to blame */

#define PROCESS_SEED 0x9e3779b97f4a7c15u /* separates the orders of consecutive processes */

static bool ends_with_passes(const struct sg_table *rows)
{
    return rows->count > 0 &&
           strcmp(sg_table_string(rows, rows->rows[rows->count - 1].metric), "count_passes") == 0;
}

static bool is_whole(const struct measure *m)
{
    const struct sg_pair_samples batches = {m->samples.items, m->samples.count};
    if (!sg_measure_is_time(m))
        return ends_with_passes(&m->rows);
    return sg_execution_is_whole(m->execution, m->current, &batches) &&
           batches.items[0].process == m->process;
}

/* Keeps the first process's report. */
static void take_host_bound(const struct measure *m, struct sg_step *step, struct sg_err *err)
{
    if (m->rows.count == 0 || step->host_bound)
        return;
    step->host_bound = sg_copy_string(sg_table_string(&m->rows, m->rows.rows[0].message));
    sg_run_log_add_rows(m->execution->sink, &m->rows, err);
}

/* The worker has finished the current item. */
static enum sg_code close_item(struct measure *m, struct sg_err *err)
{
    struct sg_step *step = m->current;
    if (!step)
        return SG_SUCCESS;
    if (!is_whole(m))
        return sg_measure_fail_item(m, false, SG_CRASH,
                                    "the worker went on before the item was done", err);
    if (sg_measure_is_time(m)) {
        sg_run_log_add_samples(m->execution->sink, &m->samples, err);
        take_host_bound(m, step, err);
        sg_step_take_batches(step, &(struct sg_pair_samples){m->samples.items, m->samples.count},
                             m->execution->seed);
    } else {
        sg_run_log_add_rows(m->execution->sink, &m->rows, err);
        step->counted = true;
    }
    sg_measure_clear_rows(m);
    m->current = NULL;
    if (sg_measure_advance(m, step, SG_TURN_RIGHT) == SG_TURN_FLAKY)
        sg_measure_set_flaky(m, step, 2, err);
    return err->code;
}

/* Returns the step of a message. NULL and SG_INVALID: not one of the requested steps. */
static struct sg_step *find_step(const struct measure *m, const struct sg_message *message,
                                 struct sg_err *err)
{
    struct sg_step *step = sg_execution_step(m->execution, message->field);
    if (step && sg_turn_is_open(*sg_measure_turn(m, step)))
        return step;
    sg_fail(err, SG_INVALID, NULL, "an item that was not asked for, or is done: %s/%s/%s",
            message->field[0], message->field[1], message->field[2]);
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

static enum sg_code take_value(struct measure *m, const struct sg_message *message,
                               struct sg_err *err)
{
    struct sg_value value;
    if (sg_take_value(message, &value, err) != SG_SUCCESS ||
        sg_value_check_unit(&m->execution->plan->catalogue, &value, err) != SG_SUCCESS)
        return err->code;
    if (sg_measure_is_time(m) && strcmp(value.metric, SG_HOST_BOUND_METRIC) == 0) {
        sg_table_add(&m->rows, &value);
        return SG_SUCCESS;
    }
    const bool is_last = strcmp(value.metric, "count_passes") == 0;
    const bool has_value = (value.has & SG_HAS_VALUE) && !isnan(value.value);
    if (!is_last && !sg_execution_counted(m->execution, value.metric))
        return sg_fail(err, SG_INVALID, NULL, "value: %s was not asked for", value.metric);
    if (value.status != (has_value ? SG_OK : SG_UNAVAILABLE) &&
        (has_value || is_last || value.status != SG_NAN))
        return sg_fail(
            err, SG_INVALID, NULL,
            "value: %s: expected a number that is ok, or none that is nan or unavailable, found %s",
            value.metric, sg_status_word(value.status));
    if (sg_table_has_metric(&m->rows, value.metric))
        return sg_fail(err, SG_INVALID, NULL, "value: expected each metric once, found %s again",
                       value.metric);
    /* Verification has reported `kernels` already, and a duplicate row is an error. */
    if (strcmp(value.metric, "kernels") != 0 || !m->current->has_kernels)
        sg_table_add(&m->rows, &value);
    return SG_SUCCESS;
}

static enum sg_code take_sample(struct measure *m, const struct sg_message *message,
                                struct sg_err *err)
{
    if (sg_take_sample(message, &m->samples, err) != SG_SUCCESS)
        return err->code;
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

static enum sg_code take_of_item(struct measure *m, const struct sg_message *message,
                                 struct sg_err *err)
{
    if (!m->current) /* its status was reported, or it was not requested */
        return sg_fail(err, SG_INVALID, NULL, "a row of an item that is done");
    if (sg_item_check(m->current->item, message, err) != SG_SUCCESS)
        return err->code;
    if (message->kind == SG_MESSAGE_SAMPLE)
        return take_sample(m, message, err);
    if (message->kind == SG_MESSAGE_VALUE)
        return take_value(m, message, err);
    enum sg_status status = sg_status_from_word(message->field[3]);
    if (status == SG_OOM && sg_standby_others(&m->execution->standby) > 0)
        return do_without_others(m);
    if (status == SG_STATUS_COUNT || status == SG_OK)
        return sg_fail(err, SG_INVALID, NULL, "expected what went wrong, found \"%s\"",
                       sg_show(message->field[3], strlen(message->field[3])).text);
    return sg_measure_fail_item(m, message->kind == SG_MESSAGE_BASELINE, status, message->field[4],
                                err);
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
        m->running[0] = strcmp(message->field[0], SG_SIDE_BASELINE) == 0;
        m->running[1] = strcmp(message->field[0], SG_SIDE_CANDIDATE) == 0;
        return SG_SUCCESS;
    case SG_MESSAGE_STATUS:
    case SG_MESSAGE_BASELINE:
    case SG_MESSAGE_VALUE:
    case SG_MESSAGE_SAMPLE:
        return take_of_item(m, message, err);
    case SG_MESSAGE_EVENTS:
        /* Sent after the last item: what kills the worker from here on is not that item's
         * failure. */
        return close_item(m, err) == SG_SUCCESS ? sg_process_take_events(&m->row, message, err)
                                                : err->code;
    case SG_MESSAGE_FIGURE:
        return sg_process_take_figure(&m->row, message, err);
    case SG_MESSAGE_NOTE:
        sg_progress_print(&m->execution->progress, "%s", message->field[0]);
        return SG_SUCCESS;
    case SG_MESSAGE_FAIL:
        return sg_take_failure(message, &m->failure, err);
    case SG_MESSAGE_BYE:
        m->bye = true;
        return close_item(m, err);
    default:
        return SG_SUCCESS;
    }
}

static enum sg_code fail_run(struct measure *m, const char *why, struct sg_err *err)
{
    return sg_fail(err, SG_INVALID, m->pass, "the worker ended before its first item: %s", why);
}

/* True if a step is still open that has not lost a worker while alone. */
static bool has_untried(const struct measure *m)
{
    bool any = false;
    for (size_t i = 0; i < m->order_count; i++)
        any |= sg_turn_is_open(m->turn[m->order[i]]) && m->turn[m->order[i]] != SG_TURN_LOST;
    return any;
}

/* The worker of a single item ended before the item began. Other items show whether the item or the
 * host is the cause. */
static enum sg_code lose_one(struct measure *m, enum sg_status status, const char *why,
                             struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    struct sg_step *step = &m->execution->steps[m->asked[0]];
    sg_measure_advance(m, step, SG_TURN_UNREACHED_ALONE);
    if (m->began) {
        if (step->suspected)
            sg_measure_clear_suspect(m, step, err);
        m->current = step;
        sg_text_addf(&text, "its worker ended before it began: %s", why);
        sg_measure_record_failure(m, status, text.data, err);
    } else if (++m->lost >= LOST_WORKERS_MAX || !has_untried(m)) {
        fail_run(m, why, err);
    }
    return err->code;
}

static enum sg_code lose_worker(struct measure *m, enum sg_status status, const char *why,
                                struct sg_err *err)
{
    if (m->asked_count == 1)
        return lose_one(m, status, why, err);
    sg_progress_print(&m->execution->progress,
                      "a worker of pass %s ended before its first item: %s: each of its %zu items "
                      "is done by itself",
                      m->pass, why, m->asked_count);
    for (size_t i = 0; i < m->asked_count; i++)
        sg_measure_advance(m, &m->execution->steps[m->asked[i]], SG_TURN_UNREACHED);
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
    /* After a launch, the launch may be why the worker cannot continue. Any other failure is
     * one of the run. */
    if (m->failure.code != SG_SUCCESS && (m->failure.code != SG_INVALID || !m->current))
        return sg_fail(err, m->failure.code, m->pass, "%s", m->failure.why);
    SG_SCOPED(sg_text) text = {0};
    if (m->failure.code != SG_SUCCESS)
        sg_text_addf(&text, "its worker could not go on: %s", m->failure.why);
    else
        sg_worker_describe_fate(job, &text);
    const enum sg_status status = job->end.fate == SG_WORKER_LATE ? SG_HANG : SG_CRASH;
    if (m->current)
        sg_measure_fail_item(m, m->running[0] || (m->current->item->only_timed && !m->running[1]),
                             status, text.data, err);
    else if (m->moved) /* its results are kept, another worker does the rest */
        sg_progress_print(&m->execution->progress,
                          "a worker of pass %s ended between two items: %s", m->pass, text.data);
    else
        lose_worker(m, status, text.data, err);
    return err->code;
}

/* A worker loads only its items' modules, so that code of other modules cannot affect them. */
static void add_modules(const struct measure *m, const struct sg_module_list *modules,
                        enum sg_item_build build, struct sg_names *args)
{
    for (size_t i = 0; modules && i < modules->count; i++) {
        const struct sg_listed_family *family = &modules->families[i];
        bool is_needed = false;
        for (size_t k = 0; k < m->asked_count && !is_needed; k++)
            is_needed =
                strcmp(m->execution->steps[m->asked[k]].item->family->name, family->name) == 0;
        if (is_needed && sg_listed_needs_gpu(family) == m->needs_gpu)
            sg_args_module(args, family, build);
    }
}

static void add_time_arguments(const struct measure *m, struct sg_names *args)
{
    const struct sg_run_plan *plan = m->execution->plan;
    if (plan->baseline_name)
        sg_names_addf(args, "--baseline=%s", plan->baseline_name);
    sg_names_addf(args, "--process=%u", m->process);
    sg_names_addf(args, "--attempt=%u", m->row.attempt);
    if (plan->segment_ms)
        sg_names_addf(args, "--segment-ms=%u", plan->segment_ms);
    /* Drift references for one kind of device cannot run on the other. A plan with both kinds
     * uses references for the GPU. */
    if (plan->drift.length > 0 && m->needs_gpu == sg_run_plan_needs_gpu(plan))
        sg_names_addf(args, "--drift=%s", plan->drift.data);
    sg_names_addf(args, "--blocks=%u", plan->suite->blocks);
    sg_names_addf(args, "--launches=%u", plan->suite->launches);
    sg_names_addf(args, "--pilot-ms=%u", sg_execution_pilot_ms(m->execution));
}

static void add_count_arguments(const struct measure *m, struct sg_names *args)
{
    const struct sg_run_plan *plan = m->execution->plan;
    sg_names_addf(args, "--repeats=%u", plan->suite->repeats);
    for (size_t i = 0; i < plan->metric_count; i++)
        sg_names_addf(args, "--metric=%s", plan->metrics[i]->name);
}

void sg_measure_add_arguments(const struct measure *m, struct sg_names *args)
{
    const struct sg_execution *e = m->execution;
    sg_args_worker(args, e->plan, e->options, e->seed, m->pass);
    add_modules(m, e->plan->modules, SG_BUILD_OWN, args);
    add_modules(m, e->plan->others, SG_BUILD_OTHER, args);
    sg_names_addf(args, "--l2=%s", sg_l2_word(e->plan->suite->l2));
    if (sg_measure_is_time(m))
        add_time_arguments(m, args);
    else
        add_count_arguments(m, args);
    sg_args_others(args, e, m->asked, m->asked_count);
    sg_args_knobs(args, e, m->asked, m->asked_count);
    for (size_t i = 0; i < m->asked_count; i++) {
        const struct sg_step *step = &e->steps[m->asked[i]];
        if (sg_measure_is_time(m))
            sg_names_addf(args, "--tolerance=%.17g", sg_step_resolves(e, step));
        if (sg_measure_is_time(m))
            sg_names_addf(args, "--noise=%.17g", sg_step_noise(e, step));
        sg_args_item(args, step->item);
    }
}

bool sg_step_to_time(const struct sg_step *step, unsigned process)
{
    return step->status == SG_OK && !step->untimed && !(step->few && process >= SG_PROCESSES_MIN) &&
           step->baseline && step->baseline->status == SG_OK && !(step->processes >> process & 1);
}

/* A step that was not timed because of its baseline is still right, and is counted. */
static bool to_count(const struct sg_step *step)
{
    return step->passed && (step->status == SG_OK || step->status == SG_SKIPPED) &&
           !step->untimed && !step->counted;
}

/* A step whose baseline failed would fail, too, and a failure could be the baseline's. */
static enum sg_code drop_items_with_failed_baseline(struct measure *m, struct sg_err *err)
{
    for (size_t i = 0; i < m->order_count && sg_measure_is_time(m); i++) {
        struct sg_step *step = &m->execution->steps[m->order[i]];
        const enum sg_status of_baseline = step->baseline->status;
        if (of_baseline == SG_OK || !sg_turn_is_open(m->turn[m->order[i]]))
            continue;
        if (step->suspected && of_baseline == SG_FLAKY)
            sg_measure_set_flaky(m, step, 1, err);
        else if (step->suspected)
            sg_measure_clear_suspect(m, step, err);
        sg_measure_advance(m, step, SG_TURN_BASELINE_FAILED);
    }
    return err->code;
}

/* Restores the suspect of an interrupted run. */
static void take_up_suspect(struct measure *m)
{
    for (size_t i = 0; i < m->order_count && !m->suspect; i++) {
        struct sg_step *step = &m->execution->steps[m->order[i]];
        if (!sg_turn_is_open(*sg_measure_turn(m, step)) || !step->suspected)
            continue;
        m->suspect = step;
        if (*sg_measure_turn(m, step) != SG_TURN_SUSPECT)
            sg_measure_advance(m, step, SG_TURN_FAILS_BEHIND);
    }
}

/* Requests all steps in this state, or only the first. */
static void ask_turn(struct measure *m, enum sg_turn turn, bool is_first_only)
{
    for (size_t i = 0; i < m->order_count && !(is_first_only && m->asked_count > 0); i++)
        if (m->turn[m->order[i]] == turn)
            m->asked[m->asked_count++] = m->order[i];
}

/* Requests steps from the next worker: a suspect alone, else all steps that share a worker, else
 * one step that must run alone. */
static void ask(struct measure *m)
{
    m->asked_count = 0;
    take_up_suspect(m);
    if (m->suspect)
        m->asked[m->asked_count++] = (size_t)(m->suspect - m->execution->steps);
    if (m->asked_count == 0)
        ask_turn(m, SG_TURN_TO_DO, false);
    if (m->asked_count == 0)
        ask_turn(m, SG_TURN_ALONE, true);
    if (m->asked_count == 0)
        ask_turn(m, SG_TURN_LOST, true);
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
    struct sg_worker_job job = {
        .argv = (const char *const *)args.items,
        .pass = m->pass,
        .deadline_s = m->execution->plan->suite->deadline_s,
        .context = m,
        .on_message = take_message,
        .on_end = take_end,
    };
    forget_worker(m);
    if (sg_measure_take_worker(m, &args, &job.process, err) == SG_SUCCESS)
        sg_workers_run(&job, 1, 1, err);
    if (err->code == SG_SUCCESS && !m->moved)
        sg_fail(err, SG_INVALID, m->pass, "the worker did none of the %zu items it was asked for",
                m->asked_count);
    return err->code;
}

/* Runs one worker and keeps its rows. */
static enum sg_code measure_asked(struct measure *m, struct sg_err *err)
{
    if (sg_execution_check_code(m->execution, err) != SG_SUCCESS ||
        (sg_measure_is_time(m) &&
         sg_execution_begin_process(m->execution, m->process, &m->row, err) != SG_SUCCESS))
        return err->code;
    if (run_worker(m, err) == SG_SUCCESS && sg_measure_is_time(m))
        sg_execution_end_process(m->execution, &m->row, err);
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
    m->suspect = NULL;
    sg_measure_clear_rows(m);
    return err->code;
}

/* Times or counts the open steps, one kind of device after the other. */
static enum sg_code run_both_kinds(struct measure *m, const size_t *steps, size_t count,
                                   struct sg_err *err)
{
    const struct sg_execution *e = m->execution;
    m->order = sg_alloc(count, sizeof(*m->order));
    m->asked = sg_alloc(count + 1, sizeof(*m->asked)); /* room for a baseline outside of the set */
    m->turn = sg_alloc(e->plan->count, sizeof(*m->turn));
    for (int kind = 0; kind < 2 && err->code == SG_SUCCESS; kind++) {
        m->needs_gpu = kind == 0;
        m->order_count = m->lost = 0;
        m->began = false;
        for (size_t i = 0; i < count; i++) {
            const struct sg_step *step = &e->steps[steps[i]];
            const bool is_open =
                sg_measure_is_time(m) ? sg_step_to_time(step, m->process) : to_count(step);
            if (!is_open || sg_listed_needs_gpu(step->item->family) != m->needs_gpu)
                continue;
            m->turn[steps[i]] = SG_TURN_TO_DO;
            m->order[m->order_count++] = steps[i];
        }
        if (sg_measure_is_time(m))
            sg_measure_shuffle(e, m->process, m->order, m->order_count);
        run_measure(m, err);
    }
    free(m->order);
    free(m->asked);
    free(m->turn);
    return err->code;
}

enum sg_code sg_execution_time_process(struct sg_execution *e, unsigned process, unsigned ahead,
                                       const size_t *steps, size_t count, struct sg_err *err)
{
    struct measure m = {.execution = e, .pass = "time", .process = process, .ahead = ahead};
    return run_both_kinds(&m, steps, count, err);
}

enum sg_code sg_execution_count(struct sg_execution *e, const size_t *steps, size_t count,
                                struct sg_err *err)
{
    struct measure m = {.execution = e, .pass = "count"};
    size_t total = 0;
    for (size_t i = 0; i < count && e->plan->metric_count > 0; i++)
        total += to_count(&e->steps[steps[i]]);
    if (total > 0 && sg_execution_is_late(e)) {
        sg_progress_print(&e->progress, "the budget is over: no counters of %zu items", total);
    } else if (total > 0) {
        char what[128];
        snprintf(what, sizeof(what), "count: %zu item%s, %zu metric%s", total, SG_PLURAL(total),
                 e->plan->metric_count, SG_PLURAL(e->plan->metric_count));
        sg_progress_phase(&e->progress, "count", total, what);
        run_both_kinds(&m, steps, count, err);
        sg_progress_end(&e->progress);
    }
    sg_execution_end_standby(e);
    return err->code;
}
