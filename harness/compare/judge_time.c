#include "compare/compare_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/env.h"
#include "stats/abba.h"
#include "stats/clock_model.h"
#include "stats/run_limits.h"
#include "stats/statistics.h"

static struct sg_difference difference_of(struct sg_joining *joining, double mean, const struct sg_errors *errors, double tolerance)
{
    return (struct sg_difference){
        .mean = mean,
        .se = sg_errors_se(errors),
        .bounds = sg_bounds_at_df(&joining->bounds, sg_errors_df(errors)),
        .tolerance = tolerance,
    };
}

/* How other GPUs differ is known too badly to judge by: they ask for a pair. */
static void ask_for_pair(struct sg_finding *finding)
{
    finding->accepted = SG_INCONCLUSIVE;
    sg_finding_why(finding,
                   "slower by %.3g %% than numbers of other GPUs, and GPUs differ; its accepted build decides, beside it: `solgate builds "
                   "rebuild` makes that again; or accept numbers of this GPU",
                   100.0 * finding->change);
}

static void describe_inconclusive(struct sg_finding *finding, const struct sg_difference *difference, const struct sg_errors *errors)
{
    sg_finding_why(finding, "cannot resolve %.3g %%: %+.3g %% +- %.2g %%; most of it is %s", 100.0 * finding->tolerance,
                   100.0 * expm1(difference->mean), 100.0 * difference->bounds.interval * difference->se, sg_errors_largest(errors));
}

void sg_finding_decide(struct sg_finding *finding, const struct sg_difference *difference, double df)
{
    const struct sg_decision decision = sg_decide(difference);
    finding->accepted = decision.verdict;
    finding->change = decision.change;
    finding->low = decision.low;
    finding->high = decision.high;
    finding->se = difference->se;
    finding->df = df;
}

void sg_describe_time_verdict(struct sg_finding *finding, const char *against, const char *keep)
{
    switch (finding->accepted) {
    case SG_WITHIN:
        sg_finding_why(finding, "within %.3g %% of %s", 100.0 * finding->tolerance, against);
        return;
    case SG_IMPROVED:
        sg_finding_why(finding, "faster than %s by %.3g %% (speedup %.3fx)%s", against, -100.0 * finding->change,
                       1.0 / (1.0 + finding->change), keep);
        return;
    case SG_REGRESSED:
        sg_finding_why(finding, "slower than %s by %.3g %%, allowed are %.3g %% (speedup %.3fx)%s", against, 100.0 * finding->change,
                       100.0 * finding->tolerance, 1.0 / (1.0 + finding->change),
                       finding->change < finding->resolution ? SG_READS_HIGH : "");
        return;
    default:
        return;
    }
}

/* Neither beside the accepted number nor beside its baseline is there anything to say of it. */
static void invalidate(struct sg_finding *finding, const char *why)
{
    finding->accepted = SG_INVALID_VALUE;
    if (finding->baseline != SG_VERDICT_COUNT)
        finding->baseline = SG_INVALID_VALUE;
    sg_finding_why(finding, "%s", why);
}

static bool is_measured(const struct sg_row *row)
{
    return row->status == SG_OK && (row->has & SG_HAS_VALUE) && row->value > 0.0;
}

/* Of a text, not of solgate: single numbers, with no spread to be had. */
static bool is_quoted(const struct sg_env *env)
{
    const char *source = sg_env_get(env, "time_source");
    return source && strcmp(source, "quoted") == 0;
}

/* Only where both sides are: what was measured here is never judged without its interval. */
static bool are_quoted(const struct sg_joining *joining)
{
    return is_quoted(joining->run_env) && is_quoted(&joining->baseline->env);
}

/* An interval, and of so many processes that it can be believed. */
static bool has_interval(const struct sg_row *row)
{
    return (row->has & SG_HAS_LOW) && (row->has & SG_HAS_HIGH) && (row->has & SG_HAS_SE) && row->low > 0.0 && row->high >= row->low &&
           row->n >= SG_PROCESSES_MIN;
}

