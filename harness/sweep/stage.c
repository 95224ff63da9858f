/*
 * One stage of a sweep: an ordinary execution whose variants are one variant with different knobs.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/knobs.h"
#include "results/env.h"
#include "results/run_reader.h"
#include "results/validity.h"
#include "sweep/sweep_internal.h"

#define CHOOSE_PROCESSES 5
#define STAGE_SEED       UINT64_C(0x5851f42d4c957f2d)
/* The screening only selects a few candidates, so its tolerance is coarser than any tolerance
 * for acceptance. */
#define SCREEN_BLOCKS    8
#define SCREEN_TOLERANCE 0.02

/* Deadline in the screening, with an allowance for a host that is slow to open a GPU. */
#define DEADLINE_LEAST_S 10
#define DEADLINE_FACTOR  5

/* Case and configuration of step i of the stage's execution. */
struct place {
    size_t case_, index;
};

struct stage {
    struct sg_sweep *sweep;
    enum sg_sweep_stage which;
    struct sg_run_options options;
    struct sg_suite suite;         /* its strings belong to the whole run */
    struct sg_module_list listing; /* one family only */
    struct sg_run_plan plan;
    struct sg_run_log sink;
    struct sg_execution execution;
    struct place *places; /* owned */
    struct sg_text folder;
};

static bool is_open(const struct sg_sweep_case *c, enum sg_sweep_stage stage)
{
    bool any = false;
    for (size_t i = 1; i < c->count; i++)
        any |= c->tries[i].reached >= stage;
    return any && c->tries[0].status == SG_OK;
}

static enum sg_code set_knobs(struct stage *stage, const struct place *place, struct sg_err *err)
{
    const struct sg_sweep *sweep = stage->sweep;
    const struct sg_setting_of of = {.family = sweep->family->name,
                                     .case_ = sweep->cases[place->case_].name,
                                     .name = sweep->called[place->index].name,
                                     .variant = sweep->variant->name};
    int64_t value[SG_MAX_KNOBS];
    if (place->index == 0)
        return SG_SUCCESS;
    struct sg_setting *setting = sg_settings_add(&stage->plan.settings, &of);
    sg_sweep_configuration(sweep->variant, place->index - 1, value);
    for (size_t k = 0; k < sweep->variant->knob_count; k++)
        sg_setting_set(setting, sweep->variant->knob[k].name, value[k], err);
    return err->code;
}

static void add_place(struct stage *stage, const struct place *place)
{
    const struct sg_sweep *sweep = stage->sweep;
    stage->places[stage->plan.count] = *place;
    sg_run_plan_add(
        &stage->plan,
        &(struct sg_item){.family = sweep->family, .case_ = sweep->listed[place->case_], .variant = &sweep->called[place->index]});
}

/* Adds the default of each case first, because the other configurations are paired with the
 * default. */
static enum sg_code make_plan(struct stage *stage, struct sg_err *err)
{
    struct sg_sweep *sweep = stage->sweep;
    stage->places = sg_alloc(sweep->case_count * sweep->called_count, sizeof(*stage->places));
    for (size_t c = 0; c < sweep->case_count; c++)
        for (size_t i = 0; i < sweep->called_count && is_open(&sweep->cases[c], stage->which); i++)
            if (i == 0 || sweep->cases[c].tries[i].reached >= stage->which)
                add_place(stage, &(struct place){c, i});
    for (size_t i = 0; i < stage->plan.count && err->code == SG_SUCCESS; i++)
        set_knobs(stage, &stage->places[i], err);
    sg_plan_pair(stage->plan.items, stage->plan.count);
    sg_run_plan_close(&stage->plan);
    return err->code;
}

/* Narrows the whole run's suite and listing to the family and the stage's measurements. The
 * stage must not release them. */
static void borrow(struct stage *stage)
{
    const struct sg_sweep *sweep = stage->sweep;
    struct sg_suite *suite = &stage->suite;
    *suite = *sweep->whole->suite;
    suite->families = NULL;
    suite->family_count = 0;
    suite->tolerance = sg_run_plan_tolerance(sweep->whole, sweep->family->name);
    suite->is_sequential = stage->which == SG_SWEEP_CONFIRM;
    suite->processes = stage->which == SG_SWEEP_SCREEN ? 1 : CHOOSE_PROCESSES;
    if (stage->which == SG_SWEEP_SCREEN) {
        suite->blocks = SCREEN_BLOCKS;
        suite->tolerance = SCREEN_TOLERANCE;
    }
    stage->listing =
        (struct sg_module_list){.worker = sweep->whole->modules->worker, .families = (struct sg_listed_family *)sweep->family, .count = 1};
    stage->plan.suite = suite;
    stage->plan.modules = &stage->listing;
}

static void release(struct stage *stage)
{
    sg_run_plan_release(&stage->plan);
    sg_run_log_release(&stage->sink);
    sg_text_release(&stage->folder);
    free(stage->places);
}

static void name_folder(struct stage *stage)
{
    const struct sg_sweep *sweep = stage->sweep;
    SG_SCOPED(sg_text) env = {0};
    sg_text_addf(&stage->folder, "%s/%s/%s/%s", sweep->folder, sweep->family->name, sweep->variant->name,
                 sg_sweep_stage_word(stage->which));
    sg_text_addf(&env, "%s/env.csv", stage->folder.data);
    stage->options = *sweep->options;
    stage->options.out = stage->folder.data;
    stage->options.resume = sweep->options->resume && access(env.data, F_OK) == 0;
}

