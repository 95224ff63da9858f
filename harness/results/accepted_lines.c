#include "results/accepted_lines.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "results/row_kind.h"
#include "util/csv_fields.h"

/* Columns of SG_ACCEPTED_HEADER and SG_ACCEPTED_COUNTERS_HEADER after those of a run. */
enum {
    METRIC = 3,
    MESSAGE = SG_VALUE_FIELDS - 1,
    TOLERANCE,
    GATE,
    BETA,
    F0,
    SD_PROCESS,
    SD_DAY,
    EXPECT,
    REASON,
    SE
};
enum { SPREAD = SG_VALUE_FIELDS, COUNTER_GATE, COUNTER_REASON };

#define SPREAD_DIGITS 3

/* ---- reading ---- */

/* A numeric field of a line; an empty field is NaN. */
struct figure {
    int field;
    const char *column, *expected;
    double low, high; /* inclusive */
    size_t place;     /* offset in struct sg_accepted */
};
#define FIGURE(field, column, expected, low, high, member)                       \
    {                                                                            \
        field, column, expected, low, high, offsetof(struct sg_accepted, member) \
    }

static enum sg_code take_figure(const struct figure *figure, const struct sg_csv_row *line,
                                struct sg_accepted *accepted, struct sg_err *err)
{
    const char *field = line->field[figure->field];
    double value = NAN;
    if (field[0] && sg_field_number(figure->column, field, false, &value, err) != SG_SUCCESS)
        return err->code;
    if (value < figure->low || value > figure->high)
        return sg_field_fail(figure->column, figure->expected, field, err);
    memcpy((char *)accepted + figure->place, &value, sizeof(value));
    return SG_SUCCESS;
}

static enum sg_code take_gate(const char *field, const char *metric, bool *gate, struct sg_err *err)
{
    *gate = strcmp(field, "yes") == 0;
    if (!*gate && strcmp(field, "no") != 0)
        return sg_field_fail("gate", "yes or no", field, err);
    if (*gate && sg_row_use_of(metric).kind == SG_ROW_FACT)
        return sg_field_fail("gate", "no, for the row describes and is not judged,", field, err);
    return SG_SUCCESS;
}

static enum sg_code check_expect(const char *expect, struct sg_err *err)
{
    const bool is_known = !*expect || strcmp(expect, "regressed") == 0 ||
                          sg_status_from_word(expect) != SG_STATUS_COUNT;
    return is_known ? SG_SUCCESS
                    : sg_field_fail("expect", "nothing, a status word or regressed", expect, err);
}

/* A waiver without a last day would never expire. */
static enum sg_code check_waiver(const char *const *field, struct sg_err *err)
{
    time_t day = 0;
    if (strcmp(field[METRIC], SG_WAIVER_METRIC) != 0)
        return SG_SUCCESS;
    if (!sg_parse_day(field[MESSAGE], &day))
        return sg_field_fail("message of a waiver", "its last day, such as 2026-12-31",
                             field[MESSAGE], err);
    const char *reason = field[REASON];
    return sg_is_blank(reason) ? sg_field_fail("reason of a waiver",
                                               "why the item may be other than green", reason, err)
                               : SG_SUCCESS;
}

static enum sg_code take_judged(struct sg_accepted_file *file, const struct sg_csv_row *line,
                                struct sg_err *err)
{
    static const struct figure figures[] = {
        FIGURE(TOLERANCE, "tolerance", "a ratio above 0 and below 1", DBL_MIN, 1.0 - DBL_EPSILON,
               tolerance),
        FIGURE(BETA, "beta", "a clock sensitivity from 0 to 1", 0, 1, beta),
        FIGURE(F0, "f0", "a clock in Hz, 0 or more", 0, HUGE_VAL, f0),
        FIGURE(SD_PROCESS, "sd_process", "a standard deviation, 0 or more", 0, HUGE_VAL,
               sd_process),
        FIGURE(SD_DAY, "sd_day", "a standard deviation, 0 or more", 0, HUGE_VAL, sd_day),
    };
    const char *const *field = line->field;
    if (sg_table_add_fields(&file->table, field, &field[SE], err) != SG_SUCCESS)
        return err->code;
    file->table.rows[file->table.count - 1].line = (uint32_t)line->line;
    struct sg_accepted *accepted = sg_accepted_add(file);
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        if (take_figure(&figures[i], line, accepted, err) != SG_SUCCESS)
            return err->code;
    accepted->expect = sg_table_intern(&file->table, field[EXPECT]);
    accepted->reason = sg_table_intern(&file->table, field[REASON]);
    if (take_gate(field[GATE], field[METRIC], &accepted->gate, err) == SG_SUCCESS &&
        check_expect(field[EXPECT], err) == SG_SUCCESS)
        check_waiver(field, err);
    return err->code;
}

