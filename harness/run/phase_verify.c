#include "run/execution_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/error_signature.h"

#define BATCH_MAX 8 /* items per process */

/* Cases of one variant, verified one after the other in one process. */
struct verification {
    struct sg_execution *execution;
    size_t steps[BATCH_MAX], count;
    size_t at; /* index of the current step */
    struct sg_names args;
    bool begun, bye;
    bool spoilt; /* one failed: later outcomes in this process do not count */
    struct sg_failure failure;

    /* Reported by the worker for the current step. */
    struct sg_table values;
    bool reported;
    enum sg_status status;
    char *message;
};

static struct sg_step *current(const struct verification *v)
{
    return &v->execution->steps[v->steps[v->at]];
}

static enum sg_code take_status(struct verification *v, const struct sg_message *m,
                                struct sg_err *err)
{
    if (v->reported)
        return sg_fail(err, SG_INVALID, NULL,
                       "expected one status for each item, found a second "
                       "one");
    v->reported = true;
    v->status = m->status;
    v->message = sg_copy_string(m->text);
    return SG_SUCCESS;
}

/* Measurements count only if the outputs are right. For wrong outputs, only their error signature
 * counts. */
static enum sg_code take_value(struct verification *v, const struct sg_value *value,
                               struct sg_err *err)
{
    if (sg_value_check_unit(&v->execution->plan->catalogue, value, err) != SG_SUCCESS)
        return err->code;
    if (!v->reported || sg_table_has_metric(&v->values, value->metric))
        return sg_fail(err, SG_INVALID, NULL,
                       "value: expected each metric once and after the status, found %s",
                       value->metric);
    if (strcmp(value->metric, SG_SIGNATURE_METRIC) == 0 ? !sg_has_error_signature(v->status)
                                                        : v->status != SG_OK)
        return sg_fail(err, SG_INVALID, NULL,
                       "value: expected %s only of a variant whose outputs are %s, found status %s",
                       value->metric,
                       strcmp(value->metric, SG_SIGNATURE_METRIC) == 0 ? "wrong" : "right",
                       sg_status_word(v->status));
    sg_table_add(&v->values, value);
    return SG_SUCCESS;
}

/* Writes the status last: it marks the group as complete. */
static enum sg_code write_group(struct verification *v, struct sg_err *err)
{
    struct sg_step *step = current(v);
    const struct sg_item *item = step->item;
    SG_SCOPED(sg_table) group = {0};
    sg_item_row(&group, item, "role", "", SG_OK, sg_role_word(item->variant->role));
    sg_item_row(&group, item, "shape", "", SG_OK, item->case_->shape);
    if (item->variant->expect != SG_OK)
        sg_item_row(&group, item, "expect", "", item->variant->expect, "");
    const bool has_values = v->status == SG_OK || sg_has_error_signature(v->status);
    for (size_t i = 0; i < v->values.count && has_values; i++) {
        const struct sg_value value = sg_value_of(&v->values, &v->values.rows[i]);
        sg_table_add(&group, &value);
    }
    sg_item_row(&group, item, "status", "", v->status, v->message);
    return sg_step_add_rows(v->execution, step, &group, NULL, err);
}

static void print_unexpected(struct sg_execution *e, struct sg_step *step)
{
    const struct sg_item *item = step->item;
    /* An item that passes may still fail as declared when timed, so a pass is not reported here. */
    if (step->status != SG_OK &&
        sg_verdict_of_status(item->variant->expect, step->status) == SG_BROKEN) {
        SG_SCOPED(sg_text) reason = {0};
        sg_step_add_reason(step, &reason);
        sg_progress_print(&e->progress, "%s/%s/%s: expected %s, found %s%s", SG_ITEM_NAMES(item),
                          sg_status_word(item->variant->expect), sg_status_word(step->status),
                          sg_text_string(&reason));
    }
    sg_progress_step(&e->progress);
}