static void take_values(struct stage *stage)
{
    for (size_t i = 0; i < stage->plan.count; i++) {
        const struct sg_step *step = &stage->execution.steps[i];
        struct sg_sweep_try *one = &stage->sweep->cases[stage->places[i].case_].tries[stage->places[i].index];
        one->status = step->status;
        free(one->message);
        /* A ratio of a refused time selects nothing. */
        const char *refused = step->refused ? step->refused : step->baseline ? step->baseline->refused : NULL;
        one->message = sg_copy_string(refused ? refused : step->message ? step->message : "");
        if (step->status == SG_OK && step->estimate.n > 0 && !refused)
            one->estimate[stage->which] = step->estimate;
    }
}

/* Invalid times in the screening only select worse candidates; an invalid confirmation cannot be
 * used. */
static enum sg_code check_conditions(const struct stage *stage, struct sg_err *err)
{
    const struct sg_validity fit = sg_validity_judge(&stage->sink.processes, stage->options.shared_gpu_allowed);
    if (fit.valid || stage->which != SG_SWEEP_CONFIRM)
        return SG_SUCCESS;
    return sg_fail(err, SG_INVALID, stage->folder.data, "%s; --resume measures this stage again once its folder is taken away", fit.why);
}

/* Verifies the defaults first: their duration sets a deadline for the configurations, shorter
 * than the suite's. */
static enum sg_code verify_own_choices(struct stage *stage, const size_t *own, size_t count, struct sg_err *err)
{
    struct sg_execution *p = &stage->execution;
    double slowest_s = 0;
    sg_execution_verify(p, own, count, err);
    for (size_t i = 0; i < count; i++)
        slowest_s = fmax(slowest_s, p->steps[own[i]].verified_s);
    if (slowest_s > 0)
        stage->suite.deadline_s = fmin(stage->suite.deadline_s, fmax(DEADLINE_LEAST_S, DEADLINE_FACTOR * slowest_s));
    return err->code;
}

static enum sg_code verify(struct stage *stage, const size_t *all, struct sg_err *err)
{
    struct sg_execution *p = &stage->execution;
    size_t *own = sg_alloc(p->plan->count, sizeof(*own)), count = 0;
    for (size_t i = 0; i < p->plan->count; i++)
        if (stage->places[i].index == 0)
            own[count++] = i;
    if (stage->which != SG_SWEEP_SCREEN || verify_own_choices(stage, own, count, err) == SG_SUCCESS)
        sg_execution_verify(p, all, p->plan->count, err);
    free(own);
    return err->code;
}

static enum sg_code measure(struct stage *stage, struct sg_err *err)
{
    struct sg_execution *p = &stage->execution;
    if (sg_execution_open(p, err) != SG_SUCCESS)
        return err->code;
    stage->sweep->begun = true;
    SG_FREED size_t *all = sg_execution_all_steps(p);
    if (verify(stage, all, err) == SG_SUCCESS && sg_execution_time(p, all, p->plan->count, err) == SG_SUCCESS)
        sg_execution_finish(p, err);
    if (err->code != SG_SUCCESS || check_conditions(stage, err) != SG_SUCCESS)
        return err->code;
    take_values(stage);
    sg_env_release(&stage->sweep->env);
    for (size_t i = 0; i < stage->sink.env.count; i++)
        sg_env_set(&stage->sweep->env, stage->sink.env.key[i], stage->sink.env.value[i]);
    return SG_SUCCESS;
}

/* For a sweep that fails before its first row: removes its folders if they are empty. */
static void undo(struct stage *stage)
{
    sg_run_log_undo(&stage->sink);
    for (char *slash; (slash = strrchr(stage->folder.data, '/')) && strlen(stage->folder.data) > strlen(stage->sweep->folder);) {
        *slash = '\0';
        rmdir(stage->folder.data);
    }
}

/* Executes a stage that has something to measure. */
static enum sg_code execute(struct stage *stage, struct sg_err *err)
{
    struct sg_sweep *sweep = stage->sweep;
    struct sg_execution *e = &stage->execution;
    /* Different inputs and orders in each stage, so that no stage repeats an earlier one. */
    const uint64_t offset = (uint64_t)stage->which * STAGE_SEED;
    stage->options.seed = sweep->seed + offset;
    sg_execution_init(e, &stage->options, &stage->plan, &stage->sink);
    sg_progress_print(&e->progress, "%s %s/%s: %zu of its configurations, case by case, against its default",
                      sg_sweep_stage_word(stage->which), sweep->family->name, sweep->variant->name, stage->plan.settings.count);
    measure(stage, err);
    sweep->seed = e->seed - offset;
    sg_execution_release(e);
    if (err->code == SG_NO_GPU && !stage->options.resume)
        undo(stage);
    return err->code;
}

enum sg_code sg_sweep_stage_run(struct sg_sweep *sweep, enum sg_sweep_stage which, struct sg_err *err)
{
    struct stage stage = {.sweep = sweep, .which = which, .plan = {.baseline_name = sweep->variant->name}};
    sg_run_log_init(&stage.sink);
    name_folder(&stage);
    borrow(&stage);
    sg_text_add(&stage.plan.command, sweep->command);
    sg_env_set(&stage.plan.identity, SG_SWEEP_KEY, sg_sweep_stage_word(which));
    if (make_plan(&stage, err) == SG_SUCCESS && stage.plan.count > 0 && sg_run_plan_find_drift(&stage.plan, err) == SG_SUCCESS)
        execute(&stage, err);
    release(&stage);
    return err->code;
}
