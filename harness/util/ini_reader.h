/*
 * util/ini_reader.h - strict INI files: one callback a key, with the line it stands on.
 *
 * Repeated keys are handed on as they come (that is how lists are written); a continuation line
 * (indented) continues the value, with a blank between, before the callback sees it. `;` and `#`
 * start a comment at the start of a line only.
 * Refused: a line that is neither a section nor key = value, a key before any section, a control
 * character, the same section twice. (inih would cut long lines in silence, takes " ;" inside of a
 * value for a comment, and reports no lines.)
 */
#pragma once

#include "util/err.h"

struct sg_ini_entry {
    const char *path;
    long line;           /* where the key stands */
    const char *section; /* never "" */
    const char *key;     /* NULL: the section has just begun (so that empty sections are seen) */
    const char *value;   /* trimmed; NULL when key is NULL */
};

typedef enum sg_code sg_ini_fn(void *context, const struct sg_ini_entry *entry, struct sg_err *err);

enum sg_code sg_ini_read(const char *path, sg_ini_fn *fn, void *context, struct sg_err *err);

/* Something that the file must hold, such as "the section [gpu]", is nowhere in it. */
enum sg_code sg_ini_fail_missing(const char *path, const char *what, struct sg_err *err);
