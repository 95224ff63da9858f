/* stats/sequential.h: who is measured until when, what a look sees, what an interruption, a
 * death or a broken measurement costs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "stats/decision.h"
#include "stats/sequential.h"
#include "stats/statistics.h"

#define PAIRS_MAX 6

/* Values written by hand: y of a pair in a process is mean +- sd, two of each in turns, so that n
 * of them have about this mean and spread. */
struct script {
    double mean[PAIRS_MAX], sd[PAIRS_MAX];
    unsigned dies_in[PAIRS_MAX]; /* process; 0: never */
    bool is_silent, is_double;   /* gives no value, or two */
    unsigned fails_in;           /* process; 0: never */
    unsigned calls,
        measured[PAIRS_MAX]
                [SG_SEQUENTIAL_PROCESSES_MAX]; /* how often each process measured each pair */
};

static double value(const struct script *script, size_t pair, unsigned process)
{
    return script->mean[pair] + (process % 4 < 2 ? 1 : -1) * script->sd[pair];
}

static enum sg_code play(void *context, unsigned process, const size_t *pairs, size_t count,
                         struct sg_sequential *engine, struct sg_err *err)
{
    struct script *script = context;
    script->calls++;
    for (size_t i = 0; i < count; i++) {
        const size_t pair = pairs[i];
        if (script->fails_in && process == script->fails_in && i == count / 2)
            return sg_fail(err, SG_INTERRUPTED, "", "stopped");
        script->measured[pair][process]++;
        if (script->dies_in[pair] && process == script->dies_in[pair])
            engine->pairs[pair].dead = true;
        else if (!script->is_silent)
            sg_sequential_take(engine, pair,
                               (struct sg_process_value){.y = value(script, pair, process)});
        if (script->is_double)
            sg_sequential_take(engine, pair, (struct sg_process_value){.y = 0.0});
    }
    return SG_SUCCESS;
}

static enum sg_code run(struct script *script, struct sg_sequential_pair *pairs, size_t count,
                        struct sg_err *err)
{
    struct sg_sequential engine = {.pairs = pairs, .count = count, .lambda = 1};
    return sg_sequential_run(&engine, &(struct sg_measurer){.context = script, .measure = play},
                             err);
}

/* ---- verdicts and looks ---- */

