#include "baseline/accept.h"

#include <math.h>
#include <stdlib.h>

#include "baseline/accept_internal.h"

static int worst_first(const void *left, const void *right)
{
    const struct sg_accept_line *a = left, *b = right;
    if (a->is_worse != b->is_worse)
        return a->is_worse ? -1 : 1;
    if (a->harm != b->harm)
        return a->harm > b->harm ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* The lines of all changes, before those of waivers. */
static void sort_lines(struct sg_accept_report *report)
{
    struct sg_text text = {0};
    if (report->line_count > 0)
        qsort(report->lines, report->line_count, sizeof(*report->lines), worst_first);
    for (size_t i = 0; i < report->line_count; i++) {
        if (report->lines[i].is_shown)
            sg_text_addf(&text, "%s\n", report->lines[i].text);
    }
    sg_text_add(&text, sg_text_string(&report->changes));
    sg_text_release(&report->changes);
    report->changes = text;
}

static void open_merge(struct sg_merge *merge)
{
    static const struct sg_table no_table = {0};
    const struct sg_accept_options *options = merge->options;
    merge->tables = options->run_count + 1;
    merge->tolerance_max = sg_env_tolerance_max(options->runs[options->run_count - 1].env);
    merge->table = sg_alloc(merge->tables, sizeof(const struct sg_table *));
    merge->at = sg_alloc(merge->tables, sizeof(*merge->at));
    merge->table[0] = options->old ? &options->old->table : &no_table;
    for (size_t i = 0; i < options->run_count; i++)
        merge->table[i + 1] = options->runs[i].table;
    sg_accept_batches_init(&merge->batches, options->runs, options->run_count);
    sg_merge_find_origins(merge);
}

static void close_merge(struct sg_merge *merge)
{
    sg_env_release(&merge->origins);
    sg_accept_batches_release(&merge->batches);
    sg_intern_pool_free(merge->failing);
    free(merge->is);
    free(merge->was);
    free(merge->units);
    free(merge->unit);
    free(merge->at);
    free(merge->table);
}

#define NAMED_MAX 5 /* rows that a complaint names; more are counted */

static enum sg_code fail_unexplained(const struct sg_accept_options *options, const struct sg_accept_report *report, struct sg_err *err)
{
    struct sg_text rows = {0};
    size_t named = 0;
    for (size_t i = 0; i < report->line_count && named < NAMED_MAX; i++)
        if (report->lines[i].is_worse && !report->lines[i].has_reason)
            sg_text_addf(&rows, "%s%s", named++ > 0 ? "; " : "", report->lines[i].text);
    if (named < report->unexplained)
        sg_text_addf(&rows, "; and %zu more", report->unexplained - named);
    sg_fail(err, SG_BAD_USAGE, "baseline accept", "%zu accepted numbers get worse (%s): %s", report->unexplained, rows.data,
            options->waive.count > 0 ? "the reason of a waiver is that of its item alone: accept these first, by --family, --case or "
                                       "--variant, with a --reason of their own"
                                     : "say why with --reason=TEXT");
    sg_text_release(&rows);
    return err->code;
}

enum sg_code sg_baseline_accept(const struct sg_accept_options *options, struct sg_accepted_file *fresh, struct sg_accept_report *report,
                                struct sg_err *err)
{
    struct sg_merge merge = {.options = options, .fresh = fresh, .report = report};
    *fresh = (struct sg_accepted_file){0};
    *report = (struct sg_accept_report){0};
    sg_table_init(&fresh->table);
    if (sg_accept_check_runs(options, err) != SG_SUCCESS)
        return err->code;
    open_merge(&merge);
    sg_merge_terms(&merge);
    sg_merge_rows(&merge, err);
    sg_merge_set_env(&merge, &fresh->env);
    sort_lines(report);
    report->units = merge.origin.units;
    close_merge(&merge);
    return err->code == SG_SUCCESS && report->unexplained > 0 ? fail_unexplained(options, report, err) : err->code;
}

void sg_accept_report_release(struct sg_accept_report *report)
{
    sg_text_release(&report->changes);
    for (size_t i = 0; i < report->line_count; i++)
        free(report->lines[i].text);
    free(report->lines);
    *report = (struct sg_accept_report){0};
}

/* One run knows neither what days differ by nor how its times go with the clock: it
 * is compared interval by interval. */
static void forget_guesses(struct sg_accepted_file *baseline)
{
    for (size_t i = 0; i < baseline->table.count; i++) {
        struct sg_accepted *accepted = &baseline->accepted[i];
        accepted->beta = accepted->sd_process = accepted->sd_day = NAN;
        accepted->expect = accepted->reason = sg_table_intern(&baseline->table, "");
    }
}

enum sg_code sg_baseline_from_run(struct sg_run *run, const struct sg_catalogue *catalogue, struct sg_accepted_file *baseline,
                                  struct sg_err *err)
{
    const struct sg_accept_run one = {.path = run->folder, .table = &run->table, .env = &run->env};
    const struct sg_accept_options options = {.runs = &one, .run_count = 1, .catalogue = catalogue, .stands_in = true};
    struct sg_accept_report report = {0};
    if (sg_baseline_accept(&options, baseline, &report, err) == SG_SUCCESS) {
        forget_guesses(baseline);
        sg_env_release(&baseline->env);
        baseline->env = run->env;
        run->env = (struct sg_env){0};
        sg_env_set(&baseline->env, SG_ACCEPTED_PLAN_KEY, sg_env_get(&baseline->env, SG_SELECTION_KEY) ? SG_PLAN_PARTIAL : SG_PLAN_WHOLE);
        baseline->path = sg_copy_string(run->folder);
    }
    sg_accept_report_release(&report);
    sg_run_release(run);
    return err->code;
}
