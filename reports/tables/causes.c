/* Why a row is slow, in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/knobs.h"
#include "reports/tables/ranking.h"

/* Slower than accepted, maybe inconclusively. An inconclusive row that is significantly slower
 * than its baseline variant is explained relative to that variant instead. */
static bool is_explained_by_accepted(const struct sg_finding *finding)
{
    return finding->accepted == SG_REGRESSED ||
           (finding->accepted == SG_INCONCLUSIVE && finding->baseline != SG_REGRESSED);
}

struct sg_diagnosed sg_diagnosed_of(const struct sg_report_input *input,
                                    const struct sg_finding *finding, const struct sg_table *then,
                                    const char *other)
{
    return (struct sg_diagnosed){
        .catalogue = input->catalogue,
        .gpu = input->gpu,
        .then = then,
        .now = input->run,
        .accepted =
            input->accepted && then == &input->accepted->table ? input->accepted->accepted : NULL,
        .family = finding->family,
        .case_ = finding->case_,
        .other = other,
        .variant = finding->variant,
        .added = NAN,
        .added_error = NAN,
    };
}

void sg_find_causes_of(const struct sg_diagnosed *what, struct sg_causes *causes)
{
    struct sg_err err = {0};
    struct sg_text trouble = {0}; /* plain data, released at the end of the process */
    causes->what = *what;
    sg_diagnose_sides(what, &causes->sides);
    if (sg_mechanisms_load(&err) != SG_SUCCESS)
        sg_text_addf(&trouble, "%s: %s", err.where, err.message);
    sg_causes_find(&causes->sides, &causes->found);
    if (trouble.data)
        causes->found = (struct sg_found){.split.why_not = trouble.data};
}

void sg_find_causes(const struct sg_report_input *input, const struct sg_finding *finding,
                    struct sg_causes *causes)
{
    struct sg_diagnosed what;
    *causes = (struct sg_causes){.against = ""};
    if (!input->catalogue || !input->run || !sg_is_time(finding))
        return;
    if (is_explained_by_accepted(finding) && input->accepted && input->accepted->table.count > 0) {
        what = sg_diagnosed_of(input, finding, &input->accepted->table, finding->variant);
        what.added = finding->change; /* as judged, including its clock correction */
        what.added_error = (finding->high - finding->low) / 2;
        snprintf(causes->against, sizeof(causes->against), "%s", "accepted");
    } else if (finding->baseline == SG_REGRESSED || finding->baseline == SG_INCONCLUSIVE) {
        const char *other = sg_paired_with(input->run, SG_NAMES(*finding));
        if (!other)
            return;
        what = sg_diagnosed_of(input, finding, input->run, other);
        sg_diagnose_added(&what);
        snprintf(causes->against, sizeof(causes->against), "%s", other);
    } else {
        return;
    }
    sg_find_causes_of(&what, causes);
}

/* Metrics in percent change by points, and stalls by warp cycles: a percentage of either would be
 * ambiguous. */
void sg_add_metric_change(struct sg_text *out, const char *metric, const char *unit, double was,
                          double is)
{
    const struct sg_metric_shown shown = sg_metric_shown(metric, unit);
    if (isnan(was) || isnan(is))
        return;
    if (strcmp(unit, "%") == 0)
        sg_text_addf(out, "%+.3g %s", (is - was) * shown.factor,
                     shown.factor == 1 ? "points" : shown.unit);
    else if (was == 0)
        sg_text_add(out, "from 0");
    else
        sg_add_change(out, is / was - 1);
}

void sg_add_difference(struct sg_text *out, const struct sg_counter_change *moved)
{
    const struct sg_metric_shown shown = sg_metric_shown(moved->metric->name, moved->metric->unit);
    const bool in_percent = strcmp(moved->metric->unit, "%") == 0;
    const char *unit = strcmp(shown.unit, "%") == 0 ? "point" : shown.unit;
    if (isnan(moved->spread) || (moved->metric->klass == SG_EXACT && !moved->non_repeatable)) {
        sg_add_metric_change(out, moved->metric->name, moved->metric->unit, moved->was, moved->is);
        return;
    }
    sg_text_add(out, moved->difference < 0 ? "-" : "+");
    sg_add_rough(out, fabs(moved->difference) * shown.factor, 3, in_percent ? "1" : unit);
    sg_text_add(out, " +- ");
    sg_add_rough(out, moved->spread * shown.factor, 2, unit);
    sg_text_add(out, moved->non_repeatable ? ", does not repeat" : "");
}

/* Adds "128 -> 256 requests, +100 %". */
static void add_from_to(struct sg_text *out, const struct sg_metric *metric, double was, double is)
{
    const struct sg_metric_shown shown = sg_metric_shown(metric->name, metric->unit);
    SG_SCOPED(sg_text) then = {0}, now = {0};
    sg_add_value(&then, was * shown.factor, shown.unit);
    sg_add_value(&now, is * shown.factor, shown.unit);
    const char *unit = strchr(then.data, ' '), *of_now = strchr(now.data, ' ');
    const bool is_same = unit && of_now && strcmp(unit, of_now) == 0;
    sg_text_add_bytes(out, then.data, is_same ? (size_t)(unit - then.data) : then.length);
    sg_text_addf(out, " -> %s", now.data);
    if (strcmp(metric->unit, "%") != 0 && was != 0) {
        sg_text_add(out, ", ");
        sg_add_change(out, is / was - 1);
    }
}

void sg_add_points(struct sg_text *out, double points, bool is_signed)
{
    if (isnan(points))
        return;
    if (is_signed)
        sg_text_add(out, points < 0 ? "-" : "+");
    sg_text_addf(out, fabs(points) < 99.95 ? "%.1f" : "%.0f", fabs(points));
}