TEST(each_pair_stops_at_the_look_that_decides_it)
{
    static const struct {
        const char *sentence;
        double mean, sd, tolerance;
        enum sg_verdict verdict;
        unsigned processes, rows;
        bool even;
    } rows[] = {
        {"no change in a quiet pair is within after ten, however quiet", 0.0, 0.0002, 0.005,
         SG_WITHIN, 10, 0, false},
        {"the same code on both sides has no state of its own, and is after five", 0.0, 0.0002,
         0.005, SG_WITHIN, 5, 0, true},
        {"near 0 it is decided, though it is not within", 0.0, 0.02, 0.005, SG_INCONCLUSIVE, 5, 0,
         true},
        {"off 0 by over two errors it is measured on", 0.003, 0.0022, 0.005, SG_WITHIN, 12, 0,
         true},
        {"2 % is regressed after five", 0.02, 0.0005, 0.005, SG_REGRESSED, 5, 0, false},
        {"-2 % is improved after five", -0.02, 0.0005, 0.005, SG_IMPROVED, 5, 0, false},
        {"1 % is not: five may share the slower state of two", 0.01, 0.0001, 0.005, SG_REGRESSED,
         10, 0, false},
        {"1 % at 0.1 % is more than that", 0.01, 0.0001, 0.001, SG_REGRESSED, 5, 0, false},
        {"ten must hold with one more at the tolerance: 4.2 errors beyond are not enough", 0.01,
         0.00428, 0.005, SG_REGRESSED, 20, 0, false},
        {"5 errors are", 0.01, 0.0035, 0.005, SG_REGRESSED, 10, 0, false},
        {"noise takes no more", 0.0, 0.0045, 0.005, SG_WITHIN, 10, 0, false},
        {"more of it takes twelve", 0.0, 0.0067, 0.005, SG_WITHIN, 12, 0, false},
        {"and what twenty cannot tell is inconclusive", 0.004, 0.006, 0.005, SG_INCONCLUSIVE, 20, 0,
         false},
        {"a wider tolerance tells as soon as any", 0.004, 0.006, 0.05, SG_WITHIN, 10, 0, false},
        {"2 % and some noise is regressed after five", 0.02, 0.0015, 0.005, SG_REGRESSED, 5, 1,
         false},
        {"but not where many rows are judged together", 0.02, 0.0015, 0.005, SG_REGRESSED, 10, 1000,
         false},
        {"however many, a quiet row needs no more", 0.02, 0.0001, 0.005, SG_REGRESSED, 5, 1000,
         false},
        {"what twenty do not make sure keeps the verdict of the rule", 0.01, 0.0042, 0.005,
         SG_REGRESSED, 20, 1000000, false},
        {"a row that is no slower takes what it takes alone", 0.0, 0.0045, 0.005, SG_WITHIN, 10, 9,
         false},
        {"five that agree by chance are not enough near the tolerance", 0.0065, 0.0001, 0.005,
         SG_REGRESSED, 10, 0, false},
        {"nor for faster, nor for the same code on both sides", -0.0065, 0.0001, 0.005, SG_IMPROVED,
         10, 0, true},
        {"values that are no numbers are invalid, never green", NAN, 0.0, 0.005, SG_INVALID_VALUE,
         5, 0, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct script script = {.mean = {rows[i].mean}, .sd = {rows[i].sd}};
        struct sg_sequential_pair pair = {
            .tolerance = rows[i].tolerance, .rows = rows[i].rows, .even = rows[i].even};
        struct sg_err err = {0};
        assert_int_equal(run(&script, &pair, 1, &err), SG_SUCCESS);
        if (!pair.decided || pair.verdict != rows[i].verdict || pair.n != rows[i].processes ||
            pair.estimate.n != rows[i].processes)
            fail_msg("%s: %s after %u", rows[i].sentence, sg_verdict_word(pair.verdict), pair.n);
    }
}

TEST(orders_are_drawn_half_and_half_at_each_look)
{
    static const unsigned looks[] = SG_LOOKS;
    unsigned first = 0, same = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        const uint64_t orders = sg_sequential_orders(seed);
        assert_true(orders == sg_sequential_orders(seed) && orders >> 20 == 0);
        for (size_t look = 0; look < COUNT(looks); look++) {
            const int ones = __builtin_popcountll(orders & ((UINT64_C(1) << looks[look]) - 1));
            assert_true(abs(2 * ones - (int)looks[look]) <= 1);
        }
        first += orders & 1;
        same += (orders & 1) == (orders >> 1 & 1);
    }
    /* 50 and 40 expected */
    assert_true(first > 30 && first < 70 && same > 20 && same < 60);
}

/* By turns each pair of starts has the same part of a wave of four starts. */
TEST(a_wave_of_four_starts_counts_as_noise_in_drawn_orders)
{
    unsigned covered[2] = {0};
    for (unsigned i = 0; i < 2000; i++) {
        const uint64_t orders[] = {SG_ORDERS_IN_TURN, sg_sequential_orders(i / 8)};
        for (size_t k = 0; k < COUNT(orders); k++) {
            double y[20];
            for (unsigned p = 0; p < COUNT(y); p++)
                y[p] = (orders[k] >> p & 1 ? 1 : -1) * cos(M_PI * (p + 0.5 + i % 8 / 4.0));
            const struct sg_estimate e = sg_abba_estimate_of(y, COUNT(y), orders[k]);
            covered[k] += e.low <= 0 && e.high >= 0;
        }
    }
    assert_true(covered[0] < 1000 && covered[1] > 1800);
}

