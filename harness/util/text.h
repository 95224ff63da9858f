/*
 * util/text.h - growing strings, and the few questions asked of short ones.
 *
 * Invariant: sg_text.data is always a terminated string once anything was
 * added; length excludes the terminator.
 * Running out of host memory ends the process (SG_EXIT_INVALID): no caller could do better.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "util/err.h"

struct sg_text {
    char *data; /* owned; NULL while empty and never used */
    size_t length;
    size_t capacity;
};

/* Declares structs of a block that are released when it ends, whichever way it is left:
 * SG_SCOPED(sg_text) path = {0}; each must be begun before a goto or return can pass by. */
#define SG_SCOPED(type) __attribute__((cleanup(type##_release))) struct type

void sg_text_release(struct sg_text *text);               /* frees the contents; the struct is all zero again */
void sg_text_add(struct sg_text *text, const char *more); /* appends a string */
void sg_text_add_bytes(struct sg_text *text, const char *bytes, size_t count);
void sg_text_add_word(struct sg_text *text, const char *word);     /* of a command to be typed: in single quotes where a shell wants them */
void sg_text_add_command(struct sg_text *text, char *const *argv); /* its words, up to a NULL */
void sg_text_addf(struct sg_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sg_text_addv(struct sg_text *text, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
void sg_text_add_number(struct sg_text *text, double value, int digits); /* %.<digits>g; not-a-number is "nan", whatever its sign */
const char *sg_text_string(const struct sg_text *text);                  /* never NULL */

/* Memory or the end of the process. sg_grow doubles *capacity until
 * `needed` elements of `size` bytes fit. */
void *sg_alloc(size_t count, size_t size); /* zeroed */
void *sg_grow(void *items, size_t *capacity, size_t needed, size_t size);
/* Declares pointers whose memory is freed when their block ends: SG_FREED char *copy = ... */
#define SG_FREED __attribute__((cleanup(sg_free_at)))
void sg_free_at(void *pointer); /* at which the pointer stands */
/* The place of one more element of a growing array: *SG_APPEND(list->items,
 * list->count, list->capacity) = element. */
#define SG_APPEND(items, count, capacity) ((items) = sg_grow((items), &(capacity), (count) + 1, sizeof(*(items))), &(items)[(count)++])
char *sg_copy_string(const char *string);

/* "%zu row%s" of one row and of several. */
#define SG_PLURAL(count) ((count) == 1 ? "" : "s")

/* [a-z0-9_]+ of at most 63 characters? */
bool sg_is_name(const char *string);
bool sg_ends_in(const char *string, const char *ending);

/*
 * Strict numbers: the whole string, no blanks, decimal. inf and what is too large for a double are
 * refused; nan and -nan are accepted only if `nan_allowed`.
 */
bool sg_parse_double(const char *string, bool nan_allowed, double *out);
bool sg_parse_u64(const char *string, uint64_t *out);

/* A day that there is, such as 2026-12-31: its first second, UTC. */
bool sg_parse_day(const char *string, time_t *out);
/* Has it neither a letter nor a digit? A reason must have one; NULL has none. */
bool sg_is_blank(const char *string);

/*
 * "20s", "150ms", "3m" -> seconds (ns us ms s m h); "0.5%" -> 0.005, a tolerance: above
 * SG_TOLERANCE_MAX it is written "wide:50%". A unit is required; negative is refused. SG_BAD_INPUT
 * says what was expected and found, with no place in it.
 */
#define SG_TOLERANCE_MAX  0.10 /* ratio: a gating row may have a wider one only where its suite says so */
#define SG_WIDE           "wide:"
#define SG_WIDE_IF(ratio) ((ratio) > SG_TOLERANCE_MAX ? SG_WIDE : "")
enum sg_code sg_parse_duration(const char *string, double *seconds, struct sg_err *err);
enum sg_code sg_parse_percent(const char *string, double *ratio, struct sg_err *err);

/* One of "cold|clean|warm", by its number in the list: SG_BAD_INPUT says "expected
 * cold, clean or warm, found 'x'". */
enum sg_code sg_parse_choice(const char *choices, const char *string, unsigned *index, struct sg_err *err);
/* The choice of that number. */
void sg_text_add_choice(struct sg_text *text, const char *choices, unsigned index);

/*
 * Bytes that were found where something else was expected, fit for a message: unprintable ones
 * as \xNN, cut with "..." when long.
 * By value, so that it can stand among the arguments of sg_fail: sg_show(field, length).text
 */
struct sg_shown {
    char text[64];
};
struct sg_shown sg_show(const char *bytes, size_t length);
struct sg_shown sg_show_string(const char *string);

/* The time, UTC, by a format of strftime: as files hold it, as names
 * of folders do, and only the day. */
#define SG_UTC_TIME   "%Y-%m-%dT%H:%M:%SZ"
#define SG_UTC_FOLDER "%Y%m%dT%H%M%SZ"
#define SG_UTC_DAY    "%Y-%m-%d"
#define SG_DAY_S      86400.0
struct sg_shown sg_utc_now(const char *format);
const char *sg_later_date(const char *a, const char *b);       /* of two by such a format, or NULL: none */
struct sg_shown sg_utc_in(double seconds, const char *format); /* so long after now */
/* Seconds of a clock that is never set: for how long something took. */
double sg_monotonic_s(void);

/* Words of what solgate_kernel.h lists. sg_status_from_word returns SG_STATUS_COUNT for an
 * unknown word, sg_role_from_word false. */
const char *sg_status_word(enum sg_status status);
/* Was something launched that went wrong, so that nothing measured behind
 * it in its process may be believed? */
bool sg_status_is_spoiling(enum sg_status status);
enum sg_status sg_status_from_word(const char *word);
const char *sg_role_word(enum sg_role role);
bool sg_role_from_word(const char *word, enum sg_role *role);
const char *sg_dtype_word(enum sg_dtype dtype);
enum sg_dtype sg_dtype_from_word(const char *word); /* SG_DTYPE_COUNT: unknown */
size_t sg_dtype_bits(enum sg_dtype dtype);
size_t sg_dtype_bytes(enum sg_dtype dtype); /* of one element, rounded up: 1 for e2m1, which is packed; use bits for sizes */
