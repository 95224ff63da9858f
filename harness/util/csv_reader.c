#include "util/csv_reader.h"

#include <csv.h> /* libcsv's: our folders are searched for quoted names only */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/escape.h"

#define CHUNK_BYTES (1u << 18)
#define GROWTH      (1u << 16) /* of the field that is read: libcsv's 128 bytes copy a long one thousands of times */

/* Lines are cut here and fed to libcsv one by one, because libcsv knows neither line numbers
 * nor where a row begins in the file. */
struct reader {
    const char *path;
    sg_csv_fn *fn;
    void *context;
    struct sg_err *err;
    bool journal;
    struct sg_digest *digest; /* of the bytes read; NULL: nobody asks */
    struct csv_parser parser;
    char *bytes; /* of the row's fields, terminated; as large as a row can get, so that pointers into it stay */
    size_t used;
    const char **field;
    size_t *length;
    size_t count, field_capacity, length_capacity;
    size_t expected;  /* fields of the header; 0 before it */
    long line;        /* of what is being fed */
    long first_line;  /* of the row that is being fed */
    size_t row_bytes; /* fed of the row; 0 between rows */
    size_t rows;      /* that ended in the line being fed */
    uint64_t whole;   /* bytes of the file up to the end of the last row */
    bool torn;        /* feeding a last line without line end */
};

static enum sg_code fail_line(struct reader *r, const char *expected, const char *bytes, size_t count)
{
    return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line, "expected %s, found '%s'", expected, sg_show(bytes, count).text);
}

/* Would a spreadsheet compute it? Apostrophes before it, of those below, do not change that.
 * A number begins with a sign too. */
static bool is_formula(const char *field)
{
    const char *text = field + strspn(field, "'");
    return *text && strchr("=+-@", *text) && !sg_parse_double(field, true, &(double){0});
}

static void end_field(void *bytes, size_t count, void *context)
{
    struct reader *r = context;
    if (r->err->code != SG_SUCCESS)
        return;
    if (r->count == r->field_capacity || r->count == r->length_capacity) {
        r->field = sg_grow(r->field, &r->field_capacity, r->count + 1, sizeof(*r->field));
        r->length = sg_grow(r->length, &r->length_capacity, r->count + 1, sizeof(*r->length));
    }
    char *copy = r->bytes + r->used;
    memcpy(copy, bytes, count);
    copy[count] = '\0';
    r->used += count + 1;
    const size_t guard = count > 0 && copy[0] == '\'' && is_formula(copy) ? 1 : 0;
    r->field[r->count] = copy + guard;
    r->length[r->count++] = count - guard;
}

static enum sg_code check_count(struct reader *r)
{
    if (r->expected == 0)
        r->expected = r->count;
    if (r->count == r->expected)
        return SG_SUCCESS;
    return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->first_line, "expected %zu fields as in the header, found %zu%s", r->expected,
                      r->count, r->torn ? "; the last line is torn: it has no line end" : "");
}

static void end_row(int terminator, void *context)
{
    struct reader *r = context;
    (void)terminator;
    if (r->err->code != SG_SUCCESS)
        return;
    if (++r->rows > 1) {
        sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line, "expected one row in a line, found a carriage return inside of it");
        return;
    }
    if (check_count(r) != SG_SUCCESS)
        return;
    struct sg_csv_row row = {.path = r->path, .line = r->first_line, .count = r->count, .field = r->field, .length = r->length};
    r->fn(r->context, &row, r->err);
    r->count = r->used = 0;
}

/* A whole line in which only commas mean something: most are, and libcsv
 * looks at each of their bytes in turn. */
static bool is_plain_line(const char *line, size_t count)
{
    return line[count - 1] == '\n' && !memchr(line, '"', count) && !memchr(line, '\r', count);
}

/* As libcsv does it, without the line's end. */
static void split(struct reader *r, const char *line, size_t count)
{
    const char *end = line + count;
    for (const char *comma; (comma = memchr(line, ',', (size_t)(end - line))) != NULL; line = comma + 1)
        end_field((void *)(uintptr_t)line, (size_t)(comma - line), r); /* which writes nothing to it */
    end_field((void *)(uintptr_t)line, (size_t)(end - line), r);
    end_row('\n', r);
}

