/* The file of a nightly run: text to memory and back. */
#define _GNU_SOURCE /* strptime */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "baseline/find.h"
#include "history/history.h"
#include "util/csv_reader.h"
#include "util/digest.h"

#define FACT   "fact"
#define ITEM   "item"
#define GPU    "gpu"
#define DIGEST "digest"

#define FIRST_DAY     "2026-01-01" /* no nightly run is older */
#define NAME_PARTS    3
#define COMPACT_BYTES 8 /* of a GPU's uuid hash, in the file name */

bool sg_night_is_date(const char *date)
{
    char day[] = "0000-00-00";
    const size_t length = strlen(date);
    struct tm time;
    snprintf(day, sizeof(day), "%s", date);
    const char *end = length == sizeof(day) - 1
                          ? date + length
                          : strptime(date + strnlen(date, sizeof(day) - 1), "T%H:%M:%SZ", &time);
    return end && !*end &&
           (length == sizeof(day) - 1 || length == strlen("0000-00-00T00:00:00Z")) &&
           sg_parse_day(day, &(time_t){0});
}

const char *sg_night_why_misdated(const struct sg_night *night, const char *latest)
{
    const char *date = sg_env_get(&night->facts, SG_NIGHT_DATE);
    if (strcmp(date, FIRST_DAY) < 0)
        return "before " FIRST_DAY;
    return strcmp(date, latest) > 0 ? "in the future by the clock of this machine" : NULL;
}

