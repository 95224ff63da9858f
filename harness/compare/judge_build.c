/*
 * Judges a variant paired in the same run with the build that its accepted numbers come from
 * (docs/method.md 3). Uses the rule of a merge gate, with Holm's correction over the gating rows.
 * The accepted numbers only add a second opinion.
 */
#include <math.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "results/identity.h"
#include "stats/build_pairs.h"
#include "stats/run_limits.h"

/* ---- one row ---- */

static struct sg_build_pair pair_of(const struct sg_joining *joining,
                                    const struct sg_finding *finding)
{
    const char *processes = sg_env_get(joining->in->run_env, "processes");
    const struct sg_night_terms *night = joining->in->night;
    const struct sg_night_item *item =
        sg_night_items_find(night ? night->items : NULL, SG_NAMES(*finding));
    return (struct sg_build_pair){.mean = log(finding->is),
                                  .se = finding->se,
                                  .n = finding->processes,
                                  .tolerance = finding->tolerance,
                                  .usual = item ? item->usual : (struct sg_usual_spread){0},
                                  .is_sequential = processes && strcmp(processes, "auto") == 0};
}

static void take(struct sg_finding *finding, const struct sg_build_pair_verdict *verdict)
{
    sg_finding_take(finding, &verdict->decision, verdict->se, verdict->df);
    finding->resolution = verdict->resolution;
}

/* Judges the row alone; sg_settle_build_ratios corrects for all rows. */
static void decide(struct sg_joining *joining, const struct sg_row_pair *pair,
                   struct sg_finding *finding)
{
    finding->se = pair->now->se;
    struct sg_build_pair own = pair_of(joining, finding);
    struct sg_build_pair_verdict verdict;
    own.usual.df = 0;
    sg_build_pairs_judge(&own, 1, own.n, &verdict);
    take(finding, &verdict);
    if (sg_identity_same(sg_side_message(&joining->now, SG_IDENTITY_METRIC),
                         sg_side_message(&joining->then, SG_IDENTITY_METRIC))) {
        finding->accepted = SG_IDENTICAL;
        finding->why = "the same code, knobs and files as accepted";
    } else {
        sg_describe_time_verdict(joining->comparison, finding, "the accepted build",
                                 ": accept the run to keep it");
    }
}

/* Keeps the first reason why an item is judged by accepted numbers only. */
static void note_unpaired(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    if (joining->comparison->unpaired++ > 0)
        return;
    const struct sg_value row = sg_value_of(joining->in->run, pair->now);
    struct sg_text why = sg_text_of("%s/%s/%s: ", SG_NAMES(row));
    if (row.status != SG_OK && row.status != SG_UNAVAILABLE)
        sg_text_addf(&why, "its accepted build is %s: ", sg_status_word(row.status));
    sg_text_add(&why, sg_reads_other_files(joining)
                          ? "it reads other files than when it was accepted"
                          : row.message);
    joining->comparison->unpaired_why = why.data;
}

void sg_judge_build_ratio(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    struct sg_finding finding = sg_finding_of(joining, pair);
    const bool is_energy = sg_row_is_energy(finding.metric);
    if (!sg_is_paired(joining) && !joining->untimed) {
        if (!is_energy)
            note_unpaired(joining, pair);
        return;
    }
    const char *why = joining->untimed ? NULL : sg_why_unfit(joining, pair);
    *(joining->untimed ? &joining->comparison->untimed : &joining->comparison->paired) +=
        !is_energy;
    finding.is_informational = sg_is_informational(joining, SG_BUILD_RATIO_METRIC);
    finding.gates = !finding.is_informational;
    finding.processes = pair->now->n;
    finding.tolerance = is_energy ? SG_TOLERANCE_ENERGY : sg_tolerance_of_run(joining, pair);
    if (why) {
        finding.accepted = SG_INVALID_VALUE;
        finding.why = why;
    } else if (joining->untimed) {
        finding.accepted = SG_IDENTICAL;
        finding.why = "the same code, knobs and files as accepted; verified, not timed";
    } else {
        decide(joining, pair, &finding);
        if (is_energy && finding.accepted == SG_INCONCLUSIVE)
            sg_describe_unresolved(joining->comparison, &finding, "");
    }
    sg_finding_add(joining->comparison, &finding);
}

/* ---- all rows at once ---- */

