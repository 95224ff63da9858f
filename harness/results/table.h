/*
 * results/table.h - the rows of a run: one row a value (docs/formats.md).
 *
 * A table holds run.csv in memory. Names are interned in one pool, so comparing two names of one
 * table is comparing two integers. Missing, not-a-number and zero are three different things: `has`
 * says which numbers are there. Invariant: after sg_table_sort the rows are ordered by (family,
 * case, variant, metric) as strings, without duplicates.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "util/digest.h"
#include "util/err.h"
#include "util/intern.h"
#include "util/text.h"

struct sg_message;

#define SG_RUN_HEADER_1 "family,case,variant,metric,unit,value,low,high,n,status,message" /* of schema 1 */
#define SG_RUN_HEADER   SG_RUN_HEADER_1 ",se,sd"
#define SG_VALUE_FIELDS 11
#define SG_RUN_FIELDS   13

#define SG_REPLICATES_MAX 1000000 /* of `n`: processes, counts or passes; more is no number of them */
#define SG_NS_MAX         1e15    /* of a batch: eleven days. Ratios and their errors stay numbers by that */
#define SG_NS_MIN         1e-6
#define SG_HZ_MAX         1e12

enum { SG_HAS_VALUE = 1, SG_HAS_LOW = 2, SG_HAS_HIGH = 4, SG_HAS_N = 8, SG_HAS_SE = 16, SG_HAS_SD = 32 };

struct sg_row {
    sg_id family, case_, variant, metric, unit, message;
    double value, low, high; /* in the unit of the row; low and high: 95 % interval, simultaneous over the looks for paired values */
    double se, sd;           /* of ln value, of a time or a ratio; NaN: none */
    uint32_t line;           /* of the file that it was read from; 0: of none */
    unsigned n : 20;         /* replicates (processes for times, passes for counters), at most SG_REPLICATES_MAX */
    unsigned status : 6;     /* enum sg_status: of the variant for the row `status`, of this one value for the others */
    unsigned has : 6;        /* SG_HAS_* */
};

/* All zero is an empty one. */
struct sg_table {
    struct sg_intern_pool *pool; /* owned */
    struct sg_row *rows;         /* owned */
    size_t count, capacity;
    char *path; /* owned; of the file that sg_table_read read, for complaints about a row. NULL: there is none */
};

void sg_table_release(struct sg_table *table);

sg_id sg_table_intern(struct sg_table *table, const char *string);
sg_id sg_table_find_id(const struct sg_table *table, const char *string); /* UINT32_MAX: no such string in the pool */
const char *sg_table_string(const struct sg_table *table, sg_id id);

/* A row in strings, as the pipeline makes it. NULL strings are "". */
struct sg_value {
    const char *family, *case_, *variant, *metric, *unit, *message;
    double value, low, high, se, sd;
    uint32_t n;
    uint8_t has;
    enum sg_status status;
};

/*
 * As a message, there and back. What is taken is checked: names, unit, status word, numbers of 0 or
 * more, low <= high. SG_BAD_INPUT names the field, what was expected and found; the place is the
 * caller's to add. The strings of *value are the message's.
 */
enum sg_code sg_take_value(const struct sg_message *message, struct sg_value *value, struct sg_err *err);
struct sg_message sg_value_message(const struct sg_value *value);
/* A metric of metrics.ini has the unit that it has there. SG_BAD_INPUT. */
enum sg_code sg_value_check_unit(const struct sg_catalogue *catalogue, const struct sg_value *value, struct sg_err *err);

void sg_table_add(struct sg_table *table, const struct sg_value *value);
/* A row of a table as strings and numbers again; the strings are the table's. */
struct sg_value sg_value_of(const struct sg_table *table, const struct sg_row *row);
/*
 * The columns of SG_RUN_HEADER_1, checked as by sg_take_value; `errors` is the two of se and sd.
 * NULL: a file of schema 1, which has none. Then they are those that its interval gives back.
 */
enum sg_code sg_table_add_fields(struct sg_table *table, const char *const given[SG_VALUE_FIELDS], const char *const *errors,
                                 struct sg_err *err);

/* Is it a row of words, or a fact that a variant reports before it runs? What was
 * timed or counted says how often. */
bool sg_is_reported(const struct sg_row *row);
/* Has any row this metric? */
bool sg_table_has_metric(const struct sg_table *table, const char *metric);
/* Are two rows of one table of the same family, case and variant? */
bool sg_row_same_item(const struct sg_row *a, const struct sg_row *b);
/* Order of two rows of one table by their four names, as strcmp. */
int sg_row_compare(const struct sg_table *table, const struct sg_row *a, const struct sg_row *b);
/* Sorts. A duplicate (same four names) is SG_BAD_INPUT that names it;
 * the table is sorted all the same. */
enum sg_code sg_table_sort(struct sg_table *table, struct sg_err *err);
/* The same for a table with company. */
struct sg_beside {
    void *elements;   /* one beside each row, moved along with it; may be NULL */
    size_t size;      /* of one element, in bytes */
    const char *path; /* of the file that the rows came from, so that duplicates are named by their lines; may be NULL */
};
enum sg_code sg_table_sort_with(struct sg_table *table, const struct sg_beside *beside, struct sg_err *err);
/* Binary search in a sorted table; NULL if absent. */
const struct sg_row *sg_table_find(const struct sg_table *table, const char *family, const char *case_, const char *variant,
                                   const char *metric);

/* The variant that a row of time_ratio is against, by its message; NULL: another row, or
 * NULL, or it names none. Borrowed. */
const char *sg_row_partner(const struct sg_table *table, const struct sg_row *row);

/* The rows of one variant, rows[from] .. rows[to - 1], in a sorted table; none: from == to. */
struct sg_row_range {
    size_t from, to;
};
struct sg_row_range sg_table_variant(const struct sg_table *table, const char *family, const char *case_, const char *variant);

/* Fails with a complaint about a row, "FAMILY/CASE/VARIANT METRIC: " before it, and the line of the
 * row in the file at `path` (may be NULL). */
enum sg_code sg_row_fail(struct sg_err *err, const char *path, const struct sg_table *table, const struct sg_row *row, const char *format,
                         ...) __attribute__((format(printf, 5, 6)));

/*
 * Reads a whole file with SG_RUN_HEADER or SG_RUN_HEADER_1, sorts it. Unknown or
 * missing column, bad number, unknown status, duplicate: path:line. Its bytes are added
 * to `digest`, unless that is NULL.
 */
enum sg_code sg_table_read(const char *path, struct sg_table *table, struct sg_digest *digest, struct sg_err *err);
/* Adds the raw counters of a table to a catalogue, as many as it takes. */
void sg_table_add_raw_counters(const struct sg_table *table, struct sg_catalogue *catalogue);
/* Sorted or not, as it is in memory: the whole file. */
void sg_table_format(struct sg_text *out, const struct sg_table *table);
enum sg_code sg_table_write(const char *path, const struct sg_table *table, struct sg_err *err);
/* One row as CSV up to its message, whose line ends become blanks, so that a row is a line; and the
 * rest of it: se, sd and the line end. */
void sg_row_format(struct sg_text *out, const struct sg_table *table, const struct sg_row *row);
void sg_row_format_errors(struct sg_text *out, const struct sg_table *table, const struct sg_row *row);
