/* ab/gate.h and ab/engine_modules.c, from decided pairs to findings: many rows at once, an invalid
 * run, the same code, a side that failed, clocks that differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ab/ab_internal.h"
#include "results/samples.h"

#define CASES_MAX 60

/* A gate of `cases` cases that are as they were, the first one apart; every pair rests on
 * five processes that differ by 0.1 %. */
struct gate {
    struct sg_ab ab;
    struct sg_ab_options options;
    struct sg_listed_family family;
    struct sg_listed_variant base, cand;
    struct sg_listed_case listed[CASES_MAX];
    char names[CASES_MAX][24];
    struct sg_step steps[2 * CASES_MAX];
    struct sg_item items[2 * CASES_MAX];
    struct sg_ab_case cases[CASES_MAX];
    struct sg_sequential_pair pairs[2 * CASES_MAX];
    size_t step_of_pair[2 * CASES_MAX];
    char message[32];
};

static struct sg_sequential_pair make_pair(double change, enum sg_verdict verdict)
{
    static const double off[] = {0, 1, -2, 2, -1}; /* no trend */
    struct sg_sequential_pair pair = {
        .tolerance = 0.005, .n = 5, .decided = true, .verdict = verdict};
    for (unsigned i = 0; i < pair.n; i++)
        pair.y[i] = log1p(change) + 0.001 * off[i] / sqrt(2.5);
    pair.estimate = sg_abba_estimate(pair.y, pair.n);
    return pair;
}

static void make_gate(struct gate *g, size_t cases)
{
    memset(g, 0, sizeof(*g));
    g->options = (struct sg_ab_options){
        .baseline = "f/base", .candidate = "f/cand", .settings.tolerance = 0.005};
    g->family.name = (char *)"f";
    g->base = (struct sg_listed_variant){.name = (char *)"base"};
    g->cand = (struct sg_listed_variant){.name = (char *)"cand"};
    g->ab = (struct sg_ab){.options = &g->options,
                           .cases = g->cases,
                           .case_count = cases,
                           .step_of_pair = g->step_of_pair};
    g->ab.baseline.label = g->ab.baseline.name = (char *)"base";
    g->ab.candidate.name = (char *)"cand";
    g->ab.gate = (struct sg_gate){.options = &g->options,
                                  .engine = &sg_ab_modules,
                                  .context = &g->ab,
                                  .names = {"f/base", "f/cand"},
                                  .base = "base",
                                  .pairs = {.pairs = g->pairs, .count = 2 * cases, .lambda = 1}};
    g->ab.execution.steps = g->steps;
    g->ab.calibration = (struct sg_aa_check){.valid = true, .lambda = 1};
    g->ab.conditions = (struct sg_validity){.valid = true};
    for (size_t i = 0; i < cases; i++) {
        snprintf(g->names[i], sizeof(g->names[i]), "c%zu", i);
        g->listed[i].name = g->names[i];
        struct sg_step *base = &g->steps[2 * i], *cand = base + 1;
        g->items[2 * i] =
            (struct sg_item){.family = &g->family, .case_ = &g->listed[i], .variant = &g->base};
        g->items[2 * i + 1] =
            (struct sg_item){.family = &g->family, .case_ = &g->listed[i], .variant = &g->cand};
        *base = (struct sg_step){.item = &g->items[2 * i], .baseline = base};
        *cand = (struct sg_step){.item = &g->items[2 * i + 1], .baseline = base};
        g->cases[i] = (struct sg_ab_case){.baseline = base, .candidate = cand, .pair = 2 * i + 1};
        g->pairs[2 * i] = g->pairs[2 * i + 1] = make_pair(0, SG_WITHIN);
        g->pairs[2 * i].even = true;
        g->step_of_pair[2 * i] = 2 * i;
        g->step_of_pair[2 * i + 1] = 2 * i + 1;
    }
}

