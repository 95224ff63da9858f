/*
 * reports/charts/label_placement.h - places the names of points in a drawing: next to their point,
 * moved up or down to avoid others.
 *
 * Pure geometry, in pixels from the lower left corner of the field. Invariant: no label overlaps
 * another label or another point, leaves the field, or is farther from its point than allowed. A
 * label without room is `missing`. Labels of vertically adjacent points on the same side are in the
 * order of the points, unless there is no such room. Earlier labels choose first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sg_label {
    double x, y;       /* position of the point */
    double width;      /* width of the words */
    double top;        /* upper limit for the words; the field's height or more: no limit */
    double top_left;   /* upper limit for words on the left */
    double at_x, at_y; /* result: start of the words (end if left), and their middle */
    bool left;         /* result: the words end at at_x */
    bool missing;      /* result: no room, do not draw */
};

struct sg_label_field {
    double width, height;
    double line;  /* height of a label */
    double point; /* half the size of a point */
    double reach; /* largest distance that words may be moved up or down */
};

/* Start of a label placed left of its point; needs x and width. `top_left` must hold there. */
double sg_label_left_edge(const struct sg_label *label, const struct sg_label_field *field);

/* Places the first `placed` of `count` labels. The others are only points to avoid. */
void sg_labels_place(struct sg_label *labels, size_t placed, size_t count,
                     const struct sg_label_field *field);
