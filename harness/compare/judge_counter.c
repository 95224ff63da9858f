#include "compare/compare_internal.h"

#include <math.h>

#include "results/counter_repeats.h"

static bool has_number(const struct sg_row *row)
{
    return row->status == SG_OK && (row->has & SG_HAS_VALUE) && !isnan(row->value);
}

double sg_counter_band(const struct sg_row_pair *pair, const struct sg_metric *metric)
{
    const bool noisy = metric && metric->klass == SG_NOISY;
    struct sg_row now = *pair->now;
    /* Of one that gates, what is accepted says how much it may wander; tonight's
     * own wandering must not excuse it. */
    if (pair->accepted && pair->accepted->gate)
        now.has &= (uint8_t) ~(SG_HAS_LOW | SG_HAS_HIGH);
    /* Of a NaN and a number fmax takes the number. */
    return fmax(sg_counter_floor(pair->then, metric), sg_counter_spread(pair->then, &now, noisy ? pair->accepted : NULL));
}

/* One that may differ by more than any tolerance gates nothing. */
static bool is_gate_too_wide(const struct sg_joining *joining, const struct sg_row_pair *pair, const struct sg_metric *metric)
{
    const double most = fmax(sg_counter_floor(pair->then, metric), sg_tolerance_max_of(joining, pair) * fabs(pair->then->value));
    return pair->accepted->gate && sg_counter_band(pair, metric) > most;
}

bool sg_counter_is_worse(const struct sg_metric *metric, double difference)
{
    if (!metric || metric->better == SG_NEITHER)
        return true;
    return metric->better == SG_LOWER ? difference > 0.0 : difference < 0.0;
}

static void judge_change(const struct sg_metric *metric, struct sg_finding *finding)
{
    const double difference = finding->is - finding->was;
    const bool relative = metric && metric->klass == SG_NOISY;
    finding->change = !relative ? difference : finding->was != 0.0 ? finding->is / finding->was - 1.0 : NAN;
    finding->accepted = SG_CHANGED;
    if (!finding->gates) {
        sg_finding_why(finding, "%.6g -> %.6g; explains, does not gate", finding->was, finding->is);
        return;
    }
    finding->accepted = sg_counter_is_worse(metric, difference) ? SG_REGRESSED : SG_IMPROVED;
    sg_finding_why(finding, "%.6g -> %.6g, and its accepted row has gate = yes", finding->was, finding->is);
}

static const char *reason_of(const struct sg_table *table, const struct sg_row *row)
{
    const char *message = sg_table_string(table, row->message);
    return *message || has_number(row) ? message : sg_status_word((enum sg_status)row->status);
}

/* At least one of the two has no number: it is unavailable, not a number, or simply not there. */
static void judge_lost(const struct sg_joining *joining, const struct sg_row_pair *pair, struct sg_finding *finding)
{
    const bool lost = !has_number(pair->now);
    finding->accepted = lost && finding->gates ? SG_NOT_MEASURED : SG_CHANGED;
    if (lost)
        sg_finding_why(finding, "has no number in this run: %s", reason_of(joining->run, pair->now));
    else
        sg_finding_why(finding, "was accepted without a number: %s", reason_of(&joining->baseline->table, pair->then));
}

/* Missing, not a number and unavailable are three things, each equal to itself. */
static bool is_same_lack(const struct sg_row_pair *pair)
{
    return !has_number(pair->now) && !has_number(pair->then) && pair->now->status == pair->then->status &&
           (pair->now->has & SG_HAS_VALUE) == (pair->then->has & SG_HAS_VALUE);
}

static bool is_unchanged(const struct sg_row_pair *pair, const struct sg_metric *metric)
{
    if (!has_number(pair->now) || !has_number(pair->then))
        return is_same_lack(pair);
    return fabs(pair->now->value - pair->then->value) <= sg_counter_band(pair, metric);
}

/* What it counts may be as accepted: that it no longer counts the same each time is the news. */
static void judge_non_repeatable(const struct sg_row_pair *pair, struct sg_finding *finding)
{
    finding->accepted = finding->gates ? SG_INVALID_VALUE : SG_CHANGED;
    finding->change = finding->is - finding->was;
    sg_finding_why(finding, "does not repeat: %.9g to %.9g in %u counts of one process, accepted %.9g", pair->now->low, pair->now->high,
                   (unsigned)pair->now->n, finding->was);
}

void sg_judge_counter(struct sg_joining *joining, const struct sg_row_pair *pair, const struct sg_metric *metric)
{
    struct sg_comparison *comparison = joining->comparison;
    if (!pair->then) {
        comparison->counters_new++;
        return;
    }
    comparison->counters_compared++;
    const bool both = has_number(pair->now) && has_number(pair->then), empty = pair->accepted->gate && !has_number(pair->then);
    const bool non_repeatable =
        both && sg_counter_is_non_repeatable(pair->now, metric) && !sg_counter_is_non_repeatable(pair->then, metric);
    const bool unchanged = !non_repeatable && is_unchanged(pair, metric), wide = both && is_gate_too_wide(joining, pair, metric);
    if (unchanged && !wide && !empty)
        return;
    struct sg_finding finding = sg_finding_of(joining, pair);
    comparison->counters_changed += !unchanged;
    if (empty) {
        finding.accepted = SG_NOT_GATED;
        sg_finding_why(&finding, "its accepted row has gate = yes, and has no number");
    } else if (unchanged) {
        finding.accepted = SG_NOT_GATED;
        sg_finding_why(&finding, "its accepted row has gate = yes, and its accepted counts wander by more than tolerance_max, %.3g %%",
                       100.0 * sg_tolerance_max_of(joining, pair));
    } else if (non_repeatable)
        judge_non_repeatable(pair, &finding);
    else if (both)
        judge_change(metric, &finding);
    else
        judge_lost(joining, pair, &finding);
    sg_finding_add(comparison, &finding);
}
