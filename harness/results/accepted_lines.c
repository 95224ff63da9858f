#include "results/accepted_lines.h"

#include <float.h>
#include <string.h>

#include "results/row_kind.h"

enum { METRIC = 3, MESSAGE = SG_VALUE_FIELDS - 1 };

/* ---- the columns that follow those of a run ---- */

static bool is_expected(const char *word)
{
    return !*word || strcmp(word, "regressed") == 0 || sg_status_from_word(word) != SG_STATUS_COUNT;
}

#define FIELD(type, title, member, ...) \
    SG_FIELD(type, title, struct sg_accepted, member, __VA_ARGS__)
#define SPREAD(title, member, ...) \
    FIELD(REAL, title, member, .expected = "a standard deviation, 0 or more", __VA_ARGS__)
static const struct sg_field judged_columns[] = {
    FIELD(REAL, "tolerance", tolerance, .least = DBL_MIN, .most = 1.0 - DBL_EPSILON,
          .expected = "a ratio above 0 and below 1"),
    FIELD(YES, "gate", gate),
    FIELD(REAL, "beta", beta, .most = 1, .expected = "a clock sensitivity from 0 to 1"),
    FIELD(REAL, "f0", f0, .expected = "a clock in Hz, 0 or more"),
    SPREAD("sd_process", sd_process),
    SPREAD("sd_day", sd_day),
    FIELD(ID, "expect", expect, .is = is_expected,
          .expected = "nothing, a status word or regressed"),
    FIELD(ID, "reason", reason),
};
static const struct sg_record judged_record = SG_RECORD(judged_columns);
static const struct sg_field counter_columns[] = {
    SPREAD("spread", sd_day, .digits = 3),
    FIELD(YES, "gate", gate),
    FIELD(ID, "reason", reason),
};
static const struct sg_record counter_record = SG_RECORD(counter_columns);

static struct sg_record run_columns(void)
{
    return sg_record_part(&sg_value_record, 0, SG_VALUE_FIELDS);
}

static struct sg_record error_columns(void)
{
    return sg_record_part(&sg_value_record, SG_VALUE_FIELDS, sg_value_record.count);
}

static void add_header(struct sg_text *out, const struct sg_record *record)
{
    const struct sg_record first = run_columns(), last = error_columns();
    sg_record_add_header(out, &first);
    sg_text_add(out, ",");
    sg_record_add_header(out, record);
    if (record != &judged_record)
        return;
    sg_text_add(out, ",");
    sg_record_add_header(out, &last);
}

/* ---- reading ---- */

static enum sg_code check_gate(const struct sg_accepted *accepted, const char *metric,
                               struct sg_err *err)
{
    return accepted->gate && sg_row_use_of(metric).kind == SG_ROW_FACT
               ? sg_field_fail("gate", "no, because the row is descriptive and not judged,", "yes",
                               err)
               : SG_SUCCESS;
}

/* A waiver without a last day would never expire. */
static enum sg_code check_waiver(const char *const *field, const char *reason, struct sg_err *err)
{
    time_t day = 0;
    if (strcmp(field[METRIC], SG_WAIVER_METRIC) != 0)
        return SG_SUCCESS;
    if (!sg_parse_day(field[MESSAGE], &day))
        return sg_field_fail("message of a waiver", "its last day, such as 2026-12-31",
                             field[MESSAGE], err);
    return sg_is_blank(reason)
               ? sg_field_fail("reason of a waiver", "why the item may fail", reason, err)
               : SG_SUCCESS;
}

static enum sg_code take(struct sg_accepted_file *file, const struct sg_csv_row *line,
                         const struct sg_record *record, struct sg_err *err)
{
    const char *const *field = line->field;
    const bool is_judged = record == &judged_record;
    struct sg_table *table = &file->table;
    if (sg_table_add_fields(table, field,
                            is_judged ? &field[SG_VALUE_FIELDS + record->count] : NULL,
                            err) != SG_SUCCESS)
        return err->code;
    table->rows[table->count - 1].line = (uint32_t)line->line;
    struct sg_accepted *accepted = sg_accepted_add(file);
    if (sg_record_read(record, field + SG_VALUE_FIELDS, accepted, &table->pool, err) ==
            SG_SUCCESS &&
        check_gate(accepted, field[METRIC], err) == SG_SUCCESS && is_judged)
        check_waiver(field, sg_table_string(table, accepted->reason), err);
    return err->code;
}

static enum sg_code take_line(struct sg_accepted_file *file, const struct sg_csv_row *line,
                              const struct sg_record *record, struct sg_err *err)
{
    SG_SCOPED(sg_text) header = {0};
    add_header(&header, record);
    if (line->line == 1)
        return sg_csv_check_header(line, header.data, err);
    take(file, line, record, err);
    return sg_fail_here(err, line->path, line->line);
}

enum sg_code sg_accepted_take_judged(void *context, const struct sg_csv_row *line,
                                     struct sg_err *err)
{
    return take_line(context, line, &judged_record, err);
}

enum sg_code sg_accepted_take_counter(void *context, const struct sg_csv_row *line,
                                      struct sg_err *err)
{
    return take_line(context, line, &counter_record, err);
}

/* ---- writing ---- */

static void format_row(struct sg_text *out, const struct sg_table *table, const struct sg_row *row,
                       const struct sg_accepted *accepted, const struct sg_record *record)
{
    const struct sg_record first = run_columns(), last = error_columns();
    struct sg_value value = sg_value_of(table, row);
    /* The message of a counter with a value only says how one run counted, so it is omitted. */
    if (record == &counter_record && row->status == SG_OK)
        value.message = "";
    sg_record_add(out, &first, &value, NULL);
    sg_text_add(out, ",");
    sg_record_add(out, record, accepted, table->pool);
    if (record == &judged_record) {
        sg_text_add(out, ",");
        sg_record_add(out, &last, &value, NULL);
    }
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
    add_header(judged, &judged_record);
    sg_text_add(judged, "\n");
    add_header(counters, &counter_record);
    sg_text_add(counters, "\n");
    for (size_t i = 0; i < table->count; i++)
        if (sg_is_accepted_counter(table, &table->rows[i]))
            format_row(counters, table, &table->rows[i], &file->accepted[i], &counter_record);
        else
            format_row(judged, table, &table->rows[i], &file->accepted[i], &judged_record);
}
