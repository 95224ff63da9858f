#include <string.h>

#include "baseline/accept_internal.h"
#include "compare/compare.h"
#include "results/accepted_build.h"
#include "results/identity.h"
#include "results/parts.h"
#include "results/row_kind.h"

/* ---- next item, next row ---- */

/* Compares two rows of two tables by the first `names` of their four names. */
static int compare_rows(const struct sg_table *a, const struct sg_row *x, const struct sg_table *b,
                        const struct sg_row *y, size_t names)
{
    const sg_id left[] = {SG_NAMES(*x), x->metric}, right[] = {SG_NAMES(*y), y->metric};
    int order = 0;
    for (size_t i = 0; i < names && order == 0; i++)
        order = strcmp(sg_table_string(a, left[i]), sg_table_string(b, right[i]));
    return order;
}

/* Sets merge->row of each table whose next row has the smallest name, NULL for the others.
 * Returns false at the end of all tables. */
static bool find_next(struct sg_merge *merge, const struct sg_row_range *left, size_t names)
{
    size_t least = merge->tables;
    for (size_t i = 0; i < merge->tables; i++) {
        merge->row[i] = left[i].from < left[i].to ? &merge->table[i]->rows[left[i].from] : NULL;
        if (merge->row[i] && (least == merge->tables ||
                              compare_rows(merge->table[i], merge->row[i], merge->table[least],
                                           merge->row[least], names) < 0))
            least = i;
    }
    for (size_t i = 0; i < merge->tables && least < merge->tables; i++)
        if (merge->row[i] && compare_rows(merge->table[i], merge->row[i], merge->table[least],
                                          merge->row[least], names) != 0)
            merge->row[i] = NULL;
    return least < merge->tables;
}

/* Sets merge->at to the rows of the next item, and `left` to the rows after them. */
static bool next_item(struct sg_merge *merge, struct sg_row_range *left)
{
    if (!find_next(merge, left, 3))
        return false;
    for (size_t i = 0; i < merge->tables; i++) {
        merge->at[i] = (struct sg_row_range){left[i].from, left[i].from};
        while (merge->row[i] && merge->at[i].to < left[i].to &&
               sg_row_same_item(merge->row[i], &merge->table[i]->rows[merge->at[i].to]))
            merge->at[i].to++;
        left[i].from = merge->at[i].to;
    }
    return true;
}

static bool next_row(struct sg_merge *merge)
{
    const bool found = find_next(merge, merge->at, 4);
    for (size_t i = 0; i < merge->tables; i++)
        merge->at[i].from += merge->row[i] != NULL;
    return found;
}

/* ---- merging a row ---- */

/* A reason given with --waive applies only to the waived items. */
static const char *reason_for(const struct sg_merge *merge)
{
    return merge->options->waive.count == 0 || merge->item.is_asked ? merge->options->reason : NULL;
}

static size_t index_of(const struct sg_merge *merge, const struct sg_row *old_row)
{
    return (size_t)(old_row - merge->table[0]->rows);
}

static void keep_row(struct sg_merge *merge, const struct sg_row *old_row)
{
    sg_accepted_add_copy(merge->fresh, merge->options->old, index_of(merge, old_row));
}

/* The old rows would share a file with the new ones, and a file has one driver and one L2 state. */
static enum sg_code check_kept(const struct sg_merge *merge, struct sg_err *err)
{
    const struct sg_accepted_file *old = merge->options->old;
    const struct sg_value *item = &merge->item.name;
    struct sg_err why = {0};
    if (sg_check_comparable(sg_last_run(merge->options)->env, &old->env, old->path, &why) ==
        SG_SUCCESS)
        return SG_SUCCESS;
    return sg_fail(err, why.code, old->path,
                   "no run has %s/%s/%s, and its accepted numbers are %s: accept runs of the whole "
                   "suite, drop it with "
                   "--prune, or write elsewhere with "
                   "--out=FILE",
                   SG_NAMES(*item), why.message);
}

/* Only the old numbers have this row. The row is kept if its variant was not run, and dropped if
 * the variant no longer has the row. */
static enum sg_code keep_or_drop(struct sg_merge *merge, const struct sg_row *old_row,
                                 struct sg_err *err)
{
    const bool was_run = merge->item.is_in_runs;
    if (!was_run && !merge->options->prune) {
        if (check_kept(merge, err) == SG_SUCCESS)
            keep_row(merge, old_row);
        return err->code;
    }
    struct sg_accept_change change = {.removed = true};
    const struct sg_value value = sg_value_of(merge->table[0], old_row);
    sg_accept_describe_removed(&value, merge->options->old->accepted[index_of(merge, old_row)].gate,
                               was_run, &change);
    sg_accept_add_change(merge->report, &change, reason_for(merge) != NULL);
    return SG_SUCCESS;
}

/* A waived number that got worse is not accepted: the old number stays. With an old waiver, a
 * reason accepts the number. */
