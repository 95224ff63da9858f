/* nightly/decide.h: each row is a sentence about what a finding is to
 * a night, and what nights come to. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "nightly/decide.h"

#define TIMED 0.001 /* se of a row that was judged by time */

static const struct sg_night_items no_items; /* nights before show none */

struct row {
    const char *variant;
    enum sg_verdict verdict;
    double low, se;
    unsigned processes;
    bool is_informational;
};

/* A time ratio 2 % slower than accepted, with a tolerance of 1 %. */
static struct sg_finding finding_of(const struct row *row)
{
    return (struct sg_finding){
        .family = "f",
        .case_ = "c",
        .variant = row->variant,
        .metric = strcmp(row->variant, "paired") == 0   ? "build_ratio"
                  : strcmp(row->variant, "joules") == 0 ? "energy_build_ratio"
                                                        : "time_ratio",
        .unit = "1",
        .change = 0.02,
        .low = row->low,
        .high = 0.04,
        .se = row->se,
        .df = 7,
        .tolerance = 0.01,
        .accepted = row->verdict,
        .baseline = SG_VERDICT_COUNT,
        .processes = row->processes,
        .gates = !row->is_informational,
        .why = "the accepted number is of another GPU",
    };
}

static void compare_rows(const struct row *rows, size_t count, struct sg_comparison *comparison)
{
    *comparison = (struct sg_comparison){.judged = count};
    for (size_t i = 0; i < count; i++) {
        const struct sg_finding finding = finding_of(&rows[i]);
        sg_finding_add(comparison, &finding);
        comparison->by_verdict[finding.accepted] += finding.gates;
    }
}

/* Tonight f/c/wide spreads further than on nights before, and f/c/v does not. */
static struct sg_night_items items_of_nights(void)
{
    struct sg_night_items items = {0};
    sg_night_items_at(&items, "f/c/wide")->why_wide = "5 times as much";
    sg_night_items_at(&items, "f/c/wide")->has_usual = true;
    sg_night_items_at(&items, "f/c/v")->has_usual = true;
    return items;
}

static const struct {
    const char *sentence;
    struct row row;
    enum sg_nightly_class class_;
    size_t open, unspread;
} rows[] = {
    {"within is good", {"v", SG_WITHIN, 0, TIMED, 8, false}, SG_NIGHTLY_GOOD, 0, 0},
    {"regressed after 8 processes is a suspect",
     {"v", SG_REGRESSED, 0.015, TIMED, 8, false},
     SG_NIGHTLY_SUSPECT,
     1,
     0},
    {"and after 20 it is regressed",
     {"v", SG_REGRESSED, 0.015, TIMED, 20, false},
     SG_NIGHTLY_REGRESSED,
     0,
     0},
    {"a counter that gates needs no more processes",
     {"v", SG_REGRESSED, NAN, NAN, 0, false},
     SG_NIGHTLY_REGRESSED,
     0,
     0},
    {"what is inconclusive is a suspect, and measured on",
     {"v", SG_INCONCLUSIVE, 0.011, TIMED, 8, false},
     SG_NIGHTLY_SUSPECT,
     1,
     0},
    {"after 20 processes it stays one",
     {"v", SG_INCONCLUSIVE, 0.011, TIMED, 20, false},
     SG_NIGHTLY_SUSPECT,
     0,
     0},
    {"what its pair leaves unresolved is measured on, too",
     {"paired", SG_UNRESOLVED, 0.009, TIMED, 8, false},
     SG_NIGHTLY_UNRESOLVED,
     1,
     1},
    {"but not what the accepted number leaves so",
     {"v", SG_UNRESOLVED, 0.009, TIMED, 8, false},
     SG_NIGHTLY_UNRESOLVED,
     0,
     0},
    {"what informs is never open",
     {"v", SG_REGRESSED, 0.015, TIMED, 8, true},
     SG_NIGHTLY_GOOD,
     0,
     0},
    {"nor is what was not measured",
     {"v", SG_NOT_MEASURED, NAN, NAN, 0, false},
     SG_NIGHTLY_FAULTY,
     0,
     0},
    {"unresolved, and spread",
     {"wide", SG_UNRESOLVED, 0, TIMED, 10, false},
     SG_NIGHTLY_SUSPECT,
     1,
     0},
    {"within, and spread", {"wide", SG_WITHIN, 0, TIMED, 20, false}, SG_NIGHTLY_SUSPECT, 0, 0},
    {"improved, and spread", {"wide", SG_IMPROVED, 0, TIMED, 10, false}, SG_NIGHTLY_SUSPECT, 1, 0},
    {"regressed stays regressed",
     {"wide", SG_REGRESSED, 0.015, TIMED, 20, false},
     SG_NIGHTLY_REGRESSED,
     0,
     0},
    {"what informs is good, however it spreads",
     {"wide", SG_WITHIN, 0, TIMED, 10, true},
     SG_NIGHTLY_GOOD,
     0,
     0},
    {"without nights before",
     {"young", SG_UNRESOLVED, 0, TIMED, 20, false},
     SG_NIGHTLY_UNRESOLVED,
     0,
     1},
    {"energy needs no nights before",
     {"joules", SG_WITHIN, 0, TIMED, 9, false},
     SG_NIGHTLY_GOOD,
     0,
     0},
    {"the accepted build itself",
     {"young", SG_IDENTICAL, 0, TIMED, 20, false},
     SG_NIGHTLY_GOOD,
     0,
     0},
};