bool sg_night_is_name(const char *name)
{
    const size_t parts = sg_count_names(name);
    return parts > 0 && parts <= NAME_PARTS;
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

void sg_night_add_date(const char *date, struct sg_text *name)
{
    for (const char *at = date; *at; at++)
        if (*at != '-' && *at != ':')
            sg_text_add_bytes(name, at, 1);
}

void sg_night_add_file(const struct sg_night *night, struct sg_text *name)
{
    sg_night_add_date(fact(night, SG_NIGHT_DATE, ""), name);
    sg_text_addf(name, "-%.*s-%s.csv", COMPACT_BYTES, fact(night, SG_NIGHT_UNIT, "unknown"),
                 fact(night, SG_NIGHT_RUN, "unknown"));
}

/* ---- columns ---- */

static bool is_status(const char *word)
{
    return sg_status_from_word(word) != SG_STATUS_COUNT;
}

static bool is_build(const char *word)
{
    return !*word || sg_is_digest(word);
}

static bool is_unit(const char *word)
{
    return !*word || sg_is_name(word);
}

/* The columns of an item. A fact has its key in the second column and its value in the third. A GPU
 * has its name in the second column, and its other columns of units.csv in the third. */
#define FIELD(type, title, member, ...) \
    SG_FIELD(type, title, struct sg_night_row, member, __VA_ARGS__)
#define NUMBER(member, digits_, least_, most_) \
    FIELD(REAL, #member, member, .digits = (digits_), .least = (least_), .most = (most_))
#define SPREAD(part, digits_, least_, most_) \
    FIELD(REAL, #part, spread.part, .digits = (digits_), .least = (least_), .most = (most_))
#define BUILD(member) \
    FIELD(ID, #member, member, .is = is_build, .expected = "16 digits of [0-9a-f]")
static const struct sg_field columns[] = {
    {.name = "record"},
    FIELD(ID, "name", name, .is = sg_night_is_name, .expected = "FAMILY/CASE/VARIANT of [a-z0-9_]"),
    FIELD(ID, "text", status, .is = is_status, .expected = "a status such as ok"),
    NUMBER(ratio, 9, 1 / SG_NIGHT_RATIO_MAX, SG_NIGHT_RATIO_MAX),
    NUMBER(ratio_se, 4, 0, SG_NIGHT_SE_MAX),
    NUMBER(time, 9, SG_NS_MIN, SG_NS_MAX),
    NUMBER(time_se, 4, 0, SG_NIGHT_SE_MAX),
    NUMBER(sm_clock, 7, 1, SG_HZ_MAX),
    NUMBER(beta, 4, 0, 1),
    FIELD(ID, "counters", counters),
    NUMBER(build_ratio, 9, 1 / SG_NIGHT_RATIO_MAX, SG_NIGHT_RATIO_MAX),
    NUMBER(build_ratio_se, 4, 0, SG_NIGHT_SE_MAX),
    BUILD(build),
    BUILD(code),
    SPREAD(sd, 4, 0, SG_NIGHT_SE_MAX),
    SPREAD(processes, 9, 2, 1e6),
    SPREAD(inner_sd, 4, 0, SG_NIGHT_SE_MAX),
    SPREAD(fast_sd, 4, 0, SG_NIGHT_SE_MAX),
    FIELD(ID, "unit", unit, .is = is_unit, .expected = "a name of [a-z0-9_]"),
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))
enum { RECORD, NAME, TEXT };

/* The fields of an item after the first column, in a file of `count` columns. */
static struct sg_record item_record(size_t count)
{
    return (struct sg_record){.fields = columns + NAME, .count = count - NAME};
}

/* The fields of a GPU after its name. */
static struct sg_record gpu_record(void)
{
    return sg_record_part(&sg_unit_record, 1, sg_unit_record.count);
}

/* The newest schema is written; files of older schemas have fewer columns. */
static const struct schema {
    const char *word;
    size_t columns;
} schemas[] = {{"4", COLUMNS}, {"3", 16}, {"2", 14}, {"1", 10}};

static const struct schema *schema_of(size_t count)
{
    for (size_t i = 1; i < sizeof(schemas) / sizeof(schemas[0]); i++)
        if (schemas[i].columns == count)
            return &schemas[i];
    return &schemas[0];
}

/* ---- writing ---- */

/* The digest is over fields, not bytes: line ends and quotes do not matter. */
static void digest_row(struct sg_digest *digest, const char *const *field, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sg_digest_add_string(digest, field[i]);
}

static void add_line(struct sg_text *text, struct sg_digest *digest, struct sg_text *line)
{
    SG_SCOPED(sg_csv_fields) fields = {.count = 0};
    sg_text_addf(text, "%s\n", line->data);
    sg_csv_split(line->data, &fields);
    digest_row(digest, fields.items, fields.count);
}

static void add_fact(struct sg_text *text, struct sg_digest *digest, const char *record,
                     const char *key, const char *value)
{
    const char *field[COLUMNS] = {record, key, value};
    SG_SCOPED(sg_text) line = {0};
    for (size_t i = TEXT + 1; i < COLUMNS; i++)
        field[i] = "";
    sg_csv_add_fields(&line, field, COLUMNS);
    add_line(text, digest, &line);
}

static void add_item(struct sg_text *text, struct sg_digest *digest,
                     const struct sg_intern_pool *pool, const struct sg_night_row *row)
{
    const struct sg_record record = item_record(COLUMNS);
    SG_FORMATTED(line, ITEM ",");
    sg_record_add(&line, &record, row, pool);
    add_line(text, digest, &line);
}

void sg_night_format(const struct sg_history *history, struct sg_text *text)
{
    const struct sg_night *night = &history->nights[history->count - 1];
    struct sg_digest digest = SG_DIGEST_EMPTY, unused = SG_DIGEST_EMPTY;
    const struct sg_record all = SG_RECORD(columns);
    sg_record_add_header(text, &all);
    sg_text_add(text, "\n");
    add_fact(text, &digest, FACT, "schema", schemas[0].word);
    for (size_t i = 0; i < night->facts.count; i++)
        add_fact(text, &digest, FACT, night->facts.key[i], night->facts.value[i]);
    for (size_t i = night->gpu_from; i < night->gpu_to; i++) {
        const struct sg_record of_gpu = gpu_record();
        SG_SCOPED(sg_text) gpu = {0};
        sg_record_add(&gpu, &of_gpu, &history->gpus.items[i], NULL);
        add_fact(text, &digest, GPU, history->gpus.items[i].name, gpu.data);
    }
    for (size_t i = night->from; i < night->to; i++)
        add_item(text, &digest, history->pool, &history->rows.items[i]);
    add_fact(text, &unused, FACT, DIGEST, sg_digest_word(&digest).text);
}

/* ---- reading ---- */

struct reader {
    struct sg_history *history;
    struct sg_env *facts;
    bool has_schema, has_end;
    size_t columns;          /* number of columns of the file's schema */
    struct sg_digest digest; /* of the rows so far */
};

static enum sg_code read_schema(struct reader *r, const char *value, struct sg_err *err)
{
    const char *expected = schema_of(r->columns)->word;
    r->has_schema = true;
    if (strcmp(value, expected) == 0)
        return SG_SUCCESS;
    return sg_fail(err, SG_NOT_COMPARABLE, NULL,
                   "expected schema %s, found '%s': written by another version of solgate",
                   expected, sg_show(value, strlen(value)).text);
}

static enum sg_code read_end(struct reader *r, const char *value, struct sg_err *err)
{
    r->has_end = true;
    if (strcmp(value, sg_digest_word(&r->digest).text) == 0)
        return SG_SUCCESS;
    return sg_fail(
        err, SG_NOT_COMPARABLE, NULL,
        DIGEST
        ": expected %s of the rows above, found '%s': the file was changed after it was added",
        sg_digest_word(&r->digest).text, sg_show(value, strlen(value)).text);
}

static enum sg_code read_fact(struct reader *r, const char *key, const char *value,
                              struct sg_err *err)
{
    if (!sg_env_is_key(key))
        return sg_field_fail("name", "a key of [a-z0-9_.]", key, err);
    if (strcmp(key, "schema") == 0)
        return read_schema(r, value, err);
    if (!r->has_schema)
        return sg_field_fail("name", "schema first", key, err);
    if (sg_env_get(r->facts, key))
        return sg_field_fail("name", "each key once", key, err);
    if (strcmp(key, SG_NIGHT_DATE) == 0 && !sg_night_is_date(value))
        return sg_field_fail(key, "a date such as 2026-11-20, or 2026-11-20T23:40:34Z", value, err);
    if (strcmp(key, DIGEST) == 0)
        return read_end(r, value, err);
    sg_env_set(r->facts, key, value);
    return SG_SUCCESS;
}

enum sg_code sg_night_check_row(const struct sg_night_row *row, struct sg_err *err)
{
    const struct sg_record record = {.fields = columns + TEXT + 1, .count = COLUMNS - TEXT - 1};
    return sg_record_check(&record, row, err);
}

static enum sg_code read_item(struct reader *r, const char *const *field, struct sg_err *err)
{
    struct sg_night_row row = SG_NIGHT_ROW_EMPTY;
    const struct sg_record record = item_record(r->columns);
    if (sg_record_read(&record, field + NAME, &row, &r->history->pool, err) != SG_SUCCESS)
        return err->code;
    if (!isnan(row.build_ratio) && row.build == 0)
        return sg_field_fail("build", "the accepted build of a build_ratio", "", err);
    sg_history_add_row(r->history, &row);
    return SG_SUCCESS;
}

static enum sg_code read_gpu(struct reader *r, const char *name, const char *value,
                             struct sg_err *err)
{
    struct sg_unit gpu = {.processes = 0};
    const struct sg_record record = gpu_record();
    SG_SCOPED(sg_csv_fields) fields = {.count = 0};
    SG_FREED char *line = sg_copy_string(value);
    sg_csv_split(line, &fields);
    if (fields.count != record.count || !sg_is_name(name))
        return sg_field_fail(GPU, "a name and the columns of units.csv", value, err);
    snprintf(gpu.name, sizeof(gpu.name), "%s", name);
    if (sg_record_read(&record, fields.items, &gpu, NULL, err) == SG_SUCCESS)
        sg_history_add_gpu(r->history, &gpu);
    return err->code;
}

static enum sg_code read_header(struct reader *r, const struct sg_csv_row *row, struct sg_err *err)
{
    r->columns = schema_of(row->count)->columns;
    const struct sg_record all = {.fields = columns, .count = r->columns};
    return sg_record_check_header(&all, row, err);
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct reader *r = context;
    if (row->line == 1)
        return read_header(r, row, err);
    if (r->has_end)
        sg_fail(err, SG_BAD_INPUT, NULL,
                "expected the end of the file after its digest, found another row");
    else if (strcmp(row->field[RECORD], FACT) == 0)
        read_fact(r, row->field[NAME], row->field[TEXT], err);
    else if (strcmp(row->field[RECORD], ITEM) == 0)
        read_item(r, row->field, err);
    else if (strcmp(row->field[RECORD], GPU) == 0)
        read_gpu(r, row->field[NAME], row->field[TEXT], err);
    else
        sg_field_fail("record", FACT ", " GPU " or " ITEM, row->field[RECORD], err);
    if (!r->has_end)
        digest_row(&r->digest, row->field, r->columns);
    return sg_fail_here(err, row->path, row->line);
}

enum sg_code sg_night_read(const char *path, struct sg_history *history, struct sg_err *err)
{
    static const char *const needed[] = {SG_NIGHT_DATE, "gpu", "suite", SG_NIGHT_RUN};
    struct sg_env *facts = &sg_history_begin_night(history)->facts;
    struct reader r = {.history = history, .facts = facts, .digest = SG_DIGEST_EMPTY};
    if (sg_csv_read(path, on_row, &r, err) != SG_SUCCESS)
        return err->code;
    if (!r.has_end)
        return sg_fail(
            err, SG_NOT_COMPARABLE, path,
            "its last line, the digest, is missing: the file was cut short or merged by hand");
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (!sg_env_get(facts, needed[i]))
            sg_fail_at(err, SG_BAD_INPUT, path, 1, "the fact '%s' is missing", needed[i]);
    return err->code;
}
