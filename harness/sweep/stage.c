/*
 * One stage of a sweep: an ordinary execution whose variants are one variant with different knobs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/knobs.h"
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

static const char *const stage_words[SG_SWEEP_STAGES] = {"screen", "choose", "confirm"};

struct stage {
    struct sg_swept *swept;
    enum sg_sweep_stage which;
    struct sg_run_options options;
    struct sg_suite suite;         /* its strings belong to the whole run */
    struct sg_module_list listing; /* one family only; belongs to the whole run */
    struct sg_run_plan plan;
    struct sg_run_log sink;
    struct sg_execution execution;
    struct sg_text folder;
};

static bool is_open(const struct sg_sweep_case *c, enum sg_sweep_stage stage)
{
    bool any = false;
    for (size_t i = 1; i < c->count; i++)
        any |= c->tries[i].reached >= stage;
    return any && c->tries[0].status == SG_OK;
}

/* Adds the default first, because the other configurations are paired with the default. */
static void add_case(struct stage *stage, const struct sg_sweep_case *c, struct sg_err *err)
{
    const struct sg_swept *swept = stage->swept;
    for (size_t i = 0; i < c->count; i++) {
        const struct sg_sweep_configuration *one = &swept->configurations[i];
        const struct sg_knob_setting_of of = {swept->family->name, c->listed->name,
                                              one->called.name, swept->variant->name};
        if (i > 0 && c->tries[i].reached < stage->which)
            continue;
        sg_run_plan_add(&stage->plan, &(struct sg_item){.family = swept->family,
                                                        .case_ = c->listed,
                                                        .variant = &one->called});
        if (i > 0)
            sg_knob_setting_set_all(sg_knob_settings_add(&stage->plan.knobs, &of), one->knobs, err);
    }
}

static enum sg_code make_plan(struct stage *stage, struct sg_err *err)
{
    const struct sg_swept *swept = stage->swept;
    for (size_t c = 0; c < swept->case_count; c++)
        if (is_open(&swept->cases[c], stage->which))
            add_case(stage, &swept->cases[c], err);
    sg_plan_pair(stage->plan.items, stage->plan.count);
    sg_run_plan_close(&stage->plan);
    return err->code;
}

static void choose_settings(const struct sg_run_plan *whole, const char *family,
                            enum sg_sweep_stage which, struct sg_settings *settings)
{
    *settings = whole->settings;
    settings->tolerance = sg_run_plan_tolerance(whole, family);
    settings->processes = which == SG_SWEEP_SCREEN   ? 1
                          : which == SG_SWEEP_CHOOSE ? CHOOSE_PROCESSES
                                                     : SG_PROCESSES_AUTO;
    if (which == SG_SWEEP_SCREEN) {
        settings->blocks = SCREEN_BLOCKS;
        settings->tolerance = SCREEN_TOLERANCE;
    }
}

/* Narrows the whole run's options, suite and listing to the family and the stage's measurements. */
static void prepare(struct stage *stage)
{
    const struct sg_swept *swept = stage->swept;
    const struct sg_run_plan *whole = &swept->sweep->whole;
    struct sg_suite *suite = &stage->suite;
    const char *word = stage_words[stage->which];
    SG_SCOPED(sg_text) env = {0};
    sg_text_addf(&stage->folder, "%s/%s/%s/%s", swept->sweep->folder.data, swept->family->name,
                 swept->variant->name, word);
    sg_text_addf(&env, "%s/env.csv", stage->folder.data);
    stage->options = *swept->sweep->options;
    stage->options.out = stage->folder.data;
    stage->options.resume = stage->options.resume && access(env.data, F_OK) == 0;
    *suite = *whole->suite;
    suite->families = NULL;
    suite->family_count = 0;
    stage->listing = (struct sg_module_list){.worker = whole->modules->worker,
                                             .families = (struct sg_listed_family *)swept->family,
                                             .count = 1};
    stage->plan = (struct sg_run_plan){
        .baseline_name = swept->variant->name, .suite = suite, .modules = &stage->listing};
    choose_settings(whole, swept->family->name, stage->which, &stage->plan.settings);
    sg_text_add(&stage->plan.command, swept->sweep->command.data);
    sg_env_set(&stage->plan.identity, SG_SWEEP_KEY, word);
}

