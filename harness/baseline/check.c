#include "baseline/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/row.h"
#include "results/env.h"
#include "results/row_kind.h"
#include "stats/run_limits.h"
#include "stats/statistics.h"

struct check {
    const struct sg_accepted_file *baseline;
    const struct sg_catalogue *catalogue;
    const char *today;
    double tolerance_max;
    bool quoted; /* single numbers out of a text, without intervals */
    sg_baseline_fault_fn *fault;
    void *context;
};

/* Rows of one family/case/variant; NULL: it has none of that name. */
struct item {
    size_t from, to;
    const struct sg_row *role, *status, *time, *ratio, *waiver;
    bool excused; /* by a waiver that is not over */
};

static const char *string_of(const struct check *check, sg_id id)
{
    return sg_table_string(&check->baseline->table, id);
}

static const struct sg_accepted *accepted_of(const struct check *check, const struct sg_row *row)
{
    return &check->baseline->accepted[row - check->baseline->table.rows];
}

__attribute__((format(printf, 5, 6))) static void report(const struct check *check, enum sg_baseline_fault_kind kind,
                                                         const struct sg_row *row, const char *metric, const char *format, ...)
{
    struct sg_text where = {0};
    char why[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof(why), format, arguments);
    va_end(arguments);
    sg_text_addf(&where, "%s: %s/%s/%s%s%s", check->baseline->path, string_of(check, row->family), string_of(check, row->case_),
                 string_of(check, row->variant), *metric ? " " : "", metric);
    check->fault(check->context, kind, where.data, why);
    sg_text_release(&where);
}

/* ---- rows ---- */

/* Why the time is none that a run's can be held against; NULL: it is one. */
static const char *time_fault(const struct check *check, const struct sg_row *row)
{
    const bool has_low = row->has & SG_HAS_LOW, has_high = row->has & SG_HAS_HIGH;
    if (row->status != SG_OK)
        return "gates, but its status is not ok";
    if (!(sg_row_value(row) > 0.0))
        return "gates, but has no value above 0";
    if (!check->quoted && (row->n < SG_PROCESSES_MIN || !has_low || !has_high || !(row->low > 0.0) || row->high < row->low))
        return "gates, but has fewer than 5 processes or no interval";
    if ((has_low && row->value < row->low) || (has_high && row->value > row->high))
        return "gates, but its value is not inside of its interval";
    return NULL;
}

static void check_time(const struct check *check, const struct item *item, const struct sg_row *row)
{
    const char *metric = string_of(check, row->metric), *fault = time_fault(check, row);
    const double tolerance = accepted_of(check, row)->tolerance;
    if (fault)
        report(check, SG_FAULT_MALFORMED, row, metric, "%s", fault);
    else if (!item->excused && !(tolerance > 0.0))
        report(check, SG_FAULT_UNGATED, row, metric, "gates, but has no tolerance: accept it anew, or waive it");
    else if (!item->excused && tolerance > check->tolerance_max)
        report(check, SG_FAULT_UNGATED, row, metric,
               "gates with a tolerance of %.3g %%, above tolerance_max, %.3g %%: accept quieter runs, or waive it", 100.0 * tolerance,
               100.0 * check->tolerance_max);
}

static void check_row(const struct check *check, const struct item *item, const struct sg_row *row)
{
    const char *metric = string_of(check, row->metric);
    /* A value that a variant reports may have a name of its family's own. */
    if (!sg_is_reported(row) && !sg_metric_is_raw(metric) && !sg_catalogue_find(check->catalogue, metric))
        report(check, SG_FAULT_MALFORMED, row, metric, "no such metric in metrics.ini");
    else if ((row == item->time || row == item->ratio) && accepted_of(check, row)->gate)
        check_time(check, item, row);
}

/* ---- items ---- */

static void check_waiver(const struct check *check, struct item *item)
{
    if (!item->waiver)
        return;
    const char *until = string_of(check, item->waiver->message);
    if (strcmp(check->today, until) > 0)
        report(check, SG_FAULT_STALE, item->waiver, "", "its waiver is over since %s: fix it, or waive it again", until);
    else
        item->excused = true;
}

/* An item that is accepted as right is judged by one row, and is never green without it. */
static void check_main(const struct check *check, const struct item *item)
{
    const struct sg_row *first = &check->baseline->table.rows[item->from];
    if (item->excused || (item->status && item->status->status != SG_OK))
        return;
    if (!item->status || !item->role) {
        report(check, SG_FAULT_MALFORMED, first, "", "has no row `%s`", item->status ? "role" : "status");
        return;
    }
    const bool alone = strcmp(string_of(check, item->role->message), "baseline") == 0;
    const struct sg_row *row = alone ? item->time : item->ratio;
    const char *metric = alone ? "time" : "time_ratio";
    if (!row)
        report(check, SG_FAULT_UNGATED, first, metric, "accepted as ok, but without this row, which decides: accept it anew, or waive it");
    else if (!accepted_of(check, row)->gate)
        report(check, SG_FAULT_UNGATED, first, metric, "decides about its item, but has gate = no: accept it anew, or waive it");
}

/* The item that begins at `from`. */
static struct item item_from(const struct check *check, size_t from)
{
    const struct sg_table *table = &check->baseline->table;
    struct item item = {.from = from, .to = from};
    const struct {
        const char *metric;
        const struct sg_row **at;
    } wanted[] = {{"role", &item.role},
                  {"status", &item.status},
                  {"time", &item.time},
                  {"time_ratio", &item.ratio},
                  {SG_WAIVER_METRIC, &item.waiver}};
    while (item.to < table->count && sg_row_same_item(&table->rows[from], &table->rows[item.to])) {
        const struct sg_row *row = &table->rows[item.to++];
        for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
            if (strcmp(string_of(check, row->metric), wanted[i].metric) == 0)
                *wanted[i].at = row;
    }
    return item;
}

void sg_baseline_check(const struct sg_accepted_file *baseline, const struct sg_catalogue *catalogue, const char *today,
                       sg_baseline_fault_fn *fault, void *context)
{
    const char *source = sg_env_get(&baseline->env, "time_source");
    const struct check check = {
        .baseline = baseline,
        .catalogue = catalogue,
        .today = today,
        .tolerance_max = sg_env_tolerance_max(&baseline->env),
        .quoted = source && strcmp(source, "quoted") == 0,
        .fault = fault,
        .context = context,
    };
    struct sg_err other_unit = {0};
    if (sg_check_units(catalogue, &baseline->table, baseline->path, baseline->counters_path, &other_unit) != SG_SUCCESS)
        fault(context, SG_FAULT_MALFORMED, other_unit.where, other_unit.message);
    for (size_t from = 0; from < baseline->table.count;) {
        struct item item = item_from(&check, from);
        check_waiver(&check, &item);
        for (size_t i = item.from; i < item.to; i++)
            check_row(&check, &item, &baseline->table.rows[i]);
        check_main(&check, &item);
        from = item.to;
    }
}
