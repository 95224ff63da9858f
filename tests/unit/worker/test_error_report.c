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
        {"a row", SG_F32, 20, &loose, 40, 59, 24.5, SG_WRONG, "y: row 2; 20 of 600 elements; [2,0] is 24.5, reference 1; seed 7; "},
        {"the tail of one dimension", SG_F16, 0, &exact, 590, 599, 2, SG_WRONG,
         "y: the last 10 elements; 10 of 600 elements; [590] is 2, reference 1; seed 7; "},
        {"infinity", SG_F32, 20, &loose, 599, 599, -INFINITY, SG_WRONG,
         "y: one element at [29,19]; 1 of 600 elements; [29,19] is -inf, reference 1; seed 7; "},
        {"all", SG_BF16, 20, &loose, 0, 599, 0, SG_WRONG, "y: all elements; 600 of 600 elements; [0,0] is 0, reference 1; seed 7; "},
        {"too much in all, too little in each", SG_F32, 20, &of_sum, 0, 599, 1.5, SG_WRONG,
         "y: spread; 0 of 600 elements; [0,0] is 1.5, reference 1; seed 7; "},
        {"no numbers", SG_F32, 20, &loose, 20, 39, NAN, SG_NAN, "y: row 1; 20 of 600 elements; [1,0] is nan, reference 1; seed 7; "},
        {"never written", SG_F32, 20, &loose, 580, 599, POISON, SG_UNWRITTEN,
         "y: the last row; 20 of 600 elements; [29,0] is never written, reference 1; seed 7; "},
        {"never written, packed", SG_E2M1, 20, &exact, 598, 599, POISON, SG_UNWRITTEN,
         "y: the last 2 elements; 2 of 600 elements; [29,18] is never written, reference 1; seed 7; "},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_buffer buffer = {.name = "y", .dtype = rows[i].dtype, .count = ELEMENTS, .row = rows[i].row, .use = SG_OUTPUT};
        double got[ELEMENTS], expected[ELEMENTS];
        for (uint64_t k = 0; k < ELEMENTS; k++) {
            const double x = k >= rows[i].first && k <= rows[i].last ? rows[i].got : 1;
            expected[k] = 1;
            sg_dtype_store(rows[i].dtype, got, k, x == POISON ? sg_dtype_poison_bits(rows[i].dtype, 0) : sg_dtype_encode(rows[i].dtype, x));
        }
        const struct sg_check check = {
            .buffer = &buffer, .got = got, .expected = expected, .tolerance = *rows[i].tolerance, .poisoned = true, .inputs = "seed 7"};
        struct sg_output_difference difference;
        struct sg_outcome outcome = {.status = SG_OK};
        struct sg_error_report report;
        struct sg_text line = {0};
        sg_check_measure(&check, &difference);
        if (sg_check_judge(&check, &difference, &outcome) != rows[i].status)
            fail_msg("%s: %s: %s", rows[i].sentence, sg_status_word(outcome.status), outcome.message);
        sg_error_report_check(&check, &difference, outcome.status, NULL, &report);
        sg_error_signature_add(&line, &report.line);
        if (strncmp(line.data, rows[i].line, strlen(rows[i].line)) != 0)
            fail_msg("%s: %s", rows[i].sentence, line.data);
        assert_true(report.firm);
        sg_text_release(&line);
    }
}

TEST(other_outputs_are_named)
{
    const struct sg_buffer buffer = {.name = "y", .dtype = SG_F32, .count = 4, .use = SG_OUTPUT};
    const float got[] = {1, 2, 3, 5};
    const double expected[] = {1, 2, 3, 4};
    const struct sg_check check = {.buffer = &buffer, .got = got, .expected = expected, .tolerance = exact, .inputs = "seed 7"};
    struct sg_output_difference difference;
    struct sg_error_report report, alone;
    struct sg_names wrong = {0};
    sg_names_add(&wrong, "x");
    sg_names_add(&wrong, "y");
    sg_names_add(&wrong, "z");
    sg_check_measure(&check, &difference);
    sg_error_report_check(&check, &difference, SG_WRONG, &wrong, &report);
    assert_string_equal(report.line.where, "y: one element at [3], also in x, also in z");
    sg_error_report_check(&check, &difference, SG_WRONG, NULL, &alone);
    assert_true(sg_error_report_agrees(&report, &report));
    assert_false(sg_error_report_agrees(&report, &alone));
    sg_names_release(&wrong);
}

/* Bits, not numbers: NaN equals itself, and 0 is not -0. */
TEST(repeats_are_compared_by_bits)
{
    const struct sg_buffer buffer = {.name = "y", .dtype = SG_F32, .count = 6, .row = 3, .use = SG_OUTPUT};
    const float first[] = {1, NAN, 0, 4, 5, 6}, other[] = {1, NAN, -0.0f, 4, 5, 7};
    struct sg_error_report report = {.firm = false};
    sg_error_report_repeat(&buffer, first, first, "repeat 1 of seed 3", &report);
    assert_int_equal(report.line.count, 0);
    sg_error_report_repeat(&buffer, first, other, "repeat 1 of seed 3", &report);
    assert_int_equal(report.line.elements, 2);
    assert_string_equal(report.line.where, "y: the last column");
    assert_string_equal(report.line.at, "[0,2]");
    assert_string_equal(report.line.got, "-0");
    assert_string_equal(report.line.want, "0");
}
