/*
 * util/csv_reader.h - strict CSV (RFC 4180): one callback per row, with file and line in every
 * error.
 *
 * Errors name path:line, the expected and the found text. Refuses a broken quote, a NUL byte, an
 * empty line, a row whose number of fields differs from the header, and a last line without a
 * newline, which may be truncated. A UTF-8 byte order mark is skipped; CR LF also ends a line.
 */
#pragma once

#include "util/digest.h"
#include "util/err.h"
#include "util/file.h"
#include "util/text.h"

struct sg_csv_row {
    const char *path;         /* borrowed, for messages */
    long line;                /* 1 is the header */
    size_t count;             /* fields */
    const char *const *field; /* terminated strings, valid during the call */
};

/* Called for the header too (line 1). A result other than SG_SUCCESS stops the reader; set err
 * then. */
typedef enum sg_code sg_csv_fn(void *context, const struct sg_csv_row *row, struct sg_err *err);

struct sg_csv_fields {
    const char **items; /* owned; its strings are in the row */
    size_t count, capacity;
    size_t line_ends;   /* inside of quotes */
    const char *broken; /* the byte where the quotes are wrong; "": the closing quote is missing */
};
/* Splits the row at `row` in place, up to a line end or the terminator. Returns the byte after the
 * row; NULL: fields->broken. */
char *sg_csv_split(char *row, struct sg_csv_fields *fields);
/* SG_BAD_INPUT: names the field with the wrong quotes. */
enum sg_code sg_csv_fail(const struct sg_csv_fields *fields, struct sg_err *err);
void sg_csv_fields_release(struct sg_csv_fields *fields);

enum sg_code sg_csv_read(const char *path, sg_csv_fn *fn, void *context, struct sg_err *err);
/* Like sg_csv_read, and adds the text of the file to the digest (sg_digest_add_text_file). */
enum sg_code sg_csv_read_digested(const char *path, sg_csv_fn *fn, void *context,
                                  struct sg_digest *digest, struct sg_err *err);

/* Checks that the header is these columns in this order ("a,b,c"). The error names the first
 * column that is unknown, missing or misplaced. */
enum sg_code sg_csv_check_header(const struct sg_csv_row *row, const char *columns,
                                 struct sg_err *err);

/* Appends one field, quoted if necessary. Control characters are replaced (sg_add_cell), so a
 * row stays one line. */
void sg_csv_add_field(struct sg_text *line, const char *field);
/* separated by commas */
void sg_csv_add_fields(struct sg_text *line, const char *const *fields, size_t count);
