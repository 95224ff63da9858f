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
    return finding->gates && !isnan(finding->se);
}

static bool can_be_measured_on(const struct sg_finding *finding)
{
    return is_judged_by_time(finding) && finding->processes < SG_SEQUENTIAL_PROCESSES_MAX;
}

static void add_name(struct sg_text *name, const struct sg_finding *finding)
{
    sg_text_addf(name, "%s/%s/%s", SG_NAMES(*finding));
}

/* Why the row is slower in some processes; NULL: no sign of that. */
static const char *why_wide(const struct sg_finding *finding,
                            const struct sg_nightly_spreads *spreads)
{
    const char *why = NULL;
    SG_SCOPED(sg_text) name = {0};
    if (spreads->wide.count == 0 || !is_judged_by_time(finding))
        return NULL;
    add_name(&name, finding);
    for (size_t i = 0; i < spreads->wide.count; i++)
        if (strcmp(spreads->wide.items[i], name.data) == 0)
            why = spreads->why.items[i];
    return why;
}

/* Is the row timed, not the accepted build itself, and without a usual spread from earlier nightly
 * runs? */
static bool is_unspread(const struct sg_finding *finding, const struct sg_nightly_spreads *spreads)
{
    return is_judged_by_time(finding) && finding->accepted != SG_IDENTICAL &&
           !sg_usual_spreads_find(&spreads->usual, SG_NAMES(*finding));
}

enum sg_nightly_class sg_nightly_class_of(const struct sg_finding *finding,
                                          const struct sg_nightly_spreads *spreads)
{
    if (!finding->gates)
        return SG_NIGHTLY_GOOD;
    if (finding->accepted != SG_REGRESSED && why_wide(finding, spreads))
        return SG_NIGHTLY_SUSPECT;
    const enum sg_nightly_class night = sg_verdict_row(finding->accepted)->night;
    return night == SG_NIGHTLY_REGRESSED && can_be_measured_on(finding) ? SG_NIGHTLY_SUSPECT
                                                                        : night;
}

/* Is the row's value off? True for any timed row, whether the row gates or not. */
static bool is_off(const struct sg_finding *finding, const char *name,
                   const struct sg_nightly_spreads *spreads)
{
    return !isnan(finding->se) && finding->processes < SG_SEQUENTIAL_PROCESSES_MAX &&
           sg_names_have(&spreads->off, name);
}

void sg_nightly_open_items(const struct sg_comparison *comparison,
                           const struct sg_nightly_spreads *spreads, struct sg_names *items)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        const enum sg_nightly_class class_ = sg_nightly_class_of(&finding, spreads);
        /* More processes do not help an unresolved row without a pair: its accepted number limits
         * it. */
        const bool is_limited =
            class_ == SG_NIGHTLY_UNRESOLVED && strcmp(finding.metric, SG_BUILD_RATIO_METRIC) != 0;
        const bool is_open = class_ != SG_NIGHTLY_GOOD && class_ != SG_NIGHTLY_FAULTY &&
                             !is_limited && can_be_measured_on(&finding);
        SG_SCOPED(sg_text) name = {0};
        add_name(&name, &finding);
        if ((is_open || is_off(&finding, name.data, spreads)) && !sg_names_have(items, name.data))
            sg_names_add(items, name.data);
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

size_t sg_nightly_judge(struct sg_comparison *comparison, const struct sg_nightly_spreads *spreads)
{
    size_t unspread = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        const char *wide = finding.gates ? why_wide(&finding, spreads) : NULL;
        unspread += is_unspread(&finding, spreads);
        if (sg_nightly_class_of(&finding, spreads) == SG_NIGHTLY_SUSPECT &&
            (wide || finding.accepted != SG_INCONCLUSIVE))
            make_suspect(comparison, i, wide);
    }
    return unspread;
}

/* ln, how much longer the accepted build of finding `at` took than when it was accepted. */
static double moved_of(const struct sg_comparison *comparison, size_t at)
{
    const struct sg_finding build = sg_finding_at(comparison, at);
    for (size_t i = at + 1; i < comparison->count; i++) {
        const struct sg_finding time = sg_finding_at(comparison, i);
        if (strcmp(time.variant, build.variant) != 0 || strcmp(time.case_, build.case_) != 0)
            break;
        if (strcmp(time.metric, "time") == 0)
            return log1p(time.change) - log1p(build.change);
    }
    return NAN;
}

void sg_nightly_add_moved(const struct sg_comparison *comparison, struct sg_text *out)
{
    SG_FREED double *moved = sg_alloc(comparison->count + 1, sizeof(*moved));
    size_t count = 0;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        const double ln =
            strcmp(finding.metric, SG_BUILD_RATIO_METRIC) == 0 ? moved_of(comparison, i) : NAN;
        if (!isnan(ln))
            moved[count++] = ln;
    }
    const double median = count >= MOVED_ROWS ? sg_median(moved, count) : 0;
    if (fabs(median) >= MOVED_LEAST)
        sg_text_addf(out,
                     "the times of accepted builds changed by %+.2g %% at the same clock (median "
                     "of %zu rows): the GPU or the driver changed",
                     100 * expm1(median), count);
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
