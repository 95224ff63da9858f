#include "run/execution_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "results/run_folder.h"
#include "results/samples.h"
#include "run/sweep_plan.h"
#include "stats/abba.h"

void sg_args_worker(struct sg_names *args, const struct sg_run_plan *plan,
                    const struct sg_run_options *options, uint64_t seed, const char *pass)
{
    sg_names_addf(args, "%s", plan->modules->worker);
    sg_names_addf(args, "--pass=%s", pass);
    sg_names_addf(args, "--seed=%" PRIu64, seed);
    sg_names_addf(args, "--gpu=%" PRIu64, options->gpu);
    sg_module_list_add_sizes(plan->modules, args);
}

void sg_args_item(struct sg_names *args, const struct sg_item *item)
{
    sg_names_addf(args, "--item=%s/%s/%s", SG_ITEM_NAMES(item));
}

void sg_args_module(struct sg_names *args, const struct sg_listed_family *family,
                    enum sg_item_build build)
{
    sg_names_addf(args, "--%s=%s", build == SG_BUILD_OTHER ? "against" : "module", family->module);
}

void sg_args_others(struct sg_names *args, const struct sg_execution *e, const size_t *steps,
                    size_t count)
{
    SG_SCOPED(sg_names) known = {0};
    for (size_t i = 0; i < count; i++) {
        const struct sg_step *step = &e->steps[steps[i]], *const both[] = {
                                                              step, step->baseline ? step->baseline
                                                                                   : step};
        for (size_t k = 0; k < sizeof(both) / sizeof(both[0]); k++) {
            const struct sg_item *item = both[k]->item;
            if (item->build != SG_BUILD_OTHER || sg_names_have(&known, item->variant->name))
                continue;
            sg_names_add(&known, item->variant->name);
            sg_names_addf(args, "--other=%s:%s", item->variant->name, item->built_as);
        }
    }
}

void sg_args_knobs(struct sg_names *args, const struct sg_execution *e, const size_t *steps,
                   size_t count)
{
    SG_FREED bool *is_there = sg_alloc(e->plan->knobs.count, sizeof(*is_there));
    for (size_t i = 0; i < count; i++) {
        const struct sg_step *step = &e->steps[steps[i]];
        const struct sg_knob_setting *const both[] = {
            step->item->knobs, step->baseline ? step->baseline->item->knobs : NULL};
        for (size_t k = 0; k < sizeof(both) / sizeof(both[0]); k++) {
            SG_SCOPED(sg_text) text = {0};
            if (!both[k] || is_there[both[k] - e->plan->knobs.items])
                continue;
            is_there[both[k] - e->plan->knobs.items] = true;
            sg_knob_setting_format(both[k], &text);
            sg_names_addf(args, "--setting=%s", text.data);
        }
    }
}

static int compare_names(const struct sg_item *item, const char *const name[3])
{
    int order = strcmp(item->family->name, name[0]);
    if (order == 0)
        order = strcmp(item->case_->name, name[1]);
    return order != 0 ? order : strcmp(item->variant->name, name[2]);
}

enum sg_code sg_item_check(const struct sg_item *item, const struct sg_message *m,
                           struct sg_err *err)
{
    if (compare_names(item, m->name) == 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_INVALID, NULL, "expected %s/%s/%s, found %s/%s/%s", SG_ITEM_NAMES(item),
                   m->name[0], m->name[1], m->name[2]);
}

void sg_item_row(struct sg_table *group, const struct sg_item *item, const char *metric,
                 const char *unit, enum sg_status status, const char *message)
{
    sg_table_add(group, &(struct sg_value){.family = item->family->name,
                                           .case_ = item->case_->name,
                                           .variant = item->variant->name,
                                           .metric = metric,
                                           .unit = unit,
                                           .status = status,
                                           .message = message});
}

#define COARSE    0.5 /* ratio: coarse enough that no pilot adds rounds */
#define RUN_SHARE 3.0 /* divides the tolerance; a run is judged once, so its noise counts */

