/* results/throttle_reasons.h, results/process_log.h, device/null/fault_injection.h:
 * words of events there and back, a process as a message there and back, what is refused, and
 * what befalls a simulated process. */
#include <math.h>

#include "check.h"
#include "scratch.h"

#include "device/null/fault_injection.h"
#include "results/message.h"
#include "results/process_log.h"
#include "results/throttle_reasons.h"

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
        {"heat and the brake are not", 0xe8, "hw_slowdown+sw_thermal+hw_thermal+hw_power_brake",
         0xe8},
        {"beside a power cap they are not either", 0x44, "sw_power_cap+hw_thermal", 0x40},
        {"what a newer driver may say is kept as it is", 0x1000, "0x1000", 0},
        {"the highest bit", UINT64_C(1) << 63, "0x8000000000000000", 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_text) words = {0};
        uint64_t back = 77;
        sg_throttle_reasons_words(rows[i].events, &words);
        if (strcmp(words.data, rows[i].words) != 0 ||
            !sg_throttle_reasons_parse(words.data, &back) || back != rows[i].events ||
            sg_throttle_reasons_that_spoil(back) != rows[i].spoil)
            fail_msg("%s: %s, back %llx", rows[i].proves, words.data, (unsigned long long)back);
    }
    static const char *const refused[] = {
        "",   "nothing", "none+idle",           "idle+", "+idle", "Idle",
        "0x", "0xg",     "0x10000000000000000", "4"};
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
        if (sg_held_since(&last, rows[i].now_ns) != rows[i].held || !last.known ||
            last.ns != rows[i].now_ns)
            fail_msg("%s", rows[i].proves);
    }
}

TEST(comes_back_as_it_was_written)
{
    SG_SCOPED(sg_text) line = {0}, room = {0};
    struct sg_message read;
    struct sg_process whole = sg_process_new(4, 2);
    struct sg_err err = {0};
    snprintf(whole.began, sizeof(whole.began), "2026-11-21T01:00:14Z");
    snprintf(whole.dropped, sizeof(whole.dropped), "chain +0.52 %%, or so");
    whole.events.seen = SG_EVENT_SW_POWER_CAP;
    whole.events.known = true;
    whole.figure[SG_AT_START][SG_FIGURE_SM_CLOCK] = 1.98e9;
    whole.figure[SG_AT_END][SG_FIGURE_OTHERS] = 0;
    sg_message_add(&line, &(struct sg_message){.kind = SG_MESSAGE_PROCESS, .row = whole});
    assert_string_equal(line.data,
                        "process,4,2,2026-11-21T01:00:14Z,,sw_power_cap,\"chain +0.52 %, or "
                        "so\",1.98e+09,,,,,,,,,,,,,0,,,,,,\n");
    assert_int_equal(sg_message_parse(line.data, line.length - 1, &room, &read, &err), SG_SUCCESS);
    const struct sg_process back = read.row;
    assert_int_equal(back.process, 4);
    assert_int_equal(back.attempt, 2);
    assert_string_equal(back.began, whole.began);
    assert_string_equal(back.ended, "");
    assert_string_equal(back.dropped, whole.dropped);
    assert_true(back.events.known && back.events.seen == whole.events.seen);
    assert_true(back.figure[SG_AT_START][SG_FIGURE_SM_CLOCK] == 1.98e9);
    assert_true(back.figure[SG_AT_END][SG_FIGURE_OTHERS] == 0);
    assert_true(isnan(back.figure[SG_AT_START][SG_FIGURE_OTHERS])); /* not known is not zero */
}

