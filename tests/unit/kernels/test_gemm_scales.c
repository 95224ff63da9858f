/* blockscaled_gemm/gemm_scales.h: scales that make a wrong one show,
 * and whose integers add up exactly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "blockscaled_gemm/gemm_scales.h"
#include "util/text.h"

enum {
    ROWS = 200,
    COLUMNS = 300,
    DEPTH = 1000
}; /* ends inside of a block, and 8 scales fill a row of SFB */

struct filled {
    struct sg_case c;
    float *a, *b;
    int64_t a_count, b_count, depth, row;
};

static struct filled fill(enum gemm_kind kind, int64_t k, uint64_t seed, bool integers)
{
    struct filled f = {.c = {.dim = {ROWS, COLUMNS, k, [GEMM_KIND] = kind}, .dtype = SG_E4M3}};
    f.depth = gemm_scales(k);
    f.row = gemm_sfb_row(k);
    f.a_count = f.depth * ROWS;
    f.b_count = gemm_scales(COLUMNS) * f.row;
    f.a = sg_alloc((size_t)f.a_count, sizeof(*f.a));
    f.b = sg_alloc((size_t)f.b_count, sizeof(*f.b));
    void *const host[GEMM_BUFFERS] = {[GEMM_SFA] = f.a, [GEMM_SFB] = f.b};
    gemm_fill_scales(
        &(struct sg_fill_request){.c = &f.c, .seed = seed, .integers = integers, .host = host});
    return f;
}

static void release(struct filled *f)
{
    free(f->a);
    free(f->b);
}

static bool is_padding(const struct filled *f, int64_t i)
{
    return i % f->row >= f->depth;
}

TEST(scales_are_positive_and_within_four)
{
    for (int integers = 0; integers < 2; integers++)
        for (int kind = GEMM_BLOCKS; kind <= GEMM_LOOSE; kind++) {
            struct filled f = fill((enum gemm_kind)kind, DEPTH, 3, integers);
            for (int64_t i = 0; i < f.a_count; i++)
                assert_true(f.a[i] >= 0.25f && f.a[i] <= 4);
            for (int64_t i = 0; i < f.b_count; i++)
                assert_true(f.b[i] >= 0.25f && f.b[i] <= 4);
            release(&f);
        }
}

TEST(padding_is_not_a_number)
{
    struct filled f = fill(GEMM_BLOCKS, 1040, 3, false);
    assert_int_equal(f.depth, 9);
    assert_int_equal(f.row, 12);
    for (int64_t i = 0; i < f.b_count; i++)
        assert_int_equal(isnan(f.b[i]) != 0, is_padding(&f, i));
    release(&f);
}

TEST(uniform_cases_have_one_scale_a_matrix)
{
    for (int kind = GEMM_UNIFORM; kind <= GEMM_LOOSE; kind++) {
        struct filled f = fill((enum gemm_kind)kind, DEPTH, 3, false);
        for (int64_t i = 0; i < f.a_count; i++)
            assert_true(f.a[i] == f.a[0]);
        for (int64_t i = 0; i < f.b_count; i++)
            assert_true(f.b[i] == f.b[0]);
        assert_true(f.a[0] != f.b[0]);
        release(&f);
    }
}

TEST(seeds_make_the_scales)
{
    struct filled f = fill(GEMM_BLOCKS, DEPTH, 3, false), same = fill(GEMM_BLOCKS, DEPTH, 3, false),
                  next = fill(GEMM_BLOCKS, DEPTH, 4, false);
    int64_t equal = 0;
    assert_memory_equal(f.a, same.a, (size_t)f.a_count * sizeof(*f.a));
    assert_memory_equal(f.b, same.b, (size_t)f.b_count * sizeof(*f.b));
    for (int64_t i = 0; i < f.a_count; i++)
        equal += f.a[i] == next.a[i];
    assert_true(equal < 2);
    release(&f);
    release(&same);
    release(&next);
}

/* Scale of the row's block of k, as a kernel that is wrong in some way reads it. */
typedef float reading(const struct filled *f, int64_t row, int64_t block);

static float right_a(const struct filled *f, int64_t row, int64_t block)
{
    return f->a[block * ROWS + row];
}

static float transposed_a(const struct filled *f, int64_t row, int64_t block)
{
    return f->a[row * f->depth + block];
}

static float next_row_of_a(const struct filled *f, int64_t row, int64_t block)
{
    return right_a(f, (row + 1) % ROWS, block);
}

static float row_eight_of_a(const struct filled *f, int64_t row, int64_t block)
{
    return right_a(f, row ^ 8, block);
}

static float last_block_of_a(const struct filled *f, int64_t row, int64_t block)
{
    return right_a(f, row, block + 1 < f->depth ? block : 0);
}

static float right_b(const struct filled *f, int64_t column, int64_t block)
{
    return f->b[column / GEMM_SCALE_BLOCK * f->row + block];
}

static float next_columns_of_b(const struct filled *f, int64_t column, int64_t block)
{
    return right_b(f, (column + GEMM_SCALE_BLOCK) % COLUMNS, block);
}

static float next_block_of_b(const struct filled *f, int64_t column, int64_t block)
{
    return right_b(f, column, (block + 1) % f->depth);
}

static const struct {
    const char *sentence;
    reading *a, *b;
} misreadings[] = {
    {"A's read as [m][k/128]", transposed_a, right_b},
    {"A's of the row below", next_row_of_a, right_b},
    {"A's of the other half of a tensor core's rows", row_eight_of_a, right_b},
    {"A's last block with the scales of the first", last_block_of_a, right_b},
    {"B's of the next columns", right_a, next_columns_of_b},
    {"B's of the next block", right_a, next_block_of_b},
};

/* Blocks' sums are independent, so that what is wrong adds up in squares. */
TEST(a_misread_scale_is_seen)
{
    struct filled f = fill(GEMM_BLOCKS, DEPTH, 3, false);
    for (size_t i = 0; i < COUNT(misreadings); i++) {
        double squares = 0, wrong = 0;
        for (int64_t row = 0; row < ROWS - 8; row++)
            for (int64_t column = 0; column < COLUMNS; column += 20)
                for (int64_t block = 0; block < f.depth; block++) {
                    const double right =
                        (double)right_a(&f, row, block) * right_b(&f, column, block);
                    const double read = (double)misreadings[i].a(&f, row, block) *
                                        misreadings[i].b(&f, column, block);
                    squares += right * right;
                    wrong += (read - right) * (read - right);
                }
        if (!(sqrt(wrong / squares) > 0.05))
            fail_msg("%s: expected an error of 0.05 of the rms, found %g", misreadings[i].sentence,
                     sqrt(wrong / squares));
    }
    release(&f);
}
