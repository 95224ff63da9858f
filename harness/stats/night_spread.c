#include "stats/night_spread.h"

#include <math.h>

#include "stats/selection.h"
#include "stats/statistics.h"

#define USUAL_NIGHTS 8 /* weight of the usual spread, in nightly runs */
#define MAD_TO_SD    1.4826022185056018
#define MAD_SHARE    0.37 /* share of the degrees of freedom that a median of distances keeps */
#define WIDE_SE      4.0  /* a squared error over this many medians is clipped */

static double squared_error(const struct sg_night_value *night)
{
    return night->se > 0 ? night->se * night->se : 0;
}

/* Returns true for a measured run of this kind. */
static bool is_of_kind(const struct sg_night_value *night, unsigned kind)
{
    return night->kind == kind && !night->is_known;
}

/* Spread of the runs [from, to) of one kind, from the differences of neighbours. A step affects
 * only one difference. The last run's difference is left out, because that run is tested against
 * the spread. Correlated neighbours differ by 1 - r of the variance. */
static struct sg_night_spread spread_of_kind(const struct sg_night_values *runs, size_t from,
                                             size_t to, unsigned kind)
{
    struct sg_night_spread spread = {.df = USUAL_NIGHTS};
    size_t n = 0, count = 0;
    for (size_t i = from; i < to; i++)
        if (is_of_kind(&runs->night[i], kind))
            runs->scratch[count++] = squared_error(&runs->night[i]);
    if (count == 0)
        return spread;
    const double most = WIDE_SE * sg_kth_smallest(runs->scratch, count, count / 2);
    for (size_t i = from; i < to; i++) {
        if (!is_of_kind(&runs->night[i], kind))
            continue;
        spread.error += fmin(squared_error(&runs->night[i]), most) / (double)count;
        if (!isnan(runs->difference[i]) && i + 1 < to)
            runs->scratch[n++] = runs->difference[i];
    }
    const double sd = n > 0 ? MAD_TO_SD * sg_kth_smallest(runs->scratch, n, n / 2) /
                                  sqrt(2 * (1 - runs->night[to - 1].r))
                            : 0;
    const double usual = spread.error + runs->rule->usual_sd[kind] * runs->rule->usual_sd[kind];
    const double all = ((double)n * sd * sd + USUAL_NIGHTS * usual) / (double)(n + USUAL_NIGHTS);
    spread.between = fmax(all - spread.error, SG_SCAN_FLOOR * SG_SCAN_FLOOR);
    spread.df = MAD_SHARE * (double)n + USUAL_NIGHTS;
    return spread;
}

struct sg_night_spreads sg_night_spread(const struct sg_night_values *runs, size_t from, size_t to)
{
    struct sg_night_spreads spreads = {.r = runs->night[to - 1].r};
    for (unsigned kind = 0; kind < SG_SCAN_KINDS; kind++)
        spreads.of[kind] = spread_of_kind(runs, from, to, kind);
    return spreads;
}

double sg_night_variance(const struct sg_night_value *night, const struct sg_night_spreads *spreads)
{
    const struct sg_night_spread *spread = &spreads->of[night->kind];
    const double own = squared_error(night);
    if (night->is_known)
        return SG_SCAN_FLOOR * SG_SCAN_FLOOR;
    return spread->between + (own > WIDE_SE * spread->error ? own : spread->error);
}
