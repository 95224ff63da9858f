/* run.csv into a table (results/table.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "results/table.h"
#include "stats/abba.h"
#include "stats/statistics.h"
#include "util/csv_fields.h"
#include "util/csv_reader.h"

enum { FAMILY, CASE, VARIANT, METRIC, UNIT, VALUE, LOW, HIGH, N, STATUS, MESSAGE, SE };

static const char *const name_column[] = {"family", "case", "variant", "metric"};

/* Nothing that is measured, counted or known of a kernel is below 0. */
static enum sg_code parse_number(const char *const field[SG_VALUE_FIELDS], int index, uint8_t bit, struct sg_value *value,
                                 struct sg_err *err)
{
    static const char *const column[] = {[VALUE] = "value", [LOW] = "low", [HIGH] = "high"};
    double *const target[] = {[VALUE] = &value->value, [LOW] = &value->low, [HIGH] = &value->high};
    if (field[index][0] == '\0')
        return SG_DONE;
    value->has |= bit;
    if (sg_field_number(column[index], field[index], true, target[index], err) == SG_DONE && *target[index] < 0)
        sg_field_fail(column[index], "a number, 0 or more", field[index], err);
    return err->code;
}

/* Everything but the names: they repeat from row to row, and a reader of many rows checks them only where they change. */
static enum sg_code parse_figures(const char *const field[SG_VALUE_FIELDS], struct sg_value *value, struct sg_err *err)
{
    uint64_t n = 0;
    *value = (struct sg_value){.family = field[FAMILY],
                               .case_ = field[CASE],
                               .variant = field[VARIANT],
                               .metric = field[METRIC],
                               .unit = field[UNIT],
                               .message = field[MESSAGE],
                               .status = sg_status_from_word(field[STATUS])};
    if (value->status == SG_STATUS_COUNT)
        return sg_field_fail("status", "a status word (ok, wrong, crash, ...)", field[STATUS], err);
    if (field[UNIT][0] != '\0' && !sg_is_unit(field[UNIT]))
        return sg_field_fail("unit", "a unit of metrics.ini (ns, B, Hz, %, 1, ...), or nothing", field[UNIT], err);
    if (parse_number(field, VALUE, SG_HAS_VALUE, value, err) != SG_DONE || parse_number(field, LOW, SG_HAS_LOW, value, err) != SG_DONE ||
        parse_number(field, HIGH, SG_HAS_HIGH, value, err) != SG_DONE)
        return err->code;
    if ((value->has & SG_HAS_LOW) && (value->has & SG_HAS_HIGH) && value->low > value->high)
        return sg_field_fail("high", "nothing below low", field[HIGH], err);
    if (field[N][0] != '\0') {
        value->has |= SG_HAS_N;
        sg_field_count("n", field[N], SG_REPLICATES_MAX, &n, err);
        value->n = (uint32_t)n;
    }
    return err->code;
}

enum sg_code sg_value_parse(const char *const field[SG_VALUE_FIELDS], struct sg_value *value, struct sg_err *err)
{
    for (int i = FAMILY; i <= METRIC; i++) {
        if (sg_field_name(name_column[i], field[i], err) != SG_DONE)
            return err->code;
    }
    return parse_figures(field, value, err);
}

void sg_row_recover_errors(const struct sg_table *table, struct sg_row *row)
{
    const char *metric = sg_table_string(table, row->metric);
    const uint8_t interval = SG_HAS_LOW | SG_HAS_HIGH | SG_HAS_N;
    if (row->has & SG_HAS_SE || (row->has & interval) != interval || row->n < 2)
        return;
    if (strcmp(metric, "time_ratio") == 0)
        row->se = sg_duet_se_of(row->low, row->high, row->n);
    else if (strcmp(metric, "time") == 0 && row->low > 0)
        row->se = log(row->high / row->low) / (2 * sg_t_quantile(0.975, row->n - 1.0));
    if (isnan(row->se))
        return;
    row->sd = row->se * sqrt(row->n);
    row->has |= SG_HAS_SE | SG_HAS_SD;
}

static enum sg_code parse_errors(const char *const errors[2], struct sg_value *value, struct sg_err *err)
{
    static const char *const column[] = {"se", "sd"};
    static const uint8_t bit[] = {SG_HAS_SE, SG_HAS_SD};
    double *const target[] = {&value->se, &value->sd};
    for (size_t i = 0; i < 2; i++) {
        if (errors[i][0] == '\0')
            continue;
        value->has |= bit[i];
        if (sg_field_number(column[i], errors[i], false, target[i], err) != SG_DONE)
            return err->code;
        if (!(*target[i] >= 0))
            return sg_field_fail(column[i], "a number, 0 or more", errors[i], err);
    }
    return SG_DONE;
}

enum sg_code sg_table_add_fields(struct sg_table *table, const char *const field[SG_VALUE_FIELDS], const char *const *errors,
                                 struct sg_err *err)
{
    struct sg_value value;
    struct sg_row last = {0};
    if (table->count > 0)
        last = table->rows[table->count - 1];
    const sg_id checked[] = {last.family, last.case_, last.variant, last.metric};
    for (int i = FAMILY; i <= METRIC; i++) {
        bool same = table->count > 0 && strcmp(sg_table_string(table, checked[i]), field[i]) == 0;
        if (!same && sg_field_name(name_column[i], field[i], err) != SG_DONE)
            return err->code;
    }
    if (parse_figures(field, &value, err) != SG_DONE || (errors && parse_errors(errors, &value, err) != SG_DONE))
        return err->code;
    sg_table_add(table, &value);
    if (!errors)
        sg_row_recover_errors(table, &table->rows[table->count - 1]);
    return SG_DONE;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_table *table = context;
    if (row->line == 1)
        return sg_csv_check_header(row, row->count == SG_VALUE_FIELDS ? SG_RUN_HEADER_1 : SG_RUN_HEADER, err);
    sg_table_add_fields(table, row->field, row->count > SG_VALUE_FIELDS ? row->field + SE : NULL, err);
    return sg_fail_here(err, row->path, row->line);
}

enum sg_code sg_table_read_journal(const char *path, struct sg_table *table, uint64_t *whole_bytes, struct sg_err *err)
{
    return sg_csv_read_journal(path, on_row, table, whole_bytes, err);
}

enum sg_code sg_table_read(const char *path, struct sg_table *table, struct sg_digest *digest, struct sg_err *err)
{
    if (sg_csv_read_digested(path, on_row, table, digest, err) != SG_DONE)
        return err->code;
    free(table->path);
    table->path = sg_copy_string(path);
    const struct sg_beside none = {.path = path};
    return sg_table_sort_with(table, &none, err);
}
