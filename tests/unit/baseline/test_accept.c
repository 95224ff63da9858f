/* baseline/accept.h: what a run becomes when it is accepted, what
 * is refused, and what a file keeps. */
#include <string.h>

#include "check.h"
#include "desk.h"
#include "results/env.h"

/* ---- one run ---- */

TEST(what_is_no_time_is_not_accepted)
{
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
        DESK(desk, 1);
        desk_add(&desk, 0, hand_number("v", rows[i].metric, rows[i].value));
        desk_accept(&desk, "because", false);
        if ((desk.err.code == SG_INVALID) != rows[i].refused)
            fail_msg("%s: %d %s", rows[i].sentence, (int)desk.err.code, desk.err.message);
    }
}

TEST(a_run_without_rows_is_not_accepted)
{
    DESK(desk, 1);
    desk_accept(&desk, "because", false);
    assert_int_equal(desk.err.code, SG_INVALID);
}

TEST(first_acceptance)
{
    DESK(desk, 1);
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
    desk_add(&desk, 0, hand_words("zeros", "expect", SG_WRONG, ""));
    desk_accept(&desk, NULL, false);
    assert_int_equal(desk.err.code, SG_SUCCESS);
    assert_int_equal(desk.fresh.table.count,
                     10); /* nobody reads an accepted clock, or what a variant declared then */

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
        {"a slow candidate is accepted as slow, and gates", "slow", "time_ratio", "regressed",
         true},
        {"a variant that is broken as declared is accepted as broken", "zeros", "status", "wrong",
         true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_accepted *accepted = accepted_of(&desk, rows[i].variant, rows[i].metric);
        if (accepted->gate != rows[i].gate ||
            strcmp(word(&desk, accepted->expect), rows[i].expect) != 0)
            fail_msg("%s: gate %d, expect '%s'", rows[i].sentence, accepted->gate,
                     word(&desk, accepted->expect));
    }
    const struct sg_accepted *time = accepted_of(&desk, "base", "time");
    /* two runs of 0.1 %, two errors of 0.02 %: 0.144 % in all, times 2.12 + 3, rounded up */
    assert_near("a ratio takes what its spread can resolve",
                accepted_of(&desk, "fast", "time_ratio")->tolerance, 0.0075, 1e-12);
    /* two runs of 0.3 %, beta +- 0.3 at 1 % of clock, two errors of 0.1 %: 0.539
     * % in all, times 5.12, rounded up */
    assert_near("an absolute time takes what its spread can resolve", time->tolerance, 0.028,
                1e-12);
    assert_near("f0 is the run's clock", time->f0, 1.7e9, 1);
    assert_near("the spread of processes comes from the interval", time->sd_process,
                0.001 * sqrt(5), 1e-12);
    assert_true(isnan(time->beta));   /* no batches, no slope */
    assert_true(isnan(time->sd_day)); /* one run cannot tell */
    assert_true(isnan(
        accepted_of(&desk, "base", "registers")->sd_day)); /* an exact counter has no spread */
    assert_near("value", row_of(&desk, "base", "time")->value, 10000, 0);
    assert_string_equal(sg_env_get(&desk.fresh.env, "gpu"), "h200");
    assert_string_equal(sg_env_get(&desk.fresh.env, "accepted_runs"), "1");
}

/* c(.10) by the degrees of freedom of what a later night of as many processes is off by, and 3,
 * times that; two runs of 0.1 % are in it. */
TEST(the_tolerance_of_a_ratio)
{
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
        DESK(desk, 1);
        struct sg_value ratio = hand_ratio("v", 1.0, rows[i].se);
        const double half = sg_look_constant(SG_ALPHA_05, rows[i].processes) * rows[i].se;
        ratio.low = exp(-half);
        ratio.high = exp(half);
        ratio.n = rows[i].processes;
        desk_add(&desk, 0, ratio);
        sg_env_set(&desk.env[0], "tolerance", rows[i].suite);
        desk_accept(&desk, NULL, false);
        assert_near(rows[i].sentence, accepted_of(&desk, "v", "time_ratio")->tolerance,
                    rows[i].tolerance, 1e-12);
    }
}

/* ---- what gets worse ---- */