/* Holm's correction covers these rows; identical code needs no test. */
static bool is_judged(const struct sg_finding *finding)
{
    return finding->gates && strcmp(finding->metric, SG_BUILD_RATIO_METRIC) == 0 &&
           isfinite(finding->se) &&
           (finding->accepted == SG_WITHIN || finding->accepted == SG_IMPROVED ||
            finding->accepted == SG_REGRESSED || finding->accepted == SG_INCONCLUSIVE);
}

static bool same_item(const struct sg_finding *a, const struct sg_finding *b)
{
    return strcmp(a->variant, b->variant) == 0 && strcmp(a->case_, b->case_) == 0 &&
           strcmp(a->family, b->family) == 0;
}

/* The finding that shows the item of finding `at` slower than its accepted numbers; NULL: none. */
static const struct sg_finding *find_slower(const struct sg_comparison *comparison, size_t at)
{
    const struct sg_finding *all = comparison->findings;
    for (size_t i = at + 1; i < comparison->count && same_item(&all[at], &all[i]); i++)
        if (all[i].accepted == SG_REGRESSED &&
            (strcmp(all[i].metric, "time_ratio") == 0 || strcmp(all[i].metric, "time") == 0))
            return &all[i];
    return NULL;
}

/* Settles a row that the rule leaves open: a suspect if the row is significantly slower after
 * correction for all rows; otherwise unresolved. */
static void settle_open(struct sg_comparison *comparison, struct sg_finding *finding,
                        const struct sg_finding *slower, bool is_slower)
{
    const char *accepted =
        slower ? sg_reason(comparison, "; accepted numbers read %+.3g %%", 100.0 * slower->change)
               : "";
    if (is_slower)
        finding->why = sg_reason(
            comparison, "cannot resolve %.3g %%: %+.3g %%, between %+.3g %% and %+.3g %%%s%s",
            100.0 * finding->tolerance, 100.0 * finding->change, 100.0 * finding->low,
            100.0 * finding->high,
            finding->low < 0
                ? "; processes differ more than in earlier nightly runs, so some are slower"
                : "",
            accepted);
    else
        sg_describe_unresolved(comparison, finding, accepted);
}

static void settle(struct sg_comparison *comparison, size_t at,
                   const struct sg_build_pair_verdict *verdict, size_t rows)
{
    struct sg_finding *finding = &comparison->findings[at];
    const struct sg_finding *slower = find_slower(comparison, at);
    const bool is_slower = verdict->slower <= SG_SLOWER_ERROR;
    take(finding, verdict);
    if (finding->accepted == SG_REGRESSED && verdict->beyond > SG_SEQUENTIAL_ERROR) {
        finding->accepted = is_slower ? SG_INCONCLUSIVE : SG_UNRESOLVED;
        finding->why = sg_reason(comparison,
                                 "slower by %.3g %%, but one of %zu rows looks like this by chance "
                                 "in %.2g of 100 nightly runs",
                                 100.0 * finding->change, rows, 100.0 * verdict->beyond);
    } else if (finding->accepted == SG_INCONCLUSIVE) {
        settle_open(comparison, finding, slower, is_slower);
    } else if (slower && finding->accepted != SG_REGRESSED) {
        finding->why = sg_reason(comparison,
                                 "%s the accepted build, and slower than accepted by %.3g %%: the "
                                 "driver, the GPU or its clock changed",
                                 finding->accepted == SG_WITHIN ? "as fast as" : "faster than",
                                 100.0 * slower->change);
    } else {
        sg_describe_time_verdict(comparison, finding, "the accepted build",
                                 ": accept the run to keep it");
    }
}

void sg_settle_build_ratios(struct sg_joining *joining)
{
    struct sg_comparison *comparison = joining->comparison;
    const size_t most = comparison->count;
    size_t *row = sg_alloc(most, sizeof(*row)), count = 0;
    SG_FREED struct sg_build_pair *pairs = sg_alloc(most, sizeof(*pairs));
    SG_FREED struct sg_build_pair_verdict *verdicts = sg_alloc(most, sizeof(*verdicts));
    for (size_t i = 0; i < most; i++) {
        if (!is_judged(&comparison->findings[i]))
            continue;
        pairs[count] = pair_of(joining, &comparison->findings[i]);
        row[count++] = i;
    }
    sg_build_pairs_judge(pairs, count, joining->in->night ? joining->in->night->max_processes : 0,
                         verdicts);
    for (size_t i = 0; i < count; i++)
        settle(comparison, row[i], &verdicts[i], count);
}
