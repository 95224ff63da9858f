#include "stats/change_point_internal.h"

#include <math.h>

#define USUAL_NIGHTS 8 /* weight of the usual spread, in nightly runs */
/* changes of the GPU, to estimate the spread of the GPUs' offsets */
#define CHANGES_LEAST 3
/* The true spread of N units' offsets may be 1 + FEW_UNITS / (N - 1) times the estimate, because a
 * few units estimate it badly. */
#define FEW_UNITS 30.0
#define MAD_TO_SD 1.4826022185056018
#define MAD_SHARE 0.37 /* share of the degrees of freedom that a median of distances keeps */
#define WIDE_SE   4.0  /* a squared error over this many medians is clipped */

/* Median of the differences of the runs of one kind, as the sd of one value. Correlated neighbours
 * differ by 1 - r of the variance. */
static double sd_of_differences(const struct sg_moving *differences, unsigned kind)
{
    const size_t n = differences->size[kind];
    return n > 0 ? MAD_TO_SD * sg_moving_at(differences, kind, n / 2) / sqrt(2) : 0;
}

/* A variance from n differences and the usual variance, which weighs as USUAL_NIGHTS differences.
 */
static double mean_of(double found, size_t n, double usual)
{
    return n > 0 ? ((double)n * found + USUAL_NIGHTS * usual) / (double)(n + USUAL_NIGHTS) : usual;
}

/* Spread of the runs of one kind in the windows, which end before `to`, from the differences of
 * neighbours. A step affects only one difference. */
static struct sg_night_spread spread_of_kind(const struct sg_scan *s, size_t to, unsigned kind)
{
    struct sg_night_spread spread = {.df = USUAL_NIGHTS};
    const struct sg_moving *errors = &s->sorted[SG_SCAN_ERRORS];
    const size_t n = s->sorted[SG_SCAN_DIFFERENCES].size[kind], count = errors->size[kind];
    if (count == 0)
        return spread;
    for (size_t i = 0; i < count; i++)
        spread.error +=
            fmin(sg_moving_at(errors, kind, i), WIDE_SE * sg_moving_at(errors, kind, count / 2)) /
            (double)count;
    const double slow = s->night[to - 1].slow,
                 alone = (1 - slow) * (1 - s->night[to - 1].r) + slow * (1 - SG_SLOW_R),
                 sd = sd_of_differences(&s->sorted[SG_SCAN_DIFFERENCES], kind) / sqrt(alone);
    const double usual = spread.error + s->rule.usual_sd[kind] * s->rule.usual_sd[kind];
    const double across = sd_of_differences(&s->sorted[SG_SCAN_ACROSS], kind) / sqrt(alone);
    size_t changes = s->sorted[SG_SCAN_ACROSS].size[kind];
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
    /* The last run is tested against the spread, so its differences are left out. */
    sg_moving_to(&s->sorted[SG_SCAN_ERRORS], from, to);
    sg_moving_to(&s->sorted[SG_SCAN_DIFFERENCES], from, to - 1);
    sg_moving_to(&s->sorted[SG_SCAN_ACROSS], from, to - 1);
    for (unsigned kind = 0; kind < SG_SCAN_KINDS; kind++)
        spreads.of[kind] = spread_of_kind(s, to, kind);
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
    const double own = night->se > 0 ? night->se * night->se : 0;
    if (night->is_known)
        return SG_SCAN_FLOOR * SG_SCAN_FLOOR;
    return spread->between + (own > WIDE_SE * spread->error ? own : spread->error);
}
