/*
 * reports/charts/roofline.h - shared by the parts of a roofline: the points of a page, and lines
 * between two positions.
 */
#pragma once

#include "reports/charts/charts.h"

#define SG_ROOFLINE_LINE 15.0 /* pixels per line of words in the plotting area */

/* Points of one page, by case, the best valid point of each case first. */
struct sg_roofline {
    const struct sg_sol_table *gaps; /* borrowed */
    const struct sg_gap **point;     /* owned; the points are borrowed */
    size_t *case_;                   /* owned; number of each point's case, from 0 */
    size_t count;
};

bool sg_roofline_is_best(const struct sg_roofline *page, size_t i);

/* Adds a line between two positions, as gnuplot draws vectors. */
void sg_roofline_add_segment(struct sg_chart *chart, enum sg_chart_line kind, const double from[2],
                             const double to[2]);

/* Adds the names of the points, or case numbers if there are many points. Call after the axes
 * are chosen. */
void sg_roofline_add_labels(const struct sg_roofline *page, struct sg_chart *chart);
