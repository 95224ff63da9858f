#include "results/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/error_signature.h"
#include "stats/abba.h"
#include "stats/statistics.h"
#include "util/csv_fields.h"
#include "util/csv_reader.h"
#include "util/file.h"

void sg_table_init(struct sg_table *table)
{
    *table = (struct sg_table){0};
}

void sg_table_release(struct sg_table *table)
{
    sg_intern_pool_free(table->pool);
    free(table->rows);
    free(table->errors);
    free(table->path);
    *table = (struct sg_table){0};
}

sg_id sg_table_intern(struct sg_table *table, const char *string)
{
    return sg_intern(&table->pool, string);
}

sg_id sg_table_find_id(const struct sg_table *table, const char *string)
{
    return sg_intern_pool_find(table->pool, string);
}

const char *sg_table_string(const struct sg_table *table, sg_id id)
{
    return sg_intern_pool_string(table->pool, id);
}

/* A row at the end of the table that begins as a copy of the one before: its names are
 * the best guess for the new ones. */
static struct sg_row *new_row(struct sg_table *table)
{
    table->rows = sg_grow(table->rows, &table->capacity, table->count + 1, sizeof(*table->rows));
    struct sg_row *row = &table->rows[table->count];
    *row = table->count > 0 ? row[-1] : (struct sg_row){0};
    table->count++;
    return row;
}

static void set_id(struct sg_table *table, sg_id *id, const char *string)
{
    *id = sg_intern(&table->pool, string ? string : "");
}

static uint32_t add_errors(struct sg_table *table, const struct sg_value *value)
{
    table->errors = sg_grow(table->errors, &table->error_capacity, table->error_count + 1, sizeof(*table->errors));
    table->errors[table->error_count++] = (struct sg_row_errors){
        .se = value->has & SG_HAS_SE ? value->se : NAN,
        .sd = value->has & SG_HAS_SD ? value->sd : NAN,
    };
    return (uint32_t)table->error_count;
}

void sg_table_add(struct sg_table *table, const struct sg_value *value)
{
    struct sg_row *row = new_row(table);
    set_id(table, &row->family, value->family);
    set_id(table, &row->case_, value->case_);
    set_id(table, &row->variant, value->variant);
    set_id(table, &row->metric, value->metric);
    set_id(table, &row->unit, value->unit);
    set_id(table, &row->message, value->message);
    row->value = value->value;
    row->low = value->low;
    row->high = value->high;
    row->errors = 0;
    row->n = value->n;
    row->has = value->has;
    row->status = value->status;
    if (value->has & (SG_HAS_SE | SG_HAS_SD))
        row->errors = add_errors(table, value);
}

struct sg_row_errors sg_row_errors_of(const struct sg_table *table, const struct sg_row *row)
{
    return row->errors > 0 ? table->errors[row->errors - 1] : (struct sg_row_errors){.se = NAN, .sd = NAN};
}

bool sg_row_same_item(const struct sg_row *a, const struct sg_row *b)
{
    return a->variant == b->variant && a->case_ == b->case_ && a->family == b->family;
}

int sg_row_compare(const struct sg_table *table, const struct sg_row *a, const struct sg_row *b)
{
    const sg_id left[] = {a->family, a->case_, a->variant, a->metric};
    const sg_id right[] = {b->family, b->case_, b->variant, b->metric};
    for (size_t i = 0; i < 4; i++) {
        if (left[i] != right[i])
            return strcmp(sg_table_string(table, left[i]), sg_table_string(table, right[i]));
    }
    return 0;
}

