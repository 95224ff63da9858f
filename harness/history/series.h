/*
 * history/series.h - the values of an item, night by night, and the
 * steps in them (docs/method.md 6).
 *
 * No input or output. A night's value is the best that it has: the paired ratio to the accepted
 * build, else the ratio to the baseline, else the time at one clock where no night of the item has
 * such a ratio. All kinds are one series. Nights on another GPU, or with another driver, L2 state,
 * source of times, kind of value or accepted build, are another level of it (stats/change_point.h).
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

/* One item, night by night. */
struct sg_history_series {
    sg_id item;
    enum sg_history_kind kind;     /* of the last night that has a value */
    const uint32_t *row;           /* of each night, in the history's rows; SG_NO_ROW: none */
    struct sg_night_value *values; /* owned; one a night. Of accepted builds on one scale, as far as they are linked */
    double *shift;                 /* owned; ln, what was added to what each night read: by the clock, or by the accepted build's height */
    enum sg_history_kind *kinds;   /* owned; of each night that has a value */
    unsigned joined;               /* values[].joined is less than that */
    int *decided;                  /* owned; by night: 0, or 1 + what was last decided of a step there, or SG_DECIDED_BY_BUILD */
    struct sg_series_steps steps;
};
#define SG_NO_ROW UINT32_MAX
/* Of the item on that night; NULL: none. */
static inline const struct sg_night_row *sg_series_row(const struct sg_history *history, const struct sg_history_series *series,
                                                       size_t night)
{
    return series->row[night] == SG_NO_ROW ? NULL : &history->rows.items[series->row[night]];
}

/* A step that the accepted build of the last night has: it is faster, or accepting the build needed
 * a reason. */
#define SG_DECIDED_BY_BUILD (1 + (int)SG_STEP_DECISION_COUNT)
const char *sg_decided_word(int decided); /* of a decision there is */
static inline bool sg_is_settled(int decided)
{
    return decided == 1 + (int)SG_STEP_ACCEPTED || decided == SG_DECIDED_BY_BUILD;
}

/* The kind of the value on that night, or on the last one before it that has a value. */
enum sg_history_kind sg_history_kind_at(const struct sg_history_series *series, size_t night);

/* Numbers nights by what these facts of them are. level: one a night, from 0 on. */
void sg_night_levels(const struct sg_history *history, const char *const *keys, size_t count, unsigned *level);

struct sg_series_rule {
    const unsigned *machine; /* of each night, as sg_night_levels numbers them by GPU, driver, L2 state and source of times */
    double tolerance, caution;
};
/* Of all series of the history, which have item and rows: all the rest. r: how nights correlate, as
 * known on each (history/all_series.h). */
void sg_series_make(const struct sg_history *history, const struct sg_series_rule *rule, struct sg_history_series *series, size_t count,
                    double *r);
void sg_series_release(struct sg_history_series *series);
