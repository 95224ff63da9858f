#include "run/execution_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/error_signature.h"

/* One item being verified, in a process of its own. */
struct verification {
    struct sg_execution *execution;
    struct sg_step *step;
    struct sg_names args;
    struct sg_table values; /* what the worker reported with the status */
    bool reported, bye;
    bool has_others; /* processes of the time pass are there, which take memory: it may fit without them */
    enum sg_status status;
    char *message;
    struct sg_failure failure;
};

static enum sg_code take_status(struct verification *v, const struct sg_message *m, struct sg_err *err)
{
    enum sg_status status = sg_status_from_word(m->field[3]);
    if (v->reported)
        return sg_fail(err, SG_INVALID, NULL, "expected one status, found another");
    if (status == SG_STATUS_COUNT)
        return sg_fail(err, SG_INVALID, NULL, "expected a status, found \"%s\"", sg_show(m->field[3], strlen(m->field[3])).text);
    v->reported = true;
    v->status = status;
    v->message = sg_copy_string(m->field[4]);
    return SG_SUCCESS;
}

/* What is measured of a variant counts only if it is right; of a wrong one, how it is wrong. */
static enum sg_code take_value(struct verification *v, const struct sg_message *m, struct sg_err *err)
{
    struct sg_value value;
    if (sg_take_value(m, &value, err) != SG_SUCCESS || sg_value_check_unit(&v->execution->plan->catalogue, &value, err) != SG_SUCCESS)
        return err->code;
    if (!v->reported || sg_table_has_metric(&v->values, value.metric))
        return sg_fail(err, SG_INVALID, NULL, "value: expected each metric once and behind the status, found %s", value.metric);
    if (strcmp(value.metric, SG_SIGNATURE_METRIC) == 0 ? !sg_has_error_signature(v->status) : v->status != SG_OK)
        return sg_fail(err, SG_INVALID, NULL, "value: %s of a variant that is %s", value.metric, sg_status_word(v->status));
    sg_table_add(&v->values, &value);
    return SG_SUCCESS;
}

static enum sg_code take_message(void *context, const struct sg_message *m, struct sg_err *err)
{
    struct verification *v = context;
    const struct sg_item *item = v->step->item;
    switch (m->kind) {
    case SG_MESSAGE_ENV:
        return sg_execution_take_env(v->execution, sg_listed_needs_gpu(item->family), m, err);
    case SG_MESSAGE_BEGIN:
        return sg_item_check(item, m, err);
    case SG_MESSAGE_STATUS:
        return sg_item_check(item, m, err) == SG_SUCCESS ? take_status(v, m, err) : err->code;
    case SG_MESSAGE_VALUE:
        return sg_item_check(item, m, err) == SG_SUCCESS ? take_value(v, m, err) : err->code;
    case SG_MESSAGE_NOTE:
        sg_progress_print(&v->execution->progress, "%s/%s/%s: %s", SG_ITEM_NAMES(item), m->field[0]);
        return SG_SUCCESS;
    case SG_MESSAGE_FAIL:
        return sg_take_failure(m, &v->failure, err);
    case SG_MESSAGE_BYE:
        v->bye = true;
        return SG_SUCCESS;
    default:
        return SG_SUCCESS;
    }
}

static void decide(struct verification *v, enum sg_status status, const char *message)
{
    free(v->message);
    v->status = status;
    v->message = sg_copy_string(message);
}

/*
 * Until it said bye, whatever ended the worker is the variant's doing (results/message.h). One
 * whose outputs are wrong is launched again behind its status, which stands.
 */
static void judge(struct verification *v, const struct sg_worker_job *job)
{
    if (v->reported && sg_has_error_signature(v->status) && job->end.fate != SG_WORKER_BROKE_PROTOCOL)
        return;
    if (v->failure.code == SG_NO_GPU) {
        decide(v, SG_UNAVAILABLE, v->failure.why);
    } else if (!v->bye) {
        SG_SCOPED(sg_text) text = {0};
        sg_worker_describe(job, &text);
        decide(v, job->end.fate == SG_WORKER_LATE ? SG_HANG : SG_CRASH, text.data);
    } else if (!v->reported) {
        decide(v, SG_CRASH, "the worker ended without a status");
    }
}

/* The status comes last: it is what makes the group whole. */
static enum sg_code write_group(struct verification *v, struct sg_err *err)
{
    const struct sg_item *item = v->step->item;
    SG_SCOPED(sg_table) group = {0};
    sg_item_row(&group, item, "role", "", SG_OK, sg_role_word(item->variant->role));
    sg_item_row(&group, item, "shape", "", SG_OK, item->case_->shape);
    if (item->variant->expect != SG_OK)
        sg_item_row(&group, item, "expect", "", item->variant->expect, "");
    const bool has_values = v->status == SG_OK || sg_has_error_signature(v->status);
    for (size_t i = 0; i < v->values.count && has_values; i++) {
        const struct sg_value value = sg_value_of(&v->values, &v->values.rows[i]);
        v->step->has_kernels |= strcmp(value.metric, "kernels") == 0;
        sg_table_add(&group, &value);
    }
    sg_item_row(&group, item, "status", "", v->status, v->message);
    sg_run_log_add_rows(v->execution->sink, &group, err);
    return err->code;
}

