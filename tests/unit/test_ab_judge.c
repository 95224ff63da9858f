/* ab_parts.h: from what the engine decided to findings: many rows at once, a run that must not be believed, the same code, a side that
 * failed, clocks that differ. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ab_parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CASES_MAX    60

/* A gate of `cases` cases that are as they were, the first one apart; every pair rests on five processes that differ by 0.1 %. */
struct gate {
    struct sg_ab ab;
    struct sg_ab_options options;
    struct sg_listed_family family;
    struct sg_listed_variant base, cand;
    struct sg_listed_case listed[CASES_MAX];
    char names[CASES_MAX][24];
    struct sg_step steps[2 * CASES_MAX];
    struct sg_ab_case cases[CASES_MAX];
    struct sg_engine_pair pairs[2 * CASES_MAX];
    size_t step_of_pair[2 * CASES_MAX];
    char message[32];
};

static struct sg_engine_pair make_pair(double change, enum sg_verdict verdict)
{
    struct sg_engine_pair pair = {.tolerance = 0.005, .n = 5, .decided = true, .verdict = verdict};
    for (unsigned i = 0; i < pair.n; i++)
        pair.y[i] = log1p(change) + 0.001 * ((double)i - 2) / sqrt(2.5);
    pair.estimate = sg_duet_estimate(pair.y, pair.n);
    return pair;
}

static void make_gate(struct gate *g, size_t cases)
{
    memset(g, 0, sizeof(*g));
    g->options = (struct sg_ab_options){.baseline = "f/base", .candidate = "f/cand", .tolerance = 0.005};
    g->family.name = (char *)"f";
    g->base = (struct sg_listed_variant){.name = (char *)"base"};
    g->cand = (struct sg_listed_variant){.name = (char *)"cand"};
    g->ab = (struct sg_ab){.options = &g->options, .cases = g->cases, .case_count = cases, .step_of_pair = g->step_of_pair};
    g->ab.baseline.label = (char *)"base";
    g->ab.engine = (struct sg_engine){.pairs = g->pairs, .count = 2 * cases, .lambda = 1};
    g->ab.pipeline.steps = g->steps;
    g->ab.calibration = (struct sg_calibration){.valid = true, .lambda = 1};
    g->ab.conditions = (struct sg_conditions){.valid = true};
    for (size_t i = 0; i < cases; i++) {
        snprintf(g->names[i], sizeof(g->names[i]), "c%zu", i);
        g->listed[i].name = g->names[i];
        struct sg_step *base = &g->steps[2 * i], *cand = base + 1;
        *base = (struct sg_step){.item = {&g->family, &g->listed[i], &g->base}, .baseline = base};
        *cand = (struct sg_step){.item = {&g->family, &g->listed[i], &g->cand}, .baseline = base};
        g->cases[i] = (struct sg_ab_case){.baseline = base, .candidate = cand, .aa = 2 * i, .pair = 2 * i + 1};
        g->pairs[2 * i] = g->pairs[2 * i + 1] = make_pair(0, SG_WITHIN);
        g->step_of_pair[2 * i] = 2 * i;
        g->step_of_pair[2 * i + 1] = 2 * i + 1;
    }
}

/* Judges, and holds the first finding against what is expected. */
static void assert_first(const char *sentence, const struct gate *g, enum sg_verdict verdict, bool gates, const char *why)
{
    struct sg_comparison comparison;
    sg_ab_judge(&g->ab, &comparison);
    if (comparison.count == 0)
        fail_msg("%s: no finding", sentence);
    const struct sg_finding first = sg_finding_at(&comparison, 0);
    if (first.accepted != verdict || first.gates != gates || !strstr(first.why, why))
        fail_msg("%s: %zu findings, %s: %s", sentence, comparison.count, sg_verdict_word(first.accepted), first.why);
    assert_true(comparison.of_pairs);
    sg_comparison_release(&comparison);
}

