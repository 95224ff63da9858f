/* worker/output_check.h and worker/random_fill.h: what counts as right, which fault is told, the
 * guards; inputs that are the same for the same seed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "util/dtype.h"
#include "util/text.h"
#include "worker/output_check.h"
#include "worker/random_fill.h"

#define ELEMENTS 4

static const struct sg_tolerance loose = {.rel_rms = 1e-3, .rel_max = 1e-2, .reason = "test"};
static const struct sg_tolerance tight_max = {.rel_rms = 1, .rel_max = 1e-6, .reason = "test"};
static const struct sg_tolerance tight_rms = {.rel_rms = 1e-6, .rel_max = 1, .reason = "test"};
static const struct sg_tolerance exact = {.reason = "test"};

/* got[] that equals POISON stands for an element that nobody wrote. */
#define POISON 1e300

TEST(verdicts)
{
    static const struct {
        const char *sentence;
        enum sg_dtype dtype;
        const struct sg_tolerance *tolerance;
        double got[ELEMENTS], expected[ELEMENTS];
        enum sg_status status;
        const char *says; /* part of the message */
    } rows[] = {
        ROW("equal is right", SG_F32, &exact, LIST(1, 2, 3, 4), LIST(1, 2, 3, 4), SG_OK, ""),
        ROW("exact means the reference rounded to the dtype", SG_BF16, &exact, LIST(1, 2, 3, 4),
            LIST(1.001, 2, 3, 4), SG_OK, ""),
        ROW("zero and minus zero are equal", SG_F32, &exact, LIST(0, 2, 3, 4), LIST(-0.0, 2, 3, 4),
            SG_OK, ""),
        ROW("a small error is allowed", SG_F32, &loose, LIST(1.0001, 2, 3, 4), LIST(1, 2, 3, 4),
            SG_OK, ""),
        ROW("the same error is wrong where equality is asked", SG_F32, &exact,
            LIST(1.0001, 2, 3, 4), LIST(1, 2, 3, 4), SG_WRONG, "must be equal"),
        ROW("one large error", SG_F32, &loose, LIST(1, 2, 24.5, 4), LIST(1, 2, 0.5, 4), SG_WRONG,
            "y[1,0]: 24.5, reference 0.5, error 24;"),
        ROW("rel_max alone fails", SG_F32, &tight_max, LIST(1.001, 2, 3, 4), LIST(1, 2, 3, 4),
            SG_WRONG, "allowed rel_max 1e-06"),
        ROW("rel_rms alone fails", SG_F32, &tight_rms, LIST(1.001, 2, 3, 4), LIST(1, 2, 3, 4),
            SG_WRONG, "allowed rel_rms 1e-06"),
        ROW("nan is nan", SG_F32, &loose, LIST(1, NAN, 3, 4), LIST(1, 2, 3, 4), SG_NAN,
            "y[0,1]: nan, reference 2; 1 of 4 elements; seed 9"),
        ROW("nan is right where the reference has none", SG_F32, &loose, LIST(1, NAN, 3, 4),
            LIST(1, NAN, 3, 4), SG_OK, ""),
        ROW("a number is wrong where the reference has none", SG_F32, &loose, LIST(1, 2, 3, 4),
            LIST(1, NAN, 3, 4), SG_WRONG, "y[0,1]"),
        ROW("infinity is right where the reference is infinite", SG_F32, &loose,
            LIST(1, INFINITY, 3, 4), LIST(1, INFINITY, 3, 4), SG_OK, ""),
        ROW("infinity is wrong elsewhere", SG_F32, &loose, LIST(1, INFINITY, 3, 4),
            LIST(1, 2, 3, 4), SG_WRONG, "y[0,1]: inf"),
        ROW("an element that was not written", SG_F32, &loose, LIST(1, 2, 3, POISON),
            LIST(1, 2, 3, 4), SG_UNWRITTEN, "y[1,1]: never written"),
        ROW("unwritten comes before nan", SG_F32, &loose, LIST(1, NAN, 3, POISON), LIST(1, 2, 3, 4),
            SG_UNWRITTEN, "y[1,1]"),
        ROW("nan comes before wrong", SG_F32, &loose, LIST(100, NAN, 3, 4), LIST(1, 2, 3, 4),
            SG_NAN, "y[0,1]"),
        ROW("unwritten e4m3", SG_E4M3, &loose, LIST(1, POISON, 3, 4), LIST(1, 2, 3, 4),
            SG_UNWRITTEN, "y[0,1]"),
        ROW("unwritten integers", SG_I8, &exact, LIST(1, POISON, 3, 4), LIST(1, 2, 3, 4),
            SG_UNWRITTEN, "y[0,1]"),
        ROW("an integer that happens to equal its poison", SG_I8, &exact, LIST(1, -91, 3, 4),
            LIST(1, -91, 3, 4), SG_OK, ""),
        ROW("all zero against all zero", SG_F32, &loose, LIST(0, 0, 0, 0), LIST(0, 0, 0, 0), SG_OK,
            ""),
        ROW("anything against all zero", SG_F32, &loose, LIST(0, 0, 1e-30, 0), LIST(0, 0, 0, 0),
            SG_WRONG, "found inf"),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_buffer buffer = {
            .name = "y", .dtype = rows[i].dtype, .count = ELEMENTS, .row = 2, .use = SG_OUTPUT};
        double memory[ELEMENTS];
        struct sg_outcome outcome = {.status = SG_OK};
        for (uint64_t k = 0; k < ELEMENTS; k++)
            sg_dtype_store(rows[i].dtype, memory, k,
                           rows[i].got[k] == POISON
                               ? sg_dtype_poison_bits(rows[i].dtype, 0)
                               : sg_dtype_encode(rows[i].dtype, rows[i].got[k]));
        const struct sg_check check = {.buffer = &buffer,
                                       .got = memory,
                                       .expected = rows[i].expected,
                                       .tolerance = *rows[i].tolerance,
                                       .poisoned = true,
                                       .inputs = "seed 9"};
        struct sg_output_difference difference;
        sg_check_measure(&check, &difference);
        if (sg_check_judge(&check, &difference, &outcome) != rows[i].status ||
            !strstr(outcome.message, rows[i].says))
            fail_msg("%s: %s: %s", rows[i].sentence, sg_status_word(outcome.status),
                     outcome.message);
    }
}

