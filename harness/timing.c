#include "timing.h"

#include <stdlib.h>
#include <string.h>

#include "duet.h"
#include "simulate.h"
#include "stats.h"
#include "text.h"
#include "visits.h"

/* One pair under way. Side 0 is the baseline, side 1 the candidate, as sg_duet_is_candidate answers. */
struct pair {
    struct sg_pass *pass;
    const struct sg_target *target;
    struct sg_device *device;
    struct sg_runnable side[2];
    struct sg_sample *samples; /* owned; room for SG_BLOCKS_MAX * SG_BLOCK_VISITS */
    size_t count;              /* of samples */
};

/* The A/A pair. */
static bool is_alone(const struct sg_target *target)
{
    return strcmp(target->name, target->baseline_name) == 0;
}

/*
 * An outcome of the baseline is not the candidate's doing: the candidate was not run because of it.
 */
static void blame(const struct sg_target *target, bool candidate, const struct sg_outcome *what, struct sg_outcome *outcome)
{
    if (what->status == SG_OK)
        return;
    if (candidate || is_alone(target))
        sg_outcome_set(outcome, what->status, "%s", what->message);
    else
        sg_outcome_set(outcome, what->status == SG_CUDA_ERROR ? SG_CUDA_ERROR : SG_SKIPPED, "its baseline %s: %s: %s",
                       target->baseline_name, sg_status_word(what->status), what->message);
}

static bool prepare_side(struct pair *pair, struct sg_buffers *buffers, bool candidate, struct sg_outcome *outcome)
{
    struct sg_outcome one = {.status = SG_OK};
    const struct sg_target *target = pair->target;
    const struct sg_way way = candidate ? sg_target_way(target) : sg_target_baseline_way(target);
    sg_runnable_prepare(&pair->side[candidate], buffers, &way, &one);
    blame(pair->target, candidate, &one, outcome);
    return one.status == SG_OK;
}

static enum sg_status run_visit(const struct pair *pair, bool candidate, struct sg_visit *visit, struct sg_why *why)
{
    const struct sg_order *order = pair->pass->order;
    const struct sg_device_ops *ops = pair->device->ops;
    if (order->segment_ms > 0)
        return ops->sustain(pair->device, &pair->side[candidate], 1e-3 * order->segment_ms, visit, why);
    return ops->visit(pair->device, &pair->side[candidate], order->launches, visit, why);
}

/* One visit; spikes are of the visit that is kept and of the one it replaced. */
static bool visit_side(struct pair *pair, bool candidate, struct sg_sample *sample, struct sg_outcome *outcome)
{
    unsigned spikes = 0;
    struct sg_visit visit = {.launches = 0};
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        struct sg_why why = {""};
        struct sg_outcome one = {.status = SG_OK};
        const enum sg_status status = run_visit(pair, candidate, &visit, &why);
        if (status != SG_OK) {
            sg_outcome_set(&one, status, "%s", why.text);
            blame(pair->target, candidate, &one, outcome);
            return false;
        }
        const unsigned found = sg_duet_spikes(visit.ns, visit.launches);
        spikes += found;
        if (found == 0)
            break;
    }
    sample->ns = sg_mean(visit.ns, visit.launches);
    sample->sm_clock = visit.sm_clock;
    sample->spikes = (uint8_t)(spikes < UINT8_MAX ? spikes : UINT8_MAX);
    sg_sample_round(sample);
    return true;
}

static bool take_block(struct pair *pair, unsigned block, struct sg_outcome *outcome)
{
    const struct sg_order *order = pair->pass->order;
    const bool baab = sg_duet_coin(order->seed, order->process, block);
    for (unsigned position = 0; position < SG_BLOCK_VISITS; position++) {
        struct sg_sample *sample = &pair->samples[pair->count++];
        *sample = (struct sg_sample){.process = (uint16_t)order->process, .block = (uint16_t)block, .position = (uint8_t)position};
        if (!visit_side(pair, sg_duet_is_candidate(baab, position), sample, outcome))
            return false;
    }
    return true;
}

