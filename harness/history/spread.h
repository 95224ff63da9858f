/*
 * history/spread.h - rows whose processes spread further on their last night than on nights before:
 * slower in some processes, which no mean of ten shows (docs/method.md 6).
 *
 * No input or output. A row is held only against its own nights, on any GPU, of the same kind
 * of value, since the last one from which it was accepted.
 */
#pragma once

#include "history/series.h"
#include "stats/replicates.h"

struct sg_row_spread {
    size_t night;  /* the last one with a spread of the row; the other fields say nothing where check.times is NaN */
    size_t nights; /* before it, that it is held against */
    double sd;     /* on that night, ln */
    struct sg_spread_check check;
};
/* One a series. */
void sg_history_spreads(const struct sg_history *history, const struct sg_history_series *series, size_t count,
                        struct sg_row_spread *spreads);
