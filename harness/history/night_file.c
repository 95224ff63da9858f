/* The file of a night: text to memory and back. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/night.h"
#include "util/csv_fields.h"
#include "util/csv_reader.h"
#include "util/digest.h"

#define FACT   "fact"
#define ITEM   "item"
#define DIGEST "digest"

enum column {
    RECORD,
    NAME,
    TEXT,
    RATIO,
    RATIO_SE,
    TIME,
    TIME_SE,
    SM_CLOCK,
    BETA,
    COUNTERS,
    COLUMNS_1, /* of schema 1 */
    BUILD_RATIO = COLUMNS_1,
    BUILD_RATIO_SE,
    BUILD,
    CODE,
    COLUMNS_2,
    SD = COLUMNS_2,
    PROCESSES,
    COLUMNS
};
#define NAME_PARTS    3
#define COMPACT_BYTES 8 /* of a GPU's uuid hash, in a file's name */

void sg_night_release(struct sg_night *night)
{
    sg_env_release(&night->facts);
    *night = (struct sg_night){0};
}

bool sg_night_is_date(const char *date)
{
    static const char like[] = "0000-00-00T00:00:00Z";
    const size_t length = strlen(date);
    if (length != strlen("0000-00-00") && length != sizeof(like) - 1)
        return false;
    for (size_t i = 0; i < length; i++)
        if (like[i] == '0' ? date[i] < '0' || date[i] > '9' : date[i] != like[i])
            return false;
    char day[] = "0000-00-00";
    memcpy(day, date, sizeof(day) - 1);
    /* Digits compare as numbers do. */
    const bool is_time = length < sizeof(like) - 1 ||
                         (strncmp(date + 11, "24", 2) < 0 && strncmp(date + 14, "60", 2) < 0 && strncmp(date + 17, "60", 2) <= 0);
    return is_time && sg_parse_day(day, &(time_t){0});
}

const char *sg_night_why_misdated(const struct sg_night *night, const char *latest)
{
    const bool is_import = sg_env_get(&night->facts, SG_NIGHT_IMPORT) != NULL;
    const char *date = sg_env_get(&night->facts, SG_NIGHT_DATE);
    if (strcmp(date, is_import ? SG_IMPORT_FIRST_DAY : SG_NIGHT_FIRST_DAY) < 0)
        return is_import ? "before " SG_IMPORT_FIRST_DAY : "before " SG_NIGHT_FIRST_DAY;
    return strcmp(date, latest) > 0 ? "in the future by the clock of this machine" : NULL;
}

bool sg_night_is_name(const char *name)
{
    char *parts = sg_copy_string(name), *rest = parts;
    size_t count = 0;
    bool is_name = true;
    for (const char *part; is_name && (part = strsep(&rest, "/")) != NULL; count++)
        is_name = sg_is_name(part);
    free(parts);
    return is_name && count <= NAME_PARTS;
}

static const char *fact(const struct sg_night *night, const char *key, const char *otherwise)
{
    const char *value = sg_env_get(&night->facts, key);
    return value && *value ? value : otherwise;
}

void sg_night_add_group(const struct sg_night *night, struct sg_text *path)
{
    sg_text_addf(path, "%s/%s", fact(night, "gpu", "unknown"), fact(night, "suite", "unknown"));
}

void sg_night_add_file(const struct sg_night *night, struct sg_text *name)
{
    for (const char *at = fact(night, SG_NIGHT_DATE, ""); *at; at++)
        if (*at != '-' && *at != ':')
            sg_text_add_bytes(name, at, 1);
    sg_text_addf(name, "-%.*s-%s.csv", COMPACT_BYTES, fact(night, "gpu_uuid_hash", "unknown"), fact(night, SG_NIGHT_RUN, "unknown"));
}

/* ---- writing ---- */

/* The digest is over the fields, not over the bytes: line ends and quotes do not matter. */
static void digest_row(struct sg_digest *digest, const char *const *field, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        sg_digest_add_string(digest, field[i]);
}

static void add_row(struct sg_text *text, struct sg_digest *digest, const char *const field[COLUMNS])
{
    digest_row(digest, field, COLUMNS);
    for (size_t i = 0; i < COLUMNS; i++) {
        sg_text_add(text, i > 0 ? "," : "");
        sg_csv_add_field(text, field[i]);
    }
    sg_text_add(text, "\n");
}

