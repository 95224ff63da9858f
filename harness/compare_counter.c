#include "compare_parts.h"

#include <math.h>

/* A noisy counter is news beyond this many of its own spreads. */
#define SG_COUNTER_SDS 3.0

static bool has_number(const struct sg_row *row)
{
    return row->status == SG_OK && (row->has & SG_HAS_VALUE) && !isnan(row->value);
}

double sg_counter_band(const struct sg_row_pair *pair, const struct sg_metric *metric)
{
    const double was = fabs(pair->then->value);
    double band = 0.0;
    if (metric)
        band = fmax(metric->floor, metric->floor_ratio * was);
    if (metric && metric->klass == SG_NOISY && isfinite(pair->accepted->sd_day))
        band = fmax(band, SG_COUNTER_SDS * pair->accepted->sd_day * was);
    return band;
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

void sg_judge_counter(struct sg_joining *joining, const struct sg_row_pair *pair, const struct sg_metric *metric)
{
    struct sg_comparison *comparison = joining->comparison;
    if (!pair->then) {
        comparison->counters_new++;
        return;
    }
    comparison->counters_compared++;
    if (is_unchanged(pair, metric))
        return;
    struct sg_finding finding = sg_finding_of(joining, pair);
    comparison->counters_changed++;
    if (has_number(pair->now) && has_number(pair->then))
        judge_change(metric, &finding);
    else
        judge_lost(joining, pair, &finding);
    sg_finding_add(comparison, &finding);
}
