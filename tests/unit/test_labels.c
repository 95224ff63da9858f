/* Names of points: each beside its point as long as nothing is in the way, moved where something is, and never out of the field. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "labels.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct sg_label_field field = {.width = 400, .height = 300, .line = 15, .point = 5};

static void a_label_stands_beside_its_point_if_it_can(void **state)
{
    (void)state;
    static const struct {
        const char *sentence;
        double x, y, width, top;
        double at_x, at_y;
        bool left;
    } rows[] = {
        {"right of it", 100, 100, 50, 300, 109, 100, false},
        {"left of it where the field ends", 380, 100, 50, 300, 371, 100, true},
        {"above the lower edge, by half lines", 100, 2, 50, 300, 109, 9.5, false},
        {"below the upper one", 100, 299, 50, 300, 109, 291.5, false},
        {"below what it must not cross", 100, 100, 50, 104, 109, 92.5, false},
        {"where there is no room at all, right of it", 200, 100, 500, 300, 209, 100, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_label label = {.x = rows[i].x, .y = rows[i].y, .width = rows[i].width, .top = rows[i].top};
        sg_labels_place(&label, 1, &field);
        if (fabs(label.at_x - rows[i].at_x) > 1e-9 || fabs(label.at_y - rows[i].at_y) > 1e-9 || label.left != rows[i].left)
            fail_msg("%s: at %g %g, %s", rows[i].sentence, label.at_x, label.at_y, label.left ? "left" : "right");
    }
}

/* The words begin at 130: there a line that rises by half a pixel a pixel is 65 above its foot. */
static void a_label_stands_below_a_line_that_rises(void **state)
{
    (void)state;
    static const struct sg_label_field rising = {.width = 400, .height = 300, .line = 15, .point = 5, .rise = 0.5};
    static const struct {
        const char *sentence;
        double foot, top, at_y;
    } rows[] = {
        {"beside its point, where the line is far above", 50, 300, 100},
        {"moved down, where the line would cross it", 35, 300, 92.5},
        {"beside its point, where the line is out of the field", 300, 300, 100},
        {"below a level, whatever the line is", 50, 104, 92.5},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_label label = {.x = 121, .y = 100, .width = 50, .top = rows[i].top, .foot = rows[i].foot};
        sg_labels_place(&label, 1, &rising);
        if (fabs(label.at_y - rows[i].at_y) > 1e-9 || label.left)
            fail_msg("%s: at %g %g, %s", rows[i].sentence, label.at_x, label.at_y, label.left ? "left" : "right");
    }
}

/* Words left of a point begin where the line is lower. */
static void words_left_of_a_point_do_not_cross_the_line(void **state)
{
    (void)state;
    static const struct sg_label_field rising = {.width = 200, .height = 300, .line = 15, .point = 5, .rise = 0.5};
    struct sg_label label = {.x = 190, .y = 100, .width = 100, .top = 300, .foot = 50};
    sg_labels_place(&label, 1, &rising);
    assert_true(label.left);
    assert_float_equal(label.at_y, 77.5, 1e-9); /* they begin at 81, where the line is at 90.5, and are 7.5 high above their middle */
}

/* Do the words of two labels lie on each other? */
static bool collide(const struct sg_label *a, const struct sg_label *b)
{
    const double a_left = a->left ? a->at_x - a->width : a->at_x, b_left = b->left ? b->at_x - b->width : b->at_x;
    return a_left < b_left + b->width && b_left < a_left + a->width && fabs(a->at_y - b->at_y) < field.line;
}

static bool covers(const struct sg_label *words, const struct sg_label *point)
{
    const double left = words->left ? words->at_x - words->width : words->at_x;
    return point->x > left && point->x < left + words->width && fabs(words->at_y - point->y) < field.line / 2;
}

static void a_crowd_can_be_read(void **state)
{
    (void)state;
    struct sg_label labels[24];
    /* Twelve points of one case within 20 pixels, and twelve of another, whose names would lie on them. */
    for (size_t i = 0; i < COUNT(labels); i++)
        labels[i] = (struct sg_label){.x = i < 12 ? 150 : 200, .y = 150 + 1.7 * (double)(i % 12), .width = 80, .top = 300};
    sg_labels_place(labels, COUNT(labels), &field);
    for (size_t i = 0; i < COUNT(labels); i++)
        for (size_t k = 0; k < COUNT(labels); k++) {
            if (k < i && collide(&labels[i], &labels[k]))
                fail_msg("the names of %zu and %zu lie on each other", k, i);
            if (covers(&labels[i], &labels[k]))
                fail_msg("the name of %zu lies on the point of %zu", i, k);
        }
}

/* The highest first, as a roofline has them. */
static void names_stand_in_the_order_of_their_points(void **state)
{
    (void)state;
    struct sg_label labels[8];
    for (size_t i = 0; i < COUNT(labels); i++)
        labels[i] = (struct sg_label){.x = 150, .y = 150 - 2 * (double)i, .width = 80, .top = 300};
    sg_labels_place(labels, COUNT(labels), &field);
    for (size_t i = 0; i < COUNT(labels); i++)
        for (size_t k = 0; k < i; k++)
            if (labels[i].left == labels[k].left && labels[i].at_y >= labels[k].at_y)
                fail_msg("the name of %zu stands above that of %zu, whose point is higher", i, k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_stands_beside_its_point_if_it_can),   cmocka_unit_test(a_label_stands_below_a_line_that_rises),
        cmocka_unit_test(words_left_of_a_point_do_not_cross_the_line), cmocka_unit_test(a_crowd_can_be_read),
        cmocka_unit_test(names_stand_in_the_order_of_their_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