static void add_fact(struct sg_text *text, struct sg_digest *digest, const char *key, const char *value)
{
    add_row(text, digest, (const char *[COLUMNS]){FACT, key, value, "", "", "", "", "", "", "", "", "", "", "", "", ""});
}

#define NUMBER_BYTES 32
static const char *format_number(char bytes[NUMBER_BYTES], double value, int digits)
{
    bytes[0] = '\0';
    if (!isnan(value))
        snprintf(bytes, NUMBER_BYTES, "%.*g", digits, value);
    return bytes;
}

static void add_item(struct sg_text *text, struct sg_digest *digest, const struct sg_intern_pool *pool, const struct sg_night_row *row)
{
    char number[COLUMNS][NUMBER_BYTES];
    add_row(text, digest,
            (const char *[COLUMNS]){
                [RECORD] = ITEM,
                [NAME] = sg_intern_pool_string(pool, row->name),
                [TEXT] = sg_intern_pool_string(pool, row->status),
                [RATIO] = format_number(number[RATIO], row->ratio, 9),
                [RATIO_SE] = format_number(number[RATIO_SE], row->ratio_se, 4),
                [TIME] = format_number(number[TIME], row->time, 9),
                [TIME_SE] = format_number(number[TIME_SE], row->time_se, 4),
                [SM_CLOCK] = format_number(number[SM_CLOCK], row->sm_clock, 7),
                [BETA] = format_number(number[BETA], row->beta, 4),
                [COUNTERS] = sg_intern_pool_string(pool, row->counters),
                [BUILD_RATIO] = format_number(number[BUILD_RATIO], row->build_ratio, 9),
                [BUILD_RATIO_SE] = format_number(number[BUILD_RATIO_SE], row->build_ratio_se, 4),
                [BUILD] = sg_intern_pool_string(pool, row->build),
                [CODE] = sg_intern_pool_string(pool, row->code),
                [SD] = format_number(number[SD], row->sd, 4),
                [PROCESSES] = format_number(number[PROCESSES], row->processes, 9),
            });
}

void sg_night_format(const struct sg_night *night, const struct sg_intern_pool *pool, const struct sg_night_rows *rows,
                     struct sg_text *text)
{
    struct sg_digest digest = SG_DIGEST_EMPTY, unused = SG_DIGEST_EMPTY;
    sg_text_add(text, SG_NIGHT_HEADER "\n");
    add_fact(text, &digest, "schema", SG_NIGHT_SCHEMA);
    for (size_t i = 0; i < night->facts.count; i++)
        add_fact(text, &digest, night->facts.key[i], night->facts.value[i]);
    for (size_t i = night->from; i < night->to; i++)
        add_item(text, &digest, pool, &rows->items[i]);
    add_fact(text, &unused, DIGEST, sg_digest_word(&digest).text);
}

/* ---- reading ---- */

struct reader {
    const char *only; /* the item that is wanted; NULL: all */
    struct sg_intern_pool **pool;
    struct sg_night_rows *rows;
    struct sg_night *night;
    bool has_schema, has_end;
    size_t columns;           /* of the file's schema */
    struct sg_digest digest;  /* of the rows so far */
    struct sg_night_row last; /* its strings are those of the next row more often than not */
};

static const struct schema {
    size_t columns;
    const char *word, *header;
} schemas[] = {{COLUMNS, SG_NIGHT_SCHEMA, SG_NIGHT_HEADER}, {COLUMNS_2, "2", SG_NIGHT_HEADER_2}, {COLUMNS_1, "1", SG_NIGHT_HEADER_1}};

/* Of a file with so many columns; the newest, if there is none. */
static const struct schema *schema_of(size_t columns)
{
    for (size_t i = 1; i < sizeof(schemas) / sizeof(schemas[0]); i++)
        if (schemas[i].columns == columns)
            return &schemas[i];
    return &schemas[0];
}

