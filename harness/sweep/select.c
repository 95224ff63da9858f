/*
 * Decisions of a sweep from its measurements. Pure.
 */
#include <inttypes.h>
#include <math.h>

#include "stats/statistics.h"
#include "sweep/sweep_internal.h"

size_t sg_sweep_configurations(const struct sg_listed_variant *variant)
{
    size_t count = variant->knob_count > 0 ? 1 : 0;
    for (size_t k = 0; k < variant->knob_count; k++)
        count = count > SIZE_MAX / SG_MAX_KNOB_VALUES ? SIZE_MAX : count * variant->knob[k].count;
    return count;
}

void sg_sweep_add_knobs(const struct sg_listed_variant *variant, size_t index, struct sg_text *out)
{
    int64_t value[SG_MAX_KNOBS];
    for (size_t k = variant->knob_count; k-- > 0; index /= variant->knob[k].count)
        value[k] = variant->knob[k].value[index % variant->knob[k].count];
    for (size_t k = 0; k < variant->knob_count; k++)
        sg_text_addf(out, "%s%s=%" PRId64, k ? " " : "", variant->knob[k].name, value[k]);
}

const struct sg_estimate *sg_sweep_estimate(const struct sg_sweep_try *one)
{
    if (one->status != SG_OK)
        return NULL;
    for (size_t stage = SG_SWEEP_STAGES; stage-- > 0;)
        if (one->estimate[stage].n > 0)
            return &one->estimate[stage];
    return NULL;
}

/* The fastest configuration whose last stage is `stage`; 0: none. */
static size_t fastest(const struct sg_sweep_case *c, enum sg_sweep_stage stage)
{
    size_t best = 0;
    for (size_t i = 1; i < c->count; i++) {
        const struct sg_sweep_try *one = &c->tries[i];
        if (one->status == SG_OK && one->reached == stage && one->estimate[stage].n > 0 &&
            (best == 0 || one->estimate[stage].mean < c->tries[best].estimate[stage].mean))
            best = i;
    }
    return best;
}

static void select_of(struct sg_sweep_case *c, enum sg_sweep_stage done)
{
    size_t best = 0;
    for (size_t i = 0;
         done == SG_SWEEP_SCREEN && i < SG_SWEEP_FINALISTS && (best = fastest(c, done)) != 0; i++)
        c->tries[best].reached = SG_SWEEP_CHOOSE;
    if (done == SG_SWEEP_CHOOSE)
        best = fastest(c, done);
    /* A configuration that is not faster is not confirmed: the default stays. */
    if (done == SG_SWEEP_CHOOSE && best != 0 && c->tries[best].estimate[done].mean < 0) {
        c->tries[best].reached = SG_SWEEP_CONFIRM;
        c->chosen = best;
    }
    if (c->tries[c->chosen].status != SG_OK)
        c->chosen = 0;
}

void sg_sweep_select(struct sg_sweep_case *cases, size_t count, enum sg_sweep_stage done)
{
    size_t together = 0;
    for (size_t c = 0; c < count; c++) {
        select_of(&cases[c], done);
        together += cases[c].chosen != 0;
    }
    for (size_t c = 0; c < count && done == SG_SWEEP_CHOOSE; c++)
        cases[c].together = together;
}

/* An unknown interval proves nothing: a comparison with NaN is false. */
static bool is_faster(const struct sg_sweep_case *c)
{
    const struct sg_estimate *estimate = &c->tries[c->chosen].estimate[SG_SWEEP_CONFIRM];
    return c->chosen != 0 && estimate->n > 0 && estimate->high < 0;
}

/* Bonferroni correction. Among forty cases whose knobs have no effect, one has a 95 % interval
 * below 1; so each case gets its share of the level. This costs only margins below the
 * tolerance, because a pair with a larger margin is measured until its verdict is clear. */
bool sg_sweep_is_one_of_many(const struct sg_sweep_case *c)
{
    const struct sg_estimate *estimate = &c->tries[c->chosen].estimate[SG_SWEEP_CONFIRM];
    if (!is_faster(c) || c->together <= 1 || !(estimate->se > 0))
        return false;
    const double level = 2 * sg_t_cdf(estimate->mean / estimate->se, estimate->n - 1.0);
    return !(level <= sg_look_level(SG_ALPHA_05) / (double)c->together);
}

size_t sg_sweep_best(const struct sg_sweep_case *c)
{
    return is_faster(c) && !sg_sweep_is_one_of_many(c) ? c->chosen : 0;
}

const char *sg_sweep_outcome(const struct sg_sweep_case *c, size_t index)
{
    static const char *const words[SG_SWEEP_STAGES] = {"screened", "finalist", "not_confirmed"};
    if (c->tries[index].status != SG_OK)
        return "failed";
    if (index == 0)
        return "default";
    return index == sg_sweep_best(c) ? "best" : words[c->tries[index].reached];
}

static bool is_before(const struct sg_sweep_try *a, const struct sg_sweep_try *b)
{
    const int left = a->status == SG_OK ? (int)a->reached : -1,
              right = b->status == SG_OK ? (int)b->reached : -1;
    const struct sg_estimate *mine = sg_sweep_estimate(a), *theirs = sg_sweep_estimate(b);
    return left != right ? left > right : mine && (!theirs || mine->mean < theirs->mean);
}

void sg_sweep_rank(const struct sg_sweep_case *c, size_t *order)
{
    for (size_t i = 1; i < c->count; i++) {
        size_t at = i - 1;
        for (; at > 0 && is_before(&c->tries[i], &c->tries[order[at - 1]]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}
