/*
 * results/message.h - one line of JSON: what a worker reports on descriptor 3, and what the log of
 * a run holds (results/run_log.h).
 *
 *     {"is":"sample","family":"null","case":"tiny","pair":"slower","process":0,...,"ns":5012.5}
 *
 * Empty texts and unknown numbers are omitted; null is NaN. Numbers have nine digits, as in the CSV
 * files, so a computation from messages equals one from the log. Each line is one write: a killed
 * worker leaves whole lines and at most one incomplete last line, which is dropped. Invariant: from
 * `begin` or `at` until the next of these, `events` or `bye`, whatever kills the worker happens in
 * that item; `side` names which variant of the item's pair was running.
 */
#pragma once

#include "results/process_log.h"
#include "util/err.h"
#include "util/text.h"

#define SG_PROTOCOL_VERSION   3
#define SG_PROTOCOL_FD        3
#define SG_MESSAGE_FIELDS_MAX 28
#define SG_SETUP_S            120   /* for the imports and for each first call of a program */
#define SG_MESSAGE_LINE_MAX   65536 /* bytes; a longer line means a broken worker */

#define SG_START_FIGURE(constant, word) , "#start_" word
#define SG_END_FIGURE(constant, word)   , "#end_" word

/* Constant, word, then the name of each field, with `#` before the name of a number. Only the log
 * has the last three kinds. */
#define SG_MESSAGE_TABLE(X)                                                                       \
    X(SG_MESSAGE_HELLO, "hello", "#version", "pass")                                              \
    X(SG_MESSAGE_SETUP, "setup", "#seconds") /* the next message may take so long */              \
    X(SG_MESSAGE_ENV, "env", "key", "value")                                                      \
    X(SG_MESSAGE_FAMILY, "family", "family", "device", "dims", "summary", "commit")               \
    X(SG_MESSAGE_CASE, "case", "family", "case", "dtype", "shape", "summary")                     \
    X(SG_MESSAGE_VARIANT, "variant", "family", "variant", "role", "expect", "summary",            \
      "#deadline_ms")                                                                             \
    X(SG_MESSAGE_KNOB, "knob", "family", "variant", "knob", "values", "summary")                  \
    X(SG_MESSAGE_KERNEL, "kernel", "family", "kernel", "mangled", "images", "notes",              \
      "#spill_store_bytes", "#spill_load_bytes", "#instructions")                                 \
    X(SG_MESSAGE_BEGIN, "begin", "family", "case", "variant")                                     \
    X(SG_MESSAGE_AT, "at", "family", "case",                                                      \
      "variant")                       /* of several items, the one launched now */               \
    X(SG_MESSAGE_SIDE, "side", "side") /* the variant of the pair that runs now */                \
    X(SG_MESSAGE_STATUS, "status", "family", "case", "variant", "status", "message")              \
    X(SG_MESSAGE_BASELINE, "baseline", "family", "case", "variant", "status",                     \
      "message") /* status of the paired baseline */                                              \
    X(SG_MESSAGE_VALUE, "value", "family", "case", "variant", "metric", "unit", "#value", "#low", \
      "#high", "#n", "status", "message", "#se", "#sd")                                           \
    X(SG_MESSAGE_SAMPLE, "sample", "family", "case", "pair", "#process", "#block", "#position",   \
      "variant", "#ns", "#sm_clock", "#spikes")                                                   \
    X(SG_MESSAGE_PC, "pc", "family", "case", "variant", "kernel", "code", "#pc", "instruction",   \
      "charged_to", "reason", "#samples")                                                         \
    X(SG_MESSAGE_EVENTS, "events", "moment",                                                      \
      "events") /* so far, in words of results/throttle_reasons.h; "": unknown */                 \
    X(SG_MESSAGE_FIGURE, "figure", "moment", "figure", "#value")                                  \
    X(SG_MESSAGE_NOTE, "note", "text")                                                            \
    X(SG_MESSAGE_FAIL, "fail", "#code", "message") /* enum sg_code; the pass cannot continue */   \
    X(SG_MESSAGE_BYE, "bye", NULL) /* all requested work is done, or the last item failed */      \
    X(SG_MESSAGE_PROCESS, "process", "#process", "#attempt", "began", "ended", "events",          \
      "dropped" SG_FIGURE_TABLE(SG_START_FIGURE) SG_FIGURE_TABLE(SG_END_FIGURE))                  \
    X(SG_MESSAGE_DROP, "drop", "#process",                                                        \
      "why")                           /* discards its samples; without `why` also its row */     \
    X(SG_MESSAGE_WHOLE, "whole", NULL) /* the lines since the previous one are a whole group */

#define SG_SIDE_CANDIDATE "candidate"
#define SG_SIDE_BASELINE  "baseline"
#define SG_SIDE_NEITHER   "neither" /* the worker itself */

enum sg_message_kind { SG_MESSAGE_TABLE(SG_CONSTANT) SG_MESSAGE_COUNT };

struct json_t;

struct sg_message {
    enum sg_message_kind kind;
    const char *field[SG_MESSAGE_FIELDS_MAX]; /* texts by position in the table; when writing, NULL
                                                 means "" */
    double number[SG_MESSAGE_FIELDS_MAX];     /* likewise; valid if `has` has its bit */
    uint32_t has;                             /* bit i: number i is known */
    struct json_t
        *json; /* owned; the parsed line, which holds the texts; NULL: texts are borrowed */
};

/* Adds a number to a message to be written. */
void sg_message_set(struct sg_message *message, size_t field, double number);
/* NaN: unknown, or not a number. */
double sg_message_number(const struct sg_message *message, size_t field);
/* SG_BAD_INPUT "field: expected ..., found '...'", without a file and line. */
enum sg_code sg_message_fail(const struct sg_message *message, size_t field, const char *expected,
                             struct sg_err *err);
enum sg_code sg_message_check_name(const struct sg_message *message, size_t field,
                                   struct sg_err *err);
/* An integer from 0 to `max`. */
enum sg_code sg_message_count(const struct sg_message *message, size_t field, uint64_t max,
                              uint64_t *count, struct sg_err *err);

/* Appends the line including its end. Makes texts printable. */
void sg_message_add(struct sg_text *out, const struct sg_message *message);
/* Reads a line without its end. SG_BAD_INPUT, without a file and line: not a message. */
enum sg_code sg_message_parse(const char *line, size_t length, struct sg_message *message,
                              struct sg_err *err);
void sg_message_release(struct sg_message *message);

/* Makes a message of a CSV row with the fields in the order of the table: an empty field is
 * omitted, `nan` is null. SG_BAD_INPUT names the column of an invalid number. The texts still
 * belong to the row. */
enum sg_code sg_message_of_fields(enum sg_message_kind kind, const char *const *field,
                                  struct sg_message *message, struct sg_err *err);
/* Appends fields [from, to) as part of a CSV row, without a line end. */
void sg_message_add_fields(struct sg_text *out, const struct sg_message *message, size_t from,
                           size_t to);

/* True if the message shows that the worker makes progress. False for messages that a worker may
 * repeat (note, side) and for the rows and lists that it reports all at once after the work. So a
 * worker that repeats such messages still passes its deadline. */
bool sg_message_is_progress(enum sg_message_kind kind);

/* The content of `fail`; all zero: not received. */
struct sg_failure {
    enum sg_code code;
    char why[768];
};
enum sg_code sg_take_failure(const struct sg_message *message, struct sg_failure *failure,
                             struct sg_err *err);
