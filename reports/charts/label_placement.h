/*
 * reports/charts/label_placement.h - where the names of points in a drawing stand, so that each can
 * be read: beside its point, moved up or down where others are.
 *
 * Pure geometry, in pixels from the lower left corner of the field. Invariant: no label lies on
 * another, on another's point, or outside of the field, nor farther from its point than it may
 * be, as long as there is room; where there is none it is `missing`. Names on one side of points
 * that stand one above the other are in the order of the points, unless only another one has
 * room. Earlier labels choose first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sg_label {
    double x, y;       /* of the point */
    double width;      /* of the words */
    double top;        /* below which they are to stand; the field's height or more: anywhere */
    double top_left;   /* the same, when left */
    double at_x, at_y; /* filled: where the words begin (or end, when left), and their middle */
    bool left;         /* filled: they end at at_x */
    bool missing;      /* filled: there was no room, and they must not be drawn */
};

struct sg_label_field {
    double width, height;
    double line;  /* height of a label */
    double point; /* half the size of a point */
    double reach; /* by which words may be moved up or down */
};

/* Where the words of a label would begin if they stood left of its point; x and width are enough.
 * What `top_left` has to hold for. */
double sg_label_left_edge(const struct sg_label *label, const struct sg_label_field *field);

/* The first `placed` of `count`; of the others only the points are there, and in the way. */
void sg_labels_place(struct sg_label *labels, size_t placed, size_t count, const struct sg_label_field *field);
