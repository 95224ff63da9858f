/*
 * worker/pass_count.h - the count pass: hardware counters, facts of the launch, and metrics derived
 * from them.
 *
 * All counters of the pass are passed to the device at once, before the first item. Every requested
 * metric gets a row: a number (the median and range of several counts, see
 * results/counter_repeats.h), or `nan` or `unavailable` with the reason. Invariant: `count_passes`
 * is an item's last row.
 */
#pragma once

#include "worker/session.h"

struct sg_counting; /* the metrics of a pass, resolved */

/* SG_BAD_INPUT for a name that is neither a metric nor a group. */
enum sg_code sg_counting_open(struct sg_counting **counting, const struct sg_names *names,
                              struct sg_err *err);
void sg_counting_end(struct sg_counting *counting);

/* Call once per device, before its first item. */
enum sg_code sg_counting_begin(struct sg_counting *counting, struct sg_device *device,
                               const struct sg_order *order, struct sg_err *err);

/* Counts all items of the order, in sets that fit the device's memory. Reports their values, or the
 * status of those that failed. */
enum sg_code sg_count_items(struct sg_pass *pass, struct sg_err *err);
