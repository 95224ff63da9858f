/* worker/error_report.h: from the host copies of an output to its
 * signature, for every outcome that has one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "util/dtype.h"
#include "worker/error_report.h"

#define ELEMENTS 600
#define POISON   1e300 /* stands for an element that nobody wrote */

static const struct sg_tolerance loose = {.rel_rms = 1e-3, .rel_max = 1e-2, .reason = "test"};
static const struct sg_tolerance of_sum = {.rel_rms = 1e-3, .rel_max = 1, .reason = "test"};
static const struct sg_tolerance exact = {.reason = "test"};

TEST(every_outcome_has_its_line)
{
    static const struct {
        const char *sentence;
        enum sg_dtype dtype;
        uint64_t row; /* elements of one */
        const struct sg_tolerance *tolerance;
        uint64_t first, last; /* elements that are otherwise */
        double got;
        enum sg_status status;
        const char *line; /* up to the last part */
    } rows[] = {
        {"an element", SG_F32, 20, &loose, 43, 43, 24.5, SG_WRONG,
         "y: one element at [2,3]; 1 of 600 elements; [2,3] is 24.5, reference 1; seed 7; "},
        {"a row", SG_F32, 20, &loose, 40, 59, 24.5, SG_WRONG,
         "y: row 2; 20 of 600 elements; [2,0] is 24.5, reference 1; seed 7; "},
        {"the tail of one dimension", SG_F16, 0, &exact, 590, 599, 2, SG_WRONG,
         "y: the last 10 elements; 10 of 600 elements; [590] is 2, reference 1; seed 7; "},
        {"infinity", SG_F32, 20, &loose, 599, 599, -INFINITY, SG_WRONG,
         "y: one element at [29,19]; 1 of 600 elements; [29,19] is -inf, reference 1; seed 7; "},
        {"all", SG_BF16, 20, &loose, 0, 599, 0, SG_WRONG,
         "y: all elements; 600 of 600 elements; [0,0] is 0, reference 1; seed 7; "},
        {"too much in all, too little in each", SG_F32, 20, &of_sum, 0, 599, 1.5, SG_WRONG,
         "y: spread; 0 of 600 elements; [0,0] is 1.5, reference 1; seed 7; "},
        {"no numbers", SG_F32, 20, &loose, 20, 39, NAN, SG_NAN,
         "y: row 1; 20 of 600 elements; [1,0] is nan, reference 1; seed 7; "},
        {"never written", SG_F32, 20, &loose, 580, 599, POISON, SG_UNWRITTEN,
         "y: the last row; 20 of 600 elements; [29,0] is never written, reference 1; seed 7; "},
        {"never written, packed", SG_E2M1, 20, &exact, 598, 599, POISON, SG_UNWRITTEN,
         "y: the last 2 elements; 2 of 600 elements; [29,18] is never written, reference 1; seed "
         "7; "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_buffer buffer = {.name = "y",
                                         .dtype = rows[i].dtype,
                                         .count = ELEMENTS,
                                         .row = rows[i].row,
                                         .use = SG_OUTPUT};
        double got[ELEMENTS], expected[ELEMENTS];
        for (uint64_t k = 0; k < ELEMENTS; k++) {
            const double x = k >= rows[i].first && k <= rows[i].last ? rows[i].got : 1;
            expected[k] = 1;
            sg_dtype_store(rows[i].dtype, got, k,
                           x == POISON ? sg_dtype_poison_bits(rows[i].dtype, 0)
                                       : sg_dtype_encode(rows[i].dtype, x));
        }
        const struct sg_check check = {.buffer = &buffer,
                                       .got = got,
                                       .expected = expected,
                                       .tolerance = *rows[i].tolerance,
                                       .poisoned = true,
                                       .inputs = "seed 7"};
        struct sg_output_difference difference;
        struct sg_outcome outcome = {.status = SG_OK};
        struct sg_error_signature report;
        SG_SCOPED(sg_text) line = {0};
        sg_check_measure(&check, &difference);
        if (sg_check_judge(&check, &difference, &outcome) != rows[i].status)
            fail_msg("%s: %s: %s", rows[i].sentence, sg_status_word(outcome.status),
                     outcome.message);
        sg_error_report_check(&check, &difference, outcome.status, NULL, &report);
        sg_error_signature_add(&line, &report);
        if (strncmp(line.data, rows[i].line, strlen(rows[i].line)) != 0)
            fail_msg("%s: %s", rows[i].sentence, line.data);
    }
}

TEST(other_outputs_are_named)
{
    const struct sg_buffer buffer = {.name = "y", .dtype = SG_F32, .count = 4, .use = SG_OUTPUT};
    const float got[] = {1, 2, 3, 5};
    const double expected[] = {1, 2, 3, 4};
    const struct sg_check check = {.buffer = &buffer,
                                   .got = got,
                                   .expected = expected,
                                   .tolerance = exact,
                                   .inputs = "seed 7"};
    struct sg_output_difference difference;
    struct sg_error_signature report;
    SG_SCOPED(sg_names) wrong = {0};
    sg_names_add(&wrong, "x");
    sg_names_add(&wrong, "y");
    sg_names_add(&wrong, "z");
    sg_check_measure(&check, &difference);
    sg_error_report_check(&check, &difference, SG_WRONG, &wrong, &report);
    assert_string_equal(report.where, "y: one element at [3], also in x, also in z");
}

/* Bits, not numbers: NaN equals itself, and 0 is not -0. */
TEST(repeats_are_compared_by_bits)
{
    const struct sg_buffer buffer = {
        .name = "y", .dtype = SG_F32, .count = 6, .row = 3, .use = SG_OUTPUT};
    const float first[] = {1, NAN, 0, 4, 5, 6}, other[] = {1, NAN, -0.0f, 4, 5, 7};
    struct sg_error_signature report;
    sg_error_report_repeat(&buffer, first, first, "repeat 1 of seed 3", &report);
    assert_int_equal(report.elements, 0);
    sg_error_report_repeat(&buffer, first, other, "repeat 1 of seed 3", &report);
    assert_int_equal(report.elements, 2);
    assert_string_equal(report.where, "y: the last column");
    assert_string_equal(report.at, "[0,2]");
    assert_string_equal(report.got, "-0");
    assert_string_equal(report.want, "0");
}

TEST(places_are_what_the_wrong_elements_are_confined_to)
{
    static const struct {
        const char *sentence;
        uint64_t rows, columns, first_row, last_row, first_column, last_column,
            step; /* every step-th element of a block is wrong */
        const char *where;
    } rows[] = {
        {"all", 20, 30, 0, 19, 0, 29, 1, "y: all elements"},
        {"a row", 20, 30, 5, 5, 0, 29, 1, "y: row 5"},
        {"rows, some of them right by chance", 20, 30, 3, 10, 1, 29, 1, "y: rows 3-10"},
        {"the last two rows", 20, 30, 18, 19, 0, 29, 1, "y: the last 2 rows"},
        {"a column", 20, 30, 0, 19, 7, 7, 1, "y: column 7"},
        {"columns to the end", 20, 30, 0, 19, 23, 29, 1, "y: the last 7 columns"},
        {"the tail of the last row", 20, 30, 19, 19, 23, 29, 1, "y: the last 7 elements"},
        {"a block", 20, 30, 4, 11, 8, 15, 1, "y: block of 8x8 at [4,8]"},
        {"half of a block", 20, 30, 4, 11, 8, 15, 2, "y: scattered"},
        {"elements of one dimension", 1, 600, 0, 0, 100, 163, 1, "y: elements 100-163"},
        {"the end of one dimension", 1, 600, 0, 0, 590, 599, 1, "y: the last 10 elements"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_buffer buffer = {.name = "y",
                                         .dtype = SG_F32,
                                         .count = ELEMENTS,
                                         .row = rows[i].rows > 1 ? rows[i].columns : 0,
                                         .use = SG_OUTPUT};
        float first[ELEMENTS] = {0}, other[ELEMENTS] = {0};
        struct sg_error_signature report;
        for (uint64_t row = rows[i].first_row; row <= rows[i].last_row; row++)
            for (uint64_t column = rows[i].first_column; column <= rows[i].last_column;
                 column += rows[i].step)
                other[row * rows[i].columns + column] = 1;
        sg_error_report_repeat(&buffer, first, other, "", &report);
        if (strcmp(report.where, rows[i].where) != 0)
            fail_msg("%s: %s", rows[i].sentence, report.where);
    }
}
