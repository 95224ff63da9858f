/* stats/aa_check.h: honest errors give lambda 1, dishonest ones their factor; an uneven pair makes
 * a run invalid; clocks of a pair. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "stats/aa_check.h"
#include "stats/statistics.h"
#include "util/random.h"

#define PAIRS_MAX 2000
#define PROCESSES 5

/* Pairs whose processes have an error that their spread does not show, of
 * `hidden` times the one that it shows. */
static struct sg_aa_check simulate(size_t count, double hidden)
{
    static struct sg_aa pairs[PAIRS_MAX];
    uint64_t random = 1000003;
    for (size_t i = 0; i < count; i++) {
        double y[PROCESSES];
        const double common = hidden * sg_random_normal(&random) / sqrt(PROCESSES);
        for (size_t k = 0; k < PROCESSES; k++)
            y[k] = 0.001 * (sg_random_normal(&random) + common);
        pairs[i] = (struct sg_aa){
            .name = "a/b/c", .estimate = sg_abba_estimate(y, PROCESSES), .verdict = SG_WITHIN};
    }
    return sg_check_aa(pairs, count, 1);
}

TEST(a_lambda_never_shrinks)
{
    static const double y[] = {0.001, -0.001, 0.0005, -0.0005, 0.0001};
    struct sg_aa pairs[20];
    for (size_t i = 0; i < COUNT(pairs); i++)
        pairs[i] = (struct sg_aa){
            .name = "a/b/c", .estimate = sg_abba_estimate(y, COUNT(y)), .verdict = SG_WITHIN};
    assert_true(sg_check_aa(pairs, COUNT(pairs), 1).lambda == 1);
    const struct sg_aa_check c = sg_check_aa(pairs, COUNT(pairs), 1.5);
    assert_true(c.lambda == 1.5);
    assert_non_null(strstr(c.text, "multiplied by 1.50"));
}

TEST(lambdas)
{
    static const struct {
        const char *sentence;
        size_t count;
        double hidden, low, high;
        bool valid;
    } rows[] = {
        {"honest errors of five processes are left alone", 2000, 0, 1, 1, true},
        {"an error that no process shows, half as large as theirs, is made up for in full: 1.12",
         2000, 0.5, 1.08, 1.16, true},
        {"one as large as theirs: 1.41", 2000, 1, 1.36, 1.47, true},
        {"of 20 pairs 1.12 may be chance", 20, 0.5, 1, 1, true},
        {"errors too small by far are not fixed but refused", 2000, 8, 2, 10, false},
        {"of 19 pairs nothing is concluded", 19, 8, 1, 1, true},
        {"of 20 it is", 20, 8, 2, 10, false},
        {"no pairs, no factor", 0, 0, 1, 1, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_aa_check c = simulate(rows[i].count, rows[i].hidden);
        if (!(c.lambda >= rows[i].low && c.lambda <= rows[i].high) || c.valid != rows[i].valid ||
            c.pairs != rows[i].count)
            fail_msg("%s: lambda %g of %zu pairs, %s", rows[i].sentence, c.lambda, c.pairs, c.text);
    }
}

TEST(uneven_pairs)
{
    static const struct {
        const char *sentence;
        enum sg_verdict verdict;
        double p;
        bool valid;
    } rows[] = {
        {"an A/A pair that comes out slower makes a run invalid", SG_REGRESSED, 0.004, false},
        {"and so does one that comes out faster", SG_IMPROVED, 0.004, false},
        {"not where one of so many does by chance", SG_REGRESSED, 0.006, true},
        {"one that could not be decided does not", SG_INCONCLUSIVE, 0.004, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_aa pairs[] = {
            {.name = "f/c/even",
             .estimate = {.mean = 0, .sd = 0.001, .n = 5},
             .verdict = SG_WITHIN},
            {.name = "f/c/odd",
             .estimate = {.mean = 0.0123, .sd = 0.001, .n = 5},
             .verdict = rows[i].verdict,
             .p = rows[i].p},
        };
        const struct sg_aa_check c = sg_check_aa(pairs, COUNT(pairs), 1);
        if (c.valid != rows[i].valid ||
            (!c.valid && (!strstr(c.text, "f/c/odd") || !strstr(c.text, "1.2 %"))))
            fail_msg("%s: %s", rows[i].sentence, c.text);
    }
}

#define COUNT_CLOCKS 10 /* of a side; the rest are not known */

TEST(clocks)
{
    static const struct {
        const char *sentence;
        double base[COUNT_CLOCKS], cand[COUNT_CLOCKS];
        double gap; /* ratio of clocks - 1; NaN: not known */
    } rows[] = {
        {"one clock for both", {2e9, 2e9, 2e9, 2e9, 2e9}, {2e9, 2e9, 2e9, 2e9, 2e9}, 0},
        {"a candidate that is throttled",
         {2e9, 2e9, 2e9, 2e9},
         {1.98e9, 1.98e9, 1.98e9, 1.98e9},
         -0.01},
        {"a clock between whose steps the batches swing: the median would see nothing",
         {2e9, 2e9, 2e9, 2e9, 2e9, 1e9, 2e9, 2e9, 2e9, 3e9},
         {2e9, 2e9, 2e9, 1.98e9, 2e9, 1.98e9, 2e9, 1.98e9, 2e9, 1.98e9},
         -0.0037617826},
        {"an outlier at either end does not count",
         {2e9, 2e9, 2e9, 2e9, 2e9, 2e9, 2e9, 2e9, 2e9, 2e9},
         {1e9, 2e9, 2e9, 2e9, 2e9, 2e9, 2e9, 2e9, 2e9, 3e9},
         0},
        {"clocks that are not known do not count", {0, 0, 0, 2e9}, {0, 2.02e9, 0, 0}, 0.01},
        {"without clocks nothing is said", {0, 0, 0, 0}, {1, 1, 1, 1}, NAN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double base[COUNT_CLOCKS], cand[COUNT_CLOCKS];
        memcpy(base, rows[i].base, sizeof(base));
        memcpy(cand, rows[i].cand, sizeof(cand));
        const double gap = expm1(sg_clock_gap((struct sg_clocks){base, COUNT_CLOCKS},
                                              (struct sg_clocks){cand, COUNT_CLOCKS}));
        if (isnan(rows[i].gap) ? !isnan(gap) : !(fabs(gap - rows[i].gap) < 1e-9))
            fail_msg("%s: %g", rows[i].sentence, gap);
    }
}
