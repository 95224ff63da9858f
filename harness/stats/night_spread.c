#include "stats/change_point_internal.h"

#include <math.h>

#include "stats/selection.h"
#include "stats/statistics.h"

#define USUAL_NIGHTS  8 /* weight of the usual spread, in nightly runs */
#define CHANGES_LEAST 3 /* changes of unit, to estimate the spread of their offsets */
/* The true spread of N units' offsets may be 1 + FEW_UNITS / (N - 1) times the estimate, because a
 * few units estimate it badly. */
#define FEW_UNITS 30.0
#define MAD_TO_SD 1.4826022185056018
#define MAD_SHARE 0.37 /* share of the degrees of freedom that a median of distances keeps */
#define WIDE_SE   4.0  /* a squared error over this many medians is clipped */

static double squared_error(const struct sg_night_value *night)
{
    return night->se > 0 ? night->se * night->se : 0;
}

static bool is_of_kind(const struct sg_night_value *night, unsigned kind)
{
    return night->kind == kind && !night->is_known;
}

/* Median of the differences of the runs [from, to) of one kind, as the sd of one value. The last
 * run's difference is left out, because that run is tested against the spread. Correlated
 * neighbours differ by 1 - r of the variance. *n: number of differences. */
static double sd_of_differences(const struct sg_scan *s, const double *difference, size_t from,
                                size_t to, unsigned kind, size_t *n)
{
    *n = 0;
    for (size_t i = from; i + 1 < to; i++)
        if (is_of_kind(&s->night[i], kind) && !isnan(difference[i]))
            s->scratch[(*n)++] = difference[i];
    return *n > 0 ? MAD_TO_SD * sg_kth_smallest(s->scratch, *n, *n / 2) / sqrt(2) : 0;
}

/* A variance from n differences and the usual variance, which weighs as USUAL_NIGHTS differences.
 */
static double mean_of(double found, size_t n, double usual)
{
    return n > 0 ? ((double)n * found + USUAL_NIGHTS * usual) / (double)(n + USUAL_NIGHTS) : usual;
}

/* Spread of the runs [from, to) of one kind, from the differences of neighbours. A step affects
 * only one difference. */
static struct sg_night_spread spread_of_kind(const struct sg_scan *s, size_t from, size_t to,
                                             unsigned kind)
{
    struct sg_night_spread spread = {.df = USUAL_NIGHTS};
    size_t n = 0, count = 0;
    for (size_t i = from; i < to; i++)
        if (is_of_kind(&s->night[i], kind))
            s->scratch[count++] = squared_error(&s->night[i]);
    if (count == 0)
        return spread;
    const double most_error = WIDE_SE * sg_kth_smallest(s->scratch, count, count / 2);
    for (size_t i = from; i < to; i++)
        if (is_of_kind(&s->night[i], kind))
            spread.error += fmin(squared_error(&s->night[i]), most_error) / (double)count;
    const double slow = s->night[to - 1].slow,
                 alone = (1 - slow) * (1 - s->night[to - 1].r) + slow * (1 - SG_SLOW_R),
                 sd = sd_of_differences(s, s->difference, from, to, kind, &n) / sqrt(alone);
    const double usual = spread.error + s->rule.usual_sd[kind] * s->rule.usual_sd[kind];
    size_t changes = 0;
    const double across = sd_of_differences(s, s->across, from, to, kind, &changes) / sqrt(alone);
    changes = changes < CHANGES_LEAST ? 0 : changes;
    /* All that neighbours differ by bounds what runs of one unit do. With few of these it is taken
     * for all noise. */
    const double total = mean_of(across * across, changes, usual),
                 own = mean_of(sd * sd, n, fmax(total, usual)),
                 all = changes > 0 ? fmin(own, total) : own;
    spread.df = MAD_SHARE * (double)n + USUAL_NIGHTS;
    spread.between = fmax(all - spread.error, SG_SCAN_FLOOR * SG_SCAN_FLOOR);
    changes = s->most_units > 1 ? changes : 0;
    const double units = fmax(across * across - all, 0) * alone,
                 usual_units = SG_SCAN_UNIT_SD * SG_SCAN_UNIT_SD;
    spread.units = mean_of(units, changes, usual_units);
    spread.units_most =
        mean_of(units * (1 + FEW_UNITS / (s->most_units - 1.0)), changes, usual_units);
    return spread;
}

struct sg_night_spreads sg_night_spread(const struct sg_scan *s, size_t from, size_t to)
{
    struct sg_night_spreads spreads = {.r = s->night[to - 1].r, .slow = s->night[to - 1].slow};
    for (unsigned kind = 0; kind < SG_SCAN_KINDS; kind++)
        spreads.of[kind] = spread_of_kind(s, from, to, kind);
    return spreads;
}

static double inflation(double r, size_t n)
{
    return (1 + r) / (1 - r) - 2 * r * (1 - pow(r, (double)n)) / ((double)n * (1 - r) * (1 - r));
}

double sg_night_inflation(double r, double slow, size_t n)
{
    return (1 - slow) * inflation(r, n) + slow * inflation(SG_SLOW_R, n);
}

double sg_night_variance(const struct sg_night_value *night, const struct sg_night_spreads *spreads)
{
    const struct sg_night_spread *spread = &spreads->of[night->kind];
    const double own = squared_error(night);
    if (night->is_known)
        return SG_SCAN_FLOOR * SG_SCAN_FLOOR;
    return spread->between + (own > WIDE_SE * spread->error ? own : spread->error);
}
