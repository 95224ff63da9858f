#include "util/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/csv_reader.h"
#include "util/names.h"

enum sg_code sg_field_fail(const char *name, const char *expected, const char *found,
                           struct sg_err *err)
{
    return sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected %s, found '%s'", name, expected,
                   sg_show_string(found).text);
}

/* ---- reading ---- */

static uint64_t limit_of(const struct sg_field *field)
{
    const uint64_t size_limit = UINT64_MAX >> (64 - 8 * field->size);
    return field->most > 0 ? (uint64_t)field->most : size_limit;
}

/* "a whole number from 0 to 3", "an even number from 4 to 512", "one of cold clean warm" */
static void add_expected(struct sg_text *out, const struct sg_field *field)
{
    if (field->expected) {
        sg_text_add(out, field->expected);
    } else if (field->type == SG_FIELD_COUNT) {
        sg_text_add(out, field->step == 2 ? "an even number" : "a whole number");
        sg_text_addf(out, " from %g", field->least);
        if (field->most == 0 && field->size == sizeof(uint64_t))
            sg_text_add(out, " on");
        else
            sg_text_addf(out, " to %" PRIu64, limit_of(field));
    } else if (field->type == SG_FIELD_REAL && field->most > 0) {
        sg_text_addf(out, "a number from %g to %g", field->least, field->most);
    } else if (field->type == SG_FIELD_WORD) {
        sg_text_add(out, "one of");
        for (size_t i = 0; field->words[i]; i++)
            sg_text_addf(out, " %s", field->words[i]);
    } else {
        static const char *const words[] = {
            [SG_FIELD_REAL] = "a number", [SG_FIELD_YES] = "yes or no"};
        sg_text_add(out, field->type == SG_FIELD_REAL || field->type == SG_FIELD_YES
                             ? words[field->type]
                             : "a text");
    }
}

enum sg_code sg_refuse_value(const struct sg_ini_entry *entry, const char *expected,
                             struct sg_err *err)
{
    return sg_fail(err, SG_BAD_INPUT, NULL, "expected %s, found '%s'", expected,
                   sg_show_string(entry->value).text);
}

static enum sg_code refuse(const struct sg_field *field, const struct sg_ini_entry *entry,
                           struct sg_err *err)
{
    SG_SCOPED(sg_text) expected = {0};
    add_expected(&expected, field);
    return sg_refuse_value(entry, expected.data, err);
}

static bool is_in_range(const struct sg_field *field, double value)
{
    return isnan(value) ? field->nan
                        : value >= field->least && (field->most == 0 || value <= field->most);
}

static double real_at(const struct sg_field *field, const void *at)
{
    return field->size == sizeof(float) ? *(const float *)at : *(const double *)at;
}

static bool read_real(const struct sg_field *field, const char *text, void *to)
{
    double number = NAN;
    const bool is_number = *text ? sg_parse_double(text, field->nan, &number) : !field->required;
    if (field->size == sizeof(float))
        *(float *)to = (float)number;
    else
        *(double *)to = number;
    return is_number && (!*text || is_in_range(field, number));
}

static bool read_count(const struct sg_field *field, const char *text, void *to)
{
    uint64_t number = 0;
    const bool is_whole = sg_parse_u64(text, &number);
    memcpy(to, &number, field->size); /* little-endian */
    return (is_whole && (double)number >= field->least && number <= limit_of(field) &&
            (field->step == 0 || number % field->step == 0)) ||
           (!*text && field->bit);
}

static bool read_word(const struct sg_field *field, const char *text, int *to)
{
    int i = 0;
    while (field->words[i] && strcmp(field->words[i], text) != 0)
        i++;
    *to = i;
    return field->words[i] != NULL;
}

/* char *, owned; the values of a repeated key are joined. */
static bool read_string(const char *text, char **to)
{
    struct sg_text joined = {0};
    if (*to)
        sg_text_addf(&joined, "%s ", *to);
    sg_text_add(&joined, text);
    free(*to);
    *to = joined.data;
    return *text != '\0';
}

static bool read_text(const struct sg_field *field, const char *text, void *to,
                      struct sg_intern_pool **pool)
{
    if (field->is && !field->is(text))
        return false;
    if (field->type == SG_FIELD_TEXT)
        *(const char **)to = text;
    else if (field->type == SG_FIELD_ID)
        *(sg_id *)to = sg_intern(pool, text);
    else if (field->type == SG_FIELD_STRING)
        return read_string(text, to);
    else if (field->type == SG_FIELD_NAMES)
        sg_names_add(to, text);
    else
        snprintf(to, field->size, "%s", text);
    return true;
}

static bool read_by_type(const struct sg_field *field, const char *text, void *to,
                         struct sg_intern_pool **pool)
{
    switch (field->type) {
    case SG_FIELD_REAL:
        return read_real(field, text, to);
    case SG_FIELD_COUNT:
        return read_count(field, text, to);
    case SG_FIELD_WORD:
        return read_word(field, text, to);
    case SG_FIELD_YES:
        *(bool *)to = strcmp(text, "yes") == 0;
        return *(bool *)to || strcmp(text, "no") == 0;
    default:
        return read_text(field, text, to, pool);
    }
}

