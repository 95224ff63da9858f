#include "baseline/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/row.h"
#include "results/row_kind.h"
#include "stats/run_limits.h"

struct check {
    const struct sg_accepted_file *file;
    const struct sg_catalogue *catalogue;
    const char *today;
    double tolerance_max;
    bool quoted; /* single numbers from a text, without intervals */
    sg_accepted_fault_fn *fault;
    void *context;
    /* The current family/case/variant: */
    struct sg_value item;
    bool excused; /* has a valid waiver */
};

__attribute__((format(printf, 4, 5))) static void report(const struct check *check,
                                                         enum sg_accepted_fault_kind kind,
                                                         const char *metric, const char *format,
                                                         ...)
{
    char why[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    SG_FORMATTED(where, "%s: %s/%s/%s%s%s", check->file->path, SG_NAMES(check->item),
                 *metric ? " " : "", metric);
    check->fault(check->context, kind, where.data, why);
}

static const struct sg_accepted *accepted_of(const struct check *check, const struct sg_row *row)
{
    return &check->file->accepted[row - check->file->table.rows];
}

static const struct sg_row *find(const struct check *check, const char *metric)
{
    return sg_table_find(&check->file->table, SG_NAMES(check->item), metric);
}

/* ---- rows ---- */

/* Why no run can be compared with this time; NULL: comparable. */
static const char *time_fault(const struct check *check, const struct sg_row *row)
{
    const bool has_low = row->has & SG_HAS_LOW, has_high = row->has & SG_HAS_HIGH;
    if (row->status != SG_OK)
        return "gates, but its status is not ok";
    if (!(sg_row_value(row) > 0.0))
        return "gates, but has no value above 0";
    if (!check->quoted && (row->n < SG_PROCESSES_MIN || !has_low || !has_high ||
                           !(row->low > 0.0) || row->high < row->low))
        return "gates, but has fewer than 5 processes or no interval";
    if ((has_low && row->value < row->low) || (has_high && row->value > row->high))
        return "gates, but its value is outside of its interval";
    return NULL;
}

static void check_time(const struct check *check, const struct sg_row *row, const char *metric)
{
    const char *fault = time_fault(check, row);
    const double tolerance = accepted_of(check, row)->tolerance;
    if (fault)
        report(check, SG_FAULT_MALFORMED, metric, "%s", fault);
    else if (!check->excused && !(tolerance > 0.0))
        report(check, SG_FAULT_UNGATED, metric,
               "gates, but has no tolerance: accept it again, or waive it");
    else if (!check->excused && tolerance > check->tolerance_max)
        report(check, SG_FAULT_UNGATED, metric,
               "gates with a tolerance of %.3g %%, above tolerance_max, %.3g %%: accept quieter "
               "runs, or waive it",
               100.0 * tolerance, 100.0 * check->tolerance_max);
}

static void check_row(const struct check *check, const struct sg_row *row)
{
    const char *metric = sg_table_string(&check->file->table, row->metric);
    const enum sg_row_kind kind = sg_row_use_of(metric).kind;
    /* A variant may report values under names of its family. */
    if (!sg_is_reported(row) && !sg_metric_is_raw(metric) &&
        !sg_catalogue_find(check->catalogue, metric))
        report(check, SG_FAULT_MALFORMED, metric, "no such metric in metrics.ini");
    else if ((kind == SG_ROW_TIME || kind == SG_ROW_RATIO) && accepted_of(check, row)->gate)
        check_time(check, row, metric);
}

/* ---- items ---- */

/* An item accepted as ok is decided by one row, and is never green without that row. */
static void check_main(const struct check *check)
{
    const struct sg_row *status = find(check, "status"), *role = find(check, "role");
    if (check->excused || (status && status->status != SG_OK))
        return;
    if (!status || !role) {
        report(check, SG_FAULT_MALFORMED, "", "has no row `%s`", status ? "role" : "status");
        return;
    }
    const bool is_baseline =
        strcmp(sg_table_string(&check->file->table, role->message), "baseline") == 0;
    const char *metric = is_baseline ? "time" : "time_ratio";
    const struct sg_row *row = find(check, metric);
    if (!row)
        report(check, SG_FAULT_UNGATED, metric,
               "accepted as ok, but without this row, which decides: accept it again, or waive it");
    else if (!accepted_of(check, row)->gate)
        report(check, SG_FAULT_UNGATED, metric,
               "decides about its item, but has gate = no: accept it again, or waive it");
}

static void begin_item(struct check *check, const struct sg_row *first)
{
    check->item = sg_value_of(&check->file->table, first);
    const struct sg_row *waiver = find(check, SG_WAIVER_METRIC);
    const char *until = waiver ? sg_table_string(&check->file->table, waiver->message) : "";
    check->excused = waiver && strcmp(check->today, until) <= 0;
    if (waiver && !check->excused)
        report(check, SG_FAULT_STALE, "", "its waiver expired after %s: fix it, or waive it again",
               until);
}

void sg_accepted_check(const struct sg_accepted_file *file, const struct sg_catalogue *catalogue,
                       const char *today, sg_accepted_fault_fn *fault, void *context)
{
    const struct sg_table *table = &file->table;
    struct check check = {
        .file = file,
        .catalogue = catalogue,
        .today = today,
        .tolerance_max = sg_env_tolerance_max(&file->env),
        .quoted = sg_env_is_quoted(&file->env),
        .fault = fault,
        .context = context,
    };
    struct sg_err other_unit = {0};
    if (sg_check_units(catalogue, table, file->path, &other_unit) != SG_SUCCESS)
        fault(context, SG_FAULT_MALFORMED, other_unit.where, other_unit.message);
    for (size_t i = 0; i < table->count; i++) {
        if (i == 0 || !sg_row_same_item(&table->rows[i - 1], &table->rows[i]))
            begin_item(&check, &table->rows[i]);
        check_row(&check, &table->rows[i]);
        if (i + 1 == table->count || !sg_row_same_item(&table->rows[i], &table->rows[i + 1]))
            check_main(&check);
    }
}