TEST(classes)
{
    struct sg_night_items items = items_of_nights();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct sg_comparison comparison;
        SG_SCOPED(sg_names) open = {0};
        const struct sg_finding finding = finding_of(&rows[i].row);
        compare_rows(&rows[i].row, 1, &comparison);
        sg_nightly_open_items(&comparison, &items, &open);
        const size_t unspread = sg_nightly_judge(&comparison, &items);
        const struct sg_finding judged = sg_finding_at(&comparison, 0);
        const bool is_suspect = rows[i].class_ == SG_NIGHTLY_SUSPECT,
                   is_wide = strcmp(rows[i].row.variant, "wide") == 0;
        if (sg_nightly_class_of(&finding, &items) != rows[i].class_ || open.count != rows[i].open ||
            unspread != rows[i].unspread || (judged.accepted == SG_INCONCLUSIVE) != is_suspect ||
            (is_suspect && is_wide && !strstr(judged.why, "5 times as much")))
            fail_msg("%s: class %d, %zu open, %zu unspread, verdict %d, '%s'", rows[i].sentence,
                     (int)sg_nightly_class_of(&finding, &items), open.count, unspread,
                     (int)judged.accepted, judged.why);
    }
}

TEST(exit_codes)
{
    const struct row within = {"within", SG_WITHIN, 0, TIMED, 8, false},
                     unresolved = {"noisy", SG_UNRESOLVED, 0, TIMED, 20, false},
                     suspect = {"suspect", SG_INCONCLUSIVE, 0.011, TIMED, 20, false},
                     early = {"early", SG_REGRESSED, 0.02, TIMED, 8, false},
                     slow = {"slow", SG_REGRESSED, 0.02, TIMED, 20, false},
                     missing = {"missing", SG_NOT_MEASURED, NAN, NAN, 0, false},
                     broken = {"broken", SG_BROKEN, NAN, NAN, 0, false};
    const struct {
        const char *sentence;
        struct row rows[3];
        size_t count;
        int exit_code;
    } nights[] = {
        {"all within", {within, within}, 2, SG_EXIT_DONE},
        {"a row that is unresolved fails nothing", {within, unresolved}, 2, SG_EXIT_DONE},
        {"but where none is decided nothing was judged",
         {unresolved, unresolved},
         2,
         SG_EXIT_INVALID},
        {"a suspect", {within, suspect, unresolved}, 3, SG_EXIT_INCONCLUSIVE},
        {"regressed, and not measured on", {within, early}, 2, SG_EXIT_INCONCLUSIVE},
        {"regressed", {within, slow, suspect}, 3, SG_EXIT_REGRESSED},
        {"not measured outweighs a suspect", {within, missing, early}, 3, SG_EXIT_INVALID},
        {"regressed outweighs not measured", {within, missing, slow}, 3, SG_EXIT_REGRESSED},
        {"broken outweighs all", {broken, slow, missing}, 3, SG_EXIT_UNDECLARED},
    };
    for (size_t i = 0; i < sizeof(nights) / sizeof(nights[0]); i++) {
        struct sg_comparison comparison;
        compare_rows(nights[i].rows, nights[i].count, &comparison);
        sg_nightly_judge(&comparison, &no_items);
        const int code = sg_comparison_exit_code(
            &comparison, &(struct sg_compare_options){.inconclusive_fails = true});
        if (code != nights[i].exit_code)
            fail_msg("%s: exit %d instead of %d", nights[i].sentence, code, nights[i].exit_code);
    }
}

TEST(a_waiver_excuses_the_run)
{
    assert_int_equal(sg_nightly_run_exit(SG_EXIT_UNDECLARED, SG_EXIT_DONE, 1), SG_EXIT_DONE);
    assert_int_equal(sg_nightly_run_exit(SG_EXIT_UNDECLARED, SG_EXIT_DONE, 0), SG_EXIT_UNDECLARED);
    assert_int_equal(sg_nightly_run_exit(SG_EXIT_UNDECLARED, SG_EXIT_REGRESSED, 1),
                     SG_EXIT_UNDECLARED);
}

TEST(what_is_counted_is_said)
{
    struct sg_nightly_total total = {.suites = 2, .left_out = 1, .unspread = 4};
    SG_SCOPED(sg_text) counts = {0};
    sg_headline_count(&total.headline, SG_REGRESSED, 1);
    sg_headline_count(&total.headline, SG_WITHIN, 6);
    sg_headline_count(&total.headline, SG_XFAIL, 5);
    sg_nightly_counts(&total, &counts);
    assert_string_equal(
        counts.data,
        "nightly: 2 suites, 7 rows: 1 regressed, 6 within, 4 rows with fewer than "
        "ten earlier nightly runs, so a row that is slow only in some processes may pass, 1 "
        "suite not started: the time budget was exhausted; history: none is kept");
}
