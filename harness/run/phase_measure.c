/*
 * The time pass and the count pass: one worker does many items in turn, until one fails. What it
 * still had to do is done by the next. The item that failed is done again in a process of its own,
 * for another may have spoiled the process; its outcome there is its own. A worker may also end
 * before its first item, by code of a module that runs when it is loaded or asked: then each item
 * is done by itself, and where some can be begun, that others cannot is their own outcome.
 */
#include "run/pipeline_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/samples.h"
#include "util/random.h"

#define LOST_WORKERS_MAX 3 /* that one after the other did not come to an item: no module's doing */

#define PROCESS_SEED 0x9e3779b97f4a7c15u /* keeps the orders of neighbouring processes apart */

/* One pass of one worker after the other, until nothing is left. */
struct measure {
    struct sg_pipeline *pipeline;
    const char *pass; /* "time" or "count" */
    unsigned process; /* of the time pass */
    bool needs_gpu;   /* the items' kind of device; a worker serves one kind */
    size_t *order;    /* all steps of this kind that were to do, in order */
    size_t order_count;
    bool *is_left;  /* of each step: is it one of those still to do? */
    bool *is_apart; /* of each step: did it fail beside others, so that it is done by itself? */
    bool *has_lost; /* of each step: did a worker that was to do it alone end before it began? */
    unsigned lost;  /* workers that did, while none had begun an item */
    bool began;     /* some worker has begun an item */
    size_t left_count;
    size_t *asked; /* steps that the worker under way is asked for, in order */
    size_t asked_count;
    size_t begun;            /* how many of them it has begun */
    bool moved;              /* one was done, or failed */
    struct sg_step *current; /* between its begin and the next; NULL: none */
    struct sg_step *at;      /* of a set, the one that is launched; NULL: none */
    struct sg_table rows;    /* of the current item */
    struct sg_samples samples;
    struct sg_process row; /* of the worker, in the time pass */
    bool bye;
    struct sg_failure failure;
};

static bool is_time(const struct measure *m)
{
    return strcmp(m->pass, "time") == 0;
}

static void clear_rows(struct measure *m)
{
    sg_table_release(&m->rows);
    sg_table_init(&m->rows);
    sg_samples_release(&m->samples);
    sg_samples_init(&m->samples);
}

static void strike_off(struct measure *m, const struct sg_step *step)
{
    m->is_left[step - m->pipeline->steps] = false;
    m->left_count--;
    m->moved = true;
    sg_progress_step(&m->pipeline->progress);
}

/* May it be another's doing? In a set that is counted all of them are launched in turn. */
static bool is_beside_others(const struct measure *m)
{
    return is_time(m) ? m->begun > 1 : m->asked_count > 1;
}

static void set_apart(struct measure *m, enum sg_status status, const char *why)
{
    const struct sg_item *item = &m->current->item;
    sg_progress_print(&m->pipeline->progress, "%s/%s/%s: %s in pass %s, beside others: done again in a process of its own: %s",
                      item->family->name, item->case_->name, item->variant->name, sg_status_word(status), m->pass, why);
    m->is_apart[m->current - m->pipeline->steps] = true;
    m->moved = true;
    m->current = NULL;
    clear_rows(m);
}

/* The row that says so is what makes the failure known when the run is taken up again. */
static enum sg_code record_failure(struct measure *m, enum sg_status status, const char *why, struct sg_err *err)
{
    struct sg_step *step = m->current;
    struct sg_text message = {0};
    if (is_time(m))
        sg_text_addf(&message, SG_WHILE_TIMED ", process %u: %s", m->process, why);
    else
        sg_text_addf(&message, "while counted: %s", why);
    clear_rows(m);
    if (step->is_accepted_build)
        sg_item_row(&m->rows, sg_step_item(step), SG_BUILD_RATIO_METRIC, "1", status, message.data);
    else
        sg_item_row(&m->rows, &step->item, is_time(m) ? "time" : "count_passes", is_time(m) ? "ns" : "1", status, message.data);
    sg_run_writer_add_rows(&m->pipeline->folder, &m->rows, err);
    sg_progress_print(&m->pipeline->progress, "%s/%s/%s: %s: %s", step->item.family->name, step->item.case_->name, step->item.variant->name,
                      sg_status_word(status), message.data);
    if (is_time(m)) {
        step->status = status;
        free(step->message);
        step->message = sg_copy_string(message.data);
    } else {
        step->counted = true;
        step->count_status = status;
        step->count_message = sg_copy_string(message.data);
    }
    sg_text_release(&message);
    clear_rows(m);
    strike_off(m, step);
    m->current = NULL;
    return err->code;
}

