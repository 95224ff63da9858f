#include "baseline/accept_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "results/row_kind.h"
#include "results/terms.h"

int sg_accept_compare_rows(const struct sg_table *a, const struct sg_row *x, const struct sg_table *b, const struct sg_row *y)
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
        if (row[i] && (least == merge->tables || sg_accept_compare_rows(merge->table[i], row[i], merge->table[least], row[least]) < 0))
            least = i;
    }
    if (least == merge->tables)
        return false;
    for (size_t i = 0; i < merge->tables; i++)
        if (row[i] && sg_accept_compare_rows(merge->table[i], row[i], merge->table[least], row[least]) != 0)
            row[i] = NULL;
    for (size_t i = 0; i < merge->tables; i++)
        merge->at[i] += row[i] != NULL;
    return true;
}

struct sg_accepted *sg_merge_add_row(struct sg_merge *merge, const struct sg_value *value)
{
    sg_table_add(&merge->fresh->table, value);
    return sg_accepted_add(merge->fresh);
}

bool sg_merge_any_run_has(const struct sg_merge *merge, const struct sg_table *old, const struct sg_row *row)
{
    for (size_t i = 1; i < merge->tables; i++)
        /* The row is the old table's: there is one.
         * NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        if (sg_table_find(merge->table[i], sg_table_string(old, row->family), sg_table_string(old, row->case_),
                          sg_table_string(old, row->variant), "status"))
            return true;
    return false;
}

static struct sg_text name_of(const struct sg_value *item)
{
    struct sg_text name = {0};
    sg_text_addf(&name, "%s/%s/%s", item->family, item->case_, item->variant);
    return name;
}

static void note_failing(struct sg_merge *merge, const struct sg_value *item)
{
    struct sg_text name = name_of(item);
    sg_intern(&merge->failing, name.data);
    sg_text_release(&name);
}

bool sg_merge_still_fails(const struct sg_merge *merge, const struct sg_value *item)
{
    struct sg_text name = name_of(item);
    const bool fails = sg_intern_pool_has(merge->failing, name.data);
    sg_text_release(&name);
    return fails;
}

static void add_change(struct sg_accept_report *report, const struct sg_accept_change *change, bool has_reason)
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
    const struct sg_value value = sg_value_of(&old->table, old_row);
    sg_accepted_add_copy(merge->fresh, old, (size_t)(old_row - old->table.rows));
    sg_merge_note_origin(merge, &value, true);
}

/* The reason of waivers is that of their items alone. */
static const char *reason_for(const struct sg_merge *merge, const struct sg_value *item)
{
    const struct sg_accept_options *options = merge->options;
    return options->waive.count == 0 || sg_accept_is_asked(options, item) ? options->reason : NULL;
}

static void drop_row(struct sg_merge *merge, const struct sg_row *old_row, bool was_run)
{
    const struct sg_accepted_file *old = merge->options->old;
    struct sg_accept_change change = {.removed = true};
    sg_accept_describe_removed(&old->table, old_row, old->accepted[old_row - old->table.rows].gate, was_run, &change);
    const struct sg_value value = sg_value_of(&old->table, old_row);
    add_change(merge->report, &change, reason_for(merge, &value) != NULL);
    sg_text_release(&change.line);
}

/* Only the old baseline has this row: it stays if its variant was not run, and
 * goes if the variant has lost it. */
static enum sg_code keep_or_drop(struct sg_merge *merge, const struct sg_row *old_row, struct sg_err *err)
{
    const bool was_run = sg_merge_any_run_has(merge, &merge->options->old->table, old_row);
    if (was_run || merge->options->prune)
        drop_row(merge, old_row, was_run);
    else if (check_kept(merge, old_row, err) == SG_SUCCESS)
        keep_row(merge, old_row);
    return err->code;
}

/* What is not as declared is no number to accept: but for what describes the item, its
 * rows stay as they were accepted. */
static void merge_waived(struct sg_merge *merge, const struct sg_row **row)
{
    if (row[0])
        keep_row(merge, row[0]);
}

/* Asked for every row, and the same for all rows of an item. */
static void look_at_item(struct sg_merge *merge, const struct sg_value *value)
{
    const struct sg_value *item = &merge->item;
    if (!item->family || strcmp(item->variant, value->variant) != 0 || strcmp(item->case_, value->case_) != 0 ||
        strcmp(item->family, value->family) != 0) {
        merge->item = *value;
        sg_accept_status_of(merge->options, value, &merge->undeclared);
        merge->uncounted = false;
        for (size_t i = 0; i < merge->options->run_count; i++)
            merge->uncounted |= sg_accept_lost_count(merge->options->runs[i].table, value) != NULL;
    }
}

/* Of an item that is waived: do its accepted rows stay, for there
 * is no number to take their place? */
static bool is_left_as_it_was(struct sg_merge *merge, const struct sg_value *value, bool is_in_run)
{
    const struct sg_row_use use = sg_row_use_of(value->metric);
    if (merge->options->stands_in || (use.kind == SG_ROW_FACT && !(use.is_term && (value->has & SG_HAS_VALUE))))
        return false;
    look_at_item(merge, value);
    if (merge->uncounted)
        note_failing(merge, value);
    return merge->undeclared || (merge->uncounted && !is_in_run);
}

/* A number that got worse and is waived is not accepted: the one of before stays. Beside a waiver
 * of before, a reason accepts it. */
static bool is_waived_as_slow(const struct sg_merge *merge, const struct sg_value *item, bool has_reason)
{
    const struct sg_accept_options *options = merge->options;
    return !options->stands_in && (sg_accept_is_asked(options, item) || (!has_reason && sg_accept_is_waived(options, item, SG_OK)));
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
        .old = row[0] ? &old->table : NULL,
        .old_row = row[0],
        .old_accepted = row[0] ? &old->accepted[row[0] - old->table.rows] : NULL,
    };
    struct sg_accept_result result = {0};
    struct sg_accept_change change = {0};
    if (sg_accept_combine(&item, &result, err) != SG_SUCCESS)
        return err->code;
    item.reason = reason_for(merge, &result.value);
    sg_accept_judge(&item, &result, &change);
    if (change.worse && is_waived_as_slow(merge, &result.value, item.reason != NULL)) {
        note_failing(merge, &result.value);
        keep_row(merge, row[0]);
        sg_text_release(&change.line);
        return SG_SUCCESS;
    }
    if (sg_accept_check_gate(&result, merge->tolerance_max, &change)) {
        merge->report->ungated++;
        note_failing(merge, &result.value);
    }
    struct sg_accepted *accepted = sg_merge_add_row(merge, &result.value);
    sg_merge_note_origin(merge, &result.value, false);
    *accepted = result.accepted;
    accepted->expect = sg_table_intern(&merge->fresh->table, result.expect);
    accepted->reason = sg_table_intern(&merge->fresh->table, result.reason);
    add_change(merge->report, &change, item.reason != NULL);
    sg_text_release(&change.line);
    return SG_SUCCESS;
}

static void add_term(void *context, const char *key, enum sg_term_change term, const char *was, const char *is)
{
    struct sg_merge *merge = context;
    const bool looser = term == SG_TERM_LOOSER;
    struct sg_accept_change change = {.moved = true, .shown = true, .worse = looser, .harm = looser ? INFINITY : 0};
    sg_text_addf(&change.line, "~ %s: %s -> %s", key, was, is);
    add_change(merge->report, &change, merge->options->waive.count == 0 && merge->options->reason);
    sg_text_release(&change.line);
}

void sg_merge_terms(struct sg_merge *merge)
{
    const struct sg_accept_options *options = merge->options;
    if (options->old)
        sg_terms_compare_env(&options->old->env, options->runs[options->run_count - 1].env, add_term, merge);
}

enum sg_code sg_merge_rows(struct sg_merge *merge, struct sg_err *err)
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
    return err->code == SG_SUCCESS && sg_merge_add_waivers(merge, err) == SG_SUCCESS ? sg_accepted_sort(merge->fresh, NULL, err)
                                                                                     : err->code;
}
