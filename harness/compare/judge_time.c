#include <math.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "stats/clock_model.h"

/* Invalidates both verdicts: against the accepted number and against the baseline. */
static void invalidate(struct sg_finding *finding, const char *why)
{
    finding->accepted = SG_INVALID_VALUE;
    if (finding->baseline != SG_VERDICT_COUNT)
        finding->baseline = SG_INVALID_VALUE;
    finding->why = why;
}

/* ---- against the accepted number ---- */

static struct sg_spread spread_of(const struct sg_joining *joining, const struct sg_row_pair *pair,
                                  bool paired)
{
    const struct sg_accepted_file *accepted = joining->in->accepted;
    return (struct sg_spread){
        .sd = pair->accepted->sd_day,
        .paired = paired,
        .origin = sg_origin_of_row(accepted, pair->then, sg_item_unit(joining)),
        .of_class = sg_spread_of_class(&joining->classes, accepted, pair->then),
    };
}

/* Adds the errors of both means, which their rows have. The part due to the spread between
 * replicates is removed here, because it is added separately. */
static void add_own_errors(const struct sg_row_pair *pair, const struct sg_spread *spread,
                           struct sg_errors *errors)
{
    const double now = pair->now->se, of_mean = sg_spread_of_mean(spread);
    const double then = pair->then->se;
    sg_errors_add(errors, "the spread between this run's processes", now, pair->now->n - 1.0);
    sg_errors_add(errors, "the spread between processes when it was accepted",
                  sqrt(fmax(0.0, then * then - of_mean * of_mean)), pair->then->n - 1.0);
}

/* The tolerance that the accepted numbers can resolve. The stored tolerance uses the row alone;
 * similar rows may show a larger spread between GPUs. */
static double allowance_of(struct sg_joining *joining, const struct sg_row_pair *pair,
                           const struct sg_spread *spread)
{
    const bool has_class = spread->origin.units > 1 && isfinite(spread->of_class);
    return has_class ? sg_allowance_of(pair->accepted, pair->then->n, spread, &joining->bounds)
                     : pair->accepted->tolerance;
}

/* Describes a row that the rule leaves open. If the accepted build is there, its pair decides,
 * because the spread between GPUs is not known well enough. */
static void describe_open(struct sg_joining *joining, const struct sg_difference *difference,
                          double allowance, const struct sg_errors *errors,
                          struct sg_finding *finding)
{
    struct sg_comparison *comparison = joining->comparison;
    struct sg_difference wider = *difference;
    const double tolerance = 100.0 * finding->tolerance, change = 100.0 * finding->change,
                 interval = 100.0 * difference->bounds.interval * difference->se;
    wider.tolerance = allowance;
    finding->shared =
        sg_reason(comparison, "most of the uncertainty is %s", sg_errors_largest(errors));
    if (joining->asks_builds && !(finding->change > finding->tolerance)) {
        sg_describe_unresolved(comparison, finding, "");
    } else if (!joining->in->gates_imports && sg_decide(&wider).verdict == SG_WITHIN) {
        finding->accepted = SG_UNRESOLVED;
        finding->why = sg_reason(comparison,
                                 "cannot resolve %.3g %%, only %.3g %%: %+.3g %% +- %.2g %%, so up "
                                 "to %+.3g %% may be hidden; most of it is %s",
                                 tolerance, 100.0 * allowance, change, interval,
                                 100.0 * finding->high, sg_errors_largest(errors));
    } else {
        const double reach = fabs(difference->mean) + difference->bounds.within * difference->se;
        finding->shared = joining->in->gates_imports ? NULL : finding->shared;
        finding->why =
            sg_reason(comparison, "cannot resolve %.3g %%: %+.3g %% +- %.2g %%; most of it is %s",
                      tolerance, change, interval, sg_errors_largest(errors));
        if (joining->in->gates_imports)
            finding->why = sg_reason(comparison, "%s; --tolerance=%s%.2g%% decides", finding->why,
                                     SG_WIDE_IF(1.01 * expm1(reach)), 101.0 * expm1(reach));
    }
}

/* `shift`: added to the time now, ln. `than` ends the sentence of the verdict. The suite's
 * tolerance decides; if the accepted numbers need a wider one, a row within the wider one is
 * unresolved. */
