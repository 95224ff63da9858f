/*
 * stats/change_point.h - steps and slow creep in a series of nights (docs/method.md 6).
 *
 * Pure. A series is one number a night, as a logarithm, with its standard error. Nights that share
 * a `level` are comparable; another GPU or another driver is another level. All differences are
 * taken inside of levels and then joined, weighted by what each is worth, so that a level's own
 * height never looks like a step. With one level the statistic is (mean of the last m - mean of the
 * rest) in units of its standard error, which follows from how nights correlate with their
 * neighbours.
 *
 * Invariant: what is found up to a night depends on no night after it. The place, size and interval
 * of a step use all nights that there are between its neighbours.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SG_SCAN_NIGHTS   180    /* older ones are not looked at */
#define SG_SCAN_LAST     40     /* m: at most so many nights are on the new side */
#define SG_SCAN_LIMIT    4.0    /* of the statistic S, in standard errors */
#define SG_SCAN_CLIP     3.0    /* sd of a night: what is further off counts as so far */
#define SG_SCAN_SUSPECT  3.8    /* sd: a single night that asks for an A/B */
#define SG_SCAN_OFF      3.0    /* sd: a night that is listed as off by itself */
#define SG_SCAN_FEW      0.4    /* sd: with it there are fewer false alarms, and small steps are found later */
#define SG_SCAN_FLOOR    0.0005 /* ln: no night is known better than this */
#define SG_CREEP_NIGHTS  20     /* of both ends */
#define SG_SCAN_RATIO_SD 0.001  /* ln, usual between nights; of a paired ratio and of a clock-corrected time (docs/method.md 5) */
#define SG_SCAN_TIME_SD  0.003
#define SG_SCAN_KINDS    2 /* of values in one series, as ratios and times: each kind has its own spread between nights */

struct sg_night_value {
    size_t number;   /* by which it is found; ascending */
    double value;    /* ln; NaN: none that night */
    double se;       /* ln, > 0; NaN or 0: not known */
    unsigned level;  /* nights of one number are comparable */
    unsigned kind;   /* < SG_SCAN_KINDS; nights of one level are of one kind */
    unsigned joined; /* levels of one number are one height for slow creep, where `joined_se` of error counts */
    double joined_se;
    double r;      /* correlation of neighbouring nights as far as it is known by then, 0 <= r < 1 (history/all_series.h) */
    bool is_known; /* not measured: where its level lies, known to SG_SCAN_FLOOR */
    bool begins;   /* a step that is known lies before this night: nothing older is compared with it */
    bool is_epoch; /* slow creep is counted from here */
};

struct sg_series_step {
    size_t at;                /* the first night after the step */
    size_t earliest, latest;  /* its place lies between these, both included, at 95 % */
    size_t found;             /* the night whose scan found it; of a step that was known: `at` */
    double change, low, high; /* ln; 95 %; NaN where no level has nights on both sides */
    bool is_known;            /* the series says that it begins there */
    double since;             /* ln: it, and the ones before it that were too small to count */
    bool counts;              /* `since` is at least the tolerance, or it is known */
};

struct sg_off_night {
    size_t night;
    double change, z; /* from the nights since the last step: ln; in sd. NaN: too few of them are of its level */
};

struct sg_series_steps {
    struct sg_series_step *steps; /* owned; ascending */
    size_t count, capacity;
    /* owned; ascending: nights that were SG_SCAN_OFF or more off when they were the last
     * ones, and no step was found then */
    struct sg_off_night *off;
    size_t off_count, off_capacity;
    double night_sd;          /* ln, of a usual night around the last one, its own error in it; NaN: no night */
    struct sg_off_night last; /* the last night that has a value, off or not */
    /* ln, of the last nights against those at the epoch; 99.7 %; NaN: too
     * few nights, or no level in common */
    double creep, creep_low, creep_high;
    size_t epoch; /* the night that it is counted from */
};

struct sg_scan_rule {
    /* ln, by kind: between nights, which counts as much as eight nights do:
     * SG_SCAN_RATIO_SD or SG_SCAN_TIME_SD */
    double usual_sd[SG_SCAN_KINDS];
    double tolerance; /* ratio: steps that make less do not count */
    double caution;   /* sd, added to SG_SCAN_LIMIT, and to SG_SCAN_SUSPECT where single nights are judged; 0, or SG_SCAN_FEW */
};
/* All of `found` is written. */
void sg_series_scan(const struct sg_night_value *nights, size_t count, const struct sg_scan_rule *rule, struct sg_series_steps *found);
void sg_series_steps_release(struct sg_series_steps *found);
