/* baseline_accept.h and clock.h: what runs become when they are accepted, what is refused, and what the visits say of the clock. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baseline_accept.h"
#include "clock.h"
#include "compare.h"
#include "duet.h"
#include "hand_tables.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define RUNS_MAX     5

static void assert_near(const char *what, double is, double should, double within)
{
    if (!(fabs(is - should) <= within))
        fail_msg("%s: %.12g, should be %.12g +- %g", what, is, should, within);
}

struct desk {
    struct sg_table table[RUNS_MAX];
    struct sg_env env[RUNS_MAX];
    struct sg_accept_run runs[RUNS_MAX];
    size_t run_count;
    struct sg_baseline old, fresh;
    bool has_old;
    struct sg_accept_report report;
    struct sg_err err;
};

static void desk_begin(struct desk *desk, size_t run_count)
{
    static const char *const path[RUNS_MAX] = {"mon", "tue", "wed", "thu", "fri"};
    *desk = (struct desk){.run_count = run_count};
    for (size_t i = 0; i < run_count; i++) {
        hand_env(&desk->env[i]);
        desk->runs[i] = (struct sg_accept_run){.path = path[i], .table = &desk->table[i], .env = &desk->env[i]};
    }
}

static void desk_add(struct desk *desk, size_t run, struct sg_value value)
{
    sg_table_add(&desk->table[run], &value);
}

static struct sg_accepted *desk_accepted(struct desk *desk, struct sg_value value)
{
    if (!desk->has_old)
        hand_env(&desk->old.env);
    desk->has_old = true;
    return hand_accept(&desk->old, &value);
}

static void desk_accept(struct desk *desk, const char *reason, bool prune)
{
    for (size_t i = 0; i < desk->run_count; i++)
        assert_int_equal(sg_table_sort(&desk->table[i], &desk->err), SG_DONE);
    const struct sg_accept_options options = {
        .runs = desk->runs,
        .run_count = desk->run_count,
        .old = desk->has_old ? &desk->old : NULL,
        .catalogue = &hand_catalogue,
        .reason = reason,
        .prune = prune,
    };
    sg_baseline_accept(&options, &desk->fresh, &desk->report, &desk->err);
}

static void desk_end(struct desk *desk)
{
    sg_accept_report_release(&desk->report);
    sg_baseline_release(&desk->fresh);
    sg_baseline_release(&desk->old);
    for (size_t i = 0; i < desk->run_count; i++) {
        sg_table_release(&desk->table[i]);
        sg_env_release(&desk->env[i]);
    }
}

static const struct sg_row *row_of(const struct desk *desk, const char *variant, const char *metric)
{
    return sg_table_find(&desk->fresh.table, "f", "c", variant, metric);
}

static const struct sg_accepted *accepted_of(const struct desk *desk, const char *variant, const char *metric)
{
    const struct sg_row *row = row_of(desk, variant, metric);
    assert_non_null(row);
    return &desk->fresh.accepted[row - desk->fresh.table.rows];
}

static const char *word(const struct desk *desk, sg_id id)
{
    return sg_table_string(&desk->fresh.table, id);
}

/* ---- one run ---- */

static void what_is_no_time_is_not_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *sentence;
        const char *metric;
        double value;
        bool refused;
    } rows[] = {
        {"a ratio below 0", "time_ratio", -1.5, true},
        {"a ratio of 0", "time_ratio", 0, true},
        {"a time that is not a number", "time", NAN, true},
        {"a counter of 0 is a count", "registers", 0, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct desk desk;
        desk_begin(&desk, 1);
        desk_add(&desk, 0, hand_number("v", rows[i].metric, rows[i].value));
        desk_accept(&desk, "because", false);
        if ((desk.err.code == SG_INVALID) != rows[i].refused)
            fail_msg("%s: %d %s", rows[i].sentence, (int)desk.err.code, desk.err.message);
        desk_end(&desk);
    }
}

static void a_run_without_rows_is_not_accepted(void **state)
{
    (void)state;
    struct desk desk;
    desk_begin(&desk, 1);
    desk_accept(&desk, "because", false);
    assert_int_equal(desk.err.code, SG_INVALID);
    desk_end(&desk);
}