/* The findings; the caller releases them. */
static struct sg_comparison judge(struct gate *g)
{
    struct sg_gate *gate = &g->ab.gate;
    sg_gate_judge(gate);
    const struct sg_comparison comparison = gate->comparison;
    gate->comparison = (struct sg_comparison){0};
    free(gate->rows);
    gate->rows = NULL;
    gate->count = gate->capacity = 0;
    return comparison;
}

/* Judges, and holds the first finding against what is expected. */
static void assert_first(const char *sentence, struct gate *g, enum sg_verdict verdict, bool gates,
                         const char *why)
{
    struct sg_comparison comparison = judge(g);
    if (comparison.count == 0)
        fail_msg("%s: no finding", sentence);
    const struct sg_finding first = sg_finding_at(&comparison, 0);
    if (first.accepted != verdict || first.gates != gates || !strstr(first.why, why))
        fail_msg("%s: %zu findings, %s: %s", sentence, comparison.count,
                 sg_verdict_word(first.accepted), first.why);
    assert_true(comparison.of_pairs);
}

TEST(many_rows)
{
    static const struct {
        const char *sentence;
        double change; /* of the first case */
        size_t cases;
        enum sg_verdict verdict;
        const char *why;
    } rows[] = {
        {"alone, 0.9 % is clear", 0.009, 1, SG_REGRESSED,
         "0.9 % slower than base (tolerance 0.5 %)"},
        {"as one of sixty it may be chance", 0.009, 60, SG_INCONCLUSIVE, "run it alone: --case=c0"},
        {"as one of sixty 2 % is no chance", 0.02, 60, SG_REGRESSED, "2 % slower than base"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gate *g = malloc(sizeof(*g));
        make_gate(g, rows[i].cases);
        g->pairs[1] = make_pair(rows[i].change, SG_REGRESSED);
        assert_first(rows[i].sentence, g, rows[i].verdict, true, rows[i].why);
        free(g);
    }
}

TEST(what_the_processes_show)
{
    static const struct {
        const char *sentence;
        double trend, resolution; /* ln from the first process to the last; ratio */
        double order;             /* of sg_estimate */
        enum sg_verdict verdict;
        const char *why;
    } rows[] = {
        {"states that alternate", 0, 0.02, 0.006, SG_WITHIN,
         "processes differ by +-0.3 % with the order"},
        {"a trend", 0.05, 0.02, 0, SG_WITHIN, "not independent, so the interval is too narrow"},
        {"that what is below the MDE reads high", 0, 0.02, 0, SG_REGRESSED,
         "; this is below the MDE"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gate *g = malloc(sizeof(*g));
        make_gate(g, 1);
        g->pairs[1] = make_pair(rows[i].verdict == SG_REGRESSED ? 0.009 : 0, rows[i].verdict);
        g->pairs[1].resolution = rows[i].resolution;
        g->pairs[1].estimate.order = rows[i].order;
        for (unsigned k = 0; k < g->pairs[1].n; k++)
            g->pairs[1].y[k] += rows[i].trend * ((double)k - 2) / 4;
        assert_first(rows[i].sentence, g, rows[i].verdict, true, rows[i].why);
        free(g);
    }
    struct gate *quiet = malloc(sizeof(*quiet));
    make_gate(quiet, 1);
    struct sg_comparison comparison = judge(quiet);
    assert_string_equal(sg_finding_at(&comparison, 0).why, "");
    free(quiet);
}

TEST(two_slow_ones_do_not_hide_each_other)
{
    struct gate *g = malloc(sizeof(*g));
    make_gate(g, 2);
    g->pairs[1] = make_pair(0.02, SG_REGRESSED);
    g->pairs[3] = make_pair(0.009, SG_REGRESSED);
    struct sg_comparison comparison = judge(g);
    assert_int_equal(comparison.by_verdict[SG_REGRESSED], 2);
    free(g);
}

TEST(what_the_run_makes_of_it)
{
    struct gate *g = malloc(sizeof(*g));
    make_gate(g, 1);
    g->pairs[1] = make_pair(0.02, SG_REGRESSED);
    g->ab.calibration.valid = false;
    assert_first("an uneven baseline takes the verdict away", g, SG_INVALID_VALUE, true,
                 "measured as regressed (+2 %), but");

    make_gate(g, 1);
    g->pairs[1] = make_pair(0.02, SG_REGRESSED);
    g->ab.conditions = (struct sg_validity){.why = "MIG is on"};
    assert_first("so do conditions that spoil times", g, SG_INVALID_VALUE, true,
                 "measured as regressed (+2 %), but MIG is on");

    make_gate(g, 1);
    g->ab.candidate.name = g->ab.baseline.name;
    g->steps[0].identity = g->steps[1].identity = (char *)"code 1; knobs t=2; files -";
    g->pairs[1] = make_pair(0.001, SG_INCONCLUSIVE);
    assert_first("what is the same never fails", g, SG_IDENTICAL, true,
                 "the same code, knobs and files");
    g->steps[1].identity = (char *)"code 1; knobs t=3; files -";
    g->pairs[1] = make_pair(0.3, SG_REGRESSED);
    assert_first("knobs that were set otherwise are another thing", g, SG_REGRESSED, true,
                 "slower than");
    g->steps[1].identity = NULL;
    assert_first("so is what nobody verified", g, SG_REGRESSED, true, "slower than");
    g->steps[1].identity = g->steps[0].identity;
    g->ab.candidate.name = (char *)"cand";
    assert_first("and another variant of the same file", g, SG_REGRESSED, true, "slower than");

    make_gate(g, 1);
    g->pairs[1].dead = true;
    g->steps[1].status = SG_CRASH;
    snprintf(g->message, sizeof(g->message), "while timed");
    g->steps[1].message = g->message;
    assert_first("a candidate that crashes is broken", g, SG_BROKEN, true, "crash: while timed");

    make_gate(g, 1);
    g->steps[0].status = SG_WRONG;
    assert_first("a baseline that is wrong is broken too", g, SG_BROKEN, true, "wrong");

    make_gate(g, 2);
    g->steps[1].status = SG_UNSUPPORTED;
    assert_first("a case that the candidate refuses is left out", g, SG_REFUSES, false,
                 "unsupported");
    sg_names_add(&g->options.cases, "c0");
    assert_first("but not when it was asked for", g, SG_INVALID_VALUE, true, "unsupported");
    sg_names_release(&g->options.cases);

    make_gate(g, 2);
    g->steps[2].status = g->steps[3].status = SG_UNSUPPORTED;
    assert_first("what both sides refuse stands in the way of nothing", g, SG_WITHIN, true, "");

    make_gate(g, 1);
    g->steps[1].status = SG_UNAVAILABLE;
    assert_first("what is not to be had here was not judged", g, SG_INVALID_VALUE, true,
                 "unavailable");
    free(g);
}

/* A case that one side supports and the other refuses, of two variants and of two builds of one. */
TEST(a_case_that_one_side_refuses)
{
    static const struct {
        const char *sentence;
        bool is_rebuilt, is_asked_for;
        enum sg_status base, cand;
        enum sg_verdict verdict;
        size_t one_sided;
        int exit_code;
        const char *why;
    } rows[] = {
        {"another variant that cannot do it", false, false, SG_OK, SG_UNSUPPORTED, SG_REFUSES, 1, 0,
         "unsupported: too small"},
        {"one that can", false, false, SG_UNSUPPORTED, SG_SKIPPED, SG_REFUSES, 1, 0,
         "unsupported: too small"},
        {"two that cannot", false, false, SG_UNSUPPORTED, SG_UNSUPPORTED, SG_REFUSES, 0, 0,
         "unsupported: too small"},
        {"of a case that was asked for", false, true, SG_OK, SG_UNSUPPORTED, SG_INVALID_VALUE, 0, 3,
         "unsupported: too small"},
        {"a build that lost it", true, false, SG_OK, SG_UNSUPPORTED, SG_NOT_MEASURED, 0, 3,
         "unsupported now, but supported by f/base: too small"},
        {"a build that lost it, which was asked for", true, true, SG_OK, SG_UNSUPPORTED,
         SG_NOT_MEASURED, 0, 3, "supported by f/base"},
        {"a build that gained it", true, false, SG_UNSUPPORTED, SG_SKIPPED, SG_NOT_MEASURED, 0, 3,
         "f/base does not support this case"},
        {"a build that cannot do it either", true, false, SG_UNSUPPORTED, SG_UNSUPPORTED,
         SG_REFUSES, 0, 0, "unsupported: too small"},
        {"a build that refuses what went wrong before", true, false, SG_WRONG, SG_UNSUPPORTED,
         SG_BROKEN, 0, 5, "wrong: too small"},
        {"a build that goes wrong where the other refused", true, false, SG_UNSUPPORTED, SG_WRONG,
         SG_REFUSES, 0, 5, "unsupported"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gate *g = malloc(sizeof(*g));
        make_gate(g, 2);
        g->ab.baseline.name = (char *)"v";
        g->ab.candidate.name = (char *)(rows[i].is_rebuilt ? "v" : "w");
        g->steps[0].status = rows[i].base;
        g->steps[1].status = rows[i].cand;
        snprintf(g->message, sizeof(g->message), "too small");
        g->steps[0].message = g->steps[1].message = g->message;
        if (rows[i].is_asked_for)
            sg_names_add(&g->options.cases, "c0");
        assert_first(rows[i].sentence, g, rows[i].verdict, rows[i].verdict != SG_REFUSES,
                     rows[i].why);
        struct sg_comparison comparison = judge(g);
        const int exit_code = sg_comparison_exit_code(
            &comparison, &(struct sg_compare_options){.inconclusive_fails = true});
        if (exit_code != rows[i].exit_code || comparison.one_sided != rows[i].one_sided)
            fail_msg("%s: exit code %d, %zu cases of one side", rows[i].sentence, exit_code,
                     comparison.one_sided);
        sg_names_release(&g->options.cases);
        free(g);
    }
}

/* A case that only one module has at all. */
TEST(a_case_that_one_module_lacks)
{
    static const struct {
        const char *sentence;
        bool is_rebuilt, is_lost;
        enum sg_verdict verdict;
        size_t one_sided;
        const char *why;
    } rows[] = {
        {"a build that lost it", true, true, SG_NOT_MEASURED, 0,
         "a case of f/base, but not of f/cand"},
        {"a build that has one more", true, false, SG_REFUSES, 1,
         "a case of f/cand, but not of f/base"},
        {"another variant, of a module without it", false, true, SG_REFUSES, 1,
         "a case of f/base, but not of f/cand"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gate *g = malloc(sizeof(*g));
        struct sg_listed_case two[2] = {{.name = (char *)"c0"}, {.name = (char *)"only_here"}};
        make_gate(g, 1);
        struct sg_listed_family more = {.name = (char *)"f", .cases = two, .case_count = 2},
                                less = more;
        less.case_count = 1;
        g->ab.baseline.name = (char *)"v";
        g->ab.candidate.name = (char *)(rows[i].is_rebuilt ? "v" : "w");
        g->ab.candidate.variant.name = (char *)"cand";
        g->ab.baseline.listed = rows[i].is_lost ? &more : &less;
        g->ab.candidate.listed = rows[i].is_lost ? &less : &more;
        struct sg_comparison comparison = judge(g);
        assert_int_equal(comparison.count, 2);
        const struct sg_finding finding = sg_finding_at(&comparison, 1);
        if (finding.accepted != rows[i].verdict || !strstr(finding.why, rows[i].why) ||
            comparison.one_sided != rows[i].one_sided)
            fail_msg("%s: %s: %s", rows[i].sentence, sg_verdict_word(finding.accepted),
                     finding.why);
        assert_string_equal(finding.case_, "only_here");
        assert_int_equal(finding.gates, rows[i].verdict == SG_NOT_MEASURED);
        free(g);
    }
}

/* Beside the candidate the baseline takes `percent` longer than by itself. */
static void slow_down(struct gate *g, double percent)
{
    for (unsigned i = 0; i < 10; i++) {
        struct sg_samples *all = &g->ab.sink.samples;
        const sg_id cand = sg_samples_intern(all, "cand"), base = sg_samples_intern(all, "base");
        sg_samples_add(all, &(struct sg_sample){.family = sg_samples_intern(all, "f"),
                                                .case_ = sg_samples_intern(all, "c0"),
                                                .process = (uint16_t)(i / 2),
                                                .pair = i % 2 ? cand : base,
                                                .variant = base,
                                                .ns = i % 2 ? 1000 + 10 * percent : 1000});
    }
}

TEST(a_baseline_that_is_slowed)
{
    static const struct {
        const char *sentence;
        double change, slowed; /* beside it, and of the baseline; % */
        enum sg_verdict own, verdict;
        const char *why;
    } rows[] = {
        {"a graph that is faster than the baseline by itself", -25, 7, SG_IMPROVED, SG_IMPROVED,
         "against the baseline alone -19.7 %"},
        {"one that is no slower than that", -7.1, 7, SG_IMPROVED, SG_WITHIN,
         "against the baseline alone -0.597 %"},
        {"one that only the slowed baseline makes fast", -3, 7, SG_IMPROVED, SG_INVALID_VALUE,
         "alone +3.79 %"},
        {"one that is as slow as the slowed one", 0, 7, SG_WITHIN, SG_INVALID_VALUE,
         "measured as within (+0 %), but the baseline takes 7 % longer"},
        {"one that is slower than even that", 3, 7, SG_REGRESSED, SG_REGRESSED,
         "measured as regressed (+3 %)"},
        {"what is not decided, and may be slower than that", 0.4, 7, SG_INCONCLUSIVE,
         SG_INVALID_VALUE, "the baseline takes 7 % longer"},
        {"what is not decided, and is not slower than that", -7, 7, SG_INCONCLUSIVE,
         SG_INCONCLUSIVE, "the baseline takes 7 % longer"},
        {"a little is as it may be", -3, 0.9, SG_IMPROVED, SG_IMPROVED, "3 % faster than base"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gate *g = malloc(sizeof(*g));
        make_gate(g, 1);
        slow_down(g, rows[i].slowed);
        g->pairs[1] = make_pair(rows[i].change / 100, rows[i].own);
        assert_first(rows[i].sentence, g, rows[i].verdict, true, rows[i].why);
        sg_samples_release(&g->ab.sink.samples);
        free(g);
    }
}

TEST(clocks)
{
    struct gate *g = malloc(sizeof(*g));
    make_gate(g, 1);
    for (unsigned i = 0; i < 8; i++) {
        const sg_id cand = sg_samples_intern(&g->ab.sink.samples, "cand"),
                    base = sg_samples_intern(&g->ab.sink.samples, "base");
        sg_samples_add(&g->ab.sink.samples,
                       &(struct sg_sample){.family = sg_samples_intern(&g->ab.sink.samples, "f"),
                                           .case_ = sg_samples_intern(&g->ab.sink.samples, "c0"),
                                           .pair = cand,
                                           .variant = i % 2 ? cand : base,
                                           .ns = 1000,
                                           .sm_clock = i % 2 ? 1.96e9 : 1.98e9});
    }
    assert_first("within, and labelled for its power", g, SG_WITHIN, true,
                 "power: its batches ran at a clock 1 % lower");
    assert_first(
        "what to do about it", g, SG_WITHIN, true,
        "alternating launches hide a part of that; run it with --sustained before merging");
    g->options.settings.sustained = true;
    assert_first("which was done", g, SG_WITHIN, true,
                 "so its power draw differs; sustained: interleaved segments of 2 s");
    g->options.settings.sustained = false;
    for (size_t i = 0; i < g->ab.sink.samples.count; i++)
        g->ab.sink.samples.items[i].sm_clock = 1.98e9;
    struct sg_comparison comparison = judge(g);
    assert_string_equal(sg_finding_at(&comparison, 0).why, "");
    sg_samples_release(&g->ab.sink.samples);
    free(g);
}