/* 1,000 elements of 1 to 2, some replaced by a larger number: errors in a large and a small one. */
TEST(what_is_no_outlier_is_judged_beside_outliers)
{
    enum { MANY = 1000 };
    static const struct sg_buffer buffer = {
        .name = "y", .dtype = SG_F64, .count = MANY, .use = SG_OUTPUT};
    static const struct {
        const char *sentence;
        double large;
        uint64_t count;          /* of large ones */
        double of_one, of_large; /* errors, relative to the element */
        enum sg_status status;
        uint64_t outliers, both_nan;
    } rows[] = {
        {"twenty times as much is not an outlier", 20, 10, 5e-3, 1e-3, SG_OK, 0, 0},
        {"a thousand is one", 1e3, 1, 5e-3, 5e-4, SG_OK, 1, 0},
        {"one outlier", 1e12, 1, 5e-3, 5e-4, SG_OK, 1, 0},
        {"hides no error", 1e12, 1, 0.2, 0, SG_WRONG, 1, 0},
        {"nor the error of the outlier", -1e12, 1, 0, 0.02, SG_WRONG, 1, 0},
        {"a mask of one number", -1e9, 900, 5e-3, 5e-4, SG_OK, 900, 0},
        {"hides none", -1e9, 900, 0.2, 0, SG_WRONG, 900, 0},
        {"infinities do not count", INFINITY, 900, 5e-3, 0, SG_OK, 0, 0},
        {"what is not a number is counted", NAN, 900, 5e-3, 0, SG_OK, 0, 900},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double got[MANY], expected[MANY];
        struct sg_outcome outcome = {.status = SG_OK};
        struct sg_output_difference d;
        const struct sg_check check = {.buffer = &buffer,
                                       .got = got,
                                       .expected = expected,
                                       .tolerance = {.rel_rms = 1e-3, .rel_max = 1e-2},
                                       .inputs = "seed 9"};
        for (uint64_t k = 0; k < MANY; k++)
            got[k] = expected[k] = k < rows[i].count ? rows[i].large : 1 + (double)k / MANY;
        got[0] *= 1 + rows[i].of_large;
        got[MANY - 1] *= 1 + rows[i].of_one;
        sg_check_measure(&check, &d);
        if (sg_check_judge(&check, &d, &outcome) != rows[i].status ||
            d.outliers != rows[i].outliers || d.both_nan != rows[i].both_nan || d.rms < 1)
            fail_msg("%s: %s: %s; %llu, %llu", rows[i].sentence, sg_status_word(outcome.status),
                     outcome.message, (unsigned long long)d.outliers,
                     (unsigned long long)d.both_nan);
    }
}

