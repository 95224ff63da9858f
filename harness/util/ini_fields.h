/*
 * util/ini_fields.h - fills a struct from the keys of an INI section, driven by a table.
 *
 * Invariant: a key occurs once, unless it repeats. A repeated key, an unknown key, or a refused
 * value is SG_BAD_INPUT. The message has path:line, section and key, the expected and the found
 * value.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/ini_reader.h"

struct sg_field;
/* Stores the value of a key in the record. An error names neither key nor line: sg_fields_set
 * adds them. */
typedef enum sg_code sg_field_fn(const struct sg_field *field, void *place,
                                 const struct sg_ini_entry *entry, struct sg_err *err);

struct sg_field {
    const char *key; /* "sm_clock_hz."; with a dot at its end, all keys with that prefix */
    sg_field_fn *take;
    size_t offset; /* in the record */
    bool required, repeats;
    const void *of; /* argument for `take`: its words, its range */
};

struct sg_fields {
    const struct sg_field *field; /* ends with a NULL key */
    void *record;                 /* destination of the values */
    /* keys outside of `field`, for the message about an unknown key: "cupti cupti.CHIP" */
    const char *other;
    long line;     /* first line of the section; 0: not begun */
    uint64_t seen; /* one bit per field */
};

/* char *, owned, NULL before; not empty. The values of a repeated key are joined by a blank. */
sg_field_fn sg_take_text;
/* double, >= 0 */
sg_field_fn sg_take_number;
/* int, index in `of`, a NULL-terminated list of words. */
sg_field_fn sg_take_word;

/* Call at the start of each section. */
void sg_fields_begin(struct sg_fields *fields, const struct sg_ini_entry *section);
enum sg_code sg_fields_set(struct sg_fields *fields, const struct sg_ini_entry *entry,
                           struct sg_err *err);
/* Checks that every required key was set. */
enum sg_code sg_fields_complete(const struct sg_fields *fields, const char *path,
                                struct sg_err *err);
/* For a file with one section. */
enum sg_code sg_fields_read(const char *path, const char *section, struct sg_fields *fields,
                            struct sg_err *err);

/* SG_BAD_INPUT: expected `expected`, found the entry's value. */
enum sg_code sg_refuse_value(const struct sg_ini_entry *entry, const char *expected,
                             struct sg_err *err);
/* Like sg_refuse_value, with path:line, section and key. */
enum sg_code sg_refuse_entry(const struct sg_ini_entry *entry, const char *expected,
                             struct sg_err *err);
