#include "baseline/accept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/combine.h"
#include "compare/compare_internal.h"
#include "results/accepted_build.h"
#include "results/env.h"
#include "results/row_kind.h"

/* Where the merge of all tables stands. Table 0 is the old baseline (may be empty), then the runs in the order given. */
struct sg_merge {
    const struct sg_accept_options *options;
    const struct sg_table **table;
    size_t *at;
    size_t tables;
    struct sg_accepted_file *fresh;
    size_t accepted_capacity;
    struct sg_accept_report *report;
    struct sg_accept_batches batches;
    size_t *unit; /* of each run: index into units */
    const char **units;
    struct sg_origin origin;
    struct sg_env origins; /* of each item with times, by its key: SG_ACCEPTED_ITEM_PREFIX */
    char *is, *was;        /* owned; the origin of the runs and, where there are numbers, of those; the same word if it is the same */
    struct sg_bounds_by_df bounds;
    double tolerance_max;
    struct sg_value item; /* whose rows are being merged */
    bool undeclared;      /* and it is not what it declares, in one of the runs */
    bool uncounted;       /* or something went wrong while it was counted, in one of them */
};

static int compare_rows(const struct sg_table *a, const struct sg_row *x, const struct sg_table *b, const struct sg_row *y)
{
    const sg_id left[] = {x->family, x->case_, x->variant, x->metric};
    const sg_id right[] = {y->family, y->case_, y->variant, y->metric};
    int order = 0;
    for (size_t i = 0; i < 4 && order == 0; i++)
        order = strcmp(sg_table_string(a, left[i]), sg_table_string(b, right[i]));
    return order;
}

/* The next row of each table that has the smallest name; NULL for the others. */
static bool next_rows(struct sg_merge *merge, const struct sg_row **row)
{
    size_t least = merge->tables;
    for (size_t i = 0; i < merge->tables; i++) {
        row[i] = merge->at[i] < merge->table[i]->count ? &merge->table[i]->rows[merge->at[i]] : NULL;
        if (row[i] && (least == merge->tables || compare_rows(merge->table[i], row[i], merge->table[least], row[least]) < 0))
            least = i;
    }
    if (least == merge->tables)
        return false;
    for (size_t i = 0; i < merge->tables; i++)
        if (row[i] && compare_rows(merge->table[i], row[i], merge->table[least], row[least]) != 0)
            row[i] = NULL;
    for (size_t i = 0; i < merge->tables; i++)
        merge->at[i] += row[i] != NULL;
    return true;
}

static struct sg_accepted *add_row(struct sg_merge *merge, const struct sg_value *value)
{
    struct sg_accepted_file *fresh = merge->fresh;
    sg_table_add(&fresh->table, value);
    fresh->accepted = sg_grow(fresh->accepted, &merge->accepted_capacity, fresh->table.count, sizeof(*fresh->accepted));
    struct sg_accepted *accepted = &fresh->accepted[fresh->table.count - 1];
    *accepted = (struct sg_accepted){.tolerance = NAN, .beta = NAN, .f0 = NAN, .sd_process = NAN, .sd_day = NAN};
    return accepted;
}