static bool is_in_interval(const struct sg_row *row)
{
    return !((row->has & SG_HAS_LOW) && row->value < row->low) && !((row->has & SG_HAS_HIGH) && row->value > row->high);
}

/* What the row is measured against changes with the role: a baseline's time stands
 * by itself, all others are ratios. */
static bool is_other_role(const struct sg_joining *joining)
{
    const struct sg_side *now = &joining->now, *then = &joining->then;
    return then->role &&
           (!now->role || strcmp(sg_table_string(now->table, now->role->message), sg_table_string(then->table, then->role->message)) != 0);
}

/* A ratio is as wrong as either of its two times. NULL: both can be. */
static const char *refused(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    if (!joining->refusals || joining->refusals->count == 0)
        return NULL;
    const struct sg_finding names = sg_finding_of(joining, pair);
    const struct sg_refusal *own = sg_refusals_find(joining->refusals, names.family, names.case_, names.variant);
    const char *partner = sg_row_partner(joining->run, pair->now);
    const struct sg_refusal *other = partner ? sg_refusals_find(joining->refusals, names.family, names.case_, partner) : NULL;
    if (own || !other)
        return own ? own->why : NULL;
    snprintf(joining->refused.text, sizeof(joining->refused.text), "its baseline %s cannot be: %s", partner, other->why);
    return joining->refused.text;
}

const char *sg_why_unfit(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const struct sg_side *now = &joining->now;
    const char *conditions = sg_env_why_invalid(joining->run_env);
    const bool quoted = are_quoted(joining);
    const char *impossible = refused(joining, pair);
    if (!is_measured(pair->now))
        return "no value, or none that is a time: see its row in run.csv";
    if (!quoted && !has_interval(pair->now))
        return "fewer than 5 processes, or no interval: run it again with processes = 5 or more";
    if (!sg_env_get(joining->run_env, "time_source") && sg_env_get(&joining->baseline->env, "time_source"))
        return "env.csv does not name the source of the times (time_source), and that of the accepted ones does";
    if (!is_in_interval(pair->now))
        return "its value is not inside of its own interval: see its row in run.csv";
    if (is_other_role(joining))
        return "its role is not the accepted one: accept the run anew if that is meant";
    if (joining->other_case[0])
        return joining->other_case;
    if (conditions)
        return conditions;
    if (impossible)
        return impossible;
    if (now->l2 && now->l2->status != SG_OK)
        return "the L2 was not in the declared state, or the kernel skips work: see l2_state in run.csv";
    if (pair->then && (!is_measured(pair->then) || (!quoted && !has_interval(pair->then))))
        return "the accepted number has no value, no interval, or fewer than 5 processes: accept it anew";
    if (pair->then && !is_in_interval(pair->then))
        return "the accepted number is not inside of its own interval: accept it anew";
    return NULL;
}

/* ---- paired ---- */