/* A row a worker: its number, then '.' if it ended, 'x' if not, '-' if it was dropped. */
TEST(whose_end_was_seen)
{
    static const struct {
        const char *proves, *rows;
        bool unseen;
        size_t left; /* rows when process 2 is forgotten */
    } table[] = {
        {"without a row there is nothing to see", "1.", false, 1},
        {"a row with an end", "2.", false, 0},
        {"one without", "2x", true, 0},
        {"one that was dropped", "2-", false, 1},
        {"another in its place", "2-2x", true, 1},
        {"the one that went on for one that died", "2x2.", false, 0},
        {"the second of two that was not seen", "2.2x", true, 0},
        {"another number says nothing", "2x3.1.", true, 2},
        {"nor does its death", "2.3x", false, 1},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        struct sg_process_log all = {0};
        for (const char *row = table[i].rows; *row; row += 2) {
            struct sg_process one = sg_process_new((unsigned)(row[0] - '0'), 0);
            snprintf(one.ended, sizeof(one.ended), "%s",
                     row[1] == 'x' ? "" : "2026-11-21T01:00:14Z");
            snprintf(one.dropped, sizeof(one.dropped), "%s", row[1] == '-' ? "hw_thermal" : "");
            sg_process_log_add(&all, &one);
        }
        const bool unseen = sg_process_log_is_unseen(&all, 2);
        sg_process_log_forget(&all, 2);
        if (unseen != table[i].unseen || all.count != table[i].left)
            fail_msg("%s: %d, %zu rows left", table[i].proves, unseen, all.count);
    }
}

TEST(what_a_worker_says)
{
    static const struct {
        const char *proves, *line, *words; /* NULL: it is taken */
    } rows[] = {
        {"a figure at the end", "figure,end,power_w,512.5", NULL},
        {"a moment that is none", "figure,later,power_w,1",
         "moment: expected one of start end, found 'later'"},
        {"a figure without a column", "figure,end,fan,1",
         "figure: expected one of sm_clock power_w"},
        {"what is not known is not said", "figure,end,power_w,",
         "value: expected a number, found ''"},
        {"a time of nothing", "figure,end,copy_ns,0",
         "end_copy_ns: expected a time above 0, found '0'"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_process process = sg_process_new(0, 0);
        struct sg_message message;
        SG_SCOPED(sg_text) room = {0};
        struct sg_err err = {0};
        if (sg_message_parse(rows[i].line, strlen(rows[i].line), &room, &message, &err) ==
            SG_SUCCESS)
            sg_process_take_figure(&process, message.moment, message.figure, message.figure_value,
                                   &err);
        assert_error(rows[i].proves, &err, rows[i].words ? SG_BAD_INPUT : SG_SUCCESS, "",
                     rows[i].words ? rows[i].words : "");
        assert_true(rows[i].words ? isnan(process.figure[SG_AT_END][SG_FIGURE_POWER])
                                  : process.figure[SG_AT_END][SG_FIGURE_POWER] == 512.5);
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
        {"null3/2:slow", 2, 0, true, false, 0},
        {"null2/*:slow null3/*:others", 2, 0, false, true, 0},
        {"2.0:slow", 2, 0, true, false, 0},
        {"2.0:slow", 2, 1, false, false, 0},
        {"*:others 2:hw_thermal *.1:slow", 2, 0, false, true, SG_EVENT_HW_THERMAL},
        {"*:idle *:sw_power_cap+hw_thermal", 7, 0, false, false,
         SG_EVENT_IDLE | SG_EVENT_SW_POWER_CAP | SG_EVENT_HW_THERMAL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_fault found;
        struct sg_err err = {0};
        assert_int_equal(
            sg_fault_of(rows[i].script, "null3", rows[i].process, rows[i].attempt, &found, &err),
            SG_SUCCESS);
        if (found.slow != rows[i].slow || found.others != rows[i].others ||
            found.events != rows[i].events || found.mig || found.mps)
            fail_msg("'%s' in process %u.%u", rows[i].script, rows[i].process, rows[i].attempt);
    }
    static const char *const wrong[] = {"slow",   "2",       "2:",       "2:heat",       ":slow",
                                        "x:slow", "2.:slow", "2.x:slow", "9:slow 1:heat"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct sg_fault found;
        struct sg_err err = {0};
        sg_fault_of(wrong[i], "null3", 0, 0, &found, &err);
        assert_error(wrong[i], &err, SG_BAD_USAGE, SG_FAULT_VARIABLE,
                     "expected [GPU/]PROCESS[.ATTEMPT]:WHAT, found '");
    }
}