TEST(pairs_that_are_decided_drop_out)
{
    struct script script = {.mean = {0, 0.004, 0.02}, .sd = {0.0001, 0.006, 0.0001}};
    struct sg_sequential_pair pairs[3] = {
        {.tolerance = 0.005}, {.tolerance = 0.005}, {.tolerance = 0.005}};
    struct sg_err err = {0};
    assert_int_equal(run(&script, pairs, 3, &err), SG_SUCCESS);
    assert_int_equal(script.calls, 20);
    for (unsigned process = 0; process < 20; process++) {
        assert_int_equal(script.measured[0][process], process < 10);
        assert_int_equal(script.measured[1][process], 1);
        assert_int_equal(script.measured[2][process], process < 5);
    }
}

TEST(a_pair_decided_beforehand_is_left_alone)
{
    struct script script = {.mean = {0.5, 0}};
    struct sg_sequential_pair pairs[2] = {{.decided = true, .verdict = SG_IDENTICAL},
                                          {.tolerance = 0.005}};
    struct sg_err err = {0};
    assert_int_equal(run(&script, pairs, 2, &err), SG_SUCCESS);
    assert_int_equal(pairs[0].n, 0);
    assert_int_equal(pairs[0].verdict, SG_IDENTICAL);
    assert_int_equal(pairs[1].verdict, SG_WITHIN);
}

TEST(a_death_costs_its_own_pair_alone)
{
    struct script script = {
        .mean = {0, 0.01, 0}, .sd = {0.0001, 0.0001, 0.0001}, .dies_in = {0, 2, 0}};
    struct sg_sequential_pair pairs[3] = {
        {.tolerance = 0.005}, {.tolerance = 0.005}, {.tolerance = 0.005}};
    struct sg_err err = {0};
    assert_int_equal(run(&script, pairs, 3, &err), SG_SUCCESS);
    assert_int_equal(script.calls, 10);
    assert_int_equal(pairs[0].verdict, SG_WITHIN);
    assert_int_equal(pairs[2].verdict, SG_WITHIN);
    assert_true(pairs[1].dead && !pairs[1].decided);
    assert_int_equal(pairs[1].verdict, SG_INVALID_VALUE);
    assert_int_equal(pairs[1].estimate.n, 2);
    assert_true(fabs(pairs[1].estimate.mean - 0.0101) < 1e-12); /* what it had is shown */
    assert_int_equal(script.measured[1][3], 0);
}

TEST(a_process_is_measured_for_the_look_behind_it)
{
    for (unsigned process = 0; process < SG_SEQUENTIAL_PROCESSES_MAX; process++)
        assert_int_equal(sg_sequential_look(process), process < 5    ? 5
                                                      : process < 10 ? 10
                                                      : process < 12 ? 12
                                                                     : 20);
}

/* ---- going on ---- */

/* Interrupted in every process, in the middle of its pairs: the same decision as in one
 * go, and no value is measured twice. */
TEST(an_interruption_changes_nothing)
{
    for (unsigned stop = 1; stop < 20; stop++) {
        struct script whole = {.mean = {0, 0.004, 0.0095, 0},
                               .sd = {0.0001, 0.006, 0.005, 0.006},
                               .dies_in = {0, 0, 0, 9}};
        struct script cut = whole;
        struct sg_sequential_pair expected[4] = {
            {.tolerance = 0.005}, {.tolerance = 0.005}, {.tolerance = 0.005}, {.tolerance = 0.005}};
        struct sg_sequential_pair found[4];
        struct sg_err err = {0}, none = {0};
        memcpy(found, expected, sizeof(found));
        assert_int_equal(run(&whole, expected, 4, &none), SG_SUCCESS);
        cut.fails_in = stop;
        assert_int_equal(run(&cut, found, 4, &err), SG_INTERRUPTED);
        cut.fails_in = 0;
        assert_int_equal(run(&cut, found, 4, &none), SG_SUCCESS);
        for (size_t i = 0; i < 4; i++) {
            if (found[i].verdict != expected[i].verdict || found[i].n != expected[i].n ||
                found[i].estimate.mean != expected[i].estimate.mean)
                fail_msg("stopped in process %u: pair %zu is %s after %u", stop, i,
                         sg_verdict_word(found[i].verdict), found[i].n);
            for (unsigned process = 0; process < 20; process++)
                assert_int_equal(cut.measured[i][process], whole.measured[i][process]);
        }
    }
}

