/* Names of points: each beside its point as long as nothing is in the way, moved where
 * something is, and never out of the field. */
#include <math.h>

#include "check.h"
#include "reports/charts/label_placement.h"

static const struct sg_label_field field = {
    .width = 400, .height = 300, .line = 15, .point = 5, .reach = 300};

TEST(a_label_stands_beside_its_point_if_it_can)
{
    static const struct {
        const char *sentence;
        double x, y, width, top, top_left;
        double at_x, at_y;
        bool left;
    } rows[] = {
        {"right of it", 100, 100, 50, 300, 300, 109, 100, false},
        {"left of it where the field ends", 380, 100, 50, 300, 300, 371, 100, true},
        {"above the lower edge, by half lines", 100, 2, 50, 300, 300, 109, 9.5, false},
        {"below the upper one", 100, 299, 50, 300, 300, 109, 291.5, false},
        {"below what it must not cross", 100, 100, 50, 104, 104, 109, 92.5, false},
        {"left of it below what it must not cross there", 380, 100, 50, 300, 104, 371, 92.5, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_label label = {.x = rows[i].x,
                                 .y = rows[i].y,
                                 .width = rows[i].width,
                                 .top = rows[i].top,
                                 .top_left = rows[i].top_left};
        sg_labels_place(&label, 1, 1, &field);
        if (fabs(label.at_x - rows[i].at_x) > 1e-9 || fabs(label.at_y - rows[i].at_y) > 1e-9 ||
            label.left != rows[i].left)
            fail_msg("%s: at %g %g, %s", rows[i].sentence, label.at_x, label.at_y,
                     label.left ? "left" : "right");
    }
}

TEST(the_left_edge_is_where_a_label_on_the_left_begins)
{
    struct sg_label label = {.x = 380, .y = 100, .width = 50, .top = 300, .top_left = 300};
    const double edge = sg_label_left_edge(&label, &field);
    sg_labels_place(&label, 1, 1, &field);
    assert_true(label.left && fabs(label.at_x - label.width - edge) < 1e-9);
}

/* Do the words of two labels lie on each other? */
static bool collide(const struct sg_label *a, const struct sg_label *b)
{
    const double a_left = a->left ? a->at_x - a->width : a->at_x,
                 b_left = b->left ? b->at_x - b->width : b->at_x;
    return a_left < b_left + b->width && b_left < a_left + a->width &&
           fabs(a->at_y - b->at_y) < field.line;
}

static bool covers(const struct sg_label *words, const struct sg_label *point)
{
    const double left = words->left ? words->at_x - words->width : words->at_x;
    return point->x > left && point->x < left + words->width &&
           fabs(words->at_y - point->y) < field.line / 2;
}

TEST(a_crowd_can_be_read)
{
    struct sg_label labels[24];
    /* Twelve points of one case within 20 pixels, and twelve of
     * another, whose names would lie on them. */
    for (size_t i = 0; i < COUNT(labels); i++)
        labels[i] = (struct sg_label){.x = i < 12 ? 150 : 200,
                                      .y = 150 + 1.7 * (double)(i % 12),
                                      .width = 80,
                                      .top = 300,
                                      .top_left = 300};
    sg_labels_place(labels, COUNT(labels), COUNT(labels), &field);
    for (size_t i = 0; i < COUNT(labels); i++)
        for (size_t k = 0; k < COUNT(labels); k++) {
            if (k < i && collide(&labels[i], &labels[k]))
                fail_msg("the names of %zu and %zu lie on each other", k, i);
            if (covers(&labels[i], &labels[k]))
                fail_msg("the name of %zu lies on the point of %zu", i, k);
        }
}

/* The highest first, as a roofline has them. */
TEST(names_stand_in_the_order_of_their_points)
{
    struct sg_label labels[8];
    for (size_t i = 0; i < COUNT(labels); i++)
        labels[i] = (struct sg_label){
            .x = 150, .y = 150 - 2 * (double)i, .width = 80, .top = 300, .top_left = 300};
    sg_labels_place(labels, COUNT(labels), COUNT(labels), &field);
    for (size_t i = 0; i < COUNT(labels); i++)
        for (size_t k = 0; k < i; k++)
            if (labels[i].left == labels[k].left && labels[i].at_y >= labels[k].at_y)
                fail_msg("the name of %zu stands above that of %zu, whose point is higher", i, k);
}

TEST(a_point_without_a_name_is_in_the_way)
{
    struct sg_label labels[] = {{.x = 100, .y = 100, .width = 50, .top = 300, .top_left = 300},
                                {.x = 130, .y = 98, .at_x = -1}};
    sg_labels_place(labels, 1, COUNT(labels), &field);
    assert_false(covers(&labels[0], &labels[1]));
    assert_true(labels[1].at_x == -1);
}

/* Eight points on one spot: words one line high find places on both
 * sides up to a line away, no more. */
TEST(a_name_without_room_near_its_point_is_missing)
{
    const struct sg_label_field near = {
        .width = 400, .height = 300, .line = 15, .point = 5, .reach = 15};
    struct sg_label labels[8];
    size_t missing = 0;
    for (size_t i = 0; i < COUNT(labels); i++)
        labels[i] = (struct sg_label){.x = 150, .y = 150, .width = 80, .top = 300, .top_left = 300};
    sg_labels_place(labels, COUNT(labels), COUNT(labels), &near);
    for (size_t i = 0; i < COUNT(labels); i++) {
        missing += labels[i].missing;
        assert_true(labels[i].missing || fabs(labels[i].at_y - 150) <= near.reach);
    }
    assert_int_equal(missing, 2); /* three lines on each side */
    struct sg_label wide = {.x = 200, .y = 100, .width = 500, .top = 300, .top_left = 300};
    sg_labels_place(&wide, 1, 1, &field);
    assert_true(wide.missing);
}