/* A step that failed after others and was right alone is flaky. */
static enum sg_code settle_retry(struct sg_execution *e, struct sg_step *step, struct sg_err *err)
{
    if (!step->first_failure)
        return SG_SUCCESS;
    if (step->status != SG_OK)
        return sg_step_set_first_failure(e, step, "", err);
    SG_FORMATTED(message, "failed 1 of 2 times: %s", step->first_failure);
    return sg_step_set_flaky(e, step, message.data, err);
}

static enum sg_code record(struct verification *v, struct sg_err *err)
{
    struct sg_step *step = current(v);
    if (write_group(v, err) != SG_SUCCESS || settle_retry(v->execution, step, err) != SG_SUCCESS)
        return err->code;
    print_unexpected(v->execution, step);
    return sg_run_log_write_env_if_changed(v->execution->sink, err);
}

/* The step failed after others, so it is verified again alone. */
static enum sg_code record_first_failure(struct verification *v, struct sg_err *err)
{
    SG_FORMATTED(how, "%s while verified after others, run seed %llu: %s",
                 sg_status_word(v->status), (unsigned long long)v->execution->seed, v->message);
    sg_progress_print(&v->execution->progress, "%s/%s/%s: retrying alone: %s",
                      SG_ITEM_NAMES(current(v)->item), how.data);
    return sg_step_set_first_failure(v->execution, current(v), how.data, err);
}

/* Workers of the time pass hold memory; it may fit without them. */
static bool has_others(const struct verification *v)
{
    return sg_standby_others(&v->execution->standby) > 0;
}

/* The current item is finished. An item that ran out of memory is retried alone. */
static enum sg_code close_item(struct verification *v, struct sg_err *err)
{
    const bool is_short = v->status == SG_OOM && (has_others(v) || v->at > 0),
               fails = sg_status_is_spoiling(v->status);
    if (!v->spoilt && !is_short && v->at > 0 && fails)
        record_first_failure(v, err);
    else if (!v->spoilt && !is_short)
        record(v, err);
    v->spoilt |= fails;
    /* Frees the rows at once: a run may have many verifications, and each fork copies the page
     * tables of this process. */
    sg_table_release(&v->values);
    free(v->message);
    v->message = NULL;
    v->reported = false;
    v->status = SG_OK;
    return err->code;
}

static enum sg_code take_begin(struct verification *v, const struct sg_message *m,
                               struct sg_err *err)
{
    if (v->begun && (!v->reported || v->at + 1 == v->count))
        return sg_fail(err, SG_INVALID, NULL,
                       "expected a status for each requested item, found another item");
    if (v->begun && close_item(v, err) != SG_SUCCESS)
        return err->code;
    v->at += v->begun;
    v->begun = true;
    return sg_item_check(current(v)->item, m, err);
}

static enum sg_code take_message(void *context, const struct sg_message *m, struct sg_err *err)
{
    struct verification *v = context;
    const struct sg_item *item = current(v)->item;
    switch (m->kind) {
    case SG_MESSAGE_HELLO: /* the driver makes one context after the other, this one first */
        sg_execution_start_time(v->execution);
        return SG_SUCCESS;
    case SG_MESSAGE_ENV:
        return sg_execution_take_env(v->execution, sg_listed_needs_gpu(item->family), m, err);
    case SG_MESSAGE_BEGIN:
        return take_begin(v, m, err);
    case SG_MESSAGE_STATUS:
        return sg_item_check(item, m, err) == SG_SUCCESS ? take_status(v, m, err) : err->code;
    case SG_MESSAGE_VALUE:
        return sg_item_check(item, m, err) == SG_SUCCESS ? take_value(v, &m->value, err)
                                                         : err->code;
    case SG_MESSAGE_NOTE:
        sg_progress_print(&v->execution->progress, "%s/%s/%s: %s", SG_ITEM_NAMES(item), m->text);
        return SG_SUCCESS;
    case SG_MESSAGE_FAIL:
        sg_take_failure(m, &v->failure);
        return SG_SUCCESS;
    case SG_MESSAGE_BYE:
        v->bye = true;
        return SG_SUCCESS;
    default:
        return SG_SUCCESS;
    }
}

