#include "other_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/statistics.h"
#include "util/text.h"

#define LEVEL             0.05
#define NOISE_SAMPLES_MIN 5     /* NVBench knows no noise of fewer (nvbench/detail/statistics.cuh) */
#define CLEAR_GAP         0.005 /* of its preset `default` */

const char *rule_word(enum rule rule)
{
    static const char *const words[] = {
#define X(constant, word, what) word,
        RULE_TABLE(X)
#undef X
    };
    return words[rule];
}

static double *sorted(const double *x, size_t n)
{
    double *copy = sg_alloc(n, sizeof(*copy));
    memcpy(copy, x, n * sizeof(*copy));
    (void)sg_median(copy, n); /* sorts */
    return copy;
}

static double median(const double *x, size_t n)
{
    double *copy = sg_alloc(n, sizeof(*copy));
    memcpy(copy, x, n * sizeof(*copy));
    const double result = sg_median(copy, n);
    free(copy);
    return result;
}

static int sign(double x)
{
    return (x > 0.0) - (x < 0.0);
}

static int beyond(double change, double allowed)
{
    return fabs(change) > allowed ? sign(change) : 0;
}

static double mean_difference(const struct two_samples *s)
{
    return sg_mean(s->candidate, s->n_candidate) - sg_mean(s->baseline, s->n_baseline);
}

double welch_p(const struct two_samples *s)
{
    const double n[2] = {(double)s->n_baseline, (double)s->n_candidate};
    const double sd[2] = {sg_sd(s->baseline, s->n_baseline), sg_sd(s->candidate, s->n_candidate)};
    const double variance[2] = {sd[0] * sd[0] / n[0], sd[1] * sd[1] / n[1]};
    const double both = variance[0] + variance[1];
    if (both == 0.0)
        return mean_difference(s) == 0.0 ? 1.0 : 0.0;
    const double df = both * both / (variance[0] * variance[0] / (n[0] - 1.0) + variance[1] * variance[1] / (n[1] - 1.0));
    return 2.0 * sg_t_cdf(-fabs(mean_difference(s)) / sqrt(both), df);
}

/* Rank sum of the candidate among both, ties at their mean rank; *tied: sum of t^3
 * - t over groups of equal values. */
static double rank_sum(const struct two_samples *s, double *tied)
{
    double *a = sorted(s->baseline, s->n_baseline);
    double *b = sorted(s->candidate, s->n_candidate);
    double sum = 0.0;
    *tied = 0.0;
    for (size_t i = 0, j = 0; i < s->n_baseline || j < s->n_candidate;) {
        const double next = j == s->n_candidate || (i < s->n_baseline && a[i] < b[j]) ? a[i] : b[j];
        const size_t before = i + j, before_b = j;
        while (i < s->n_baseline && a[i] == next)
            i++;
        while (j < s->n_candidate && b[j] == next)
            j++;
        const double group = (double)(i + j - before);
        sum += (double)(j - before_b) * ((double)before + 0.5 * (group + 1.0));
        *tied += group * group * group - group;
    }
    free(a);
    free(b);
    return sum;
}

/* How many standard deviations the candidate's ranks lie above the middle. */
static double mann_whitney_z(const struct two_samples *s)
{
    const double n = (double)s->n_baseline, m = (double)s->n_candidate;
    double tied = 0.0;
    const double sum = rank_sum(s, &tied);
    const double variance = n * m / 12.0 * (n + m + 1.0 - tied / ((n + m) * (n + m - 1.0)));
    return variance > 0.0 ? (sum - 0.5 * m * (n + m + 1.0)) / sqrt(variance) : 0.0;
}

double mann_whitney_p(const struct two_samples *s)
{
    return erfc(fabs(mann_whitney_z(s)) / sqrt(2.0)); /* both tails of the normal distribution */
}

static int median_says(const struct two_samples *s, double allowed)
{
    return beyond(median(s->candidate, s->n_candidate) / median(s->baseline, s->n_baseline) - 1.0, allowed);
}

static int noise_says(const struct two_samples *s)
{
    if (s->n_baseline < NOISE_SAMPLES_MIN || s->n_candidate < NOISE_SAMPLES_MIN)
        return 0;
    const double mean = sg_mean(s->baseline, s->n_baseline);
    const double noise =
        fmin(sg_sd(s->baseline, s->n_baseline) / mean, sg_sd(s->candidate, s->n_candidate) / sg_mean(s->candidate, s->n_candidate));
    return beyond(mean_difference(s) / mean, noise);
}

struct interval {
    double low, high;
};

/* From the least to the third quartile, at rank round(0.75 (n - 1)): what
 * delays a launch has no upper end. */
static struct interval interval_of(const double *x, size_t n)
{
    double *copy = sorted(x, n);
    const struct interval interval = {copy[0], copy[(75 * (n - 1) + 50) / 100]};
    free(copy);
    return interval;
}

static struct interval in_cycles(struct interval ns, double clock)
{
    return (struct interval){ns.low * clock, ns.high * clock};
}

static int gap_says(struct interval baseline, struct interval candidate)
{
    if (candidate.low > baseline.high)
        return (candidate.low - baseline.high) / baseline.high >= CLEAR_GAP;
    if (candidate.high < baseline.low)
        return -((baseline.low - candidate.high) / candidate.high >= CLEAR_GAP);
    return 0;
}

static int intervals_say(const struct two_samples *s)
{
    const struct interval baseline = interval_of(s->baseline, s->n_baseline);
    const struct interval candidate = interval_of(s->candidate, s->n_candidate);
    const int in_time = gap_says(baseline, candidate);
    if (s->baseline_clock == 0.0 || s->candidate_clock == 0.0)
        return in_time;
    const int confirmed = gap_says(in_cycles(baseline, s->baseline_clock), in_cycles(candidate, s->candidate_clock));
    return confirmed == in_time ? in_time : 0;
}

int rule_says(enum rule rule, const struct two_samples *s)
{
    switch (rule) {
    case RULE_MEDIAN_2:
        return median_says(s, 0.02);
    case RULE_MEDIAN_5:
        return median_says(s, 0.05);
    case RULE_WELCH:
        return welch_p(s) < LEVEL ? sign(mean_difference(s)) : 0;
    case RULE_MANN_WHITNEY:
        return mann_whitney_p(s) < LEVEL ? sign(mann_whitney_z(s)) : 0;
    case RULE_NOISE:
        return noise_says(s);
    case RULE_INTERVALS:
        return intervals_say(s);
    default:
        return 0;
    }
}