static bool any_run_has(const struct sg_merge *merge, const struct sg_table *old, const struct sg_row *row)
{
    for (size_t i = 1; i < merge->tables; i++)
        /* The row is the old table's: there is one. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        if (sg_table_find(merge->table[i], sg_table_string(old, row->family), sg_table_string(old, row->case_),
                          sg_table_string(old, row->variant), "status"))
            return true;
    return false;
}

static void note(struct sg_accept_report *report, struct sg_accept_change *change)
{
    report->added += change->added;
    report->removed += change->removed;
    report->changed += change->moved;
    report->worse += change->worse;
    if (change->shown || change->worse)
        *SG_APPEND(report->lines, report->line_count, report->line_capacity) =
            (struct sg_accept_line){.text = sg_copy_string(sg_text_string(&change->line)),
                                    .harm = change->harm,
                                    .is_worse = change->worse,
                                    .is_shown = change->shown,
                                    .number = report->line_count};
}

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

static bool is_of_same_origin(const struct sg_merge *merge)
{
    const struct sg_env *old = &merge->options->old->env;
    const struct sg_origin was = sg_origin_of(old, merge->units[0]);
    bool same = was.runs == merge->origin.runs && was.units == merge->origin.units;
    for (size_t i = 0; same && i < merge->origin.units; i++)
        same = sg_origin_of(old, merge->units[i]).has_unit;
    return same;
}

/* Of the runs, and of the numbers of before as far as they say nothing else of an item. */
static void find_origins(struct sg_merge *merge)
{
    struct sg_text is = {0}, was = {0};
    sg_text_addf(&is, "%zu:", merge->options->run_count);
    for (size_t i = 0; i < merge->origin.units; i++)
        sg_text_addf(&is, "%s%s", i > 0 ? "+" : "", merge->units[i]);
    if (merge->options->old && !is_of_same_origin(merge)) {
        const struct sg_env *old = &merge->options->old->env;
        const char *runs = sg_env_get(old, SG_ACCEPTED_RUNS_KEY), *units = sg_env_get(old, SG_ACCEPTED_UNITS_KEY);
        sg_text_addf(&was, "%s:%s", runs ? runs : "1", units ? units : sg_unit_of(old));
    }
    merge->was = sg_copy_string(sg_text_string(was.length > 0 ? &was : &is));
    merge->is = sg_copy_string(is.data);
    sg_text_release(&is);
    sg_text_release(&was);
}

/* How far a number carries follows from where it comes from; of others nobody asks. */
static void note_origin(struct sg_merge *merge, const struct sg_value *value, bool is_kept)
{
    struct sg_text key = {0};
    if (!sg_accept_is_time(value->metric))
        return;
    sg_text_addf(&key, SG_ACCEPTED_ITEM_PREFIX "%s.%s.%s", value->family, value->case_, value->variant);
    const char *own = is_kept ? sg_env_get(&merge->options->old->env, key.data) : NULL;
    sg_env_set(&merge->origins, key.data, own ? own : is_kept ? merge->was : merge->is);
    sg_text_release(&key);
}

/* Beside numbers of today: a file is of one driver and one state of the L2. */
static enum sg_code check_kept(const struct sg_merge *merge, const struct sg_row *row, struct sg_err *err)
{
    const struct sg_accepted_file *old = merge->options->old;
    struct sg_err why = {0};
    if (sg_check_comparable(merge->options->runs[merge->options->run_count - 1].env, &old->env, old->path, &why) == SG_SUCCESS)
        return SG_SUCCESS;
    return sg_fail(err, why.code, old->path,
                   "%s/%s/%s would stay, but is %s: accept runs of the whole suite, drop it with --prune, or write elsewhere with "
                   "--out=FILE",
                   sg_table_string(&old->table, row->family), sg_table_string(&old->table, row->case_),
                   sg_table_string(&old->table, row->variant), why.message);
}

static void keep_row(struct sg_merge *merge, const struct sg_row *old_row)
{
    const struct sg_accepted_file *old = merge->options->old;
    const struct sg_accepted *was = &old->accepted[old_row - old->table.rows];
    const struct sg_value value = sg_value_of(&old->table, old_row);
    struct sg_accepted *accepted = add_row(merge, &value);
    note_origin(merge, &value, true);
    *accepted = *was;
    accepted->expect = sg_table_intern(&merge->fresh->table, sg_table_string(&old->table, was->expect));
    accepted->reason = sg_table_intern(&merge->fresh->table, sg_table_string(&old->table, was->reason));
}

static void drop_row(struct sg_merge *merge, const struct sg_row *old_row, bool was_run)
{
    const struct sg_accepted_file *old = merge->options->old;
    struct sg_accept_change change = {.removed = true};
    sg_accept_describe_removed(&old->table, old_row, old->accepted[old_row - old->table.rows].gate, was_run, &change);
    note(merge->report, &change);
    sg_text_release(&change.line);
}

/* Only the old baseline has this row: it stays if its variant was not run, and goes if the variant has lost it. */
static enum sg_code keep_or_drop(struct sg_merge *merge, const struct sg_row *old_row, struct sg_err *err)
{
    const bool was_run = any_run_has(merge, &merge->options->old->table, old_row);
    if (was_run || merge->options->prune)
        drop_row(merge, old_row, was_run);
    else if (check_kept(merge, old_row, err) == SG_SUCCESS)
        keep_row(merge, old_row);
    return err->code;
}

/* ---- waivers ---- */

/* Is the item of the value among those that are to be waived? */
static bool is_asked(const struct sg_accept_options *options, const struct sg_value *item)
{
    struct sg_text name = {0};
    bool asked = false;
    sg_text_addf(&name, "%s/%s/%s", item->family, item->case_, item->variant);
    for (size_t i = 0; i < options->waive.count && !asked; i++)
        asked = strcmp(options->waive.items[i], name.data) == 0;
    sg_text_release(&name);
    return asked;
}

static const struct sg_row *old_waiver(const struct sg_accept_options *options, const struct sg_value *item)
{
    return options->old ? sg_table_find(&options->old->table, item->family, item->case_, item->variant, SG_WAIVER_METRIC) : NULL;
}

/* What came of the item in the last run that has it; SG_STATUS_COUNT: none does. *undeclared: in any of them it is not what it declares. */
static enum sg_status status_of(const struct sg_accept_options *options, const struct sg_value *item, bool *undeclared)
{
    enum sg_status status = SG_STATUS_COUNT;
    *undeclared = false;
    for (size_t i = 0; i < options->run_count; i++) {
        const struct sg_table *table = options->runs[i].table;
        const struct sg_row *row = sg_table_find(table, item->family, item->case_, item->variant, "status");
        const struct sg_row *expect = sg_table_find(table, item->family, item->case_, item->variant, "expect");
        if (!row)
            continue;
        status = (enum sg_status)row->status;
        *undeclared |= sg_is_undeclared(status, expect ? (enum sg_status)expect->status : SG_OK);
    }
    return status;
}

static bool is_over(const struct sg_accept_options *options, const char *until)
{
    const char *date = sg_env_get(options->runs[options->run_count - 1].env, "date");
    return *until && (!date || strncmp(date, until, strlen("2026-12-31")) > 0);
}

/* May this variant, which is not what it declares, be so? */
static bool is_waived(const struct sg_accept_options *options, const struct sg_value *item, enum sg_status status)
{
    const struct sg_row *waiver = old_waiver(options, item);
    return is_asked(options, item) || (waiver && (enum sg_status)waiver->status == status &&
                                       !is_over(options, sg_table_string(&options->old->table, waiver->message)));
}

/* What is not as declared is no number to accept: but for what describes the item, its rows stay as they were accepted. */
static void merge_waived(struct sg_merge *merge, const struct sg_row **row)
{
    if (row[0])
        keep_row(merge, row[0]);
}

/* What ended the count pass of an item that is right, where something went wrong in it; NULL: nothing did. */
static const struct sg_row *lost_count(const struct sg_table *table, const struct sg_value *item)
{
    const struct sg_row *status = sg_table_find(table, item->family, item->case_, item->variant, "status");
    const struct sg_row *counted = sg_table_find(table, item->family, item->case_, item->variant, SG_COUNT_METRIC);
    const bool is_lost = counted && sg_is_lost_count((enum sg_status)counted->status) && status && status->status == SG_OK;
    return is_lost ? counted : NULL;
}

/* Asked for every row, and the same for all rows of an item. */
static void look_at_item(struct sg_merge *merge, const struct sg_value *value)
{
    const struct sg_value *item = &merge->item;
    if (!item->family || strcmp(item->variant, value->variant) != 0 || strcmp(item->case_, value->case_) != 0 ||
        strcmp(item->family, value->family) != 0) {
        merge->item = *value;
        status_of(merge->options, value, &merge->undeclared);
        merge->uncounted = false;
        for (size_t i = 0; i < merge->options->run_count; i++)
            merge->uncounted |= lost_count(merge->options->runs[i].table, value) != NULL;
    }
}

/* Of an item that is waived: do its accepted rows stay, for there is no number to take their place? */
static bool is_left_as_it_was(struct sg_merge *merge, const struct sg_value *value, bool is_in_run)
{
    if (merge->options->stands_in || sg_row_use_of(value->metric).kind == SG_ROW_FACT)
        return false;
    look_at_item(merge, value);
    return merge->undeclared || (merge->uncounted && !is_in_run);
}

static void add_waiver(struct sg_merge *merge, const struct sg_value *item, enum sg_status status, const char *until, const char *reason)
{
    struct sg_accept_report *report = merge->report;
    struct sg_accepted *accepted = add_row(merge, &(struct sg_value){.family = item->family,
                                                                     .case_ = item->case_,
                                                                     .variant = item->variant,
                                                                     .metric = SG_WAIVER_METRIC,
                                                                     .status = status,
                                                                     .message = until ? until : ""});
    accepted->expect = sg_table_intern(&merge->fresh->table, "");
    accepted->reason = sg_table_intern(&merge->fresh->table, reason);
    sg_text_addf(&report->changes, "waived %s/%s/%s (%s)%s%s: %s\n", item->family, item->case_, item->variant, sg_status_word(status),
                 until && *until ? ", until " : "", until ? until : "", reason);
}

static enum sg_code add_asked_waivers(struct sg_merge *merge, struct sg_err *err)
{
    const struct sg_accept_options *options = merge->options;
    for (size_t i = 0; i < options->waive.count && err->code == SG_SUCCESS; i++) {
        char *names = sg_copy_string(options->waive.items[i]), *rest = names;
        const struct sg_value item = {.family = strsep(&rest, "/"), .case_ = rest ? strsep(&rest, "/") : "", .variant = rest ? rest : ""};
        bool undeclared;
        const enum sg_status status = status_of(options, &item, &undeclared);
        if (options->waive.until && is_over(options, options->waive.until))
            sg_fail(err, SG_BAD_USAGE, "--until", "expected a day that is not past when the runs were made, found %s",
                    options->waive.until);
        else if (status == SG_STATUS_COUNT)
            sg_fail(err, SG_BAD_USAGE, "--waive", "expected FAMILY/CASE/VARIANT of the runs, found '%s'", options->waive.items[i]);
        else
            add_waiver(merge, &item, status, options->waive.until, options->reason);
        free(names);
    }
    return err->code;
}

/* Those of before stay as long as there is something to waive: one for a failure until the variant is as declared, others until their day.
 */
static void keep_waivers(struct sg_merge *merge)
{
    const struct sg_accept_options *options = merge->options;
    for (size_t i = 0; options->old && i < options->old->table.count; i++) {
        const struct sg_table *old = &options->old->table;
        const struct sg_value value = sg_value_of(old, &old->rows[i]);
        if (strcmp(value.metric, SG_WAIVER_METRIC) != 0 || is_asked(options, &value))
            continue;
        bool undeclared;
        const enum sg_status status = status_of(options, &value, &undeclared);
        const bool fixed = value.status != SG_OK && status != SG_STATUS_COUNT && !undeclared;
        if (fixed || is_over(options, value.message) || (status == SG_STATUS_COUNT && options->prune))
            sg_text_addf(&merge->report->changes, "waived no more: %s/%s/%s\n", value.family, value.case_, value.variant);
        else
            add_waiver(merge, &value, value.status, value.message, sg_table_string(old, options->old->accepted[i].reason));
    }
}

static enum sg_code accept_rows(struct sg_merge *merge, const struct sg_row **row, struct sg_err *err)
{
    const struct sg_accepted_file *old = merge->options->old;
    struct sg_accept_item item = {
        .runs = merge->options->runs,
        .run_count = merge->options->run_count,
        .row = row + 1,
        .catalogue = merge->options->catalogue,
        .batches = &merge->batches,
        .unit = merge->unit,
        .origin = merge->origin,
        .bounds = &merge->bounds,
        .reason = merge->options->reason,
        .old = row[0] ? &old->table : NULL,
        .old_row = row[0],
        .old_accepted = row[0] ? &old->accepted[row[0] - old->table.rows] : NULL,
    };
    struct sg_accept_result result = {0};
    struct sg_accept_change change = {0};
    if (sg_accept_combine(&item, &result, err) != SG_SUCCESS)
        return err->code;
    sg_accept_judge(&item, &result, &change);
    merge->report->ungated += sg_accept_check_gate(&result, merge->tolerance_max, &change);
    struct sg_accepted *accepted = add_row(merge, &result.value);
    note_origin(merge, &result.value, false);
    *accepted = result.accepted;
    accepted->expect = sg_table_intern(&merge->fresh->table, result.expect);
    accepted->reason = sg_table_intern(&merge->fresh->table, result.reason);
    note(merge->report, &change);
    sg_text_release(&change.line);
    return SG_SUCCESS;
}

static enum sg_code merge_all(struct sg_merge *merge, struct sg_err *err)
{
    const struct sg_row **row = sg_alloc(merge->tables, sizeof(const struct sg_row *));
    while (err->code == SG_SUCCESS && next_rows(merge, row)) {
        size_t in = 0;
        for (size_t i = 1; i < merge->tables; i++)
            in = row[i] ? i : in;
        if (!row[in])
            continue;
        const struct sg_value value = sg_value_of(merge->table[in], row[in]);
        if (!sg_row_use_of(value.metric).is_accepted && !merge->options->stands_in)
            continue;
        if (is_left_as_it_was(merge, &value, in > 0))
            merge_waived(merge, row);
        else if (in > 0)
            accept_rows(merge, row, err);
        else if (strcmp(value.metric, SG_WAIVER_METRIC) != 0)
            keep_or_drop(merge, row[0], err);
    }
    free(row);
    if (err->code == SG_SUCCESS && add_asked_waivers(merge, err) == SG_SUCCESS)
        keep_waivers(merge);
    const struct sg_beside beside = {.elements = merge->fresh->accepted, .size = sizeof(*merge->fresh->accepted)};
    return err->code == SG_SUCCESS ? sg_table_sort_with(&merge->fresh->table, &beside, err) : err->code;
}

/* ---- may these runs be accepted together ---- */

/*
 * A file holds the numbers of one suite on one model of GPU: rows of another would stand in it as missing for good. And of one state of the
 * L2, which env.csv says of all: rows that stay would be called what they are not.
 */
static enum sg_code check_old(const struct sg_env *run, const struct sg_accepted_file *old, struct sg_err *err)
{
    static const char *const keys[] = {"gpu", "suite", "l2"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *is = sg_env_get(run, keys[i]), *was = sg_env_get(&old->env, keys[i]);
        if (strcmp(is ? is : "", was ? was : "") != 0)
            return sg_fail(err, SG_NOT_COMPARABLE, old->path,
                           "not comparable: %s is '%s' in the run, '%s' in the accepted numbers; --out=FILE writes elsewhere", keys[i],
                           is ? is : "", was ? was : "");
    }
    return SG_SUCCESS;
}

static bool is_same_row(const struct sg_table *a, const struct sg_row *x, const struct sg_table *b, const struct sg_row *y)
{
    return compare_rows(a, x, b, y) == 0 && x->has == y->has && x->status == y->status && x->n == y->n &&
           (!(x->has & SG_HAS_VALUE) || x->value == y->value) &&
           strcmp(sg_table_string(a, x->message), sg_table_string(b, y->message)) == 0;
}

/* A run and its copy: no two runs measure the same times. */
static bool is_same_run(const struct sg_table *a, const struct sg_table *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++)
        same = is_same_row(a, &a->rows[i], b, &b->rows[i]);
    return same;
}

