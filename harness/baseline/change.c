#include "baseline/combine.h"

#include <math.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "results/terms.h"

static void add_name(struct sg_text *line, const struct sg_value *value)
{
    sg_text_addf(line, "%s/%s/%s %s", value->family, value->case_, value->variant, value->metric);
}

void sg_accept_describe_removed(const struct sg_table *old, const struct sg_row *row, bool gated, bool was_run,
                                struct sg_accept_change *change)
{
    const struct sg_value value = sg_value_of(old, row);
    sg_text_add(&change->line, "- ");
    add_name(&change->line, &value);
    sg_text_add(&change->line, was_run ? ": no longer measured" : ": not in these runs, dropped");
    /* Dropping a variant was asked for with --prune; a gate that falls away on its own was not. */
    change->worse = (gated || sg_is_term(value.metric)) && was_run;
    change->harm = INFINITY;
    change->shown = gated || change->worse;
}

/* A broken variant has no times: their going is told by its status, and needs no second reason. */
static enum sg_status old_status(const struct sg_accept_item *item)
{
    const char *expect = sg_table_string(item->old, item->old_accepted->expect);
    const enum sg_status expected = sg_status_from_word(expect);
    return expected == SG_STATUS_COUNT ? (enum sg_status)item->old_row->status : expected;
}

/* A value with its unit, if it has one. */
static void add_value(struct sg_text *line, const char *before, const struct sg_value *value)
{
    const bool has_unit = strcmp(value->unit, "1") != 0;
    sg_text_addf(line, "%s%.6g%s%s", before, value->value, has_unit ? " " : "", has_unit ? value->unit : "");
}

static void judge_status(const struct sg_accept_item *item, const struct sg_accept_result *result, struct sg_accept_change *change)
{
    const enum sg_status was = old_status(item);
    const enum sg_status is = result->value.status;
    change->moved = was != is;
    change->shown = change->moved;
    change->worse = change->moved && is != SG_OK;
    change->harm = change->worse ? INFINITY : 0;
    sg_text_addf(&change->line, ": %s -> %s", sg_status_word(was), sg_status_word(is));
}

static void judge_time(const struct sg_accept_item *item, const struct sg_accept_result *result, struct sg_accept_change *change)
{
    const bool paired = strcmp(result->value.metric, "time_ratio") == 0;
    const bool other_partner = paired && strcmp(sg_table_string(item->old, item->old_row->message), result->value.message) != 0;
    if (other_partner) {
        change->moved = true;
        change->shown = true;
        sg_text_addf(&change->line, ": %s -> %s", sg_table_string(item->old, item->old_row->message), result->value.message);
        return;
    }
    double ln = log(result->value.value) - log(item->old_row->value);
    if (!paired)
        ln += sg_clock_shift_of(result->accepted.f0, item->old_accepted->f0, result->accepted.beta).ln;
    const double tolerance = isfinite(result->accepted.tolerance) ? result->accepted.tolerance : 0.0;
    change->moved = fabs(ln) > log1p(tolerance);
    change->shown = change->moved && result->accepted.gate;
    change->worse = result->accepted.gate && ln > log1p(tolerance);
    change->harm = ln;
    sg_text_addf(&change->line, ": %.6g", item->old_row->value);
    add_value(&change->line, " -> ", &result->value);
    sg_text_addf(&change->line, " (%+.2f %%%s)", 100.0 * expm1(ln), paired ? "" : " at the same clock");
}

static void judge_counter(const struct sg_accept_item *item, const struct sg_accept_result *result, struct sg_accept_change *change)
{
    const struct sg_metric *metric = sg_catalogue_find(item->catalogue, result->value.metric);
    const struct sg_value *value = &result->value;
    const struct sg_row now = {.value = value->value, .low = value->low, .high = value->high, .has = value->has};
    const struct sg_row_pair pair = {.now = &now, .then = item->old_row, .accepted = item->old_accepted};
    const double was = sg_row_value(item->old_row);
    const double is = (result->value.has & SG_HAS_VALUE) ? result->value.value : NAN;
    change->moved = isnan(was) != isnan(is) || fabs(is - was) > sg_counter_band(&pair, metric);
    change->shown = change->moved && result->accepted.gate;
    change->worse = change->shown && (isnan(is) || sg_counter_is_worse(metric, is - was));
    change->harm = isnan(is) || was == 0 ? INFINITY : fabs((is - was) / was);
    change->harm = change->worse ? change->harm : -change->harm;
    sg_text_addf(&change->line, ": %.6g", was);
    if (isnan(is))
        sg_text_add(&change->line, " -> nan");
    else
        add_value(&change->line, " -> ", &result->value);
}

