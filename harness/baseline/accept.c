#include "baseline/accept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/accept_internal.h"
#include "compare/compare.h"
#include "results/settings.h"
#include "results/terms.h"

/* ---- checks that the runs may be accepted together ---- */

const struct sg_accept_run *sg_last_run(const struct sg_accept_options *options)
{
    return &options->runs[options->run_count - 1];
}

/* The numbers of a GPU have one L2 state, which would be wrong for the rows that stay. */
static enum sg_code check_old(const struct sg_env *run, const struct sg_accepted_file *old,
                              struct sg_err *err)
{
    SG_SCOPED(sg_text) is = {0}, was = {0};
    const struct sg_setting *other = sg_settings_unequal(run, &old->env, &is, &was);
    return other ? sg_accept_fail_other(old, other->key, sg_text_string(&is), sg_text_string(&was),
                                        err)
                 : SG_SUCCESS;
}

enum sg_code sg_accept_fail_other(const struct sg_accepted_file *old, const char *key,
                                  const char *is, const char *was, struct sg_err *err)
{
    return sg_fail(err, SG_NOT_COMPARABLE, old->path,
                   "not comparable: %s is '%s' in the run, '%s' in the accepted numbers; "
                   "--out=FILE writes elsewhere",
                   key, is, was);
}

static enum sg_code check_together(const struct sg_accept_run *run,
                                   const struct sg_accept_run *last, struct sg_err *err)
{
    static const char *const keys[] = {"suite", "time_source"};
    if (run->table->count == 0)
        return sg_fail(err, SG_INVALID, run->path, "the run has no rows: nothing was measured");
    if (sg_env_why_invalid(run->env))
        return sg_fail(err, SG_INVALID, run->path, "%s", sg_env_why_invalid(run->env));
    if (run == last || sg_check_comparable(run->env, last->env, run->path, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strcmp(sg_env_word(run->env, keys[i]), sg_env_word(last->env, keys[i])) != 0)
            return sg_fail(err, SG_NOT_COMPARABLE, run->path,
                           "not comparable: %s is '%s' here, '%s' in %s", keys[i],
                           sg_env_word(run->env, keys[i]), sg_env_word(last->env, keys[i]),
                           last->path);
    return SG_SUCCESS;
}

static bool is_same_row(const struct sg_value *a, const struct sg_value *b)
{
    return strcmp(a->metric, b->metric) == 0 && strcmp(a->variant, b->variant) == 0 &&
           strcmp(a->case_, b->case_) == 0 && strcmp(a->family, b->family) == 0 &&
           a->has == b->has && a->status == b->status && a->n == b->n &&
           (!(a->has & SG_HAS_VALUE) || a->value == b->value) &&
           strcmp(a->message, b->message) == 0;
}

/* Detects a copy of a run: no two runs measure the same times. */
static bool is_same_run(const struct sg_table *a, const struct sg_table *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++) {
        const struct sg_value x = sg_value_of(a, &a->rows[i]), y = sg_value_of(b, &b->rows[i]);
        same = is_same_row(&x, &y);
    }
    return same;
}

static enum sg_code check_once(const struct sg_accept_options *options, struct sg_err *err)
{
    for (size_t i = 0; i < options->run_count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same_run(options->runs[i].table, options->runs[k].table))
                return sg_fail(err, SG_BAD_USAGE, options->runs[i].path,
                               "expected each run once, found the run of %s twice",
                               options->runs[k].path);
    return SG_SUCCESS;
}

static enum sg_code check_runs(const struct sg_accept_options *options, struct sg_err *err)
{
    const struct sg_accept_run *last = sg_last_run(options);
    for (size_t i = 0; i < options->run_count && err->code == SG_SUCCESS; i++)
        check_together(&options->runs[i], last, err);
    if (err->code != SG_SUCCESS || options->is_provisional ||
        check_once(options, err) != SG_SUCCESS ||
        sg_accept_check_waivers(options, err) != SG_SUCCESS)
        return err->code;
    return options->old ? check_old(last->env, options->old, err) : SG_SUCCESS;
}

/* ---- changes in words ---- */

