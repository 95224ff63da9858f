/*
 * A variant against the build that its accepted numbers come from, paired in the same night
 * (docs/method.md 3): the rule of a merge gate, with Holm's correction over the rows that gate. The
 * accepted numbers are the second witness.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "results/env.h"
#include "results/identity.h"
#include "stats/sequential.h"
#include "stats/statistics.h"

/* ---- is it the pair with what was accepted ---- */

/* What the item is made of; NULL: not known. */
static const char *identity_of(const struct sg_side *side)
{
    return side->identity ? sg_table_string(side->table, side->identity->message) : NULL;
}

/* Both builds read the files that are there tonight: where those are others than when the numbers
 * were accepted, the pair has not what was accepted on any side. */
static bool reads_other_files(const struct sg_joining *joining)
{
    return sg_identity_other_files(identity_of(&joining->now), identity_of(&joining->then));
}

static bool is_paired(const struct sg_joining *joining)
{
    const struct sg_row *build = joining->now.build;
    return build && build->status == SG_OK && !reads_other_files(joining);
}

/* ---- what a pair leaves to the accepted numbers ---- */

static bool suite_gates(const struct sg_joining *joining)
{
    const struct sg_side *now = &joining->now;
    return sg_env_getf(joining->run_env, SG_GATE_PREFIX "%s", sg_table_string(now->table, now->table->rows[now->from].family)) != NULL;
}

static bool is_vendor(const struct sg_side *side)
{
    return side->role && strcmp(sg_table_string(side->table, side->role->message), "vendor") == 0;
}

bool sg_informs(const struct sg_joining *joining, const char *metric)
{
    const struct sg_side *now = &joining->now;
    if (!joining->asks_builds || now->from == now->to)
        return false;
    if (is_vendor(now) && !suite_gates(joining))
        return true;
    if (!is_paired(joining) || strcmp(metric, SG_BUILD_RATIO_METRIC) == 0)
        return false;
    return strcmp(metric, "time_ratio") == 0 || !(sg_is_baseline_variant(now) && suite_gates(joining));
}

void sg_describe_unresolved(struct sg_finding *finding, const char *also)
{
    finding->accepted = SG_UNRESOLVED;
    if (finding->processes < SG_WITHIN_PROCESSES && fabs(finding->low) < finding->tolerance && finding->high < finding->tolerance)
        sg_finding_why(finding, "%+.3g %%, at most %+.3g %%, but %u processes may all miss a slow state: it takes %d to call it within%s",
                       100.0 * finding->change, 100.0 * finding->high, finding->processes, SG_WITHIN_PROCESSES, also);
    else
        sg_finding_why(finding, "cannot resolve %.3g %%: %+.3g %%, and up to %+.3g %% may be hidden in the noise of %u processes%s",
                       100.0 * finding->tolerance, 100.0 * finding->change, 100.0 * finding->high, finding->processes, also);
}

/* ---- one row ---- */

static void decide(struct sg_joining *joining, const struct sg_row_pair *pair, struct sg_finding *finding)
{
    const struct sg_difference difference = {
        .mean = log(pair->now->value),
        .se = sg_row_errors_of(joining->run, pair->now).se,
        .bounds = sg_bounds_of_gate(pair->now->n),
        .tolerance = finding->tolerance,
    };
    sg_finding_decide(finding, &difference, pair->now->n - 1.0);
    if (sg_identity_same(identity_of(&joining->now), identity_of(&joining->then))) {
        finding->accepted = SG_IDENTICAL;
        sg_finding_why(finding, "the same code, knobs and files as accepted");
    } else {
        sg_describe_time_verdict(finding, "the accepted build", ": accept the run to keep it");
    }
}

/* The first of the reasons why accepted numbers alone judge an item. */
static void note_unpaired(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    struct sg_comparison *comparison = joining->comparison;
    struct sg_text why = {0};
    if (comparison->unpaired++ > 0)
        return;
    const struct sg_finding names = sg_finding_of(joining, pair);
    sg_text_addf(&why, "%s/%s/%s: ", names.family, names.case_, names.variant);
    if (pair->now->status != SG_OK && pair->now->status != SG_UNAVAILABLE)
        sg_text_addf(&why, "its accepted build is %s: ", sg_status_word((enum sg_status)pair->now->status));
    if (reads_other_files(joining))
        sg_text_add(&why, "it reads other files than when it was accepted");
    else
        sg_text_add(&why, sg_table_string(joining->run, pair->now->message));
    comparison->unpaired_why = sg_copy_string(why.data);
    sg_text_release(&why);
}

void sg_judge_build_ratio(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    if (!is_paired(joining)) {
        note_unpaired(joining, pair);
        return;
    }
    struct sg_finding finding = sg_finding_of(joining, pair);
    const char *why = sg_why_unfit(joining, pair);
    joining->comparison->paired++;
    finding.informs = sg_informs(joining, SG_BUILD_RATIO_METRIC);
    finding.gates = !finding.informs;
    finding.processes = pair->now->n;
    finding.tolerance = sg_tolerance_of_run(joining, pair);
    if (why) {
        finding.accepted = SG_INVALID_VALUE;
        sg_finding_why(&finding, "%s", why);
    } else {
        decide(joining, pair, &finding);
    }
    sg_finding_add(joining->comparison, &finding);
}

