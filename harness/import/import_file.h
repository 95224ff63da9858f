/*
 * import/import_file.h - reads a file as a stream: as lines, or as a JSON document of any size, one
 * element at a time.
 *
 * Compressed files are read through `gzip`, and reports of ncu through `ncu`, which prints their
 * table. These programs run in parallel, and their output is read as a stream.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "util/digest.h"

struct sg_import_file {
    const char *path; /* borrowed */
    FILE *bytes;
    pid_t process;           /* program whose output is read; 0: none */
    bool is_json;            /* detected from the first bytes */
    long line;               /* of the next byte; the first line is 1 */
    struct sg_digest digest; /* includes all bytes before the next one */
    size_t taken;            /* bytes of the current element */
    char *head;              /* owned; first bytes, for detecting the format */
    size_t head_count, head_taken;
};

enum sg_code sg_import_file_open(struct sg_import_file *file, const char *path, struct sg_err *err);
/* SG_SYSTEM: reading failed before the end. An earlier error is kept. */
enum sg_code sg_import_file_close(struct sg_import_file *file, struct sg_err *err);

/* Reads the next line, without its newline. False: end of the file, or an error. SG_BAD_INPUT: a
 * NUL byte, or a line that is longer than any tool writes. */
bool sg_import_file_line(struct sg_import_file *file, struct sg_text *line, struct sg_err *err);

/* Receives an element of the document's array `key` ("": the document is the array), or its member
 * `key` that is not an array. `element` NULL: a number, true, false or null. */
typedef enum sg_code sg_element_fn(void *context, const char *key, const json_t *element,
                                   struct sg_err *err);

/* Calls `fn` for each element. SG_BAD_INPUT with file and line; an error of `fn` gets the element's
 * line. */
enum sg_code sg_import_file_elements(struct sg_import_file *file, sg_element_fn *fn, void *context,
                                     struct sg_err *err);
