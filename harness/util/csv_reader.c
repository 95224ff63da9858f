#include "util/csv_reader.h"

#include <csv.h> /* libcsv: our include folders apply to quoted names only */
#include <stdlib.h>
#include <string.h>

#include "util/escape.h"
#include "util/names.h"

struct reader {
    const char *path;
    sg_csv_fn *fn;
    void *context;
    struct sg_err *err;
    struct sg_text fields; /* text of the current row's fields, each with its terminator */
    size_t *start;         /* offset of each field in `fields` */
    const char **field;
    size_t count, start_capacity, field_capacity;
    size_t expected; /* fields of the header; 0 before it */
    long line, first_line;
};

static void end_field(void *bytes, size_t length, void *context)
{
    struct reader *r = context;
    *SG_APPEND(r->start, r->count, r->start_capacity) = r->fields.length;
    sg_text_add_bytes(&r->fields, bytes, length);
    r->fields.length++; /* include the terminator */
    for (const char *at = bytes;
         (at = memchr(at, '\n', length - (size_t)(at - (const char *)bytes))) != NULL; at++)
        r->line++;
}

static void end_row(int terminator, void *context)
{
    struct reader *r = context;
    (void)terminator;
    if (r->err->code == SG_SUCCESS && r->count == 0)
        sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line, "expected a row, found an empty line");
    if (r->expected == 0)
        r->expected = r->count;
    if (r->err->code == SG_SUCCESS && r->count != r->expected)
        sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->first_line,
                   "expected %zu fields as in the header, found %zu", r->expected, r->count);
    r->field = sg_grow(r->field, &r->field_capacity, r->count, sizeof(*r->field));
    for (size_t i = 0; i < r->count; i++)
        r->field[i] = r->fields.data + r->start[i];
    const struct sg_csv_row row = {
        .path = r->path, .line = r->first_line, .count = r->count, .field = r->field};
    if (r->err->code == SG_SUCCESS)
        r->fn(r->context, &row, r->err);
    r->count = r->fields.length = 0;
    r->first_line = ++r->line;
}

static long line_of(const struct sg_text *text, size_t at)
{
    long line = 1;
    for (size_t i = 0; i < at; i++)
        line += text->data[i] == '\n';
    return line;
}

/* Refuses input that libcsv accepts silently: a NUL, a carriage return as the end of a row, and
 * a truncated last row. A 0.0 may be the rest of 0.005. */
static enum sg_code check_bytes(const struct reader *r, const struct sg_text *text)
{
    const char *nul = memchr(text->data, '\0', text->length),
               *returned = memchr(text->data, '\r', text->length);
    const char *bad = nul ? nul : returned;
    if (text->length == 0)
        return sg_fail_at(r->err, SG_BAD_INPUT, r->path, 1,
                          "expected a header, found an empty file");
    if (bad)
        return sg_fail_at(r->err, SG_BAD_INPUT, r->path, line_of(text, (size_t)(bad - text->data)),
                          "expected text, found %s inside of a line",
                          nul ? "a NUL byte" : "a carriage return");
    if (text->data[text->length - 1] != '\n')
        return sg_fail_at(r->err, SG_BAD_INPUT, r->path, line_of(text, text->length),
                          "expected a line end behind the last row: the last line is torn");
    return SG_SUCCESS;
}

static enum sg_code parse(struct reader *r, struct csv_parser *parser, const struct sg_text *text)
{
    const size_t taken = csv_parse(parser, text->data, text->length, end_field, end_row, r);
    if (taken < text->length)
        sg_fail_at(
            r->err, SG_BAD_INPUT, r->path, line_of(text, taken),
            "expected a field quoted in full, with a comma or the line's end behind it, found '%s'",
            sg_show(text->data + taken, strcspn(text->data + taken, "\n")).text);
    if (csv_fini(parser, end_field, end_row, r) != 0)
        sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->first_line,
                   "expected a closing quote, found the end of the file");
    return r->err->code;
}

/* libcsv trims blanks around a field by default; here a blank is data. */
static int no_blank(unsigned char c)
{
    (void)c;
    return 0;
}

static enum sg_code read_rows(struct reader *r, const struct sg_text *text)
{
    struct csv_parser parser;
    if (check_bytes(r, text) != SG_SUCCESS)
        return r->err->code;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL | CSV_REPALL_NL) != 0)
        return sg_fail(r->err, SG_SYSTEM, r->path, "libcsv does not start");
    csv_set_space_func(&parser, no_blank);
    r->line = r->first_line = 1;
    parse(r, &parser, text);
    csv_free(&parser);
    sg_text_release(&r->fields);
    free(r->start);
    free(r->field);
    return r->err->code;
}

enum sg_code sg_csv_read_digested(const char *path, sg_csv_fn *fn, void *context,
                                  struct sg_digest *digest, struct sg_err *err)
{
    struct reader r = {.path = path, .fn = fn, .context = context, .err = err};
    SG_SCOPED(sg_text) text = {0};
    if (sg_read_text(path, &text, err) == SG_SUCCESS) {
        if (digest)
            sg_digest_add(digest, text.data, text.length);
        read_rows(&r, &text);
    }
    return err->code;
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
    SG_SCOPED(sg_text) cell = {0};
    if (is_plain(field)) {
        sg_text_add(line, field);
        return;
    }
    sg_add_cell(&cell, field);
    const char *rest = sg_text_string(&cell);
    const char *quote = strpbrk(rest, ",\"") || rest[0] == ' ' ? "\"" : "";
    sg_text_add(line, quote);
    for (const char *at; (at = strchr(rest, '"')) != NULL; rest = at + 1) {
        sg_text_add_bytes(line, rest, (size_t)(at + 1 - rest));
        sg_text_add(line, "\"");
    }
    sg_text_add(line, rest);
    sg_text_add(line, quote);
}

void sg_csv_add_fields(struct sg_text *line, const char *const *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sg_text_add(line, i > 0 ? "," : "");
        sg_csv_add_field(line, fields[i]);
    }
}
