/*
 * ab/kernel_pairs.h - the kernels that both sides of a gate of programs launch. Pure.
 *
 * A kernel without an exact match (exec/traced_items.h) is paired with the only unmatched one of
 * the same range and name, for example one with another grid. If there are several or none, the
 * kernel has no partner. The value of a start is the mean of the kernel's launches in it; that of a
 * range is the sum of its kernels. A kernel's first launch loads its code, and only the range that
 * runs first pays for the load. So the sum counts the first launch as the mean of the later ones.
 *
 * A start's choice in a range (ab/choices.h) is the set of its kernels that take a notable share of
 * the range in any start.
 */
#pragma once

#include "ab/choices.h"
#include "exec/traced_items.h"

#define SG_SHARE_LEAST 0.01 /* a kernel with a smaller share of its range's time gets no row */

/* Adds the value of start `number`, in ln ns, to each item that was launched in it. The value of a
 * kernel is a percentile of its launches (0: their mean); a start with too few launches
 * (stats/tails.h) has no value. */
void sg_kernels_end_start(struct sg_traced_items *items, unsigned number, unsigned percentile);
/* Call when both sides have a start, and again after the last one. */
void sg_kernels_match(struct sg_traced_items *baseline, struct sg_traced_items *candidate);
/* True for a range of both sides that one lacked in its first start, which makes the rows. */
bool sg_range_is_late(const struct sg_traced_items *baseline, const struct sg_traced_item *item);
/* The item's share of its range's time in the last start. */
double sg_kernel_share(const struct sg_traced_items *items, const struct sg_traced_item *item);

/* The choices of the starts of a range that each start launched; none of a kernel. Code is named
 * only where nothing else differs. */
void sg_kernels_choices(const struct sg_traced_items *items, size_t whole,
                        struct sg_choices *choices);