static enum sg_code fail_item(struct measure *m, enum sg_status status, const char *why, struct sg_err *err)
{
    if (!is_beside_others(m) || !sg_status_is_spoiling(status))
        return record_failure(m, status, why, err);
    set_apart(m, status, why);
    return SG_SUCCESS;
}

/* Its baseline failed beside it. Whether that is the baseline's own doing its pair with itself
 * says, which was tried before by then. */
static enum sg_code fail_beside(struct measure *m, enum sg_status status, const char *why, struct sg_err *err)
{
    const struct sg_step *baseline = m->current->baseline;
    struct sg_text message = {0};
    sg_text_addf(&message, "its baseline %s is %s beside it: %s", baseline->item.variant->name, sg_status_word(status), why);
    if (is_beside_others(m) && sg_status_is_spoiling(status))
        set_apart(m, status, message.data);
    else
        record_failure(m, SG_SKIPPED, message.data, err);
    sg_text_release(&message);
    return err->code;
}

static bool ends_with_passes(const struct sg_table *rows)
{
    return rows->count > 0 && strcmp(sg_table_string(rows, rows->rows[rows->count - 1].metric), "count_passes") == 0;
}

static void keep_batches(const struct measure *m)
{
    struct sg_samples *all = m->pipeline->batches;
    for (size_t i = 0; i < m->samples.count; i++) {
        struct sg_sample sample = m->samples.items[i];
        sample.family = sg_samples_intern(all, sg_samples_string(&m->samples, sample.family));
        sample.case_ = sg_samples_intern(all, sg_samples_string(&m->samples, sample.case_));
        sample.pair = sg_samples_intern(all, sg_samples_string(&m->samples, sample.pair));
        sample.variant = sg_samples_intern(all, sg_samples_string(&m->samples, sample.variant));
        sg_samples_add(all, &sample);
    }
}

static bool is_whole(const struct measure *m)
{
    const struct sg_pair_samples batches = {m->samples.items, m->samples.count};
    if (!is_time(m))
        return ends_with_passes(&m->rows);
    return sg_pipeline_is_whole(m->pipeline, m->current->item.family->name, &batches) && batches.items[0].process == m->process;
}

/* The current item is over as far as the worker is concerned. */
static enum sg_code close_item(struct measure *m, struct sg_err *err)
{
    struct sg_step *step = m->current;
    if (!step)
        return SG_SUCCESS;
    if (!is_whole(m))
        return fail_item(m, SG_CRASH, "the worker went on before the item was done", err);
    if (is_time(m)) {
        sg_run_writer_add_samples(&m->pipeline->folder, &m->samples, err);
        keep_batches(m);
        sg_step_take_batches(step, &(struct sg_pair_samples){m->samples.items, m->samples.count}, m->pipeline->seed);
    } else {
        sg_run_writer_add_rows(&m->pipeline->folder, &m->rows, err);
        step->counted = true;
    }
    clear_rows(m);
    strike_off(m, step);
    m->current = NULL;
    return err->code;
}

/* The step that a message is about, NULL and SG_INVALID if it is none of those asked for. */
static struct sg_step *find_step(const struct measure *m, const struct sg_message *message, struct sg_err *err)
{
    struct sg_step *step = sg_pipeline_step(m->pipeline, message->field);
    if (step && m->is_left[step - m->pipeline->steps])
        return step;
    sg_fail(err, SG_INVALID, NULL, "an item that was not asked for, or is done: %s/%s/%s", message->field[0], message->field[1],
            message->field[2]);
    return NULL;
}

/* A new item begins, or is launched as one of a set whose rows will come later. */
static enum sg_code take_begin(struct measure *m, const struct sg_message *message, struct sg_err *err)
{
    if (close_item(m, err) != SG_SUCCESS)
        return err->code;
    struct sg_step *step = find_step(m, message, err);
    m->begun += message->kind == SG_MESSAGE_BEGIN;
    m->began = true;
    m->current = message->kind == SG_MESSAGE_BEGIN ? step : NULL;
    m->at = message->kind == SG_MESSAGE_AT ? step : NULL;
    return err->code;
}

