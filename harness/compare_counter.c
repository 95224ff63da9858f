#include "compare_parts.h"

#include <math.h>

#include "repeats.h"

static bool has_number(const struct sg_row *row)
{
    return row->status == SG_OK && (row->has & SG_HAS_VALUE) && !isnan(row->value);
}

static double floor_of(const struct sg_row *row, const struct sg_metric *metric)
{
    return metric ? fmax(metric->floor, metric->floor_ratio * fabs(row->value)) : 0.0;
}

/* An exact counter whose counts differ in one process by more than it may. */
static bool is_restless(const struct sg_row *row, const struct sg_metric *metric)
{
    return (!metric || metric->klass == SG_EXACT) && sg_counter_has_range(row) && row->high - row->low > floor_of(row, metric);
}

double sg_counter_band(const struct sg_row_pair *pair, const struct sg_metric *metric)
{
    const bool noisy = metric && metric->klass == SG_NOISY;
    /* Of a NaN and a number fmax takes the number. */
    return fmax(floor_of(pair->then, metric), sg_counter_spread(pair->then, pair->now, noisy ? pair->accepted : NULL));
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
    sg_finding_why(finding, "%.6g -> %.6g, and its accepted row says gate = yes", finding->was, finding->is);
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
    finding->accepted = lost && finding->gates ? SG_MISSING : SG_CHANGED;
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
static void judge_restless(const struct sg_row_pair *pair, struct sg_finding *finding)
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
    const bool both = has_number(pair->now) && has_number(pair->then);
    const bool restless = both && is_restless(pair->now, metric) && !is_restless(pair->then, metric);
    if (!restless && is_unchanged(pair, metric))
        return;
    struct sg_finding finding = sg_finding_of(joining, pair);
    comparison->counters_changed++;
    if (restless)
        judge_restless(pair, &finding);
    else if (both)
        judge_change(metric, &finding);
    else
        judge_lost(joining, pair, &finding);
    sg_finding_add(comparison, &finding);
}
