#include "stats/change_point_internal.h"

#include <math.h>
#include <string.h>

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

/* Adds the run's number to the window, or takes it out. */
static void move_run(const struct sg_scan *s, struct sg_scan_window *window, size_t run, bool adds)
{
    const unsigned kind = s->night[run].kind;
    const double number = window->numbers[run];
    double *sorted = window->sorted[kind];
    size_t *count = &window->count[kind], low = 0, high = *count;
    if (s->night[run].is_known || isnan(number))
        return;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        *(sorted[middle] < number ? &low : &high) = middle + (sorted[middle] < number);
    }
    memmove(sorted + low + adds, sorted + low + !adds, (*count - low - !adds) * sizeof(*sorted));
    *count = adds ? *count + 1 : *count - 1;
    if (adds)
        sorted[low] = number;
}

static void move_window(const struct sg_scan *s, struct sg_scan_window *window, size_t from,
                        size_t to)
{
    while (window->from > from)
        move_run(s, window, --window->from, true);
    while (window->to < to)
        move_run(s, window, window->to++, true);
    while (window->to > to)
        move_run(s, window, --window->to, false);
    while (window->from < from)
        move_run(s, window, window->from++, false);
}

/* Median of the differences of the runs of one kind, as the sd of one value. Correlated neighbours
 * differ by 1 - r of the variance. */
static double sd_of_differences(const struct sg_scan_window *window, unsigned kind)
{
    const size_t n = window->count[kind];
    return n > 0 ? MAD_TO_SD * window->sorted[kind][n / 2] / sqrt(2) : 0;
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
    const size_t n = s->window[SG_SCAN_DIFFERENCES].count[kind],
                 count = s->window[SG_SCAN_ERRORS].count[kind];
    const double *errors = s->window[SG_SCAN_ERRORS].sorted[kind];
    if (count == 0)
        return spread;
    for (size_t i = 0; i < count; i++)
        spread.error += fmin(errors[i], WIDE_SE * errors[count / 2]) / (double)count;
    const double slow = s->night[to - 1].slow,
                 alone = (1 - slow) * (1 - s->night[to - 1].r) + slow * (1 - SG_SLOW_R),
                 sd = sd_of_differences(&s->window[SG_SCAN_DIFFERENCES], kind) / sqrt(alone);
    const double usual = spread.error + s->rule.usual_sd[kind] * s->rule.usual_sd[kind];
    const double across = sd_of_differences(&s->window[SG_SCAN_ACROSS], kind) / sqrt(alone);
    size_t changes = s->window[SG_SCAN_ACROSS].count[kind];
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
    for (unsigned w = 0; w < SG_SCAN_WINDOWS; w++)
        move_window(s, &s->window[w], from, to - (w != SG_SCAN_ERRORS));
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
