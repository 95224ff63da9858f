/*
 * results/counter_repeats.h - what several counts of one launch say of a counter, and by how much
 * two counters may differ although nothing changed.
 *
 * Pure. A count pass launches all of its items in turns, one count each a turn. Of more than one
 * count a row holds the median and the range, and its message lists them if they differ: two
 * variants of one run are compared turn by turn, and what wanders from turn to turn cancels.
 * Invariant: what is read from a row is what it was made of, to nine digits.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "results/accepted_file.h"
#include "results/table.h"
#include "stats/run_limits.h"

#define SG_REPEATS_GATE 5 /* of `solgate ab`: fewer hardly show a spread, and these cost launches, not passes */

struct sg_counter_repeats {
    double value[SG_REPEATS_MAX]; /* in the order of the turns; all finite */
    size_t count;                 /* 1 or more */
};

/* Which of `count` items is the launch-th of a pass: every other turn goes backwards, so that no
 * item always follows the same one. */
size_t sg_counter_repeats_item(size_t count, size_t launch);

/* Value, n and, of two or more, low and high of a row: the median and the range. */
void sg_counter_repeats_summarise(const struct sg_counter_repeats *repeats, struct sg_value *value);
/* The message of such a row: nothing where all counts are the same. Of an exact
 * counter it says that they should be. */
void sg_counter_repeats_add_message(struct sg_text *out, const struct sg_counter_repeats *repeats, bool exact);
/* The counts that a row was made of; false if it has none. */
bool sg_counter_repeats_read(const struct sg_table *table, const struct sg_row *row, struct sg_counter_repeats *repeats);

/* A difference and how far off it may be, in the counters' unit. */
struct sg_counter_repeats_difference {
    double mean;
    double spread; /* half of the interval, 99.8 %; NaN: not known */
};
/* b - a, turn by turn; false where they are not of as many turns, or of only one. */
bool sg_counter_repeats_subtract(const struct sg_counter_repeats *a, const struct sg_counter_repeats *b,
                                 struct sg_counter_repeats_difference *difference);

/* Was it counted more than once? */
bool sg_counter_has_range(const struct sg_row *row);
/* What a counter may differ by from a row of it without being news, by metrics.ini
 * alone; one that is not there may not. */
double sg_counter_floor(const struct sg_row *row, const struct sg_metric *metric);
/* An exact counter (so is one of no section) whose counts in one
 * process differ by more than that. */
bool sg_counter_is_non_repeatable(const struct sg_row *row, const struct sg_metric *metric);
/*
 * What two rows of a counter that were not counted in the same turns may differ by: how far
 * both ranges reach towards each other, so that ranges which meet are no difference, or three
 * times what accepted runs differ by, whichever is more. `accepted` is that of `then`, NULL
 * if it was not accepted or is exact. A side of one count is taken to wander like the other.
 * NaN: nothing is known of either.
 */
double sg_counter_spread(const struct sg_row *then, const struct sg_row *now, const struct sg_accepted *accepted);