static void decide(struct sg_joining *joining, const struct sg_row_pair *pair, double shift,
                   const struct sg_spread *spread, const struct sg_errors *errors, const char *than,
                   struct sg_finding *finding)
{
    const double df = sg_errors_df(errors);
    const struct sg_difference difference = {
        .mean = log(pair->now->value) - log(pair->then->value) + shift,
        .se = sg_errors_se(errors),
        .bounds = sg_are_quoted(joining) ? sg_bounds_of_one_look(df)
                                         : sg_bounds_at_df(&joining->bounds, df),
        .tolerance = finding->tolerance,
    };
    const struct sg_decision decision = sg_decide(&difference);
    sg_finding_take(finding, &decision, difference.se, df);
    finding->resolution = sg_mde90(&difference);
    if (finding->accepted == SG_REGRESSED && joining->asks_builds && !spread->origin.has_unit) {
        finding->accepted = SG_INCONCLUSIVE;
        finding->why = sg_reason(joining->comparison,
                                 "slower by %.3g %% than numbers of other GPUs, and GPUs differ: "
                                 "pair it with its accepted build (`solgate builds rebuild` makes "
                                 "that again), or accept numbers of this GPU",
                                 100.0 * finding->change);
    } else if (finding->accepted == SG_INCONCLUSIVE) {
        describe_open(joining, &difference, allowance_of(joining, pair, spread), errors, finding);
    } else {
        const char *to = sg_row_partner(joining->in->run, pair->now);
        if (to)
            than = sg_reason(joining->comparison, "%s relative to %s", than, to);
        sg_describe_time_verdict(joining->comparison, finding, than,
                                 sg_are_quoted(joining) ? "" : ": accept the run to keep it");
    }
}

static void judge_against_accepted(struct sg_joining *joining, const struct sg_row_pair *pair,
                                   struct sg_finding *finding)
{
    struct sg_errors errors = {0};
    const struct sg_spread spread = spread_of(joining, pair, true);
    add_own_errors(pair, &spread, &errors);
    sg_errors_add_spread(&errors, &spread);
    decide(joining, pair, 0, &spread, &errors, "accepted", finding);
}

/* ---- may the row gate? ---- */

/* Called after the verdict: with too wide a tolerance a large slowdown is still found, but its
 * absence shows nothing. */
static void check_gate(const struct sg_joining *joining, const struct sg_row_pair *pair,
                       struct sg_finding *finding)
{
    const bool undecided = finding->accepted == SG_WITHIN || finding->accepted == SG_INCONCLUSIVE ||
                           finding->accepted == SG_UNRESOLVED || finding->accepted == SG_FIXED;
    const double most = sg_env_tolerance_max(sg_accepted_env(joining, pair));
    if (!finding->gates || !undecided || sg_are_quoted(joining))
        return;
    if (!pair->accepted->gate)
        sg_refuse_gate(finding, sg_reason(joining->comparison,
                                          "its accepted row has gate = no: it is within %.3g %%, "
                                          "but a slowdown would not fail a run",
                                          100.0 * finding->tolerance));
    else if (pair->accepted->tolerance > most)
        sg_refuse_gate(finding, sg_reason(joining->comparison,
                                          "its accepted numbers need a tolerance of %.3g %%, above "
                                          "tolerance_max, %.3g %%: accept quieter runs, "
                                          "or waive it",
                                          100.0 * pair->accepted->tolerance, 100.0 * most));
}

typedef void judge_fn(struct sg_joining *joining, const struct sg_row_pair *pair,
                      struct sg_finding *finding);

/* Judges a row that is fit for a verdict against its accepted number, if there is one. The
 * tolerance comes from the accepted side: if the run's noise could widen the tolerance, any noisy
 * run would pass. */
static void judge_fit(struct sg_joining *joining, const struct sg_row_pair *pair, judge_fn *judge,
                      struct sg_finding *finding)
{
    if (!pair->then) {
        finding->accepted = sg_unaccepted(joining);
        finding->why = sg_env_is_imported(joining->in->run_env)
                           ? "the other run does not have this row"
                       : finding->accepted == SG_NEW
                           ? "not among the accepted items: `solgate accept` adds the item"
                           : "has no accepted number: `solgate accept` adds one";
    } else if (!(pair->accepted->tolerance > 0.0) && !sg_are_quoted(joining)) {
        sg_refuse_gate(finding, "its accepted number has no tolerance: accept it again");
    } else {
        judge(joining, pair, finding);
        check_gate(joining, pair, finding);
    }
}

