/*
 * results/counter_repeats.h - what several counts of one launch say about a counter, and how much
 * two counters may differ although nothing changed.
 *
 * Pure. A count pass counts each of its items once per turn. A row of several counts holds the
 * median and the range, and its message lists the counts if they differ. Two variants of one run
 * are compared turn by turn, so drift between turns cancels. Invariant: reading a row returns the
 * counts that the row was made of, to nine digits.
 */
#pragma once

#include "results/accepted_file.h"
#include "results/table.h"
#include "stats/run_limits.h"

#define SG_REPEATS_GATE 5 /* for `solgate ab`: fewer repeats seldom show a spread */

struct sg_counter_repeats {
    double value[SG_REPEATS_MAX]; /* in the order of the turns; all finite */
    size_t count;                 /* 1 or more */
};

/* Returns which of `count` items the launch-th launch of a pass counts. Every other turn runs
 * backwards, so that no item always follows the same one. */
size_t sg_counter_repeats_item(size_t count, size_t launch);

/* Sets value (the median) and n of a row; for two or more counts also low and high (the range). */
void sg_counter_repeats_summarise(const struct sg_counter_repeats *repeats, struct sg_value *value);
/* Appends the message of such a row: nothing if all counts are equal. For an exact counter the
 * message says that they should be. */
void sg_counter_repeats_add_message(struct sg_text *out, const struct sg_counter_repeats *repeats,
                                    bool exact);
/* Reads back the counts of a row; false if the row has none. */
bool sg_counter_repeats_read(const struct sg_table *table, const struct sg_row *row,
                             struct sg_counter_repeats *repeats);

/* A difference and its uncertainty, in the counters' unit. */
struct sg_counter_repeats_difference {
    double mean;
    double spread; /* half-width of the 99.8 % interval; NaN: unknown */
};
/* b - a, turn by turn; false if the numbers of turns differ or are below 2. */
bool sg_counter_repeats_subtract(const struct sg_counter_repeats *a,
                                 const struct sg_counter_repeats *b,
                                 struct sg_counter_repeats_difference *difference);

/* True if the row has a range: it was counted more than once. */
bool sg_counter_has_range(const struct sg_row *row);
/* The change of a counter that metrics.ini allows without reporting it; 0 for a counter that
 * metrics.ini does not have. */
double sg_counter_floor(const struct sg_row *row, const struct sg_metric *metric);
/* True if the counts of an exact counter in one process differ by more than sg_counter_floor.
 * Counters without a section are exact. */
bool sg_counter_is_non_repeatable(const struct sg_row *row, const struct sg_metric *metric);
/*
 * How much two rows of a counter may differ if they were not counted in the same turns. This is the
 * larger of two numbers: the sum of how far both ranges reach towards each other, so that
 * overlapping ranges do not differ, and three times the sd between accepted runs. `accepted`
 * belongs to `then`; NULL: not accepted, or exact. A side with one count is assumed to vary like
 * the other side. NaN: nothing is known of either.
 */
double sg_counter_spread(const struct sg_row *then, const struct sg_row *now,
                         const struct sg_accepted *accepted);