/* True for an A/A pair: the same code on the same buffers. */
static bool is_even(const struct sg_execution *e, const struct sg_step *step)
{
    return e->plan->pairs_baseline && step->baseline == step;
}

/* Placement of code and buffers shifts both sides of an A/A pair alike. */
double sg_step_resolves(const struct sg_execution *e, const struct sg_step *step)
{
    return step->most > 0 || is_even(e, step)
               ? COARSE
               : sg_run_plan_tolerance(e->plan, step->item->family->name);
}

double sg_step_noise(const struct sg_execution *e, const struct sg_step *step)
{
    if (e->plan->pairs_baseline)
        return sg_gate_noise(sg_run_plan_tolerance(e->plan, step->item->family->name),
                             is_even(e, step));
    return sg_step_resolves(e, step) / RUN_SHARE;
}

bool sg_execution_is_whole(const struct sg_execution *e, const struct sg_step *step,
                           const struct sg_pair_samples *batches)
{
    const struct sg_pilot pilot = {
        .least = e->plan->settings.blocks,
        .launches = e->plan->settings.launches,
        .noise = sg_step_noise(e, step),
        .most_ms = e->plan->settings.pilot_ms,
    };
    return batches->count == sg_pair_samples_wanted(batches, &pilot, e->seed);
}

const char *sg_step_ran(const struct sg_step *step, const struct sg_sample *sample, uint64_t seed)
{
    const bool candidate =
        sg_abba_is_candidate(sg_abba_coin(seed, sample->process, sample->block), sample->position);
    return (candidate || !step->baseline ? step : step->baseline)->item->variant->name;
}

const struct sg_metric *sg_execution_counted(const struct sg_execution *e, const char *metric)
{
    for (size_t i = 0; i < e->plan->metric_count; i++)
        if (strcmp(e->plan->metrics[i]->name, metric) == 0)
            return e->plan->metrics[i];
    return NULL;
}

void sg_step_take_batches(struct sg_step *step, const struct sg_pair_samples *batches,
                          uint64_t seed)
{
    const unsigned process = batches->items[0].process;
    step->processes |= (uint64_t)1 << process;
    if (step->item->program) /* its samples are of its kernels */
        return;
    step->results =
        sg_grow(step->results, &step->results_capacity, process + 1, sizeof(*step->results));
    step->results[process] = sg_pair_samples_result(batches, seed);
    /* The pair is named after the accepted build, but the ratio belongs to this run's build. */
    if (step->item->only_timed) {
        step->results[process].energy_y *= -1;
        step->results[process].ratio.y *= -1;
    }
}

static int by_name(const void *left, const void *right)
{
    const struct sg_step *const *a = left, *const *b = right;
    const struct sg_item *item = (*b)->item;
    return compare_names((*a)->item, (const char *const[]){SG_ITEM_NAMES(item)});
}