/* The deciding row of an item always gates; if its accepted row says gate = no, the row fails. The
 * accepted suite sets the tolerance, which is no wider than the row's. */
static struct sg_finding finding_of_time(const struct sg_joining *joining,
                                         const struct sg_row_pair *pair)
{
    struct sg_finding finding = sg_finding_of(joining, pair);
    if (pair->accepted)
        finding.tolerance = fmin(pair->accepted->tolerance,
                                 sg_env_tolerance(sg_accepted_env(joining, pair), finding.family));
    finding.processes = pair->now->n;
    finding.is_informational = sg_is_informational(joining, finding.metric);
    finding.gates = (finding.gates || strcmp(finding.metric, joining->main_metric) == 0) &&
                    !finding.is_informational;
    return finding;
}

/* ---- paired ---- */

static void judge_against_baseline(const struct sg_joining *joining, const struct sg_row_pair *pair,
                                   struct sg_finding *finding)
{
    const double se = pair->now->se, tolerance = sg_tolerance_of_run(joining, pair);
    const struct sg_difference difference = {
        .mean = log(pair->now->value),
        .se = se,
        .bounds = sg_bounds_at_look(pair->now->n),
        .tolerance = tolerance,
    };
    const struct sg_decision judgement = sg_decide(&difference);
    finding->baseline = judgement.verdict;
    finding->baseline_change = judgement.change;
    finding->baseline_low = pair->now->low - 1.0;
    finding->baseline_high = pair->now->high - 1.0;
    finding->resolution = sg_mde90_pair(tolerance, se * sqrt(pair->now->n), pair->now->n, 1);
}

/* True if the baseline, timed against itself, differs: then no pair of this run can be trusted. */
static bool is_uneven_calibration(const struct sg_joining *joining,
                                  const struct sg_finding *finding)
{
    return (finding->baseline == SG_REGRESSED || finding->baseline == SG_IMPROVED) &&
           sg_side_has_role(&joining->now, "baseline");
}

static void judge_accepted_ratio(struct sg_joining *joining, const struct sg_row_pair *pair,
                                 struct sg_finding *finding)
{
    const struct sg_table *accepted = &joining->in->accepted->table;
    const char *partner = sg_table_string(joining->in->run, pair->now->message),
               *was = sg_table_string(accepted, pair->then->message);
    if (strcmp(partner, was) != 0) {
        finding->accepted = SG_INVALID_VALUE;
        finding->why = sg_reason(joining->comparison,
                                 "measured '%s', accepted '%s': the family has another baseline "
                                 "variant now; accept the run again",
                                 partner, was);
        return;
    }
    judge_against_accepted(joining, pair, finding);
    if (strcmp(sg_table_string(accepted, pair->accepted->expect), "regressed") != 0 ||
        finding->accepted == SG_REGRESSED)
        return;
    if (finding->baseline == SG_WITHIN || finding->baseline == SG_IMPROVED) {
        finding->accepted = SG_FIXED;
        finding->why = "accepted as slower than its baseline, no longer slower: accept the "
                       "run to keep it";
    } else if (finding->accepted == SG_WITHIN) {
        finding->why = "slower than its baseline, as accepted";
    }
}

void sg_judge_ratio(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    struct sg_finding finding = finding_of_time(joining, pair);
    const char *why = sg_why_unfit(joining, pair);
    if (sg_row_is_measured(pair->now))
        judge_against_baseline(joining, pair, &finding);
    if (why) {
        invalidate(&finding, why);
    } else if (is_uneven_calibration(joining, &finding)) {
        invalidate(&finding, "the baseline timed against itself is not A/A consistent: do not "
                             "trust this run's pairs");
        finding.gates = true;
    } else {
        judge_fit(joining, pair, judge_accepted_ratio, &finding);
    }
    sg_finding_add(joining->comparison, &finding);
}

/* ---- absolute, clock-aware ---- */