/* ---- all rows at once ---- */

static bool is_of_build(const struct sg_finding *finding)
{
    return finding->gates && strcmp(finding->metric, SG_BUILD_RATIO_METRIC) == 0 && isfinite(finding->se);
}

/* Holm is over those; the same file is no question. */
static bool is_judged(const struct sg_finding *finding)
{
    return is_of_build(finding) && (finding->accepted == SG_WITHIN || finding->accepted == SG_IMPROVED ||
                                    finding->accepted == SG_REGRESSED || finding->accepted == SG_INCONCLUSIVE);
}

/* That it is slower by more than `tolerance`. */
static double p_of(const struct sg_finding *finding, double tolerance)
{
    const struct sg_sequential_pair pair = {.tolerance = tolerance,
                                            .verdict = finding->accepted,
                                            .estimate = {.mean = log(finding->is), .se = finding->se, .n = finding->processes}};
    return sg_sequential_p(&pair);
}

static bool same_item(const struct sg_finding *a, const struct sg_finding *b)
{
    return strcmp(a->variant, b->variant) == 0 && strcmp(a->case_, b->case_) == 0 && strcmp(a->family, b->family) == 0;
}

/* What the accepted numbers make of the item of finding `at`; false: they do not call it slower. */
static bool is_slower_than_accepted(const struct sg_comparison *comparison, size_t at, struct sg_finding *witness)
{
    const struct sg_finding build = sg_finding_at(comparison, at);
    for (size_t i = at + 1; i < comparison->count; i++) {
        *witness = sg_finding_at(comparison, i);
        if (!same_item(&build, witness))
            return false;
        if (witness->accepted == SG_REGRESSED && (strcmp(witness->metric, "time_ratio") == 0 || strcmp(witness->metric, "time") == 0))
            return true;
    }
    return false;
}

/* Of what the rule leaves open, and of all rows as sure: a suspect if
 * it is slower at all, else listed. */
static void settle_open(struct sg_finding *finding, const struct sg_finding *witness, bool is_slower)
{
    char accepted[64] = "";
    if (witness)
        snprintf(accepted, sizeof(accepted), "; accepted numbers read %+.3g %%", 100.0 * witness->change);
    if (is_slower)
        sg_finding_why(finding, "cannot resolve %.3g %%: %+.3g %%, between %+.3g %% and %+.3g %%%s", 100.0 * finding->tolerance,
                       100.0 * finding->change, 100.0 * finding->low, 100.0 * finding->high, accepted);
    else
        sg_describe_unresolved(finding, accepted);
}

/* By Holm, of all rows: that it is slower by more than its
 * tolerance, and that it is slower at all. */
struct chance {
    double beyond, slower;
};

static void settle(struct sg_comparison *comparison, size_t at, const struct chance *chance, size_t rows)
{
    struct sg_finding finding = sg_finding_at(comparison, at), witness;
    struct sg_finding_reason room;
    const bool is_witnessed = is_slower_than_accepted(comparison, at, &witness), is_slower = chance->slower <= SG_SEQUENTIAL_ERROR;
    finding.room = &room;
    finding.resolution = sg_mde90_pair(finding.tolerance, finding.se * sqrt(finding.processes), finding.processes, rows);
    if (finding.accepted == SG_REGRESSED && chance->beyond > SG_SEQUENTIAL_ERROR) {
        finding.accepted = is_slower ? SG_INCONCLUSIVE : SG_UNRESOLVED;
        sg_finding_why(&finding, "slower by %.3g %%, but of %zu rows one looks so by chance in %.2g of 100 nights", 100.0 * finding.change,
                       rows, 100.0 * chance->beyond);
    } else if (finding.accepted == SG_REGRESSED) {
        sg_describe_time_verdict(&finding, "the accepted build", "");
    } else if (finding.accepted == SG_INCONCLUSIVE) {
        settle_open(&finding, is_witnessed ? &witness : NULL, is_slower);
    } else if (is_witnessed) {
        sg_finding_why(&finding, "%s the accepted build, and slower than accepted by %.3g %%: the driver, the GPU or its clock changed",
                       finding.accepted == SG_WITHIN ? "as fast as" : "faster than", 100.0 * witness.change);
    }
    sg_finding_put(comparison, at, &finding);
}

void sg_settle_build_ratios(struct sg_comparison *comparison)
{
    size_t *row = sg_alloc(comparison->count, sizeof(*row)), count = 0;
    double *beyond = sg_alloc(comparison->count, sizeof(*beyond)), *slower = sg_alloc(comparison->count, sizeof(*slower));
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        if (!is_judged(&finding))
            continue;
        beyond[count] = p_of(&finding, finding.tolerance);
        slower[count] = p_of(&finding, 0);
        row[count++] = i;
    }
    if (count > 0) {
        sg_holm(beyond, count, beyond);
        sg_holm(slower, count, slower);
    }
    for (size_t i = 0; i < count; i++)
        settle(comparison, row[i], &(struct chance){beyond[i], slower[i]}, count);
    free(slower);
    free(beyond);
    free(row);
}