static void first_acceptance(void **state)
{
    (void)state;
    struct desk desk;
    desk_begin(&desk, 1);
    desk_add(&desk, 0, hand_words("base", "role", SG_OK, "baseline"));
    desk_add(&desk, 0, hand_words("base", "status", SG_OK, ""));
    desk_add(&desk, 0, hand_number("base", "sm_clock", 1.7e9));
    desk_add(&desk, 0, hand_time("base", 10000, 0.001));
    desk_add(&desk, 0, hand_number("base", "registers", 32));
    desk_add(&desk, 0, hand_words("fast", "role", SG_OK, "candidate"));
    desk_add(&desk, 0, hand_words("fast", "status", SG_OK, ""));
    desk_add(&desk, 0, hand_time("fast", 9000, 0.001));
    desk_add(&desk, 0, hand_ratio("fast", 0.9, 0.0002));
    desk_add(&desk, 0, hand_ratio("slow", 1.2, 0.0002));
    desk_add(&desk, 0, hand_words("zeros", "status", SG_WRONG, "y[0]: 0, reference 3"));
    desk_accept(&desk, NULL, false);
    assert_int_equal(desk.err.code, SG_DONE);
    assert_int_equal(desk.fresh.table.count, 11);

    static const struct {
        const char *sentence, *variant, *metric, *expect;
        bool gate;
    } rows[] = {
        {"an outcome gates", "base", "status", "", true},
        {"the time of the baseline variant gates", "base", "time", "", true},
        {"the time of a candidate does not", "fast", "time", "", false},
        {"the ratio of a candidate gates", "fast", "time_ratio", "", true},
        {"a counter does not gate", "base", "registers", "", false},
        {"a role does not gate", "base", "role", "", false},
        {"a slow candidate is accepted as slow, and gates", "slow", "time_ratio", "regressed", true},
        {"a broken variant is accepted as broken", "zeros", "status", "wrong", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_accepted *accepted = accepted_of(&desk, rows[i].variant, rows[i].metric);
        if (accepted->gate != rows[i].gate || strcmp(word(&desk, accepted->expect), rows[i].expect) != 0)
            fail_msg("%s: gate %d, expect '%s'", rows[i].sentence, accepted->gate, word(&desk, accepted->expect));
    }
    const struct sg_accepted *time = accepted_of(&desk, "base", "time");
    /* two runs of 0.1 %, two errors of 0.02 %: 0.144 % in all, times 2.12 + 3, rounded up */
    assert_near("a ratio takes what its spread can resolve", accepted_of(&desk, "fast", "time_ratio")->tolerance, 0.0075, 1e-12);
    /* two runs of 0.3 %, beta +- 0.3 at 1 % of clock, two errors of 0.1 %: 0.539 % in all, times 5.12, rounded up */
    assert_near("an absolute time takes what its spread can resolve", time->tolerance, 0.028, 1e-12);
    assert_near("f0 is the run's clock", time->f0, 1.7e9, 1);
    assert_near("the spread of processes comes from the interval", time->sd_process, 0.001 * sqrt(5), 1e-12);
    assert_true(isnan(time->beta));   /* no visits, no slope */
    assert_true(isnan(time->sd_day)); /* one run cannot tell */
    assert_near("an exact counter has no spread", accepted_of(&desk, "base", "registers")->sd_day, 0, 0);
    assert_near("value", row_of(&desk, "base", "time")->value, 10000, 0);
    assert_string_equal(sg_env_get(&desk.fresh.env, "gpu"), "h200");
    assert_string_equal(sg_env_get(&desk.fresh.env, "accepted_runs"), "1");
    desk_end(&desk);
}

/* c(.10) by the degrees of freedom of what a later night of as many processes is off by, and 3, times that; two runs of 0.1 % are in it. */
static void the_tolerance_of_a_ratio(void **state)
{
    (void)state;
    static const struct {
        const char *sentence, *suite;
        double se;
        unsigned processes;
        double tolerance;
    } rows[] = {
        {"what the suite wants, where that can be resolved", "0.01", 0.0002, 5, 0.01},
        {"0.144 %, all but known: 2.12 + 3", "0.005", 0.0002, 5, 0.0075},
        {"0.316 % with 12 degrees of freedom: 2.37 + 3", "0.005", 0.002, 5, 0.018},
        {"0.316 % with 59, of twenty processes: 2.15 + 3", "0.005", 0.002, 20, 0.017},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct desk desk;
        desk_begin(&desk, 1);
        struct sg_value ratio = hand_ratio("v", 1.0, rows[i].se);
        const double half = sg_look_constant(SG_ALPHA_05, rows[i].processes) * rows[i].se;
        ratio.low = exp(-half);
        ratio.high = exp(half);
        ratio.n = rows[i].processes;
        desk_add(&desk, 0, ratio);
        sg_env_set(&desk.env[0], "tolerance", rows[i].suite);
        desk_accept(&desk, NULL, false);
        assert_near(rows[i].sentence, accepted_of(&desk, "v", "time_ratio")->tolerance, rows[i].tolerance, 1e-12);
        desk_end(&desk);
    }
}

/* ---- several runs ---- */

static void several_runs_tell_how_days_differ(void **state)
{
    (void)state;
    struct desk desk;
    const double ratio[] = {1.00, 1.01, 1.02};
    const double se = 0.001;
    desk_begin(&desk, 3);
    for (size_t i = 0; i < 3; i++) {
        desk_add(&desk, i, hand_ratio("v", ratio[i], se));
        desk_add(&desk, i, hand_number("v", "dram_bytes", 1000 + 10.0 * (double)i));
        desk_add(&desk, i, hand_number("v", "registers", i == 2 ? 33 : 32));
    }
    desk_accept(&desk, NULL, false);
    assert_int_equal(desk.err.code, SG_DONE);
    double ln[3];
    for (size_t i = 0; i < 3; i++)
        ln[i] = log(ratio[i]);
    const struct sg_row *row = row_of(&desk, "v", "time_ratio");
    assert_near("the mean is of logarithms", log(row->value), sg_mean(ln, 3), 1e-12);
    assert_int_equal(row->n, 15);
    const double sd = sg_sd(ln, 3);
    assert_near("the interval gives the error of the mean back", sg_duet_se_of(row->low, row->high, row->n), sd / sqrt(3), 1e-12);
    assert_near("days differ by what their own errors do not explain", accepted_of(&desk, "v", "time_ratio")->sd_day,
                sqrt(sd * sd - se * se), 1e-12);
    assert_near("a noisy counter is averaged", row_of(&desk, "v", "dram_bytes")->value, 1010, 1e-9);
    assert_near("with its spread", accepted_of(&desk, "v", "dram_bytes")->sd_day, 10.0 / 1010, 1e-9);
    assert_near("an exact counter is the last run's", row_of(&desk, "v", "registers")->value, 33, 0);
    assert_true(accepted_of(&desk, "v", "registers")->sd_day > 0); /* and its differing shows */
    desk_end(&desk);
}

static void counts_of_one_run_and_of_several_keep_their_range(void **state)
{
    (void)state;
    static const struct {
        const char *sentence;
        size_t runs;
        double value, low, high; /* low NaN: no range */
        uint32_t n;
        bool first_once; /* the first run counted once, as 14 passes of an older one */
    } rows[] = {
        {"one run's as it is", 1, 1000, 990, 1010, 5, false},
        {"the range of all counts of all runs", 3, 1013.3333333333334, 990, 1040, 15, false},
        {"a run that has none leaves none", 2, 1015, NAN, NAN, 5, true},
    };
    for (size_t k = 0; k < COUNT(rows); k++) {
        struct desk desk;
        desk_begin(&desk, rows[k].runs);
        for (size_t i = 0; i < rows[k].runs; i++) {
            static const double values[] = {1000, 1030, 1010}; /* the most is not the last */
            const double value = values[i];
            struct sg_value row = hand_counted("v", "dram_bytes", value, value - 10, value + 10, 5);
            row.message = "each: list";
            if (rows[k].first_once && i == 0) {
                row.n = 14;
                row.has = SG_HAS_VALUE | SG_HAS_N;
            }
            desk_add(&desk, i, row);
            desk_add(&desk, i, hand_counted("v", "registers", 32, 32, 32, 5));
        }
        desk_accept(&desk, NULL, false);
        assert_int_equal(desk.err.code, SG_DONE);
        const struct sg_row *row = row_of(&desk, "v", "dram_bytes");
        const bool ranged = (row->has & SG_HAS_LOW) && (row->has & SG_HAS_HIGH);
        if (fabs(row->value - rows[k].value) > 1e-9 || ranged == isnan(rows[k].low) || row->n != rows[k].n ||
            (ranged && (row->low != rows[k].low || row->high != rows[k].high)))
            fail_msg("%s: %g [%g, %g] of %u", rows[k].sentence, row->value, row->low, row->high, (unsigned)row->n);
        /* A list of one run's counts would pass for one of all of them. */
        assert_string_equal(sg_table_string(&desk.fresh.table, row->message), "");
        assert_near("an exact counter has no range to speak of", row_of(&desk, "v", "registers")->high, 32, 0);
        desk_end(&desk);
    }
}

static void days_that_agree_have_no_spread_of_their_own(void **state)
{
    (void)state;
    struct desk desk;
    desk_begin(&desk, 2);
    desk_add(&desk, 0, hand_ratio("v", 1.0, 0.01));
    desk_add(&desk, 1, hand_ratio("v", 1.001, 0.01));
    desk_accept(&desk, NULL, false);
    assert_near("sd_day", accepted_of(&desk, "v", "time_ratio")->sd_day, 0, 0);
    desk_end(&desk);
}

static void a_time_that_a_run_lacks_is_not_one_of_all(void **state)
{
    (void)state;
    static const struct {
        const char *metric;
        bool refused;
    } rows[] = {{"time", true}, {"time_ratio", true}, {"registers", false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct desk desk;
        desk_begin(&desk, 2);
        for (size_t run = 0; run < 2; run++)
            desk_add(&desk, run, hand_words("v", "status", SG_OK, ""));
        desk_add(&desk, 0, hand_number("v", rows[i].metric, 1.0));
        desk_accept(&desk, NULL, false);
        const bool refused = desk.err.code == SG_INVALID && strstr(desk.err.message, "here, but one in mon") != NULL;
        if (refused != rows[i].refused)
            fail_msg("%s: %d %s", rows[i].metric, (int)desk.err.code, desk.err.message);
        desk_end(&desk);
    }
}

/* Three GPUs, by their names in `unit`, whose means are e^0.001, e^0.021 and e^0.01. */
static void add_three_units(struct desk *desk)
{
    static const char *const unit[] = {"b2", "a1", "b2", "c3", "a1"};
    static const double ln[] = {0.020, 0.000, 0.022, 0.010, 0.002};
    desk_begin(desk, COUNT(ln));
    for (size_t i = 0; i < COUNT(ln); i++) {
        sg_env_set(&desk->env[i], "gpu_uuid_hash", unit[i]);
        desk_add(desk, i, hand_ratio("v", exp(ln[i]), 0.001));
    }
}

static void of_several_gpus_each_counts_once(void **state)
{
    (void)state;
    struct desk desk;
    add_three_units(&desk);
    desk_accept(&desk, NULL, false);
    assert_int_equal(desk.err.code, SG_DONE);
    const struct sg_row *row = row_of(&desk, "v", "time_ratio");
    const struct sg_accepted *accepted = accepted_of(&desk, "v", "time_ratio");
    const double mean = 0.032 / 3.0, sd = 0.0100166528; /* of 0.001, 0.021, 0.010 */
    assert_near("the value is the mean of the GPUs", log(row->value), mean, 1e-12);
    assert_near("its error holds what GPUs differ by", sg_duet_se_of(row->low, row->high, row->n), sd / sqrt(3), 1e-10);
    /* errors of 0.1 %, halved in variance where a GPU gave two runs: (0.5 + 0.5 + 1) / 3 */
    assert_near("the spread is that of the GPUs", accepted->sd_day, sqrt(sd * sd - 2e-6 / 3.0), 1e-10);
    assert_near("the spread of processes is not", accepted->sd_process, 0.001 * sqrt(5), 1e-12);
    /* three GPUs do not tell: sqrt(4/3) of the usual 1 %, and errors of 0.1 % and 0.045 %: 1.160 % in all, times 2.12 + 3 */
    assert_near("the tolerance is for one more GPU", accepted->tolerance, 0.062, 1e-12);
    assert_int_equal(row->n, 25);
    assert_string_equal(sg_env_get(&desk.fresh.env, "accepted_runs"), "5");
    assert_string_equal(sg_env_get(&desk.fresh.env, "accepted_units"), "b2+a1+c3");
    desk_end(&desk);
}

/* What a night is called that is off by `far`, ln, on `unit`. */
static enum sg_verdict verdict_of_a_night(struct desk *desk, const char *unit, double far)
{
    struct sg_table night = {0};
    struct sg_env env = {0};
    struct sg_comparison comparison;
    desk_accept(desk, NULL, false);
    assert_int_equal(desk->err.code, SG_DONE);
    const struct sg_value ratio = hand_ratio("v", row_of(desk, "v", "time_ratio")->value * exp(far), 0.001);
    hand_env(&env);
    sg_env_set(&env, "gpu_uuid_hash", unit);
    sg_table_init(&night);
    sg_table_add(&night, &ratio);
    assert_int_equal(sg_compare(&night, &env, &desk->fresh, &hand_catalogue, &comparison, &desk->err), SG_DONE);
    assert_int_equal(comparison.count, 1);
    const enum sg_verdict verdict = comparison.findings[0].accepted;
    sg_comparison_release(&comparison);
    sg_table_release(&night);
    sg_env_release(&env);
    return verdict;
}

/* Of a night's SE, 3 are within what was accepted; the tolerance is rounded up, so 3.4 is beyond it for certain. */
static void a_quiet_night_is_within_what_was_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *sentence;
        bool three_units;
        const char *unit;
        double se; /* of a later night: as worked out in the tests above */
    } rows[] = {
        {"on the GPU that was accepted", false, "a1", 0.002}, /* 2 x 0.1 %^2 of the processes, 2 x 0.1 %^2 of the runs */
        {"on one of several", true, "a1", 0.0115989},
        {"on one more", true, "d4", 0.0115989},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int quiet = 0; quiet < 2; quiet++) {
            struct desk desk;
            if (rows[i].three_units) {
                add_three_units(&desk);
            } else {
                desk_begin(&desk, 1);
                sg_env_set(&desk.env[0], "gpu_uuid_hash", rows[i].unit);
                desk_add(&desk, 0, hand_ratio("v", 1.1, 0.001));
            }
            const enum sg_verdict verdict = verdict_of_a_night(&desk, rows[i].unit, (quiet ? 2.99 : 3.4) * rows[i].se);
            if (verdict != (quiet ? SG_WITHIN : SG_INCONCLUSIVE))
                fail_msg("%s, %s: %s", rows[i].sentence, quiet ? "quiet" : "not quiet", sg_verdict_word(verdict));
            desk_end(&desk);
        }
}

