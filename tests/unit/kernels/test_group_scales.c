/* group_gemm/group_scales.h: scales lie where group_layout.h says, padding shows, and one that
 * is taken from elsewhere shows too. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "group_gemm/group_scales.h"
#include "util/text.h"

enum {
    COLUMNS = 300,
    DEPTH = 1040
}; /* three blocks of n; nine of k, the last of 16, in rows of twelve */

/* Rows of one to four begun quadruples, and a group without rows between them. */
static const struct group_sizes sizes = {6, {13, 4, 0, 7, 1, 10}};

struct filled {
    struct sg_case c;
    float *a, *b;
    int64_t a_count, b_count, depth, row, columns;
};

static struct filled fill(uint64_t seed, bool integers)
{
    struct filled f = {
        .c = {.dim = {sizes.count, group_first_row(&sizes, sizes.count), COLUMNS, DEPTH},
              .dtype = SG_E4M3,
              .more = &sizes},
        .depth = gemm_scales(DEPTH),
        .row = gemm_sfb_row(DEPTH),
        .columns = gemm_scales(COLUMNS),
    };
    f.a_count = group_first_scale(&sizes, sizes.count, f.depth);
    f.b_count = sizes.count * f.columns * f.row;
    f.a = sg_alloc((size_t)f.a_count, sizeof(*f.a));
    f.b = sg_alloc((size_t)f.b_count, sizeof(*f.b));
    void *const host[GROUP_BUFFERS] = {[GROUP_SFA] = f.a, [GROUP_SFB] = f.b};
    group_fill_scales(
        &(struct sg_fill_request){.c = &f.c, .seed = seed, .integers = integers, .host = host});
    return f;
}

static void release(struct filled *f)
{
    free(f->a);
    free(f->b);
}

/* A product of one row, one column and one block of k takes a scale of each. */
struct place {
    int g;
    int64_t row, column, block;
};

static float at(const float *scales, int64_t count, int64_t index)
{
    return scales[index % count];
}

static float right_a(const struct filled *f, struct place p)
{
    return f->a[group_first_scale(&sizes, p.g, f->depth) + p.block * group_sfa_row(sizes.m[p.g]) +
                p.row];
}

static float right_b(const struct filled *f, struct place p)
{
    return f->b[(p.g * f->columns + p.column / GEMM_SCALE_BLOCK) * f->row + p.block];
}

static bool is_scale(float x)
{
    return x >= 0.25f && x <= 4;
}

TEST(what_a_product_needs_is_a_scale_and_the_rest_shows)
{
    for (int integers = 0; integers < 2; integers++) {
        struct filled f = fill(3, integers);
        int64_t numbers = 0;
        for (int g = 0; g < sizes.count; g++)
            for (int64_t block = 0; block < f.depth; block++) {
                for (int64_t row = 0; row < sizes.m[g]; row++)
                    assert_true(is_scale(right_a(&f, (struct place){g, row, 0, block})));
                for (int64_t column = 0; column < COLUMNS; column++)
                    assert_true(is_scale(right_b(&f, (struct place){g, 0, column, block})));
            }
        for (int64_t i = 0; i < f.a_count; i++)
            numbers += f.a[i] != GROUP_SFA_PADDING;
        assert_int_equal(numbers, group_first_row(&sizes, sizes.count) * f.depth);
        numbers = 0;
        for (int64_t i = 0; i < f.b_count; i++)
            numbers += !isnan(f.b[i]);
        assert_int_equal(numbers, sizes.count * f.columns * f.depth);
        release(&f);
    }
}

/* The scale that a kernel takes which is wrong in some way. */
typedef float reading(const struct filled *f, struct place p);

static float next_row_of_a(const struct filled *f, struct place p)
{
    p.row = (p.row + 1) % sizes.m[p.g];
    return right_a(f, p);
}

static float unpadded_rows_of_a(const struct filled *f, struct place p)
{
    return at(f->a, f->a_count,
              group_first_scale(&sizes, p.g, f->depth) + p.block * sizes.m[p.g] + p.row);
}

static float unpadded_groups_of_a(const struct filled *f, struct place p)
{
    return at(f->a, f->a_count,
              group_first_row(&sizes, p.g) * f->depth + p.block * group_sfa_row(sizes.m[p.g]) +
                  p.row);
}

static float all_groups_in_a_row_of_a(const struct filled *f, struct place p)
{
    return at(f->a, f->a_count,
              p.block * group_first_scale(&sizes, sizes.count, 1) +
                  group_first_scale(&sizes, p.g, 1) + p.row);
}

static float next_columns_of_b(const struct filled *f, struct place p)
{
    p.column = (p.column + GEMM_SCALE_BLOCK) % COLUMNS;
    return right_b(f, p);
}

static float next_group_of_b(const struct filled *f, struct place p)
{
    p.g = (p.g + 1) % sizes.count;
    return right_b(f, p);
}

static float unpadded_rows_of_b(const struct filled *f, struct place p)
{
    return f->b[(p.g * f->columns + p.column / GEMM_SCALE_BLOCK) * f->depth + p.block];
}

static const struct {
    const char *sentence;
    reading *a, *b;
} misreadings[] = {
    {"A's of the row below", next_row_of_a, right_b},
    {"A's as rows that end with the group", unpadded_rows_of_a, right_b},
    {"A's behind groups whose rows end with them", unpadded_groups_of_a, right_b},
    {"A's as rows of all groups", all_groups_in_a_row_of_a, right_b},
    {"B's of the next columns", right_a, next_columns_of_b},
    {"B's of the next group", right_a, next_group_of_b},
    {"B's as rows that are not padded", right_a, unpadded_rows_of_b},
};

/* By the rms of what is right; with A's padding enormous, with B's not a number. Blocks' sums are
 * independent: errors add up in squares. */
static double error_of(const struct filled *f, reading *a, reading *b)
{
    double squares = 0, wrong = 0;
    struct place p = {0};
    for (p.g = 0; p.g < sizes.count; p.g++)
        for (p.row = 0; p.row < sizes.m[p.g]; p.row++)
            for (p.column = 0; p.column < COLUMNS; p.column += 20)
                for (p.block = 0; p.block < f->depth; p.block++) {
                    const double right = (double)right_a(f, p) * right_b(f, p),
                                 read = (double)a(f, p) * b(f, p);
                    squares += right * right;
                    wrong += (read - right) * (read - right);
                }
    return sqrt(wrong / squares);
}

TEST(a_misread_scale_is_seen)
{
    struct filled f = fill(3, false);
    assert_true(error_of(&f, right_a, right_b) == 0);
    for (size_t i = 0; i < COUNT(misreadings); i++) {
        const double error = error_of(&f, misreadings[i].a, misreadings[i].b);
        if (error < 0.05)
            fail_msg("%s: expected an error of 0.05 of the rms or more, or one that is not a "
                     "number, found %g",
                     misreadings[i].sentence, error);
    }
    release(&f);
}
