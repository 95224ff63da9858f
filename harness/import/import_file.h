/*
 * import/import_file.h - a file that is read from its beginning to its end: as lines, or as a JSON
 * document of any size, an element at a time.
 *
 * What is packed is unpacked on the way by `gzip`, and of a report of ncu `ncu` prints the table:
 * each runs beside us, and its output is read as it comes.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "util/text.h"

struct sg_import_file {
    const char *path; /* borrowed */
    FILE *bytes;
    const char *program; /* that writes what is read; NULL: none */
    bool is_json;        /* by its first bytes */
    long line;           /* of the next byte; 1 is the first */
    size_t taken;        /* bytes of the element at hand */
    char *head;          /* owned; the first bytes, which tell the format */
    size_t head_count, head_taken;
};

enum sg_code sg_import_file_open(struct sg_import_file *file, const char *path, struct sg_err *err);
/* SG_SYSTEM: it cannot be read to its end, if nothing was wrong before. */
enum sg_code sg_import_file_close(struct sg_import_file *file, struct sg_err *err);

/* The next line, without its end; false: there is none. SG_BAD_INPUT: a NUL byte, or a line that is
 * longer than any tool writes. */
bool sg_import_file_line(struct sg_import_file *file, struct sg_text *line, struct sg_err *err);

/* An element of the array `key` of the document ("": the document is the array), or its member
 * `key` that is not an array. NULL: a number, true, false or null. */
typedef enum sg_code sg_element_fn(void *context, const char *key, const json_t *element, struct sg_err *err);

/* SG_BAD_INPUT with file and line: of the element, where
 * `fn` complains. */
enum sg_code sg_import_file_elements(struct sg_import_file *file, sg_element_fn *fn, void *context, struct sg_err *err);