TEST(reasons)
{
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
        {"the same ratio", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 1.0, 0.001), role, "", true,
         false},
        /* five processes with this error and days of 0.1 % resolve 1.1 % */
        {"slower within the tolerance", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 1.008, 0.001),
         role, "", true, false},
        {"slower beyond it", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 1.012, 0.001), role, "",
         true, true},
        {"slower beyond it, in a row that does not gate", hand_ratio("v", 1.0, 0.001),
         hand_ratio("v", 1.012, 0.001), role, "", false, false},
        {"faster", hand_ratio("v", 1.0, 0.001), hand_ratio("v", 0.9, 0.001), role, "", true, false},
        {"a baseline variant that is slower", hand_time("v", 10000, 0.001),
         hand_time("v", 10500, 0.001), base, "", true, true},
        {"right, then wrong, as its source declares now", ok, wrong, role, "", true, true},
        {"wrong, then right", wrong, ok, role, "wrong", true, false},
        {"wrong as it was", wrong, wrong, role, "wrong", true, false},
        {"a gating counter that got worse", hand_number("v", "registers", 32),
         hand_number("v", "registers", 40), role, "", true, true},
        {"a gating counter that got better", hand_number("v", "registers", 40),
         hand_number("v", "registers", 32), role, "", true, false},
        {"a counter that does not gate", hand_number("v", "registers", 32),
         hand_number("v", "registers", 40), role, "", false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int with_reason = 0; with_reason < 2; with_reason++) {
            DESK(desk, 1);
            desk_add(&desk, 0, rows[i].is);
            desk_add(&desk, 0, rows[i].role);
            if (rows[i].is.status != SG_OK)
                desk_add(&desk, 0, hand_words("v", "expect", rows[i].is.status, ""));
            struct sg_accepted *old = desk_accepted(&desk, rows[i].was);
            old->gate = rows[i].gate;
            old->expect = sg_table_intern(&desk.old.table, rows[i].expect);
            desk_accept(&desk, with_reason ? "larger tiles" : NULL, false);
            const bool refused = desk.err.code == SG_BAD_USAGE;
            if ((desk.report.worse > 0) != rows[i].worse ||
                refused != (rows[i].worse && !with_reason))
                fail_msg("%s: worse %zu, refused %d: %s", rows[i].sentence, desk.report.worse,
                         refused, desk.err.message);
            if (!refused) {
                const struct sg_accepted *accepted = accepted_of(&desk, "v", rows[i].is.metric);
                assert_string_equal(word(&desk, accepted->reason),
                                    rows[i].worse ? "larger tiles" : "");
                assert_int_equal(accepted->gate, rows[i].gate); /* what a person set stays */
            } else {
                assert_non_null(strstr(desk.err.message, "--reason"));
                assert_non_null(strstr(desk.err.message, rows[i].is.metric));
            }
        }
}

TEST(what_a_person_set_in_the_file_stays)
{
    DESK(desk, 1);
    desk_add(&desk, 0, hand_ratio("v", 1.02, 0.0001));
    struct sg_accepted *old = desk_accepted(&desk, hand_ratio("v", 1.0, 0.001));
    old->tolerance = 0.05;
    old->gate = false;
    old->reason = sg_table_intern(&desk.old.table, "ragged tail");
    desk_accept(&desk, NULL, false);
    assert_int_equal(desk.err.code, SG_SUCCESS);
    const struct sg_accepted *accepted = accepted_of(&desk, "v", "time_ratio");
    assert_near("tolerance", accepted->tolerance, 0.05, 0);
    assert_false(accepted->gate);
    assert_string_equal(word(&desk, accepted->reason), "ragged tail");
}

TEST(rows_of_one_side)
{
    for (int prune = 0; prune < 2; prune++) {
        DESK(desk, 1);
        desk_add(&desk, 0, hand_words("here", "status", SG_OK, ""));
        desk_accepted(&desk, hand_words("here", "status", SG_OK, ""));
        desk_accepted(&desk, hand_ratio("here", 1.0, 0.001));
        struct sg_accepted *kept = desk_accepted(&desk, hand_ratio("not_run", 1.1, 0.001));
        kept->expect = sg_table_intern(&desk.old.table, "regressed");
        desk_accept(&desk, "no more timed", prune);
        assert_int_equal(desk.err.code, SG_SUCCESS);
        assert_null(
            row_of(&desk, "here",
                   "time_ratio")); /* run, and not measured: it is no accepted number any more */
        assert_int_equal(desk.report.worse, 1); /* a gate fell away */
        if (prune) {
            assert_null(row_of(&desk, "not_run", "time_ratio"));
        } else {
            assert_non_null(row_of(&desk, "not_run", "time_ratio"));
            assert_string_equal(word(&desk, accepted_of(&desk, "not_run", "time_ratio")->expect),
                                "regressed");
        }
    }
}

