/*
 * history/spread.h - rows whose processes spread more in their last nightly run than before: slower
 * in some processes, which the mean of ten does not show (docs/method.md 6).
 *
 * No I/O. A row is compared only with its own earlier runs, on any GPU, with the same kind of
 * value, since the row was last accepted.
 */
#pragma once

#include "history/series.h"

struct sg_row_spread {
    /* the last run with a spread of the row; if check.times is NaN, only check is valid */
    size_t night;
    size_t nights; /* earlier nightly runs in the comparison */
    double sd;     /* in that run, ln */
    struct sg_spread_check check;
};
/* `spreads`: one per series. */
void sg_history_spreads(const struct sg_history *history, const struct sg_history_series *series,
                        size_t count, struct sg_row_spread *spreads);
