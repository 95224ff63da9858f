/* results/validity.h: which processes must go, when a gate must not be believed, and
 * the line that says what befell it. */
#include <math.h>

#include "check.h"
#include "scratch.h"

#include "results/throttle_reasons.h"
#include "results/validity.h"

#define CHAIN_NS 51400
#define COPY_NS  67600
#define CLOCK    1.98e9

/* What differs from a process in which nothing happened. */
struct odd {
    uint64_t events;
    double chain, copy, clock; /* factors of the time and of the clock at its end; 0: 1 */
    double others, mig, mps;
    const char *dropped;
    unsigned process;
    bool unknown, torn; /* nothing could be read; it has no end */
};

static double or_one(double factor)
{
    return factor > 0 ? factor : 1;
}

static void set_drift(struct sg_process *p, enum sg_moment moment, const struct odd *odd)
{
    const double clock = or_one(odd->clock);
    p->figure[moment][SG_FIGURE_CHAIN_NS] = CHAIN_NS * or_one(odd->chain) / pow(clock, 0.97);
    p->figure[moment][SG_FIGURE_CHAIN_CLOCK] = p->figure[moment][SG_FIGURE_COPY_CLOCK] =
        CLOCK * clock;
    p->figure[moment][SG_FIGURE_COPY_NS] = COPY_NS * or_one(odd->copy) / pow(clock, 0.04);
}

static struct sg_process make_process(unsigned number, const struct odd *odd)
{
    struct sg_process p = sg_process_new(number, 0);
    if (odd->dropped)
        snprintf(p.dropped, sizeof(p.dropped), "%s", odd->dropped);
    if (odd->unknown)
        return p;
    p.events.seen = odd->events;
    p.events.known = true;
    set_drift(&p, SG_AT_START, &(struct odd){0});
    p.figure[SG_AT_START][SG_FIGURE_OTHERS] = 0;
    p.figure[SG_AT_START][SG_FIGURE_MIG] = odd->mig;
    p.figure[SG_AT_START][SG_FIGURE_MPS] = odd->mps;
    if (odd->torn)
        return p;
    set_drift(&p, SG_AT_END, odd);
    p.figure[SG_AT_END][SG_FIGURE_OTHERS] = odd->others;
    return p;
}

/* Five quiet processes, then the odd ones, which stand for process 1 unless they say otherwise. */
static struct sg_process_log make_gate(const struct odd *odd, size_t count)
{
    struct sg_process_log all = {0};
    for (unsigned i = 0; i < 5; i++) {
        const struct sg_process quiet = make_process(i, &(struct odd){.clock = 1 - 0.01 * i});
        sg_process_log_add(&all, &quiet);
    }
    for (size_t i = 0; i < count; i++) {
        const struct sg_process one = make_process(5 + odd[i].process, &odd[i]);
        sg_process_log_add(&all, &one);
    }
    return all;
}

