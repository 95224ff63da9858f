#include "stats/decision.h"

#include <math.h>

#include "stats/statistics.h"

/* Standard errors that an unchanged row may stray; it strays beyond 3 once in 370 rows. With 2,
 * one row of a quiet suite of 25 was inconclusive in every other run on another machine. */
#define SG_STRAY 3.0

#define POWER_90       1.2816 /* normal quantile of 90 % */
#define POWER_90_ABOUT 1.3    /* normal quantile of 90 %, for an error taken as known */

struct sg_bounds sg_bounds_at_look(size_t processes)
{
    return (struct sg_bounds){
        .within = sg_look_constant(SG_ALPHA_10, processes),
        .interval = sg_look_constant(SG_ALPHA_05, processes),
        .regressed = sg_look_constant(SG_ALPHA_01, processes),
    };
}

struct sg_bounds sg_bounds_of_gate(size_t processes)
{
    struct sg_bounds bounds = sg_bounds_at_look(processes);
    if (processes < SG_WITHIN_PROCESSES)
        bounds.within = INFINITY;
    return bounds;
}

double sg_state_reach(size_t processes)
{
    return processes < SG_WITHIN_PROCESSES
               ? sg_look_constant(SG_ALPHA_01, processes) * SG_STATE_SD / sqrt((double)processes)
               : 0;
}

static double bound(enum sg_alpha alpha, double df)
{
    return sg_t_quantile(1.0 - 0.5 * sg_look_level(alpha), df);
}

struct sg_bounds sg_bounds_at_df(struct sg_bounds_by_df *cache, double df)
{
    if (!(df >= 1.0))
        return (struct sg_bounds){NAN, NAN, NAN};
    /* Rounded down, so that the interval can only get wider. A df of 3.9999 counts as 4. */
    const size_t whole = df >= SG_DF_MAX ? SG_DF_MAX : (size_t)(df + 1e-6);
    struct sg_bounds *at = &cache->at[whole];
    if (at->within == 0.0)
        *at = (struct sg_bounds){
            .within = bound(SG_ALPHA_10, (double)whole),
            .interval = bound(SG_ALPHA_05, (double)whole),
            .regressed = bound(SG_ALPHA_01, (double)whole),
        };
    return *at;
}

struct sg_bounds sg_bounds_of_one_look(double df)
{
    const double whole = floor(fmin(df, SG_DF_MAX) + 1e-6);
    return whole >= 1.0 ? (struct sg_bounds){.within = sg_t_quantile(0.95, whole),
                                             .interval = sg_t_quantile(0.975, whole),
                                             .regressed = sg_t_quantile(0.995, whole)}
                        : (struct sg_bounds){NAN, NAN, NAN};
}

void sg_errors_add(struct sg_errors *errors, const char *source, double sd, double df)
{
    errors->source[errors->count] = source;
    errors->variance[errors->count] = sd * sd;
    errors->df[errors->count] = df;
    errors->count++;
}

const char *sg_errors_largest(const struct sg_errors *errors)
{
    size_t largest = 0;
    for (size_t i = 1; i < errors->count; i++)
        if (errors->variance[i] > errors->variance[largest])
            largest = i;
    return errors->source[largest];
}

double sg_errors_se(const struct sg_errors *errors)
{
    double variance = 0.0;
    for (size_t i = 0; i < errors->count; i++)
        variance += errors->variance[i];
    return sqrt(variance);
}

double sg_errors_df(const struct sg_errors *errors)
{
    double variance = 0.0;
    double squares = 0.0;
    for (size_t i = 0; i < errors->count; i++) {
        variance += errors->variance[i];
        squares += errors->variance[i] * errors->variance[i] / errors->df[i];
    }
    return squares > 0.0 ? variance * variance / squares : INFINITY;
}

static enum sg_verdict verdict_of(const struct sg_difference *difference)
{
    const double delta = log1p(difference->tolerance);
    const double far = difference->bounds.regressed * difference->se;
    const double near =
        isinf(difference->bounds.within) ? INFINITY : difference->bounds.within * difference->se;
    if (!isfinite(difference->mean) || !isfinite(far) || isnan(near) || !isfinite(delta))
        return SG_INVALID_VALUE;
    if (difference->mean - far > delta)
        return SG_REGRESSED;
    if (difference->mean + far < -delta)
        return SG_IMPROVED;
    if (fabs(difference->mean) + near < delta)
        return SG_WITHIN;
    return SG_INCONCLUSIVE;
}

struct sg_decision sg_decide(const struct sg_difference *difference)
{
    const double half = difference->bounds.interval * difference->se;
    return (struct sg_decision){
        .verdict = verdict_of(difference),
        .change = expm1(difference->mean),
        .low = expm1(difference->mean - half),
        .high = expm1(difference->mean + half),
    };
}

/* Standard errors beyond the tolerance that the last look needs to call one of `rows` rows
 * slower: the larger of the rule's bound and Holm's. */
static double last_bound(size_t last_look, size_t rows)
{
    const double by_rule = sg_look_constant(SG_ALPHA_01, last_look);
    if (rows <= 1)
        return by_rule;
    const double level = SG_SEQUENTIAL_ERROR / ((double)SG_LOOK_COUNT * (double)rows);
    return fmax(by_rule, sg_t_quantile(1.0 - 0.5 * level, (double)last_look - 1.0));
}

/* How many estimated standard errors beyond 0 the truth must lie for 90 of 100 later estimates
 * to pass c times their error. Three quantities scatter: the later estimate, its error
 * (last_df), and the present error (df). An estimated error is about normal, with mean 1 - 1/(4
 * df) and variance 1/(2 df) of the true one. */
static double reach_90(double c, double last_df, double df)
{
    const double bias = 1.0 - 0.25 / df, passed = c * (1.0 - 0.25 / last_df),
                 own = 1.0 + 0.5 * c * c / last_df;
    const double scatter = POWER_90 * POWER_90 * 0.5 / df;
    /* Squares both sides of reach * bias - passed = POWER_90 sqrt(own + reach^2 / (2 df)). */
    const double a = bias * bias - scatter, half_b = bias * passed,
                 rest = passed * passed - POWER_90 * POWER_90 * own;
    return a > 0.0 ? (half_b + sqrt(half_b * half_b - a * rest)) / a : NAN;
}

double sg_mde90_of(const struct sg_effect *effect)
{
    return expm1(log1p(effect->tolerance) +
                 reach_90(effect->bound, effect->last_df, effect->df) * effect->se);
}

double sg_mde90_pair(double tolerance, double sd, size_t processes, size_t rows)
{
    const size_t last_look = 20;
    return sg_mde90_of(&(struct sg_effect){.tolerance = tolerance,
                                           .se = sd / sqrt((double)last_look),
                                           .df = (double)processes - 1.0,
                                           .bound = last_bound(last_look, rows),
                                           .last_df = (double)last_look - 1.0});
}

double sg_mde90(const struct sg_difference *difference)
{
    return expm1(log1p(difference->tolerance) +
                 (difference->bounds.regressed + POWER_90_ABOUT) * difference->se);
}

double sg_resolvable_tolerance(const struct sg_tolerance_need *need)
{
    return fmax(need->tolerance, expm1((need->within + SG_STRAY) * need->se));
}