enum sg_code sg_field_read(const struct sg_field *field, const struct sg_ini_entry *entry, void *to,
                           struct sg_intern_pool **pool, struct sg_err *err)
{
    if (field->take)
        return field->take(field, (char *)to + field->offset, entry, err);
    const bool is_empty_key = entry->section && !*entry->value;
    if (field->type == SG_FIELD_RATIO)
        return sg_parse_percent(entry->value, (void *)((char *)to + field->offset), err);
    return !is_empty_key && read_by_type(field, entry->value, (char *)to + field->offset, pool)
               ? SG_SUCCESS
               : refuse(field, entry, err);
}

enum sg_code sg_record_read(const struct sg_record *record, const char *const *field, void *to,
                            struct sg_intern_pool **pool, struct sg_err *err)
{
    uint8_t has = 0;
    struct sg_err bad = {.code = SG_SUCCESS};
    for (size_t i = 0; i < record->count; i++) {
        const struct sg_field *f = &record->fields[i];
        const struct sg_ini_entry entry = {.key = f->name, .value = field[i]};
        if (sg_field_read(f, &entry, to, pool, &bad) != SG_SUCCESS)
            return sg_fail(err, bad.code, NULL, "%s: %s", f->name, bad.message);
        has |= *field[i] ? f->bit : 0;
    }
    if (record->has)
        *((uint8_t *)to + record->has) = has;
    return SG_SUCCESS;
}

enum sg_code sg_record_check_header(const struct sg_record *record, const struct sg_csv_row *row,
                                    struct sg_err *err)
{
    SG_SCOPED(sg_text) header = {0};
    sg_record_add_header(&header, record);
    return sg_csv_check_header(row, header.data, err);
}

/* ---- writing ---- */

void sg_record_add_header(struct sg_text *out, const struct sg_record *record)
{
    for (size_t i = 0; i < record->count; i++)
        sg_text_addf(out, "%s%s", i > 0 ? "," : "", record->fields[i].name);
}

static const char *text_of(const struct sg_field *field, const void *at,
                           const struct sg_intern_pool *pool)
{
    const char *text = at;
    if (field->type == SG_FIELD_ID)
        text = sg_intern_pool_string(pool, *(const sg_id *)at);
    else if (field->type == SG_FIELD_TEXT || field->type == SG_FIELD_STRING)
        text = *(const char *const *)at;
    else if (field->type == SG_FIELD_WORD)
        text = field->words[*(const int *)at];
    else if (field->type == SG_FIELD_YES)
        text = *(const bool *)at ? "yes" : "no";
    return text ? text : "";
}

static void add_field(struct sg_text *out, const struct sg_field *field, const void *at,
                      const struct sg_intern_pool *pool)
{
    uint64_t count = 0;
    if (field->add) {
        field->add(out, at);
    } else if (field->type == SG_FIELD_COUNT) {
        memcpy(&count, at, field->size);
        sg_text_add_number(out, (double)count, 17); /* all digits */
    } else if (field->type != SG_FIELD_REAL) {
        sg_csv_add_field(out, text_of(field, at, pool));
    } else if (!isnan(real_at(field, at)) || field->nan) {
        /* Readers refuse an infinity (a division by zero, or an overflow). */
        sg_text_add_number(out, isinf(real_at(field, at)) ? NAN : real_at(field, at),
                           field->digits ? field->digits : SG_DIGITS);
    }
}

void sg_record_add(struct sg_text *out, const struct sg_record *record, const void *from,
                   const struct sg_intern_pool *pool)
{
    const uint8_t has = record->has ? *((const uint8_t *)from + record->has) : 0;
    for (size_t i = 0; i < record->count; i++) {
        const struct sg_field *field = &record->fields[i];
        if (i > 0)
            sg_text_add_bytes(out, ",", 1);
        if (!field->bit || has & field->bit)
            add_field(out, field, (const char *)from + field->offset, pool);
    }
}

static bool is_valid(const struct sg_field *field, const void *at, uint8_t has)
{
    const bool is_given = !field->bit || has & field->bit;
    if (field->type == SG_FIELD_TEXT)
        return !field->is || field->is(text_of(field, at, NULL));
    if (field->type != SG_FIELD_REAL || !is_given)
        return true;
    return (isnan(real_at(field, at)) && !field->bit) || is_in_range(field, real_at(field, at));
}

enum sg_code sg_record_check(const struct sg_record *record, const void *from, struct sg_err *err)
{
    const uint8_t has = record->has ? *((const uint8_t *)from + record->has) : UINT8_MAX;
    for (size_t i = 0; i < record->count; i++) {
        const struct sg_field *field = &record->fields[i];
        SG_SCOPED(sg_text) expected = {0}, found = {0};
        if (is_valid(field, (const char *)from + field->offset, has))
            continue;
        add_expected(&expected, field);
        add_field(&found, field, (const char *)from + field->offset, NULL);
        return sg_field_fail(field->name, expected.data, sg_text_string(&found), err);
    }
    return SG_SUCCESS;
}
