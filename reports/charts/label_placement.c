#include "reports/charts/label_placement.h"

#include <math.h>

#define BESIDE 4.0 /* pixels between a point and its words */
#define STEP   0.5 /* lines per step when words are moved */

struct box {
    double left, right, bottom, top;
};

/* Start of the words of a point, or their end if left. */
static double beside(const struct sg_label *label, bool left, const struct sg_label_field *field)
{
    return left ? label->x - field->point - BESIDE : label->x + field->point + BESIDE;
}

double sg_label_left_edge(const struct sg_label *label, const struct sg_label_field *field)
{
    return beside(label, true, field) - label->width;
}

static struct box box_of_label(const struct sg_label *label, const struct sg_label_field *field)
{
    const double begin = label->left ? label->at_x - label->width : label->at_x;
    return (struct box){begin, begin + label->width, label->at_y - field->line / 2,
                        label->at_y + field->line / 2};
}

static struct box box_of_point(const struct sg_label *label, const struct sg_label_field *field)
{
    return (struct box){label->x - field->point, label->x + field->point, label->y - field->point,
                        label->y + field->point};
}

static bool overlap(const struct box *a, const struct box *b)
{
    return a->left < b->right && b->left < a->right && a->bottom < b->top && b->bottom < a->top;
}

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

/* Returns true if the labels of two points, one above the other and both labelled on the same
 * side, are in the opposite order. Their leader lines would cross. */
static bool crosses(const struct sg_label *a, const struct sg_label *b,
                    const struct sg_label_field *field)
{
    return a->left == b->left && fabs(a->x - b->x) < 2 * field->point &&
           sign(a->y - b->y) * sign(a->at_y - b->at_y) < 0;
}

static bool is_in_order(const struct sg_label *labels, size_t own,
                        const struct sg_label_field *field)
{
    for (size_t i = 0; i < own; i++)
        if (crosses(&labels[i], &labels[own], field))
            return false;
    return true;
}

/* Labels before `own` are placed already; later ones only have their points. */
static bool is_free(const struct sg_label *labels, size_t count, size_t own,
                    const struct sg_label_field *field)
{
    const struct box words = box_of_label(&labels[own], field);
    const double top = labels[own].left ? labels[own].top_left : labels[own].top;
    if (words.left < 0 || words.right > field->width || words.bottom < 0 ||
        words.top > fmin(field->height, top))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct box point = box_of_point(&labels[i], field);
        if (overlap(&words, &point))
            return false;
        if (i < own && !labels[i].missing) {
            const struct box other = box_of_label(&labels[i], field);
            if (overlap(&words, &other))
                return false;
        }
    }
    return true;
}

static void put(struct sg_label *label, double moved, bool left, const struct sg_label_field *field)
{
    label->left = left;
    label->at_x = beside(label, left, field);
    label->at_y = label->y + moved;
}

/* Finds the nearest free place, in order if required. Returns false if there is none. */
static bool find_place(struct sg_label *labels, size_t count, size_t own, bool in_order,
                       const struct sg_label_field *field)
{
    const int most = (int)(fmin(field->reach, field->height) / (STEP * field->line));
    for (int step = 0; step <= most; step++)
        for (int way = 0; way < 4; way++) {
            put(&labels[own], (way & 1 ? 1 : -1) * step * STEP * field->line, (way & 2) != 0,
                field);
            if (is_free(labels, count, own, field) &&
                (!in_order || is_in_order(labels, own, field)))
                return true;
        }
    return false;
}

void sg_labels_place(struct sg_label *labels, size_t placed, size_t count,
                     const struct sg_label_field *field)
{
    for (size_t i = 0; i < placed; i++) {
        labels[i].missing = !find_place(labels, count, i, true, field) &&
                            !find_place(labels, count, i, false, field);
        if (labels[i].missing)
            put(&labels[i], 0, false, field);
    }
}
