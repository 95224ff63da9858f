#include "nightly/decide.h"

#include <math.h>
#include <string.h>

#include "results/row_kind.h"
#include "stats/sequential.h"
#include "stats/statistics.h"

/* A GPU that is slower in all rows: least rows, and least median of their changes, ln. */
#define MOVED_ROWS  5
#define MOVED_LEAST 0.005

static bool is_judged_by_time(const struct sg_finding *finding)
{
    return finding->gates && !isnan(finding->se) && !sg_row_is_energy(finding->metric);
}

static bool can_be_measured_on(const struct sg_finding *finding)
{
    return finding->gates && !isnan(finding->se) &&
           finding->processes < SG_SEQUENTIAL_PROCESSES_MAX;
}

static const struct sg_night_item *item_of(const struct sg_finding *finding,
                                           const struct sg_night_items *items)
{
    return sg_night_items_find(items, SG_NAMES(*finding));
}

/* Why the row is slower in some processes; NULL: no sign of that. */
static const char *why_wide(const struct sg_finding *finding, const struct sg_night_items *items)
{
    const struct sg_night_item *item = is_judged_by_time(finding) ? item_of(finding, items) : NULL;
    return item ? item->why_wide : NULL;
}

/* Is the row timed, not the accepted build itself, and without a usual spread? */
static bool is_unspread(const struct sg_finding *finding, const struct sg_night_items *items)
{
    const struct sg_night_item *item = item_of(finding, items);
    return is_judged_by_time(finding) && finding->accepted != SG_IDENTICAL &&
           !(item && item->has_usual);
}

enum sg_nightly_class sg_nightly_class_of(const struct sg_finding *finding,
                                          const struct sg_night_items *items)
{
    if (!finding->gates)
        return SG_NIGHTLY_GOOD;
    if (finding->accepted != SG_REGRESSED && why_wide(finding, items))
        return SG_NIGHTLY_SUSPECT;
    const enum sg_nightly_class night = sg_verdict_row(finding->accepted)->night;
    return night == SG_NIGHTLY_REGRESSED && can_be_measured_on(finding) ? SG_NIGHTLY_SUSPECT
                                                                        : night;
}

/* Is the value of any timed row off, whether the row gates or not? */
static bool is_off(const struct sg_finding *finding, const struct sg_night_items *items)
{
    const struct sg_night_item *item = item_of(finding, items);
    return item && item->is_off && !isnan(finding->se) &&
           finding->processes < SG_SEQUENTIAL_PROCESSES_MAX;
}

void sg_nightly_open_items(const struct sg_comparison *comparison,
                           const struct sg_night_items *items, struct sg_names *open)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        const enum sg_nightly_class class_ = sg_nightly_class_of(&finding, items);
        /* More processes do not help an unresolved row without a pair: its accepted number limits
         * it. */
        const bool is_limited =
            class_ == SG_NIGHTLY_UNRESOLVED && strcmp(finding.metric, SG_BUILD_RATIO_METRIC) != 0;
        const bool is_open = class_ != SG_NIGHTLY_GOOD && class_ != SG_NIGHTLY_FAULTY &&
                             !is_limited && can_be_measured_on(&finding);
        SG_FORMATTED(name, "%s/%s/%s", SG_NAMES(finding));
        if ((is_open || is_off(&finding, items)) && !sg_names_have(open, name.data))
            sg_names_add(open, name.data);
    }
}

static void make_suspect(struct sg_comparison *comparison, size_t at, const char *why_wide)
{
    struct sg_finding finding = sg_finding_at(comparison, at);
    comparison->by_verdict[finding.accepted] -= finding.gates;
    if (finding.accepted == SG_REGRESSED)
        finding.why = sg_reason(comparison, "%s; a suspect after %u of %d processes", finding.why,
                                finding.processes, SG_SEQUENTIAL_PROCESSES_MAX);
    if (why_wide)
        finding.why =
            sg_reason(comparison, "%s%s%s", finding.why, *finding.why ? "; " : "", why_wide);
    finding.shared = NULL;
    finding.accepted = SG_INCONCLUSIVE;
    comparison->by_verdict[SG_INCONCLUSIVE] += finding.gates;
    sg_finding_put(comparison, at, &finding);
}

size_t sg_nightly_judge(struct sg_comparison *comparison, const struct sg_night_items *items)
{
    size_t unspread = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        const char *wide = finding.gates ? why_wide(&finding, items) : NULL;
        unspread += is_unspread(&finding, items);
        if (sg_nightly_class_of(&finding, items) == SG_NIGHTLY_SUSPECT &&
            (wide || finding.accepted != SG_INCONCLUSIVE))
            make_suspect(comparison, i, wide);
    }
    return unspread;
}

void sg_nightly_add_moved(const struct sg_comparison *comparison, struct sg_text *out)
{
    SG_FREED double *moved = sg_alloc(comparison->count + 1, sizeof(*moved));
    struct sg_finding build = {.variant = "", .case_ = ""}; /* the last one of this item */
    size_t count = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        if (strcmp(finding.metric, SG_BUILD_RATIO_METRIC) == 0)
            build = finding;
        else if (strcmp(finding.metric, "time") == 0 && isfinite(finding.change - build.change) &&
                 strcmp(finding.variant, build.variant) == 0 &&
                 strcmp(finding.case_, build.case_) == 0)
            moved[count++] = log1p(finding.change) - log1p(build.change);
    }
    const double median = count >= MOVED_ROWS ? sg_median(moved, count) : 0;
    if (fabs(median) >= MOVED_LEAST)
        sg_text_addf(out,
                     "%sthe times of accepted builds changed by %+.2g %% at the same clock "
                     "(median of %zu rows): the GPU or the driver changed",
                     out->length > 0 ? "; " : "", 100 * expm1(median), count);
}

int sg_nightly_run_exit(int run_exit, int compare_exit, size_t waived)
{
    return compare_exit == SG_EXIT_DONE && waived > 0 ? SG_EXIT_DONE : run_exit;
}

void sg_nightly_counts(const struct sg_nightly_total *total, struct sg_text *out)
{
    sg_text_addf(out, "nightly: %zu suite%s, ", total->suites, SG_PLURAL(total->suites));
    sg_headline_add_counts(out, &total->headline, "row");
    if (total->unspread > 0)
        sg_text_addf(out,
                     ", %zu row%s with fewer than ten earlier nightly runs, so a row that is slow "
                     "only in some processes may pass",
                     total->unspread, SG_PLURAL(total->unspread));
    if (total->left_out > 0)
        sg_text_addf(out, ", %zu suite%s not started: the time budget was exhausted",
                     total->left_out, SG_PLURAL(total->left_out));
    sg_text_addf(out, "; history: %s", total->history ? total->history : "none is kept");
}
