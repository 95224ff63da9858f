/*
 * results/message.h - one line of JSON: what a worker reports on descriptor 3, and what the log of
 * a run holds (results/run_log.h).
 *
 *     {"is":"sample","family":"null","case":"tiny","pair":"slower","process":0,...,"ns":5012.5}
 *
 * A text that is "" and a number that is not known are left out; null is a number that is not a
 * number. Numbers have nine digits, as in the CSV files. So what is computed from a message is
 * computed from what the log holds. Each line goes out in one write: a killed worker leaves whole
 * lines and at most one torn last one, which is dropped.
 * Invariant: from `begin` or `at` to the next of them, `events` or `bye`, whatever kills the worker
 * happens in that item; `side` names which variant of its pair was running.
 */
#pragma once

#include "results/process_log.h"
#include "util/err.h"
#include "util/text.h"

#define SG_PROTOCOL_VERSION   3
#define SG_PROTOCOL_FD        3
#define SG_MESSAGE_FIELDS_MAX 28
#define SG_MESSAGE_LINE_MAX   65536 /* bytes; a longer line is a broken worker */

#define SG_START_FIGURE(constant, word) , "#start_" word
#define SG_END_FIGURE(constant, word)   , "#end_" word

/* Constant, word, then a name for each field; `#` stands before that of a number. The last three
 * are of the log alone. */
#define SG_MESSAGE_TABLE(X)                                                                                                               \
    X(SG_MESSAGE_HELLO, "hello", "#version", "pass")                                                                                      \
    X(SG_MESSAGE_ENV, "env", "key", "value")                                                                                              \
    X(SG_MESSAGE_FAMILY, "family", "family", "device", "dims", "summary", "commit")                                                       \
    X(SG_MESSAGE_CASE, "case", "family", "case", "dtype", "shape", "summary")                                                             \
    X(SG_MESSAGE_VARIANT, "variant", "family", "variant", "role", "expect", "summary", "#deadline_ms")                                    \
    X(SG_MESSAGE_KNOB, "knob", "family", "variant", "knob", "values", "summary")                                                          \
    X(SG_MESSAGE_KERNEL, "kernel", "family", "kernel", "mangled", "images", "notes", "#spill_store_bytes", "#spill_load_bytes",           \
      "#instructions")                                                                                                                    \
    X(SG_MESSAGE_BEGIN, "begin", "family", "case", "variant")                                                                             \
    X(SG_MESSAGE_AT, "at", "family", "case", "variant") /* of a set, this one is launched now */                                          \
    X(SG_MESSAGE_SIDE, "side", "side")                  /* of the pair, the code of this one runs now */                                  \
    X(SG_MESSAGE_STATUS, "status", "family", "case", "variant", "status", "message")                                                      \
    X(SG_MESSAGE_BASELINE, "baseline", "family", "case", "variant", "status", "message") /* of what it is paired with */                  \
    X(SG_MESSAGE_VALUE, "value", "family", "case", "variant", "metric", "unit", "#value", "#low", "#high", "#n", "status", "message",     \
      "#se", "#sd")                                                                                                                       \
    X(SG_MESSAGE_SAMPLE, "sample", "family", "case", "pair", "#process", "#block", "#position", "variant", "#ns", "#sm_clock", "#spikes") \
    X(SG_MESSAGE_PC, "pc", "family", "case", "variant", "kernel", "code", "#pc", "instruction", "charged_to", "reason", "#samples")       \
    X(SG_MESSAGE_EVENTS, "events", "moment", "events") /* so far, in words of results/throttle_reasons.h; "": not known */                \
    X(SG_MESSAGE_FIGURE, "figure", "moment", "figure", "#value")                                                                          \
    X(SG_MESSAGE_NOTE, "note", "text")                                                                                                    \
    X(SG_MESSAGE_FAIL, "fail", "#code", "message") /* the pass cannot go on: enum sg_code */                                              \
    X(SG_MESSAGE_BYE, "bye", NULL)                 /* everything asked for was done, or the item before it failed */                      \
    X(SG_MESSAGE_PROCESS, "process", "#process", "#attempt", "began", "ended", "events",                                                  \
      "dropped" SG_FIGURE_TABLE(SG_START_FIGURE) SG_FIGURE_TABLE(SG_END_FIGURE))                                                          \
    X(SG_MESSAGE_DROP, "drop", "#process", "why") /* its samples count no more; without `why` its row does not either */                  \
    X(SG_MESSAGE_WHOLE, "whole", NULL)            /* the lines since the last one are a whole group */

#define SG_SIDE_CANDIDATE "candidate"
#define SG_SIDE_BASELINE  "baseline"
#define SG_SIDE_NEITHER   "neither" /* the worker's own */

enum sg_message_kind { SG_MESSAGE_TABLE(SG_CONSTANT) SG_MESSAGE_COUNT };

struct json_t;

struct sg_message {
    enum sg_message_kind kind;
    const char *field[SG_MESSAGE_FIELDS_MAX]; /* texts by their place in the table; NULL is "" in one that is written */
    double number[SG_MESSAGE_FIELDS_MAX];     /* likewise; only where `has` says so */
    uint32_t has;                             /* bit i: number i is known */
    struct json_t *json;                      /* owned; what was read, with its texts; NULL: the texts are borrowed */
};

/* Adds a number to a message that is to be written. */
void sg_message_set(struct sg_message *message, size_t field, double number);
/* NaN: it is not known, or not a number. */
double sg_message_number(const struct sg_message *message, size_t field);
/* SG_BAD_INPUT "field: expected ..., found '...'", without a place. */
enum sg_code sg_message_fail(const struct sg_message *message, size_t field, const char *expected, struct sg_err *err);
enum sg_code sg_message_check_name(const struct sg_message *message, size_t field, struct sg_err *err);
/* A whole number up to `max`. */
enum sg_code sg_message_count(const struct sg_message *message, size_t field, uint64_t max, uint64_t *count, struct sg_err *err);

/* Appends the line with its end. Texts are made printable on the way. */
void sg_message_add(struct sg_text *out, const struct sg_message *message);
/* Reads a line, without its end. SG_BAD_INPUT without a place: it is no message. */
enum sg_code sg_message_parse(const char *line, size_t length, struct sg_message *message, struct sg_err *err);
void sg_message_release(struct sg_message *message);

/*
 * The same fields as a row of CSV, in the order of the table: empty is left out, `nan` is null.
 * SG_BAD_INPUT names the column of what is no number. The texts stay those of the row.
 */
enum sg_code sg_message_of_fields(enum sg_message_kind kind, const char *const *field, struct sg_message *message, struct sg_err *err);
/* Appends fields [from, to) as such a row, without a line end. */
void sg_message_add_fields(struct sg_text *out, const struct sg_message *message, size_t from, size_t to);

/*
 * Does it show that the worker goes on? Not so what may be repeated (note, side), nor the rows of
 * an item, which are reported all at once behind the work: a worker that reports one of them again
 * and again is past its deadline all the same.
 */
bool sg_message_is_progress(enum sg_message_kind kind);

/* What `fail` said; all zero: it was not said. */
struct sg_failure {
    enum sg_code code;
    char why[768];
};
enum sg_code sg_take_failure(const struct sg_message *message, struct sg_failure *failure, struct sg_err *err);
