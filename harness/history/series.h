/*
 * history/series.h - the values of an item, one per nightly run, and the steps in them
 * (docs/method.md 6).
 *
 * No I/O. A run's value is the best that it has: the paired ratio to the accepted build, otherwise
 * the ratio to the baseline. If no run of the item has a ratio to the baseline, the value is the
 * time at one clock. All kinds form one series. Runs that differ in driver, L2 state, time source,
 * kind of value or accepted build are separate levels of the series (stats/change_point.h). So are
 * ratios and times of different GPUs; pairs with an accepted build are one level over all GPUs of
 * the model.
 */
#pragma once

#include "history/history.h"
#include "stats/change_point.h"

/* Kinds of values: constant, word. */
#define SG_HISTORY_KIND_TABLE(X) \
    X(SG_OF_BUILD, "build")      \
    X(SG_OF_RATIO, "ratio")      \
    X(SG_OF_TIME, "time")

enum sg_history_kind { SG_HISTORY_KIND_TABLE(SG_CONSTANT) SG_HISTORY_KIND_COUNT };
const char *sg_history_kind_word(enum sg_history_kind kind);

/* One item, one value per nightly run. */
struct sg_history_series {
    sg_id item;
    enum sg_history_kind kind; /* of the last run that has a value */
    const uint32_t *row;       /* per nightly run, row number in the history; SG_NO_ROW: none */
    /* owned; one per nightly run. Values against accepted builds are on one scale, as far as the
     * builds are linked */
    struct sg_night_value *values;
    /* owned; ln, added to each run's value: clock correction, or height of the accepted build */
    double *shift;
    uint8_t *kinds;  /* owned; per nightly run with a value: enum sg_history_kind */
    unsigned joined; /* values[].joined is less than this */
    /* owned; per nightly run: 0, or 1 + the last decision about a step there, or
     * SG_DECIDED_BY_BUILD */
    int16_t *decided;
    struct sg_series_steps steps;
};
#define SG_NO_ROW   UINT32_MAX
#define SG_NO_NIGHT SIZE_MAX
/* The item's row in that nightly run; NULL: none. */
static inline const struct sg_night_row *sg_series_row(const struct sg_history *history,
                                                       const struct sg_history_series *series,
                                                       size_t night)
{
    return series->row[night] == SG_NO_ROW ? NULL : &history->rows.items[series->row[night]];
}

/* A step included in the accepted build of the last run: the build is faster, or accepting it
 * needed a reason. */
#define SG_DECIDED_BY_BUILD (1 + (int)SG_STEP_DECISION_COUNT)
const char *sg_decided_word(int decided); /* `decided`: not 0 */
static inline bool sg_is_settled(int decided)
{
    return decided == 1 + (int)SG_STEP_ACCEPTED || decided == SG_DECIDED_BY_BUILD;
}

/* The last nightly run before `before` with a value; SG_NO_NIGHT: none. */
size_t sg_series_last_value(const struct sg_history_series *series, size_t before);
/* Kind of the value in that run, or in the last earlier run that has a value. */
enum sg_history_kind sg_history_kind_at(const struct sg_history_series *series, size_t night);

/* Numbers nightly runs by equal values of these facts. level: one per run, from 0. */
void sg_night_levels(const struct sg_history *history, const char *const *keys, size_t count,
                     unsigned *level);

struct sg_series_rule {
    /* per nightly run: number by driver, settings and time source (sg_night_levels) */
    const unsigned *machine;
    const sg_id *units; /* per nightly run: its GPU; 0: not known */
    double tolerance, caution;
    double watched; /* ln; a step that must be found in values that have a level per GPU */
};
/* The GPU of the item's row in a nightly run: the row's own, else the run's. */
sg_id sg_series_unit(const struct sg_history *history, const struct sg_history_series *series,
                     const sg_id *units, size_t night);
/* Fills in all series of the history; their item and row are set already. r: correlation of
 * consecutive nightly runs, as known at each (history/all_series.h). */
void sg_series_make(const struct sg_history *history, const struct sg_series_rule *rule,
                    struct sg_history_series *series, size_t count, double *r);