static enum sg_code read_schema(struct reader *r, const char *value, struct sg_err *err)
{
    const char *expected = schema_of(r->columns)->word;
    r->has_schema = true;
    if (strcmp(value, expected) == 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_NOT_COMPARABLE, NULL, "expected schema %s, found '%s': written by another version of solgate", expected,
                   sg_show(value, strlen(value)).text);
}

static enum sg_code read_end(struct reader *r, const char *value, struct sg_err *err)
{
    r->has_end = true;
    if (strcmp(value, sg_digest_word(&r->digest).text) == 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_NOT_COMPARABLE, NULL,
                   DIGEST ": expected %s of the rows above, found '%s': the night was changed since it was added",
                   sg_digest_word(&r->digest).text, sg_show(value, strlen(value)).text);
}

static enum sg_code read_fact(struct reader *r, const char *key, const char *value, struct sg_err *err)
{
    struct sg_env *facts = &r->night->facts;
    if (!sg_env_is_key(key))
        return sg_field_fail("name", "a key of [a-z0-9_.]", key, err);
    if (strcmp(key, "schema") == 0)
        return read_schema(r, value, err);
    if (!r->has_schema)
        return sg_field_fail("name", "schema first", key, err);
    if (sg_env_get(facts, key))
        return sg_field_fail("name", "each key once", key, err);
    if (strcmp(key, SG_NIGHT_DATE) == 0 && !sg_night_is_date(value))
        return sg_field_fail(key, "a date such as 2026-11-20, or 2026-11-20T23:40:34Z", value, err);
    if (strcmp(key, DIGEST) == 0)
        return read_end(r, value, err);
    sg_env_set(facts, key, value);
    return SG_SUCCESS;
}

/* The numbers of an item, in the order of their columns. */
static const struct number_rule {
    enum column column;
    const char *name;
    size_t offset;
    double least, most;
} number_rules[] = {
    {RATIO, "ratio", offsetof(struct sg_night_row, ratio), 1 / SG_NIGHT_RATIO_MAX, SG_NIGHT_RATIO_MAX},
    {RATIO_SE, "ratio_se", offsetof(struct sg_night_row, ratio_se), 0, SG_NIGHT_SE_MAX},
    {TIME, "time", offsetof(struct sg_night_row, time), SG_NS_MIN, SG_NS_MAX},
    {TIME_SE, "time_se", offsetof(struct sg_night_row, time_se), 0, SG_NIGHT_SE_MAX},
    {SM_CLOCK, "sm_clock", offsetof(struct sg_night_row, sm_clock), 1, SG_HZ_MAX},
    {BETA, "beta", offsetof(struct sg_night_row, beta), 0, 1},
    {BUILD_RATIO, "build_ratio", offsetof(struct sg_night_row, build_ratio), 1 / SG_NIGHT_RATIO_MAX, SG_NIGHT_RATIO_MAX},
    {BUILD_RATIO_SE, "build_ratio_se", offsetof(struct sg_night_row, build_ratio_se), 0, SG_NIGHT_SE_MAX},
    {SD, "sd", offsetof(struct sg_night_row, sd), 0, SG_NIGHT_SE_MAX},
    {PROCESSES, "processes", offsetof(struct sg_night_row, processes), 2, 1e6},
};
#define NUMBERS (sizeof(number_rules) / sizeof(number_rules[0]))

static enum sg_code check_number(const struct number_rule *rule, double value, struct sg_err *err)
{
    if (isnan(value) || (value >= rule->least && value <= rule->most))
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected a number from %g to %g, found '%.9g'", rule->name, rule->least, rule->most,
                   value);
}

enum sg_code sg_night_check_row(const struct sg_night_row *row, struct sg_err *err)
{
    for (size_t i = 0; i < NUMBERS && err->code == SG_SUCCESS; i++) {
        const double *value = (const void *)((const char *)row + number_rules[i].offset);
        check_number(&number_rules[i], *value, err);
    }
    return err->code;
}

static enum sg_code read_numbers(const char *const *field, size_t columns, struct sg_night_row *row, struct sg_err *err)
{
    for (size_t i = 0; i < NUMBERS; i++) {
        const struct number_rule *rule = &number_rules[i];
        double *value = (void *)((char *)row + rule->offset);
        *value = NAN;
        if (rule->column < columns && *field[rule->column])
            sg_field_number(rule->name, field[rule->column], false, value, err);
    }
    return err->code == SG_SUCCESS ? sg_night_check_row(row, err) : err->code;
}