static void times_are_combined_at_one_clock(void **state)
{
    (void)state;
    struct desk desk;
    desk_begin(&desk, 2);
    /* No visits: beta counts as 0.5, f0 is the clock of the last run. */
    desk_add(&desk, 0, hand_number("v", "sm_clock", 1.6e9));
    desk_add(&desk, 0, hand_time("v", 10000, 0.001));
    desk_add(&desk, 1, hand_number("v", "sm_clock", 1.8e9));
    desk_add(&desk, 1, hand_time("v", 10000 * sqrt(1.6 / 1.8), 0.001));
    desk_accept(&desk, NULL, false);
    assert_near("both days read alike at 1.8 GHz", row_of(&desk, "v", "time")->value, 10000 * sqrt(1.6 / 1.8), 1e-6);
    assert_near("so days do not differ", accepted_of(&desk, "v", "time")->sd_day, 0, 0);
    assert_near("f0", accepted_of(&desk, "v", "time")->f0, 1.8e9, 1);
    desk_end(&desk);
}

static void runs_that_contradict_one_another(void **state)
{
    (void)state;
    struct sg_value other_partner = hand_ratio("v", 1.0, 0.001);
    other_partner.message = "against another";
    const struct {
        const char *sentence;
        struct sg_value first, second;
        const char *key, *value; /* of the second run's env; NULL: as the first */
        enum sg_code code;
    } rows[] = {
        {"right in one and wrong in the other", hand_words("v", "status", SG_OK, ""), hand_words("v", "status", SG_WRONG, ""), NULL, NULL,
         SG_INVALID},
        {"paired with two partners", hand_ratio("v", 1.0, 0.001), other_partner, NULL, NULL, SG_INVALID},
        {"of two suites", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 1.0, 0.001), "suite", "smoke", SG_NOT_COMPARABLE},
        {"of two GPUs", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 1.0, 0.001), "gpu", "h100", SG_NOT_COMPARABLE},
        {"of two driver branches", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 1.0, 0.001), "driver", "590.1", SG_NOT_COMPARABLE},
        {"of two L2 states", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 1.0, 0.001), "l2", "warm", SG_NOT_COMPARABLE},
        {"alike", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 1.0, 0.001), NULL, NULL, SG_DONE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct desk desk;
        desk_begin(&desk, 2);
        desk_add(&desk, 0, rows[i].first);
        desk_add(&desk, 1, rows[i].second);
        if (rows[i].key)
            sg_env_set(&desk.env[1], rows[i].key, rows[i].value);
        desk_accept(&desk, "because", false);
        if (desk.err.code != rows[i].code)
            fail_msg("%s: code %d, %s", rows[i].sentence, desk.err.code, desk.err.message);
        desk_end(&desk);
    }
}