static enum sg_code take_counter(struct sg_accepted_file *file, const struct sg_csv_row *line,
                                 struct sg_err *err)
{
    static const struct figure spread =
        FIGURE(SPREAD, "spread", "a standard deviation, 0 or more", 0, HUGE_VAL, sd_day);
    if (sg_table_add_fields(&file->table, line->field, NULL, err) != SG_SUCCESS)
        return err->code;
    file->table.rows[file->table.count - 1].line = (uint32_t)line->line;
    struct sg_accepted *accepted = sg_accepted_add(file);
    accepted->reason = sg_table_intern(&file->table, line->field[COUNTER_REASON]);
    if (take_figure(&spread, line, accepted, err) == SG_SUCCESS)
        take_gate(line->field[COUNTER_GATE], line->field[METRIC], &accepted->gate, err);
    return err->code;
}

enum sg_code sg_accepted_take_judged(void *context, const struct sg_csv_row *line,
                                     struct sg_err *err)
{
    if (line->line == 1)
        return sg_csv_check_header(line, SG_ACCEPTED_HEADER, err);
    take_judged(context, line, err);
    return sg_fail_here(err, line->path, line->line);
}

enum sg_code sg_accepted_take_counter(void *context, const struct sg_csv_row *line,
                                      struct sg_err *err)
{
    if (line->line == 1)
        return sg_csv_check_header(line, SG_ACCEPTED_COUNTERS_HEADER, err);
    take_counter(context, line, err);
    return sg_fail_here(err, line->path, line->line);
}

/* ---- writing ---- */

static void add_optional(struct sg_text *out, double value, int digits)
{
    sg_text_add(out, ",");
    if (!isnan(value))
        sg_text_add_number(out, value, digits);
}

static void add_string(struct sg_text *out, const struct sg_table *table, sg_id string)
{
    sg_text_add(out, ",");
    sg_csv_add_field(out, sg_table_string(table, string));
}

static void format_judged(struct sg_text *out, const struct sg_table *table,
                          const struct sg_row *row, const struct sg_accepted *accepted)
{
    sg_row_format(out, table, row);
    add_optional(out, accepted->tolerance, 9);
    sg_text_add(out, accepted->gate ? ",yes" : ",no");
    add_optional(out, accepted->beta, 9);
    add_optional(out, accepted->f0, 9);
    add_optional(out, accepted->sd_process, 9);
    add_optional(out, accepted->sd_day, 9);
    add_string(out, table, accepted->expect);
    add_string(out, table, accepted->reason);
    sg_row_format_errors(out, table, row);
}

/* The message of a counter with a value only says how one run counted, so it is omitted. */
static void format_counter(struct sg_text *out, const struct sg_table *table,
                           const struct sg_row *row, const struct sg_accepted *accepted)
{
    struct sg_row written = *row;
    written.message = row->status == SG_OK ? 0 : row->message;
    sg_row_format(out, table, &written);
    add_optional(out, accepted->sd_day, SPREAD_DIGITS);
    sg_text_add(out, accepted->gate ? ",yes" : ",no");
    add_string(out, table, accepted->reason);
    sg_text_add(out, "\n");
}

bool sg_is_accepted_counter(const struct sg_table *table, const struct sg_row *row)
{
    const struct sg_row_use use = sg_row_use_of(sg_table_string(table, row->metric));
    return use.kind == SG_ROW_COUNTER || (use.is_term && (row->has & SG_HAS_VALUE));
}

void sg_accepted_format(const struct sg_accepted_file *file, struct sg_text *judged,
                        struct sg_text *counters)
{
    const struct sg_table *table = &file->table;
    sg_text_add(judged, SG_ACCEPTED_HEADER "\n");
    sg_text_add(counters, SG_ACCEPTED_COUNTERS_HEADER "\n");
    for (size_t i = 0; i < table->count; i++)
        if (sg_is_accepted_counter(table, &table->rows[i]))
            format_counter(counters, table, &table->rows[i], &file->accepted[i]);
        else
            format_judged(judged, table, &table->rows[i], &file->accepted[i]);
}