/* Elements are compared in pieces: one fault at a time, at both ends of each. */
TEST(no_element_is_passed_over)
{
    enum { MANY = 66000 };
    static const uint64_t places[] = {0, 1023, 1024, 2047, 2048, 65535, 65536, MANY - 1};
    const struct sg_buffer buffer = {.name = "y", .dtype = SG_F32, .count = MANY, .use = SG_OUTPUT};
    static float got[MANY];
    static double expected[MANY];
    for (uint64_t i = 0; i < MANY; i++)
        expected[i] = got[i] = (float)i + 1;
    for (size_t i = 0; i < COUNT(places); i++) {
        const struct sg_check check = {.buffer = &buffer,
                                       .got = got,
                                       .expected = expected,
                                       .tolerance = exact,
                                       .inputs = "seed 9"};
        struct sg_output_difference difference;
        const float was = got[places[i]];
        got[places[i]] = was + 0.5f;
        sg_check_measure(&check, &difference);
        assert_int_equal(difference.wrong, 1);
        assert_int_equal(difference.worst, places[i]);
        got[places[i]] = NAN;
        sg_check_measure(&check, &difference);
        assert_int_equal(difference.nan, 1);
        assert_int_equal(difference.first_nan, places[i]);
        got[places[i]] = was;
        sg_check_measure(&check, &difference);
        assert_int_equal(difference.wrong + difference.nan + difference.unwritten, 0);
    }
}

static bool same_difference(const struct sg_output_difference *a,
                            const struct sg_output_difference *b)
{
    return a->unwritten == b->unwritten && a->first_unwritten == b->first_unwritten &&
           a->nan == b->nan && a->first_nan == b->first_nan && a->wrong == b->wrong &&
           a->worst == b->worst && a->rel_rms == b->rel_rms && a->rel_max == b->rel_max;
}

/* Sums are of doubles, so their order shows in the last bits. */
TEST(nothing_depends_on_the_threads)
{
    enum { MANY = 500000 };
    static const unsigned threads[] = {0, 2, 3, 7, 1000};
    static const struct {
        const char *sentence;
        uint64_t unwritten, nan, far; /* elements; MANY: none */
    } rows[] = {
        {"small errors only", MANY, MANY, MANY},
        {"an element far off", MANY, MANY, 300000},
        {"not a number at the end", MANY, MANY - 1, 5},
        {"never written, in two parts", 65535, MANY, 65536},
    };
    const struct sg_buffer buffer = {.name = "y", .dtype = SG_F32, .count = MANY, .use = SG_OUTPUT};
    float *got = sg_alloc(MANY + 1, sizeof(*got));
    double *expected = sg_alloc(MANY, sizeof(*expected));
    for (size_t row = 0; row < COUNT(rows); row++) {
        struct sg_check check = {.buffer = &buffer,
                                 .got = got,
                                 .expected = expected,
                                 .tolerance = loose,
                                 .poisoned = true,
                                 .inputs = "",
                                 .threads = 1};
        struct sg_output_difference alone, together;
        for (uint64_t i = 0; i < MANY; i++) {
            expected[i] = sin((double)i);
            got[i] = (float)(expected[i] * (1 + 1e-5 * cos((double)i)));
        }
        got[rows[row].far] += 3;
        got[rows[row].nan] = NAN;
        sg_dtype_store(SG_F32, got, rows[row].unwritten, sg_dtype_poison_bits(SG_F32, 0));
        sg_check_measure(&check, &alone);
        assert_int_equal(alone.nan, rows[row].nan < MANY);
        assert_int_equal(alone.unwritten, rows[row].unwritten < MANY);
        assert_true(alone.rel_rms > 0);
        for (size_t i = 0; i < COUNT(threads); i++) {
            check.threads = threads[i];
            sg_check_measure(&check, &together);
            if (!same_difference(&alone, &together))
                fail_msg("%s: %u threads find rel_rms %.17g, one finds %.17g", rows[row].sentence,
                         threads[i], together.rel_rms, alone.rel_rms);
        }
    }
    free(got);
    free(expected);
}