static void take_values(struct stage *stage)
{
    const struct sg_swept *swept = stage->swept;
    for (size_t c = 0; c < swept->case_count; c++)
        for (size_t i = 0; i < swept->count; i++) {
            const char *const name[] = {swept->family->name, swept->cases[c].listed->name,
                                        swept->configurations[i].called.name};
            const struct sg_step *step = sg_execution_step(&stage->execution, name);
            struct sg_sweep_try *one = &swept->cases[c].tries[i];
            if (!step)
                continue;
            one->status = step->status;
            free(one->message);
            /* A ratio of a refused time selects nothing. */
            const char *refused = step->refused    ? step->refused
                                  : step->baseline ? step->baseline->refused
                                                   : NULL;
            one->message = sg_copy_string(refused ? refused : step->message ? step->message : "");
            if (step->status == SG_OK && step->estimate.n > 0 && !refused)
                one->estimate[stage->which] = step->estimate;
        }
}

/* In the screening, verifies the defaults first: their duration sets a deadline for the
 * configurations, shorter than the suite's. */
static enum sg_code verify(struct stage *stage, const size_t *all, struct sg_err *err)
{
    struct sg_execution *e = &stage->execution;
    SG_FREED size_t *own = sg_alloc(stage->plan.count, sizeof(*own));
    size_t count = 0;
    double slowest_s = 0;
    for (size_t i = 0; i < stage->plan.count && stage->which == SG_SWEEP_SCREEN; i++)
        if (stage->plan.items[i].baseline == i)
            own[count++] = i;
    if (count > 0 && sg_execution_verify(e, own, count, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < count; i++)
        slowest_s = fmax(slowest_s, e->steps[own[i]].verified_s);
    if (slowest_s > 0)
        stage->plan.settings.deadline = fmin(stage->plan.settings.deadline,
                                             fmax(DEADLINE_LEAST_S, DEADLINE_FACTOR * slowest_s));
    return sg_execution_verify(e, all, stage->plan.count, err);
}

static enum sg_code measure(struct stage *stage, struct sg_err *err)
{
    struct sg_execution *e = &stage->execution;
    struct sg_swept *swept = stage->swept;
    if (sg_execution_open(e, err) != SG_SUCCESS)
        return err->code;
    swept->sweep->begun = true;
    SG_FREED size_t *all = sg_execution_all_steps(e);
    if (verify(stage, all, err) != SG_SUCCESS ||
        sg_execution_time(e, all, stage->plan.count, err) != SG_SUCCESS ||
        sg_execution_finish(e, err) != SG_SUCCESS)
        return err->code;
    /* Invalid times in the screening only select worse candidates; an invalid confirmation cannot
     * be used. */
    const struct sg_validity fit =
        sg_validity_judge(&stage->sink.processes, stage->options.shared_gpu_allowed);
    if (!fit.valid && stage->which == SG_SWEEP_CONFIRM)
        return sg_fail(err, SG_INVALID, stage->folder.data,
                       "%s; --resume measures this stage again once its folder is taken away",
                       fit.why);
    take_values(stage);
    sg_env_release(&swept->env);
    swept->env = stage->sink.env;
    stage->sink.env = (struct sg_env){0};
    return SG_SUCCESS;
}

/* For a sweep that fails before its first row: removes its folders if they are empty. */
static void undo(struct stage *stage)
{
    sg_run_log_undo(&stage->sink);
    for (char *slash; (slash = strrchr(stage->folder.data, '/')) &&
                      strlen(stage->folder.data) > stage->swept->sweep->folder.length;) {
        *slash = '\0';
        rmdir(stage->folder.data);
    }
}

/* Executes a stage that has something to measure. */
static void execute(struct stage *stage, struct sg_err *err)
{
    struct sg_swept *swept = stage->swept;
    struct sg_execution *e = &stage->execution;
    /* Different inputs and orders in each stage, so that no stage repeats an earlier one. */
    const uint64_t offset = (uint64_t)stage->which * STAGE_SEED;
    stage->options.seed = swept->sweep->seed + offset;
    sg_execution_init(e, &stage->options, &stage->plan, &stage->sink);
    sg_progress_print(&e->progress,
                      "%s %s/%s: %zu of its configurations, case by case, against its default",
                      stage_words[stage->which], swept->family->name, swept->variant->name,
                      stage->plan.knobs.count);
    measure(stage, err);
    swept->sweep->seed = e->seed - offset;
    sg_execution_release(e);
    if (err->code == SG_NO_GPU && !stage->options.resume)
        undo(stage);
}

enum sg_code sg_sweep_stage_run(struct sg_swept *swept, enum sg_sweep_stage which,
                                struct sg_err *err)
{
    struct stage stage = {.swept = swept, .which = which};
    sg_run_log_init(&stage.sink);
    prepare(&stage);
    if (make_plan(&stage, err) == SG_SUCCESS && stage.plan.count > 0 &&
        sg_run_plan_find_drift(&stage.plan, err) == SG_SUCCESS)
        execute(&stage, err);
    sg_run_plan_release(&stage.plan);
    sg_run_log_release(&stage.sink);
    sg_text_release(&stage.folder);
    return err->code;
}