static enum sg_code feed(struct reader *r, const char *line, size_t count)
{
    bool begins = r->row_bytes == 0;
    if (begins)
        r->first_line = r->line;
    r->row_bytes += count;
    if (r->row_bytes > SG_CSV_LINE_MAX)
        return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->first_line, "expected a row of at most %u bytes, found a longer one",
                          SG_CSV_LINE_MAX);
    const char *nul = memchr(line, '\0', count);
    if (nul)
        return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line, "expected text, found a NUL byte at column %zu",
                          (size_t)(nul - line) + 1);
    if (begins && (line[0] == '\n' || line[0] == '\r'))
        return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line, "expected a row, found an empty line");
    r->rows = 0;
    if (begins && is_plain_line(line, count)) {
        split(r, line, count - 1);
        return r->err->code;
    }
    size_t taken = csv_parse(&r->parser, line, count, end_field, end_row, r);
    if (taken < count && r->err->code == SG_SUCCESS) {
        int error = csv_error(&r->parser);
        if (error != CSV_EPARSE)
            return sg_fail(r->err, SG_SYSTEM, r->path, "libcsv: %s", csv_strerror(error));
        return fail_line(r, "a field quoted in full, with a comma or the line's end behind it", line + taken, count - taken);
    }
    return r->err->code;
}

static enum sg_code feed_line(struct reader *r, const char *line, size_t count)
{
    if (feed(r, line, count) != SG_SUCCESS)
        return r->err->code;
    if (r->rows > 0) {
        r->whole += r->row_bytes;
        r->row_bytes = 0;
    } else if (r->journal) {
        return fail_line(r, "a row that ends with its line", line, count);
    }
    r->line++;
    return SG_SUCCESS;
}

static enum sg_code feed_last(struct reader *r, const char *line, size_t count)
{
    if (r->journal)
        return SG_SUCCESS;
    r->torn = count > 0;
    if (count > 0 && feed(r, line, count) != SG_SUCCESS)
        return r->err->code;
    r->rows = 0;
    if (csv_fini(&r->parser, end_field, end_row, r) != 0 && r->err->code == SG_SUCCESS)
        return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->first_line, "expected a closing quote, found the end of the file");
    if (r->err->code == SG_SUCCESS && r->expected == 0)
        return sg_fail_at(r->err, SG_BAD_INPUT, r->path, 1, "expected a header, found an empty file");
    /* It has all its fields, but who can tell 0.0 from what is left of 0.005? */
    if (r->err->code == SG_SUCCESS && r->torn)
        return sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->first_line,
                          "expected a line end behind the last row, found the end of the file");
    return r->err->code;
}

static enum sg_code read_lines(struct reader *r, int descriptor)
{
    size_t held = 0, got;
    char *buffer = sg_alloc(SG_CSV_LINE_MAX + CHUNK_BYTES, 1);
    do {
        if (sg_read_bytes(r->path, descriptor, buffer + held, CHUNK_BYTES, &got, r->err) != SG_SUCCESS)
            goto out;
        const size_t mark = r->whole == 0 && held == 0 ? sg_text_mark(buffer, got) : 0;
        if (r->digest)
            sg_digest_add_text(r->digest, buffer + held + mark, got - mark);
        char *at = buffer + mark, *end = buffer + held + got, *newline;
        r->whole += mark;
        while ((newline = memchr(at, '\n', (size_t)(end - at))) != NULL) {
            if (feed_line(r, at, (size_t)(newline + 1 - at)) != SG_SUCCESS)
                goto out;
            at = newline + 1;
        }
        held = (size_t)(end - at);
        if (held > SG_CSV_LINE_MAX) {
            sg_fail_at(r->err, SG_BAD_INPUT, r->path, r->line, "expected a row of at most %u bytes, found a longer one", SG_CSV_LINE_MAX);
            goto out;
        }
        memmove(buffer, at, held);
    } while (got == CHUNK_BYTES);
    feed_last(r, buffer, held);
out:
    free(buffer);
    return r->err->code;
}

/* libcsv trims blanks around a field if it is let; a blank is data here. */
static int no_blank(unsigned char c)
{
    (void)c;
    return 0;
}

