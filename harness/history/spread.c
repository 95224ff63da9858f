#include "history/spread.h"

#include <math.h>

static const struct sg_night_row *row_at(const struct sg_history *history,
                                         const struct sg_history_series *series, size_t night)
{
    const struct sg_night_row *row = sg_series_row(history, series, night);
    return row && !isnan(row->spread.sd) && row->spread.processes > 1 ? row : NULL;
}

/* The row of a build that can be slower than the accepted one, which shows the usual spread. */
static const struct sg_night_row *judged_at(const struct sg_history *history,
                                            const struct sg_history_series *series, size_t night)
{
    const struct sg_night_row *row = row_at(history, series, night);
    return row && (row->code == 0 || row->code != row->build || isnan(row->build_ratio)) ? row
                                                                                         : NULL;
}

static bool is_paired(const struct sg_night_row *row)
{
    return !isnan(row->build_ratio);
}

/* The spread of one series, without regard to others. */
static struct sg_row_spread spread_of(const struct sg_history *history,
                                      const struct sg_history_series *series,
                                      struct sg_spread_night *past)
{
    size_t last = history->count;
    struct sg_row_spread spread = {.check = {.times = NAN}};
    while (last > 0 && !judged_at(history, series, last - 1))
        last--;
    if (last == 0)
        return spread;
    const struct sg_night_row *tonight = row_at(history, series, --last);
    spread.night = last;
    spread.sd = tonight->spread.sd;
    for (size_t night = last; series->decided[night] != 1 + (int)SG_STEP_ACCEPTED && night-- > 0;) {
        const struct sg_night_row *row = row_at(history, series, night);
        if (row && is_paired(row) == is_paired(tonight))
            past[spread.nights++] = row->spread;
    }
    spread.check = sg_spread_check_of(tonight->spread, past, spread.nights);
    return spread;
}

/* Settles together the rows that were last measured in the same nightly run. */
static void settle(struct sg_row_spread *spreads, size_t count, size_t night,
                   struct sg_spread_check *checks)
{
    size_t at = 0;
    for (size_t s = 0; s < count; s++)
        if (spreads[s].night == night)
            checks[at++] = spreads[s].check;
    sg_spread_checks_settle(checks, at);
    for (size_t s = count; s-- > 0;)
        if (spreads[s].night == night)
            spreads[s].check = checks[--at];
}

void sg_history_spreads(const struct sg_history *history, const struct sg_history_series *series,
                        size_t count, struct sg_row_spread *spreads)
{
    SG_FREED struct sg_spread_check *checks = sg_alloc(count + 1, sizeof(*checks));
    SG_FREED struct sg_spread_night *past = sg_alloc(history->count, sizeof(*past));
    for (size_t s = 0; s < count; s++)
        spreads[s] = spread_of(history, &series[s], past);
    for (size_t night = 0; night < history->count; night++)
        settle(spreads, count, night, checks);
}
