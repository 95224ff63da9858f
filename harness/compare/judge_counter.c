#include <math.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "results/counter_repeats.h"
#include "stats/clock_model.h"

static bool has_number(const struct sg_row *row)
{
    return row->status == SG_OK && (row->has & SG_HAS_VALUE) && !isnan(row->value);
}

double sg_counter_band(const struct sg_row_pair *pair, const struct sg_metric *metric)
{
    const bool noisy = metric && metric->klass == SG_NOISY;
    struct sg_row now = *pair->now;
    /* For a gating counter the accepted spread limits the variation; this run's own variation must
     * not excuse the counter. */
    if (pair->accepted && pair->accepted->gate)
        now.has &= (uint8_t) ~(SG_HAS_LOW | SG_HAS_HIGH);
    /* fmax ignores a NaN. */
    return fmax(sg_counter_floor(pair->then, metric),
                sg_counter_spread(pair->then, &now, noisy ? pair->accepted : NULL));
}

bool sg_counter_is_worse(const struct sg_metric *metric, double difference)
{
    if (!metric || metric->better == SG_NEITHER)
        return true;
    return metric->better == SG_LOWER ? difference > 0.0 : difference < 0.0;
}

/* A counter whose band exceeds the largest tolerance cannot gate. */
static bool is_gate_too_wide(const struct sg_joining *joining, const struct sg_row_pair *pair,
                             const struct sg_metric *metric)
{
    if (!pair->accepted->gate)
        return false;
    const double allowed =
        sg_env_tolerance_max(sg_accepted_env(joining, pair)) * fabs(pair->then->value);
    return sg_counter_band(pair, metric) > fmax(sg_counter_floor(pair->then, metric), allowed);
}

static void judge_change(const struct sg_joining *joining, const struct sg_metric *metric,
                         struct sg_finding *finding)
{
    const double difference = finding->is - finding->was;
    const bool relative = metric && metric->klass == SG_NOISY;
    finding->change = !relative             ? difference
                      : finding->was != 0.0 ? finding->is / finding->was - 1.0
                                            : NAN;
    if (!finding->gates)
        finding->accepted = SG_CHANGED;
    else
        finding->accepted = sg_counter_is_worse(metric, difference) ? SG_REGRESSED : SG_IMPROVED;
    finding->why = sg_reason(joining->comparison,
                             sg_are_quoted(joining) ? "%.6g -> %.6g"
                             : finding->gates ? "%.6g -> %.6g, and its accepted row has gate = yes"
                                              : "%.6g -> %.6g; explains, does not gate",
                             finding->was, finding->is);
}

static const char *reason_of(const struct sg_table *table, const struct sg_row *row)
{
    const char *message = sg_table_string(table, row->message);
    return *message || has_number(row) ? message : sg_status_word((enum sg_status)row->status);
}

/* At least one side has no number: unavailable, not a number, or missing. */
static void judge_uncounted(const struct sg_joining *joining, const struct sg_row_pair *pair,
                            struct sg_finding *finding)
{
    const bool lost = !has_number(pair->now);
    finding->accepted = lost && finding->gates ? SG_NOT_MEASURED : SG_CHANGED;
    if (lost)
        finding->why = sg_reason(joining->comparison, "has no number in this run: %s",
                                 reason_of(joining->in->run, pair->now));
    else
        finding->why = sg_reason(joining->comparison, "was accepted without a number: %s",
                                 reason_of(&joining->in->accepted->table, pair->then));
}

/* The accepted value may still be among the counts: the change is that the counter no longer
 * repeats. */
static void judge_non_repeatable(struct sg_comparison *comparison, const struct sg_row_pair *pair,
                                 struct sg_finding *finding)
{
    finding->accepted = finding->gates ? SG_INVALID_VALUE : SG_CHANGED;
    finding->change = finding->is - finding->was;
    finding->why = sg_reason(
        comparison, "does not repeat: %.9g to %.9g in %u counts of one process, accepted %.9g",
        pair->now->low, pair->now->high, (unsigned)pair->now->n, finding->was);
}

/* Missing, not a number and unavailable are three states, each equal only to itself. */
static bool is_missing_in_both(const struct sg_row_pair *pair)
{
    return !has_number(pair->now) && !has_number(pair->then) &&
           pair->now->status == pair->then->status &&
           (pair->now->has & SG_HAS_VALUE) == (pair->then->has & SG_HAS_VALUE);
}

/* A total is not scaled to one clock; the time is. */
static bool is_of_other_clock(const struct sg_joining *joining, const struct sg_finding *finding)
{
    const double is = sg_row_value(sg_side_row(&joining->now, "sm_clock")),
                 was = sg_row_value(sg_side_row(&joining->then, "sm_clock"));
    return strcmp(finding->metric, SG_TOTAL_METRIC) == 0 && fabs(log(is / was)) > SG_NO_CLOCK_SD;
}

void sg_judge_counter(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    struct sg_comparison *comparison = joining->comparison;
    const char *name = sg_table_string(joining->in->run, pair->now->metric);
    if (!pair->then) {
        comparison->counters_new++;
        return;
    }
    const struct sg_metric *metric = sg_catalogue_find(joining->in->catalogue, name);
    const bool both = has_number(pair->now) && has_number(pair->then),
               empty = pair->accepted->gate && !has_number(pair->then);
    const bool non_repeatable = both && sg_counter_is_non_repeatable(pair->now, metric) &&
                                !sg_counter_is_non_repeatable(pair->then, metric);
    const bool is_near =
        both && fabs(pair->now->value - pair->then->value) <= sg_counter_band(pair, metric);
    const bool unchanged = !non_repeatable && (both ? is_near : is_missing_in_both(pair));
    comparison->counters_compared++;
    comparison->counters_changed += !unchanged;
    if (unchanged && !empty && !(both && is_gate_too_wide(joining, pair, metric)))
        return;
    struct sg_finding finding = sg_finding_of(joining, pair);
    finding.gates &= !joining->other_case && /* the finding of its time says why */
                     !(sg_row_is_energy(name) && sg_is_paired(joining)) &&
                     !(joining->in->gates_imports && /* counts of starts differ; one has no range */
                       (!(pair->now->has & pair->then->has & SG_HAS_LOW) ||
                        is_of_other_clock(joining, &finding)));
    if (empty)
        sg_refuse_gate(&finding, "its accepted row has gate = yes, and has no number");
    else if (unchanged)
        sg_refuse_gate(&finding,
                       sg_reason(comparison,
                                 "its accepted row has gate = yes, and its accepted counts vary by "
                                 "more than tolerance_max, %.3g %%",
                                 100.0 * sg_env_tolerance_max(sg_accepted_env(joining, pair))));
    else if (non_repeatable)
        judge_non_repeatable(comparison, pair, &finding);
    else if (both)
        judge_change(joining, metric, &finding);
    else
        judge_uncounted(joining, pair, &finding);
    sg_finding_add(comparison, &finding);
}