static bool take_samples(struct pair *pair, struct sg_outcome *outcome)
{
    const struct sg_order *order = pair->pass->order;
    const bool candidate_first = order->process % 2 == 1;
    struct sg_sample warm_up;
    for (unsigned i = 0; i < 2; i++)
        if (!visit_side(pair, (i == 0) == candidate_first, &warm_up, outcome))
            return false;
    const struct sg_pilot pilot = {.least = order->blocks, .launches = order->launches, .tolerance = pair->target->tolerance};
    size_t wanted = (size_t)order->blocks * SG_BLOCK_VISITS;
    for (unsigned block = 0; pair->count < wanted; block++) {
        if (!take_block(pair, block, outcome))
            return false;
        if (block + 1 == SG_PILOT_BLOCKS)
            wanted = sg_visits_wanted(&(struct sg_visits){pair->samples, pair->count}, &pilot, order->seed);
    }
    return true;
}

static void say_samples(const struct pair *pair)
{
    const struct sg_order *order = pair->pass->order;
    for (size_t i = 0; i < pair->count; i++) {
        const struct sg_sample *sample = &pair->samples[i];
        const bool candidate = sg_duet_is_candidate(sg_duet_coin(order->seed, order->process, sample->block), sample->position);
        sg_say_sample(pair->pass->say, pair->target, candidate ? pair->target->name : pair->target->baseline_name, sample);
    }
}

static void begin_item(struct pair *pair)
{
    const struct sg_order *order = pair->pass->order;
    struct sg_text name = {0};
    if (!pair->device->ops->begin_item)
        return;
    sg_text_addf(&name, "%u/%s/%s/%s", order->process, pair->target->module->name, pair->target->c->name, pair->target->name);
    pair->device->ops->begin_item(pair->device, sg_simulate_seed(order->seed, name.data));
    sg_text_release(&name);
}

static bool same_buffer(const struct sg_buffer *a, const struct sg_buffer *b)
{
    return a->dtype == b->dtype && a->count == b->count && a->use == b->use && a->fill == b->fill && a->scale == b->scale;
}

/* Both run on the same buffers: two builds of a family must agree on them. */
static bool same_layout(const struct sg_target *target, struct sg_outcome *outcome)
{
    struct sg_buffer mine[SG_MAX_BUFFERS], theirs[SG_MAX_BUFFERS];
    if (target->module == target->against)
        return true;
    const struct sg_case *c = sg_module_case(target->against, target->c->name);
    const size_t count = target->module->family->layout(target->c, mine);
    bool same = c && target->against->family->device == target->module->family->device &&
                target->against->family->layout(c, theirs) == count && count <= SG_MAX_BUFFERS;
    for (size_t i = 0; i < count && same; i++)
        same = same_buffer(&mine[i], &theirs[i]);
    if (!same)
        sg_outcome_set(outcome, SG_UNSUPPORTED, "the two modules lay out case %s in different buffers, so nothing is the same but the name",
                       target->c->name);
    return same;
}

enum sg_code sg_time_item(struct sg_pass *pass, const struct sg_target *target, struct sg_outcome *outcome, struct sg_err *err)
{
    const struct sg_order *order = pass->order;
    struct pair pair = {.pass = pass, .target = target, .device = sg_pass_device(pass, target)};
    if (!same_layout(target, outcome))
        return SG_DONE;
    struct sg_buffers *buffers = sg_pass_buffers(pass, target, outcome, err);
    /* The same inputs in every process, or the spread between processes would hold that between inputs. */
    if (!buffers || sg_buffers_keep_filled(buffers, order->seed, err) != SG_DONE)
        return err->code;
    const bool first = order->process % 2 == 1;
    pair.samples = sg_alloc((size_t)SG_BLOCKS_MAX * SG_BLOCK_VISITS, sizeof(*pair.samples));
    if (prepare_side(&pair, buffers, first, outcome) && prepare_side(&pair, buffers, !first, outcome)) {
        begin_item(&pair);
        if (take_samples(&pair, outcome))
            say_samples(&pair);
    }
    for (size_t side = 0; side < 2; side++)
        if (pair.side[side].variant)
            sg_runnable_finish(&pair.side[side]);
    free(pair.samples);
    return err->code;
}