static enum sg_code check_once(const struct sg_accept_options *options, struct sg_err *err)
{
    for (size_t i = 0; i < options->run_count; i++)
        for (size_t k = 0; k < i; k++)
            if (is_same_run(options->runs[i].table, options->runs[k].table))
                return sg_fail(err, SG_BAD_USAGE, options->runs[i].path, "expected each run once, found that of %s again",
                               options->runs[k].path);
    return SG_SUCCESS;
}

/* Whatever is accepted is what later nights are held against, so it must be what it declares to be. */
static enum sg_code check_declared(const struct sg_accept_options *options, struct sg_err *err)
{
    for (size_t i = 0; i < options->run_count; i++) {
        const struct sg_table *table = options->runs[i].table;
        for (size_t k = 0; k < table->count && err->code == SG_SUCCESS; k++) {
            const struct sg_value value = sg_value_of(table, &table->rows[k]);
            if (strcmp(value.metric, "status") != 0)
                continue;
            const struct sg_row *expect = sg_table_find(table, value.family, value.case_, value.variant, "expect");
            const enum sg_status declared = expect ? (enum sg_status)expect->status : SG_OK;
            if (sg_is_undeclared(value.status, declared) && !is_waived(options, &value, value.status))
                sg_fail(err, SG_UNDECLARED, options->runs[i].path,
                        "%s/%s/%s should be %s, is %s%s%s: fix it, or give the reason why it may stay: --waive=%s/%s/%s --reason=TEXT "
                        "[--until=DATE]",
                        value.family, value.case_, value.variant, sg_status_word(declared), sg_status_word(value.status),
                        *value.message ? ": " : "", value.message, value.family, value.case_, value.variant);
        }
    }
    return err->code;
}