static void judge_accepted_time(struct sg_joining *joining, const struct sg_row_pair *pair,
                                struct sg_finding *finding)
{
    struct sg_errors errors = {0};
    const double clock = sg_row_value(sg_side_row(&joining->now, "sm_clock")),
                 sd = pair->accepted->sd_process;
    const struct sg_clock_shift shift =
        sg_clock_shift_of(clock, pair->accepted->f0, pair->accepted->beta);
    const struct sg_spread spread = spread_of(joining, pair, false);
    /* Prefer the spread between accepted processes: it is clock-free, a run's error is not. Both
     * means share one clock estimate, which is one source of error. */
    if (isfinite(sd))
        sg_errors_add(&errors, "the spread between processes",
                      sd * sqrt(1.0 / pair->now->n + 1.0 / pair->then->n), pair->then->n - 1.0);
    else
        add_own_errors(pair, &spread, &errors);
    sg_errors_add_spread(&errors, &spread);
    sg_errors_add(&errors, "the clock correction", shift.sd, INFINITY);
    decide(joining, pair, shift.ln, &spread, &errors,
           clock > 0 ? "accepted, at the same clock" : "accepted (clocks not known)", finding);
}

/* Notes whether two runs of `solgate exec` have the same machine code: then a change of time is not
 * due to the kernel's code. */
static void note_code(const struct sg_joining *joining, struct sg_finding *finding)
{
    const char *now = sg_side_message(&joining->now, SG_CODE_METRIC),
               *then = sg_side_message(&joining->then, SG_CODE_METRIC);
    if (now && then && *now && strcmp(now, then) == 0)
        finding->why = sg_reason(joining->comparison, "%s; " SG_SAME_CODE, finding->why);
}

/* Each file is one process, so several files show how processes differ. Samples of one process do
 * not. */
static bool are_of_files(const struct sg_row_pair *pair)
{
    return (pair->now->has & pair->then->has & SG_HAS_SD) != 0;
}

/* NVBench states the clock of a benchmark. Without a clock, the spread between files contains the
 * differences of the clock; samples of one process do not show these differences. */
static struct sg_clock_shift shift_of(const struct sg_joining *joining,
                                      const struct sg_row_pair *pair)
{
    const double is = sg_row_value(sg_side_row(&joining->now, "sm_clock")),
                 was = sg_row_value(sg_side_row(&joining->then, "sm_clock"));
    if (is > 0 && was > 0)
        return sg_clock_shift_of(is, was, NAN);
    return (struct sg_clock_shift){.sd = are_of_files(pair) ? 0 : SG_NO_CLOCK_SD};
}

static void add_unpaired_errors(const struct sg_row_pair *pair, const struct sg_clock_shift *shift,
                                struct sg_errors *errors)
{
    const struct sg_spread spread = {.sd = NAN, .of_class = NAN, .origin = {1, 1, true}};
    sg_errors_add(errors, "the spread on the new side", pair->now->se, pair->now->n - 1.0);
    sg_errors_add(errors, "the spread on the old side", pair->then->se, pair->then->n - 1.0);
    sg_errors_add_spread(errors, &spread);
    sg_errors_add(errors,
                  are_of_files(pair) ? "the clocks of the two sides"
                                     : "processes and clocks, since a file shows one of each: give "
                                       "5 files per side",
                  shift->sd, INFINITY);
}

static void decide_quoted(struct sg_joining *joining, const struct sg_row_pair *pair,
                          bool has_errors, struct sg_finding *finding)
{
    struct sg_errors errors = {0};
    const struct sg_spread spread = {.sd = NAN, .of_class = NAN};
    const struct sg_clock_shift shift = shift_of(joining, pair);
    if (has_errors)
        add_unpaired_errors(pair, &shift, &errors);
    decide(joining, pair, has_errors ? shift.ln : 0, &spread, &errors,
           sg_env_is_imported(joining->in->run_env)
               ? "the other results (not paired)"
               : "accepted (both are quoted, without a spread)",
           finding);
}

/* One file far slower than the others of its side leaves a row open that is slower all the same.
 * Without this file the row may be found slower, but nothing else. */
static void decide_without_slowest(struct sg_joining *joining, const struct sg_row_pair *pair,
                                   struct sg_finding *finding)
{
    const struct sg_row *now = sg_side_row(&joining->now, SG_STEADY_METRIC),
                        *then = sg_side_row(&joining->then, SG_STEADY_METRIC);
    const struct sg_row_pair steady = {now ? now : pair->now, then ? then : pair->then,
                                       pair->accepted};
    struct sg_finding found = *finding;
    if (now || then)
        decide_quoted(joining, &steady, true, &found);
    if (found.accepted != SG_REGRESSED)
        return;
    *finding = found;
    finding->why = sg_reason(joining->comparison, "%s; without the slowest file of %s", found.why,
                             now && then ? "each side"
                             : now       ? "the new side"
                                         : "the old side");
}