static bool is_waived_as_slow(const struct sg_merge *merge, bool has_reason)
{
    return !merge->options->is_provisional &&
           (merge->item.is_asked || (!has_reason && sg_merge_is_waived(merge, SG_OK)));
}

static sg_id intern_origin(struct sg_merge *merge)
{
    SG_FORMATTED(origin, "%s:%s", merge->runs.data, merge->item_units.data);
    return sg_table_intern(&merge->fresh->table, origin.data);
}

static enum sg_code accept_row(struct sg_merge *merge, struct sg_err *err)
{
    const struct sg_accept_options *options = merge->options;
    const struct sg_accept_row row = {
        .runs = options->runs,
        .run_count = options->run_count,
        .row = merge->row + 1,
        .catalogue = options->catalogue,
        .batches = &merge->batches,
        .unit = merge->unit,
        .origin = merge->origin,
        .bounds = &merge->bounds,
        .reason = reason_for(merge),
        .old = merge->row[0] ? options->old : NULL,
        .old_row = merge->row[0],
    };
    struct sg_accept_result result = {0};
    struct sg_accept_change change = {0};
    if (sg_accept_combine(&row, &result, err) != SG_SUCCESS)
        return err->code;
    result.reason = "";
    if (!options->is_provisional) /* else: there is nothing to judge it by, and no report */
        sg_accept_judge(&row, &result, &change);
    if (row.old_row && change.worse && is_waived_as_slow(merge, row.reason != NULL)) {
        merge->item.is_failing = true;
        keep_row(merge, row.old_row);
        return SG_SUCCESS;
    }
    if (sg_accept_check_gate(&result, sg_env_tolerance_max(sg_last_run(options)->env), &change)) {
        merge->report->ungated++;
        merge->item.is_failing = true;
    }
    sg_table_add(&merge->fresh->table, &result.value);
    struct sg_accepted *accepted = sg_accepted_add(merge->fresh);
    *accepted = result.accepted;
    accepted->expect = sg_table_intern(&merge->fresh->table, result.expect);
    accepted->reason = sg_table_intern(&merge->fresh->table, result.reason);
    if (sg_accept_is_time(result.value.metric) && !options->is_provisional)
        accepted->origin = intern_origin(merge);
    sg_accept_add_change(merge->report, &change, row.reason != NULL);
    return SG_SUCCESS;
}

/* ---- merging an item ---- */

static const struct sg_row *find(const struct sg_table *table, const struct sg_value *item,
                                 const char *metric)
{
    return sg_table_find(table, SG_NAMES(*item), metric);
}

static bool is_asked(const struct sg_accept_options *options, const struct sg_value *item)
{
    bool asked = false;
    SG_FORMATTED(name, "%s/%s/%s", SG_NAMES(*item));
    for (size_t i = 0; i < options->waive.count && !asked; i++)
        asked = strcmp(options->waive.items[i], name.data) == 0;
    return asked;
}

static bool is_as_it_was(const struct sg_merge *merge, const struct sg_table *run)
{
    const struct sg_row *is = find(run, &merge->item.name, SG_IDENTITY_METRIC),
                        *was = find(merge->table[0], &merge->item.name, SG_IDENTITY_METRIC);
    return is && was &&
           sg_identity_same(sg_table_string(run, is->message),
                            sg_table_string(merge->table[0], was->message));
}

/* Later runs are compared with the accepted numbers, so an item must match its declaration. An
 * item whose counting failed would silently lose its accepted counters. */
static enum sg_code check_run_of_item(struct sg_merge *merge, const struct sg_accept_run *run,
                                      struct sg_err *err)
{
    struct sg_merge_item *item = &merge->item;
    const struct sg_value *name = &item->name;
    const struct sg_row *status = find(run->table, name, "status"),
                        *expect = find(run->table, name, "expect");
    const struct sg_row *counted = find(run->table, name, SG_COUNT_METRIC);
    const enum sg_status declared = expect ? (enum sg_status)expect->status : SG_OK;
    const struct sg_row *unfit = find(run->table, name, SG_UNFIT_METRIC);
    if (unfit && !merge->options->is_provisional)
        return sg_fail(err, SG_INVALID, run->path, "%s/%s/%s: %s", SG_NAMES(*name),
                       sg_table_string(run->table, unfit->message));
    if (!status)
        return SG_SUCCESS;
    item->status = (enum sg_status)status->status;
    const bool undeclared = sg_is_undeclared(item->status, declared);
    const bool uncounted =
        counted && sg_is_count_failure((enum sg_status)counted->status) && item->status == SG_OK;
    const char *choice =
        merge->options->is_provisional ? NULL : sg_env_get(run->env, SG_CHOICE_KEY);
    const bool is_same = choice && is_as_it_was(merge, run->table);
    item->stays = is_same && strcmp(choice, SG_CHOICE_CHANGED) == 0;
    if (choice && !is_same &&
        sg_is_untimed(find(run->table, name, SG_BUILD_RATIO_METRIC),
                      find(run->table, name, "time")))
        return sg_fail(err, SG_INVALID, run->path,
                       "%s/%s/%s was not timed, because it was identical to a build that is no "
                       "longer the accepted one: accept a run of all rows",
                       SG_NAMES(*name));
    item->is_undeclared |= undeclared;
    item->is_uncounted |= uncounted;
    if (merge->options->is_provisional || !(undeclared || uncounted) ||
        sg_merge_is_waived(merge, item->status))
        return SG_SUCCESS;
    const char *message =
        sg_table_string(run->table, undeclared ? status->message : counted->message);
    if (undeclared)
        return sg_fail(err, SG_UNDECLARED, run->path,
                       "%s/%s/%s expected %s, found %s%s%s: fix it, or waive it: --waive=%s/%s/%s "
                       "--reason=TEXT "
                       "[--until=DATE]",
                       SG_NAMES(*name), sg_status_word(declared), sg_status_word(item->status),
                       *message ? ": " : "", message, SG_NAMES(*name));
    return sg_fail(err, SG_INVALID, run->path,
                   "%s/%s/%s was not counted: %s: %s: run it again, or waive it: --waive=%s/%s/%s "
                   "--reason=TEXT "
                   "[--until=DATE]",
                   SG_NAMES(*name), sg_status_word((enum sg_status)counted->status), message,
                   SG_NAMES(*name));
}

