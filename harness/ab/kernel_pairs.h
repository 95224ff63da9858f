/*
 * ab/kernel_pairs.h - the kernels that both sides of a gate of programs launch. Pure.
 *
 * A kernel without an exact match (exec/traced_items.h) is paired with the only unmatched one of
 * the same range and name, for example one with another grid. If there are several or none, the
 * kernel has no partner. The value of a start is the mean of the kernel's launches in it; that of a
 * range is the sum of its kernels. A kernel's first launch loads its code, and only the range that
 * runs first pays for the load. So the sum counts the first launch as the mean of the later ones.
 */
#pragma once

#include "exec/traced_items.h"

/* Adds the value of a start, in ln ns, to each item that was launched in it. A percentile (0: the
 * mean) is of a kernel's launches; a start with too few of them (stats/tails.h) has no value. */
void sg_kernels_end_start(struct sg_traced_items *items, unsigned percentile);
/* Call once, when both sides have a start. */
void sg_kernels_match(struct sg_traced_items *baseline, struct sg_traced_items *candidate);
/* The item's share of its range's time in the last start. */
double sg_kernel_share(const struct sg_traced_items *items, const struct sg_traced_item *item);
