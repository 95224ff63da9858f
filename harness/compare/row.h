/*
 * compare/row.h - a row as it is and as it was accepted; when the difference of a counter is news.
 *
 * For all who compare rows: findings and acceptance. Pure.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "results/accepted_file.h"
#include "results/table.h"

/* At least one of the two is there. */
struct sg_row_pair {
    const struct sg_row *now, *then;
    const struct sg_accepted *accepted; /* of `then`; NULL without */
};

/* Value of a row; NaN when it has none, or there is no row. */
double sg_row_value(const struct sg_row *row);
/* Smallest difference of a counter that is news, by its floor and what is known of its spread
 * (results/counter_repeats.h); 0: any. A counter that is not in the catalogue (metric NULL) counts
 * as exact. */
double sg_counter_band(const struct sg_row_pair *pair, const struct sg_metric *metric);
bool sg_counter_is_worse(const struct sg_metric *metric, double difference);
