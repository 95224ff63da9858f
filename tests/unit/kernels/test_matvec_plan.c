/* matvec/matvec_plan.h: walks every piece of vec16_rows's work without a GPU and
 * counts what each lane would load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "matvec/matvec_plan.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { F32 = 4, BF16 = 8, WARP = 32 }; /* elements of 16 bytes */

struct shape {
    const char *sentence;
    int64_t rows, cols;
    int per_vector;
    struct matvec_plan plan; /* vectors_per_split is not compared */
};

static const struct shape shapes[] = {
    {"one column: a thread a row", 65536, 1, F32, {MATVEC_TINY, 1, 1, 1, 0}},
    {"eight columns: still a thread a row, aligned or not", 100, 8, BF16, {MATVEC_TINY, 1, 1, 1, 0}},
    {"nine columns: a warp a row, shifted", 100, 9, BF16, {MATVEC_SHIFTED, 32, 1, 1, 0}},
    {"short aligned rows: eight lanes take two of them", 131072, 64, F32, {MATVEC_ALIGNED, 8, 2, 1, 0}},
    {"an odd number of short rows", 131071, 64, BF16, {MATVEC_ALIGNED, 8, 2, 1, 0}},
    {"many long rows: a warp takes two", 57344, 7168, BF16, {MATVEC_ALIGNED, 32, 2, 1, 0}},
    {"fewer long rows: a warp takes one", 4096, 4096, F32, {MATVEC_ALIGNED, 32, 1, 1, 0}},
    {"a tail of one vector", 2047, 4100, F32, {MATVEC_ALIGNED, 32, 1, 1, 0}},
    {"ragged f32", 1000, 1003, F32, {MATVEC_SHIFTED, 32, 1, 1, 0}},
    {"ragged bf16", 1000, 1003, BF16, {MATVEC_SHIFTED, 32, 1, 1, 0}},
    {"ragged and one below a round size", 4097, 8191, BF16, {MATVEC_SHIFTED, 32, 1, 1, 0}},
    {"one long row is split 1024 times", 1, 1048576, F32, {MATVEC_ALIGNED, 32, 1, 1024, 0}},
    {"a few long rows are split", 16, 131072, BF16, {MATVEC_ALIGNED, 32, 1, 64, 0}},
    {"a few long ragged rows are split, into whole steps of a warp", 3, 262147, F32, {MATVEC_SHIFTED, 32, 1, 228, 0}},
    {"one row too short to be worth splitting", 1, 1024, F32, {MATVEC_ALIGNED, 32, 1, 1, 0}},
};

static void every_shape_gets_its_plan(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const struct shape *s = &shapes[i];
        const struct matvec_plan plan = matvec_plan_of(s->rows, s->cols, s->per_vector);
        if (plan.path != s->plan.path || plan.lanes != s->plan.lanes || plan.rows != s->plan.rows || plan.splits != s->plan.splits)
            fail_msg("%s: path %d, %d lanes, %d rows, %d splits", s->sentence, (int)plan.path, plan.lanes, plan.rows, plan.splits);
        if (plan.splits > 1 && plan.splits * s->rows > MATVEC_PARTIALS)
            fail_msg("%s: %d splits of %lld rows do not fit the scratch buffer", s->sentence, plan.splits, (long long)s->rows);
    }
}

static void load_vector(const struct shape *s, int64_t row, int64_t column, unsigned char *seen)
{
    if ((row * s->cols + column) % s->per_vector != 0)
        fail_msg("%s: the load at [%lld,%lld] is not aligned", s->sentence, (long long)row, (long long)column);
    for (int i = 0; i < s->per_vector; i++) {
        if (column + i >= s->cols)
            fail_msg("%s: the load at [%lld,%lld] leaves its row", s->sentence, (long long)row, (long long)column);
        seen[column + i]++;
    }
}

/* What all lanes that share an aligned row load of it. */
static void walk_aligned(const struct shape *s, const struct matvec_plan *plan, int64_t row, unsigned char *seen)
{
    for (int split = 0; split < plan->splits; split++) {
        const int begin = split * plan->vectors_per_split;
        const int64_t vectors = s->cols / s->per_vector;
        for (int v = begin; v < begin + plan->vectors_per_split && v < vectors; v++)
            load_vector(s, row, (int64_t)v * s->per_vector, seen);
    }
}

static void walk_shifted(const struct shape *s, const struct matvec_plan *plan, int64_t row, unsigned char *seen)
{
    const struct matvec_span span = matvec_span_of(row, s->cols, s->per_vector);
    for (int split = 0; split < plan->splits; split++) {
        const int begin = split * plan->vectors_per_split;
        for (int v = begin; v < begin + plan->vectors_per_split && v < span.vectors; v++) {
            load_vector(s, row, span.head + (int64_t)v * s->per_vector, seen);
            if ((v + 1 + (span.head > 0)) * (int64_t)s->per_vector > s->cols)
                fail_msg("%s: row %lld, vector %d meets an x that is not there", s->sentence, (long long)row, v);
        }
    }
    for (int lane = 0; lane < WARP; lane++) {
        const int64_t edge = matvec_edge(span, lane, s->per_vector);
        if (edge < s->cols)
            seen[edge]++;
    }
}

