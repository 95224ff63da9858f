#include <math.h>
#include <string.h>

#include "baseline/combine.h"
#include "compare/row.h"
#include "results/row_kind.h"
#include "results/terms.h"

static void add_name(struct sg_text *line, const struct sg_value *value)
{
    sg_text_addf(line, "%s/%s/%s %s", SG_NAMES(*value), value->metric);
}

static void add_value(struct sg_text *line, const char *before, const struct sg_value *value)
{
    const bool has_unit = strcmp(value->unit, "1") != 0;
    sg_text_addf(line, "%s%.6g%s%s", before, value->value, has_unit ? " " : "",
                 has_unit ? value->unit : "");
}

/* --prune asked to drop a variant; a gate that disappears without --prune is worse. */
void sg_accept_describe_removed(const struct sg_value *old, bool gated, bool was_run,
                                struct sg_accept_change *change)
{
    sg_text_add(&change->line, "- ");
    add_name(&change->line, old);
    sg_text_add(&change->line, was_run ? ": no longer measured" : ": not in these runs, dropped");
    change->worse = (gated || sg_is_term(old->metric)) && was_run;
    change->harm = INFINITY;
    change->shown = gated || change->worse;
}

static const struct sg_accepted *old_accepted(const struct sg_accept_row *row)
{
    return &row->old->accepted[row->old_row - row->old->table.rows];
}

static void set(struct sg_accept_change *change, bool moved, bool worse)
{
    change->moved = change->shown = moved;
    change->worse = moved && worse;
    change->harm = change->worse ? INFINITY : 0;
}

/* A broken variant has no times. Its status explains their loss, so they need no other reason. */
static void judge_status(const struct sg_accept_row *row, const struct sg_value *is,
                         struct sg_accept_change *change)
{
    const enum sg_status expected =
        sg_status_from_word(sg_table_string(&row->old->table, old_accepted(row)->expect));
    const enum sg_status was =
        expected == SG_STATUS_COUNT ? (enum sg_status)row->old_row->status : expected;
    set(change, was != is->status, is->status != SG_OK);
    sg_text_addf(&change->line, ": %s -> %s", sg_status_word(was), sg_status_word(is->status));
}

static void judge_time(const struct sg_accept_row *row, const struct sg_accept_result *result,
                       struct sg_accept_change *change)
{
    const struct sg_value *is = &result->value, was = sg_value_of(&row->old->table, row->old_row);
    const bool paired = strcmp(is->metric, "time_ratio") == 0;
    if (paired && strcmp(was.message, is->message) != 0) {
        set(change, true, false);
        sg_text_addf(&change->line, ": %s -> %s", was.message, is->message);
        return;
    }
    double ln = log(is->value) - log(was.value);
    if (!paired)
        ln +=
            sg_clock_shift_of(result->accepted.f0, old_accepted(row)->f0, result->accepted.beta).ln;
    const double allowed =
        isfinite(result->accepted.tolerance) ? log1p(result->accepted.tolerance) : 0.0;
    change->moved = fabs(ln) > allowed;
    change->shown = change->moved && result->accepted.gate;
    change->worse = result->accepted.gate && ln > allowed;
    change->harm = ln;
    sg_text_addf(&change->line, ": %.6g", was.value);
    add_value(&change->line, " -> ", is);
    sg_text_addf(&change->line, " (%+.2f %%%s)", 100.0 * expm1(ln),
                 paired ? "" : " at the same clock");
}

static void judge_counter(const struct sg_accept_row *row, const struct sg_accept_result *result,
                          struct sg_accept_change *change)
{
    const struct sg_metric *metric = sg_catalogue_find(row->catalogue, result->value.metric);
    const struct sg_value *value = &result->value;
    const struct sg_row now = {
        .value = value->value, .low = value->low, .high = value->high, .has = value->has};
    const struct sg_row_pair pair = {
        .now = &now, .then = row->old_row, .accepted = old_accepted(row)};
    const double was = sg_row_value(row->old_row), is = sg_row_value(&now);
    change->moved = isnan(was) != isnan(is) || fabs(is - was) > sg_counter_band(&pair, metric);
    change->shown = change->moved && result->accepted.gate;
    change->worse = change->shown && (isnan(is) || sg_counter_is_worse(metric, is - was));
    change->harm = isnan(is) || was == 0 ? INFINITY : fabs((is - was) / was);
    change->harm = change->worse ? change->harm : -change->harm;
    sg_text_addf(&change->line, ": %.6g", was);
    if (isnan(is))
        sg_text_add(&change->line, " -> nan");
    else
        add_value(&change->line, " -> ", value);
}