static void a_file_takes_the_numbers_of_its_own_suite_and_gpu(void **state)
{
    (void)state;
    static const struct {
        const char *sentence, *key, *value; /* of the run's env; NULL: as the file's */
        enum sg_code code;
        const char *says;
    } rows[] = {
        {"a run of its own suite and GPU", NULL, NULL, SG_DONE, ""},
        {"a run of another suite is refused", "suite", "smoke", SG_NOT_COMPARABLE, "suite is 'smoke' in the run, 'hand' in the accepted"},
        {"a run on another GPU is refused", "gpu", "h100", SG_NOT_COMPARABLE, "gpu is 'h100' in the run"},
        {"a run of another driver branch is not: that is why one accepts anew", "driver", "590.1", SG_DONE, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct desk desk;
        desk_begin(&desk, 1);
        desk_add(&desk, 0, hand_ratio("v", 1.0, 0.001));
        desk_accepted(&desk, hand_ratio("v", 1.0, 0.001));
        if (rows[i].key)
            sg_env_set(&desk.env[0], rows[i].key, rows[i].value);
        desk_accept(&desk, "because", false);
        if (desk.err.code != rows[i].code || !strstr(desk.err.message, rows[i].says))
            fail_msg("%s: code %d, %s", rows[i].sentence, desk.err.code, desk.err.message);
        desk_end(&desk);
    }
}

/* ---- what gets worse ---- */

static void reasons(void **state)
{
    (void)state;
    const struct sg_value ok = hand_words("v", "status", SG_OK, "");
    const struct sg_value wrong = hand_words("v", "status", SG_WRONG, "");
    const struct sg_value base = hand_words("v", "role", SG_OK, "baseline");
    const struct sg_value role = hand_words("v", "role", SG_OK, "candidate");
    const struct {
        const char *sentence;
        struct sg_value was, is, role;
        const char *expect; /* of the old row */
        bool gate, worse;
    } rows[] = {
        {"the same ratio", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 1.0, 0.001), role, "", true, false},
        /* five processes with this error and days of 0.1 % resolve 1.1 % */
        {"slower within the tolerance", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 1.008, 0.001), role, "", true, false},
        {"slower beyond it", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 1.012, 0.001), role, "", true, true},
        {"slower beyond it, in a row that does not gate", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 1.012, 0.001), role, "", false,
         false},
        {"faster", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 0.9, 0.001), role, "", true, false},
        {"a baseline variant that is slower", hand_time("v", 10000, 0.001), hand_time("v", 10500, 0.001), base, "", true, true},
        {"right, then wrong", ok, wrong, role, "", true, true},
        {"wrong, then right", wrong, ok, role, "wrong", true, false},
        {"wrong as it was", wrong, wrong, role, "wrong", true, false},
        {"a gating counter that got worse", hand_number("v", "registers", 32), hand_number("v", "registers", 40), role, "", true, true},
        {"a gating counter that got better", hand_number("v", "registers", 40), hand_number("v", "registers", 32), role, "", true, false},
        {"a counter that does not gate", hand_number("v", "registers", 32), hand_number("v", "registers", 40), role, "", false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int with_reason = 0; with_reason < 2; with_reason++) {
            struct desk desk;
            desk_begin(&desk, 1);
            desk_add(&desk, 0, rows[i].is);
            desk_add(&desk, 0, rows[i].role);
            struct sg_accepted *old = desk_accepted(&desk, rows[i].was);
            old->gate = rows[i].gate;
            old->expect = sg_table_intern(&desk.old.table, rows[i].expect);
            desk_accept(&desk, with_reason ? "larger tiles" : NULL, false);
            const bool refused = desk.err.code == SG_BAD_USAGE;
            if ((desk.report.worse > 0) != rows[i].worse || refused != (rows[i].worse && !with_reason))
                fail_msg("%s: worse %zu, refused %d: %s", rows[i].sentence, desk.report.worse, refused, desk.err.message);
            if (!refused) {
                const struct sg_accepted *accepted = accepted_of(&desk, "v", rows[i].is.metric);
                assert_string_equal(word(&desk, accepted->reason), rows[i].worse ? "larger tiles" : "");
                assert_int_equal(accepted->gate, rows[i].gate); /* what a person set stays */
            } else {
                assert_non_null(strstr(desk.err.message, "--reason"));
                assert_non_null(strstr(desk.err.message, rows[i].is.metric));
            }
            desk_end(&desk);
        }
}