static enum sg_code read_file(struct reader *r)
{
    int descriptor;
    if (sg_open_to_read(r->path, &descriptor, r->err) != SG_SUCCESS)
        return r->err->code;
    if (csv_init(&r->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0) {
        sg_fail(r->err, SG_SYSTEM, r->path, "libcsv does not start");
        goto out;
    }
    csv_set_space_func(&r->parser, no_blank);
    csv_set_blk_size(&r->parser, GROWTH);
    r->bytes = sg_alloc(SG_CSV_LINE_MAX + 2, 1);
    r->line = r->first_line = 1;
    read_lines(r, descriptor);
    csv_free(&r->parser);
out:
    free(r->bytes);
    free(r->field);
    free(r->length);
    close(descriptor);
    return r->err->code;
}

enum sg_code sg_csv_read(const char *path, sg_csv_fn *fn, void *context, struct sg_err *err)
{
    struct reader r = {.path = path, .fn = fn, .context = context, .err = err};
    return read_file(&r);
}

enum sg_code sg_csv_read_digested(const char *path, sg_csv_fn *fn, void *context, struct sg_digest *digest, struct sg_err *err)
{
    struct reader r = {.path = path, .fn = fn, .context = context, .err = err, .digest = digest};
    return read_file(&r);
}

enum sg_code sg_csv_read_journal(const char *path, sg_csv_fn *fn, void *context, uint64_t *whole_bytes, struct sg_err *err)
{
    struct reader r = {.path = path, .fn = fn, .context = context, .err = err, .journal = true};
    read_file(&r);
    *whole_bytes = r.whole;
    return err->code;
}

static bool has_column(const struct sg_csv_row *row, const char *column, size_t length)
{
    for (size_t i = 0; i < row->count; i++) {
        if (row->length[i] == length && memcmp(row->field[i], column, length) == 0)
            return true;
    }
    return false;
}

enum sg_code sg_csv_check_header(const struct sg_csv_row *row, const char *columns, struct sg_err *err)
{
    size_t i = 0;
    for (const char *column = columns; *column; i++) {
        size_t length = strcspn(column, ",");
        if (!has_column(row, column, length))
            return sg_fail_at(err, SG_BAD_INPUT, row->path, row->line, "the column '%.*s' is missing; expected %s", (int)length, column,
                              columns);
        if (row->length[i] != length || memcmp(row->field[i], column, length) != 0)
            return sg_fail_at(err, SG_BAD_INPUT, row->path, row->line, "expected the column '%.*s', found '%s'", (int)length, column,
                              sg_show(row->field[i], row->length[i]).text);
        column += length + (column[length] == ',');
    }
    if (row->count > i)
        return sg_fail_at(err, SG_BAD_INPUT, row->path, row->line, "the column '%s' is unknown; expected %s",
                          sg_show(row->field[i], row->length[i]).text, columns);
    return SG_SUCCESS;
}

/* An apostrophe makes a formula text; the reader takes off one. */
static void add_guarded(struct sg_text *out, const char *field)
{
    if (is_formula(field))
        sg_text_add(out, "'");
    sg_add_cell(out, field);
}

/* Most fields are: of a million rows each is looked at. */
static bool is_plain(const char *field)
{
    if (*field && strchr("=+-@' ", *field))
        return false;
    for (const unsigned char *at = (const unsigned char *)field; *at; at++)
        if (*at < ' ' || *at >= 0x7f || *at == ',' || *at == '"')
            return false;
    return true;
}

void sg_csv_add_field(struct sg_text *line, const char *field)
{
    if (is_plain(field)) {
        sg_text_add(line, field);
        return;
    }
    struct sg_text cell = {0};
    add_guarded(&cell, field);
    const char *rest = sg_text_string(&cell);
    if (!strpbrk(rest, ",\"") && rest[0] != ' ') {
        sg_text_add(line, rest);
        sg_text_release(&cell);
        return;
    }
    sg_text_add(line, "\"");
    for (const char *quote; (quote = strchr(rest, '"')) != NULL; rest = quote + 1) {
        sg_text_add_bytes(line, rest, (size_t)(quote + 1 - rest));
        sg_text_add(line, "\"");
    }
    sg_text_add(line, rest);
    sg_text_add(line, "\"");
    sg_text_release(&cell);
}
