/* bsr_gemm/bsr_pattern.h: which blocks are there, for every pattern, whole and ragged; that seeds
 * move columns and nothing else; the work. */
#include <stdlib.h>

#include "check.h"
#include "bsr_gemm/bsr_pattern.h"
#include "util/text.h"

static struct sg_case case_of(int64_t m, int64_t k, enum bsr_pattern pattern, int64_t share)
{
    return (struct sg_case){.name = "c", .dim = {m, 256, k, pattern, share}, .dtype = SG_F16};
}

/* A pattern as arrays have it. */
struct filled {
    struct bsr_counts counts;
    int32_t *row_ptr, *col; /* owned */
    int rows, columns;
};

static struct filled filled_of(const struct sg_case *c, uint64_t seed)
{
    struct filled f = {.rows = bsr_block_rows(c), .columns = bsr_block_columns(c)};
    bsr_count(c, &f.counts);
    f.row_ptr = sg_alloc((size_t)f.rows + 1, sizeof(*f.row_ptr));
    f.col = sg_alloc((size_t)f.counts.blocks + 1, sizeof(*f.col));
    f.col[f.counts.blocks] = -7;
    bsr_fill(c, seed, f.row_ptr, f.col);
    return f;
}

static void filled_release(struct filled *f)
{
    free(f->row_ptr);
    free(f->col);
}

static const struct {
    const char *sentence;
    int64_t m, k;
    enum bsr_pattern pattern;
    int64_t share;
    int64_t blocks;        /* of all; -1: about as many as the share says */
    int shortest, longest; /* blocks of a row; -1: whatever comes */
} patterns[] = {
    {"half of 64x64", 8192, 8192, BSR_UNIFORM, 500, 2048, 32, 32},
    {"a tenth of 64x64: 6 or 7 in a row", 8192, 8192, BSR_UNIFORM, 100, 410, 6, 7},
    {"none", 1024, 1024, BSR_UNIFORM, 0, 0, 0, 0},
    {"all", 1024, 1024, BSR_UNIFORM, 1000, 64, 8, 8},
    {"one element", 1, 1, BSR_UNIFORM, 1000, 1, 1, 1},
    {"fewer blocks than rows", 1280, 256, BSR_UNIFORM, 250, 5, 0, 1},
    {"a band", 8192, 8192, BSR_BANDED, 8, 512, 8, 8},
    {"a band as wide as the matrix", 1024, 512, BSR_BANDED, 4, 32, 4, 4},
    {"a power law", 8192, 8192, BSR_POWER_LAW, 250, -1, -1, 64},
    {"half of the rows empty", 8192, 8192, BSR_GAPS, 500, 1024, 0, 32},
    {"a dense row", 8192, 8192, BSR_DENSE_ROW, 50, -1, 3, 64},
    {"a row is the dense one", 100, 1024, BSR_DENSE_ROW, 0, 8, 8, 8},
    {"as large as may be", 131072, 131072, BSR_UNIFORM, 10, 10486, 10, 11},
};

TEST(every_pattern_is_what_it_is_called)
{
    for (size_t i = 0; i < COUNT(patterns); i++) {
        const struct sg_case c =
            case_of(patterns[i].m, patterns[i].k, patterns[i].pattern, patterns[i].share);
        struct sg_reason why;
        assert_true(bsr_check(&c, &why));
        struct filled f = filled_of(&c, 1);
        int shortest = BSR_MOST_ROWS, longest = 0;
        for (int row = 0; row < f.rows; row++) {
            shortest = f.counts.in_row[row] < shortest ? f.counts.in_row[row] : shortest;
            longest = f.counts.in_row[row] > longest ? f.counts.in_row[row] : longest;
        }
        if ((patterns[i].blocks >= 0 && f.counts.blocks != patterns[i].blocks) ||
            (patterns[i].shortest >= 0 && shortest != patterns[i].shortest) ||
            (patterns[i].longest >= 0 && longest != patterns[i].longest))
            fail_msg("%s: %lld blocks, %d to %d in a row", patterns[i].sentence,
                     (long long)f.counts.blocks, shortest, longest);
        if (patterns[i].pattern == BSR_POWER_LAW) {
            const double wanted = (double)f.rows * f.columns * (double)patterns[i].share / 1000;
            assert_true((double)f.counts.blocks >= wanted - 1 &&
                        (double)f.counts.blocks <= wanted + f.rows);
        }
        filled_release(&f);
    }
}