TEST(a_row_that_stays_keeps_its_origin)
{
    DESK(desk, 2);
    sg_env_set(&desk.env[0], "gpu_uuid_hash", "a1");
    sg_env_set(&desk.env[1], "gpu_uuid_hash", "b2");
    for (size_t run = 0; run < 2; run++)
        desk_add(&desk, run, hand_ratio("here", 1.0 + 1e-4 * (double)run, 0.001));
    desk_accepted(&desk, hand_ratio("here", 1.0, 0.001));
    desk_accepted(&desk, hand_ratio("not_run", 1.1, 0.001))->origin =
        sg_table_intern(&desk.old.table, "5:c3");
    desk_accept(&desk, "because", false);
    assert_int_equal(desk.err.code, SG_SUCCESS);
    assert_string_equal(sg_env_get(&desk.fresh.env, "accepted_units"), "a1+b2");
    assert_string_equal(word(&desk, accepted_of(&desk, "not_run", "time_ratio")->origin), "5:c3");
    assert_string_equal(word(&desk, accepted_of(&desk, "here", "time_ratio")->origin), "2:a1+b2");
}

TEST(a_row_of_another_driver_does_not_stay)
{
    for (int prune = 0; prune < 2; prune++) {
        DESK(desk, 1);
        desk_add(&desk, 0, hand_ratio("here", 1.0, 0.001));
        desk_accepted(&desk, hand_ratio("not_run", 1.1, 0.001));
        sg_env_set(&desk.old.env, "driver", "1.2");
        desk_accept(&desk, "because", prune);
        assert_int_equal(desk.err.code, prune ? SG_SUCCESS : SG_NOT_COMPARABLE);
        assert_true(prune ||
                    strstr(desk.err.message,
                           "f/c/not_run, and its accepted numbers are not comparable: driver is"));
    }
}

/* Statuses before numbers, times and counters by how much, what is faster and what is new last. */
TEST(the_worst_change_comes_first)
{
    static const char *const order[] = {"~ f/c/breaks status", "~ f/c/slower time_ratio",
                                        "~ f/c/slow time_ratio", "~ f/c/faster time_ratio",
                                        "+ f/c/another time_ratio"};
    DESK(desk, 1);
    desk_accepted(&desk, hand_words("breaks", "status", SG_OK, ""));
    desk_add(&desk, 0, hand_words("breaks", "status", SG_WRONG, ""));
    desk_add(&desk, 0, hand_words("breaks", "expect", SG_WRONG, ""));
    static const struct {
        const char *name;
        double was, is;
    } ratios[] = {{"faster", 1, 0.8}, {"slow", 1, 1.05}, {"slower", 1, 1.2}};
    for (size_t i = 0; i < COUNT(ratios); i++) {
        desk_accepted(&desk, hand_ratio(ratios[i].name, ratios[i].was, 0.0001))->gate = true;
        desk_add(&desk, 0, hand_ratio(ratios[i].name, ratios[i].is, 0.0001));
    }
    desk_add(&desk, 0, hand_ratio("another", 1, 0.0001));
    desk_accept(&desk, "because", false);
    assert_int_equal(desk.err.code, SG_SUCCESS);
    const char *at = desk.report.changes.data;
    for (size_t i = 0; i < COUNT(order); i++) {
        const char *found = strstr(at, order[i]);
        if (!found)
            fail_msg("%s is not where it should be:\n%s", order[i], desk.report.changes.data);
        at = found;
    }
}

TEST(a_run_taken_as_a_baseline)
{
    struct sg_run run = {.folder = sg_copy_string("night")};
    struct sg_accepted_file baseline;
    struct sg_err err = {0};
    const struct sg_value rows[] = {
        hand_words("base", "role", SG_OK, "baseline"),
        hand_number("base", "sm_clock", 1.7e9),
        hand_time("base", 10000, 0.001),
        hand_number("base", "registers", 32),
        hand_time("v", 10000, 0.001),
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        sg_table_add(&run.table, &rows[i]);
    assert_int_equal(sg_table_sort(&run.table, &err), SG_SUCCESS);
    assert_int_equal(sg_accepted_from_run(&run, &hand_catalogue, &baseline, &err), SG_SUCCESS);
    assert_null(run.folder);
    assert_string_equal(baseline.path, "night");
    const struct sg_row *time = sg_table_find(&baseline.table, "f", "c", "base", "time");
    const struct sg_row *other = sg_table_find(&baseline.table, "f", "c", "v", "time");
    assert_true(baseline.accepted[time - baseline.table.rows].gate);
    assert_near("f0", baseline.accepted[time - baseline.table.rows].f0, 1.7e9, 1);
    assert_false(baseline.accepted[other - baseline.table.rows].gate);
    assert_true(isnan(baseline.accepted[other - baseline.table.rows]
                          .f0)); /* a clock of another variant is not its own */
}