static enum sg_code take_value(struct measure *m, const struct sg_message *message, struct sg_err *err)
{
    struct sg_value value;
    if (sg_take_value(message, &value, err) != SG_SUCCESS || sg_value_check_unit(&m->pipeline->catalogue, &value, err) != SG_SUCCESS)
        return err->code;
    const bool is_last = strcmp(value.metric, "count_passes") == 0;
    const bool has_value = (value.has & SG_HAS_VALUE) && !isnan(value.value);
    if (!is_last && !sg_pipeline_counted(m->pipeline, value.metric))
        return sg_fail(err, SG_INVALID, NULL, "value: nobody asked for %s", value.metric);
    if (value.status != (has_value ? SG_OK : SG_UNAVAILABLE) && (has_value || is_last || value.status != SG_NAN))
        return sg_fail(err, SG_INVALID, NULL, "value: %s: expected a number that is ok, or none that is nan or unavailable, found %s",
                       value.metric, sg_status_word(value.status));
    // The verification has told of it already, and a row must not be there twice.
    if (strcmp(value.metric, "kernels") != 0 || !m->current->has_kernels)
        sg_table_add(&m->rows, &value);
    return SG_SUCCESS;
}

static enum sg_code take_sample(struct measure *m, const struct sg_message *message, struct sg_err *err)
{
    if (sg_take_sample(message, &m->samples, err) != SG_SUCCESS)
        return err->code;
    const struct sg_sample *last = &m->samples.items[m->samples.count - 1];
    const char *ran = sg_samples_string(&m->samples, last->variant), *expected = sg_step_ran(m->current, last, m->pipeline->seed);
    if (strcmp(ran, expected) == 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_INVALID, NULL, "sample: block %u, position %u is a batch of %s, found %s", last->block, last->position, expected,
                   ran);
}

static enum sg_code take_of_item(struct measure *m, const struct sg_message *message, struct sg_err *err)
{
    if (!m->current) /* its status was told, or nobody asked for it */
        return sg_fail(err, SG_INVALID, NULL, "a row of an item that is done");
    if (message->kind == SG_MESSAGE_SAMPLE)
        return take_sample(m, message, err);
    if (message->kind == SG_MESSAGE_VALUE)
        return take_value(m, message, err);
    enum sg_status status = sg_status_from_word(message->field[3]);
    if (status == SG_STATUS_COUNT || status == SG_OK)
        return sg_fail(err, SG_INVALID, NULL, "expected what went wrong, found \"%s\"",
                       sg_show(message->field[3], strlen(message->field[3])).text);
    if (message->kind == SG_MESSAGE_BASELINE)
        return fail_beside(m, status, message->field[4], err);
    return fail_item(m, status, message->field[4], err);
}

