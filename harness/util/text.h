/*
 * util/text.h - growing strings, and functions on short strings.
 *
 * Invariant: sg_text.data is a terminated string after the first addition; length excludes the
 * terminator. Running out of host memory ends the process (SG_EXIT_INVALID), because no caller
 * could recover.
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

/* Declares a struct that is released at the end of its block, on every way out:
 * SG_SCOPED(sg_text) path = {0}. Initialise it before any goto or return that leaves the block. */
#define SG_SCOPED(type) __attribute__((cleanup(type##_release))) struct type

/* frees the contents; the struct is all zero again */
void sg_text_release(struct sg_text *text);
void sg_text_add(struct sg_text *text, const char *more); /* appends a string */
void sg_text_add_bytes(struct sg_text *text, const char *bytes, size_t count);
/* Appends "; " unless the text is empty. Returns the text, for its next part. */
struct sg_text *sg_text_next(struct sg_text *text);
/* for a command line: in single quotes if a shell needs them */
void sg_text_add_word(struct sg_text *text, const char *word);
/* Appends " --NAME=VALUE", the value as a word. */
void sg_text_add_option(struct sg_text *text, const char *name, const char *value);
void sg_text_add_command(struct sg_text *text, char *const *argv); /* all words up to NULL */
void sg_text_addf(struct sg_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A new text. */
struct sg_text sg_text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A text that is released at the end of its block: SG_FORMATTED(path, "%s/run.csv", run) */
#define SG_FORMATTED(name, ...) SG_SCOPED(sg_text) name = sg_text_of(__VA_ARGS__)
void sg_text_addv(struct sg_text *text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
/* %.<digits>g; NaN is "nan", whatever its sign */
void sg_text_add_number(struct sg_text *text, double value, int digits);
/* The double nearest to %.<digits>g, so that writing and reading it changes nothing. */
double sg_round_digits(double value, int digits);
const char *sg_text_string(const struct sg_text *text); /* never NULL */

/* Memory. A process runs one command, so what is made once lives until the process ends: plans,
 * suites, findings, sheets. What a loop over messages, items, files or looks takes is released, and
 * so is all that is not memory: files, processes, device memory, locks. */
/* Return memory or end the process. sg_grow doubles *capacity until `needed` elements of `size`
 * bytes fit. */
void *sg_alloc(size_t count, size_t size); /* zeroed */
void *sg_grow(void *items, size_t *capacity, size_t needed, size_t size);
/* Declares a pointer whose memory is freed at the end of its block: SG_FREED char *copy = ... */
#define SG_FREED __attribute__((cleanup(sg_free_at)))
void sg_free_at(void *pointer); /* pointer: address of the pointer to free */
/* The first element whose string `member` is `name`; NULL: none. */
#define SG_FIND(items, count, member, name)                               \
    __extension__({                                                       \
        size_t at_ = 0;                                                   \
        while (at_ < (count) && strcmp((items)[at_].member, (name)) != 0) \
            at_++;                                                        \
        at_ < (count) ? &(items)[at_] : NULL;                             \
    })

/* Appends an element to a growing array: *SG_APPEND(list->items, list->count, list->capacity) =
 * element. */
#define SG_APPEND(items, count, capacity) \
    ((items) = sg_grow((items), &(capacity), (count) + 1, sizeof(*(items))), &(items)[(count)++])
char *sg_copy_string(const char *string);

/* The names of an item, as three arguments, from a struct that has them: "%s/%s/%s", SG_NAMES(row).
 */
#define SG_NAMES(of) (of).family, (of).case_, (of).variant
/* The same as members of an initialiser. */
#define SG_NAMED(of) .family = (of).family, .case_ = (of).case_, .variant = (of).variant

/* For "%zu row%s". */
#define SG_PLURAL(count) ((count) == 1 ? "" : "s")

/* Returns true for [a-z0-9_]+ of at most 63 characters. */
bool sg_is_name(const char *string);
bool sg_ends_in(const char *string, const char *ending);

/* Strict decimal numbers: the whole string, without blanks. Refuse inf and values too large for
 * a double; accept nan and -nan only if `nan_allowed`. */
bool sg_parse_double(const char *string, bool nan_allowed, double *out);
bool sg_parse_u64(const char *string, uint64_t *out);

/* Parses a valid day such as 2026-12-31. *out is its first second, UTC. */
bool sg_parse_day(const char *string, time_t *out);
/* Returns true if the string has neither a letter nor a digit, or is NULL. A reason must not be
 * blank. */
bool sg_is_blank(const char *string);

/* "20s", "150ms", "3m" -> seconds (ns us ms s m h). "0.5%" -> 0.005, a tolerance: one above
 * SG_TOLERANCE_MAX is written "wide:50%". A unit is required; a negative value is refused.
 * SG_BAD_INPUT names the expected and the found text, without a place. */
#define SG_TOLERANCE_MAX  0.10 /* ratio */
#define SG_WIDE           "wide:"
#define SG_WIDE_IF(ratio) ((ratio) > SG_TOLERANCE_MAX ? SG_WIDE : "")
enum sg_code sg_parse_duration(const char *string, double *seconds, struct sg_err *err);
enum sg_code sg_parse_percent(const char *string, double *ratio, struct sg_err *err);

/* Index of the word in "cold|clean|warm". SG_BAD_INPUT: "expected cold, clean or warm, found
 * 'x'". */
enum sg_code sg_parse_choice(const char *choices, const char *string, unsigned *index,
                             struct sg_err *err);
void sg_text_add_choice(struct sg_text *text, const char *choices, unsigned index);

/* Formats unexpected bytes for a message: unprintable ones as \xNN, truncated with "...". By
 * value, to be used as an argument of sg_fail: sg_show(field, length).text */
struct sg_shown {
    char text[64];
};
struct sg_shown sg_show(const char *bytes, size_t length);
struct sg_shown sg_show_string(const char *string);

/* The time, UTC, in a format of strftime: as in files, as in names of folders, and the day
 * alone. */
#define SG_UTC_TIME   "%Y-%m-%dT%H:%M:%SZ"
#define SG_UTC_FOLDER "%Y%m%dT%H%M%SZ"
#define SG_UTC_DAY    "%Y-%m-%d"
#define SG_DAY_S      86400.0
struct sg_shown sg_utc_now(const char *format);
/* the later of two in one of these formats; NULL: none */
const char *sg_later_date(const char *a, const char *b);
struct sg_shown sg_utc_in(double seconds, const char *format); /* the time in `seconds` from now */
/* Monotonic clock, for durations. */
double sg_monotonic_s(void);

/* Words of the lists in solgate_kernel.h. sg_status_from_word returns SG_STATUS_COUNT for an
 * unknown word. */
extern const char *const sg_status_words[], *const sg_role_words[]; /* end with NULL */
const char *sg_status_word(enum sg_status status);
/* Returns true if a failed launch makes all later measurements of its process unreliable. */
bool sg_status_is_spoiling(enum sg_status status);
enum sg_status sg_status_from_word(const char *word);
const char *sg_role_word(enum sg_role role);
const char *sg_dtype_word(enum sg_dtype dtype);
enum sg_dtype sg_dtype_from_word(const char *word); /* SG_DTYPE_COUNT: unknown */
size_t sg_dtype_bits(enum sg_dtype dtype);
/* for one element, rounded up: 1 for packed e2m1; use bits for sizes */
size_t sg_dtype_bytes(enum sg_dtype dtype);
