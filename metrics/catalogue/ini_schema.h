/*
 * catalogue/ini_schema.h - fills a struct from the keys of one section of
 * an INI file, by a table of fields.
 *
 * Invariant: what is not set stays recognisable: text NULL, a number NaN, a word -1; sg_fields_init
 * writes those. A key twice, an unknown word, an empty text, a number that is none or negative:
 * SG_BAD_INPUT with path:line, what was expected and what was found.
 * Used by the readers of metrics.ini, groups, GPU specs and rules; keys with a meaning
 * of their own are taken out before.
 */
#pragma once

#include "util/ini_reader.h"

enum sg_field_kind {
    SG_FIELD_TEXT,   /* char *, owned */
    SG_FIELD_LINES,  /* char *, owned; the key may repeat: the pieces are joined by a blank */
    SG_FIELD_NUMBER, /* double, >= 0 */
    SG_FIELD_WORD,   /* int, index in `words` */
};

struct sg_field {
    const char *key;
    enum sg_field_kind kind;
    size_t offset;            /* in the record */
    const char *const *words; /* SG_FIELD_WORD: ends with NULL */
    bool required;
    bool may_be_empty; /* SG_FIELD_TEXT */
};

struct sg_fields {
    const struct sg_field *field;
    size_t count;
    void *record;      /* where the values go */
    const char *other; /* keys that belong to no field, for the message about an unknown one: "cupti cupti.CHIP" */
};

void sg_fields_init(const struct sg_fields *fields);
void sg_fields_release(const struct sg_fields *fields); /* frees the texts and sets them NULL */
enum sg_code sg_fields_set(const struct sg_fields *fields, const struct sg_ini_entry *entry, struct sg_err *err);
/* Is every required key there? `line` is where the section begins. */
enum sg_code sg_fields_complete(const struct sg_fields *fields, const char *path, long line, struct sg_err *err);

/* The same checks for values that belong to no field. `words` ends with NULL. */
enum sg_code sg_entry_number(const struct sg_ini_entry *entry, double *number, struct sg_err *err);
/* SG_BAD_INPUT: expected `expected`, found the entry's value. */
enum sg_code sg_entry_refuse(const struct sg_ini_entry *entry, const char *expected, struct sg_err *err);
