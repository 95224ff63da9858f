/*
 * diagnose/diagnose.h - finds the counters that changed between two variants, or between accepted
 * and present numbers, and the input of diagnose/causes.h.
 *
 * The largest changes come first, in units of the floor or the spread, whichever is larger.
 * Explains, never decides. Invariant: a change within its spread is not named.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "diagnose/places.h"
#include "results/accepted_file.h"

struct sg_counter_change {
    const struct sg_metric *metric; /* borrowed from the catalogue */
    double was, is;
    double difference; /* repeat by repeat if both have repeats, otherwise is - was */
    double spread;     /* error of the difference; NaN: not known */
    /* an exact counter that varies between repeats on one side by more than its floors */
    bool non_repeatable;
    double score; /* rank, larger means more; > 1 */
};

/* GPU figures needed to split a time; 0: not known. */
struct sg_diagnosed_gpu {
    double sm_count, sm_warps;
};
struct sg_diagnosed_gpu sg_diagnosed_gpu_of(const struct sg_env *env);

/* Compares the counters of family/case/variant in `now` with those of family/case/other in
 * `then`, which may be the same table. */
struct sg_diagnosed {
    const struct sg_catalogue *catalogue;
    struct sg_diagnosed_gpu gpu;
    const struct sg_table *then, *now;
    /* accepted numbers for the rows of `then`; NULL: `then` is a run */
    const struct sg_accepted *accepted;
    const char *family, *case_, *other, *variant;
    double added, added_error; /* relative to the time of `other`, ratio; NaN: not known */
};

/* Writes at most `max` changes, largest first, and returns their number. Includes only values on
 * both sides that changed beyond the floors of metrics.ini and their spread; excludes times and
 * the model. */
size_t sg_diagnose(const struct sg_diagnosed *what, struct sg_counter_change *moved, size_t max);
/* Writes all metrics on both sides, in the order of metrics.ini, with score 0. `all` has room
 * for the catalogue. */
size_t sg_diagnose_all(const struct sg_diagnosed *what, struct sg_counter_change *all);
/* Returns true if the change exceeds its floors but not its spread. */
bool sg_is_within_spread(const struct sg_counter_change *one);

/* The variant that the item was timed in pairs with; NULL: none. */
const char *sg_paired_with(const struct sg_table *run, const char *family, const char *case_,
                           const char *variant);
/* The variant that both times are paired with; NULL: none, or absolute times of two tables. */
const char *sg_shared_partner(const struct sg_diagnosed *what);
/* Sets `added` and its error from the times of the tables: from the ratios to the shared
 * partner. */
void sg_diagnose_added(struct sg_diagnosed *what);
void sg_diagnose_sides(const struct sg_diagnosed *what, struct sg_versus *sides);
const char *sg_input_name(enum sg_input input); /* name in metrics.ini */
enum sg_input sg_input_named(const char *name); /* SG_NO_INPUT: no such input */