TEST(values_beyond_a_look_do_not_change_it)
{
    struct script script = {.mean = {0}};
    struct sg_sequential_pair pair = {
        .tolerance = 0.005, .even = true, .n = 7, .y = {0, 0, 0, 0, 0, 0.5, 0.5}};
    struct sg_err err = {0};
    assert_int_equal(run(&script, &pair, 1, &err), SG_SUCCESS);
    assert_int_equal(script.calls, 0);
    assert_int_equal(pair.verdict, SG_WITHIN);
    assert_int_equal(pair.estimate.n, 5);
    assert_true(pair.estimate.mean == 0);
}

/* ---- calibration ---- */

TEST(lambda_widens_and_may_be_learnt_later)
{
    struct script script = {.mean = {0}, .sd = {0.004}};
    struct sg_sequential_pair pair = {.tolerance = 0.005};
    struct sg_sequential engine = {.pairs = &pair, .count = 1, .lambda = 1};
    const struct sg_measurer measurer = {.context = &script, .measure = play};
    struct sg_err err = {0};
    assert_int_equal(sg_sequential_run(&engine, &measurer, &err), SG_SUCCESS);
    assert_int_equal(pair.n, 10);
    const struct sg_estimate plain = pair.estimate;
    assert_true(pair.resolution == sg_mde90_pair(0.005, plain.sd, 10, 1));
    engine.lambda = 2;
    pair.decided = false;
    assert_int_equal(sg_sequential_run(&engine, &measurer, &err), SG_SUCCESS);
    assert_int_equal(pair.n,
                     20); /* c(.10) 2 SE of ten: 0.7 %; of twelve: 0.6 %; of twenty: 0.4 % */
    const struct sg_estimate twenty = sg_abba_estimate(pair.y, 20);
    assert_true(fabs(pair.estimate.se - 2 * twenty.se) < 1e-15);
    assert_true(fabs(pair.estimate.high - pair.estimate.low - 2 * (twenty.high - twenty.low)) <
                1e-15);
    assert_true(pair.estimate.sd == twenty.sd);
    assert_true(pair.resolution == sg_mde90_pair(0.005, 2 * twenty.sd, 20, 1));
}

TEST(the_detectable_effect_grows_with_rows_and_with_what_is_not_known)
{
    static const struct {
        const char *sentence;
        size_t processes, rows;
        double errors; /* of 20 processes, beyond the tolerance */
    } table[] = {
        /* c20 of .01 is 3.41, and the t quantile of 19 at .01 / (4 * rows) 4.45, 4.90, 5.21 */
        {"one row of known spread", 1000000, 1, 4.830},
        {"no rows are one", 1000000, 0, 4.830},
        {"9 rows", 1000000, 9, 5.970},
        {"25 rows", 1000000, 25, 6.469},
        {"50 rows", 1000000, 50, 6.815},
        {"a spread of 20 processes", 20, 1, 5.263},
        {"of 10", 10, 1, 5.813},
        {"of 5", 5, 1, 7.566},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        const double effect = sg_mde90_pair(0.005, 0.001, table[i].processes, table[i].rows);
        const double errors = (log1p(effect) - log1p(0.005)) / (0.001 / sqrt(20));
        if (fabs(errors - table[i].errors) > 0.01)
            fail_msg("%s: %.4f errors, should be %.3f", table[i].sentence, errors, table[i].errors);
    }
    assert_true(isnan(sg_mde90_pair(0.005, 0.001, 2, 1)));
}

/* ---- what must not happen ---- */

