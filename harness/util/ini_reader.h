/*
 * util/ini_reader.h - strict INI files: one callback per key, with its line number.
 *
 * Repeated keys are passed one by one, for lists. An indented line continues the value, joined by a
 * blank, before the callback sees the value. `;` and `#` start a comment only at the start of a
 * line. Refused: a line that is neither a section nor key = value, a key before any section, a
 * control character, a section twice. inih is not used: it would truncate long lines silently,
 * treats " ;" inside a value as a comment, and reports no lines.
 */
#pragma once

#include "util/err.h"

struct sg_ini_entry {
    const char *path;
    long line;           /* line number of the key */
    const char *section; /* never "" */
    const char *key;     /* NULL: start of a section, so that empty sections are reported */
    const char *value;   /* trimmed; NULL when key is NULL */
};

typedef enum sg_code sg_ini_fn(void *context, const struct sg_ini_entry *entry, struct sg_err *err);

enum sg_code sg_ini_read(const char *path, sg_ini_fn *fn, void *context, struct sg_err *err);

/* Fails because the file lacks something required, such as "the section [gpu]". */
enum sg_code sg_ini_fail_missing(const char *path, const char *what, struct sg_err *err);