/* Of the module and of the accepted build. Without the latter there is no ratio against it. */
static enum sg_code read_builds(struct reader *r, const char *const *field, struct sg_night_row *row, struct sg_err *err)
{
    static const char *const names[] = {"build", "code"};
    sg_id *const ids[] = {&row->build, &row->code};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *digest = field[BUILD + i];
        if (*digest && !sg_is_digest(digest))
            return sg_field_fail(names[i], "16 digits of [0-9a-f]", digest, err);
        *ids[i] = sg_intern_like(r->pool, i == 0 ? r->last.build : r->last.code, digest);
    }
    if (!isnan(row->build_ratio) && row->build == 0)
        return sg_field_fail("build", "the accepted build of a build_ratio", "", err);
    return SG_SUCCESS;
}

static enum sg_code read_item(struct reader *r, const char *const *field, struct sg_err *err)
{
    if (r->only && strcmp(field[NAME], r->only) != 0)
        return SG_SUCCESS;
    struct sg_night_row row = {0};
    if (!sg_night_is_name(field[NAME]))
        return sg_field_fail("name", "FAMILY/CASE/VARIANT of [a-z0-9_]", field[NAME], err);
    if (sg_status_from_word(field[TEXT]) == SG_STATUS_COUNT)
        return sg_field_fail("text", "a status such as ok", field[TEXT], err);
    if (read_numbers(field, r->columns, &row, err) != SG_SUCCESS ||
        (r->columns >= COLUMNS_2 && read_builds(r, field, &row, err) != SG_SUCCESS))
        return err->code;
    row.name = sg_intern(r->pool, field[NAME]);
    row.status = sg_intern_like(r->pool, r->last.status, field[TEXT]);
    row.counters = sg_intern(r->pool, field[COUNTERS]);
    *SG_APPEND(r->rows->items, r->rows->count, r->rows->capacity) = r->last = row;
    return SG_SUCCESS;
}

static enum sg_code read_header(struct reader *r, const struct sg_csv_row *row, struct sg_err *err)
{
    const struct schema *schema = schema_of(row->count);
    r->columns = schema->columns;
    return sg_csv_check_header(row, schema->header, err);
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct reader *r = context;
    if (row->line == 1)
        return read_header(r, row, err);
    if (r->has_end)
        sg_fail(err, SG_BAD_INPUT, NULL, "expected the end of the file behind its digest, found another row");
    else if (strcmp(row->field[RECORD], FACT) == 0)
        read_fact(r, row->field[NAME], row->field[TEXT], err);
    else if (strcmp(row->field[RECORD], ITEM) == 0)
        read_item(r, row->field, err);
    else
        sg_field_fail("record", FACT " or " ITEM, row->field[RECORD], err);
    if (!r->has_end)
        digest_row(&r->digest, row->field, r->columns);
    return sg_fail_here(err, row->path, row->line);
}

static enum sg_code check_end(const char *path, struct reader *r, struct sg_err *err)
{
    static const char *const needed[] = {SG_NIGHT_DATE, "gpu", "suite", SG_NIGHT_RUN};
    if (!r->has_end)
        return sg_fail(err, SG_NOT_COMPARABLE, path, "its last line, the digest, is missing: the file was cut short or merged by hand");
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (!sg_env_get(&r->night->facts, needed[i]))
            return sg_fail_at(err, SG_BAD_INPUT, path, 1, "the fact '%s' is missing", needed[i]);
    return SG_SUCCESS;
}

enum sg_code sg_night_read(const char *path, const char *only, struct sg_intern_pool **pool, struct sg_night_rows *rows,
                           struct sg_night *night, struct sg_err *err)
{
    struct reader r = {.only = only, .pool = pool, .rows = rows, .night = night, .digest = SG_DIGEST_EMPTY};
    night->from = night->to = rows->count;
    if (sg_csv_read(path, on_row, &r, err) == SG_SUCCESS)
        check_end(path, &r, err);
    night->to = rows->count;
    return err->code;
}