TEST(refusals)
{
    static const struct {
        const char *sentence;
        struct script script;
        double lambda, tolerance;
        unsigned n;
        const char *message;
    } rows[] = {
        {"a measurement that says nothing", {.is_silent = true}, 1, 0.005, 0, "found 0 values"},
        {"one that says it twice", {.is_double = true}, 1, 0.005, 0, "found 2 values"},
        {"a lambda below 1", {.calls = 0}, 0.5, 0.005, 0, "found 0.5"},
        {"no lambda", {.calls = 0}, NAN, 0.005, 0, "found nan"},
        {"an infinite lambda", {.calls = 0}, INFINITY, 0.005, 0, "found inf"},
        {"no tolerance", {.calls = 0}, 1, 0, 0, "found 0"},
        {"a tolerance that is not known", {.calls = 0}, 1, NAN, 0, "found nan"},
        {"more processes than fit", {.calls = 0}, 1, 0.005, 21, "found 21"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct script script = rows[i].script;
        struct sg_sequential_pair pair = {.tolerance = rows[i].tolerance, .n = rows[i].n};
        struct sg_sequential engine = {.pairs = &pair, .count = 1, .lambda = rows[i].lambda};
        struct sg_err err = {0};
        const enum sg_code code = sg_sequential_run(
            &engine, &(struct sg_measurer){.context = &script, .measure = play}, &err);
        if (code != SG_INVALID || !strstr(err.message, rows[i].message) || pair.decided)
            fail_msg("%s: code %d, '%s'", rows[i].sentence, code, err.message);
    }
}

/* ---- what would settle it ---- */

TEST(what_would_settle_it)
{
    static const struct {
        const char *sentence;
        double mean, sd, blocks_se;
        const char *says[3];
    } rows[] = {
        /* SE 0.13765 %: 0.4 % + 2.26 SE is 0.71 %, as a ratio 0.715 % */
        ROW("near the tolerance from below", 0.004, 0.006, 0,
            LIST("+0.401 % cannot be distinguished from 0.5 % by 20 processes, the maximum",
                 "processes differ by 0.62 %; ", "with a tolerance of 0.72 % it would be within")),
        ROW("near it from above", 0.006, 0.006, 0,
            LIST("+0.602 % cannot be distinguished", "differ by 0.62 %;",
                 "with a tolerance of 0.92 %")),
        ROW("of what is faster, from the tolerance for faster", -0.006, 0.006, 0,
            LIST("-0.598 % cannot be distinguished from -0.5 % by", "",
                 "with a tolerance of 0.92 %")),
        ROW("on it", 0.00499, 0.006, 0, LIST("+0.5 % cannot be distinguished from 0.5 %", "", "")),
        ROW("blocks are the noise", 0.004, 0.006, 0.005,
            LIST("", "mostly by noise within each (66 %)", "")),
        ROW("blocks are not the noise", 0.004, 0.006, 0.002,
            LIST("", "mostly by state that lasts a whole process (89 %)", "")),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct script script = {.mean = {rows[i].mean}, .sd = {rows[i].sd}};
        struct sg_sequential_pair pair = {.tolerance = 0.005};
        struct sg_err err = {0};
        SG_SCOPED(sg_text) text = {0};
        assert_int_equal(run(&script, &pair, 1, &err), SG_SUCCESS);
        assert_int_equal(pair.verdict, SG_INCONCLUSIVE);
        for (unsigned k = 0; k < pair.n; k++)
            pair.blocks_se[k] = rows[i].blocks_se;
        sg_sequential_describe_settling(&pair, &text);
        for (size_t k = 0; k < COUNT(rows[i].says); k++)
            if (!strstr(sg_text_string(&text), rows[i].says[k]))
                fail_msg("%s: '%s' has no '%s'", rows[i].sentence, sg_text_string(&text),
                         rows[i].says[k]);
        assert_null(strchr(sg_text_string(&text), '\n'));
    }
}
