/* A row of a run as a line of run.csv. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/table.h"
#include "stats/abba.h"
#include "stats/statistics.h"
#include "util/csv_reader.h"
#include "util/file.h"

#define LARGEST 1e100 /* keeps rates and gaps computed from such numbers finite */

/* ---- the columns ---- */

/* Other tools have units that metrics.ini lacks. */
static bool is_unit_of_tool(const char *unit)
{
    return strlen(unit) < 32 &&
           unit[strspn(unit,
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/%^._-")] ==
               '\0';
}

static bool is_metric(const char *name)
{
    return sg_is_name(name) || sg_metric_is_raw(name);
}

#define FIELD(type, title, member, ...) SG_FIELD(type, title, struct sg_value, member, __VA_ARGS__)
#define NAME(title, member, check)      FIELD(TEXT, title, member, .is = (check), .expected = SG_NAME)
/* Every measured, counted or known number of a kernel is at least 0. */
#define NUMBER(member, flag)                                                  \
    FIELD(REAL, #member, member, .bit = (flag), .nan = true, .most = LARGEST, \
          .expected = "0 or a number from 1e-100 to 1e100")
#define ERROR(member, flag) \
    FIELD(REAL, #member, member, .bit = (flag), .expected = "a number, 0 or more")

static const struct sg_field columns[] = {
    NAME("family", family, sg_is_name),
    NAME("case", case_, sg_is_name),
    NAME("variant", variant, sg_is_name),
    NAME("metric", metric, is_metric),
    FIELD(TEXT, "unit", unit),
    NUMBER(value, SG_HAS_VALUE),
    NUMBER(low, SG_HAS_LOW),
    NUMBER(high, SG_HAS_HIGH),
    FIELD(COUNT, "n", n, .bit = SG_HAS_N, .most = SG_REPLICATES_MAX),
    FIELD(WORD, "status", status, .words = sg_status_words,
          .expected = "a status word (ok, wrong, crash, ...)"),
    FIELD(TEXT, "message", message),
    ERROR(se, SG_HAS_SE),
    ERROR(sd, SG_HAS_SD),
};
const struct sg_record sg_value_record = SG_RECORD(columns, .has = offsetof(struct sg_value, has));

/* Earlier versions wrote "against NAME": the partner of such a row would be missing or wrong. */
static enum sg_code check_partner(const struct sg_value *value, struct sg_err *err)
{
    if (!value->message || strncmp(value->message, "against ", 8) != 0 ||
        strcmp(value->metric, "time_ratio") != 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_INPUT, NULL,
                   "message: expected the name of the partner, found '%s': scripts/convert.py "
                   "converts files of earlier versions",
                   sg_show_string(value->message).text);
}

enum sg_code sg_value_check_relations(const struct sg_value *value, struct sg_err *err)
{
    const double numbers[] = {value->value, value->low, value->high};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (value->has >> i & 1 && numbers[i] > 0 && numbers[i] < 1 / LARGEST)
            return sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected %s, found '%g'",
                           columns[5 + i].name, columns[5 + i].expected, numbers[i]);
    if ((value->has & (SG_HAS_LOW | SG_HAS_HIGH)) == (SG_HAS_LOW | SG_HAS_HIGH) &&
        value->low > value->high)
        return sg_fail(err, SG_BAD_INPUT, NULL, "high: expected nothing below low, found '%.12g'",
                       value->high);
    const char *unit = value->unit ? value->unit : "";
    if (*unit && !sg_is_unit(unit) && !(sg_metric_is_raw(value->metric) && is_unit_of_tool(unit)))
        return sg_field_fail("unit", "a unit of metrics.ini (ns, B, Hz, %, 1, ...), or nothing",
                             unit, err);
    return check_partner(value, err);
}

enum sg_code sg_value_check(const struct sg_value *value, struct sg_err *err)
{
    return sg_record_check(&sg_value_record, value, err) == SG_SUCCESS
               ? sg_value_check_relations(value, err)
               : err->code;
}

enum sg_code sg_value_check_unit(const struct sg_catalogue *catalogue, const struct sg_value *value,
                                 struct sg_err *err)
{
    const struct sg_metric *metric = sg_catalogue_find(catalogue, value->metric);
    if (!metric || strcmp(metric->unit, value->unit) == 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected the unit %s, found '%s'", value->metric,
                   metric->unit, value->unit);
}

/* ---- as a line ---- */

void sg_table_format(struct sg_text *out, const struct sg_table *table)
{
    sg_record_add_header(out, &sg_value_record);
    sg_text_add(out, "\n");
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_value value = sg_value_of(table, &table->rows[i]);
        sg_record_add(out, &sg_value_record, &value, NULL);
        sg_text_add(out, "\n");
    }
}

enum sg_code sg_table_write(const char *path, const struct sg_table *table, struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    sg_table_format(&text, table);
    return sg_write_file(path, text.data, text.length, err);
}

/* Derives se and sd of a time or a ratio of schema 1 from its interval; other rows get none. */
static void recover_errors(struct sg_value *value)
{
    const uint8_t interval = SG_HAS_LOW | SG_HAS_HIGH | SG_HAS_N;
    double se = NAN;
    if ((value->has & interval) != interval || value->n < 2)
        return;
    if (strcmp(value->metric, "time_ratio") == 0)
        se = sg_abba_se_of(value->low, value->high, value->n);
    else if (strcmp(value->metric, "time") == 0 && value->low > 0)
        se = log(value->high / value->low) / (2 * sg_t_quantile(0.975, value->n - 1.0));
    if (isnan(se))
        return;
    value->se = se;
    value->sd = se * sqrt(value->n);
    value->has |= SG_HAS_SE | SG_HAS_SD;
}

enum sg_code sg_table_add_fields(struct sg_table *table, const char *const given[SG_VALUE_FIELDS],
                                 const char *const *errors, struct sg_err *err)
{
    const char *field[sizeof(columns) / sizeof(columns[0])];
    struct sg_value value = {0};
    for (size_t i = 0; i < SG_VALUE_FIELDS; i++)
        field[i] = given[i];
    if (errors)
        memcpy(field + SG_VALUE_FIELDS, errors, 2 * sizeof(*field));
    const struct sg_record record =
        sg_record_part(&sg_value_record, 0, errors ? sg_value_record.count : SG_VALUE_FIELDS);
    if (sg_record_read(&record, field, &value, NULL, err) != SG_SUCCESS ||
        sg_value_check_relations(&value, err) != SG_SUCCESS)
        return err->code;
    if (!errors)
        recover_errors(&value);
    sg_table_add(table, &value);
    return SG_SUCCESS;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_table *table = context;
    const bool has_errors = row->count != SG_VALUE_FIELDS;
    const struct sg_record record =
        sg_record_part(&sg_value_record, 0, has_errors ? sg_value_record.count : SG_VALUE_FIELDS);
    if (row->line == 1)
        return sg_record_check_header(&record, row, err);
    if (sg_table_add_fields(table, row->field, has_errors ? row->field + SG_VALUE_FIELDS : NULL,
                            err) == SG_SUCCESS)
        table->rows[table->count - 1].line = (uint32_t)row->line;
    return sg_fail_here(err, row->path, row->line);
}

enum sg_code sg_table_read(const char *path, struct sg_table *table, struct sg_digest *digest,
                           struct sg_err *err)
{
    if (sg_csv_read_digested(path, on_row, table, digest, err) != SG_SUCCESS)
        return err->code;
    free(table->path);
    table->path = sg_copy_string(path);
    return sg_table_sort_with(table, &(struct sg_sort_context){.path = path}, err);
}
