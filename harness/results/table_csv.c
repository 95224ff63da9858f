/*
 * A row of a run as a message and as a line of run.csv.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/message.h"
#include "results/table.h"
#include "stats/abba.h"
#include "stats/statistics.h"
#include "util/csv_reader.h"
#include "util/file.h"

#define FIGURE_MAX 1e100 /* keeps rates and gaps computed from such numbers finite */

enum { FAMILY, CASE, VARIANT, METRIC, UNIT, VALUE, LOW, HIGH, N, STATUS, MESSAGE, SE, SD };

static const struct {
    size_t field;
    uint8_t bit;
} numbers[] = {{VALUE, SG_HAS_VALUE}, {LOW, SG_HAS_LOW}, {HIGH, SG_HAS_HIGH},
               {N, SG_HAS_N},         {SE, SG_HAS_SE},   {SD, SG_HAS_SD}};
#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

/* ---- as a message ---- */

struct sg_message sg_value_message(const struct sg_value *value)
{
    struct sg_message message = {.kind = SG_MESSAGE_VALUE,
                                 .field = {[FAMILY] = value->family,
                                           [CASE] = value->case_,
                                           [VARIANT] = value->variant,
                                           [METRIC] = value->metric,
                                           [UNIT] = value->unit,
                                           [STATUS] = sg_status_word(value->status),
                                           [MESSAGE] = value->message}};
    const double all[NUMBERS] = {value->value, value->low, value->high,
                                 value->n,     value->se,  value->sd};
    for (size_t i = 0; i < NUMBERS; i++)
        if (value->has & numbers[i].bit)
            sg_message_set(&message, numbers[i].field, all[i]);
    return message;
}

/* Every measured, counted or known number of a kernel is at least 0. */
static enum sg_code check_number(const struct sg_message *message, size_t field, struct sg_err *err)
{
    const double number = sg_message_number(message, field);
    if (number < 0)
        return sg_message_fail(message, field, "a number, 0 or more", err);
    if (number > FIGURE_MAX || (number > 0 && number < 1 / FIGURE_MAX))
        return sg_message_fail(message, field, "0 or a number from 1e-100 to 1e100", err);
    return SG_SUCCESS;
}

/* Other tools have units that metrics.ini lacks. */
static bool is_unit_of_tool(const char *unit)
{
    return strlen(unit) < 32 &&
           unit[strspn(unit,
                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/%^._-")] ==
               '\0';
}

static enum sg_code check_names(const struct sg_message *message, struct sg_err *err)
{
    for (size_t i = FAMILY; i <= METRIC; i++)
        if (!(i == METRIC && sg_metric_is_raw(message->field[i])) &&
            sg_message_check_name(message, i, err) != SG_SUCCESS)
            return err->code;
    if (message->field[UNIT][0] && !sg_is_unit(message->field[UNIT]) &&
        !(sg_metric_is_raw(message->field[METRIC]) && is_unit_of_tool(message->field[UNIT])))
        return sg_message_fail(message, UNIT,
                               "a unit of metrics.ini (ns, B, Hz, %, 1, ...), or nothing", err);
    if (sg_status_from_word(message->field[STATUS]) == SG_STATUS_COUNT)
        return sg_message_fail(message, STATUS, "a status word (ok, wrong, crash, ...)", err);
    return SG_SUCCESS;
}

static enum sg_code check_numbers(const struct sg_message *message, uint64_t *n, struct sg_err *err)
{
    for (size_t i = VALUE; i <= HIGH; i++)
        if (check_number(message, i, err) != SG_SUCCESS)
            return err->code;
    if (sg_message_number(message, LOW) > sg_message_number(message, HIGH))
        return sg_message_fail(message, HIGH, "nothing below low", err);
    for (size_t i = SE; i <= SD; i++)
        if (message->has >> i & 1 && !(message->number[i] >= 0))
            return sg_message_fail(message, i, "a number, 0 or more", err);
    return message->has >> N & 1 ? sg_message_count(message, N, SG_REPLICATES_MAX, n, err)
                                 : SG_SUCCESS;
}

enum sg_code sg_take_value(const struct sg_message *message, struct sg_value *value,
                           struct sg_err *err)
{
    uint64_t n = 0;
    if (check_names(message, err) != SG_SUCCESS || check_numbers(message, &n, err) != SG_SUCCESS)
        return err->code;
    *value = (struct sg_value){.family = message->field[FAMILY],
                               .case_ = message->field[CASE],
                               .variant = message->field[VARIANT],
                               .metric = message->field[METRIC],
                               .unit = message->field[UNIT],
                               .message = message->field[MESSAGE],
                               .value = message->number[VALUE],
                               .low = message->number[LOW],
                               .high = message->number[HIGH],
                               .se = message->number[SE],
                               .sd = message->number[SD],
                               .n = (uint32_t)n,
                               .status = sg_status_from_word(message->field[STATUS])};
    for (size_t i = 0; i < NUMBERS; i++)
        if (message->has >> numbers[i].field & 1)
            value->has |= numbers[i].bit;
    return SG_SUCCESS;
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

void sg_row_format(struct sg_text *out, const struct sg_table *table, const struct sg_row *row)
{
    const struct sg_value value = sg_value_of(table, row);
    const struct sg_message message = sg_value_message(&value);
    sg_message_add_fields(out, &message, 0, SG_VALUE_FIELDS);
}

void sg_row_format_errors(struct sg_text *out, const struct sg_table *table,
                          const struct sg_row *row)
{
    const struct sg_value value = sg_value_of(table, row);
    const struct sg_message message = sg_value_message(&value);
    sg_text_add(out, ",");
    sg_message_add_fields(out, &message, SE, SG_RUN_FIELDS);
    sg_text_add(out, "\n");
}

void sg_table_format(struct sg_text *out, const struct sg_table *table)
{
    sg_text_add(out, SG_RUN_HEADER "\n");
    for (size_t i = 0; i < table->count; i++) {
        sg_row_format(out, table, &table->rows[i]);
        sg_row_format_errors(out, table, &table->rows[i]);
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
    const char *field[SG_RUN_FIELDS] = {[SE] = "", [SD] = ""};
    struct sg_message message;
    struct sg_value value;
    for (size_t i = 0; i < SG_VALUE_FIELDS; i++)
        field[i] = given[i];
    if (errors)
        memcpy(field + SE, errors, 2 * sizeof(*field));
    if (sg_message_of_fields(SG_MESSAGE_VALUE, field, &message, err) != SG_SUCCESS ||
        sg_take_value(&message, &value, err) != SG_SUCCESS)
        return err->code;
    if (!errors)
        recover_errors(&value);
    sg_table_add(table, &value);
    return SG_SUCCESS;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_table *table = context;
    if (row->line == 1)
        return sg_csv_check_header(
            row, row->count == SG_VALUE_FIELDS ? SG_RUN_HEADER_1 : SG_RUN_HEADER, err);
    if (sg_table_add_fields(table, row->field,
                            row->count > SG_VALUE_FIELDS ? row->field + SE : NULL,
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
    return sg_table_sort_with(table, &(struct sg_beside){.path = path}, err);
}
