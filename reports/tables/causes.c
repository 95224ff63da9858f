/* Why a row is slow: the counters that moved, in words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/knobs.h"
#include "reports/tables/ranking.h"

static bool is_slower(enum sg_verdict verdict)
{
    return verdict == SG_REGRESSED || verdict == SG_INCONCLUSIVE;
}

/* Slower than accepted, or perhaps: unless it is certain that the row is slower than its baseline
 * variant, which then wants its cause. */
static bool is_explained_by_accepted(const struct sg_finding *finding)
{
    return finding->accepted == SG_REGRESSED || (finding->accepted == SG_INCONCLUSIVE && finding->baseline != SG_REGRESSED);
}

struct sg_diagnosed sg_diagnosed_of(const struct sg_report_input *input, const struct sg_finding *finding, const struct sg_table *then,
                                    const char *other)
{
    return (struct sg_diagnosed){
        .catalogue = input->catalogue,
        .rules = input->rules,
        .then = then,
        .now = input->run,
        .accepted = input->accepted && then == &input->accepted->table ? input->accepted->accepted : NULL,
        .family = finding->family,
        .case_ = finding->case_,
        .other = other,
        .variant = finding->variant,
    };
}

/* The largest; of facts of the code only one, so that a counter is named beside it. */
static size_t pick_causes(const struct sg_diagnosed *what, struct sg_moved *picked, size_t max)
{
    struct sg_moved all[4 * SG_CAUSES_MAX];
    const size_t count = sg_diagnose(what, all, sizeof(all) / sizeof(all[0]));
    size_t kept = 0, facts = 0;
    for (size_t i = 0; i < count && kept < max; i++) {
        const bool is_fact = sg_metric_is_of_code(all[i].metric);
        if (!is_fact || facts == 0)
            picked[kept++] = all[i];
        facts += is_fact;
    }
    return kept;
}

void sg_find_causes(const struct sg_report_input *input, const struct sg_finding *finding, size_t max, struct sg_causes *causes)
{
    *causes = (struct sg_causes){0};
    if (!input->catalogue || !input->rules || !input->run || !sg_is_time(finding))
        return;
    const struct sg_table *then = NULL;
    const char *other = NULL;
    if (is_explained_by_accepted(finding) && input->accepted && input->accepted->table.count > 0) {
        then = &input->accepted->table;
        other = finding->variant;
        snprintf(causes->against, sizeof(causes->against), "%s", "accepted");
    } else if (is_slower(finding->baseline)) {
        then = input->run;
        other = sg_paired_with(input->run, finding->family, finding->case_, finding->variant);
        snprintf(causes->against, sizeof(causes->against), "%s", other ? other : "");
    }
    if (!then || !other)
        return;
    causes->what = sg_diagnosed_of(input, finding, then, other);
    causes->count = pick_causes(&causes->what, causes->moved, max);
}

void sg_add_difference(struct sg_text *out, const struct sg_moved *moved)
{
    if (isnan(moved->spread) || (moved->metric->klass == SG_EXACT && !moved->non_repeatable))
        return;
    /* What is in percent differs by points: a percent of it is something else. */
    const char *unit = strcmp(moved->metric->unit, "%") == 0 ? "point" : moved->metric->unit;
    sg_text_add(out, moved->difference < 0 ? "-" : "+");
    sg_add_rough(out, fabs(moved->difference), 3, unit);
    sg_text_add(out, " +- ");
    sg_add_rough(out, moved->spread, 2, unit);
    sg_text_add(out, moved->non_repeatable ? ", does not repeat" : "");
}

static void add_in_brackets(struct sg_text *out, const struct sg_moved *moved)
{
    struct sg_text difference = {0};
    sg_add_difference(&difference, moved);
    if (difference.length > 0)
        sg_text_addf(out, " (%s)", difference.data);
    sg_text_release(&difference);
}

void sg_add_cause(struct sg_text *out, const struct sg_moved *moved)
{
    sg_text_addf(out, "%s ", moved->metric->name);
    sg_add_value(out, moved->was, moved->metric->unit);
    sg_text_add(out, " -> ");
    sg_add_value(out, moved->is, moved->metric->unit);
    add_in_brackets(out, moved);
    /* Without a rule that fits the sentence is what the counter means, which is no cause. */
    if (moved->cause && moved->cause == moved->metric->meaning)
        sg_text_addf(out, " (%s)", moved->cause);
    else if (moved->cause && moved->cause[0])
        sg_text_addf(out, ": %s", moved->cause);
}

void sg_add_unmoved(struct sg_text *out, const struct sg_diagnosed *what)
{
    struct sg_moved *all = sg_alloc(what->catalogue->count, sizeof(*all));
    const size_t count = sg_diagnose_all(what, all);
    const char *before = "; beyond the floor alone: ";
    if (count > 0)
        sg_text_addf(out, "no counter moved beyond its floor and its spread, of %zu", count);
    for (size_t i = 0; i < count; i++) {
        if (!sg_is_within_spread(&all[i]))
            continue;
        sg_text_addf(out, "%s%s", before, all[i].metric->name);
        add_in_brackets(out, &all[i]);
        before = ", ";
    }
    free(all);
}

void sg_add_non_repeatable(struct sg_text *out, const struct sg_diagnosed *what)
{
    struct sg_moved *all = sg_alloc(what->catalogue->count, sizeof(*all));
    const size_t count = sg_diagnose_all(what, all);
    const char *before = "exact counters that do not repeat: ";
    for (size_t i = 0; i < count; i++)
        if (all[i].non_repeatable) {
            sg_text_addf(out, "%s%s", before, all[i].metric->name);
            before = ", ";
        }
    free(all);
}

void sg_add_knobs(struct sg_text *out, const struct sg_diagnosed *what)
{
    const char *before = "set otherwise: ";
    const struct sg_row_range span = sg_table_variant(what->now, what->family, what->case_, what->variant);
    for (size_t i = span.from; i < span.to; i++) {
        const struct sg_value now = sg_value_of(what->now, &what->now->rows[i]);
        if (strncmp(now.metric, SG_KNOB_PREFIX, strlen(SG_KNOB_PREFIX)) != 0)
            continue;
        const struct sg_row *then = sg_table_find(what->then, what->family, what->case_, what->other, now.metric);
        if (!then || then->value == now.value)
            continue;
        sg_text_addf(out, "%s%s %.9g -> %.9g", before, now.metric + strlen(SG_KNOB_PREFIX), then->value, now.value);
        before = ", ";
    }
}
