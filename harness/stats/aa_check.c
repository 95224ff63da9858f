#include "stats/aa_check.h"

#include <math.h>
#include <stdio.h>

#include "stats/statistics.h"

#define CONFIDENCE 0.95
#define BISECTIONS 60 /* halves [0, 1] below the last bit of a double near 1 */

double sg_aa_check_z(const struct sg_estimate *estimate)
{
    if (estimate->n < 2)
        return NAN;
    if (estimate->mean == 0)
        return 0;
    const double t = fabs(estimate->mean) * sqrt(estimate->n) / estimate->sd;
    const double tail = sg_t_cdf(-t, estimate->n - 1.0);
    /* A t of five processes has twice the variance of a normal deviate: taken as it is, honest errors would look too small. */
    const double z = tail > 0 ? -sg_normal_quantile(tail) : INFINITY;
    return copysign(z, estimate->mean);
}

static bool is_uneven(const struct sg_aa *pair)
{
    return pair->verdict == SG_REGRESSED || pair->verdict == SG_IMPROVED;
}

static void say(struct sg_aa_check *c, const struct sg_aa *uneven)
{
    if (uneven)
        snprintf(
            c->text, sizeof(c->text),
            "%s against itself came out %s by %.2g %% (%zu of %zu such pairs): no pair of this run can be trusted; look for other users "
            "of the GPU and for throttling (event_reasons in env.csv), then run it again",
            uneven->name, sg_verdict_word(uneven->verdict), 100 * fabs(expm1(uneven->estimate.mean)), c->uneven, c->pairs);
    else if (!c->valid)
        snprintf(
            c->text, sizeof(c->text),
            "pairs of the baseline with itself spread %.2f times as far as their errors say, over %.0f: the errors of this run are not "
            "understood; look for other users of the GPU, then run it again",
            c->spread, SG_LAMBDA_MAX);
    else if (c->pairs == 0)
        snprintf(c->text, sizeof(c->text), "the baseline was not held against itself: nothing was timed");
    else if (c->pairs < SG_CALIBRATION_PAIRS)
        snprintf(c->text, sizeof(c->text),
                 "the baseline against itself: %zu of %zu A/A pairs consistent; fewer than %d pairs, so errors are taken as they are",
                 c->pairs, c->pairs, SG_CALIBRATION_PAIRS);
    else
        snprintf(c->text, sizeof(c->text),
                 "the baseline against itself: %zu of %zu A/A pairs consistent; they spread %.2f times as far as their errors say, so "
                 "errors are "
                 "multiplied by %.2f",
                 c->pairs, c->pairs, c->spread, c->lambda);
}

struct sg_aa_check sg_check_aa(const struct sg_aa *pairs, size_t count, double lambda)
{
    struct sg_aa_check c = {.spread = NAN, .lambda = lambda};
    const struct sg_aa *uneven = NULL;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double z = sg_aa_check_z(&pairs[i].estimate);
        if (isnan(z))
            continue;
        c.pairs++;
        squares += z * z;
        c.uneven += is_uneven(&pairs[i]);
        if (is_uneven(&pairs[i]) && !uneven)
            uneven = &pairs[i];
    }
    if (c.pairs > 0)
        c.spread = sqrt(squares / (double)c.pairs);
    if (c.pairs >= SG_CALIBRATION_PAIRS)
        c.lambda = fmax(lambda, c.spread);
    c.valid = !uneven && c.lambda <= SG_LAMBDA_MAX;
    say(&c, uneven);
    return c;
}

/* Mean ln of what is known, without outliers; NaN for nothing. */
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

double sg_false_rate_bound(size_t uneven, size_t pairs)
{
    if (uneven >= pairs)
        return 1;
    double low = 0, high = 1;
    for (int i = 0; i < BISECTIONS; i++) {
        const double rate = 0.5 * (low + high);
        /* P(more than `uneven` of `pairs`) at this rate. */
        if (sg_incomplete_beta((double)uneven + 1, (double)(pairs - uneven), rate) < CONFIDENCE)
            low = rate;
        else
            high = rate;
    }
    return high;
}