/* The first row that does not come before `wanted` by its four names. */
static size_t lower_bound(const struct sg_table *table, const struct sg_row *wanted)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sg_row_compare(table, &table->rows[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Ids of four names; false: one of them is in no row. */
static bool find_names(const struct sg_table *table, const char *const name[4], struct sg_row *wanted)
{
    sg_id *const id[] = {&wanted->family, &wanted->case_, &wanted->variant, &wanted->metric};
    for (size_t i = 0; i < 4; i++) {
        *id[i] = sg_table_find_id(table, name[i]);
        if (*id[i] == UINT32_MAX)
            return false;
    }
    return true;
}

static bool is_of_variant(const struct sg_row *row, const struct sg_row *wanted)
{
    return row->variant == wanted->variant && row->case_ == wanted->case_ && row->family == wanted->family;
}

const struct sg_row *sg_table_find(const struct sg_table *table, const char *family, const char *case_, const char *variant,
                                   const char *metric)
{
    struct sg_row wanted = {0};
    if (!find_names(table, (const char *const[]){family, case_, variant, metric}, &wanted))
        return NULL;
    const size_t at = lower_bound(table, &wanted);
    if (at == table->count || table->rows[at].metric != wanted.metric || !is_of_variant(&table->rows[at], &wanted))
        return NULL;
    return &table->rows[at];
}

/* The name "" of no metric comes before all others. */
const char *sg_row_partner(const struct sg_table *table, const struct sg_row *row)
{
    static const char against[] = "against ";
    if (!row || strcmp(sg_table_string(table, row->metric), "time_ratio") != 0)
        return NULL;
    const char *message = sg_table_string(table, row->message);
    return strncmp(message, against, sizeof(against) - 1) == 0 ? message + sizeof(against) - 1 : NULL;
}

struct sg_row_range sg_table_variant(const struct sg_table *table, const char *family, const char *case_, const char *variant)
{
    struct sg_row wanted = {0};
    if (!find_names(table, (const char *const[]){family, case_, variant, ""}, &wanted))
        return (struct sg_row_range){0};
    struct sg_row_range span = {.from = lower_bound(table, &wanted)};
    span.to = span.from;
    while (span.to < table->count && is_of_variant(&table->rows[span.to], &wanted))
        span.to++;
    return span;
}

static void add_number(struct sg_text *out, bool there, double value)
{
    sg_text_add(out, ",");
    /* A reader takes no infinity, and none means anything: something
     * over zero, or beyond all numbers. */
    if (there)
        sg_text_add_number(out, isinf(value) ? NAN : value, 9);
}

void sg_row_format(struct sg_text *out, const struct sg_table *table, const struct sg_row *row)
{
    const sg_id names[] = {row->family, row->case_, row->variant, row->metric, row->unit};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (i > 0)
            sg_text_add(out, ",");
        sg_csv_add_field(out, sg_table_string(table, names[i]));
    }
    add_number(out, row->has & SG_HAS_VALUE, row->value);
    add_number(out, row->has & SG_HAS_LOW, row->low);
    add_number(out, row->has & SG_HAS_HIGH, row->high);
    sg_text_add(out, ",");
    if (row->has & SG_HAS_N)
        sg_text_addf(out, "%u", row->n);
    sg_text_addf(out, ",%s", sg_status_word((enum sg_status)row->status));
    sg_text_add(out, ",");
    sg_csv_add_field(out, sg_table_string(table, row->message));
}

void sg_row_format_errors(struct sg_text *out, const struct sg_table *table, const struct sg_row *row)
{
    const struct sg_row_errors errors = sg_row_errors_of(table, row);
    add_number(out, row->has & SG_HAS_SE, errors.se);
    add_number(out, row->has & SG_HAS_SD, errors.sd);
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
    struct sg_text text = {0};
    sg_table_format(&text, table);
    sg_write_file(path, text.data, text.length, err);
    sg_text_release(&text);
    return err->code;
}

struct sg_value sg_value_of(const struct sg_table *table, const struct sg_row *row)
{
    const struct sg_row_errors errors = sg_row_errors_of(table, row);
    return (struct sg_value){
        .family = sg_table_string(table, row->family),
        .case_ = sg_table_string(table, row->case_),
        .variant = sg_table_string(table, row->variant),
        .metric = sg_table_string(table, row->metric),
        .unit = sg_table_string(table, row->unit),
        .message = sg_table_string(table, row->message),
        .value = row->value,
        .low = row->low,
        .high = row->high,
        .se = errors.se,
        .sd = errors.sd,
        .n = row->n,
        .has = row->has,
        .status = (enum sg_status)row->status,
    };
}

/* ---- run.csv ---- */

enum { FAMILY, CASE, VARIANT, METRIC, UNIT, VALUE, LOW, HIGH, N, STATUS, MESSAGE, SE };

static const char *const name_column[] = {"family", "case", "variant", "metric"};

/* Nothing that is measured, counted or known of a kernel is below 0. */
static enum sg_code parse_number(const char *const field[SG_VALUE_FIELDS], int index, uint8_t bit, struct sg_value *value,
                                 struct sg_err *err)
{
    static const char *const column[] = {[VALUE] = "value", [LOW] = "low", [HIGH] = "high"};
    double *const target[] = {[VALUE] = &value->value, [LOW] = &value->low, [HIGH] = &value->high};
    if (field[index][0] == '\0')
        return SG_SUCCESS;
    value->has |= bit;
    if (sg_field_number(column[index], field[index], true, target[index], err) == SG_SUCCESS && *target[index] < 0)
        sg_field_fail(column[index], "a number, 0 or more", field[index], err);
    return err->code;
}

/* Everything but the names: they repeat from row to row, and a reader of many rows
 * checks them only where they change. */
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
    if (parse_number(field, VALUE, SG_HAS_VALUE, value, err) != SG_SUCCESS ||
        parse_number(field, LOW, SG_HAS_LOW, value, err) != SG_SUCCESS || parse_number(field, HIGH, SG_HAS_HIGH, value, err) != SG_SUCCESS)
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

static enum sg_code check_name(int column, const char *field, struct sg_err *err)
{
    return column == METRIC && sg_metric_is_raw(field) ? SG_SUCCESS : sg_field_name(name_column[column], field, err);
}

enum sg_code sg_value_parse(const char *const field[SG_VALUE_FIELDS], struct sg_value *value, struct sg_err *err)
{
    for (int i = FAMILY; i <= METRIC; i++) {
        if (check_name(i, field[i], err) != SG_SUCCESS)
            return err->code;
    }
    return parse_figures(field, value, err);
}

/* se and sd of a time or a ratio of schema 1, by its interval; nothing of another row. */
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

static enum sg_code parse_errors(const char *const errors[2], struct sg_value *value, struct sg_err *err)
{
    static const char *const column[] = {"se", "sd"};
    static const uint8_t bit[] = {SG_HAS_SE, SG_HAS_SD};
    double *const target[] = {&value->se, &value->sd};
    for (size_t i = 0; i < 2; i++) {
        if (errors[i][0] == '\0')
            continue;
        value->has |= bit[i];
        if (sg_field_number(column[i], errors[i], false, target[i], err) != SG_SUCCESS)
            return err->code;
        if (!(*target[i] >= 0))
            return sg_field_fail(column[i], "a number, 0 or more", errors[i], err);
    }
    return SG_SUCCESS;
}

/* One that cannot be read would be no signature, and what it is compared with would pass. */
static enum sg_code check_signature(const struct sg_value *value, struct sg_err *err)
{
    struct sg_error_signature signature;
    return strcmp(value->metric, SG_SIGNATURE_METRIC) == 0 ? sg_error_signature_parse(value->message, &signature, err) : SG_SUCCESS;
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
        if (!same && check_name(i, field[i], err) != SG_SUCCESS)
            return err->code;
    }
    if (parse_figures(field, &value, err) != SG_SUCCESS || (errors && parse_errors(errors, &value, err) != SG_SUCCESS))
        return err->code;
    if (check_signature(&value, err) != SG_SUCCESS)
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
    if (sg_csv_read_digested(path, on_row, table, digest, err) != SG_SUCCESS)
        return err->code;
    free(table->path);
    table->path = sg_copy_string(path);
    const struct sg_beside none = {.path = path};
    return sg_table_sort_with(table, &none, err);
}

void sg_table_add_raw_counters(const struct sg_table *table, struct sg_catalogue *catalogue)
{
    struct sg_err too_many = {0};
    for (size_t i = 0; i < table->count && too_many.code == SG_SUCCESS; i++) {
        const char *metric = sg_table_string(table, table->rows[i].metric);
        if (sg_metric_is_raw(metric))
            sg_catalogue_add_raw(catalogue, metric, &too_many);
    }
}
