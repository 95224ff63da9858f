/*
 * reports/charts/roofline.h - what the parts of a roofline share: the points of a page, and how a
 * line between two places is written.
 */
#pragma once

#include "reports/charts/charts.h"

#define SG_ROOFLINE_LINE 15.0 /* pixels: a line of words in the plotting area */

/* Points of one page, case by case, in each the best first: the highest that is not invalid. */
struct sg_roofline {
    const struct sg_sol_table *gaps; /* borrowed */
    const struct sg_gap **point;     /* owned; what it points to is borrowed */
    size_t *case_;                   /* owned; number of the case of each point, from 0 */
    size_t count;
};

/* Is that point the best of its case? */
bool sg_roofline_is_best(const struct sg_roofline *page, size_t i);

/* From one point to another, as gnuplot draws vectors. */
void sg_roofline_add_segment(struct sg_chart *chart, enum sg_chart_line kind, const double from[2], const double to[2]);

/* Names of the points, or numbers of the cases where there are many; the axes are chosen. */
void sg_roofline_add_labels(const struct sg_roofline *page, struct sg_chart *chart);
