/* scripts/rules_in_use.h: the rules that solgate is compared with are what they are called. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rules_in_use.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void tests_by_hand(void **state)
{
    (void)state;
    /* means 3 and 6, variances 2.5 each: t = 3 with 8 degrees of freedom */
    const double a[] = {1, 2, 3, 4, 5}, b[] = {4, 5, 6, 7, 8};
    const struct two_samples s = {a, b, 5, 5};
    assert_true(fabs(welch_p(&s) - 0.0170716812) < 1e-9);
    /* ranks of b: 4.5, 6.5, 8, 9, 10 = 38; (38 - 27.5) / sqrt(25 / 12 (11 - 12 / 90)) */
    assert_true(fabs(mann_whitney_p(&s) - erfc(10.5 / sqrt(25.0 / 12 * (11 - 12.0 / 90)) / sqrt(2))) < 1e-12);
    const struct two_samples other_way = {b, a, 5, 5};
    assert_true(fabs(mann_whitney_p(&other_way) - mann_whitney_p(&s)) < 1e-12);
    const double flat[] = {7, 7, 7};
    const struct two_samples none = {flat, flat, 3, 3};
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
            const struct two_samples s = {rows[i].baseline, rows[i].candidate, 5, 5};
            if (rule_says(rule, &s) != rows[i].says[rule])
                fail_msg("%s: %s says %d", rows[i].sentence, rule_word(rule), rule_says(rule, &s));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_by_hand),
        cmocka_unit_test(verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