static enum sg_code check_same(const struct sg_accept_run *run, const struct sg_accept_run *last, const char *key, struct sg_err *err)
{
    const char *is = sg_env_get(run->env, key), *of_last = sg_env_get(last->env, key);
    if (strcmp(is ? is : "", of_last ? of_last : "") == 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_NOT_COMPARABLE, run->path, "not comparable: %s is '%s' here, '%s' in %s", key, is ? is : "",
                   of_last ? of_last : "", last->path);
}

/* Of such a run the counters that were accepted would go, with nobody saying why. */
static enum sg_code check_counted(const struct sg_accept_options *options, struct sg_err *err)
{
    for (size_t i = 0; i < options->run_count; i++) {
        const struct sg_table *table = options->runs[i].table;
        for (size_t k = 0; k < table->count && err->code == SG_SUCCESS; k++) {
            const struct sg_value value = sg_value_of(table, &table->rows[k]);
            if (strcmp(value.metric, SG_COUNT_METRIC) == 0 && lost_count(table, &value) && !is_waived(options, &value, SG_OK))
                sg_fail(err, SG_INVALID, options->runs[i].path,
                        "%s/%s/%s was not counted: %s: %s: run it again, or say why it may be so: --waive=%s/%s/%s --reason=TEXT "
                        "[--until=DATE]",
                        value.family, value.case_, value.variant, sg_status_word(value.status), value.message, value.family, value.case_,
                        value.variant);
        }
    }
    return err->code;
}