static enum sg_code check_item(struct sg_merge *merge, struct sg_err *err)
{
    struct sg_merge_item *item = &merge->item;
    *item = (struct sg_merge_item){.status = SG_STATUS_COUNT};
    for (size_t i = 0; i < merge->tables; i++)
        if (merge->at[i].from < merge->at[i].to) {
            item->name = sg_value_of(merge->table[i], &merge->table[i]->rows[merge->at[i].from]);
            item->is_in_runs |= i > 0;
        }
    if (item->is_in_runs)
        sg_merge_find_origin(merge);
    item->is_asked = is_asked(merge->options, &item->name);
    for (size_t i = 0; i < merge->options->run_count && err->code == SG_SUCCESS; i++)
        check_run_of_item(merge, &merge->options->runs[i], err);
    item->is_failing = item->is_uncounted;
    return err->code;
}

/* Returns true if a waived or untimed item has no number to replace the accepted one. Facts that
 * describe the item are accepted anyway. */
static bool is_left_as_it_was(const struct sg_merge *merge, const struct sg_value *value,
                              bool is_in_run)
{
    const struct sg_row_use use = sg_row_use_of(value->metric);
    const bool describes = use.kind == SG_ROW_FACT && !(use.is_term && (value->has & SG_HAS_VALUE));
    return !merge->options->is_provisional && !describes &&
           (merge->item.is_undeclared || merge->item.stays ||
            (merge->item.is_uncounted && !is_in_run));
}

static enum sg_code merge_row(struct sg_merge *merge, struct sg_err *err)
{
    size_t last = 0;
    for (size_t i = 1; i < merge->tables; i++)
        last = merge->row[i] ? i : last;
    const struct sg_value value = sg_value_of(merge->table[last], merge->row[last]);
    if (!sg_row_use_of(value.metric).is_accepted && !merge->options->is_provisional)
        return SG_SUCCESS;
    if (is_left_as_it_was(merge, &value, last > 0)) {
        if (merge->row[0] && (!merge->item.stays || check_kept(merge, err) == SG_SUCCESS))
            keep_row(merge, merge->row[0]);
    } else if (last > 0) {
        accept_row(merge, err);
    } else if (merge->row[0] && strcmp(value.metric, SG_WAIVER_METRIC) != 0) {
        keep_or_drop(merge, merge->row[0], err);
    }
    return err->code;
}

static enum sg_code merge_item(struct sg_merge *merge, struct sg_err *err)
{
    const size_t before = merge->fresh->table.count;
    if (check_item(merge, err) != SG_SUCCESS)
        return err->code;
    while (err->code == SG_SUCCESS && next_row(merge))
        merge_row(merge, err);
    if (merge->options->is_provisional)
        return err->code; /* the run has the facts of its items */
    if (err->code == SG_SUCCESS)
        sg_merge_add_waiver(merge);
    /* Items that stay were measured with the previous build. */
    if (merge->fresh->table.count > before && merge->options->old &&
        (!merge->item.is_in_runs || merge->item.stays))
        sg_accepted_build_keep(&merge->fresh->env, &merge->options->old->env, &merge->item.name);
    return err->code;
}

enum sg_code sg_merge_rows(struct sg_merge *merge, struct sg_err *err)
{
    SG_FREED struct sg_row_range *left = sg_alloc(merge->tables, sizeof(*left));
    for (size_t i = 0; i < merge->tables; i++)
        left[i].to = merge->table[i]->count;
    while (err->code == SG_SUCCESS && next_item(merge, left))
        merge_item(merge, err);
    return err->code == SG_SUCCESS ? sg_accepted_sort(merge->fresh, NULL, err) : err->code;
}
