/* Decisions of a sweep from its measurements. Pure. */

#include "stats/statistics.h"
#include "sweep/sweep_internal.h"

const struct sg_estimate *sg_sweep_estimate(const struct sg_sweep_try *one)
{
    if (one->status != SG_OK)
        return NULL;
    for (size_t stage = SG_SWEEP_STAGES; stage-- > 0;)
        if (one->estimate[stage].n > 0)
            return &one->estimate[stage];
    return NULL;
}

/* A configuration that is not faster is not confirmed: the default stays. */
static size_t fastest(const struct sg_sweep_case *c)
{
    size_t best = 0;
    double least = 0;
    for (size_t i = 1; i < c->count; i++) {
        const struct sg_estimate *estimate = &c->tries[i].estimate[SG_SWEEP_CHOOSE];
        if (c->tries[i].status == SG_OK && estimate->n > 0 && estimate->mean < least) {
            least = estimate->mean;
            best = i;
        }
    }
    return best;
}

void sg_sweep_choose(struct sg_sweep_case *cases, size_t count)
{
    size_t together = 0;
    for (size_t c = 0; c < count; c++) {
        cases[c].chosen = cases[c].tries[0].status == SG_OK ? fastest(&cases[c]) : 0;
        together += cases[c].chosen != 0;
    }
    for (size_t c = 0; c < count; c++)
        cases[c].together = together;
}

/* An unknown interval proves nothing: a comparison with NaN is false. */
static bool is_faster(const struct sg_sweep_case *c)
{
    const struct sg_sweep_try *chosen = &c->tries[c->chosen];
    const struct sg_estimate *estimate = &chosen->estimate[SG_SWEEP_CONFIRM];
    return c->chosen != 0 && chosen->status == SG_OK && estimate->n > 0 && estimate->high < 0;
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
    return c->tries[index].status != SG_OK ? sg_status_word(c->tries[index].status)
           : index == 0                    ? "default"
           : index == sg_sweep_best(c)     ? "best"
           : index == c->chosen            ? "not_confirmed"
                                           : "tried";
}

/* Order: the chosen configuration, then by ratio, then those without a ratio. */
static bool is_before(const struct sg_sweep_case *c, size_t a, size_t b)
{
    const struct sg_estimate *mine = sg_sweep_estimate(&c->tries[a]),
                             *theirs = sg_sweep_estimate(&c->tries[b]);
    if (mine && theirs && (a == c->chosen || b == c->chosen))
        return a == c->chosen;
    return mine && (!theirs || mine->mean < theirs->mean);
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
