/*
 * stats/change_point_internal.h - shared by the files of the search for change points: the levels
 * of a series, their units, and the contrast of the runs before and after a place.
 *
 * change_point.c looks for the place, scan_levels.c has the sums. The order of calls for one
 * contrast: clear, centres, weigh, clip, add_units; then move, once a run.
 */
#pragma once

#include "stats/moving_median.h"
#include "stats/night_spread.h"

#define SG_SCAN_NOTHING 1e-9 /* rounding residue, relative */

struct sg_scan_centre {
    double low, high; /* bounds; NaN: not known */
    double unsure;    /* of a unit: variance around the unit's own offset */
};

/* Sums over one unit of a level: over the runs on the new side, and over all. */
struct sg_scan_unit {
    double weight, sum, new_weight, new_sum;
    struct sg_scan_centre centre, before; /* before: of the runs before a step */
};

/* Normal equations of one level, for its height and the step. Its units' offsets are integrated
 * out: a unit with the weight W counts in the height by W / (1 + W most_spread). */
struct sg_scan_level {
    double height, both, step; /* the matrix */
    double of_height, of_step; /* the right side */
    struct sg_scan_centre centre, before;
    double known; /* its known position; NaN: not known */
    /* variance of its units' offsets, as found and at most; 0: it has one unit */
    double spread, most_spread;
    double night; /* usual variance of a run */
    /* a run's squared distance from the centre is smaller than its variance, by this factor; 0:
     * the centre is the run itself */
    double freedom;
    unsigned unit_count;
};

/* Numbers of the runs that are not known positions, sorted by kind of value, level or unit: squared
 * errors; |value - the previous value of its level and unit|; the same if the level's previous
 * value is of another unit; values. */
enum sg_scan_sorted {
    SG_SCAN_ERRORS,
    SG_SCAN_DIFFERENCES,
    SG_SCAN_ACROSS,
    SG_SCAN_LEVELS,
    SG_SCAN_UNITS,
    SG_SCAN_SORTED
};

/* S is gain / sqrt(value). The step is gain / value, with the variance 1 / value. */
struct sg_scan_contrast {
    double gain, value;
};

/* The nightly runs that have a value, with the weight of each. Arrays have `count` elements. */
struct sg_scan {
    struct sg_night_value *night; /* owned copy without the runs that have no value */
    size_t count, levels;
    bool has_known;
    struct sg_scan_rule rule;
    struct sg_moving *sorted;         /* SG_SCAN_SORTED */
    double *clipped, *weight, *split; /* split: |S| of a step before each run */
    double *own_sd, *all_sd;          /* sd of a run around its unit's centre, and its level's */
    struct sg_scan_level *level;      /* by level */
    struct sg_scan_unit *unit;        /* by number of a unit; a unit has one in each level */
    unsigned *gpu;                    /* by run: the unit's number in all levels */
    unsigned most_units;              /* of a level */
};

/* Numbers the units of each level by their first run. Sets the number of units of each level. */
void sg_scan_number_units(struct sg_scan *s);
/* Sorts the runs, also after a change of their values, levels or units. */
void sg_scan_sort(const struct sg_scan *s);
/* Empties the sums of the levels and units of the runs before `to`. */
void sg_scan_clear(const struct sg_scan *s, size_t to, const struct sg_night_spreads *spread);
/* Centres of [from, to), assuming one height for each level; `end`: also of units that begin in
 * [to, end). */
void sg_scan_centres(const struct sg_scan *s, size_t from, size_t to, size_t end);
/* Centres before and after a step at `at`. Values between the two heights are not clipped. */
void sg_scan_both_centres(const struct sg_scan *s, size_t from, size_t at, size_t to);
/* Sets the weights and sds of [from, to), by their centres, and adds the weights to their units. */
void sg_scan_weigh(const struct sg_scan *s, size_t from, size_t to,
                   const struct sg_night_spreads *spread);
/* Distance of run i from the centre of its unit, or of its level if the run is further off there in
 * sd; 0 if neither is known. */
double sg_scan_offset(const struct sg_scan *s, size_t i, double *sd);
/* Squared distance of run i from its centre, in variances of the run; at most SG_SCAN_CLIP. */
double sg_scan_distance(const struct sg_scan *s, size_t i);
/* Clips values to at most `most` sd outside of the centres and adds them to the sums. */
void sg_scan_clip(const struct sg_scan *s, size_t from, size_t to, double most);
/* Adds the units, whose runs are all on the old side, to their levels. */
void sg_scan_add_units(const struct sg_scan *s, size_t to);
/* Moves run i to the new side. Runs move one by one, the last first. */
void sg_scan_move(const struct sg_scan *s, size_t i, struct sg_scan_contrast *c);
