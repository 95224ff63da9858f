/* Judges an item as a whole: whether its case is the accepted one, whether the item was judged at
 * all, and whether a waiver applies. */
#include <math.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "results/identity.h"

#define SG_SAME_WORK 3e-5 /* relative: a tool prints the rate and the time with six digits */

/* ---- comparability with the accepted item ---- */

static bool is_same_fact(const struct sg_table *a, const struct sg_row *x, const struct sg_table *b,
                         const struct sg_row *y)
{
    const double is = sg_row_value(x), was = sg_row_value(y);
    return strcmp(sg_table_string(a, x->message), sg_table_string(b, y->message)) == 0 &&
           (isnan(was) == isnan(is)) && !(fabs(is - was) > SG_SAME_WORK * fabs(was));
}

static const char *describe(struct sg_comparison *comparison, const struct sg_table *table,
                            const struct sg_row *row)
{
    if (row && (row->has & SG_HAS_VALUE))
        return sg_reason(comparison, "%.9g", row->value);
    return sg_reason(comparison, "%.60s", row ? sg_table_string(table, row->message) : "not there");
}

/* A case whose shape or work changed keeps its name, but its accepted numbers are for another
 * problem. */
static const char *find_other_case(const struct sg_joining *joining)
{
    const struct sg_side *now = &joining->now, *then = &joining->then;
    for (size_t j = then->from; j < then->to && joining->is == SG_OK && joining->was == SG_OK;
         j++) {
        const struct sg_row *was = &then->table->rows[j];
        const char *metric = sg_table_string(then->table, was->metric);
        const struct sg_row *is = sg_side_row(now, metric);
        if (!sg_row_use_of(metric).defines || (!is && strcmp(metric, SG_TIME_OF_METRIC) == 0))
            continue; /* imports of older versions lack the kind of time */
        if (!is || !is_same_fact(now->table, is, then->table, was))
            return sg_reason(
                joining->comparison, "the case has changed (%s is '%s', accepted '%s'): %s", metric,
                describe(joining->comparison, now->table, is),
                describe(joining->comparison, then->table, was),
                sg_are_quoted(joining) ? "measure both sides alike" : "accept the run again");
    }
    return NULL;
}

void sg_item_begin(struct sg_joining *joining)
{
    const struct sg_side *with_role =
        sg_side_row(&joining->then, "role") ? &joining->then : &joining->now;
    joining->is = sg_side_status(&joining->now, "status");
    joining->was = sg_side_status(&joining->then, "status");
    joining->main_metric = sg_side_has_role(with_role, "baseline") ? "time" : "time_ratio";
    joining->main_seen = false;
    joining->first = joining->comparison->count;
    joining->other_case = find_other_case(joining);
    joining->untimed = sg_is_untimed(sg_side_row(&joining->now, SG_BUILD_RATIO_METRIC),
                                     sg_side_row(&joining->now, "time")) &&
                       sg_identity_same(sg_side_message(&joining->now, SG_IDENTITY_METRIC),
                                        sg_side_message(&joining->then, SG_IDENTITY_METRIC));
}

/* ---- findings that no single row gives ---- */

static void add_not_measured(struct sg_joining *joining, const struct sg_row *row,
                             const char *metric, const char *why)
{
    struct sg_finding finding = sg_finding_of(joining, &(struct sg_row_pair){.now = row});
    if (metric) {
        finding.metric = metric;
        finding.unit = "";
        finding.is = NAN;
    }
    finding.gates = true;
    finding.accepted = row->status == SG_NAN ? SG_INVALID_VALUE : SG_NOT_MEASURED;
    finding.why = why;
    sg_finding_add(joining->comparison, &finding);
}

/* Describes what became of a row without a number. */
static const char *describe_loss(struct sg_joining *joining, const char *what,
                                 const struct sg_row *row)
{
    return sg_reason(joining->comparison, "%s: %s: %s", what,
                     sg_status_word((enum sg_status)row->status),
                     sg_table_string(joining->in->run, row->message));
}