static enum sg_code check_runs(const struct sg_accept_options *options, struct sg_err *err)
{
    const struct sg_accept_run *last = &options->runs[options->run_count - 1];
    for (size_t i = 0; i < options->run_count; i++)
        if (options->runs[i].table->count == 0)
            return sg_fail(err, SG_INVALID, options->runs[i].path, "the run has no rows: nothing was measured");
    for (size_t i = 0; i < options->run_count; i++)
        if (sg_env_why_invalid(options->runs[i].env))
            return sg_fail(err, SG_INVALID, options->runs[i].path, "%s", sg_env_why_invalid(options->runs[i].env));
    for (size_t i = 0; i + 1 < options->run_count; i++)
        if (sg_check_comparable(options->runs[i].env, last->env, options->runs[i].path, err) != SG_SUCCESS ||
            check_same(&options->runs[i], last, "suite", err) != SG_SUCCESS ||
            check_same(&options->runs[i], last, "time_source", err) != SG_SUCCESS)
            return err->code;
    if (options->stands_in)
        return SG_SUCCESS;
    if (check_once(options, err) != SG_SUCCESS || check_declared(options, err) != SG_SUCCESS || check_counted(options, err) != SG_SUCCESS)
        return err->code;
    return options->old ? check_old(last->env, options->old, err) : SG_SUCCESS;
}

