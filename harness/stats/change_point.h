/*
 * stats/change_point.h - finds steps and slow creep in a series of nightly runs (docs/method.md 6).
 *
 * Pure. A series has one number per nightly run, a logarithm, with its standard error. Runs with
 * the same `level` are comparable; another GPU or driver is another level. Differences are taken
 * within levels and then combined, weighted by precision, so a level's height never looks like a
 * step. With one level the statistic is (mean of the last m - mean of the rest) in units of its
 * standard error. That error includes the correlation of neighbouring runs. A level may have
 * several units, the GPUs of a model: each has an offset, drawn from one distribution,
 * whose spread is estimated. So a change of GPU in a level widens the error, and is not a step.
 *
 * Invariant: the steps found up to a run depend on no later run. The place, size and interval of a
 * step use all runs between the neighbouring steps.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SG_SCAN_NIGHTS  180 /* older runs are ignored */
#define SG_SCAN_LAST    40  /* largest m: runs on the new side */
#define SG_SCAN_LIMIT   4.0 /* limit of the statistic S, in standard errors */
#define SG_SCAN_CLIP    3.0 /* sd of a run; values further off are clipped to this */
#define SG_SCAN_SUSPECT 3.8 /* sd; a single run this far off triggers an A/B */
#define SG_SCAN_OFF     3.0 /* sd; a run this far off is listed as off */
/* sd; added to the limits: fewer false alarms, small steps found later */
#define SG_SCAN_FEW      0.4
#define SG_SCAN_REST     3      /* fewest runs before a step; with fewer, it was placed too early */
#define SG_SCAN_FLOOR    0.0005 /* ln; smallest sd assumed for a run */
#define SG_CREEP_NIGHTS  20     /* runs averaged at each end */
#define SG_SCAN_RATIO_SD 0.001  /* ln, usual sd between runs (docs/method.md 5): paired ratio */
#define SG_SCAN_TIME_SD  0.003
#define SG_SCAN_UNIT_SD  0.001 /* ln, usual sd of the units' offsets in a level */
/* kinds of values in one series, each with its own spread between runs */
#define SG_SCAN_KINDS 2

struct sg_night_value {
    double value;    /* ln; NaN: no value in this run */
    double se;       /* ln, > 0; NaN or 0: not known */
    uint32_t number; /* identifies the run; ascending */
    uint32_t level;  /* runs with the same level are comparable */
    uint32_t unit;   /* runs of a level with the same unit share an offset */
    /* levels with the same number have the same height for slow creep, up to an error of
     * `joined_se` */
    uint32_t joined;
    float joined_se;
    /* correlation of neighbouring runs, as known at that time, 0 <= r < 1 (history/all_series.h) */
    float r;
    float slow;    /* the same: share of the variance that wanders slowly, 0 <= slow < 1 */
    uint8_t kind;  /* < SG_SCAN_KINDS; all runs of a level have the same kind */
    bool is_known; /* not measured: the known position of its level, with the error SG_SCAN_FLOOR */
    bool begins;   /* a known step is before this run; older runs are not compared with it */
    bool is_epoch; /* slow creep is counted from here */
};

struct sg_series_step {
    size_t at;                /* the first run after the step */
    size_t earliest, latest;  /* 95 % interval of the place, both ends included */
    size_t found;             /* the run whose scan found the step; `at` for a known step */
    double change, low, high; /* ln; 95 % interval; NaN if no level has runs on both sides */
    bool is_known;            /* the step comes from `begins`, not from the scan */
    double since;             /* ln: this step plus the earlier ones too small to count */
    bool counts;              /* true if |since| is at least the tolerance, or the step is known */
};

struct sg_outlier {
    size_t night;
    /* from the runs since the last step: ln; in sd. NaN: too few of those runs share its level */
    double change, z;
};

struct sg_series_steps {
    struct sg_series_step *steps; /* owned; ascending */
    size_t count, capacity;
    /* owned; ascending: runs that were SG_SCAN_OFF or more off when they were the last run,
     * without a step found then */
    struct sg_outlier *off;
    size_t off_count, off_capacity;
    /* ln; sd of a usual run near the last one, including its own error; NaN: no runs */
    double night_sd;
    struct sg_outlier last; /* the last run with a value, off or not */
    /* ln, last runs against those at the epoch; 99.7 % interval; NaN: too few runs, or no common
     * level */
    double creep, creep_low, creep_high;
    size_t epoch; /* the run that creep is counted from */
    /* The runs have several units, each too few to find a step of the rule's `watched` even after
     * SG_SCAN_LAST more runs like the last ones. */
    bool is_thin;
};

struct sg_scan_rule {
    /* ln, by kind: usual sd between runs, SG_SCAN_RATIO_SD or SG_SCAN_TIME_SD; weighs as much as
     * eight runs */
    double usual_sd[SG_SCAN_KINDS];
    double tolerance; /* ratio; smaller steps do not count */
    double watched;   /* ln; a step that must be found, for is_thin; 0: none */
    /* sd, added to SG_SCAN_LIMIT, and to SG_SCAN_SUSPECT if single runs are judged; 0 or
     * SG_SCAN_FEW */
    double caution;
};
/* Overwrites all of `found`. */
void sg_series_scan(const struct sg_night_value *nights, size_t count,
                    const struct sg_scan_rule *rule, struct sg_series_steps *found);
void sg_series_steps_release(struct sg_series_steps *found);