static int worst_first(const void *left, const void *right)
{
    const struct sg_accept_line *a = left, *b = right;
    if (a->is_worse != b->is_worse)
        return a->is_worse ? -1 : 1;
    if (a->harm != b->harm)
        return a->harm > b->harm ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* Adds all changes, then the waivers. */
static void sort_lines(struct sg_accept_report *report, const struct sg_text *waivers)
{
    if (report->line_count > 0)
        qsort(report->lines, report->line_count, sizeof(*report->lines), worst_first);
    for (size_t i = 0; i < report->line_count; i++)
        if (report->lines[i].is_shown)
            sg_text_addf(&report->changes, "%s\n", report->lines[i].text);
    sg_text_add(&report->changes, sg_text_string(waivers));
}

#define NAMED_MAX 5 /* maximum number of rows named in an error; others are counted */

static enum sg_code fail_unexplained(const struct sg_accept_options *options,
                                     const struct sg_accept_report *report, struct sg_err *err)
{
    SG_SCOPED(sg_text) rows = {0};
    size_t named = 0;
    for (size_t i = 0; i < report->line_count && named < NAMED_MAX; i++)
        if (report->lines[i].is_worse && !report->lines[i].has_reason)
            sg_text_addf(&rows, "%s%s", named++ > 0 ? "; " : "", report->lines[i].text);
    if (named < report->unexplained)
        sg_text_addf(&rows, "; and %zu more", report->unexplained - named);
    return sg_fail(err, SG_BAD_USAGE, "accept", "%zu accepted numbers get worse (%s): %s",
                   report->unexplained, rows.data,
                   options->waive.count > 0
                       ? "the reason of a waiver covers its items only: accept these first, by "
                         "--family, --case or --variant and another --reason"
                       : "give the reason with --reason=TEXT");
}

/* Reports a term of judgement that differs from the old one. */
static void add_term(void *context, const char *key, enum sg_term_change term, const char *was,
                     const char *is)
{
    struct sg_merge *merge = context;
    struct sg_accept_change change = {
        .moved = true, .shown = true, .worse = term == SG_TERM_LOOSER};
    change.harm = change.worse ? INFINITY : 0;
    sg_text_addf(&change.line, "~ %s: %s -> %s", key, was, is);
    sg_accept_add_change(merge->report, &change,
                         merge->options->waive.count == 0 && merge->options->reason);
}

void sg_accept_add_change(struct sg_accept_report *report, struct sg_accept_change *change,
                          bool has_reason)
{
    report->added += change->added;
    report->removed += change->removed;
    report->changed += change->moved;
    report->worse += change->worse;
    report->unexplained += change->worse && !has_reason;
    if (change->shown || change->worse)
        *SG_APPEND(report->lines, report->line_count, report->line_capacity) =
            (struct sg_accept_line){.text = sg_copy_string(sg_text_string(&change->line)),
                                    .harm = change->harm,
                                    .is_worse = change->worse,
                                    .has_reason = has_reason,
                                    .is_shown = change->shown,
                                    .number = report->line_count};
}

/* ---- the whole merge ---- */

static void open_merge(struct sg_merge *merge)
{
    static const struct sg_table no_table = {0};
    const struct sg_accept_options *options = merge->options;
    merge->tables = options->run_count + 1;
    merge->table = sg_alloc(merge->tables, sizeof(const struct sg_table *));
    merge->at = sg_alloc(merge->tables, sizeof(*merge->at));
    merge->row = sg_alloc(merge->tables, sizeof(const struct sg_row *));
    merge->table[0] = options->old ? &options->old->table : &no_table;
    for (size_t i = 0; i < options->run_count; i++)
        merge->table[i + 1] = options->runs[i].table;
    sg_accept_batches_init(&merge->batches, options->runs, options->run_count);
    merge->unit = sg_alloc(options->run_count, sizeof(*merge->unit));
    sg_text_addf(&merge->runs, "%zu", options->run_count);
    sg_merge_begin_env(merge);
    if (options->old)
        sg_terms_compare_env(&options->old->env, sg_last_run(options)->env, add_term, merge);
}

enum sg_code sg_accept_runs(const struct sg_accept_options *options, struct sg_accepted_file *fresh,
                            struct sg_accept_report *report, struct sg_err *err)
{
    struct sg_merge merge = {.options = options, .fresh = fresh, .report = report};
    *fresh = (struct sg_accepted_file){0};
    *report = (struct sg_accept_report){0};
    if (check_runs(options, err) != SG_SUCCESS)
        return err->code;
    open_merge(&merge);
    sg_merge_rows(&merge, err);
    sg_merge_end_env(&merge);
    sort_lines(report, &merge.waivers);
    report->units = merge.units.count;
    return err->code == SG_SUCCESS && report->unexplained > 0
               ? fail_unexplained(options, report, err)
               : err->code;
}

/* One run shows neither the spread between days nor the clock sensitivity, so it is compared by
 * intervals. */
static void drop_merged_statistics(struct sg_accepted_file *accepted)
{
    for (size_t i = 0; i < accepted->table.count; i++) {
        struct sg_accepted *row = &accepted->accepted[i];
        row->beta = row->sd_process = row->sd_day = NAN;
        row->expect = row->reason = 0;
    }
}

enum sg_code sg_accepted_from_run(struct sg_run *run, const struct sg_catalogue *catalogue,
                                  struct sg_accepted_file *accepted, struct sg_err *err)
{
    const struct sg_accept_run one = {.path = run->folder, .table = &run->table, .env = &run->env};
    const struct sg_accept_options options = {
        .runs = &one, .run_count = 1, .catalogue = catalogue, .is_provisional = true};
    struct sg_accept_report report = {0};
    if (sg_accept_runs(&options, accepted, &report, err) == SG_SUCCESS) {
        drop_merged_statistics(accepted);
        sg_env_release(&accepted->env);
        accepted->env = run->env;
        run->env = (struct sg_env){0};
        sg_env_set(&accepted->env, SG_ACCEPTED_PLAN_KEY,
                   sg_env_get(&accepted->env, SG_SELECTION_KEY) ? SG_PLAN_PARTIAL : SG_PLAN_WHOLE);
        accepted->path = sg_copy_string(run->folder);
    }
    sg_run_release(run);
    return err->code;
}