/* What the run was held against is no fact of its numbers. */
static void copy_env(const struct sg_env *from, struct sg_env *to)
{
    for (size_t i = 0; i < from->count; i++)
        if (strcmp(from->key[i], SG_PAIRS_KEY) != 0 && strncmp(from->key[i], SG_ACCEPTED_CODE_PREFIX, strlen(SG_ACCEPTED_CODE_PREFIX)) != 0)
            sg_env_set(to, from->key[i], from->value[i]);
}

/* Which GPUs the runs came from, in the order of the runs. */
static void find_units(struct sg_merge *merge)
{
    const struct sg_accept_options *options = merge->options;
    merge->unit = sg_alloc(options->run_count, sizeof(*merge->unit));
    merge->units = sg_alloc(options->run_count, sizeof(const char *));
    merge->origin = (struct sg_origin){.runs = options->run_count, .has_unit = true};
    for (size_t i = 0; i < options->run_count; i++) {
        const char *name = sg_unit_of(options->runs[i].env);
        size_t at = 0;
        while (at < merge->origin.units && strcmp(merge->units[at], name) != 0)
            at++;
        merge->unit[i] = at;
        if (at == merge->origin.units)
            merge->units[merge->origin.units++] = name;
    }
}

/* Does the fresh table have every item of the suite? Not of runs that left some out, unless they were there before. */
static bool is_whole(const struct sg_accept_options *options)
{
    bool whole = options->old && !options->prune && sg_accepted_file_is_whole(options->old);
    for (size_t i = 0; i < options->run_count; i++)
        whole |= sg_env_get(options->runs[i].env, SG_SELECTION_KEY) == NULL;
    return whole;
}