void sg_add_cause_name(struct sg_text *out, const struct sg_causes *causes,
                       const struct sg_cause *cause)
{
    const struct sg_diagnosed *what = &causes->what;
    if (!cause->mechanism)
        sg_text_addf(out, "%s: %s", cause->points < 0 ? "saved elsewhere, mostly" : "not explained",
                     sg_places[cause->place].name);
    else
        sg_text_add(out, cause->mechanism->name);
    if (!cause->mechanism || cause->mechanism->evidence[0] != SG_occupancy_theoretical)
        return;
    const char *limit = sg_table_string(
        what->now, sg_table_find(what->now, SG_NAMES(*what), "occupancy_theoretical")->message);
    if (*limit)
        sg_text_addf(out, ", %s", limit);
}

void sg_add_evidence(struct sg_text *out, const struct sg_causes *causes,
                     const struct sg_cause *cause)
{
    const char *before = "";
    for (size_t i = 0;
         cause->mechanism && i < SG_EVIDENCE_MAX && cause->mechanism->evidence[i] != SG_NO_INPUT;
         i++) {
        const enum sg_input input = cause->mechanism->evidence[i];
        const struct sg_metric *metric =
            sg_catalogue_find(causes->what.catalogue, sg_input_name(input));
        const double was = causes->sides.value[SG_WAS][input],
                     is = causes->sides.value[SG_IS][input];
        if (!metric || !sg_has(&causes->sides, input) || was == is)
            continue;
        sg_text_addf(out, "%s%s ", before, metric->name);
        add_from_to(out, metric, was, is);
        before = "; ";
    }
}

void sg_add_cause(struct sg_text *out, const struct sg_causes *causes, const struct sg_cause *cause)
{
    const bool is_split = !isnan(cause->points);
    SG_SCOPED(sg_text) evidence = {0};
    sg_add_cause_name(out, causes, cause);
    sg_text_add(out, cause->mechanism ? ": " : ", ");
    sg_text_add(out, is_split ? "" : "up to ");
    sg_add_points(out, cause->points, true);
    sg_text_add(out, is_split ? " of " : "");
    sg_add_points(out, causes->found.split.added, false);
    sg_text_add(out, is_split ? " points (+-" : " points");
    sg_add_points(out, cause->error, false);
    sg_text_add(out, is_split ? ")" : "");
    if (cause->mechanism)
        sg_text_addf(out, ": %s", cause->mechanism->says);
    sg_add_evidence(&evidence, causes, cause);
    if (evidence.length > 0)
        sg_text_addf(out, "; %s", evidence.data);
}

/* Lists counters that changed by more than their floor, but not by more than their spread. */
static void add_unmoved(struct sg_text *out, const struct sg_counter_change *all, size_t count)
{
    const char *before = "; beyond the floor alone: ";
    sg_text_addf(out, "no counter moved beyond its floor and its spread, of %zu", count);
    for (size_t i = 0; i < count; i++) {
        if (!sg_is_within_spread(&all[i]))
            continue;
        sg_text_addf(out, "%s%s (", before, all[i].metric->name);
        sg_add_difference(out, &all[i]);
        sg_text_add(out, ")");
        before = ", ";
    }
}

void sg_add_no_cause(struct sg_text *out, const struct sg_causes *causes)
{
    const struct sg_diagnosed *what = &causes->what;
    const char *why_not = causes->found.split.why_not;
    const bool is_slower_surely = what->added > 0 && !(what->added <= what->added_error);
    struct sg_counter_change *all = sg_alloc(what->catalogue->count, sizeof(*all)), first;
    const size_t count = sg_diagnose_all(what, all);
    size_t counted = 0;
    for (size_t i = 0; i < count; i++)
        counted += all[i].metric->source->of_device;
    if (count > 0 && counted == 0 && is_slower_surely)
        sg_text_add(out, "only its launch was counted, so no cause can be found");
    else if (count > 0 && sg_diagnose(what, &first, 1) == 0)
        add_unmoved(out, all, count);
    else if (count > 0 && is_slower_surely)
        sg_text_addf(out, "no cause is found: %s%s",
                     why_not ? "its time is not split, because " : "no place grew beyond its error",
                     why_not ? why_not : "");
}

void sg_add_non_repeatable(struct sg_text *out, const struct sg_diagnosed *what)
{
    SG_FREED struct sg_counter_change *all = sg_alloc(what->catalogue->count, sizeof(*all));
    const size_t count = sg_diagnose_all(what, all);
    const char *before = "exact counters that do not repeat: ";
    for (size_t i = 0; i < count; i++)
        if (all[i].non_repeatable) {
            sg_text_addf(out, "%s%s", before, all[i].metric->name);
            before = ", ";
        }
}

void sg_add_knobs(struct sg_text *out, const struct sg_diagnosed *what)
{
    const char *before = "settings that differ: ";
    const struct sg_row_range span = sg_table_variant(what->now, SG_NAMES(*what));
    for (size_t i = span.from; i < span.to; i++) {
        const struct sg_value now = sg_value_of(what->now, &what->now->rows[i]);
        if (strncmp(now.metric, SG_KNOB_PREFIX, strlen(SG_KNOB_PREFIX)) != 0)
            continue;
        const struct sg_row *then =
            sg_table_find(what->then, what->family, what->case_, what->other, now.metric);
        if (!then || then->value == now.value)
            continue;
        sg_text_addf(out, "%s%s %.9g -> %.9g", before, now.metric + strlen(SG_KNOB_PREFIX),
                     then->value, now.value);
        before = ", ";
    }
}