static void many_rows(void **state)
{
    (void)state;
    static const struct {
        const char *sentence;
        double change; /* of the first case */
        size_t cases;
        enum sg_verdict verdict;
        const char *why;
    } rows[] = {
        {"alone, 0.9 % is clear", 0.009, 1, SG_REGRESSED, "slower than base by 0.9 %, allowed are 0.5 %"},
        {"as one of sixty it may be chance", 0.009, 60, SG_INCONCLUSIVE,
         "run it alone: solgate ab f/base f/cand --case=c0 --tolerance=0.5%"},
        {"as one of sixty 2 % is no chance", 0.02, 60, SG_REGRESSED, "slower than base by 2 %"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gate *g = malloc(sizeof(*g));
        make_gate(g, rows[i].cases);
        g->pairs[1] = make_pair(rows[i].change, SG_REGRESSED);
        assert_first(rows[i].sentence, g, rows[i].verdict, true, rows[i].why);
        free(g);
    }
}

static void a_command_is_whole_or_not_there(void **state)
{
    (void)state;
    char path[400];
    struct gate *g = malloc(sizeof(*g));
    make_gate(g, 60);
    g->pairs[1] = make_pair(0.009, SG_REGRESSED);
    memset(path, 'x', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    g->options.baseline = path;
    assert_first("a path that leaves no room for the command", g, SG_INCONCLUSIVE, true,
                 "run it alone: the same command with --case=c0 --tolerance=0.5%");
    free(g);
}

static void two_slow_ones_do_not_hide_each_other(void **state)
{
    (void)state;
    struct gate *g = malloc(sizeof(*g));
    make_gate(g, 2);
    g->pairs[1] = make_pair(0.02, SG_REGRESSED);
    g->pairs[3] = make_pair(0.009, SG_REGRESSED);
    struct sg_comparison comparison;
    sg_ab_judge(&g->ab, &comparison);
    assert_int_equal(comparison.by_verdict[SG_REGRESSED], 2);
    sg_comparison_release(&comparison);
    free(g);
}

static void what_the_run_makes_of_it(void **state)
{
    (void)state;
    struct gate *g = malloc(sizeof(*g));
    make_gate(g, 1);
    g->pairs[1] = make_pair(0.02, SG_REGRESSED);
    g->ab.calibration.valid = false;
    assert_first("an uneven baseline takes the verdict away", g, SG_INVALID_VALUE, true, "measured as regressed, but");

    make_gate(g, 1);
    g->pairs[1] = make_pair(0.02, SG_REGRESSED);
    g->ab.conditions = (struct sg_conditions){.why = "MIG is on"};
    assert_first("so do conditions that spoil times", g, SG_INVALID_VALUE, true, "measured as regressed, but MIG is on");

    make_gate(g, 1);
    g->ab.identical = true;
    g->pairs[1] = make_pair(0.001, SG_INCONCLUSIVE);
    assert_first("the same code never fails", g, SG_IDENTICAL, true, "the same code in both files");

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
    assert_first("a case that the candidate refuses is left out", g, SG_AS_EXPECTED, false, "unsupported");
    sg_names_add(&g->options.cases, "c0");
    assert_first("but not when it was asked for", g, SG_INVALID_VALUE, true, "unsupported");
    sg_names_release(&g->options.cases);

    make_gate(g, 1);
    g->steps[1].status = SG_UNAVAILABLE;
    assert_first("what is not to be had here was not judged", g, SG_INVALID_VALUE, true, "unavailable");
    free(g);
}

static void clocks(void **state)
{
    (void)state;
    struct gate *g = malloc(sizeof(*g));
    make_gate(g, 1);
    for (unsigned i = 0; i < 8; i++) {
        const sg_id cand = sg_samples_intern(&g->ab.visits, "cand"), base = sg_samples_intern(&g->ab.visits, "base");
        sg_samples_add(&g->ab.visits, &(struct sg_sample){.family = sg_samples_intern(&g->ab.visits, "f"),
                                                          .case_ = sg_samples_intern(&g->ab.visits, "c0"),
                                                          .pair = cand,
                                                          .variant = i % 2 ? cand : base,
                                                          .ns = 1000,
                                                          .sm_clock = i % 2 ? 1.96e9 : 1.98e9});
    }
    assert_first("within, and labelled for its power", g, SG_WITHIN, true, "power: its visits ran at a clock 1 % lower");
    assert_first("what to do about it", g, SG_WITHIN, true, "turns hide a part of that; run it with --sustained before merging");
    g->options.sustained = true;
    g->ab.pipeline.segment_ms = 2000;
    assert_first("which was done", g, SG_WITHIN, true, "so it draws another power; sustained: in turns of 2 s of launches on end");
    g->options.sustained = false;
    for (size_t i = 0; i < g->ab.visits.count; i++)
        g->ab.visits.items[i].sm_clock = 1.98e9;
    struct sg_comparison comparison;
    sg_ab_judge(&g->ab, &comparison);
    assert_string_equal(sg_finding_at(&comparison, 0).why, "");
    sg_comparison_release(&comparison);
    sg_samples_release(&g->ab.visits);
    free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_rows),
        cmocka_unit_test(a_command_is_whole_or_not_there),
        cmocka_unit_test(two_slow_ones_do_not_hide_each_other),
        cmocka_unit_test(what_the_run_makes_of_it),
        cmocka_unit_test(clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
