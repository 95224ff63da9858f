#include "baseline_accept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accept_row.h"
#include "compare_parts.h"

/* Where the merge of all tables stands. Table 0 is the old baseline (may be empty), then the runs in the order given. */
struct sg_merge {
    const struct sg_accept_options *options;
    const struct sg_table **table;
    size_t *at;
    size_t tables;
    struct sg_baseline *fresh;
    size_t accepted_capacity;
    struct sg_accept_report *report;
    struct sg_accept_visits visits;
    size_t *unit; /* of each run: index into units */
    const char **units;
    struct sg_origin origin;
    struct sg_bounds_by_df bounds;
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
    struct sg_baseline *fresh = merge->fresh;
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

static void note(struct sg_accept_report *report, const struct sg_accept_change *change)
{
    report->added += change->added;
    report->removed += change->removed;
    report->changed += change->moved;
    if (change->worse && report->worse++ == 0)
        strncpy(report->worst, sg_text_string(&change->line), sizeof(report->worst) - 1);
    if (change->shown)
        sg_text_addf(&report->changes, "%s\n", sg_text_string(&change->line));
}

/* A file says once how many runs of which GPUs its numbers are of: a row that stays must be of as many, of the same GPUs. */
static enum sg_code check_kept(const struct sg_merge *merge, const struct sg_row *row, struct sg_err *err)
{
    const struct sg_baseline *old = merge->options->old;
    const struct sg_origin was = sg_origin_of(&old->env, merge->units[0]);
    bool same = was.runs == merge->origin.runs && was.units == merge->origin.units;
    for (size_t i = 0; same && i < merge->origin.units; i++)
        same = sg_origin_of(&old->env, merge->units[i]).has_unit;
    if (same)
        return SG_DONE;
    return sg_fail(err, SG_INVALID, old->path,
                   "%s/%s/%s stays, of %zu runs on %zu GPUs, but these are %zu runs on %zu, or on others: accept as many runs of the same "
                   "GPUs, or runs of the whole suite, drop it with --prune, or write elsewhere with --out=FILE",
                   sg_table_string(&old->table, row->family), sg_table_string(&old->table, row->case_),
                   sg_table_string(&old->table, row->variant), was.runs, was.units, merge->origin.runs, merge->origin.units);
}

/* Only the old baseline has this row: it stays if its variant was not run, and goes if the variant has lost it. */
static enum sg_code keep_or_drop(struct sg_merge *merge, const struct sg_row *old_row, struct sg_err *err)
{
    const struct sg_baseline *old = merge->options->old;
    const struct sg_accepted *was = &old->accepted[old_row - old->table.rows];
    const bool was_run = any_run_has(merge, &old->table, old_row);
    if (!was_run && !merge->options->prune) {
        if (check_kept(merge, old_row, err) != SG_DONE)
            return err->code;
        const struct sg_value value = sg_value_of(&old->table, old_row);
        struct sg_accepted *accepted = add_row(merge, &value);
        *accepted = *was;
        accepted->expect = sg_table_intern(&merge->fresh->table, sg_table_string(&old->table, was->expect));
        accepted->reason = sg_table_intern(&merge->fresh->table, sg_table_string(&old->table, was->reason));
        return SG_DONE;
    }
    struct sg_accept_change change = {.removed = true};
    sg_accept_say_removed(&old->table, old_row, was->gate, was_run, &change);
    note(merge->report, &change);
    sg_text_release(&change.line);
    return SG_DONE;
}

static enum sg_code accept_rows(struct sg_merge *merge, const struct sg_row **row, struct sg_err *err)
{
    const struct sg_baseline *old = merge->options->old;
    struct sg_accept_item item = {
        .runs = merge->options->runs,
        .run_count = merge->options->run_count,
        .row = row + 1,
        .catalogue = merge->options->catalogue,
        .visits = &merge->visits,
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
    if (sg_accept_combine(&item, &result, err) != SG_DONE)
        return err->code;
    sg_accept_judge(&item, &result, &change);
    struct sg_accepted *accepted = add_row(merge, &result.value);
    *accepted = result.accepted;
    accepted->expect = sg_table_intern(&merge->fresh->table, result.expect);
    accepted->reason = sg_table_intern(&merge->fresh->table, result.reason);
    note(merge->report, &change);
    sg_text_release(&change.line);
    return SG_DONE;
}

static enum sg_code merge_all(struct sg_merge *merge, struct sg_err *err)
{
    const struct sg_row **row = sg_alloc(merge->tables, sizeof(const struct sg_row *));
    while (err->code == SG_DONE && next_rows(merge, row)) {
        bool in_a_run = false;
        for (size_t i = 1; i < merge->tables; i++)
            in_a_run |= row[i] != NULL;
        if (in_a_run)
            accept_rows(merge, row, err);
        else if (row[0])
            keep_or_drop(merge, row[0], err);
    }
    free(row);
    return err->code;
}

/* ---- may these runs be accepted together ---- */

/*
 * A file holds the numbers of one suite on one model of GPU: rows of another would stand in it as missing for good. And of one state of the
 * L2, which env.csv says of all: rows that stay would be called what they are not.
 */
static enum sg_code check_old(const struct sg_env *run, const struct sg_baseline *old, struct sg_err *err)
{
    static const char *const keys[] = {"gpu", "suite", "l2"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *is = sg_env_get(run, keys[i]), *was = sg_env_get(&old->env, keys[i]);
        if (strcmp(is ? is : "", was ? was : "") != 0)
            return sg_fail(err, SG_NOT_COMPARABLE, old->path,
                           "not comparable: %s is '%s' in the run, '%s' in the accepted numbers; --out=FILE writes elsewhere", keys[i],
                           is ? is : "", was ? was : "");
    }
    return SG_DONE;
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
    const char *suite = sg_env_get(last->env, "suite");
    for (size_t i = 0; i + 1 < options->run_count; i++) {
        const char *other = sg_env_get(options->runs[i].env, "suite");
        if (sg_check_comparable(options->runs[i].env, last->env, options->runs[i].path, err) != SG_DONE)
            return err->code;
        if (strcmp(suite ? suite : "", other ? other : "") != 0)
            return sg_fail(err, SG_NOT_COMPARABLE, options->runs[i].path, "not comparable: suite is '%s' here, '%s' in %s",
                           other ? other : "", suite ? suite : "", last->path);
    }
    return options->old ? check_old(last->env, options->old, err) : SG_DONE;
}

static void copy_env(const struct sg_env *from, struct sg_env *to)
{
    for (size_t i = 0; i < from->count; i++)
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

static void set_env(const struct sg_merge *merge, struct sg_env *env)
{
    const struct sg_accept_options *options = merge->options;
    struct sg_text runs = {0};
    struct sg_text units = {0};
    sg_text_addf(&runs, "%zu", options->run_count);
    for (size_t i = 0; i < merge->origin.units; i++)
        sg_text_addf(&units, "%s%s", i > 0 ? "+" : "", merge->units[i]);
    copy_env(options->runs[options->run_count - 1].env, env);
    sg_env_set(env, "accepted_runs", sg_text_string(&runs));
    sg_env_set(env, "accepted_units", sg_text_string(&units));
    sg_text_release(&units);
    sg_text_release(&runs);
}

enum sg_code sg_baseline_accept(const struct sg_accept_options *options, struct sg_baseline *fresh, struct sg_accept_report *report,
                                struct sg_err *err)
{
    static const struct sg_table no_table = {0};
    struct sg_merge merge = {.options = options, .tables = options->run_count + 1, .fresh = fresh, .report = report};
    *fresh = (struct sg_baseline){0};
    *report = (struct sg_accept_report){0};
    sg_table_init(&fresh->table);
    if (check_runs(options, err) != SG_DONE)
        return err->code;
    merge.table = sg_alloc(merge.tables, sizeof(const struct sg_table *));
    merge.at = sg_alloc(merge.tables, sizeof(*merge.at));
    merge.table[0] = options->old ? &options->old->table : &no_table;
    for (size_t i = 0; i < options->run_count; i++)
        merge.table[i + 1] = options->runs[i].table;
    sg_accept_visits_init(&merge.visits, options->runs, options->run_count);
    find_units(&merge);
    merge_all(&merge, err);
    set_env(&merge, &fresh->env);
    sg_accept_visits_release(&merge.visits);
    free(merge.units);
    free(merge.unit);
    free(merge.at);
    free(merge.table);
    if (err->code == SG_DONE && report->worse > 0 && !(options->reason && *options->reason))
        sg_fail(err, SG_BAD_USAGE, "baseline accept", "%zu accepted numbers get worse (%s): say why with --reason=TEXT", report->worse,
                report->worst);
    return err->code;
}

void sg_accept_report_release(struct sg_accept_report *report)
{
    sg_text_release(&report->changes);
    *report = (struct sg_accept_report){0};
}

void sg_baseline_from_run(struct sg_run *run, struct sg_baseline *baseline)
{
    *baseline = (struct sg_baseline){.table = run->table, .env = run->env, .path = run->folder};
    *run = (struct sg_run){0};
    struct sg_table *table = &baseline->table;
    baseline->accepted = sg_alloc(table->count ? table->count : 1, sizeof(*baseline->accepted));
    const struct sg_row *role = NULL;
    const struct sg_row *clock = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_row *row = &table->rows[i];
        const char *metric = sg_table_string(table, row->metric);
        /* Within a variant the rows are sorted: role and sm_clock come before time. */
        if (strcmp(metric, "role") == 0)
            role = row;
        else if (strcmp(metric, "sm_clock") == 0)
            clock = row;
        const bool is_baseline =
            role && sg_accept_same_variant(role, row) && strcmp(sg_table_string(table, role->message), "baseline") == 0;
        baseline->accepted[i] = (struct sg_accepted){
            .tolerance = NAN,
            .beta = NAN,
            .f0 = clock && sg_accept_same_variant(clock, row) ? sg_row_value(clock) : NAN,
            .sd_process = NAN,
            .sd_day = NAN,
            .gate = sg_accept_gates_by_default(metric, is_baseline),
        };
    }
}
