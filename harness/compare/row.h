/*
 * compare/row.h - a row of the run with its accepted row, and which counter differences are
 * significant.
 *
 * Pure. Used for findings and by acceptance.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "results/accepted_file.h"
#include "results/table.h"

/* At least one of `now` and `then` is set. */
struct sg_row_pair {
    const struct sg_row *now, *then;
    const struct sg_accepted *accepted; /* of `then`; NULL without `then` */
};

/* Value of a row; NaN if the row is NULL or has no value. */
double sg_row_value(const struct sg_row *row);
/* Smallest significant difference of a counter, from its floor and its known spread
 * (results/counter_repeats.h); 0: any. A counter outside the catalogue (metric NULL) counts as
 * exact. */
double sg_counter_band(const struct sg_row_pair *pair, const struct sg_metric *metric);
bool sg_counter_is_worse(const struct sg_metric *metric, double difference);