static void decide(struct verification *v, enum sg_status status, const char *message)
{
    v->status = status;
    v->message = sg_copy_string(message);
}

/*
 * Until its `bye` message, whatever ended the worker is the variant's failure
 * (results/message.h). A variant with wrong outputs is launched again after its status; that
 * status is kept.
 */
static void judge(struct verification *v, const struct sg_worker_job *job)
{
    if (v->reported && sg_has_error_signature(v->status) &&
        job->end.fate != SG_WORKER_BROKE_PROTOCOL)
        return;
    if (v->failure.code == SG_NO_GPU) {
        decide(v, SG_UNAVAILABLE, v->failure.why);
    } else if (!v->bye) {
        SG_SCOPED(sg_text) text = {0};
        sg_worker_describe(job, &text);
        decide(v, job->end.fate == SG_WORKER_LATE ? SG_HANG : SG_CRASH, text.data);
    } else if (!v->reported) {
        decide(v, SG_CRASH, "the worker exited without a status");
    }
}

static enum sg_code take_end(void *context, const struct sg_worker_job *job, struct sg_err *err)
{
    struct verification *v = context;
    if (job->end.fate == SG_WORKER_STOPPED)
        return SG_SUCCESS;
    /* Overwriting a module can kill a worker that loads or maps it. That is not the variant's
     * failure. */
    if ((v->failure.code != SG_SUCCESS || !v->bye) &&
        sg_execution_check_code(v->execution, err) != SG_SUCCESS)
        return err->code;
    bool no_gpu = v->failure.code == SG_NO_GPU;
    if (v->failure.code != SG_SUCCESS && (!no_gpu || !sg_run_plan_needs_host(v->execution->plan)))
        return sg_fail(err, v->failure.code, current(v)->item->family->name, "%s", v->failure.why);
    if (!v->begun && v->count > 1) /* each is verified alone */
        return SG_SUCCESS;
    judge(v, job);
    if (v->status != SG_OOM || !has_others(v))
        sg_execution_note_end(v->execution, "verify", current(v)->item, job);
    return close_item(v, err);
}

static bool is_open(const struct sg_step *step)
{
    return !step->verified && !step->item->only_timed;
}

/* A variant that is declared to fail would end the process before the others. */
static bool is_alone(const struct sg_step *step)
{
    return step->item->variant->expect != SG_OK || step->first_failure;
}

static bool is_same_variant(const struct sg_item *a, const struct sg_item *b)
{
    return a->family == b->family && a->build == b->build &&
           strcmp(a->variant->name, b->variant->name) == 0;
}

/* Adds the step, and as many other cases of the same variant as fit. */
static void fill(struct verification *v, const size_t *steps, size_t count, size_t most,
                 bool *taken)
{
    const struct sg_step *first = &v->execution->steps[steps[0]];
    for (size_t i = 0; i < count && v->count < (is_alone(first) ? 1 : most); i++) {
        const struct sg_step *step = &v->execution->steps[steps[i]];
        if (i > 0 && (taken[i] || !is_open(step) || is_alone(step) ||
                      !is_same_variant(first->item, step->item)))
            continue;
        taken[i] = true;
        v->steps[v->count++] = steps[i];
    }
}

/* Adds the built digest of the family's module, if known. */
static void add_built(struct sg_names *args, const struct sg_execution *e,
                      const struct sg_listed_family *family)
{
    for (size_t i = 0; i < e->code_count; i++)
        if (e->code[i].built[0] && strcmp(e->code[i].path, family->module) == 0) {
            sg_names_addf(args, "--built=%s", e->code[i].built);
            return;
        }
}