/* Items that stay were measured with the build of before. */
static void keep_builds(const struct sg_merge *merge, struct sg_env *env)
{
    const struct sg_table *table = &merge->fresh->table;
    for (size_t i = 0; merge->options->old && i < table->count; i++) {
        const struct sg_value value = sg_value_of(table, &table->rows[i]);
        if (strcmp(value.metric, "status") == 0 && !any_run_has(merge, table, &table->rows[i]))
            sg_accepted_build_keep(env, &merge->options->old->env, &value);
    }
}

/* What most items are of stands once; the others have a key each. */
static void set_origins(const struct sg_merge *merge, struct sg_env *env)
{
    const struct sg_env *origins = &merge->origins;
    size_t is = 0, was = 0;
    for (size_t i = 0; i < origins->count; i++) {
        is += strcmp(origins->value[i], merge->is) == 0;
        was += strcmp(origins->value[i], merge->was) == 0;
    }
    const char *most = was > is ? merge->was : merge->is, *units = strchr(most, ':');
    struct sg_text runs = {0};
    sg_text_add_bytes(&runs, most, (size_t)(units - most));
    sg_env_set(env, SG_ACCEPTED_RUNS_KEY, runs.data);
    sg_env_set(env, SG_ACCEPTED_UNITS_KEY, units + 1);
    for (size_t i = 0; i < origins->count; i++)
        if (strcmp(origins->value[i], most) != 0)
            sg_env_set(env, origins->key[i], origins->value[i]);
    sg_text_release(&runs);
}

static void set_env(const struct sg_merge *merge, struct sg_env *env)
{
    const struct sg_accept_options *options = merge->options;
    copy_env(options->runs[options->run_count - 1].env, env);
    /* Of the run's folder, which this is not. */
    sg_run_unseal(env);
    sg_env_unset(env, SG_SELECTION_KEY);
    set_origins(merge, env);
    sg_env_set(env, SG_ACCEPTED_PLAN_KEY, is_whole(options) ? SG_PLAN_WHOLE : SG_PLAN_PARTIAL);
    keep_builds(merge, env);
}

enum sg_code sg_baseline_accept(const struct sg_accept_options *options, struct sg_accepted_file *fresh, struct sg_accept_report *report,
                                struct sg_err *err)
{
    static const struct sg_table no_table = {0};
    struct sg_merge merge = {.options = options, .tables = options->run_count + 1, .fresh = fresh, .report = report};
    *fresh = (struct sg_accepted_file){0};
    *report = (struct sg_accept_report){0};
    merge.tolerance_max = sg_env_tolerance_max(options->runs[options->run_count - 1].env);
    sg_table_init(&fresh->table);
    if (check_runs(options, err) != SG_SUCCESS)
        return err->code;
    merge.table = sg_alloc(merge.tables, sizeof(const struct sg_table *));
    merge.at = sg_alloc(merge.tables, sizeof(*merge.at));
    merge.table[0] = options->old ? &options->old->table : &no_table;
    for (size_t i = 0; i < options->run_count; i++)
        merge.table[i + 1] = options->runs[i].table;
    sg_accept_batches_init(&merge.batches, options->runs, options->run_count);
    find_units(&merge);
    find_origins(&merge);
    merge_all(&merge, err);
    set_env(&merge, &fresh->env);
    sort_lines(report);
    report->units = merge.origin.units;
    sg_env_release(&merge.origins);
    free(merge.is);
    free(merge.was);
    sg_accept_batches_release(&merge.batches);
    free(merge.units);
    free(merge.unit);
    free(merge.at);
    free(merge.table);
    if (err->code == SG_SUCCESS && report->worse > 0 && !(options->reason && *options->reason))
        sg_fail(err, SG_BAD_USAGE, "baseline accept", "%zu accepted numbers get worse (%s): say why with --reason=TEXT", report->worse,
                report->lines[0].text);
    return err->code;
}

void sg_accept_report_release(struct sg_accept_report *report)
{
    sg_text_release(&report->changes);
    for (size_t i = 0; i < report->line_count; i++)
        free(report->lines[i].text);
    free(report->lines);
    *report = (struct sg_accept_report){0};
}

/* One run knows neither what days differ by nor how its times go with the clock: it is compared interval by interval. */
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
