/*
 * util/ini_fields.h - fills a struct from the keys of a section of an INI file, by a table.
 *
 * Invariant: a key is there once, unless it repeats. A key twice, an unknown one, a value that its
 * field refuses: SG_BAD_INPUT with path:line, section and key, what was expected and found.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/ini_reader.h"

struct sg_field;
/* The value of a key into its place in the record. A failure names neither key nor line:
 * sg_fields_set adds them. */
typedef enum sg_code sg_field_fn(const struct sg_field *field, void *place, const struct sg_ini_entry *entry, struct sg_err *err);

struct sg_field {
    const char *key; /* "sm_clock_hz."; with a dot at its end: of all keys that begin so */
    sg_field_fn *take;
    size_t offset; /* in the record */
    bool required, repeats;
    const void *of; /* for `take`: its words, its range */
};

struct sg_fields {
    const struct sg_field *field; /* ends with a key that is NULL */
    void *record;                 /* where the values go */
    const char *other;            /* keys that belong to no field, for the message about an unknown one: "cupti cupti.CHIP" */
    long line;                    /* where the section begins; 0: it has not */
    uint64_t seen;                /* a bit of each field */
};

/* char *, owned, NULL before; not empty. Of a key that repeats the pieces are joined by a blank. */
sg_field_fn sg_take_text;
/* double, >= 0 */
sg_field_fn sg_take_number;
/* int, index in `of`, which are words that end with NULL. */
sg_field_fn sg_take_word;

/* Another section begins. */
void sg_fields_begin(struct sg_fields *fields, const struct sg_ini_entry *section);
enum sg_code sg_fields_set(struct sg_fields *fields, const struct sg_ini_entry *entry, struct sg_err *err);
/* Is every required key there? */
enum sg_code sg_fields_complete(const struct sg_fields *fields, const char *path, struct sg_err *err);
/* A file of one section, whole. */
enum sg_code sg_fields_read(const char *path, const char *section, struct sg_fields *fields, struct sg_err *err);

/* SG_BAD_INPUT: expected `expected`, found the entry's value. */
enum sg_code sg_refuse_value(const struct sg_ini_entry *entry, const char *expected, struct sg_err *err);
/* The same with place and key. */
enum sg_code sg_refuse_entry(const struct sg_ini_entry *entry, const char *expected, struct sg_err *err);
