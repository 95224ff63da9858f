/* How many processes time which pairs: as many for each, or for
 * each as many as the engine asks for. */
#include "run/pipeline_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "stats/run_limits.h"

size_t *sg_pipeline_all_steps(const struct sg_pipeline *p)
{
    size_t *steps = sg_alloc(p->plan.count, sizeof(*steps));
    size_t count = 0, pair = 0;
    /* An accepted build behind its own variant: what a deadline leaves out are whole pairs. */
    for (size_t i = 0; i < sg_pipeline_own_count(p); i++) {
        steps[count++] = i;
        for (; pair < p->accepted.count && p->accepted.items[pair].own <= i; pair++)
            if (!p->accepted.items[pair].why)
                steps[count++] = (size_t)(p->accepted.items[pair].step - p->steps);
    }
    return steps;
}

/* What is still to be timed of these steps in the processes from `first` to before `end`. */
static size_t count_left(const struct sg_pipeline *p, const size_t *steps, size_t count, unsigned first, unsigned end)
{
    size_t left = 0;
    for (unsigned process = first; process < end; process++)
        for (size_t i = 0; i < count; i++)
            left += sg_step_to_time(&p->steps[steps[i]], process);
    return left;
}

/* ---- as many for each: what numbers are accepted from ---- */

/*
 * How many of them the next process is to time, after `done` processes of which the last took so
 * long: before a deadline rather some of them by enough processes than all by too few.
 */
static size_t count_next(const struct sg_pipeline *p, size_t count, unsigned done, double process_s)
{
    if (done < SG_PROCESSES_MIN)
        return sg_pipeline_afford(p, count, process_s, SG_PROCESSES_MIN - done);
    return sg_pipeline_afford(p, count, process_s, 1) == count ? count : 0;
}

static enum sg_code time_what_is_left(struct sg_pipeline *p, const size_t *steps, size_t count, unsigned processes, struct sg_err *err)
{
    const size_t total = count_left(p, steps, count, 0, processes);
    if (total == 0 || sg_pipeline_is_late(p))
        return SG_SUCCESS;
    char what[128];
    snprintf(what, sizeof(what), "time: %u processes, %zu pairs in all", processes, total);
    sg_progress_phase(&p->progress, "time", total, what);
    for (unsigned process = 0; process < processes && count > 0 && err->code == SG_SUCCESS; process++) {
        const double begun_s = sg_monotonic_s();
        sg_pipeline_time_process(p, process, steps, count, err);
        count = count_next(p, count, process + 1, sg_monotonic_s() - begun_s);
    }
    sg_progress_end(&p->progress);
    return err->code;
}

static enum sg_code time_fixed(struct sg_pipeline *p, const size_t *steps, size_t count, unsigned processes, struct sg_err *err)
{
    uint64_t dropped = 0;
    do
        if (time_what_is_left(p, steps, count, processes, err) == SG_SUCCESS)
            sg_pipeline_drop_unfit(p, &dropped, err);
    while (dropped && !sg_pipeline_is_late(p) && err->code == SG_SUCCESS);
    return err->code;
}

enum sg_code sg_pipeline_time_more(struct sg_pipeline *p, struct sg_err *err)
{
    const struct sg_names *more = &p->options->more;
    if (more->count == 0)
        return SG_SUCCESS;
    size_t *steps = sg_alloc(p->plan.count, sizeof(*steps)), count = 0;
    for (size_t i = 0; i < p->plan.count; i++) {
        const struct sg_step *own = p->steps[i].is_accepted_build ? p->steps[i].baseline : &p->steps[i];
        const struct sg_item *item = &own->item;
        struct sg_text name = {0};
        sg_text_addf(&name, "%s/%s/%s", item->family->name, item->case_->name, item->variant->name);
        if (sg_names_have(more, name.data)) {
            p->steps[i].estimate = (struct sg_estimate){.n = 0}; /* anew, of all its processes */
            steps[count++] = i;
        }
        sg_text_release(&name);
    }
    if (count > 0 && time_fixed(p, steps, count, SG_SEQUENTIAL_PROCESSES_MAX, err) == SG_SUCCESS)
        sg_pipeline_settle(p);
    free(steps);
    return err->code;
}

/* ---- as many as it takes to decide each ---- */

/* What feeds the engine. */
struct pairs {
    struct sg_pipeline *pipeline;
    const size_t *step_of_pair; /* borrowed */
    unsigned look;              /* that the phase under way leads to; 0: none is */
};

/* One phase leads from look to look: how long all of it will take
 * nobody knows before the last one. */
