#include "ab_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_ok(const struct sg_step *step)
{
    return step->status == SG_OK;
}

bool sg_ab_is_even(const struct sg_ab *ab, size_t pair)
{
    const struct sg_step *step = &ab->pipeline.steps[ab->step_of_pair[pair]];
    return ab->identical || step->baseline == step;
}

static size_t add_pair(struct sg_ab *ab, const struct sg_step *step)
{
    ab->engine.pairs[ab->engine.count] = (struct sg_engine_pair){.tolerance = ab->options->tolerance};
    ab->step_of_pair[ab->engine.count] = (size_t)(step - ab->pipeline.steps);
    return ab->engine.count++;
}

static void make_pairs(struct sg_ab *ab)
{
    ab->engine = (struct sg_engine){.pairs = sg_alloc(ab->pipeline.plan.count, sizeof(*ab->engine.pairs)), .lambda = 1};
    ab->step_of_pair = sg_alloc(ab->pipeline.plan.count, sizeof(*ab->step_of_pair));
    for (size_t i = 0; i < ab->case_count; i++) {
        struct sg_ab_case *c = &ab->cases[i];
        /* What failed in an earlier part of this run has its place all the same: its pair died there. */
        if (!c->baseline->passed || !c->candidate->passed)
            continue;
        c->aa = add_pair(ab, c->baseline);
        c->pair = ab->same_thing ? c->aa : add_pair(ab, c->candidate);
    }
}

/* The visits of a pair in one process, which stand together; NULL: there are none. */
static const struct sg_sample *find_visits(const struct sg_ab *ab, const struct sg_item *item, unsigned process, size_t visits)
{
    const struct sg_samples *all = &ab->visits;
    const sg_id family = sg_pool_find(all->pool, item->family->name), case_ = sg_pool_find(all->pool, item->case_->name);
    const sg_id pair = sg_pool_find(all->pool, item->variant->name);
    for (size_t i = 0; i + visits <= all->count; i += visits) {
        const struct sg_sample *first = &all->items[i];
        if (first->process == process && first->pair == pair && first->case_ == case_ && first->family == family)
            return first;
    }
    return NULL;
}

/* Hands the engine what the process measured of a pair, if it did. */
static void take_pair(struct sg_ab *ab, size_t pair, unsigned process)
{
    const unsigned count = ab->pipeline.suite.blocks;
    const struct sg_step *step = &ab->pipeline.steps[ab->step_of_pair[pair]];
    const struct sg_sample *visits = find_visits(ab, &step->item, process, (size_t)count * SG_BLOCK_VISITS);
    if (!is_ok(step) || !is_ok(step->baseline))
        ab->engine.pairs[pair].dead = true;
    else if (visits) {
        double *blocks = sg_alloc(count, sizeof(*blocks));
        for (unsigned b = 0; b < count; b++) {
            double ns[SG_BLOCK_VISITS];
            for (unsigned k = 0; k < SG_BLOCK_VISITS; k++)
                ns[k] = visits[b * SG_BLOCK_VISITS + k].ns;
            blocks[b] = sg_duet_block(ns, sg_duet_coin(ab->pipeline.seed, process, b));
        }
        sg_engine_take_blocks(&ab->engine, pair, blocks, count);
        free(blocks);
    }
}

static enum sg_code measure(void *context, unsigned process, const size_t *pairs, size_t count, struct sg_engine *engine,
                            struct sg_err *err)
{
    struct sg_ab *ab = context;
    size_t *steps = sg_alloc(count, sizeof(*steps));
    char what[128];
    (void)engine; /* it is ab->engine */
    for (size_t i = 0; i < count; i++)
        steps[i] = ab->step_of_pair[pairs[i]];
    snprintf(what, sizeof(what), "time: process %u of at most %d, %zu pairs", process + 1, SG_ENGINE_PROCESSES_MAX, count);
    sg_progress_phase(&ab->pipeline.progress, "time", count, what);
    sg_pipeline_time_process(&ab->pipeline, process, steps, count, err);
    sg_progress_end(&ab->pipeline.progress);
    for (size_t i = 0; i < count && err->code == SG_DONE; i++)
        take_pair(ab, pairs[i], process);
    free(steps);
    return err->code;
}

static void calibrate(struct sg_ab *ab)
{
    struct sg_aa *all = sg_alloc(ab->engine.count + 1, sizeof(*all));
    char(*names)[200] = sg_alloc(ab->engine.count + 1, sizeof(*names));
    size_t count = 0;
    for (size_t i = 0; i < ab->engine.count; i++) {
        const struct sg_engine_pair *pair = &ab->engine.pairs[i];
        const struct sg_item *item = &ab->pipeline.steps[ab->step_of_pair[i]].item;
        if (pair->dead || !sg_ab_is_even(ab, i))
            continue;
        snprintf(names[count], sizeof(names[count]), "%s/%s/%s", item->family->name, item->case_->name, item->variant->name);
        all[count] = (struct sg_aa){.name = names[count], .estimate = pair->estimate, .verdict = pair->verdict};
        count++;
    }
    ab->calibration = sg_calibrate(all, count);
    free(names);
    free(all);
}

/* Until all pairs are decided by processes that are fit, or as many were dropped as may be. */
static enum sg_code measure_fit(struct sg_ab *ab, const struct sg_measurer *measurer, struct sg_err *err)
{
    bool dropped = true;
    while (dropped && sg_engine_run(&ab->engine, measurer, err) == SG_DONE && sg_ab_drop_unfit(ab, &dropped, err) == SG_DONE)
        continue;
    return err->code;
}

enum sg_code sg_ab_measure(struct sg_ab *ab, struct sg_err *err)
{
    const struct sg_measurer measurer = {.context = ab, .measure = measure};
    make_pairs(ab);
    if (measure_fit(ab, &measurer, err) != SG_DONE)
        return err->code;
    calibrate(ab);
    const double lambda = ab->calibration.lambda;
    if (lambda > 1 && lambda <= SG_LAMBDA_MAX) {
        /* Wider errors: what was decided by the narrow ones is looked at again, and measured further where that does not do. */
        ab->engine.lambda = lambda;
        for (size_t i = 0; i < ab->engine.count; i++)
            ab->engine.pairs[i].decided = false;
        if (measure_fit(ab, &measurer, err) != SG_DONE)
            return err->code;
        calibrate(ab);
    }
    ab->conditions = sg_conditions_judge(&ab->pipeline.processes, ab->options->neighbours_allowed);
    ab->pipeline.lambda = ab->engine.lambda;
    return SG_DONE;
}
