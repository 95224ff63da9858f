/*
 * history/judge.h - judges a history: the series of each item, its steps, and what is open after
 * the last nightly run (docs/method.md 6).
 *
 * No I/O. An item has one series (history/series.h).
 */
#pragma once

#include "history/spread.h"
#include "stats/verdict.h"

#define SG_HISTORY_TOLERANCE 0.001 /* default tolerance of steps, ratio; slow creep: twice that */
#define SG_WATCHED_TIMES     3     /* a step of so many tolerances of the suite must be found */
#define SG_MOVED_NIGHTS      7 /* moved rows are listed for this many runs after a driver change */

struct sg_history_finding {
    enum sg_verdict found;
    size_t series;             /* index in the judgement */
    enum sg_history_kind kind; /* kind of the values of a step, creep or single run */
    /* does not affect the exit code: absolute time of an item whose group has ratios */
    bool is_informational;
    struct sg_series_step step; /* where and how much, for a step, creep or a single run */
    /* owned; for counters or a status: "registers 40 -> 48, grid 1 -> 2"; for a driver: which */
    struct sg_text detail;
};

struct sg_judgement {
    const struct sg_history *history;
    uint32_t *rows; /* owned; series x nightly runs */
    struct sg_history_series *series;
    size_t count, capacity;
    bool *is_bad; /* owned; per nightly run (sg_bad_nights) */
    /* owned; of consecutive nightly runs, as known at each (sg_nights_memory) */
    double *correlation;
    struct sg_row_spread *spreads; /* owned; per series */
    /* series whose values on each GPU are too few to find a step of `watched`, ratio - 1 */
    size_t thin;
    double watched;
    struct sg_history_finding *findings;
    size_t finding_count, finding_capacity;
};

struct sg_history_rule {
    double tolerance;                     /* ratio */
    bool usual_alarms;                    /* scan without SG_SCAN_FEW */
    const struct sg_catalogue *catalogue; /* for the bands of exact counters; NULL: no bands */
};
/* Judges a history with at least one nightly run. Findings are sorted by their table, then by
 * name. */
void sg_history_judge(const struct sg_history *history, const struct sg_history_rule *rule,
                      struct sg_judgement *judgement);

/*
 * Counters that differ by more than their band between this run and the last earlier run that has
 * them; each "registers 40 -> 48". None if module, driver and CUDA are the same, because then no
 * code changed. A counter that ever differed between two runs of the same code is not exact,
 * whatever the catalogue says, and is left out. If modules are not known, the last
 * SG_COUNTER_NIGHTS runs decide whether it is exact. catalogue: as in the rule.
 */
#define SG_COUNTER_NIGHTS 5
void sg_night_counter_changes(const struct sg_history *history,
                              const struct sg_history_series *series,
                              const struct sg_catalogue *catalogue, size_t night,
                              struct sg_names *changes);

const char *sg_night_fact(const struct sg_history *history, size_t night,
                          const char *key); /* "" if there is none */
/* The day of the run, with the time if the history has other runs of that day. */
struct sg_night_label {
    char text[32];
};
struct sg_night_label sg_night_label(const struct sg_history *history, size_t night);