static enum sg_code take_message(void *context, const struct sg_message *message, struct sg_err *err)
{
    struct measure *m = context;
    switch (message->kind) {
    case SG_MESSAGE_ENV:
        return sg_pipeline_take_env(m->pipeline, m->needs_gpu, message, err);
    case SG_MESSAGE_BEGIN:
    case SG_MESSAGE_AT:
        return take_begin(m, message, err);
    case SG_MESSAGE_STATUS:
    case SG_MESSAGE_BASELINE:
    case SG_MESSAGE_VALUE:
    case SG_MESSAGE_SAMPLE:
        return take_of_item(m, message, err);
    case SG_MESSAGE_EVENTS:
        // Said behind the last item: what kills the worker from here on is not its doing.
        return close_item(m, err) == SG_SUCCESS ? sg_take_look(message, &m->row, err) : err->code;
    case SG_MESSAGE_FIGURE:
        return sg_take_look(message, &m->row, err);
    case SG_MESSAGE_NOTE:
        sg_progress_print(&m->pipeline->progress, "%s", message->field[0]);
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

/* Is anything left that no worker was lost with? */
static bool has_untried(const struct measure *m)
{
    bool any = false;
    for (size_t i = 0; i < m->order_count; i++)
        any |= m->is_left[m->order[i]] && !m->has_lost[m->order[i]];
    return any;
}

/* One item and no worker that begins it. Whether that is the item's
 * doing, or nobody's, shows by others. */
static enum sg_code lose_one(struct measure *m, enum sg_status status, const char *why, struct sg_err *err)
{
    struct sg_text text = {0};
    m->has_lost[m->asked[0]] = true;
    if (m->began) {
        m->current = &m->pipeline->steps[m->asked[0]];
        sg_text_addf(&text, "its worker ended before it began: %s", why);
        record_failure(m, status, text.data, err);
        sg_text_release(&text);
    } else if (++m->lost < LOST_WORKERS_MAX && has_untried(m)) {
        m->moved = true;
    } else {
        fail_run(m, why, err);
    }
    return err->code;
}

static enum sg_code lose_worker(struct measure *m, enum sg_status status, const char *why, struct sg_err *err)
{
    if (m->asked_count == 1)
        return lose_one(m, status, why, err);
    sg_progress_print(&m->pipeline->progress,
                      "a worker of pass %s ended before its first item: %s: each of its %zu items is done by itself", m->pass, why,
                      m->asked_count);
    for (size_t i = 0; i < m->asked_count; i++)
        m->is_apart[m->asked[i]] = true;
    m->moved = true;
    return SG_SUCCESS;
}

static enum sg_code take_end(void *context, const struct sg_worker_job *job, struct sg_err *err)
{
    struct measure *m = context;
    sg_pipeline_note_end(m->pipeline, m->pass, job);
    if (job->end.fate == SG_WORKER_STOPPED || m->bye)
        return SG_SUCCESS;
    /* A module that is written over may kill the worker that loads it or has it
     * mapped: no doing of the variant. */
    if (sg_pipeline_check_code(m->pipeline, err) != SG_SUCCESS)
        return err->code;
    if (!m->current)
        m->current = m->at;
    /* Behind a launch what the worker cannot do any more may be that launch's doing;
     * everything else is wrong with the run. */
    if (m->failure.code != SG_SUCCESS && (m->failure.code != SG_INVALID || !m->current))
        return sg_fail(err, m->failure.code, m->pass, "%s", m->failure.why);
    struct sg_text text = {0};
    if (m->failure.code != SG_SUCCESS)
        sg_text_addf(&text, "its worker could not go on: %s", m->failure.why);
    else
        sg_worker_describe_fate(job, &text);
    const enum sg_status status = job->end.fate == SG_WORKER_LATE ? SG_HANG : SG_CRASH;
    if (m->current)
        fail_item(m, status, text.data, err);
    else if (m->moved) /* what it did stands, and another one does the rest */
        sg_progress_print(&m->pipeline->progress, "a worker of pass %s ended between two items: %s", m->pass, text.data);
    else
        lose_worker(m, status, text.data, err);
    sg_text_release(&text);
    return err->code;
}

/* A worker loads what it needs and no more: the code of a module that it does not
 * need is no concern of its items. */
static bool needs(const struct measure *m, const struct sg_listed_family *family)
{
    bool any = false;
    for (size_t i = 0; i < m->asked_count && !any; i++)
        any = strcmp(m->pipeline->steps[m->asked[i]].item.family->name, family->name) == 0;
    return any && sg_listed_needs_gpu(family) == m->needs_gpu;
}

static void add_arguments(const struct measure *m, struct sg_names *args)
{
    const struct sg_pipeline *p = m->pipeline;
    sg_args_begin(args, p, m->pass);
    for (size_t i = 0; i < p->listing->count; i++)
        if (needs(m, &p->listing->families[i]))
            sg_args_module(args, p, &p->listing->families[i]);
    for (size_t i = 0; p->against && i < p->against->count; i++)
        if (needs(m, &p->against->families[i]))
            sg_args_module(args, p, &p->against->families[i]);
    if (p->baseline_name && is_time(m))
        sg_names_addf(args, "--baseline=%s", p->baseline_name);
    sg_names_addf(args, "--l2=%s", sg_l2_word(p->suite->l2));
    if (is_time(m)) {
        sg_names_addf(args, "--process=%u", m->process);
        sg_names_addf(args, "--attempt=%u", m->row.attempt);
        if (p->segment_ms)
            sg_names_addf(args, "--segment-ms=%u", p->segment_ms);
        /* References of one kind of device cannot run on the other; a plan
         * with both has them on its GPU. */
        if (p->drift.length > 0 && m->needs_gpu == sg_pipeline_runs_on_gpu(p))
            sg_names_addf(args, "--drift=%s", p->drift.data);
        sg_names_addf(args, "--blocks=%u", p->suite->blocks);
        sg_names_addf(args, "--launches=%u", p->suite->launches);
    } else {
        sg_names_addf(args, "--repeats=%u", p->suite->repeats);
        for (size_t i = 0; i < p->metric_count; i++)
            sg_names_addf(args, "--metric=%s", p->metrics[i]->name);
    }
    sg_args_settings(args, p, m->asked, m->asked_count);
    for (size_t i = 0; i < m->asked_count; i++) {
        const struct sg_item *item = &p->steps[m->asked[i]].item;
        if (is_time(m))
            sg_names_addf(args, "--tolerance=%.17g", sg_pipeline_tolerance(p, item->family->name));
        sg_args_item(args, item);
    }
}

bool sg_step_to_time(const struct sg_step *step, unsigned process)
{
    return step->status == SG_OK && step->baseline && step->baseline->status == SG_OK && !(step->processes >> process & 1);
}

/* One that was not timed because of its baseline is right all the same. */
static bool to_count(const struct sg_step *step)
{
    return step->passed && (step->status == SG_OK || step->status == SG_SKIPPED) && !step->counted;
}

/* Those whose baseline died would only die with it. */
static void strike_off_the_hopeless(struct measure *m)
{
    for (size_t i = 0; i < m->order_count; i++) {
        const struct sg_step *step = &m->pipeline->steps[m->order[i]];
        if (m->is_left[m->order[i]] && is_time(m) && !sg_step_to_time(step, m->process))
            strike_off(m, step);
    }
}

/* Workers that were lost with items of the step's family. */
static size_t lost_beside(const struct measure *m, const struct sg_step *step)
{
    size_t lost = 0;
    for (size_t i = 0; i < m->order_count; i++)
        lost += m->has_lost[m->order[i]] && m->pipeline->steps[m->order[i]].item.family == step->item.family;
    return lost;
}

/* Is this one to be tried by itself before that one? A baseline comes first, for without it the
 * others of its case need not be tried. */
static bool is_before(const struct measure *m, size_t a, size_t b)
{
    const struct sg_step *one = &m->pipeline->steps[a], *other = &m->pipeline->steps[b];
    if (m->has_lost[a] != m->has_lost[b])
        return m->has_lost[b];
    const size_t lost = lost_beside(m, one), lost_beside_other = lost_beside(m, other);
    if (lost != lost_beside_other)
        return lost < lost_beside_other;
    return one->baseline == one && other->baseline != other;
}

static void ask_for_one(struct measure *m)
{
    for (size_t i = 0; i < m->order_count; i++) {
        if (!m->is_left[m->order[i]])
            continue;
        if (m->asked_count == 0 || is_before(m, m->order[i], m->asked[0]))
            m->asked[0] = m->order[i];
        m->asked_count = 1;
    }
}

/* What the next worker is asked for: all that is left and did not fail beside
 * others; behind those, one of these. */
static void ask(struct measure *m)
{
    strike_off_the_hopeless(m);
    m->asked_count = m->begun = 0;
    m->moved = false;
    for (size_t i = 0; i < m->order_count; i++)
        if (m->is_left[m->order[i]] && !m->is_apart[m->order[i]])
            m->asked[m->asked_count++] = m->order[i];
    if (m->asked_count == 0)
        ask_for_one(m);
}

static enum sg_code run_worker(struct measure *m, struct sg_err *err)
{
    struct sg_names args = {0};
    add_arguments(m, &args);
    m->bye = false;
    m->failure = (struct sg_failure){.code = SG_SUCCESS};
    m->current = m->at = NULL;
    clear_rows(m);
    struct sg_worker_job job = {
        .is_signed = true,
        .argv = (const char *const *)args.items,
        .pass = m->pass,
        .process = m->process,
        .deadline_s = m->pipeline->suite->deadline_s,
        .context = m,
        .on_message = take_message,
        .on_end = take_end,
    };
    sg_workers_run(&job, 1, 1, err);
    sg_names_release(&args);
    if (err->code == SG_SUCCESS && !m->moved)
        sg_fail(err, SG_INVALID, m->pass, "the worker did none of the %zu items it was asked for", m->asked_count);
    return err->code;
}

/*
 * Workers one after the other until nothing is left; each does an item, sets one apart or is the
 * first to be lost with one, which happens once to each: so this ends.
 */
static enum sg_code run_measure(struct measure *m, struct sg_err *err)
{
    for (ask(m); m->left_count > 0 && err->code == SG_SUCCESS; ask(m)) {
        if (sg_pipeline_check_code(m->pipeline, err) != SG_SUCCESS ||
            (is_time(m) && sg_pipeline_begin_process(m->pipeline, m->process, &m->row, err) != SG_SUCCESS))
            break;
        if (run_worker(m, err) == SG_SUCCESS && is_time(m))
            sg_pipeline_end_process(m->pipeline, &m->row, err);
        if (m->pipeline->env_changed && err->code == SG_SUCCESS) {
            m->pipeline->env_changed = false;
            sg_run_writer_write_env(&m->pipeline->folder, err);
        }
    }
    clear_rows(m);
    return err->code;
}

/* The order is drawn for all steps, and those that are done are left out: so it
 * is the same after an interruption. */
static void shuffle(const struct sg_pipeline *p, unsigned process, size_t *left, size_t count)
{
    uint64_t state = p->seed + PROCESS_SEED * (process + 1);
    size_t *order = sg_alloc(p->plan.count, sizeof(*order));
    bool *wanted = sg_alloc(p->plan.count, sizeof(*wanted));
    for (size_t i = 0; i < p->plan.count; i++)
        order[i] = i;
    for (size_t i = 0; i < count; i++)
        wanted[left[i]] = true;
    sg_random_shuffle(&state, order, p->plan.count);
    count = 0;
    for (size_t i = 0; i < p->plan.count; i++)
        if (wanted[order[i]])
            left[count++] = order[i];
    free(order);
    free(wanted);
}

/* Those of the steps that are still to be timed or counted, on one kind
 * of device, after the other kind. */
static enum sg_code run_both_kinds(struct measure *m, const size_t *steps, size_t count, struct sg_err *err)
{
    const struct sg_pipeline *p = m->pipeline;
    m->order = sg_alloc(count, sizeof(*m->order));
    m->asked = sg_alloc(count, sizeof(*m->asked));
    m->is_left = sg_alloc(p->plan.count, sizeof(*m->is_left));
    m->is_apart = sg_alloc(p->plan.count, sizeof(*m->is_apart));
    m->has_lost = sg_alloc(p->plan.count, sizeof(*m->has_lost));
    for (int kind = 0; kind < 2 && err->code == SG_SUCCESS; kind++) {
        m->needs_gpu = kind == 0;
        m->order_count = m->lost = 0;
        m->began = false;
        for (size_t i = 0; i < count; i++) {
            const struct sg_step *step = &p->steps[steps[i]];
            const bool is_open = is_time(m) ? sg_step_to_time(step, m->process) : to_count(step);
            m->is_left[steps[i]] = is_open && sg_listed_needs_gpu(step->item.family) == m->needs_gpu;
            if (m->is_left[steps[i]])
                m->order[m->order_count++] = steps[i];
        }
        m->left_count = m->order_count;
        if (is_time(m))
            shuffle(p, m->process, m->order, m->order_count);
        run_measure(m, err);
    }
    free(m->order);
    free(m->asked);
    free(m->is_left);
    free(m->is_apart);
    free(m->has_lost);
    return err->code;
}

enum sg_code sg_pipeline_time_process(struct sg_pipeline *p, unsigned process, const size_t *steps, size_t count, struct sg_err *err)
{
    struct measure m = {.pipeline = p, .pass = "time", .process = process};
    return run_both_kinds(&m, steps, count, err);
}

enum sg_code sg_pipeline_count(struct sg_pipeline *p, const size_t *steps, size_t count, struct sg_err *err)
{
    struct measure m = {.pipeline = p, .pass = "count"};
    size_t total = 0;
    for (size_t i = 0; i < count && p->metric_count > 0; i++)
        total += to_count(&p->steps[steps[i]]);
    if (total > 0 && sg_pipeline_is_late(p)) {
        sg_progress_print(&p->progress, "the budget is over: no counters of %zu items", total);
    } else if (total > 0) {
        char what[128];
        snprintf(what, sizeof(what), "count: %zu items, %zu metrics", total, p->metric_count);
        sg_progress_phase(&p->progress, "count", total, what);
        run_both_kinds(&m, steps, count, err);
        sg_progress_end(&p->progress);
    }
    return err->code;
}
