#include "history/spread.h"

#include <math.h>
#include <stdlib.h>

#include "stats/replicates.h"
#include "stats/statistics.h"

/* The row of a night that has a spread; NULL: none. Of the accepted build itself no process is
 * slower than the build is. */
static const struct sg_night_row *row_at(const struct sg_history *history, const struct sg_history_series *series, size_t night)
{
    const struct sg_night_row *row = sg_series_row(history, series, night);
    const bool is_identical = row && row->code != 0 && row->code == row->build && !isnan(row->build_ratio);
    return row && !isnan(row->sd) && row->processes > 1 && !is_identical ? row : NULL;
}

static bool is_paired(const struct sg_night_row *row)
{
    return !isnan(row->build_ratio);
}

/* p of the series; NaN: it is not judged. */
static double check(const struct sg_history *history, const struct sg_history_series *series, struct sg_spread_night *past,
                    struct sg_row_spread *spread)
{
    size_t last = history->count;
    *spread = (struct sg_row_spread){.times = NAN};
    while (last > 0 && !row_at(history, series, last - 1))
        last--;
    if (last == 0)
        return NAN;
    const struct sg_night_row *tonight = row_at(history, series, --last);
    spread->night = last;
    spread->sd = tonight->sd;
    for (size_t night = last; series->decided[night] != 1 + (int)SG_STEP_ACCEPTED && night-- > 0;) {
        const struct sg_night_row *row = row_at(history, series, night);
        if (row && is_paired(row) == is_paired(tonight))
            past[spread->nights++] = (struct sg_spread_night){.sd = row->sd, .processes = row->processes};
    }
    const struct sg_spread_check found =
        sg_spread_check_of((struct sg_spread_night){.sd = tonight->sd, .processes = tonight->processes}, past, spread->nights);
    spread->times = found.times;
    return found.p;
}

void sg_history_spreads(const struct sg_history *history, const struct sg_history_series *series, size_t count,
                        struct sg_row_spread *spreads)
{
    double *p = sg_alloc(2 * count + 1, sizeof(*p)), *adjusted = p + count;
    size_t *of = sg_alloc(count + 1, sizeof(*of)), judged = 0;
    struct sg_spread_night *past = sg_alloc(history->count, sizeof(*past));
    for (size_t s = 0; s < count; s++) {
        p[judged] = check(history, &series[s], past, &spreads[s]);
        of[judged] = s;
        judged += !isnan(p[judged]);
    }
    if (judged > 0)
        sg_holm(p, judged, adjusted);
    for (size_t i = 0; i < judged; i++)
        spreads[of[i]].is_wide = adjusted[i] <= SG_SPREAD_LEVEL && spreads[of[i]].times > SG_SPREAD_TIMES;
    free(past);
    free(of);
    free(p);
}
