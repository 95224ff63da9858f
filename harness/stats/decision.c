#include "stats/decision.h"

#include <math.h>

#include "stats/statistics.h"

/*
 * How far, in standard errors, an estimate strays when nothing has changed: 3, once in 370 rows. 2 made one row of a quiet suite of 25
 * inconclusive in every other run on another machine.
 */
#define SG_STRAY 3.0

/* Normal quantile of 90 %: how far beyond the bound the truth must lie to be found 9 times in 10. */
#define SG_POWER_90 1.3

struct sg_bounds sg_bounds_at_look(size_t processes)
{
    return (struct sg_bounds){
        .within = sg_look_constant(SG_ALPHA_10, processes),
        .interval = sg_look_constant(SG_ALPHA_05, processes),
        .regressed = sg_look_constant(SG_ALPHA_01, processes),
        .single = NAN,
    };
}

static double bound(enum sg_alpha alpha, double df)
{
    return sg_t_quantile(1.0 - 0.5 * sg_look_level(alpha), df);
}

struct sg_bounds sg_bounds_at_df(struct sg_bounds_by_df *cache, double df)
{
    if (!(df >= 1.0))
        return (struct sg_bounds){NAN, NAN, NAN, NAN};
    /* Rounded down, so that the interval can only get wider; but 4 that came out as 3.9999 is 4. */
    const size_t whole = df >= SG_DF_MAX ? SG_DF_MAX : (size_t)(df + 1e-6);
    struct sg_bounds *at = &cache->at[whole];
    if (at->within == 0.0)
        *at = (struct sg_bounds){
            .within = bound(SG_ALPHA_10, (double)whole),
            .interval = bound(SG_ALPHA_05, (double)whole),
            .regressed = bound(SG_ALPHA_01, (double)whole),
            .single = sg_t_quantile(0.975, (double)whole),
        };
    return *at;
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
    const double near = difference->bounds.within * difference->se;
    if (!isfinite(difference->mean) || !isfinite(far) || !isfinite(near) || !isfinite(delta))
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

double sg_mde90_pair(double tolerance, double sd)
{
    const size_t last_look = 20;
    return expm1(log1p(tolerance) + (sg_look_constant(SG_ALPHA_01, last_look) + SG_POWER_90) * sd / sqrt((double)last_look));
}

double sg_mde90(const struct sg_difference *difference)
{
    return expm1(log1p(difference->tolerance) + (difference->bounds.regressed + SG_POWER_90) * difference->se);
}

double sg_resolvable_tolerance(const struct sg_tolerance_need *need)
{
    return fmax(need->tolerance, expm1((need->within + SG_STRAY) * need->se));
}