/* Judges times of imports, or of texts that quote them, by the errors of two unpaired means.
 * Single figures have no error: if they are only shown, the tolerance alone decides. */
static void judge_quoted_time(struct sg_joining *joining, const struct sg_row_pair *pair,
                              struct sg_finding *finding)
{
    const bool has_errors = sg_row_has_interval(pair->now) && sg_row_has_interval(pair->then);
    decide_quoted(joining, pair, has_errors, finding);
    if (!has_errors)
        finding->low = finding->high = finding->se = finding->df = finding->resolution = NAN;
    if (!has_errors && joining->in->gates_imports) {
        finding->accepted = SG_INCONCLUSIVE;
        finding->why =
            sg_reason(joining->comparison,
                      "%+.3g %%, but %.0f and %.0f values give no interval: compare 5 "
                      "or more files a side, each with this row",
                      100.0 * finding->change, fmax(pair->now->n, 1), fmax(pair->then->n, 1));
    } else if (finding->accepted == SG_INCONCLUSIVE) {
        decide_without_slowest(joining, pair, finding);
    }
    note_code(joining, finding);
}

void sg_judge_time(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    struct sg_finding finding = finding_of_time(joining, pair);
    const char *why = sg_why_unfit(joining, pair);
    const bool is_main = strcmp(finding.metric, joining->main_metric) == 0;
    finding.gates =
        is_main &&
        !finding.is_informational; /* a candidate's time never gates: its ratio decides */
    if (why)
        invalidate(&finding, why);
    else
        judge_fit(joining, pair, sg_are_quoted(joining) ? judge_quoted_time : judge_accepted_time,
                  &finding);
    if (!why && pair->accepted && pair->accepted->gate && !is_main && !finding.is_informational) {
        finding.gates = true;
        sg_refuse_gate(&finding, "its accepted row has gate = yes, but the time of a candidate "
                                 "never gates: its ratio does");
    }
    sg_finding_add(joining->comparison, &finding);
}

/* ---- all candidates at once ---- */

/* candidates moved alike if the range of their changes is below this share of the mean change */
#define SG_SHIFT_ALIKE 0.25

static bool is_shifted(const struct sg_finding *finding)
{
    return strcmp(finding->metric, "time_ratio") == 0 &&
           sg_verdict_row(finding->accepted)->bits & SG_SHIFTS;
}

/* The findings [from, to) are of one case. Changes of opposite signs are never alike. */
static void explain_shift(struct sg_comparison *comparison, size_t from, size_t to)
{
    double low = INFINITY, high = -INFINITY, sum = 0;
    size_t candidates = 0, shifted = 0;
    for (size_t i = from; i < to; i++) {
        const struct sg_finding *finding = &comparison->findings[i];
        candidates += strcmp(finding->metric, "time_ratio") == 0 && !isnan(finding->change);
        if (!is_shifted(finding))
            continue;
        const double ln = log1p(finding->change);
        shifted++;
        sum += ln;
        low = fmin(low, ln);
        high = fmax(high, ln);
    }
    const double mean = sum / (double)shifted;
    if (shifted < 2 || shifted < candidates || high - low > SG_SHIFT_ALIKE * fabs(mean))
        return;
    const char *why = sg_reason(comparison,
                                "all %zu candidates of this case moved by about %+.3g %%: probably "
                                "its baseline variant changed, by about "
                                "%+.3g %%; look there first",
                                shifted, 100.0 * expm1(mean), 100.0 * expm1(-mean));
    for (size_t i = from; i < to; i++)
        if (is_shifted(&comparison->findings[i]))
            comparison->findings[i].why = why;
}

void sg_explain_shifts(struct sg_comparison *comparison)
{
    const struct sg_finding *all = comparison->findings;
    for (size_t from = 0, to; from < comparison->count; from = to) {
        for (to = from + 1; to < comparison->count; to++)
            if (strcmp(all[from].family, all[to].family) != 0 ||
                strcmp(all[from].case_, all[to].case_) != 0)
                break;
        explain_shift(comparison, from, to);
    }
}