/* Rows follow each other, columns rise and are inside, and nothing is written behind the last. */
TEST(what_is_filled_in_is_a_matrix)
{
    for (size_t i = 0; i < COUNT(patterns); i++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            const struct sg_case c =
                case_of(patterns[i].m, patterns[i].k, patterns[i].pattern, patterns[i].share);
            struct filled f = filled_of(&c, seed);
            assert_int_equal(f.row_ptr[0], 0);
            assert_int_equal(f.row_ptr[f.rows], f.counts.blocks);
            assert_int_equal(f.col[f.counts.blocks], -7);
            for (int row = 0; row < f.rows; row++) {
                assert_int_equal(f.row_ptr[row + 1] - f.row_ptr[row], f.counts.in_row[row]);
                for (int b = f.row_ptr[row]; b < f.row_ptr[row + 1]; b++)
                    if (f.col[b] < 0 || f.col[b] >= f.columns ||
                        (b > f.row_ptr[row] && f.col[b] <= f.col[b - 1]))
                        fail_msg("%s, seed %llu: row %d has column %d", patterns[i].sentence,
                                 (unsigned long long)seed, row, f.col[b]);
            }
            filled_release(&f);
        }
}

/* Elements of A inside of the matrix and rows of B, counted one by one. */
static struct bsr_needs count_needs(const struct sg_case *c, const struct filled *f)
{
    struct bsr_needs needs = {0, 0};
    bool *is_used = sg_alloc((size_t)f->columns, sizeof(*is_used));
    for (int64_t row = 0; row < c->dim[BSR_M]; row++)
        for (int b = f->row_ptr[row / BSR_BLOCK]; b < f->row_ptr[row / BSR_BLOCK + 1]; b++)
            for (int k = 0; k < BSR_BLOCK; k++)
                needs.elements_a += (int64_t)f->col[b] * BSR_BLOCK + k < c->dim[BSR_K];
    for (int64_t b = 0; b < f->counts.blocks; b++)
        is_used[f->col[b]] = true;
    for (int64_t k = 0; k < c->dim[BSR_K]; k++)
        needs.rows_b += is_used[k / BSR_BLOCK] ? 1 : 0;
    free(is_used);
    return needs;
}

TEST(the_work_is_that_of_the_blocks_whatever_the_seed)
{
    for (size_t i = 0; i < COUNT(patterns); i++)
        for (uint64_t seed = 0; seed < 3 && patterns[i].m < 100000; seed++) {
            const struct sg_case c =
                case_of(patterns[i].m, patterns[i].k, patterns[i].pattern, patterns[i].share);
            struct filled f = filled_of(&c, seed);
            const struct bsr_needs is = bsr_needs_of(&c), should = count_needs(&c, &f);
            if (is.elements_a != should.elements_a || is.rows_b != should.rows_b)
                fail_msg("%s, seed %llu: %.0f elements and %.0f rows, counted %.0f and %.0f",
                         patterns[i].sentence, (unsigned long long)seed, is.elements_a, is.rows_b,
                         should.elements_a, should.rows_b);
            assert_true(bsr_density(&c) ==
                        should.elements_a / ((double)c.dim[BSR_M] * (double)c.dim[BSR_K]));
            filled_release(&f);
        }
}

TEST(the_longest_rows_come_first)
{
    for (size_t i = 0; i < COUNT(patterns); i++) {
        const struct sg_case c =
            case_of(patterns[i].m, patterns[i].k, patterns[i].pattern, patterns[i].share);
        struct bsr_counts counts;
        int32_t order[BSR_MOST_ROWS];
        bool is_there[BSR_MOST_ROWS] = {false};
        bsr_count(&c, &counts);
        bsr_longest_first(&counts, bsr_block_rows(&c), order);
        for (int at = 0; at < bsr_block_rows(&c); at++) {
            assert_false(is_there[order[at]]);
            is_there[order[at]] = true;
            if (at > 0 && (counts.in_row[order[at]] > counts.in_row[order[at - 1]] ||
                           (counts.in_row[order[at]] == counts.in_row[order[at - 1]] &&
                            order[at] < order[at - 1])))
                fail_msg("%s: row %d behind row %d", patterns[i].sentence, order[at],
                         order[at - 1]);
        }
    }
}

TEST(cases_that_cannot_be_are_refused)
{
    static const struct {
        const char *sentence, *says;
        int64_t dim[BSR_DIM_COUNT];
    } rows[] = {
        {"no rows", "m is 0", {0, 8, 1, BSR_UNIFORM, 1}},
        {"more rows than are counted", "m is 131073", {131073, 8, 1, BSR_UNIFORM, 1}},
        {"a pattern that is none", "pattern is 5", {1, 8, 1, BSR_PATTERNS, 1}},
        {"more than all", "share is 1001", {1, 8, 1, BSR_UNIFORM, 1001}},
        {"a band wider than the matrix", "share is 3", {1, 8, 256, BSR_BANDED, 3}},
        {"rows that start anywhere", "n is 12", {1, 12, 1, BSR_UNIFORM, 1}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_case c = {.name = "c"};
        struct sg_reason why = {""};
        memcpy(c.dim, rows[i].dim, sizeof(rows[i].dim));
        if (bsr_check_aligned(&c, &why) || !strstr(why.text, rows[i].says))
            fail_msg("%s: %s", rows[i].sentence, why.text);
    }
}