TEST(who_must_go)
{
    static const struct {
        const char *proves;
        struct odd odd;
        const char *why; /* "": none */
    } rows[] = {
        {"nothing happened", {0}, ""},
        {"a power cap is no reason", {.events = SG_EVENT_SW_POWER_CAP}, ""},
        {"heat is", {.events = SG_EVENT_SW_POWER_CAP | SG_EVENT_HW_THERMAL}, "hw_thermal"},
        {"the brake is",
         {.events = SG_EVENT_HW_POWER_BRAKE | SG_EVENT_HW_SLOWDOWN},
         "hw_slowdown+hw_power_brake"},
        {"a clock that fell by a tenth is no drift", {.clock = 0.9}, ""},
        {"a chain 0.45 % off is none", {.chain = 1.0045}, ""},
        {"a chain 0.6 % slower is", {.chain = 1.006}, "chain +0.6 %"},
        {"faster is drift too", {.chain = 0.99}, "chain -1 %"},
        {"a copy 2.5 % off is none", {.copy = 1.025}, ""},
        {"a copy 4 % slower is", {.copy = 1.04}, "copy +4 %"},
        {"the one that is farthest off is named", {.chain = 1.006, .copy = 1.2}, "copy +20 %"},
        {"what is not known drops nothing", {.unknown = true}, ""},
        {"a worker that died is judged by its start", {.torn = true}, ""},
        {"one that was dropped is out of it", {.chain = 2, .dropped = "chain +100 %"}, ""},
        {"a neighbour is", {.others = 1}, "with 1 other process"},
        {"heat beside one is heat", {.others = 2, .events = SG_EVENT_HW_THERMAL}, "hw_thermal"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_process_log all = make_gate(&rows[i].odd, 1);
        struct sg_unfit unfit[6] = {{0}};
        const size_t count = sg_validity_unfit(&all, false, unfit);
        if (count != (rows[i].why[0] != '\0') ||
            (count > 0 && (unfit[0].process != 5 || strcmp(unfit[0].why, rows[i].why) != 0)))
            fail_msg("%s: %zu must go, process %u: %s", rows[i].proves, count, unfit[0].process,
                     unfit[0].why);
    }
}

TEST(many)
{
    /* A process of which one worker died has two rows, and goes once. */
    static const struct odd twice[] = {{.chain = 1.02}, {.chain = 1.02}},
                            half[] = {
                                {.chain = 1.02},
                                {.chain = 1.02, .process = 1},
                                {.chain = 1.02, .process = 2},
                                {.chain = 1.02, .process = 3},
                            };
    struct sg_unfit unfit[9];
    struct sg_process_log all = make_gate(twice, COUNT(twice));
    assert_int_equal(sg_validity_unfit(&all, false, unfit), 1);
    all = make_gate(half, COUNT(half));
    assert_int_equal(sg_validity_unfit(&all, false, unfit), 4);
    /* What a slowdown did to a process is not what the others are held against. */
    static const struct odd hot[] = {
        {.events = SG_EVENT_HW_THERMAL, .chain = 3, .process = 0},
        {.events = SG_EVENT_HW_THERMAL, .chain = 3, .process = 1},
        {.events = SG_EVENT_HW_THERMAL, .chain = 3, .process = 2},
        {.chain = 1.001, .process = 3},
    };
    all = make_gate(hot, COUNT(hot));
    assert_int_equal(sg_validity_unfit(&all, false, unfit), 3);
    for (size_t i = 0; i < 3; i++) { /* nor what a neighbour did, where none is allowed */
        all.items[5 + i].events.seen = 0;
        all.items[5 + i].figure[SG_AT_END][SG_FIGURE_OTHERS] = 1;
    }
    assert_int_equal(sg_validity_unfit(&all, false, unfit), 3);
    assert_int_equal(sg_validity_dropped(&all), 0);
    static const struct odd gone[] = {{.dropped = "hw_thermal"},
                                      {.dropped = "hw_thermal"},
                                      {.dropped = "chain +1 %", .process = 2}};
    all = make_gate(gone, COUNT(gone));
    assert_int_equal(sg_validity_dropped(&all), 2);
}

TEST(the_gate)
{
    static const struct {
        const char *proves;
        struct odd odd;
        bool allowed, valid;
        const char *why, *text;
    } rows[] = {
        ROW("nothing happened", LIST(0), false, true, "", "none in 6 processes"),
        ROW("an idle GPU is no event", LIST(.events = SG_EVENT_IDLE), false, true, "",
            "none in 6 processes"),
        ROW("a power cap is said", LIST(.events = SG_EVENT_SW_POWER_CAP), false, true, "",
            "sw_power_cap in 1 of 6 processes"),
        ROW("a dropped one too", LIST(.dropped = "hw_thermal"), false, true, "",
            "none in 5 processes, 1 process dropped (hw_thermal)"),
        ROW("one too many that cannot be kept", LIST(.chain = 1.006), false, false,
            "1 process cannot be kept (process 5: chain +0.6 %)", "none in 6 processes"),
        ROW("a neighbour", LIST(.others = 2), false, false,
            "during process 5, 2 other processes computed", "none"),
        ROW("one that is allowed", LIST(.others = 2), true, true, "", "none"),
        ROW("MIG", LIST(.mig = 1), false, false, "MIG is on", "none"),
        ROW("MPS", LIST(.mps = 1), false, false, "MPS is on", "none"),
        ROW("MPS that is allowed", LIST(.mps = 1), true, true, "", "none"),
        ROW("drift is not a neighbour's to allow", LIST(.chain = 1.1), true, false, "chain +10 %",
            "none"),
        ROW("a process nobody could look at", LIST(.unknown = true), false, true, "",
            "none in 5 processes, not known in 1"),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_process_log all = make_gate(&rows[i].odd, 1);
        const struct sg_validity found = sg_validity_judge(&all, rows[i].allowed);
        SG_SCOPED(sg_text) text = {0};
        sg_validity_events(&all, true, &text);
        if (found.valid != rows[i].valid || !strstr(found.why, rows[i].why) ||
            (found.valid && found.why[0]) ||
            strncmp(text.data, rows[i].text, strlen(rows[i].text)) != 0)
            fail_msg("%s: %d, %s; %s", rows[i].proves, found.valid, found.why, text.data);
    }
}

static void expect_events(const struct sg_process_log *all, bool is_gate, const char *expected)
{
    SG_SCOPED(sg_text) text = {0};
    sg_validity_events(all, is_gate, &text);
    assert_string_equal(sg_text_string(&text), expected);
}

TEST(what_is_not_known)
{
    struct sg_process_log blind = {0};
    expect_events(&blind, true, "");
    const struct sg_process one = make_process(0, &(struct odd){.unknown = true});
    sg_process_log_add(&blind, &one);
    expect_events(&blind, false,
                  "none in 0 processes, not known in 1; not known: whether others used the GPU");
    expect_events(&blind, true,
                  "none in 0 processes, not known in 1; not known: whether others used the GPU; "
                  "drift not known in 1 of 1 processes");
    struct sg_process_log half = make_gate(&(struct odd){.unknown = true}, 1);
    expect_events(&half, true,
                  "none in 5 processes, not known in 1; drift not known in 1 of 6 processes");
    half.items[0].figure[SG_AT_END][SG_FIGURE_CHAIN_NS] = NAN; /* its start is known */
    half.items[2].figure[SG_AT_START][SG_FIGURE_COPY_NS] =
        half.items[2].figure[SG_AT_END][SG_FIGURE_COPY_CLOCK] = NAN;
    expect_events(&half, true,
                  "none in 5 processes, not known in 1; drift not known in 2 of 6 processes");
    expect_events(&half, false, "none in 5 processes, not known in 1");
}

/* Two workers of one process, and what became of it is said once. */
TEST(processes_and_not_workers)
{
    static const struct {
        const char *proves;
        struct odd odd[2];
        const char *text;
    } rows[] = {
        {"an event in both",
         {{.events = SG_EVENT_SW_POWER_CAP, .torn = true}, {.events = SG_EVENT_SW_POWER_CAP}},
         "sw_power_cap in 1 of 6 processes"},
        {"one each",
         {{.events = SG_EVENT_SW_POWER_CAP}, {.events = SG_EVENT_HW_THERMAL}},
         "sw_power_cap in 1 of 6 processes, hw_thermal in 1 of 6 processes"},
        {"none in either", {{.torn = true}, {0}}, "none in 6 processes"},
        {"one of them not known is one that is not",
         {{.unknown = true}, {0}},
         "none in 5 processes, not known in 1; drift not known in 1 of 6 processes"},
        {"both not known",
         {{.unknown = true}, {.unknown = true}},
         "none in 5 processes, not known in 1; drift not known in 1 of 6 processes"},
        {"one dropped, one in its place",
         {{.events = SG_EVENT_HW_THERMAL, .dropped = "hw_thermal"}, {0}},
         "none in 6 processes, 1 process dropped (hw_thermal)"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_process_log all = make_gate(rows[i].odd, COUNT(rows[i].odd));
        SG_SCOPED(sg_text) text = {0};
        sg_validity_events(&all, true, &text);
        if (strcmp(sg_text_string(&text), rows[i].text) != 0)
            fail_msg("%s: %s", rows[i].proves, text.data);
    }
}