static void judge_against_baseline(struct sg_joining *joining, const struct sg_row_pair *pair, struct sg_finding *finding)
{
    const double se = sg_row_errors_of(joining->run, pair->now).se, tolerance = sg_tolerance_of_run(joining, pair);
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

#define SOURCE_NOW  "the spread between this run's processes"
#define SOURCE_THEN "the spread between processes when it was accepted"

static struct sg_spread spread_of(const struct sg_joining *joining, const struct sg_row_pair *pair, bool paired)
{
    const struct sg_accepted_file *baseline = joining->baseline;
    const struct sg_env *env = pair->accepted->of_model ? &baseline->model_env : &baseline->env;
    const struct sg_value item = sg_value_of(&baseline->table, pair->then);
    return (struct sg_spread){
        .sd = pair->accepted->sd_day,
        .paired = paired,
        .origin = sg_origin_of_item(env, sg_unit_of(joining->run_env), &item),
        .of_class = sg_spread_of_class(&joining->classes, baseline, pair->then),
    };
}

/* What the interval of an accepted mean holds beyond the spread of its
 * replicates, which is counted by itself. */
static double own_error(double se, const struct sg_spread *spread)
{
    const double of_mean = sg_spread_of_mean(spread);
    return sqrt(fmax(0.0, se * se - of_mean * of_mean));
}

/* Of both means, by the errors that their rows have. */
static void add_own_errors(const struct sg_joining *joining, const struct sg_row_pair *pair, const struct sg_spread *spread,
                           struct sg_errors *errors)
{
    const double now = sg_row_errors_of(joining->run, pair->now).se;
    const double then = sg_row_errors_of(&joining->baseline->table, pair->then).se;
    sg_errors_add(errors, SOURCE_NOW, now, pair->now->n - 1.0);
    sg_errors_add(errors, SOURCE_THEN, own_error(then, spread), pair->then->n - 1.0);
}

/* Is what is left open within what the accepted numbers can tell apart at all? */
static bool is_allowed(const struct sg_difference *difference, double allowance)
{
    const struct sg_difference wider = {
        .mean = difference->mean, .se = difference->se, .bounds = difference->bounds, .tolerance = allowance};
    return sg_decide(&wider).verdict == SG_WITHIN;
}

static void describe_allowed(struct sg_finding *finding, const struct sg_difference *difference, double allowance,
                             const struct sg_errors *errors)
{
    finding->accepted = SG_UNRESOLVED;
    sg_finding_why(finding, "cannot resolve %.3g %%, only %.3g %%: %+.3g %% +- %.2g %%, so up to %+.3g %% may be hidden; most of it is %s",
                   100.0 * finding->tolerance, 100.0 * allowance, 100.0 * finding->change,
                   100.0 * difference->bounds.interval * difference->se, 100.0 * finding->high, sg_errors_largest(errors));
}

/* What was accepted as the row's own; rows that are alike may differ by more. */
static double allowance_of(struct sg_joining *joining, const struct sg_row_pair *pair, const struct sg_spread *spread)
{
    const bool has_class = spread->origin.units > 1 && isfinite(spread->of_class);
    return has_class ? sg_allowance_of(pair->accepted, pair->then->n, spread, &joining->bounds) : pair->accepted->tolerance;
}

/*
 * `ln`: of the time now over the accepted one. `than` ends the sentence that a verdict is
 * explained with. The suite's tolerance decides; an accepted row whose numbers need a
 * wider one is unresolved within that.
 */
static void decide(struct sg_joining *joining, const struct sg_row_pair *pair, double ln, const struct sg_spread *spread,
                   const struct sg_errors *errors, const char *than, struct sg_finding *finding)
{
    const double allowance = allowance_of(joining, pair, spread);
    const struct sg_difference difference = difference_of(joining, ln, errors, finding->tolerance);
    sg_finding_decide(finding, &difference, sg_errors_df(errors));
    finding->resolution = sg_mde90(&difference);
    if (finding->accepted == SG_REGRESSED && joining->asks_builds && !spread->origin.has_unit)
        ask_for_pair(finding);
    else if (finding->accepted == SG_INCONCLUSIVE && joining->asks_builds && !(finding->change > finding->tolerance))
        sg_describe_unresolved(finding, "");
    else if (finding->accepted == SG_INCONCLUSIVE && is_allowed(&difference, allowance))
        describe_allowed(finding, &difference, allowance, errors);
    else if (finding->accepted == SG_INCONCLUSIVE)
        describe_inconclusive(finding, &difference, errors);
    else
        sg_describe_time_verdict(finding, than, ": accept the run to keep it");
}

static void judge_against_accepted(struct sg_joining *joining, const struct sg_row_pair *pair, struct sg_finding *finding)
{
    struct sg_errors errors = {0};
    const struct sg_spread spread = spread_of(joining, pair, true);
    add_own_errors(joining, pair, &spread, &errors);
    sg_errors_add_spread(&errors, &spread);
    decide(joining, pair, log(pair->now->value) - log(pair->then->value), &spread, &errors, "accepted", finding);
}

static bool accepted_as_slow(const struct sg_joining *joining, const struct sg_row_pair *pair)
{
    return strcmp(sg_table_string(&joining->baseline->table, pair->accepted->expect), "regressed") == 0;
}

static bool same_partner(const struct sg_joining *joining, const struct sg_row_pair *pair)
{
    return strcmp(sg_table_string(joining->run, pair->now->message), sg_table_string(&joining->baseline->table, pair->then->message)) == 0;
}

/* The baseline timed against itself must come out even; if it does not, no
 * pair of this run is to be trusted. */
static bool is_uneven_calibration(const struct sg_joining *joining, const struct sg_finding *finding)
{
    return sg_is_baseline_variant(&joining->now) && (finding->baseline == SG_REGRESSED || finding->baseline == SG_IMPROVED);
}

static void judge_accepted_ratio(struct sg_joining *joining, const struct sg_row_pair *pair, struct sg_finding *finding)
{
    if (!same_partner(joining, pair)) {
        finding->accepted = SG_INVALID_VALUE;
        sg_finding_why(finding, "measured '%s', accepted '%s': the family's baseline is another variant now; accept the run anew",
                       sg_table_string(joining->run, pair->now->message), sg_table_string(&joining->baseline->table, pair->then->message));
        return;
    }
    judge_against_accepted(joining, pair, finding);
    if (!accepted_as_slow(joining, pair) || finding->accepted == SG_REGRESSED)
        return;
    if (finding->baseline == SG_WITHIN || finding->baseline == SG_IMPROVED) {
        finding->accepted = SG_FIXED;
        sg_finding_why(finding, "was accepted as slower than its baseline and is slower no more: accept the run to keep it");
    } else if (finding->accepted == SG_WITHIN) {
        sg_finding_why(finding, "slower than its baseline, as it was when it was accepted");
    }
}

/* ---- may it gate ---- */

/* The row that decides about its item gates, whatever the accepted row says;
 * so it fails where that forbids it. */
static bool is_main(const struct sg_joining *joining, const struct sg_finding *finding)
{
    return strcmp(finding->metric, sg_main_metric(joining)) == 0;
}

static void judge_unaccepted(const struct sg_joining *joining, struct sg_finding *finding)
{
    finding->accepted = sg_unaccepted(joining);
    sg_finding_why(finding, finding->accepted == SG_NEW ? "not among the accepted items: `solgate baseline accept` makes it one"
                                                        : "has no accepted number: `solgate baseline accept` makes it one");
}

/* A tolerance comes from the accepted side alone: one that tonight's noise widens
 * passes whatever is noisy enough. */
static bool has_tolerance(const struct sg_row_pair *pair)
{
    return pair->accepted->tolerance > 0.0;
}

static void refuse_gate(struct sg_finding *finding, const char *format, double percent, double most)
{
    finding->accepted = SG_NOT_GATED;
    sg_finding_why(finding, format, percent, most);
}

/* Behind its verdict: too wide a tolerance finds what is far beyond it,
 * but says nothing of what is not. */
static void check_gate(const struct sg_joining *joining, const struct sg_row_pair *pair, struct sg_finding *finding)
{
    const bool undecided = finding->accepted == SG_WITHIN || finding->accepted == SG_INCONCLUSIVE || finding->accepted == SG_UNRESOLVED ||
                           finding->accepted == SG_FIXED;
    const double most = sg_tolerance_max_of(joining, pair);
    if (!finding->gates || !undecided)
        return;
    if (!pair->accepted->gate)
        refuse_gate(finding, "its accepted row has gate = no: within %.3g %%, but nobody would hear if it were not",
                    100.0 * finding->tolerance, 0);
    else if (pair->accepted->tolerance > most)
        refuse_gate(finding,
                    "its accepted numbers need a tolerance of %.3g %%, above tolerance_max, %.3g %%: accept quieter runs, or waive it",
                    100.0 * pair->accepted->tolerance, 100.0 * most);
}

typedef void judge_fn(struct sg_joining *joining, const struct sg_row_pair *pair, struct sg_finding *finding);

/* A row that is fit: against its accepted number, if it may be held against one. */
static void judge_fit(struct sg_joining *joining, const struct sg_row_pair *pair, judge_fn *judge, struct sg_finding *finding)
{
    if (!pair->then) {
        judge_unaccepted(joining, finding);
    } else if (!has_tolerance(pair)) {
        finding->accepted = SG_NOT_GATED;
        sg_finding_why(finding, "its accepted number has no tolerance: accept it anew");
    } else {
        judge(joining, pair, finding);
        check_gate(joining, pair, finding);
    }
}

/* Of the suite that was accepted, but no wider than the row's own. */
static double tolerance_of(const struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const struct sg_accepted_file *file = joining->baseline;
    const char *family = sg_table_string(&file->table, pair->then->family);
    return fmin(pair->accepted->tolerance, sg_env_tolerance(pair->accepted->of_model ? &file->model_env : &file->env, family));
}

static struct sg_finding finding_of_time(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    struct sg_finding finding = sg_finding_of(joining, pair);
    finding.tolerance = pair->accepted ? tolerance_of(joining, pair) : NAN;
    finding.processes = pair->now->n;
    finding.gates |= is_main(joining, &finding);
    finding.informs = sg_informs(joining, finding.metric);
    finding.gates &= !finding.informs;
    return finding;
}

void sg_judge_ratio(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    struct sg_finding finding = finding_of_time(joining, pair);
    const char *why = sg_why_unfit(joining, pair);
    if (is_measured(pair->now))
        judge_against_baseline(joining, pair, &finding);
    if (why) {
        invalidate(&finding, why);
    } else if (is_uneven_calibration(joining, &finding)) {
        invalidate(&finding, "the baseline timed against itself is not A/A consistent: do not trust this run's pairs");
        finding.gates = true;
    } else {
        judge_fit(joining, pair, judge_accepted_ratio, &finding);
    }
    sg_finding_add(joining->comparison, &finding);
}

/* ---- absolute, clock-aware ---- */

/* Spread of both means. The accepted spread between processes is free of the clock, the error of
 * a run is not: so it comes first. */
static void add_process_errors(const struct sg_joining *joining, const struct sg_row_pair *pair, const struct sg_spread *spread,
                               struct sg_errors *errors)
{
    const double n_now = pair->now->n, n_then = pair->then->n, sd = pair->accepted->sd_process;
    /* One estimate of sd serves both means, so it is one source of error. */
    if (isfinite(sd))
        sg_errors_add(errors, "the spread between processes", sd * sqrt(1.0 / n_now + 1.0 / n_then), n_then - 1.0);
    else
        add_own_errors(joining, pair, spread, errors);
}

static void judge_accepted_time(struct sg_joining *joining, const struct sg_row_pair *pair, struct sg_finding *finding)
{
    struct sg_errors errors = {0};
    const struct sg_clock_shift shift = sg_clock_shift_of(sg_row_value(joining->now.clock), pair->accepted->f0, pair->accepted->beta);
    const struct sg_spread spread = spread_of(joining, pair, false);
    add_process_errors(joining, pair, &spread, &errors);
    sg_errors_add_spread(&errors, &spread);
    sg_errors_add(&errors, "what is not known of the clock", shift.sd, INFINITY);
    decide(joining, pair, log(pair->now->value) - log(pair->then->value) + shift.ln, &spread, &errors, "accepted, at the same clock",
           finding);
}

/* The tolerance is all there is to judge by, and nothing is said
 * of what could have been resolved. */
static void judge_quoted_time(const struct sg_row_pair *pair, struct sg_finding *finding)
{
    const double ln = log(pair->now->value / pair->then->value), allowed = log1p(finding->tolerance);
    finding->change = expm1(ln);
    finding->accepted = ln > allowed ? SG_REGRESSED : ln < -allowed ? SG_IMPROVED : SG_WITHIN;
    sg_describe_time_verdict(finding, "accepted (both are quoted, without a spread)", "");
}

static void judge_time(struct sg_joining *joining, const struct sg_row_pair *pair, struct sg_finding *finding)
{
    if (are_quoted(joining) && !(has_interval(pair->now) && has_interval(pair->then)))
        judge_quoted_time(pair, finding);
    else
        judge_accepted_time(joining, pair, finding);
}

void sg_judge_time(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    struct sg_finding finding = finding_of_time(joining, pair);
    const char *why = sg_why_unfit(joining, pair);
    finding.gates = is_main(joining, &finding) && !finding.informs; /* that of a candidate never does: its ratio decides */
    if (why)
        invalidate(&finding, why);
    else
        judge_fit(joining, pair, judge_time, &finding);
    if (!why && pair->accepted && pair->accepted->gate && !finding.gates && !finding.informs) {
        finding.gates = true;
        finding.accepted = SG_NOT_GATED;
        sg_finding_why(&finding, "its accepted row has gate = yes, and the time of a candidate never gates, for its ratio does");
    }
    sg_finding_add(joining->comparison, &finding);
}

/* ---- all candidates at once ---- */

#define SG_SHIFT_ALIKE 0.25 /* spread of the candidates' changes over their mean, below which they moved alike */

static bool same_case(const struct sg_finding *a, const struct sg_finding *b)
{
    return strcmp(a->family, b->family) == 0 && strcmp(a->case_, b->case_) == 0;
}

static bool is_shifted(const struct sg_finding *finding)
{
    return strcmp(finding->metric, "time_ratio") == 0 && (finding->accepted == SG_REGRESSED || finding->accepted == SG_IMPROVED);
}

struct shift {
    size_t candidates, shifted;
    double low, high, sum; /* ln, of the shifted ones */
};

static struct shift shift_of(const struct sg_comparison *comparison, size_t from, size_t to)
{
    struct shift shift = {.low = INFINITY, .high = -INFINITY};
    for (size_t i = from; i < to; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        if (strcmp(finding.metric, "time_ratio") != 0 || isnan(finding.change))
            continue;
        shift.candidates++;
        if (!is_shifted(&finding))
            continue;
        const double ln = log1p(finding.change);
        shift.shifted++;
        shift.sum += ln;
        shift.low = fmin(shift.low, ln);
        shift.high = fmax(shift.high, ln);
    }
    return shift;
}

static void explain_shift(struct sg_comparison *comparison, size_t from, size_t to)
{
    const struct shift shift = shift_of(comparison, from, to);
    if (shift.shifted < 2 || shift.shifted < shift.candidates)
        return;
    const double mean = shift.sum / (double)shift.shifted;
    /* Changes of both signs are never this near to one another. */
    if (shift.high - shift.low > SG_SHIFT_ALIKE * fabs(mean))
        return;
    struct sg_finding_reason why;
    for (size_t i = from; i < to; i++) {
        struct sg_finding finding = sg_finding_at(comparison, i);
        if (!is_shifted(&finding))
            continue;
        finding.room = &why;
        sg_finding_why(&finding,
                       "all %zu candidates of this case moved by about %+.3g %%: probably its baseline variant changed, by about "
                       "%+.3g %%; look there first",
                       shift.shifted, 100.0 * expm1(mean), 100.0 * expm1(-mean));
        sg_finding_put(comparison, i, &finding);
    }
}

void sg_explain_shifts(struct sg_comparison *comparison)
{
    size_t from = 0;
    while (from < comparison->count) {
        const struct sg_finding first = sg_finding_at(comparison, from);
        size_t to = from + 1;
        for (; to < comparison->count; to++) {
            const struct sg_finding next = sg_finding_at(comparison, to);
            if (!same_case(&first, &next))
                break;
        }
        explain_shift(comparison, from, to);
        from = to;
    }
}