TEST(first_outcome_wins)
{
    struct sg_outcome outcome = {.status = SG_OK};
    assert_int_equal(sg_outcome_set(&outcome, SG_OVERRUN, "by %d", 1), SG_OVERRUN);
    assert_int_equal(sg_outcome_set(&outcome, SG_WRONG, "by %d", 2), SG_OVERRUN);
    assert_string_equal(outcome.message, "by 1");
}

TEST(guards)
{
    unsigned char guard[SG_GUARD_BYTES];
    sg_guard_fill(guard, 300, sizeof(guard));
    assert_int_equal(sg_guard_find_change(guard, 300, sizeof(guard)), sizeof(guard));
    for (size_t at = 0; at < sizeof(guard); at += 455) {
        guard[at] ^= 1;
        assert_int_equal(sg_guard_find_change(guard, 300, sizeof(guard)), at);
        guard[at] ^= 1;
    }
    /* A guard that was moved by any whole number of words is no guard. */
    for (uint64_t by = 4; by < 1024; by += 4)
        assert_true(sg_guard_find_change(guard, 300 + by, sizeof(guard)) < sizeof(guard));
}

TEST(fills)
{
    static const struct {
        const char *sentence;
        enum sg_dtype dtype;
        uint64_t count;
        double scale;
        bool integers;
        double sd, slack; /* expected of the values */
        enum sg_fill kind;
    } rows[] = {
        {"normal f32", SG_F32, 100000, 0, false, 1, 0.02, SG_NORMAL},
        {"normal bf16 of another scale", SG_BF16, 100000, 0.125, false, 0.125, 0.003, SG_NORMAL},
        {"packed", SG_E2M1, 100001, 1, false, 1, 0.1, SG_NORMAL},
        {"integers", SG_F16, 100000, 5, true, 1.41421356, 0.02, SG_NORMAL},
        {"one element", SG_F32, 1, 1, false, 0, 0, SG_NORMAL},
        {"even between -1 and 1", SG_F32, 100000, 0, false, 0.57735, 0.005, SG_UNIFORM},
        {"even between -2 and 2", SG_F32, 100000, 2, false, 1.1547, 0.005, SG_UNIFORM},
        {"integers of even data", SG_F32, 100000, 2, true, 1.41421356, 0.02, SG_UNIFORM},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_fill_plan plan = {.dtype = rows[i].dtype,
                                    .count = rows[i].count,
                                    .kind = rows[i].kind,
                                    .scale = rows[i].scale,
                                    .integers = rows[i].integers,
                                    .seed = 5};
        const uint64_t bytes = sg_dtype_array_bytes(plan.dtype, plan.count);
        unsigned char *a = calloc(1, bytes), *b = calloc(1, bytes);
        double sum = 0, squares = 0;
        sg_fill(&plan, a);
        sg_fill(&plan, b);
        if (memcmp(a, b, bytes) != 0)
            fail_msg("%s: the same seed gave other bytes", rows[i].sentence);
        for (uint64_t k = 0; k < plan.count; k++) {
            const double x = sg_dtype_get(plan.dtype, a, k);
            if (plan.integers && (x != floor(x) || fabs(x) > 2))
                fail_msg("%s: element %llu is %g", rows[i].sentence, (unsigned long long)k, x);
            if (plan.kind == SG_UNIFORM && fabs(x) > (plan.scale > 0 ? plan.scale : 1))
                fail_msg("%s: element %llu is %g", rows[i].sentence, (unsigned long long)k, x);
            sum += x;
            squares += x * x;
        }
        const double mean = sum / (double)plan.count,
                     sd = sqrt(squares / (double)plan.count - mean * mean);
        if (fabs(sd - rows[i].sd) > rows[i].slack)
            fail_msg("%s: mean %g, sd %g", rows[i].sentence, mean, sd);
        /* Each core draws from a generator of its own. */
        const uint64_t apart = sg_dtype_array_bytes(plan.dtype, 16384);
        for (uint64_t at = apart; at + 64 < bytes && at <= 8 * apart; at += apart)
            if (memcmp(a, a + at, 64) == 0)
                fail_msg("%s: byte %llu begins as byte 0 does", rows[i].sentence,
                         (unsigned long long)at);
        plan.seed = 6;
        sg_fill(&plan, b);
        if (memcmp(a, b, bytes) == 0)
            fail_msg("%s: another seed gave the same bytes", rows[i].sentence);
        free(a);
        free(b);
    }
}
