/*
 * Decisions of a sweep from its measurements. Pure.
 */

#include "stats/statistics.h"
#include "sweep/sweep.h"

const char *sg_sweep_stage_word(enum sg_sweep_stage stage)
{
    static const char *const words[] = {SG_SWEEP_STAGE_TABLE(SG_WORD)};
    return words[stage];
}

const char *sg_sweep_outcome_word(enum sg_sweep_outcome outcome)
{
    static const char *const words[] = {SG_SWEEP_OUTCOME_TABLE(SG_WORD)};
    return words[outcome];
}

size_t sg_sweep_configurations(const struct sg_listed_variant *variant)
{
    size_t count = variant->knob_count > 0 ? 1 : 0;
    for (size_t k = 0; k < variant->knob_count; k++)
        count = count > SIZE_MAX / SG_MAX_KNOB_VALUES ? SIZE_MAX : count * variant->knob[k].count;
    return count;
}

void sg_sweep_configuration(const struct sg_listed_variant *variant, size_t index, int64_t value[SG_MAX_KNOBS])
{
    for (size_t k = variant->knob_count; k-- > 0; index /= variant->knob[k].count)
        value[k] = variant->knob[k].value[index % variant->knob[k].count];
}

static bool took_part(const struct sg_sweep_try *one, enum sg_sweep_stage stage)
{
    return one->status == SG_OK && one->reached >= stage && one->estimate[stage].n > 0;
}

const struct sg_estimate *sg_sweep_estimate(const struct sg_sweep_try *one)
{
    for (int stage = SG_SWEEP_STAGES; stage-- > 0;)
        if (took_part(one, (enum sg_sweep_stage)stage))
            return &one->estimate[stage];
    return NULL;
}

/* The fastest configuration whose last stage is `stage`; 0: none. */
static size_t fastest(const struct sg_sweep_case *c, enum sg_sweep_stage stage)
{
    size_t best = 0;
    for (size_t i = 1; i < c->count; i++)
        if (took_part(&c->tries[i], stage) && c->tries[i].reached == stage &&
            (best == 0 || c->tries[i].estimate[stage].mean < c->tries[best].estimate[stage].mean))
            best = i;
    return best;
}

static void select_of(struct sg_sweep_case *c, enum sg_sweep_stage done)
{
    size_t best = 0;
    switch (done) {
    case SG_SWEEP_SCREEN:
        for (size_t i = 0; i < SG_SWEEP_FINALISTS && (best = fastest(c, done)) != 0; i++)
            c->tries[best].reached = SG_SWEEP_CHOOSE;
        break;
    case SG_SWEEP_CHOOSE:
        /* A configuration that is not faster is not confirmed: the default stays. */
        best = fastest(c, done);
        if (best != 0 && c->tries[best].estimate[done].mean < 0)
            c->tries[best].reached = SG_SWEEP_CONFIRM;
        break;
    default:
        break;
    }
}

void sg_sweep_select(struct sg_sweep_case *cases, size_t count, enum sg_sweep_stage done)
{
    size_t together = 0;
    for (size_t c = 0; c < count; c++) {
        select_of(&cases[c], done);
        for (size_t i = 1; i < cases[c].count; i++)
            together += cases[c].tries[i].reached == SG_SWEEP_CONFIRM;
    }
    for (size_t c = 0; c < count; c++)
        cases[c].together = together;
}

/* An unknown interval proves nothing: a comparison with NaN is false. */
static bool is_faster(const struct sg_sweep_try *one)
{
    return took_part(one, SG_SWEEP_CONFIRM) && one->estimate[SG_SWEEP_CONFIRM].high < 0;
}

/* Bonferroni correction. Among forty cases whose knobs have no effect, one has a 95 % interval
 * below 1; so each case gets its share of the level. This costs only margins below the
 * tolerance, because a pair with a larger margin is measured until its verdict is clear. */
static bool is_one_of_many(const struct sg_sweep_case *c, const struct sg_estimate *estimate)
{
    if (c->together <= 1 || !(estimate->se > 0))
        return false;
    const double level = 2 * sg_t_cdf(estimate->mean / estimate->se, estimate->n - 1.0);
    return !(level <= sg_look_level(SG_ALPHA_05) / (double)c->together);
}

bool sg_sweep_is_one_of_many(const struct sg_sweep_case *c, size_t index)
{
    return is_faster(&c->tries[index]) && is_one_of_many(c, &c->tries[index].estimate[SG_SWEEP_CONFIRM]);
}

enum sg_sweep_outcome sg_sweep_outcome(const struct sg_sweep_case *c, size_t index)
{
    const struct sg_sweep_try *one = &c->tries[index];
    if (one->status != SG_OK)
        return SG_SWEEP_FAILED;
    if (index == 0)
        return SG_SWEEP_OWN;
    if (one->reached == SG_SWEEP_CONFIRM)
        return is_faster(one) && !sg_sweep_is_one_of_many(c, index) ? SG_SWEEP_BEST : SG_SWEEP_NOT_CONFIRMED;
    return one->reached == SG_SWEEP_CHOOSE ? SG_SWEEP_FINALIST : SG_SWEEP_SCREENED;
}

size_t sg_sweep_best(const struct sg_sweep_case *c)
{
    for (size_t i = 1; i < c->count; i++)
        if (sg_sweep_outcome(c, i) == SG_SWEEP_BEST)
            return i;
    return 0;
}

static bool is_before(const struct sg_sweep_case *c, size_t a, size_t b)
{
    const enum sg_sweep_outcome left = sg_sweep_outcome(c, a), right = sg_sweep_outcome(c, b);
    const struct sg_estimate *mine = sg_sweep_estimate(&c->tries[a]), *theirs = sg_sweep_estimate(&c->tries[b]);
    if (left != right)
        return left < right;
    if (mine && theirs && mine->mean != theirs->mean)
        return mine->mean < theirs->mean;
    return mine && theirs ? a < b : mine || (!theirs && a < b);
}

void sg_sweep_rank(const struct sg_sweep_case *c, size_t *order)
{
    for (size_t i = 1; i < c->count; i++) {
        size_t at = i - 1;
        for (; at > 0 && is_before(c, i, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}