static void what_a_person_set_in_the_file_stays(void **state)
{
    (void)state;
    struct desk desk;
    desk_begin(&desk, 1);
    desk_add(&desk, 0, hand_ratio("v", 1.02, 0.0001));
    struct sg_accepted *old = desk_accepted(&desk, hand_ratio("v", 1.0, 0.001));
    old->tolerance = 0.05;
    old->gate = false;
    old->reason = sg_table_intern(&desk.old.table, "ragged tail");
    desk_accept(&desk, NULL, false);
    assert_int_equal(desk.err.code, SG_DONE);
    const struct sg_accepted *accepted = accepted_of(&desk, "v", "time_ratio");
    assert_near("tolerance", accepted->tolerance, 0.05, 0);
    assert_false(accepted->gate);
    assert_string_equal(word(&desk, accepted->reason), "ragged tail");
    desk_end(&desk);
}

static void rows_of_one_side(void **state)
{
    (void)state;
    for (int prune = 0; prune < 2; prune++) {
        struct desk desk;
        desk_begin(&desk, 1);
        desk_add(&desk, 0, hand_words("here", "status", SG_OK, ""));
        desk_accepted(&desk, hand_words("here", "status", SG_OK, ""));
        desk_accepted(&desk, hand_ratio("here", 1.0, 0.001));
        struct sg_accepted *kept = desk_accepted(&desk, hand_ratio("not_run", 1.1, 0.001));
        kept->expect = sg_table_intern(&desk.old.table, "regressed");
        desk_accept(&desk, "no more timed", prune);
        assert_int_equal(desk.err.code, SG_DONE);
        assert_null(row_of(&desk, "here", "time_ratio")); /* run, and not measured: it is no accepted number any more */
        assert_int_equal(desk.report.worse, 1);           /* a gate fell away */
        if (prune) {
            assert_null(row_of(&desk, "not_run", "time_ratio"));
        } else {
            assert_non_null(row_of(&desk, "not_run", "time_ratio"));
            assert_string_equal(word(&desk, accepted_of(&desk, "not_run", "time_ratio")->expect), "regressed");
        }
        desk_end(&desk);
    }
}