/* Adds a finding if a correct variant has no deciding row: not timed, or its time was lost. The
 * same if the variant has no status row. */
static void check_main(struct sg_joining *joining)
{
    const struct sg_side *now = &joining->now;
    const struct sg_row *first = &now->table->rows[now->from], *time = sg_side_row(now, "time");
    if (!sg_side_row(now, "status"))
        add_not_measured(joining, first, "status",
                         "no row `status`, so it may not have been verified");
    else if (joining->main_seen || joining->untimed || joining->is != SG_OK)
        return;
    else if (joining->comparison->of_imports && !time && sg_side_is_there(&joining->then) &&
             !sg_side_row(&joining->then, "time") && joining->comparison->counters_compared > 0)
        joining->comparison->judged++; /* neither side has anything but counters */
    else if (time && time->status != SG_OK)
        add_not_measured(joining, time, joining->main_metric,
                         describe_loss(joining, "not timed", time));
    else
        add_not_measured(joining, first, joining->main_metric,
                         sg_env_is_imported(joining->in->run_env)
                             ? "the files have no time of this item"
                             : sg_reason(joining->comparison,
                                         "verified, but this run has no %s: run it again",
                                         joining->main_metric));
}

bool sg_is_count_failure(enum sg_status status)
{
    return status != SG_OK && status != SG_UNAVAILABLE && status != SG_SKIPPED;
}

/* Adds a finding if counting failed for another reason than permission: the variant crashed, hung
 * or failed while it was counted, and may do so again. */
static void check_counted(struct sg_joining *joining)
{
    const struct sg_row *counted = sg_side_row(&joining->now, SG_COUNT_METRIC);
    if (counted && joining->is == SG_OK && sg_is_count_failure((enum sg_status)counted->status))
        add_not_measured(joining, counted, NULL, describe_loss(joining, "not counted", counted));
}

/* ---- waivers ---- */

/* A waiver holds through its last day, while the variant has the waived status. ISO dates sort as
 * strings. */
static bool is_waived(const struct sg_joining *joining, const struct sg_row *waiver,
                      const char *until)
{
    const char *date = sg_env_get(joining->in->run_env, "date");
    const bool is_over = !*until || !date || strncmp(date, until, strlen("2026-11-23")) > 0;
    return !is_over && joining->is == (enum sg_status)waiver->status;
}

/* Applies a waiver to the item's gating findings. A waiver does not excuse looser terms. */
static void apply_waiver(struct sg_joining *joining)
{
    const struct sg_accepted_file *accepted = joining->in->accepted;
    const struct sg_row *waiver = sg_side_row(&joining->then, SG_WAIVER_METRIC);
    const char *until = waiver ? sg_table_string(&accepted->table, waiver->message) : NULL;
    if (!waiver || !is_waived(joining, waiver, until))
        return;
    const char *reason =
        sg_table_string(&accepted->table, accepted->accepted[waiver - accepted->table.rows].reason);
    for (size_t i = joining->first; i < joining->comparison->count; i++) {
        struct sg_finding *finding = &joining->comparison->findings[i];
        if (!finding->gates || sg_verdict_exit(finding->accepted) == SG_EXIT_DONE ||
            finding->accepted == SG_OTHER_TERMS)
            continue;
        finding->why = sg_reason(joining->comparison, "%.200s, until %s (%s: %s)", reason, until,
                                 sg_verdict_word(finding->accepted), finding->why);
        finding->accepted = SG_WAIVED;
    }
}

/* Counts the item as judged if a number or its status was compared with an accepted one. */
static void count_judged(struct sg_joining *joining)
{
    bool judged = false;
    for (size_t i = joining->first; i < joining->comparison->count && !judged; i++)
        judged = joining->comparison->findings[i].gates &&
                 sg_verdict_row(joining->comparison->findings[i].accepted)->says != SG_SAYS_NOTHING;
    joining->comparison->judged += judged && sg_side_is_there(&joining->then);
}

void sg_item_end(struct sg_joining *joining)
{
    check_main(joining);
    check_counted(joining);
    apply_waiver(joining);
    count_judged(joining);
}