static void print_unexpected(const struct verification *v)
{
    const struct sg_item *item = v->step->item;
    const enum sg_standing standing = sg_standing_of(item->variant->expect, v->step->status);
    // One that passes may still fail as declared when it is timed, so
    // that is no news before the end.
    if (standing == SG_FAILS || standing == SG_FAILS_DIFFERENTLY) {
        SG_SCOPED(sg_text) reason = {0};
        sg_step_add_reason(v->step, &reason);
        sg_progress_print(&v->execution->progress, "%s/%s/%s: expected %s, found %s%s", SG_ITEM_NAMES(item),
                          sg_status_word(item->variant->expect), sg_status_word(v->status), sg_text_string(&reason));
    }
    sg_progress_step(&v->execution->progress);
}

static enum sg_code take_end(void *context, const struct sg_worker_job *job, struct sg_err *err)
{
    struct verification *v = context;
    if (job->end.fate == SG_WORKER_STOPPED || (v->status == SG_OOM && v->has_others))
        return SG_SUCCESS;
    /* A module that is written over may kill the worker that loads it or has it
     * mapped: no doing of the variant. */
    if ((v->failure.code != SG_SUCCESS || !v->bye) && sg_execution_check_code(v->execution, err) != SG_SUCCESS)
        return err->code;
    bool no_gpu = v->failure.code == SG_NO_GPU;
    if (v->failure.code != SG_SUCCESS && (!no_gpu || !sg_run_plan_needs_host(v->execution->plan)))
        return sg_fail(err, v->failure.code, v->step->item->family->name, "%s", v->failure.why);
    judge(v, job);
    sg_execution_note_end(v->execution, "verify", v->step->item, job);
    if (write_group(v, err) != SG_SUCCESS)
        return err->code;
    v->step->verified = true;
    v->step->passed = v->status == SG_OK;
    v->step->verified_s = job->end.wall_s;
    v->step->status = v->status;
    free(v->step->message);
    v->step->message = sg_copy_string(v->message);
    sg_table_sort(&v->values, &(struct sg_err){0}); /* a row that is there twice is found when run.csv is read */
    sg_step_take_words(v->step, &v->values);
    print_unexpected(v);
    /* A run may have many, and each process that is started copies
     * the tables of what this one holds. */
    sg_table_release(&v->values);
    return sg_run_log_write_env_if_changed(v->execution->sink, err);
}

static bool is_open(const struct sg_step *step)
{
    return !step->verified && !step->item->only_timed;
}

static void prepare(struct sg_execution *e, struct sg_step *step, struct verification *v, struct sg_worker_job *job)
{
    const struct sg_listed_variant *variant = step->item->variant;
    const size_t index = (size_t)(step - e->steps);
    *v = (struct verification){.execution = e, .step = step, .has_others = sg_standby_others(&e->standby) > 0};
    sg_table_init(&v->values);
    sg_args_worker(&v->args, e->plan, e->options, e->seed, "verify");
    sg_args_module(&v->args, step->item->family, step->item->build);
    sg_args_built(&v->args, e, step->item->family);
    sg_args_others(&v->args, e, &index, 1);
    sg_args_knobs(&v->args, e, &index, 1);
    sg_args_item(&v->args, step->item);
    *job = (struct sg_worker_job){
        .argv = (const char *const *)v->args.items,
        .pass = "verify",
        .deadline_s = variant->deadline_s > 0 ? variant->deadline_s : e->plan->suite->deadline_s,
        .start_up_s = e->plan->suite->deadline_s,
        .context = v,
        .on_message = take_message,
        .on_end = take_end,
    };
}

/*
 * So many workers are prepared at a time: with thousands, starting a process would cost more for
 * what this one holds by then than for what it is.
 */
#define SLICE 256

/* Those of the steps that are not verified yet, from *next on, as many as are prepared at a
 * time; *next moves on behind them. */
static enum sg_code verify_slice(struct sg_execution *e, const size_t *steps, size_t step_count, size_t *next, struct sg_err *err)
{
    SG_FREED struct verification *verifications = sg_alloc(SLICE, sizeof(*verifications));
    SG_FREED struct sg_worker_job *jobs = sg_alloc(SLICE, sizeof(*jobs));
    size_t count = 0;
    for (; *next < step_count && count < SLICE; ++*next) {
        struct sg_step *step = &e->steps[steps[*next]];
        if (!is_open(step))
            continue;
        prepare(e, step, &verifications[count], &jobs[count]);
        count++;
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

static enum sg_code verify_open(struct sg_execution *e, const size_t *steps, size_t count, struct sg_err *err)
{
    for (size_t next = 0; next < count && err->code == SG_SUCCESS;)
        verify_slice(e, steps, count, &next, err);
    return err->code;
}

enum sg_code sg_execution_verify(struct sg_execution *e, const size_t *steps, size_t count, struct sg_err *err)
{
    const size_t left = count_open(e, steps, count);
    if (sg_execution_check_code(e, err) != SG_SUCCESS || left == 0)
        return err->code;
    char what[128];
    snprintf(what, sizeof(what), "verify: %zu item%s, each in a process of its own, %zu at a time", left, SG_PLURAL(left),
             (size_t)e->options->jobs);
    sg_progress_phase(&e->progress, "verify", left, what);
    if (verify_open(e, steps, count, err) == SG_SUCCESS && count_open(e, steps, count) > 0) {
        e->is_crowded = true;
        sg_standby_clear(&e->standby);
        verify_open(e, steps, count, err);
    }
    sg_progress_end(&e->progress);
    return err->code;
}