static void show_progress(struct pairs *pairs, unsigned process, const size_t *steps, size_t count)
{
    struct sg_progress *progress = &pairs->pipeline->progress;
    const unsigned look = sg_sequential_look(process);
    const size_t left = count_left(pairs->pipeline, steps, count, process, look);
    if (look == pairs->look) {
        sg_progress_expect(progress, left);
    } else if (left > 0) {
        char what[128];
        snprintf(what, sizeof(what), "time: processes %u to %u of at most %d, %zu pair%s", process + 1, look, SG_SEQUENTIAL_PROCESSES_MAX,
                 count, count == 1 ? "" : "s");
        sg_progress_phase(progress, "time", left, what);
        pairs->look = look;
    }
}

static void take(const struct pairs *pairs, size_t pair, unsigned process, struct sg_sequential *engine)
{
    const struct sg_step *step = &pairs->pipeline->steps[pairs->step_of_pair[pair]];
    if (step->status != SG_OK || step->baseline->status != SG_OK)
        engine->pairs[pair].dead = true;
    else if (!sg_step_to_time(step, process))
        sg_sequential_take(engine, pair, step->results[process].ratio);
}

static enum sg_code measure(void *context, unsigned process, const size_t *pairs, size_t count, struct sg_sequential *engine,
                            struct sg_err *err)
{
    struct pairs *all = context;
    if (sg_pipeline_is_late(all->pipeline)) { /* with what there is of them */
        for (size_t i = 0; i < count; i++)
            engine->pairs[pairs[i]].dead = true;
        return SG_SUCCESS;
    }
    size_t *steps = sg_alloc(count, sizeof(*steps));
    for (size_t i = 0; i < count; i++)
        steps[i] = all->step_of_pair[pairs[i]];
    show_progress(all, process, steps, count);
    sg_pipeline_time_process(all->pipeline, process, steps, count, err);
    for (size_t i = 0; i < count && err->code == SG_SUCCESS; i++)
        take(all, pairs[i], process, engine);
    if (process + 1 == all->look) {
        sg_progress_end(&all->pipeline->progress);
        all->look = 0;
    }
    free(steps);
    return err->code;
}

/* The values from the first of these processes on are taken anew;
 * those of before stay as they are. */
static void go_back(struct sg_sequential *engine, uint64_t dropped)
{
    unsigned first = 0;
    while (!(dropped >> first & 1))
        first++;
    for (size_t i = 0; i < engine->count; i++) {
        struct sg_sequential_pair *pair = &engine->pairs[i];
        if (pair->dead || pair->n <= first)
            continue;
        pair->n = first;
        pair->decided = false;
    }
}

enum sg_code sg_pipeline_decide(struct sg_pipeline *p, struct sg_sequential *engine, const size_t *step_of_pair, struct sg_err *err)
{
    struct pairs pairs = {.pipeline = p, .step_of_pair = step_of_pair};
    const struct sg_measurer measurer = {.context = &pairs, .measure = measure};
    uint64_t dropped = 0;
    do {
        if (sg_sequential_run(engine, &measurer, err) == SG_SUCCESS && sg_pipeline_drop_unfit(p, &dropped, err) == SG_SUCCESS && dropped)
            go_back(engine, dropped);
    } while (dropped && err->code == SG_SUCCESS);
    for (size_t i = 0; i < engine->count; i++)
        p->steps[step_of_pair[i]].estimate = engine->pairs[i].estimate;
    sg_progress_end(&p->progress);
    return err->code;
}

static enum sg_code time_sequentially(struct sg_pipeline *p, const size_t *steps, size_t count, struct sg_err *err)
{
    struct sg_sequential engine = {.pairs = sg_alloc(count, sizeof(*engine.pairs)), .lambda = 1};
    size_t *step_of_pair = sg_alloc(count, sizeof(*step_of_pair));
    const unsigned builds = (unsigned)(p->plan.count - sg_pipeline_own_count(p));
    for (size_t i = 0; i < count; i++) {
        const struct sg_step *step = &p->steps[steps[i]];
        if (!step->passed || !step->baseline)
            continue;
        /* Only pairs of builds are corrected for how many there are (compare/judge_build.c). */
        engine.pairs[engine.count].rows = step->is_accepted_build ? builds : 1;
        engine.pairs[engine.count].tolerance = sg_pipeline_tolerance(p, step->item.family->name);
        engine.pairs[engine.count].even = step->baseline == step;
        step_of_pair[engine.count++] = steps[i];
    }
    sg_pipeline_decide(p, &engine, step_of_pair, err);
    free(step_of_pair);
    free(engine.pairs);
    return err->code;
}

enum sg_code sg_pipeline_time(struct sg_pipeline *p, const size_t *steps, size_t count, struct sg_err *err)
{
    if (p->suite->is_sequential)
        time_sequentially(p, steps, count, err);
    else
        time_fixed(p, steps, count, p->suite->processes, err);
    if (err->code == SG_SUCCESS) {
        sg_pipeline_settle(p);
        sg_pipeline_leave_out(p);
    }
    return err->code;
}
