/* compare/compare.h: outcomes, counters, and rows that only one side
 * has; times are in test_compare.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "night.h"

/* ---- outcomes ---- */

#define NOT_ACCEPTED SG_STATUS_COUNT

TEST(outcomes)
{
    static const struct {
        const char *sentence;
        enum sg_status is, declared, accepted; /* accepted SG_STATUS_COUNT: no row */
        enum sg_verdict verdict;               /* SG_VERDICT_COUNT: no finding */
        int exit_code;
    } rows[] = {
        {"right as accepted is silent", SG_OK, SG_OK, SG_OK, SG_VERDICT_COUNT, 0},
        {"a new variant that is right is silent", SG_OK, SG_OK, NOT_ACCEPTED, SG_VERDICT_COUNT, 0},
        {"accepted as right and wrong now is broken", SG_WRONG, SG_OK, SG_OK, SG_BROKEN, 5},
        {"accepted as right and hanging now is broken", SG_HANG, SG_OK, SG_OK, SG_BROKEN, 5},
        {"a new variant that is wrong is broken", SG_WRONG, SG_OK, NOT_ACCEPTED, SG_BROKEN, 5},
        {"a broken variant that is broken as declared and accepted is quiet", SG_WRONG, SG_WRONG,
         SG_WRONG, SG_XFAIL, 0},
        {"a broken variant that declares nothing is broken, though it was accepted", SG_CRASH,
         SG_OK, SG_CRASH, SG_BROKEN, 5},
        {"so is one that leaves what it should write unwritten", SG_UNWRITTEN, SG_OK, SG_UNWRITTEN,
         SG_BROKEN, 5},
        {"a new variant that is broken as declared is quiet", SG_HANG, SG_HANG, NOT_ACCEPTED,
         SG_XFAIL, 0},
        {"broken in another way than accepted is broken", SG_CRASH, SG_WRONG, SG_WRONG, SG_BROKEN,
         5},
        {"broken in another way than declared is broken, though it was accepted so", SG_CRASH,
         SG_WRONG, SG_CRASH, SG_BROKEN, 5},
        {"broken in another way than declared is broken", SG_CRASH, SG_WRONG, NOT_ACCEPTED,
         SG_BROKEN, 5},
        {"broken as declared now, accepted in another way, is to be accepted", SG_CRASH, SG_CRASH,
         SG_WRONG, SG_OTHER_TERMS, 3},
        {"a declaration does not excuse what is accepted as right", SG_WRONG, SG_WRONG, SG_OK,
         SG_BROKEN, 5},
        {"accepted as broken and right now is fixed, but its time has no number yet", SG_OK, SG_OK,
         SG_WRONG, SG_FIXED, 3},
        {"declared broken and right is broken", SG_OK, SG_WRONG, NOT_ACCEPTED, SG_BROKEN, 5},
        {"accepted and declared broken, and right, is broken", SG_OK, SG_WRONG, SG_WRONG, SG_BROKEN,
         5},
        {"accepted as right and not run is not measured", SG_UNAVAILABLE, SG_OK, SG_OK,
         SG_NOT_MEASURED, 3},
        {"accepted as right and skipped is not measured", SG_SKIPPED, SG_OK, SG_OK, SG_NOT_MEASURED,
         3},
        {"skipped as accepted is not measured", SG_SKIPPED, SG_OK, SG_SKIPPED, SG_NOT_MEASURED, 3},
        {"unavailable as accepted is not measured", SG_UNAVAILABLE, SG_OK, SG_UNAVAILABLE,
         SG_NOT_MEASURED, 3},
        {"declared broken and skipped is not measured", SG_SKIPPED, SG_WRONG, SG_WRONG,
         SG_NOT_MEASURED, 3},
        {"accepted as right and refusing the case is not measured", SG_UNSUPPORTED, SG_OK, SG_OK,
         SG_NOT_MEASURED, 3},
        {"accepted as broken and refusing the case is not measured", SG_UNSUPPORTED, SG_WRONG,
         SG_WRONG, SG_NOT_MEASURED, 3},
        {"a new variant that refuses the case is new", SG_UNSUPPORTED, SG_OK, NOT_ACCEPTED, SG_NEW,
         0},
        {"a new variant without its library is not measured", SG_UNAVAILABLE, SG_OK, NOT_ACCEPTED,
         SG_NOT_MEASURED, 3},
        {"refusing the case as accepted is quiet", SG_UNSUPPORTED, SG_OK, SG_UNSUPPORTED,
         SG_REFUSES, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        night_add_as_accepted(&night, "another");
        night_add(&night, hand_words("v", "status", rows[i].is, "because"));
        if (rows[i].declared != SG_OK)
            night_add(&night, hand_words("v", "expect", rows[i].declared, ""));
        if (rows[i].accepted != NOT_ACCEPTED) {
            const struct sg_value was = hand_words("v", "status", rows[i].accepted, "");
            struct sg_accepted *accepted = hand_accept(&night.baseline, &was);
            if (rows[i].accepted != SG_OK)
                accepted->expect =
                    sg_table_intern(&night.baseline.table, sg_status_word(rows[i].accepted));
        }
        night_compare(&night);
        const struct sg_finding *finding = finding_of(&night, "v", "status");
        if (rows[i].verdict != SG_VERDICT_COUNT)
            expect_verdict(rows[i].sentence, finding, rows[i].verdict);
        else if (finding || night.comparison.statuses_ok != 2)
            fail_msg("%s: is %s", rows[i].sentence, verdict_word(finding));
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
    }
}

#define SIGNATURE(where, hold) \
    "y: " where "; 128 of 4096 elements; [3,0] is 24.014477, reference 0.5; seed 1; " hold
#define HOLDS "same place with 3 seeds"

/* Wrong as declared and accepted, and where; in the same case unless its shape is another one. */
TEST(places)
{
    static const struct {
        const char *sentence, *was, *is, *shape; /* NULL: no row */
        enum sg_verdict verdict;
        const char *why;
    } rows[] = {
        {"at the same place", SIGNATURE("row 3", HOLDS), SIGNATURE("row 3", HOLDS), "n=1", SG_XFAIL,
         "because; where in y: row 3"},
        {"elsewhere", SIGNATURE("row 3", HOLDS), SIGNATURE("row 5", HOLDS), "n=1",
         SG_FAILS_OTHERWISE, "was wrong at y: row 3: accept the"},
        {"elsewhere with other inputs", SIGNATURE("row 3", HOLDS),
         SIGNATURE("row 5", "another with other seeds"), "n=1", SG_XFAIL, "row 5"},
        {"elsewhere in another case", SIGNATURE("row 3", HOLDS), SIGNATURE("row 5", HOLDS), "n=2",
         SG_XFAIL, "row 5"},
        {"accepted before there were places", NULL, SIGNATURE("row 5", HOLDS), "n=1", SG_XFAIL,
         "row 5"},
        {"of a run without places", SIGNATURE("row 3", HOLDS), NULL, "n=1", SG_XFAIL, "because"},
        {"what is no place is none", SIGNATURE("row 3", HOLDS), "y: row 5", "n=1", SG_XFAIL,
         "because"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        night_add_as_accepted(&night, "another");
        night_add(&night, hand_words("v", "status", SG_WRONG, "because"));
        night_add(&night, hand_words("v", "expect", SG_WRONG, ""));
        night_add(&night, hand_words("v", "shape", SG_OK, rows[i].shape));
        if (rows[i].is)
            night_add(&night, hand_words("v", "error_signature", SG_OK, rows[i].is));
        const struct sg_value was = hand_words("v", "status", SG_WRONG, ""),
                              shape = hand_words("v", "shape", SG_OK, "n=1");
        hand_accept(&night.baseline, &was)->expect =
            sg_table_intern(&night.baseline.table, "wrong");
        hand_accept(&night.baseline, &shape)->gate = false;
        if (rows[i].was) {
            const struct sg_value signature =
                hand_words("v", "error_signature", SG_OK, rows[i].was);
            hand_accept(&night.baseline, &signature)->gate = false;
        }
        night_compare(&night);
        const struct sg_finding *finding = finding_of(&night, "v", "status");
        expect_verdict(rows[i].sentence, finding, rows[i].verdict);
        if (!strstr(finding->why, rows[i].why))
            fail_msg("%s: %s", rows[i].sentence, finding->why);
        expect_exit(rows[i].sentence, &night, rows[i].verdict == SG_XFAIL ? 0 : 5);
    }
}

/* A person wrote `wrong` beside a status that was accepted as right. */
TEST(what_is_written_in_expect_excuses_nothing)
{
    static const struct {
        const char *sentence;
        enum sg_status declared;
        enum sg_verdict verdict;
    } rows[] = {
        {"wrong, as its source declares and the row expects", SG_WRONG, SG_XFAIL},
        {"wrong, as the row expects and nobody declares", SG_OK, SG_BROKEN},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        night_add(&night, hand_words("v", "status", SG_WRONG, ""));
        night_add(&night, hand_words("v", "expect", rows[i].declared, ""));
        const struct sg_value was = hand_words("v", "status", SG_OK, "");
        hand_accept(&night.baseline, &was)->expect =
            sg_table_intern(&night.baseline.table, "wrong");
        night_compare(&night);
        expect_verdict(rows[i].sentence, finding_of(&night, "v", "status"), rows[i].verdict);
    }
}

/* ---- counters ---- */

TEST(counters)
{
    static const struct {
        const char *sentence;
        const char *metric;
        double was, is, sd_day;
        bool gate;
        enum sg_verdict verdict; /* SG_VERDICT_COUNT: unchanged */
        int exit_code;
    } rows[] = {
        {"an equal counter is only counted", "registers", 32, 32, NAN, true, SG_VERDICT_COUNT, 0},
        {"an exact counter that differs is shown", "registers", 32, 33, NAN, false, SG_CHANGED, 0},
        {"a gating counter that got worse is regressed", "registers", 32, 40, NAN, true,
         SG_REGRESSED, 1},
        {"a gating counter that got better is improved", "registers", 40, 32, NAN, true,
         SG_IMPROVED, 0},
        {"a gating counter without good or bad may not move", "grid", 132, 64, NAN, true,
         SG_REGRESSED, 1},
        {"an exact counter with a band may move in it", "instructions", 1000, 1004, NAN, true,
         SG_VERDICT_COUNT, 0},
        {"and not beyond it", "instructions", 1000, 1005, NAN, false, SG_CHANGED, 0},
        {"a noisy counter below its absolute floor is unchanged", "dram_bytes", 100, 109, NAN, true,
         SG_VERDICT_COUNT, 0},
        {"a noisy counter below its relative floor is unchanged", "dram_bytes", 1e6, 1.009e6, NAN,
         true, SG_VERDICT_COUNT, 0},
        {"a noisy counter beyond both floors is shown", "dram_bytes", 1e6, 1.011e6, NAN, false,
         SG_CHANGED, 0},
        {"a noisy counter within three of its spreads is unchanged", "dram_bytes", 1e6, 1.011e6,
         0.005, true, SG_VERDICT_COUNT, 0},
        {"and beyond three of them it is shown", "dram_bytes", 1e6, 1.016e6, 0.005, false,
         SG_CHANGED, 0},
        {"a counter that no catalogue knows counts as exact", "of_tomorrow", 5, 6, NAN, false,
         SG_CHANGED, 0},
        {"0 and not a number are two things", "registers", 0, NAN, NAN, false, SG_CHANGED, 0},
        {"not a number equals itself", "registers", NAN, NAN, NAN, false, SG_VERDICT_COUNT, 0},
        {"and gates nothing", "registers", NAN, NAN, NAN, true, SG_NOT_GATED, 3},
        {"a gating counter without its number is missing", "registers", 32, NAN, NAN, true,
         SG_NOT_MEASURED, 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        night_add(&night, hand_number("v", rows[i].metric, rows[i].is));
        const struct sg_value was = hand_number("v", rows[i].metric, rows[i].was);
        struct sg_accepted *accepted = hand_accept(&night.baseline, &was);
        accepted->gate = rows[i].gate;
        accepted->sd_day = rows[i].sd_day;
        night_compare(&night);
        const struct sg_finding *finding = finding_of(&night, "v", rows[i].metric);
        if (rows[i].verdict != SG_VERDICT_COUNT)
            expect_verdict(rows[i].sentence, finding, rows[i].verdict);
        else if (finding)
            fail_msg("%s: is %s", rows[i].sentence, verdict_word(finding));
        assert_int_equal(night.comparison.counters_compared, 1);
        assert_int_equal(night.comparison.counters_changed,
                         finding != NULL && rows[i].verdict != SG_NOT_GATED);
        expect_exit(rows[i].sentence, &night, rows[i].exit_code);
    }
}

TEST(counters_of_several_counts)
{
    static const struct {
        const char *sentence;
        const char *metric;
        double was, was_low, was_high, is, is_low, is_high;
        bool gate;
        enum sg_verdict verdict; /* SG_VERDICT_COUNT: unchanged */
        const char *why;         /* a part of it */
    } rows[] = {
        {"a noisy counter whose ranges meet is unchanged", "dram_bytes", 1e6, 9.5e5, 1.1e6, 1.15e6,
         1.1e6, 1.25e6, false, SG_VERDICT_COUNT, ""},
        {"as a gate it is, by the accepted range alone", "dram_bytes", 1e6, 9.9e5, 1.05e6, 1.04e6,
         9.5e5, 1.2e6, true, SG_VERDICT_COUNT, ""},
        {"which the wandering of the night does not widen", "dram_bytes", 1e6, 9.9e5, 1.01e6,
         1.15e6, 9e5, 1.4e6, true, SG_REGRESSED, "gate = yes"},
        {"and which gates nothing where it is wider than tolerance_max", "dram_bytes", 1e6, 8e5,
         1.5e6, 1e6, 1e6, 1e6, true, SG_NOT_GATED, "vary by more than tolerance_max, 10 %"},
        {"but for what is beyond even that", "dram_bytes", 1e6, 8e5, 1.5e6, 3e6, 3e6, 3e6, true,
         SG_REGRESSED, "gate = yes"},
        {"one whose ranges lie apart is shown", "dram_bytes", 1e6, 9.9e5, 1.01e6, 1.15e6, 1.14e6,
         1.16e6, false, SG_CHANGED, "explains"},
        {"an exact counter that is the same each time", "registers", 32, 32, 32, 32, 32, 32, true,
         SG_VERDICT_COUNT, ""},
        {"one that no longer repeats is news, though its median is as accepted", "registers", 32,
         32, 32, 32, 31, 33, false, SG_CHANGED,
         "does not repeat: 31 to 33 in 5 counts of one process, accepted 32"},
        {"as a gate it must not be believed", "registers", 32, 32, 32, 32, 31, 33, true,
         SG_INVALID_VALUE, "does not repeat"},
        {"one that was accepted so is compared by its ranges", "registers", 32, 31, 33, 33, 32, 34,
         true, SG_VERDICT_COUNT, ""},
        {"and is shown beyond them", "registers", 32, 31, 33, 40, 39, 41, false, SG_CHANGED,
         "explains"},
        {"within its band an exact counter may wander", "instructions", 1000, 1000, 1000, 1000, 998,
         1002, true, SG_VERDICT_COUNT, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        NIGHT(night);
        night_add(&night, hand_counted("v", rows[i].metric, rows[i].is, rows[i].is_low,
                                       rows[i].is_high, 5));
        const struct sg_value was =
            hand_counted("v", rows[i].metric, rows[i].was, rows[i].was_low, rows[i].was_high, 5);
        hand_accept(&night.baseline, &was)->gate = rows[i].gate;
        night_compare(&night);
        const struct sg_finding *finding = finding_of(&night, "v", rows[i].metric);
        if (rows[i].verdict != SG_VERDICT_COUNT)
            expect_verdict(rows[i].sentence, finding, rows[i].verdict);
        else if (finding)
            fail_msg("%s: is %s (%s)", rows[i].sentence, verdict_word(finding), finding->why);
        if (finding && !strstr(finding->why, rows[i].why))
            fail_msg("%s: says '%s'", rows[i].sentence, finding->why);
    }
}

TEST(a_counter_that_became_unavailable_says_why)
{
    NIGHT(night);
    struct sg_value gone = hand_words("v", "registers", SG_UNAVAILABLE, "no permission to count");
    night_add(&night, gone);
    const struct sg_value was = hand_number("v", "registers", 32);
    hand_accept(&night.baseline, &was)->gate = false;
    night_compare(&night);
    const struct sg_finding *finding = finding_of(&night, "v", "registers");
    expect_verdict("unavailable", finding, SG_CHANGED);
    assert_non_null(strstr(finding->why, "no permission to count"));
}

/* ---- rows on one side only ---- */

TEST(absent_rows)
{
    NIGHT(night);
    night.as_written = true;
    /* in the run: `a`, right, without its accepted ratio; `b`,
     * wrong, without its ratio; `d`, new */
    night_add(&night, hand_words("a", "status", SG_OK, ""));
    night_add(&night, hand_words("b", "status", SG_WRONG, "y[3]: 7, reference 1"));
    night_add(&night, hand_words("d", "status", SG_OK, ""));
    night_add(&night, hand_ratio("d", 1.0, 0.001));
    night_add(&night, hand_number("d", "registers", 32));
    /* accepted: a, b with ratios, and `c`, which the run has not at all */
    const char *const accepted[] = {"a", "b", "c"};
    for (size_t i = 0; i < COUNT(accepted); i++) {
        const struct sg_value registers = hand_number(accepted[i], "registers", 32);
        const struct sg_value status = hand_words(accepted[i], "status", SG_OK, "");
        const struct sg_value ratio = hand_ratio(accepted[i], 1.0, 0.001);
        hand_accept(&night.baseline, &registers)->gate = false;
        hand_accept(&night.baseline, &status);
        hand_accept(&night.baseline, &ratio);
    }
    night_compare(&night);
    expect_verdict("a gating row of a right variant is missing",
                   finding_of(&night, "a", "time_ratio"), SG_NOT_MEASURED);
    assert_null(finding_of(&night, "b", "time_ratio")); /* its status says it all */
    expect_verdict("wrong", finding_of(&night, "b", "status"), SG_BROKEN);
    expect_verdict("a variant that was not run is one finding", finding_of(&night, "c", "status"),
                   SG_NOT_MEASURED);
    assert_null(finding_of(&night, "c", "time_ratio"));
    expect_verdict("new", finding_of(&night, "d", "time_ratio"), SG_NEW);
    assert_int_equal(night.comparison.counters_new, 1);
    expect_exit("broken comes before missing", &night, 5);
    assert_string_equal(sg_finding_at(&night.comparison, night.comparison.count - 1).variant,
                        "c"); /* missing ones come last */
    /* Nothing is dropped: 5 rows of the run and 9 accepted ones. */
    const struct sg_comparison *c = &night.comparison;
    assert_int_equal(c->count, 4);
    assert_int_equal(c->statuses_ok, 2); /* a and d */
    assert_int_equal(c->absent,
                     6); /* registers of a, b and c; ratios of a, whose finding it is, b and c */
}
