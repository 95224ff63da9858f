/*
 * util/record.h - one field table for each record: the same rows read and write a struct as fields
 * of CSV, as a line of a message, and as keys of an INI section (util/ini_fields.h).
 *
 *     struct point { sg_id name; double x; unsigned n; };
 *     static const struct sg_field fields[] = {
 *         SG_FIELD(ID, "name", struct point, name, .is = sg_is_name, .expected = "a name"),
 *         SG_FIELD(REAL, "x", struct point, x, .least = 0, .most = 1, .digits = 9),
 *         SG_FIELD(COUNT, "n", struct point, n, .most = 100),
 *     };
 *     static const struct sg_record record = SG_RECORD(fields);
 *
 *     sg_record_add_header(&out, &record);                            name,x,n
 *     sg_record_add(&out, &record, &point, pool);                     origin,0.5,3
 *     sg_record_read(&record, row->field, &point, &pool, err);        x: expected a number from ...
 *
 * A new field is one row of the table. Invariant: reading a written record returns the same record,
 * numbers to the `digits` of their field. Errors are SG_BAD_INPUT "name: expected ..., found '...'"
 * without a place: a caller that knows file and line adds them (sg_fail_here).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"
#include "util/ini_reader.h"
#include "util/intern.h"
#include "util/text.h"

enum sg_field_type {
    SG_FIELD_TEXT,   /* const char *: borrowed from the row */
    SG_FIELD_ID,     /* sg_id: a text in the pool */
    SG_FIELD_CHARS,  /* char[]: a longer text is cut */
    SG_FIELD_STRING, /* char *: owned; only for INI. Not empty; a repeated key is joined by a blank
                      */
    SG_FIELD_REAL,   /* double or float; an empty field is NaN, unless `required` */
    SG_FIELD_COUNT,  /* an unsigned integer of any size */
    SG_FIELD_WORD,   /* an enum or int: index in `words` */
    SG_FIELD_YES,    /* bool: yes or no */
    SG_FIELD_RATIO,  /* double, written as a percentage: 0.5%. Only for keys and options */
    SG_FIELD_NAMES,  /* struct sg_names: each value is added. Only for keys and options */
};

struct sg_field;
struct sg_csv_row;
/* Reads a field whose type is not listed above. A CSV field sets entry->key and entry->value; an
 * INI key sets all members. An error has the message "expected ..., found ...": sg_refuse_value. */
typedef enum sg_code sg_field_fn(const struct sg_field *field, void *place,
                                 const struct sg_ini_entry *entry, struct sg_err *err);

struct sg_field {
    const char *name;  /* column or key. INI: with a dot at its end, all keys with that prefix */
    sg_field_fn *take; /* replaces the reader of the type; NULL: by type */
    size_t offset;     /* in the record */
    enum sg_field_type type;
    size_t size;
    double least, most;       /* range of a number, inclusive; most 0: no limit */
    unsigned step;            /* a count must be a multiple of it; 0: any */
    int digits;               /* significant digits of a real when written; 0: SG_DIGITS */
    uint8_t bit;              /* set in the record's `has` if the number is given; 0: no such bit */
    bool nan;                 /* "nan" is a number, and differs from an empty field */
    bool required;            /* CSV: not empty. INI: the key must be given */
    bool repeats;             /* INI: the key may be given more than once */
    bool (*is)(const char *); /* condition for a text; NULL: any */
    const char *expected;     /* in words, for a refused value; NULL: from the type and the range */
    const char *const *words; /* ends with NULL */
    /* Writes a field that `take` reads; NULL: by type. */
    void (*add)(struct sg_text *out, const void *place);
};

#define SG_DIGITS 9 /* significant digits of a number in a file */
/* Words for `expected`. */
#define SG_NAME         "a name of [a-z0-9_], at most 63 bytes"
#define SG_NOT_NEGATIVE "a number that is not negative"

/* A row of the table; designated members may follow. */
#define SG_FIELD(kind, title, record, member, ...)                                    \
    {                                                                                 \
        .name = (title), .type = SG_FIELD_##kind, .offset = offsetof(record, member), \
        .size = sizeof(((record *)0)->member), __VA_ARGS__                            \
    }

struct sg_record {
    const struct sg_field *fields;
    size_t count; /* a smaller count is a record of the first columns */
    size_t has;   /* offset of the uint8_t with the fields' `bit`s */
};
#define SG_RECORD(table, ...)                                                       \
    {                                                                               \
        .fields = (table), .count = sizeof(table) / sizeof((table)[0]), __VA_ARGS__ \
    }

/* The columns [from, to) alone. */
static inline struct sg_record sg_record_part(const struct sg_record *record, size_t from,
                                              size_t to)
{
    return (struct sg_record){
        .fields = record->fields + from, .count = to - from, .has = record->has};
}

/* "a,b,c" */
void sg_record_add_header(struct sg_text *out, const struct sg_record *record);
/* Appends the fields, separated by commas, without a line end. `pool` holds the ids; NULL: none. */
void sg_record_add(struct sg_text *out, const struct sg_record *record, const void *from,
                   const struct sg_intern_pool *pool);
/* Sets all fields of the table in `to`. Borrowed texts point into `field`. */
enum sg_code sg_record_read(const struct sg_record *record, const char *const *field, void *to,
                            struct sg_intern_pool **pool, struct sg_err *err);
enum sg_code sg_record_check_header(const struct sg_record *record, const struct sg_csv_row *row,
                                    struct sg_err *err);
/* Checks the ranges of the numbers as reading does. */
enum sg_code sg_record_check(const struct sg_record *record, const void *from, struct sg_err *err);

/* One field: reads `text`. An error has the message "expected ..., found ...", without the name. */
enum sg_code sg_field_read(const struct sg_field *field, const struct sg_ini_entry *entry, void *to,
                           struct sg_intern_pool **pool, struct sg_err *err);
/* For sg_field_fn: SG_BAD_INPUT "expected ..., found" the entry's value. */
enum sg_code sg_refuse_value(const struct sg_ini_entry *entry, const char *expected,
                             struct sg_err *err);
/* SG_BAD_INPUT "name: expected ..., found '...'" */
enum sg_code sg_field_fail(const char *name, const char *expected, const char *found,
                           struct sg_err *err);