/* Which of its rows decide goes with a variant's role. */
static bool is_same_role(const struct sg_accept_item *item, const struct sg_accept_result *result)
{
    const struct sg_value *value = &result->value;
    const struct sg_row *was = sg_table_find(item->old, value->family, value->case_, value->variant, "role");
    for (size_t i = 0; i < item->run_count; i++) {
        const struct sg_table *table = item->runs[i].table;
        const struct sg_row *is = item->row[i] ? sg_table_find(table, value->family, value->case_, value->variant, "role") : NULL;
        if (is && was && strcmp(sg_table_string(table, is->message), sg_table_string(item->old, was->message)) != 0)
            return false;
    }
    return true;
}

/* A looser term needs a reason, as a number that gets worse does. */
static void judge_term(const struct sg_accept_item *item, const struct sg_accept_result *result, struct sg_accept_change *change)
{
    const struct sg_value *is = &result->value, was = sg_value_of(item->old, item->old_row);
    const enum sg_term_change term = sg_term_compare(is->metric, &was, is);
    change->moved = term != SG_TERM_SAME;
    change->shown = change->moved;
    change->worse = term == SG_TERM_LOOSER;
    change->harm = change->worse ? INFINITY : 0;
    if (is->has & SG_HAS_VALUE)
        sg_text_addf(&change->line, ": %.9g -> %.9g", sg_row_value(item->old_row), is->value);
    else
        sg_text_addf(&change->line, ": %s -> %s", was.message, is->message);
}

void sg_accept_judge(const struct sg_accept_item *item, struct sg_accept_result *result, struct sg_accept_change *change)
{
    const char *metric = result->value.metric;
    sg_text_add(&change->line, item->old_row ? "~ " : "+ ");
    add_name(&change->line, &result->value);
    if (!item->old_row) {
        change->added = true;
        change->harm = -INFINITY; /* shown last */
        change->shown = result->accepted.gate;
        if (result->value.has & SG_HAS_VALUE)
            add_value(&change->line, ": ", &result->value);
        if (*result->expect)
            sg_text_addf(&change->line, "%s accepted as %s", result->value.has & SG_HAS_VALUE ? "," : ":", result->expect);
        result->reason = item->reason && *result->expect ? item->reason : "";
        return;
    }
    /* A tolerance and a gate in the file are decisions, not measurements: they stay. One that is
     * empty, or too wide to gate, is worked out. */
    const bool is_time = sg_accept_is_time(metric);
    if (!is_time || is_same_role(item, result))
        result->accepted.gate = item->old_accepted->gate;
    if (item->old_accepted->tolerance <= sg_env_tolerance_max(item->runs[item->run_count - 1].env))
        result->accepted.tolerance = item->old_accepted->tolerance;
    if (strcmp(metric, "status") == 0)
        judge_status(item, result, change);
    else if (is_time)
        judge_time(item, result, change);
    else if (sg_is_term(metric))
        judge_term(item, result, change);
    else if ((item->old_row->has | result->value.has) & SG_HAS_VALUE)
        judge_counter(item, result, change);
    result->reason = sg_table_string(item->old, item->old_accepted->reason);
    if (change->moved)
        result->reason = change->worse && item->reason ? item->reason : "";
}

bool sg_accept_check_gate(const struct sg_accept_result *result, double most, struct sg_accept_change *change)
{
    const struct sg_accepted *accepted = &result->accepted;
    if (!sg_accept_is_time(result->value.metric) || !accepted->gate || accepted->tolerance <= most)
        return false;
    sg_text_addf(&change->line, "%scannot be gated: ", strchr(sg_text_string(&change->line), ':') ? "; " : ": ");
    if (isfinite(accepted->tolerance))
        sg_text_addf(&change->line, "needs a tolerance of %.3g %%, above tolerance_max, %.3g %%", 100.0 * accepted->tolerance,
                     100.0 * most);
    else
        sg_text_add(&change->line, "too noisy for any tolerance");
    change->shown = true;
    return true;
}