/* A looser term needs a reason, like a number that gets worse. */
static void judge_term(const struct sg_accept_row *row, const struct sg_value *is,
                       struct sg_accept_change *change)
{
    const struct sg_value was = sg_value_of(&row->old->table, row->old_row);
    const enum sg_term_change term = sg_term_compare(is->metric, &was, is);
    set(change, term != SG_TERM_SAME, term == SG_TERM_LOOSER);
    if (is->has & SG_HAS_VALUE)
        sg_text_addf(&change->line, ": %.9g -> %.9g", sg_row_value(row->old_row), is->value);
    else
        sg_text_addf(&change->line, ": %s -> %s", was.message, is->message);
}

/* A variant's role determines its deciding rows. */
static bool is_same_role(const struct sg_accept_row *row, const struct sg_value *value)
{
    const struct sg_row *was = sg_table_find(&row->old->table, SG_NAMES(*value), "role");
    for (size_t i = 0; i < row->run_count; i++) {
        const struct sg_table *table = row->runs[i].table;
        const struct sg_row *is =
            row->row[i] ? sg_table_find(table, SG_NAMES(*value), "role") : NULL;
        if (is && was &&
            strcmp(sg_table_string(table, is->message),
                   sg_table_string(&row->old->table, was->message)) != 0)
            return false;
    }
    return true;
}

static void describe_added(const struct sg_accept_row *row, struct sg_accept_result *result,
                           struct sg_accept_change *change)
{
    const bool has_value = result->value.has & SG_HAS_VALUE;
    change->added = true;
    change->harm = -INFINITY; /* sorts last */
    change->shown = result->accepted.gate;
    if (has_value)
        add_value(&change->line, ": ", &result->value);
    if (strcmp(result->expect, "regressed") == 0) /* only a word; nothing got slower */
        sg_text_add(&change->line, ", accepted although slower than its baseline variant");
    else if (*result->expect)
        sg_text_addf(&change->line, "%s accepted as %s", has_value ? "," : ":", result->expect);
    result->reason = row->reason && *result->expect ? row->reason : "";
}

/* A tolerance and a gate in the file are decisions, not measurements, so they stay. A tolerance
 * that is empty or too wide to gate is computed. */
static void keep_decisions(const struct sg_accept_row *row, struct sg_accept_result *result)
{
    const struct sg_accepted *was = old_accepted(row);
    /* An old row without a range came from one start, which cannot decide its gate. */
    const bool is_undecided =
        sg_row_use_of(result->value.metric).gates && !(row->old_row->has & SG_HAS_LOW);
    if (!is_undecided &&
        (!sg_accept_is_time(result->value.metric) || is_same_role(row, &result->value)))
        result->accepted.gate = was->gate;
    if (was->tolerance <= sg_env_tolerance_max(row->runs[row->run_count - 1].env))
        result->accepted.tolerance = was->tolerance;
}

void sg_accept_judge(const struct sg_accept_row *row, struct sg_accept_result *result,
                     struct sg_accept_change *change)
{
    const char *metric = result->value.metric;
    sg_text_add(&change->line, row->old_row ? "~ " : "+ ");
    add_name(&change->line, &result->value);
    if (!row->old_row) {
        describe_added(row, result, change);
        return;
    }
    keep_decisions(row, result);
    if (strcmp(metric, "status") == 0)
        judge_status(row, &result->value, change);
    else if (sg_accept_is_time(metric))
        judge_time(row, result, change);
    else if (sg_is_term(metric))
        judge_term(row, &result->value, change);
    else if ((row->old_row->has | result->value.has) & SG_HAS_VALUE)
        judge_counter(row, result, change);
    result->reason = sg_table_string(&row->old->table, old_accepted(row)->reason);
    if (change->moved)
        result->reason = change->worse && row->reason ? row->reason : "";
}

bool sg_accept_check_gate(const struct sg_accept_result *result, double most,
                          struct sg_accept_change *change)
{
    const struct sg_accepted *accepted = &result->accepted;
    if (!sg_accept_is_time(result->value.metric) || !accepted->gate || accepted->tolerance <= most)
        return false;
    sg_text_addf(&change->line,
                 "%scannot be gated: ", strchr(sg_text_string(&change->line), ':') ? "; " : ": ");
    if (isfinite(accepted->tolerance))
        sg_text_addf(&change->line, "needs a tolerance of %.3g %%, above tolerance_max, %.3g %%",
                     100.0 * accepted->tolerance, 100.0 * most);
    else
        sg_text_add(&change->line, "too noisy for any tolerance");
    change->shown = true;
    return true;
}
