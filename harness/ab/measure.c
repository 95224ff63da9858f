#include "ab/ab_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/identity.h"

bool sg_ab_is_identical(const struct sg_ab *ab, const struct sg_step *step)
{
    return ab->same_thing ||
           (strcmp(ab->baseline.name, ab->candidate.name) == 0 && step->baseline &&
            sg_identity_same(step->baseline->identity, step->identity));
}

bool sg_ab_is_even(const struct sg_ab *ab, size_t pair)
{
    const struct sg_step *step = &ab->execution.steps[ab->step_of_pair[pair]];
    return step->baseline == step || sg_ab_is_identical(ab, step);
}

static size_t add_pair(struct sg_ab *ab, const struct sg_step *step)
{
    ab->engine.pairs[ab->engine.count] =
        (struct sg_sequential_pair){.tolerance = ab->options->settings.tolerance};
    ab->step_of_pair[ab->engine.count] = (size_t)(step - ab->execution.steps);
    return ab->engine.count++;
}

static void make_pairs(struct sg_ab *ab)
{
    unsigned rows[2] = {0}; /* candidates; A/A pairs: each corrected for its own number */
    ab->engine = (struct sg_sequential){
        .pairs = sg_alloc(ab->plan.count, sizeof(*ab->engine.pairs)), .lambda = 1};
    ab->step_of_pair = sg_alloc(ab->plan.count, sizeof(*ab->step_of_pair));
    for (size_t i = 0; i < ab->case_count; i++) {
        struct sg_ab_case *c = &ab->cases[i];
        /* An item that failed in an earlier part of this run keeps its pair, which is dead. */
        if (!c->baseline->passed || !c->candidate->passed || sg_ab_other_terms(ab, c, NULL))
            continue;
        c->aa = add_pair(ab, c->baseline);
        c->pair = ab->same_thing ? c->aa : add_pair(ab, c->candidate);
    }
    for (size_t i = 0; i < ab->engine.count; i++) {
        ab->engine.pairs[i].even = sg_ab_is_even(ab, i);
        rows[ab->engine.pairs[i].even]++;
    }
    for (size_t i = 0; i < ab->engine.count; i++)
        ab->engine.pairs[i].rows = rows[ab->engine.pairs[i].even];
}

static void calibrate(struct sg_ab *ab)
{
    SG_FREED struct sg_aa *all = sg_alloc(ab->engine.count + 1, sizeof(*all));
    char(*names)[200] = sg_alloc(ab->engine.count + 1, sizeof(*names));
    size_t count = 0;
    for (size_t i = 0; i < ab->engine.count; i++) {
        const struct sg_sequential_pair *pair = &ab->engine.pairs[i];
        const struct sg_item *item = ab->execution.steps[ab->step_of_pair[i]].item;
        if (pair->dead || !sg_ab_is_even(ab, i))
            continue;
        snprintf(names[count], sizeof(names[count]), "%s/%s/%s", SG_ITEM_NAMES(item));
        all[count] = (struct sg_aa){.name = names[count],
                                    .estimate = pair->estimate,
                                    .verdict = pair->verdict,
                                    .p = sg_sequential_p(pair)};
        count++;
    }
    ab->calibration = sg_check_aa(all, count, ab->engine.lambda);
    free(names);
}

enum sg_code sg_ab_measure(struct sg_ab *ab, struct sg_err *err)
{
    make_pairs(ab);
    if (sg_execution_decide(&ab->execution, &ab->engine, ab->step_of_pair, err) != SG_SUCCESS)
        return err->code;
    calibrate(ab);
    /* The intervals got wider, so pairs that the narrow ones decided are judged again, and
     * measured further where still undecided. */
    while (ab->calibration.lambda > ab->engine.lambda && ab->calibration.lambda <= SG_LAMBDA_MAX) {
        ab->engine.lambda = ab->calibration.lambda;
        for (size_t i = 0; i < ab->engine.count; i++)
            ab->engine.pairs[i].decided = false;
        if (sg_execution_decide(&ab->execution, &ab->engine, ab->step_of_pair, err) != SG_SUCCESS)
            return err->code;
        calibrate(ab);
    }
    sg_execution_settle(&ab->execution);
    ab->conditions = sg_validity_judge(&ab->sink.processes, ab->options->shared_gpu_allowed);
    return SG_SUCCESS;
}
