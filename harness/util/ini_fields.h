/*
 * util/ini_fields.h - fills a struct from the keys of an INI section by its field table
 * (util/record.h), whose rows end with {0}.
 *
 * Invariant: a key occurs once, unless it repeats. A repeated key, an unknown key, or a refused
 * value is SG_BAD_INPUT. The message has path:line, section and key, the expected and the found
 * value.
 */
#pragma once

#include "util/record.h"

struct sg_fields {
    const struct sg_field *field; /* ends with a NULL name */
    void *record;                 /* destination of the values */
    /* keys outside of `field`, for the message about an unknown key: "cupti cupti.CHIP" */
    const char *other;
    long line;     /* first line of the section; 0: not begun */
    uint64_t seen; /* one bit per field */
};

/* Call at the start of each section. */
void sg_fields_begin(struct sg_fields *fields, const struct sg_ini_entry *section);
enum sg_code sg_fields_set(struct sg_fields *fields, const struct sg_ini_entry *entry,
                           struct sg_err *err);
/* Checks that every required key was set. */
enum sg_code sg_fields_complete(const struct sg_fields *fields, const char *path,
                                struct sg_err *err);
/* Reads a file with one section. */
enum sg_code sg_fields_read(const char *path, const char *section, struct sg_fields *fields,
                            struct sg_err *err);

/* Like sg_refuse_value, with path:line, section and key. */
enum sg_code sg_refuse_entry(const struct sg_ini_entry *entry, const char *expected,
                             struct sg_err *err);
