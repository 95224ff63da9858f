/* An item as a whole: is its case the accepted one, was it judged at
 * all, and may it be other than green? */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "results/env.h"

#define SG_SAME_WORK 1e-8 /* of two numbers of nine digits that say the same, relative */

/* ---- is it the same item ---- */

static bool is_same_fact(const struct sg_table *a, const struct sg_row *x, const struct sg_table *b, const struct sg_row *y)
{
    const double was = sg_row_value(y), is = sg_row_value(x);
    return strcmp(sg_table_string(a, x->message), sg_table_string(b, y->message)) == 0 && (isnan(was) == isnan(is)) &&
           !(fabs(is - was) > SG_SAME_WORK * fabs(was));
}

/* Row of this name among those of a variant, NULL: it has none. */
static const struct sg_row *row_of(const struct sg_side *side, const char *metric)
{
    for (size_t i = side->from; i < side->to; i++)
        if (strcmp(sg_table_string(side->table, side->table->rows[i].metric), metric) == 0)
            return &side->table->rows[i];
    return NULL;
}

static void describe_fact(const struct sg_table *table, const struct sg_row *row, char *text, size_t size)
{
    if (row && (row->has & SG_HAS_VALUE))
        snprintf(text, size, "%.9g", row->value);
    else
        snprintf(text, size, "%.60s", row ? sg_table_string(table, row->message) : "not there");
}

/* A case that was given another shape or other work keeps its name, and
 * its numbers are of something else. */
static void find_other_case(struct sg_joining *joining)
{
    const struct sg_side *now = &joining->now, *then = &joining->then;
    joining->other_case[0] = '\0';
    if (sg_side_status(now) != SG_OK || sg_side_status(then) != SG_OK || now->from == now->to)
        return;
    for (size_t j = then->from; j < then->to; j++) {
        const struct sg_row *was = &then->table->rows[j];
        const char *metric = sg_table_string(then->table, was->metric);
        if (!joining->baseline_uses[was->metric].row.defines)
            continue;
        const struct sg_row *is = row_of(now, metric);
        if (is && is_same_fact(now->table, is, then->table, was))
            continue;
        char a[64], b[64];
        describe_fact(now->table, is, a, sizeof(a));
        describe_fact(then->table, was, b, sizeof(b));
        snprintf(joining->other_case, sizeof(joining->other_case),
                 "%s is '%s', accepted '%s': the case is another one now; accept the run anew", metric, a, b);
        return;
    }
}

/* ---- an item as a whole ---- */

/* The deciding row is not in the run, of a variant that is right and was not timed, or whose time
 * was lost; or its outcome is not. */
static void check_main(struct sg_joining *joining)
{
    const struct sg_side *now = &joining->now;
    if (now->status && (joining->main_seen || sg_side_status(now) != SG_OK))
        return;
    struct sg_finding finding = sg_finding_of(joining, &(struct sg_row_pair){.now = &now->table->rows[now->from]});
    const struct sg_row *time = now->time;
    finding.metric = now->status ? sg_main_metric(joining) : "status";
    finding.unit = "";
    finding.is = NAN;
    finding.gates = true;
    finding.accepted = SG_NOT_MEASURED;
    if (!now->status)
        sg_finding_why(&finding, "no row `status`: nothing says that it was verified");
    else if (time && time->status != SG_OK)
        sg_finding_why(&finding, "not timed: %s: %s", sg_status_word((enum sg_status)time->status),
                       sg_table_string(now->table, time->message));
    else
        sg_finding_why(&finding, "verified, but this run has no %s of it: run it again", finding.metric);
    sg_finding_add(joining->comparison, &finding);
}

/* Its counters are not there, and not for want of permission: it died, hung or failed while it was
 * counted, and may so the next time. */
static void check_counted(struct sg_joining *joining)
{
    const struct sg_side *now = &joining->now;
    if (!now->counted || sg_side_status(now) != SG_OK || !sg_is_lost_count((enum sg_status)now->counted->status))
        return;
    struct sg_finding finding = sg_finding_of(joining, &(struct sg_row_pair){.now = now->counted});
    finding.gates = true;
    finding.accepted = SG_NOT_MEASURED;
    sg_finding_why(&finding, "not counted: %s: %s", sg_status_word((enum sg_status)now->counted->status),
                   sg_table_string(now->table, now->counted->message));
    sg_finding_add(joining->comparison, &finding);
}

bool sg_is_lost_count(enum sg_status status)
{
    return status != SG_OK && status != SG_UNAVAILABLE && status != SG_SKIPPED;
}

static bool fails_a_gate(enum sg_verdict verdict)
{
#define X(constant, word, meaning, exit_code) [constant] = (exit_code) != SG_EXIT_DONE,
    static const bool fails[SG_VERDICT_COUNT] = {SG_VERDICT_TABLE(X)};
#undef X
    return fails[verdict];
}

/* Until its last day, and as long as the variant is what it was
 * waived for. Days as text sort as days. */
static bool is_waived(const struct sg_joining *joining, const struct sg_row *waiver)
{
    const char *until = sg_table_string(joining->then.table, waiver->message),
               *date = sg_later_date(sg_env_get(joining->run_env, "date"), joining->today);
    const enum sg_status status = sg_side_status(&joining->now);
    const bool is_over = !*until || !date || strncmp(date, until, strlen("2026-11-23")) > 0;
    return !is_over && status == (enum sg_status)waiver->status;
}

/* What the item's gating findings are, with a waiver. */
static void apply_waiver(struct sg_joining *joining)
{
    const struct sg_row *waiver = joining->then.waiver;
    if (!waiver || !is_waived(joining, waiver))
        return;
    const char *until = sg_table_string(joining->then.table, waiver->message);
    const char *reason = sg_table_string(joining->then.table, joining->baseline->accepted[waiver - joining->then.table->rows].reason);
    for (size_t i = joining->first; i < joining->comparison->count; i++) {
        struct sg_finding finding = sg_finding_at(joining->comparison, i);
        /* What a reason was given for is not what other terms let pass. */
        if (!finding.gates || !fails_a_gate(finding.accepted) || finding.accepted == SG_OTHER_TERMS)
            continue;
        finding.room = &joining->why;
        sg_finding_why(&finding, "%.200s, until %s (%s: %s)", reason, until, sg_verdict_word(finding.accepted), finding.why);
        finding.accepted = SG_WAIVED;
        sg_finding_put(joining->comparison, i, &finding);
    }
}

/* Was a number of the item held against an accepted one, or its outcome? */
static void count_judged(struct sg_joining *joining)
{
    static const bool judges[SG_VERDICT_COUNT] = {
        [SG_WITHIN] = true, [SG_IMPROVED] = true, [SG_REGRESSED] = true,       [SG_INCONCLUSIVE] = true, [SG_XFAIL] = true,
        [SG_FIXED] = true,  [SG_BROKEN] = true,   [SG_FAILS_OTHERWISE] = true, [SG_UNRESOLVED] = true,   [SG_IDENTICAL] = true};
    bool judged = false;
    for (size_t i = joining->first; i < joining->comparison->count && !judged; i++) {
        const struct sg_finding finding = sg_finding_at(joining->comparison, i);
        judged = finding.gates && judges[finding.accepted];
    }
    joining->comparison->judged += judged && joining->then.from < joining->then.to;
}

void sg_item_begin(struct sg_joining *joining)
{
    joining->first = joining->comparison->count;
    joining->main_seen = false;
    find_other_case(joining);
}

void sg_item_end(struct sg_joining *joining)
{
    check_main(joining);
    check_counted(joining);
    apply_waiver(joining);
    count_judged(joining);
}
