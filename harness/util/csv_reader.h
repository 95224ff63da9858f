/*
 * util/csv_reader.h - strict CSV (RFC 4180) through libcsv: one callback a row, with
 * file and line for every complaint.
 *
 * Refused with path:line, what was expected and what was found: a broken quote, a NUL byte, an
 * empty line, a row with another number of fields than the header, a last line without its end: it
 * may be half of one. A mark of UTF-8 at the start is skipped, and CR LF ends a line too.
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

/* Called for the header too (line 1). Return anything but SG_SUCCESS to stop; say why in err. */
typedef enum sg_code sg_csv_fn(void *context, const struct sg_csv_row *row, struct sg_err *err);

enum sg_code sg_csv_read(const char *path, sg_csv_fn *fn, void *context, struct sg_err *err);
/* The same, and adds the text of the file to the digest (sg_digest_add_text_file). */
enum sg_code sg_csv_read_digested(const char *path, sg_csv_fn *fn, void *context, struct sg_digest *digest, struct sg_err *err);

/* The header must be these columns in this order ("a,b,c"): the first one that is
 * unknown, missing or elsewhere is named. */
enum sg_code sg_csv_check_header(const struct sg_csv_row *row, const char *columns, struct sg_err *err);

/* Appends one field, quoted if it needs to be. A row is a line, and no control character is in it
 * (sg_add_cell). */
void sg_csv_add_field(struct sg_text *line, const char *field);
void sg_csv_add_fields(struct sg_text *line, const char *const *fields, size_t count); /* a comma between two */
