/*
 * results/table.h - the rows of a run: one row per value (docs/formats.md).
 *
 * A table holds run.csv in memory. Names are interned in one pool, so names of one table are
 * compared as integers. Missing, NaN and zero are three different things: `has` says which numbers
 * exist. Invariant: after sg_table_sort the rows are ordered by (family, case, variant, metric) as
 * strings, without duplicates.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "util/digest.h"
#include "util/err.h"
#include "util/intern.h"
#include "util/record.h"
#include "util/text.h"

#define SG_VALUE_FIELDS 11 /* columns of a row without se and sd, which schema 1 lacks */

#define SG_REPLICATES_MAX 1000000 /* maximum of `n`: processes, counts or passes */
#define SG_NS_MAX \
    1e15 /* maximum time of a batch: eleven days; keeps ratios and their errors finite */
#define SG_NS_MIN     1e-6
#define SG_HZ_MAX     1e12
#define SG_JOULES_MAX 1e9

enum {
    SG_HAS_VALUE = 1,
    SG_HAS_LOW = 2,
    SG_HAS_HIGH = 4,
    SG_HAS_N = 8,
    SG_HAS_SE = 16,
    SG_HAS_SD = 32
};

struct sg_row {
    sg_id family, case_, variant, metric, unit, message;
    double value, low, high; /* in the row's unit; low and high: 95 % interval, for paired values
                                simultaneous over interim analyses */
    double se, sd;           /* of ln(value), for a time or a ratio; NaN: none */
    uint32_t line;           /* line in its file; 0: not from a file */
    unsigned n : 20;         /* replicates (processes for times, passes for counters), at most
                                SG_REPLICATES_MAX */
    unsigned status : 6; /* enum sg_status: of the variant in a row `status`, else of this value */
    unsigned has : 6;    /* SG_HAS_* */
};

/* All zero: an empty table. */
struct sg_table {
    struct sg_intern_pool *pool; /* owned */
    struct sg_row *rows;         /* owned */
    size_t count, capacity;
    char *path; /* owned; file that sg_table_read read, for messages about a row; NULL: none */
};

void sg_table_release(struct sg_table *table);

sg_id sg_table_intern(struct sg_table *table, const char *string);
sg_id sg_table_find_id(const struct sg_table *table,
                       const char *string); /* UINT32_MAX: the pool has no such string */
const char *sg_table_string(const struct sg_table *table, sg_id id);

/* A row as strings and numbers. NULL strings mean "". */
struct sg_value {
    const char *family, *case_, *variant, *metric, *unit, *message;
    double value, low, high, se, sd;
    uint32_t n;
    uint8_t has;
    enum sg_status status;
};

/* The columns of run.csv, over struct sg_value. Reading checks names, unit, status word and numbers
 * of at least 0. */
extern const struct sg_record sg_value_record;
/* Checks relations between columns: the unit fits the metric, and low <= high. SG_BAD_INPUT without
 * file and line. */
enum sg_code sg_value_check_relations(const struct sg_value *value, struct sg_err *err);
/* Checks a value that was not read from a file, by the rules of reading. */
enum sg_code sg_value_check(const struct sg_value *value, struct sg_err *err);
/* SG_BAD_INPUT if the metric is in metrics.ini with another unit. */
enum sg_code sg_value_check_unit(const struct sg_catalogue *catalogue, const struct sg_value *value,
                                 struct sg_err *err);

void sg_table_add(struct sg_table *table, const struct sg_value *value);
/* Adds a row of words, or of one number, for the item that `item` names. */
void sg_table_add_words(struct sg_table *table, struct sg_value item, const char *metric,
                        enum sg_status status, const char *words);
void sg_table_add_number(struct sg_table *table, struct sg_value item, const char *metric,
                         const char *unit, double number);
/* Converts a row of a table back to strings and numbers; the strings belong to the table. */
struct sg_value sg_value_of(const struct sg_table *table, const struct sg_row *row);
/* Adds a row with the first SG_VALUE_FIELDS columns. `errors` has the two columns se and sd. NULL:
 * a file of schema 1, whose errors are derived from the interval. */
enum sg_code sg_table_add_fields(struct sg_table *table, const char *const given[SG_VALUE_FIELDS],
                                 const char *const *errors, struct sg_err *err);

/* True for a row of words, or for a fact that a variant reports before it runs. Rows that were
 * timed or counted have `n`. */
bool sg_is_reported(const struct sg_row *row);
/* True if any row has this metric. */
bool sg_table_has_metric(const struct sg_table *table, const char *metric);
/* True if two rows of one table have the same family, case and variant. */
bool sg_row_same_item(const struct sg_row *a, const struct sg_row *b);
/* Compares two rows of one table by their four names; returns the sign like strcmp. */
int sg_row_compare(const struct sg_table *table, const struct sg_row *a, const struct sg_row *b);
/* Sorts. SG_BAD_INPUT names a duplicate (same four names); the table is sorted all the same. */
enum sg_code sg_table_sort(struct sg_table *table, struct sg_err *err);
/* The same for a table with a parallel array. */
struct sg_sort_context {
    void *elements;   /* one element per row, moved along with it; may be NULL */
    size_t size;      /* bytes of one element */
    const char *path; /* file of the rows, to name duplicates by line; may be NULL */
};
enum sg_code sg_table_sort_with(struct sg_table *table, const struct sg_sort_context *context,
                                struct sg_err *err);
/* Binary search in a sorted table; NULL if absent. */
const struct sg_row *sg_table_find(const struct sg_table *table, const char *family,
                                   const char *case_, const char *variant, const char *metric);

/* The variant that a row of time_ratio is relative to: its message. NULL: `row` is NULL or another
 * metric, or its message is not a name. Borrowed. */
const char *sg_row_partner(const struct sg_table *table, const struct sg_row *row);

/* The rows of one variant in a sorted table: rows[from] .. rows[to - 1]; none: from == to. */
struct sg_row_range {
    size_t from, to;
};
struct sg_row_range sg_table_variant(const struct sg_table *table, const char *family,
                                     const char *case_, const char *variant);

/* Fails with a message about a row: "FAMILY/CASE/VARIANT METRIC: " before it, and the line of the
 * row in the file at `path` (may be NULL). */
enum sg_code sg_row_fail(struct sg_err *err, const char *path, const struct sg_table *table,
                         const struct sg_row *row, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Reads a whole file, with or without se and sd, and sorts it. An unknown or missing
 * column, bad number, unknown status or duplicate fails with path:line. Adds the bytes of the file
 * to `digest` unless that is NULL. */
enum sg_code sg_table_read(const char *path, struct sg_table *table, struct sg_digest *digest,
                           struct sg_err *err);
/* Adds the raw counters of a table to a catalogue, up to its capacity. */
void sg_table_add_raw_counters(const struct sg_table *table, struct sg_catalogue *catalogue);
/* Formats the whole file, in the current order of the rows. */
void sg_table_format(struct sg_text *out, const struct sg_table *table);
enum sg_code sg_table_write(const char *path, const struct sg_table *table, struct sg_err *err);
