#include "nightly/decide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/headline.h"
#include "stats/sequential.h"
#include "util/escape.h"

static const struct {
    const char *words, *title;
} classes[SG_NIGHTLY_CLASSES] = {
#define X(constant, words, title) [constant] = {words, title},
    SG_NIGHTLY_CLASS_TABLE(X)
#undef X
};

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
        const bool is_open = class_ != SG_NIGHTLY_GOOD && class_ != SG_NIGHTLY_FAULTY &&
                             can_be_measured_on(&finding);
        SG_SCOPED(sg_text) name = {0};
        add_name(&name, &finding);
        if ((is_open || is_off(&finding, name.data, spreads)) && !sg_names_have(items, name.data))
            sg_names_add(items, name.data);
    }
}

/* The findings with the verdicts of the nightly run: a suspect is inconclusive. */
static struct sg_finding *judge_rows(const struct sg_comparison *comparison,
                                     const struct sg_nightly_spreads *spreads,
                                     struct sg_nightly_suite *suite, size_t *by_verdict)
{
    struct sg_finding *findings = sg_alloc(comparison->count, sizeof(*findings));
    for (size_t i = 0; i < comparison->count; i++) {
        struct sg_finding *finding = &findings[i];
        *finding = sg_finding_at(comparison, i);
        const enum sg_nightly_class class_ = sg_nightly_class_of(finding, spreads);
        suite->unspread += is_unspread(finding, spreads);
        if (!finding->gates)
            continue;
        suite->rows[class_] += !(sg_verdict_row(finding->accepted)->bits & SG_DECLARED);
        if (class_ != SG_NIGHTLY_SUSPECT)
            continue;
        by_verdict[finding->accepted]--;
        finding->accepted = SG_INCONCLUSIVE;
        by_verdict[SG_INCONCLUSIVE]++;
    }
    return findings;
}

void sg_nightly_judge(const struct sg_report_input *input, const struct sg_nightly_spreads *spreads,
                      struct sg_nightly_suite *suite)
{
    const struct sg_comparison *comparison = input->comparison;
    struct sg_comparison judged = *comparison; /* borrowed, except its findings and counts */
    struct sg_report_input by_night = *input;
    *suite = (struct sg_nightly_suite){.untimed = comparison->untimed,
                                       .paired = comparison->paired,
                                       .unpaired = comparison->unpaired,
                                       .not_gated = comparison->by_verdict[SG_NOT_GATED]};
    judged.findings = judge_rows(comparison, spreads, suite, judged.by_verdict);
    by_night.comparison = &judged;
    by_night.options.inconclusive_fails = true;
    sg_headline_of(&by_night, &suite->headline);
    free(judged.findings);
}

int sg_nightly_run_exit(int run_exit, int compare_exit, size_t waived)
{
    return compare_exit == SG_EXIT_DONE && waived > 0 ? SG_EXIT_DONE : run_exit;
}

static void list_row(const struct sg_finding *finding, const char *why_wide, struct sg_text *out)
{
    SG_SCOPED(sg_text) line = {0};
    sg_text_addf(&line, "%s/%s/%s %s ", SG_NAMES(*finding), finding->metric);
    if (isfinite(finding->low) && isfinite(finding->high))
        sg_text_addf(&line, "%+.2f %% [%+.2f, %+.2f], tolerance %.3g %%, %u processes",
                     100 * finding->change, 100 * finding->low, 100 * finding->high,
                     100 * finding->tolerance, finding->processes);
    else
        sg_text_addf(&line, "by any amount: %s", finding->why);
    if (why_wide)
        sg_text_addf(&line, "; %s", why_wide);
    sg_text_add(out, "  ");
    sg_add_wrapped(out, line.data, 4, 2);
    sg_text_add(out, "\n");
}

void sg_nightly_list(const struct sg_comparison *comparison,
                     const struct sg_nightly_spreads *spreads, struct sg_text *out)
{
    for (enum sg_nightly_class class_ = SG_NIGHTLY_REGRESSED; class_ < SG_NIGHTLY_GOOD; class_++) {
        if (!*classes[class_].title) /* the comparison lists these, with reasons */
            continue;
        bool has_title = false;
        for (size_t i = 0; i < comparison->count; i++) {
            const struct sg_finding finding = sg_finding_at(comparison, i);
            if (sg_nightly_class_of(&finding, spreads) != class_)
                continue;
            if (!has_title)
                sg_text_addf(out, "%s:\n", classes[class_].title);
            has_title = true;
            list_row(&finding, why_wide(&finding, spreads), out);
        }
    }
}

void sg_nightly_add(struct sg_nightly_total *total, const struct sg_nightly_suite *suite)
{
    for (size_t i = 0; i < SG_NIGHTLY_CLASSES; i++)
        total->rows[i] += suite->rows[i];
    total->untimed += suite->untimed;
    total->paired += suite->paired;
    total->unpaired += suite->unpaired;
    total->not_gated += suite->not_gated;
    total->unspread += suite->unspread;
    sg_headline_merge(&total->headline, &suite->headline);
}

/* Adds how many rows are paired, and that the others have only accepted numbers. The comparison of
 * their suite says why, and what would pair them. */
static void add_paired(const struct sg_nightly_total *total, struct sg_text *out)
{
    if (total->paired + total->unpaired == 0)
        return;
    sg_text_addf(out, ", %zu of %zu paired with the accepted build", total->paired,
                 total->paired + total->unpaired);
    if (total->unpaired == 0)
        return;
    sg_text_addf(out, ", %zu judged by accepted numbers alone", total->unpaired);
    if (total->not_gated > 0)
        sg_text_addf(out, ", which cannot judge %zu row%s", total->not_gated,
                     SG_PLURAL(total->not_gated));
}

static void add_classes(const struct sg_nightly_total *total, struct sg_text *out)
{
    const char *before = ": ";
    size_t rows = 0;
    for (size_t i = 0; i < SG_NIGHTLY_CLASSES; i++)
        rows += total->rows[i];
    sg_text_addf(out, "%zu row%s", rows, SG_PLURAL(rows));
    for (size_t i = 0; i < SG_NIGHTLY_CLASSES; i++) {
        if (total->rows[i] == 0)
            continue;
        sg_text_addf(out, "%s%zu %s", before, total->rows[i], classes[i].words);
        before = ", ";
    }
}

void sg_nightly_counts(const struct sg_nightly_total *total, struct sg_text *out)
{
    sg_text_addf(out, "nightly: %zu suite%s, ", total->suites, SG_PLURAL(total->suites));
    add_classes(total, out);
    if (total->untimed > 0)
        sg_text_addf(out, ", identical, not timed: %zu", total->untimed);
    add_paired(total, out);
    if (total->unspread > 0)
        sg_text_addf(out,
                     ", %zu row%s with fewer than ten earlier nightly runs: slow states of some "
                     "processes may be missed",
                     total->unspread, SG_PLURAL(total->unspread));
    if (total->left_out > 0)
        sg_text_addf(out, ", %zu suite%s not started: the time budget was exhausted",
                     total->left_out, SG_PLURAL(total->left_out));
    sg_text_addf(out, "; history: %s", total->history ? total->history : "none is kept");
}