/* Alignment repeats after per_vector rows; behind the last row there is nothing. */
static bool is_worth_walking(const struct shape *s, int64_t row)
{
    return row < s->per_vector || row == s->rows - 1;
}

static void walk(const struct shape *s, const struct matvec_plan *plan, int64_t row)
{
    unsigned char *seen = calloc((size_t)s->cols, 1);
    assert_non_null(seen);
    if (plan->path == MATVEC_ALIGNED)
        walk_aligned(s, plan, row, seen);
    else
        walk_shifted(s, plan, row, seen);
    for (int64_t column = 0; column < s->cols; column++)
        if (seen[column] != 1)
            fail_msg("%s: %lld columns, %d a vector: [%lld,%lld] is loaded %d times", s->sentence, (long long)s->cols, s->per_vector,
                     (long long)row, (long long)column, seen[column]);
    free(seen);
}

static void each_element_is_loaded_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const struct matvec_plan plan = matvec_plan_of(shapes[i].rows, shapes[i].cols, shapes[i].per_vector);
        for (int64_t row = 0; plan.path != MATVEC_TINY && row < shapes[i].rows; row++)
            if (is_worth_walking(&shapes[i], row))
                walk(&shapes[i], &plan, row);
    }
}

static void what_is_wished_is_covered_or_refused(void **state)
{
    (void)state;
    static const struct {
        struct shape shape; /* rows of its plan 0: refused */
        struct matvec_wish wish;
    } table[] = {
        {{"nothing is wished", 16, 131072, BF16, {MATVEC_ALIGNED, 32, 1, 64, 0}}, {0, 0}},
        {{"two rows a warp", 16, 131072, BF16, {MATVEC_ALIGNED, 32, 2, 64, 0}}, {2, 0}},
        {{"fewer splits", 16, 131072, BF16, {MATVEC_ALIGNED, 32, 1, 8, 0}}, {0, 8}},
        {{"none at all", 16, 131072, BF16, {MATVEC_ALIGNED, 32, 1, 1, 0}}, {1, 1}},
        {{"as many as partial sums fit", 16, 131072, BF16, {MATVEC_ALIGNED, 32, 2, 256, 0}}, {2, 256}},
        {{"more than that", 16, 131072, BF16, {MATVEC_ALIGNED, 32, 0, 0, 0}}, {0, 512}},
        {{"splits of less than a warp's step", 1, 1024, F32, {MATVEC_ALIGNED, 32, 0, 0, 0}}, {0, 16}},
        {{"splits of one step", 1, 1024, F32, {MATVEC_ALIGNED, 32, 1, 8, 0}}, {0, 8}},
        {{"a number that whole steps do not come out to", 1, 1024, F32, {MATVEC_ALIGNED, 32, 0, 0, 0}}, {0, 7}},
        {{"beyond all numbers", 1, 1024, F32, {MATVEC_ALIGNED, 32, 0, 0, 0}}, {0, INT64_MAX}},
        {{"three rows", 1, 1024, F32, {MATVEC_ALIGNED, 32, 0, 0, 0}}, {3, 0}},
        {{"two shifted rows", 3, 262147, F32, {MATVEC_SHIFTED, 32, 0, 0, 0}}, {2, 0}},
        {{"shifted rows split", 3, 262147, F32, {MATVEC_SHIFTED, 32, 1, 16, 0}}, {0, 16}},
        {{"short rows are two already", 131072, 64, F32, {MATVEC_ALIGNED, 8, 0, 0, 0}}, {1, 0}},
        {{"tiny rows split", 100, 8, BF16, {MATVEC_TINY, 1, 0, 0, 0}}, {0, 2}},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        const struct shape *s = &table[i].shape;
        const int vectors = (int)((s->cols + s->per_vector - 1) / s->per_vector);
        const struct matvec_plan plan = matvec_plan_with(matvec_plan_of(s->rows, s->cols, s->per_vector), s->rows, vectors, table[i].wish);
        if (plan.rows != s->plan.rows || plan.splits != s->plan.splits || plan.path != s->plan.path)
            fail_msg("%s: path %d, %d rows, %d splits", s->sentence, (int)plan.path, plan.rows, plan.splits);
        if (plan.rows > 0)
            walk(s, &plan, s->rows - 1);
    }
}

static void every_small_width_is_covered(void **state)
{
    (void)state;
    for (int per_vector = F32; per_vector <= BF16; per_vector *= 2) {
        for (int64_t cols = MATVEC_TINY_COLS + 1; cols < 700; cols++) {
            const struct shape s = {.sentence = "a small width", .rows = per_vector, .cols = cols, .per_vector = per_vector};
            const struct matvec_plan plan = matvec_plan_of(s.rows, cols, per_vector);
            for (int64_t row = 0; row < s.rows; row++)
                walk(&s, &plan, row);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_gets_its_plan),
        cmocka_unit_test(each_element_is_loaded_once),
        cmocka_unit_test(what_is_wished_is_covered_or_refused),
        cmocka_unit_test(every_small_width_is_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