struct sg_step *sg_execution_step(const struct sg_execution *e, const char *const name[3])
{
    size_t low = 0, high = e->plan->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        struct sg_step *step = e->by_name[middle];
        const int order = compare_names(step->item, name);
        if (order == 0)
            return step;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* True if the baseline failed, and the step was never timed or lost its worker or device context.
 * Another status, which the step itself reported, is kept. */
static bool is_settled_by_baseline(const struct sg_step *step)
{
    return sg_step_passed(step) && step->baseline && step->baseline != step &&
           step->baseline->status != SG_OK &&
           (step->status == SG_OK || step->status == SG_CRASH || step->status == SG_HANG ||
            step->status == SG_CUDA_ERROR);
}

void sg_execution_settle(struct sg_execution *e)
{
    for (size_t i = 0; i < e->plan->count; i++) {
        struct sg_step *step = &e->steps[i];
        if (!is_settled_by_baseline(step))
            continue;
        SG_FORMATTED(why, "its baseline %s failed: %s", step->baseline->item->variant->name,
                     sg_status_word(step->baseline->status));
        step->status = SG_SKIPPED;
        free(step->message);
        step->message = sg_copy_string(why.data);
    }
}

struct sg_step *sg_execution_program(const struct sg_execution *e, const char *family,
                                     const char *case_)
{
    const struct sg_run_plan *plan = e->plan;
    for (size_t i = plan->count - plan->program_count; i < plan->count; i++) {
        const char *name = plan->items[i].case_->name;
        const size_t length = strlen(name);
        if (strcmp(family, SG_EXEC_FAMILY) == 0 && strncmp(case_, name, length) == 0 &&
            (case_[length] == '\0' || case_[length] == '_'))
            return &e->steps[i];
    }
    return NULL;
}

bool sg_step_passed(const struct sg_step *step)
{
    return step->passed || step->item->only_timed || step->item->program;
}

const struct sg_item *sg_step_item(const struct sg_step *step)
{
    return step->item->only_timed ? step->baseline->item : step->item;
}

size_t *sg_execution_all_steps(const struct sg_execution *e)
{
    const struct sg_run_plan *plan = e->plan;
    size_t *steps = sg_alloc(plan->count, sizeof(*steps));
    size_t count = 0, pair = 0;
    /* An accepted build comes right after its own variant, so that a deadline drops whole pairs. */
    for (size_t i = 0; i < plan->own_count; i++) {
        steps[count++] = i;
        for (; pair < plan->accepted.count && plan->accepted.items[pair].own <= i; pair++)
            if (plan->accepted.items[pair].accepted != SG_NO_ITEM)
                steps[count++] = plan->accepted.items[pair].accepted;
    }
    return steps;
}

void sg_execution_init(struct sg_execution *e, const struct sg_run_options *options,
                       const struct sg_run_plan *plan, struct sg_run_log *sink)
{
    *e = (struct sg_execution){
        .options = options, .plan = plan, .sink = sink, .seed = options->seed};
    sg_progress_init(&e->progress);
    e->steps = sg_alloc(plan->count, sizeof(*e->steps));
    e->by_name = sg_alloc(plan->count, sizeof(*e->by_name));
    for (size_t i = 0; i < plan->count; i++) {
        const struct sg_item *item = &plan->items[i];
        e->steps[i].item = item;
        e->steps[i].baseline = item->baseline != SG_NO_ITEM ? &e->steps[item->baseline] : NULL;
        e->by_name[i] = &e->steps[i];
    }
    qsort(e->by_name, plan->count, sizeof(*e->by_name), by_name);
}

enum sg_code sg_execution_run(struct sg_execution *e, struct sg_err *err)
{
    SG_FREED size_t *all = sg_execution_all_steps(e);
    const size_t count = e->plan->count - e->plan->program_count;
    if (sg_execution_verify(e, all, count, err) == SG_SUCCESS &&
        sg_execution_choose(e, err) == SG_SUCCESS &&
        sg_execution_time(e, all, count, err) == SG_SUCCESS &&
        sg_execution_extend_timing(e, err) == SG_SUCCESS &&
        sg_execution_count(e, all, count, err) == SG_SUCCESS &&
        sg_execution_time_programs(e, err) == SG_SUCCESS)
        sg_execution_finish(e, err);
    sg_progress_end(&e->progress);
    return err->code;
}

void sg_execution_release(struct sg_execution *e)
{
    sg_progress_end(&e->progress);
    sg_standby_clear(&e->standby);
}

void sg_execution_abandon(struct sg_execution *e, struct sg_err *err)
{
    const char *state = sg_env_get(&e->sink->env, "state");
    if (!e->sink->path || (state && strcmp(state, "finished") == 0))
        return; /* nothing to resume: no folder, or the run is finished */
    if (e->sink->rows.count > 0) {
        sg_run_log_write_tables(e->sink, SG_IGNORED); /* the first failure is the one reported */
        sg_run_add_resume(err, SG_RESUME_WORDS, e->plan->command.data,
                          e->options->sweep ? e->options->sweep->folder : e->sink->path);
    } else if (err->code == SG_NO_GPU && !e->options->resume) {
        sg_run_log_undo(e->sink);
    }
}
