/* tests/method/other_rules.h: the rules that solgate is compared with are what they are called. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "other_rules.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct two_samples of_five(const double *baseline, const double *candidate)
{
    return (struct two_samples){.baseline = baseline, .candidate = candidate, .n_baseline = 5, .n_candidate = 5};
}

static void tests_by_hand(void **state)
{
    (void)state;
    /* means 3 and 6, variances 2.5 each: t = 3 with 8 degrees of freedom */
    const double a[] = {1, 2, 3, 4, 5}, b[] = {4, 5, 6, 7, 8};
    const struct two_samples s = of_five(a, b);
    assert_true(fabs(welch_p(&s) - 0.0170716812) < 1e-9);
    /* ranks of b: 4.5, 6.5, 8, 9, 10 = 38; (38 - 27.5) / sqrt(25 / 12 (11 - 12 / 90)) */
    assert_true(fabs(mann_whitney_p(&s) - erfc(10.5 / sqrt(25.0 / 12 * (11 - 12.0 / 90)) / sqrt(2))) < 1e-12);
    const struct two_samples other_way = of_five(b, a);
    assert_true(fabs(mann_whitney_p(&other_way) - mann_whitney_p(&s)) < 1e-12);
    const double flat[] = {7, 7, 7};
    const struct two_samples none = {.baseline = flat, .candidate = flat, .n_baseline = 3, .n_candidate = 3};
    assert_true(welch_p(&none) == 1 && mann_whitney_p(&none) == 1);
}

static void verdicts(void **state)
{
    (void)state;
    static const double base[] = {96, 98, 100, 102, 104}, slow_3[] = {99, 101, 103, 105, 107}, slow_9[] = {105, 107, 109, 111, 113};
    static const double quiet[] = {99.9, 100, 100, 100, 100.1}, quiet_1[] = {100.9, 101, 101, 101, 101.1};
    static const struct {
        const char *sentence;
        const double *baseline, *candidate;
        int says[RULE_COUNT];
    } rows[] = {
        {"the same", base, base, {0, 0, 0, 0, 0, 0}},
        {"3 % slower in 3 % of noise", base, slow_3, {1, 0, 0, 0, 0, 0}},
        {"and 9 %", base, slow_9, {1, 1, 1, 1, 1, 1}},
        {"and 9 % faster", slow_9, base, {-1, -1, -1, -1, -1, -1}},
        {"1 % slower without noise", quiet, quiet_1, {0, 0, 1, 1, 1, 1}},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (enum rule rule = 0; rule < RULE_COUNT; rule++) {
            const struct two_samples s = of_five(rows[i].baseline, rows[i].candidate);
            if (rule_says(rule, &s) != rows[i].says[rule])
                fail_msg("%s: %s says %d", rows[i].sentence, rule_word(rule), rule_says(rule, &s));
        }
}

static void intervals(void **state)
{
    (void)state;
    static const double base[] = {100, 101, 102, 103, 200}; /* 100 to 103: the tail above the third quartile does not count */
    static const struct {
        const char *sentence;
        double least, clock; /* of the candidate's five, all alike; Hz */
        int says;
    } rows[] = {
        {"a gap of 0.49 % is not clear", 103.5, 0, 0},   {"one of 0.51 % is", 103.53, 0, 1},
        {"nor is one of 0.49 % below", 99.51, 0, 0},     {"and of 0.51 %", 99.49, 0, -1},
        {"the same clock confirms it", 110, 2e9, 1},     {"a clock that is lower by as much takes it back", 110, 2e9 / 1.07, 0},
        {"no gap in time, none in cycles", 101, 3e9, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const double candidate[] = {rows[i].least, rows[i].least, rows[i].least, rows[i].least, rows[i].least};
        struct two_samples s = of_five(base, candidate);
        s.baseline_clock = 2e9;
        s.candidate_clock = rows[i].clock;
        if (rule_says(RULE_INTERVALS, &s) != rows[i].says)
            fail_msg("%s: says %d", rows[i].sentence, rule_says(RULE_INTERVALS, &s));
    }
}

static void too_few_for_a_noise(void **state)
{
    (void)state;
    static const double base[] = {99.9, 100, 100, 100.1}, slow[] = {199.9, 200, 200, 200.1};
    const struct two_samples four = {.baseline = base, .candidate = slow, .n_baseline = 4, .n_candidate = 4};
    assert_int_equal(rule_says(RULE_NOISE, &four), 0);
    assert_int_equal(rule_says(RULE_INTERVALS, &four), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_by_hand),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(intervals),
        cmocka_unit_test(too_few_for_a_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