static void prepare(struct verification *v, struct sg_worker_job *job)
{
    const struct sg_execution *e = v->execution;
    const struct sg_item *first = current(v)->item;
    const struct sg_listed_variant *variant = first->variant;
    v->values = (struct sg_table){0};
    sg_args_worker(&v->args, e->plan, e->options, e->seed, "verify");
    sg_args_module(&v->args, first->family, first->build);
    add_built(&v->args, e, first->family);
    sg_args_others(&v->args, e, v->steps, v->count);
    sg_args_knobs(&v->args, e, v->steps, v->count);
    for (size_t i = 0; i < v->count; i++)
        sg_args_item(&v->args, e->steps[v->steps[i]].item);
    *job = (struct sg_worker_job){
        .argv = (const char *const *)v->args.items,
        .pass = "verify",
        .deadline_s = variant->deadline_s > 0 ? variant->deadline_s : e->plan->settings.deadline,
        .start_up_s = e->plan->settings.deadline,
        .context = v,
        .on_message = take_message,
        .on_end = take_end,
    };
}

/*
 * Workers prepared at a time. With thousands, this process would hold so much memory that each
 * fork gets slow.
 */
#define SLICE 256

/* Verifies one slice of the open steps from *next on, up to `most` in a process. Advances *next. */
static enum sg_code verify_slice(struct sg_execution *e, const size_t *steps, size_t step_count,
                                 size_t most, size_t *next, bool *taken, struct sg_err *err)
{
    SG_FREED struct verification *verifications = sg_alloc(SLICE, sizeof(*verifications));
    SG_FREED struct sg_worker_job *jobs = sg_alloc(SLICE, sizeof(*jobs));
    size_t count = 0;
    for (; *next < step_count && count < SLICE; ++*next) {
        if (taken[*next] || !is_open(&e->steps[steps[*next]]))
            continue;
        struct verification *v = &verifications[count];
        *v = (struct verification){.execution = e};
        fill(v, &steps[*next], step_count - *next, most, &taken[*next]);
        prepare(v, &jobs[count++]);
    }
    if (count > 0)
        sg_workers_run(jobs, count, e->options->jobs, err);
    for (size_t i = 0; i < count; i++) {
        sg_names_release(&verifications[i].args);
        sg_table_release(&verifications[i].values);
        free(verifications[i].message);
    }
    return err->code;
}

static size_t count_open(const struct sg_execution *e, const size_t *steps, size_t count)
{
    size_t open = 0;
    for (size_t i = 0; i < count; i++)
        open += is_open(&e->steps[steps[i]]);
    return open;
}

/* Returns the number of steps left. */
static size_t verify_open(struct sg_execution *e, const size_t *steps, size_t count, size_t most,
                          struct sg_err *err)
{
    SG_FREED bool *taken = sg_alloc(count + 1, sizeof(*taken));
    for (size_t next = 0; next < count && err->code == SG_SUCCESS;)
        verify_slice(e, steps, count, most, &next, taken, err);
    return err->code == SG_SUCCESS ? count_open(e, steps, count) : 0;
}

/* Items per process, such that the processes run in at least two turns and do not all open the GPU
 * at the same time. */
static size_t batch_of(size_t items, size_t jobs)
{
    const size_t share = items / (2 * jobs);
    return share < 1 ? 1 : share < BATCH_MAX ? share : BATCH_MAX;
}

enum sg_code sg_execution_verify(struct sg_execution *e, const size_t *steps, size_t count,
                                 struct sg_err *err)
{
    const size_t left = count_open(e, steps, count), most = batch_of(left, e->options->jobs);
    if (sg_execution_check_code(e, err) != SG_SUCCESS || left == 0)
        return err->code;
    char what[128];
    snprintf(what, sizeof(what), "verify: %zu item%s, one process per variant, %zu at a time", left,
             SG_PLURAL(left), (size_t)e->options->jobs);
    sg_progress_phase(&e->progress, "verify", left, what);
    size_t open = verify_open(e, steps, count, most, err);
    if (open > 0 && most > 1)
        open = verify_open(e, steps, count, 1, err);
    if (open > 0) {
        e->is_crowded = true;
        sg_standby_clear(&e->standby);
        verify_open(e, steps, count, 1, err);
    }
    sg_progress_end(&e->progress);
    return err->code;
}
