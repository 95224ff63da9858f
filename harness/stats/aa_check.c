#include "stats/aa_check.h"

#include <math.h>
#include <stdio.h>

#include "stats/decision.h"
#include "stats/statistics.h"
#include "util/text.h"

#define CONFIDENCE 0.95
#define BISECTIONS 60 /* halves [0, 1] to below the precision of a double near 1 */

/* ---- how far the means spread ---- */

#define SCALE_LARGEST 1e6 /* largest scale of t; the smallest is the inverse */

/* Deviance at the one-sided 95 % bound of the scale: the 90 % quantile of chi squared with one
 * degree of freedom. The bound is where twice the log-likelihood is this much below its maximum. */
#define DEVIANCE_95 2.706

static double t_squared(const struct sg_estimate *estimate)
{
    const double t = estimate->mean == 0 ? 0 : estimate->mean * sqrt(estimate->n) / estimate->sd;
    return t * t;
}

static bool is_counted(const struct sg_aa *pair)
{
    return pair->estimate.n >= 2;
}

/* Log-likelihood of t = scale times Student's t, without the terms that do not depend on the
 * scale, and its slope in ln scale. */
struct likelihood {
    double ln, slope;
};
static struct likelihood likelihood_of(const struct sg_aa *pairs, size_t count, double scale)
{
    struct likelihood sum = {0};
    for (size_t i = 0; i < count; i++) {
        if (!is_counted(&pairs[i]))
            continue;
        const double df = pairs[i].estimate.n - 1.0,
                     reach = t_squared(&pairs[i].estimate) / (scale * scale * df);
        sum.ln -= log(scale) + 0.5 * (df + 1) * log1p(reach);
        sum.slope += (df + 1) * (isinf(reach) ? 1 : reach / (1 + reach)) - 1;
    }
    return sum;
}

/* Bisection, because the slope falls with the scale. The root mean square would be wrong: the t
 * of five processes has twice the variance of a normal deviate. */
static double most_likely_scale(const struct sg_aa *pairs, size_t count)
{
    double low = -log(SCALE_LARGEST), high = log(SCALE_LARGEST);
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = 0.5 * (low + high);
        *(likelihood_of(pairs, count, exp(middle)).slope > 0 ? &low : &high) = middle;
    }
    return exp(low);
}

/* Returns true if the one-sided 95 % lower bound of the scale is over 1. */
static bool is_over_one(const struct sg_aa *pairs, size_t count, double scale)
{
    const double gain = likelihood_of(pairs, count, scale).ln - likelihood_of(pairs, count, 1).ln;
    return scale > 1 && !(2 * gain <= DEVIANCE_95);
}

/* ---- A/A pairs that differ ---- */

/* Counts after Holm's correction, because one of many pairs differs by chance. Returns the first
 * pair counted, or NULL. */
static const struct sg_aa *count_uneven(const struct sg_aa *pairs, size_t count, size_t *uneven)
{
    const struct sg_aa *first = NULL;
    SG_FREED double *p = sg_alloc(count + 1, sizeof(*p)),
                    *adjusted = sg_alloc(count + 1, sizeof(*adjusted));
    for (size_t i = 0; i < count; i++)
        p[i] = is_counted(&pairs[i]) &&
                       (pairs[i].verdict == SG_REGRESSED || pairs[i].verdict == SG_IMPROVED)
                   ? pairs[i].p
                   : 1;
    sg_holm(p, NULL, count, adjusted);
    *uneven = 0;
    for (size_t i = 0; i < count; i++) {
        if (p[i] == 1 || adjusted[i] > SG_SEQUENTIAL_ERROR)
            continue;
        ++*uneven;
        first = first ? first : &pairs[i];
    }
    return first;
}

/* The sentence of a valid run. */
static void describe_valid(struct sg_aa_check *c)
{
    const int length = snprintf(c->text, sizeof(c->text),
                                "the baseline against itself: %zu of %zu A/A pairs consistent; ",
                                c->pairs, c->pairs);
    char *rest = c->text + length;
    const size_t room = sizeof(c->text) - (size_t)length;
    if (c->pairs < SG_CALIBRATION_PAIRS)
        snprintf(rest, room, "with fewer than %d A/A pairs the error bars are not recalibrated",
                 SG_CALIBRATION_PAIRS);
    else if (c->lambda == 1)
        snprintf(rest, room,
                 "they spread %.2f times as far as their errors say, which may be chance, so "
                 "errors are not corrected",
                 c->spread);
    else
        snprintf(
            rest, room,
            "they spread %.2f times as far as their errors say, so errors are multiplied by %.2f",
            c->spread, c->lambda);
}

static void describe(struct sg_aa_check *c, const struct sg_aa *uneven)
{
    if (uneven)
        snprintf(c->text, sizeof(c->text),
                 "%s against itself came out %s by %.2g %% (%zu of %zu such pairs): no pair of "
                 "this run can be trusted; look for other users "
                 "of the GPU and for throttling (event_reasons in env.csv), then run it again",
                 uneven->name, sg_verdict_word(uneven->verdict),
                 100 * fabs(expm1(uneven->estimate.mean)), c->uneven, c->pairs);
    else if (!c->valid)
        snprintf(c->text, sizeof(c->text),
                 "pairs of the baseline with itself spread %.2f times as far as their errors say, "
                 "over %.0f: the errors of this run are not "
                 "understood; look for other users of the GPU, then run it again",
                 c->spread, SG_LAMBDA_MAX);
    else if (c->pairs == 0)
        snprintf(c->text, sizeof(c->text),
                 "the baseline was not compared with itself: nothing was timed");
    else
        describe_valid(c);
}

struct sg_aa_check sg_check_aa(const struct sg_aa *pairs, size_t count, double lambda)
{
    struct sg_aa_check c = {.spread = NAN, .lambda = lambda};
    const struct sg_aa *uneven = count_uneven(pairs, count, &c.uneven);
    for (size_t i = 0; i < count; i++)
        c.pairs += is_counted(&pairs[i]);
    if (c.pairs > 0)
        c.spread = most_likely_scale(pairs, count);
    if (c.pairs >= SG_CALIBRATION_PAIRS && is_over_one(pairs, count, c.spread))
        c.lambda = fmax(lambda, c.spread);
    c.valid = !uneven && c.lambda <= SG_LAMBDA_MAX;
    describe(&c, uneven);
    return c;
}

/* Trimmed mean of ln of the known clocks; NaN if none is known. */
static double mean_ln(struct sg_clocks clocks)
{
    size_t known = 0;
    for (size_t i = 0; i < clocks.count; i++)
        if (clocks.hz[i] > 0)
            clocks.hz[known++] = log(clocks.hz[i]);
    return known > 0 ? sg_trimmed_mean(clocks.hz, known, SG_TRIM) : NAN;
}

double sg_clock_gap(struct sg_clocks baseline, struct sg_clocks candidate)
{
    return mean_ln(candidate) - mean_ln(baseline);
}
