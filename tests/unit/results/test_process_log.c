/* results/throttle_reasons.h, results/process_log.h, device/null/fault_injection.h:
 * words of events there and back, processes.csv there and back, what is refused, and
 * what befalls a simulated process. */
#include <math.h>

#include "check.h"
#include "scratch.h"

#include "device/null/fault_injection.h"
#include "results/process_log.h"
#include "results/throttle_reasons.h"

static void header_and(struct sg_text *out, const char *rows)
{
    sg_text_addf(out, "%s\n%s", SG_PROCESSES_HEADER, rows);
}

TEST(words_of_events)
{
    static const struct {
        const char *proves;
        uint64_t events;
        const char *words;
        uint64_t spoil;
    } rows[] = {
        {"nothing", 0, "none", 0},
        {"a power cap is normal", SG_EVENT_SW_POWER_CAP | SG_EVENT_IDLE, "idle+sw_power_cap", 0},
        {"heat and the brake are not", 0xe8, "hw_slowdown+sw_thermal+hw_thermal+hw_power_brake", 0xe8},
        {"beside a power cap they are not either", 0x44, "sw_power_cap+hw_thermal", 0x40},
        {"what a newer driver may say is kept as it is", 0x1000, "0x1000", 0},
        {"the highest bit", UINT64_C(1) << 63, "0x8000000000000000", 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_text words = {0};
        uint64_t back = 77;
        sg_throttle_reasons_words(rows[i].events, &words);
        if (strcmp(words.data, rows[i].words) != 0 || !sg_throttle_reasons_parse(words.data, &back) || back != rows[i].events ||
            sg_throttle_reasons_that_spoil(back) != rows[i].spoil)
            fail_msg("%s: %s, back %llx", rows[i].proves, words.data, (unsigned long long)back);
        sg_text_release(&words);
    }
    static const char *const refused[] = {"", "nothing", "none+idle", "idle+", "+idle", "Idle", "0x", "0xg", "0x10000000000000000", "4"};
    for (size_t i = 0; i < COUNT(refused); i++) {
        uint64_t events = 77;
        if (sg_throttle_reasons_parse(refused[i], &events) || events != 77)
            fail_msg("'%s' is taken for words of events", refused[i]);
    }
}

TEST(what_held_the_clock_down_since_the_last_look)
{
    static const struct {
        const char *proves;
        struct sg_held_time last;
        uint64_t now_ns;
        bool held;
    } rows[] = {
        {"what was before the first look that could read it is no event", {0}, 5000000000, false},
        {"more than at the last look is one", {5, true}, 6, true},
        {"as much is none", {5, true}, 5, false},
        {"from nothing, too", {0, true}, 1, true},
        {"a count that began again is none", {5, true}, 4, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_held_time last = rows[i].last;
        if (sg_held_since(&last, rows[i].now_ns) != rows[i].held || !last.known || last.ns != rows[i].now_ns)
            fail_msg("%s", rows[i].proves);
    }
}

TEST(comes_back_as_it_was_written)
{
    struct scratch s;
    struct sg_text text = {0};
    struct sg_process_log back = {0};
    struct sg_err err = {0};
    struct sg_process dead = sg_process_new(3, 2), whole = sg_process_new(4, 0);
    snprintf(dead.began, sizeof(dead.began), "2026-11-21T01:00:14Z");
    snprintf(dead.dropped, sizeof(dead.dropped), "chain +0.52 %%, or so");
    whole.events = SG_EVENT_SW_POWER_CAP;
    whole.events_known = true;
    whole.figure[SG_AT_START][SG_FIGURE_SM_CLOCK] = 1.98e9;
    whole.figure[SG_AT_END][SG_FIGURE_OTHERS] = 0;
    header_and(&text, "");
    sg_process_format(&text, &dead);
    sg_process_format(&text, &whole);
    scratch_init(&s);
    const char *path = scratch_write(&s, "processes.csv", text.data, text.length);
    assert_int_equal(sg_process_log_read(path, &back, &err), SG_SUCCESS);
    assert_int_equal(back.count, 2);
    assert_int_equal(back.items[0].process, 3);
    assert_int_equal(back.items[0].attempt, 2);
    assert_string_equal(back.items[0].began, dead.began);
    assert_string_equal(back.items[0].ended, "");
    assert_string_equal(back.items[0].dropped, dead.dropped);
    assert_false(back.items[0].events_known);
    assert_true(isnan(back.items[0].figure[SG_AT_END][SG_FIGURE_OTHERS])); /* not known is not zero */
    assert_true(back.items[1].events_known);
    assert_int_equal(back.items[1].events, SG_EVENT_SW_POWER_CAP);
    assert_true(back.items[1].figure[SG_AT_START][SG_FIGURE_SM_CLOCK] == 1.98e9);
    assert_true(back.items[1].figure[SG_AT_END][SG_FIGURE_OTHERS] == 0);
    assert_int_equal(sg_process_log_attempt(&back, 3), 3);
    assert_int_equal(sg_process_log_attempt(&back, 4), 0);
    sg_process_log_release(&back);
    sg_text_release(&text);
    scratch_release(&s);
}

/* A row a worker: its number, then '.' if it ended, 'x' if not, '-' if it was dropped. */
TEST(whose_end_was_seen)
{
    static const struct {
        const char *proves, *rows;
        bool ended;
        size_t left; /* rows when process 2 is forgotten */
    } table[] = {
        {"without a row nobody saw it", "1.", false, 1},
        {"a row with an end", "2.", true, 0},
        {"one without", "2x", false, 0},
        {"one that was dropped", "2-", false, 1},
        {"another in its place", "2-2.", true, 1},
        {"the one that went on for one that died", "2x2.", true, 0},
        {"the second of two that was not seen", "2.2x", false, 0},
        {"another number says nothing", "2x3.1.", false, 2},
        {"nor does its death", "2.3x", true, 1},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct sg_process_log all = {0};
        for (const char *row = table[i].rows; *row; row += 2) {
            struct sg_process one = sg_process_new((unsigned)(row[0] - '0'), 0);
            snprintf(one.ended, sizeof(one.ended), "%s", row[1] == 'x' ? "" : "2026-11-21T01:00:14Z");
            snprintf(one.dropped, sizeof(one.dropped), "%s", row[1] == '-' ? "hw_thermal" : "");
            sg_process_log_add(&all, &one);
        }
        const bool ended = sg_process_log_ended(&all, 2);
        sg_process_log_forget(&all, UINT64_C(1) << 2);
        if (ended != table[i].ended || all.count != table[i].left)
            fail_msg("%s: %d, %zu rows left", table[i].proves, ended, all.count);
        sg_process_log_release(&all);
    }
}

#define NO_FIGURES ",,,,,,,,,,,,,,,,,,,," /* as many as there are */

TEST(a_torn_line_is_left_out)
{
    struct scratch s;
    struct sg_text text = {0};
    struct sg_process_log back = {0};
    struct sg_err err = {0};
    header_and(&text, "0,0,,,none," NO_FIGURES "\n1,0,,,no");
    scratch_init(&s);
    assert_int_equal(sg_process_log_read(scratch_write(&s, "p", text.data, text.length), &back, &err), SG_SUCCESS);
    assert_int_equal(back.count, 1);
    sg_process_log_release(&back);
    sg_text_release(&text);
    scratch_release(&s);
}

TEST(refused)
{
    static const struct {
        const char *proves, *rows, *place, *words;
    } table[] = {
        {"a process is a number", "x,0,,,none," NO_FIGURES "\n", ":2", "process: expected a whole number up to 63, found 'x'"},
        {"there are 64 at most", "64,0,,,none," NO_FIGURES "\n", ":2", "process: expected a whole number up to 63, found '64'"},
        {"so is an attempt", "0,-1,,,none," NO_FIGURES "\n", ":2", "attempt: expected a whole number"},
        {"events have words", "0,0,,,hot," NO_FIGURES "\n", ":2", "events: expected words of events joined by +, or none, found 'hot'"},
        {"a time is no novel", "0,0,2026-11-21T01:00:14.000000Z,,none," NO_FIGURES "\n", ":2", "began: expected fewer bytes"},
        {"a figure is a number", "0,0,,,none,,fast,,,,,,,,,,,,,,,,,,,\n", ":2", "sm_clock: expected a number, found 'fast'"},
        {"too few fields", "0,0,,,none,\n", ":2", "26"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct scratch s;
        struct sg_text text = {0};
        struct sg_process_log back = {0};
        struct sg_err err = {0};
        scratch_init(&s);
        header_and(&text, table[i].rows);
        sg_process_log_read(scratch_write(&s, "p", text.data, text.length), &back, &err);
        assert_error(table[i].proves, &err, SG_BAD_INPUT, table[i].place, table[i].words);
        sg_process_log_release(&back);
        sg_text_release(&text);
        scratch_release(&s);
    }
}

TEST(what_a_worker_says)
{
    static const struct {
        const char *proves, *moment, *figure, *number, *words;
    } rows[] = {
        {"a figure at the end", "end", "power_w", "512.5", NULL},
        {"a moment that is none", "later", "power_w", "512.5", "moment: expected start or end, found 'later'"},
        {"a figure without a column", "end", "fan", "1", "figure: expected one that processes.csv has a column of, found 'fan'"},
        {"what is not known is not said", "end", "power_w", "nan", "power_w: expected a number, found 'nan'"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_process process = sg_process_new(0, 0);
        struct sg_err err = {0};
        sg_process_take(&process, rows[i].moment, rows[i].figure, rows[i].number, &err);
        assert_error(rows[i].proves, &err, rows[i].words ? SG_BAD_INPUT : SG_SUCCESS, "", rows[i].words ? rows[i].words : "");
        const double found = process.figure[SG_AT_END][SG_FIGURE_POWER];
        assert_true(rows[i].words ? isnan(found) : found == 512.5);
    }
}

TEST(trouble)
{
    static const struct {
        const char *script;
        unsigned process, attempt;
        bool slow, others;
        uint64_t events;
    } rows[] = {
        {NULL, 2, 0, false, false, 0},
        {"", 2, 0, false, false, 0},
        {"2:slow", 2, 0, true, false, 0},
        {"2:slow", 2, 3, true, false, 0},
        {"2:slow", 1, 0, false, false, 0},
        {"2.0:slow", 2, 0, true, false, 0},
        {"2.0:slow", 2, 1, false, false, 0},
        {"*:others 2:hw_thermal *.1:slow", 2, 0, false, true, SG_EVENT_HW_THERMAL},
        {"*:idle *:sw_power_cap+hw_thermal", 7, 0, false, false, SG_EVENT_IDLE | SG_EVENT_SW_POWER_CAP | SG_EVENT_HW_THERMAL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_fault found;
        struct sg_err err = {0};
        assert_int_equal(sg_fault_of(rows[i].script, rows[i].process, rows[i].attempt, &found, &err), SG_SUCCESS);
        if (found.slow != rows[i].slow || found.others != rows[i].others || found.events != rows[i].events || found.mig || found.mps)
            fail_msg("'%s' in process %u.%u", rows[i].script, rows[i].process, rows[i].attempt);
    }
    static const char *const wrong[] = {"slow", "2", "2:", "2:heat", ":slow", "x:slow", "2.:slow", "2.x:slow", "9:slow 1:heat"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct sg_fault found;
        struct sg_err err = {0};
        sg_fault_of(wrong[i], 0, 0, &found, &err);
        assert_error(wrong[i], &err, SG_BAD_USAGE, SG_FAULT_VARIABLE, "expected PROCESS[.ATTEMPT]:WHAT, found '");
    }
}
