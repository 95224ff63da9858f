#include "util/csv_reader.h"

#include <stdlib.h>
#include <string.h>

#include "util/escape.h"
#include "util/names.h"

/* ---- one row ---- */

/* Removes the quotes of the field at `at`. Returns the byte after the field; NULL: no closing
 * quote. */
static char *unquote(char *at, struct sg_csv_fields *fields)
{
    char *to = at++;
    for (; *at && !(at[0] == '"' && at[1] != '"'); at++) {
        fields->line_ends += *at == '\n';
        at += *at == '"';
        *to++ = *at;
    }
    if (!*at)
        return NULL;
    *to = '\0';
    return at + 1;
}

char *sg_csv_split(char *row, struct sg_csv_fields *fields)
{
    char *at = row, delimiter = ',';
    fields->count = fields->line_ends = 0;
    fields->broken = NULL;
    while (delimiter == ',') {
        *SG_APPEND(fields->items, fields->count, fields->capacity) = at;
        at = *at == '"' ? unquote(at, fields) : at + strcspn(at, ",\n\"");
        delimiter = at ? *at : '"';
        if (delimiter && delimiter != ',' && delimiter != '\n') {
            fields->broken = at ? at : "";
            return NULL;
        }
        if (delimiter)
            *at++ = '\0';
    }
    return at;
}

enum sg_code sg_csv_fail(const struct sg_csv_fields *fields, struct sg_err *err)
{
    const char *broken = fields->broken;
    return sg_fail(err, SG_BAD_INPUT, NULL, "field %zu: expected %s, found '%s'", fields->count,
                   *broken == '"' ? "no quote inside of an unquoted field"
                                  : "its closing quote and then a comma",
                   *broken ? sg_show(broken, strcspn(broken, "\n")).text : "the end of the text");
}

void sg_csv_fields_release(struct sg_csv_fields *fields)
{
    free(fields->items);
    *fields = (struct sg_csv_fields){0};
}

/* ---- a file ---- */

static long line_of(const struct sg_text *text, size_t at)
{
    long line = 1;
    for (size_t i = 0; i < at; i++)
        line += text->data[i] == '\n';
    return line;
}

/* Refuses a NUL, a carriage return as the end of a row, and a truncated last row. A 0.0 may be the
 * rest of 0.005. */
static enum sg_code check_bytes(const char *path, const struct sg_text *text, struct sg_err *err)
{
    const char *nul = memchr(text->data, '\0', text->length),
               *returned = memchr(text->data, '\r', text->length);
    const char *bad = nul ? nul : returned;
    if (text->length == 0)
        return sg_fail_at(err, SG_BAD_INPUT, path, 1, "expected a header, found an empty file");
    if (bad)
        return sg_fail_at(err, SG_BAD_INPUT, path, line_of(text, (size_t)(bad - text->data)),
                          "expected text, found %s inside of a line",
                          nul ? "a NUL byte" : "a carriage return");
    if (text->data[text->length - 1] != '\n')
        return sg_fail_at(err, SG_BAD_INPUT, path, line_of(text, text->length),
                          "expected a line end after the last row: the last line is incomplete");
    return SG_SUCCESS;
}

static enum sg_code read_rows(const char *path, char *text, sg_csv_fn *fn, void *context,
                              struct sg_err *err)
{
    SG_SCOPED(sg_csv_fields) fields = {.count = 0};
    struct sg_csv_row row = {.path = path, .line = 1};
    size_t expected = 0; /* fields of the header */
    while (*text && err->code == SG_SUCCESS) {
        if (*text == '\n')
            return sg_fail_at(err, SG_BAD_INPUT, path, row.line,
                              "expected a row, found an empty line");
        text = sg_csv_split(text, &fields);
        if (!text)
            return sg_csv_fail(&fields, err), sg_fail_here(err, path, row.line);
        row.count = fields.count;
        row.field = fields.items;
        expected = row.line == 1 ? row.count : expected;
        if (row.count != expected)
            return sg_fail_at(err, SG_BAD_INPUT, path, row.line,
                              "expected %zu fields as in the header, found %zu", expected,
                              row.count);
        fn(context, &row, err);
        row.line += 1 + (long)fields.line_ends;
    }
    return err->code;
}

enum sg_code sg_csv_read_digested(const char *path, sg_csv_fn *fn, void *context,
                                  struct sg_digest *digest, struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    if (sg_read_text(path, &text, err) != SG_SUCCESS)
        return err->code;
    if (digest)
        sg_digest_add(digest, text.data, text.length);
    return check_bytes(path, &text, err) == SG_SUCCESS
               ? read_rows(path, text.data, fn, context, err)
               : err->code;
}

enum sg_code sg_csv_read(const char *path, sg_csv_fn *fn, void *context, struct sg_err *err)
{
    return sg_csv_read_digested(path, fn, context, NULL, err);
}

enum sg_code sg_csv_check_header(const struct sg_csv_row *row, const char *columns,
                                 struct sg_err *err)
{
    SG_SCOPED(sg_names) expected = {0};
    sg_names_add_split(&expected, columns, ',');
    for (size_t i = 0; i < expected.count && err->code == SG_SUCCESS; i++) {
        bool is_there = false;
        for (size_t k = 0; k < row->count; k++)
            is_there |= strcmp(row->field[k], expected.items[i]) == 0;
        if (!is_there)
            sg_fail_at(err, SG_BAD_INPUT, row->path, row->line,
                       "the column '%s' is missing; expected %s", expected.items[i], columns);
        else if (strcmp(row->field[i], expected.items[i]) != 0)
            sg_fail_at(err, SG_BAD_INPUT, row->path, row->line,
                       "expected the column '%s', found '%s'", expected.items[i],
                       sg_show_string(row->field[i]).text);
    }
    if (row->count > expected.count)
        sg_fail_at(err, SG_BAD_INPUT, row->path, row->line,
                   "the column '%s' is unknown; expected %s",
                   sg_show_string(row->field[expected.count]).text, columns);
    return err->code;
}

/* Returns true if the field needs no quotes and no escapes, as most fields do. */
static bool is_plain(const char *field)
{
    bool plain = *field != ' ';
    for (; *field && plain; field++)
        plain = *field >= ' ' && *field < 0x7f && *field != ',' && *field != '"';
    return plain;
}

void sg_csv_add_field(struct sg_text *line, const char *field)
{
    if (is_plain(field)) {
        sg_text_add(line, field);
        return;
    }
    const char *quote = strpbrk(field, ",\"") || strchr(" \t\n\r", field[0]) ? "\"" : "";
    sg_text_add(line, quote);
    sg_add_escaped(line, SG_CSV, field);
    sg_text_add(line, quote);
}

void sg_csv_add_fields(struct sg_text *line, const char *const *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sg_text_add(line, i > 0 ? "," : "");
        sg_csv_add_field(line, fields[i]);
    }
}