/* A file knows one origin for all of its rows. */
static void a_row_that_stays_must_be_of_as_many_runs_of_the_same_gpus(void **state)
{
    (void)state;
    static const struct {
        const char *sentence, *runs, *units;
        bool prune, stays_behind, refused;
    } rows[] = {
        {"two runs on the same GPUs, in any order", "2", "b2+a1", false, true, false},
        {"five runs before, two now", "5", "a1+b2", false, true, true},
        {"another GPU", "2", "a1+c3", false, true, true},
        {"one GPU more", "2", "a1+b2+c3", false, true, true},
        {"what is pruned does not stay", "5", "a1+b2", true, true, false},
        {"nothing stays", "5", "a1+b2", false, false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct desk desk;
        desk_begin(&desk, 2);
        sg_env_set(&desk.env[0], "gpu_uuid_hash", "a1");
        sg_env_set(&desk.env[1], "gpu_uuid_hash", "b2");
        for (size_t run = 0; run < 2; run++)
            desk_add(&desk, run, hand_ratio("here", 1.0, 0.001));
        desk_accepted(&desk, hand_ratio("here", 1.0, 0.001));
        if (rows[i].stays_behind)
            desk_accepted(&desk, hand_ratio("not_run", 1.1, 0.001));
        sg_env_set(&desk.old.env, "accepted_runs", rows[i].runs);
        sg_env_set(&desk.old.env, "accepted_units", rows[i].units);
        desk_accept(&desk, "because", rows[i].prune);
        if ((desk.err.code == SG_INVALID && strstr(desk.err.message, "f/c/not_run stays")) != rows[i].refused)
            fail_msg("%s: %d %s", rows[i].sentence, (int)desk.err.code, desk.err.message);
        desk_end(&desk);
    }
}

static void a_baseline_of_another_gpu_is_not_overwritten(void **state)
{
    (void)state;
    struct desk desk;
    desk_begin(&desk, 1);
    desk_add(&desk, 0, hand_words("v", "status", SG_OK, ""));
    desk_accepted(&desk, hand_words("v", "status", SG_OK, ""));
    sg_env_set(&desk.old.env, "gpu", "h100");
    desk_accept(&desk, "because", false);
    assert_int_equal(desk.err.code, SG_NOT_COMPARABLE);
    desk_end(&desk);
}

static void a_run_taken_as_a_baseline(void **state)
{
    (void)state;
    struct sg_run run = {.folder = sg_copy_string("night")};
    struct sg_baseline baseline;
    struct sg_err err = {0};
    const struct sg_value rows[] = {
        hand_words("base", "role", SG_OK, "baseline"), hand_number("base", "sm_clock", 1.7e9), hand_time("base", 10000, 0.001),
        hand_number("base", "registers", 32),          hand_time("v", 10000, 0.001),
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        sg_table_add(&run.table, &rows[i]);
    assert_int_equal(sg_table_sort(&run.table, &err), SG_DONE);
    sg_baseline_from_run(&run, &baseline);
    assert_null(run.folder);
    assert_string_equal(baseline.path, "night");
    const struct sg_row *time = sg_table_find(&baseline.table, "f", "c", "base", "time");
    const struct sg_row *other = sg_table_find(&baseline.table, "f", "c", "v", "time");
    assert_true(baseline.accepted[time - baseline.table.rows].gate);
    assert_near("f0", baseline.accepted[time - baseline.table.rows].f0, 1.7e9, 1);
    assert_false(baseline.accepted[other - baseline.table.rows].gate);
    assert_true(isnan(baseline.accepted[other - baseline.table.rows].f0)); /* a clock of another variant is not its own */
    sg_baseline_release(&baseline);
}

/* ---- the clock ---- */

static void clock_shifts(void **state)
{
    (void)state;
    const double f0 = 1.7e9;
    static const struct {
        const char *sentence;
        double f, f0, beta, ln, sd;
    } rows[] = {
        {"the same clock", 1, 1, 1.0, 0, 0},
        {"bound by the clock, 10 % faster", 1.1, 1, 1.0, 0.0953101798, 0.00953101798},
        {"bound by memory, 10 % faster", 1.1, 1, 0.0, 0, 0.00953101798},
        {"beta not known", 1.1, 1, NAN, 0.0476550899, 0.0285930539},
        {"clock not known", NAN, 1, 1.0, 0, SG_NO_CLOCK_SD},
        {"accepted clock not known", 1, NAN, 1.0, 0, SG_NO_CLOCK_SD},
        {"clock of 0 is not known", 0, 1, 1.0, 0, SG_NO_CLOCK_SD},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_clock_shift shift = sg_clock_shift_of(rows[i].f * f0, rows[i].f0 * f0, rows[i].beta);
        assert_near(rows[i].sentence, shift.ln, rows[i].ln, 1e-9);
        assert_near(rows[i].sentence, shift.sd, rows[i].sd, 1e-9);
    }
}

/* 5 processes of 96 visits: the clock wanders by `wander` (ln), time follows it by beta, plus noise of processes and visits. */
static struct sg_clock_fit fit_of(double beta, double wander, double sd_process, double day)
{
    enum { PROCESSES = 5, VISITS = 96, RUNS = 2 };
    struct sg_visit_point points[RUNS * PROCESSES * VISITS];
    uint64_t random = 11;
    size_t count = 0;
    for (size_t run = 0; run < RUNS; run++)
        for (size_t process = 0; process < PROCESSES; process++) {
            const double level = sd_process * sg_random_normal(&random) + (double)run * day;
            for (size_t visit = 0; visit < VISITS; visit++) {
                const double clock = wander * sg_random_normal(&random);
                points[count++] = (struct sg_visit_point){
                    .run = run,
                    .process = process,
                    .ns = 10000 * exp(level - beta * clock + 0.0005 * sg_random_normal(&random)),
                    .hz = 1.7e9 * exp(clock),
                };
            }
        }
    return sg_clock_fit_of(points, count);
}

static void slopes(void **state)
{
    (void)state;
    static const struct {
        const char *sentence;
        double beta, wander, day, found; /* found NaN: not known */
    } rows[] = {
        {"bound by the clock", 1.0, 0.02, 0, 1.0},
        {"bound by memory", 0.0, 0.02, 0, 0.0},
        {"in between", 0.4, 0.02, 0, 0.4},
        {"days that differ do not bend the slope", 0.4, 0.02, 0.05, 0.4},
        {"more than 1 is 1", 1.3, 0.02, 0, 1.0},
        {"less than 0 is 0", -0.3, 0.02, 0, 0.0},
        {"a clock that stands still tells nothing", 1.0, 0.0, 0, NAN},
        {"a clock that moves too little tells nothing", 1.0, 0.0001, 0, NAN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_clock_fit fit = fit_of(rows[i].beta, rows[i].wander, 0.0005, rows[i].day);
        if (isnan(rows[i].found) != isnan(fit.beta))
            fail_msg("%s: beta %g +- %g", rows[i].sentence, fit.beta, fit.beta_se);
        if (!isnan(fit.beta))
            assert_near(rows[i].sentence, fit.beta, rows[i].found, 0.02);
    }
}

static void the_spread_of_processes_is_free_of_the_clock(void **state)
{
    (void)state;
    const struct sg_clock_fit fit = fit_of(1.0, 0.02, 0.003, 0.05);
    assert_int_equal(fit.processes, 10);
    assert_near("f0", fit.f0, 1.7e9, 5e6);
    assert_true(fit.sd_process > 0.0015 && fit.sd_process < 0.006); /* 8 degrees of freedom around 0.003; not 0.02, not 0.05 */
    const struct sg_clock_fit none = sg_clock_fit_of(NULL, 0);
    assert_true(isnan(none.beta) && isnan(none.f0) && isnan(none.sd_process));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_acceptance),
        cmocka_unit_test(the_tolerance_of_a_ratio),
        cmocka_unit_test(several_runs_tell_how_days_differ),
        cmocka_unit_test(counts_of_one_run_and_of_several_keep_their_range),
        cmocka_unit_test(days_that_agree_have_no_spread_of_their_own),
        cmocka_unit_test(a_time_that_a_run_lacks_is_not_one_of_all),
        cmocka_unit_test(of_several_gpus_each_counts_once),
        cmocka_unit_test(a_quiet_night_is_within_what_was_accepted),
        cmocka_unit_test(times_are_combined_at_one_clock),
        cmocka_unit_test(what_is_no_time_is_not_accepted),
        cmocka_unit_test(a_run_without_rows_is_not_accepted),
        cmocka_unit_test(runs_that_contradict_one_another),
        cmocka_unit_test(a_file_takes_the_numbers_of_its_own_suite_and_gpu),
        cmocka_unit_test(reasons),
        cmocka_unit_test(what_a_person_set_in_the_file_stays),
        cmocka_unit_test(rows_of_one_side),
        cmocka_unit_test(a_row_that_stays_must_be_of_as_many_runs_of_the_same_gpus),
        cmocka_unit_test(a_baseline_of_another_gpu_is_not_overwritten),
        cmocka_unit_test(a_run_taken_as_a_baseline),
        cmocka_unit_test(clock_shifts),
        cmocka_unit_test(slopes),
        cmocka_unit_test(the_spread_of_processes_is_free_of_the_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
