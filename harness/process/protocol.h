/*
 * process/protocol.h - what a worker reports to solgate on descriptor 3.
 *
 * Lines of tab-separated fields; the first field is the kind; \t, \n, \r, \\ inside a field are
 * written as backslash escapes. Each line goes out in one write, so that a killed worker leaves
 * whole lines and at most one torn last one, which is dropped.
 * Invariant: from `begin` or `at` to the next of them, `events` or `bye`, whatever kills the worker
 * happens in that item; `side` names which variant of its pair was running.
 */
#ifndef SG_PROCESS_PROTOCOL_H
#define SG_PROCESS_PROTOCOL_H

#include "util/err.h"
#include "util/text.h"

#define SG_PROTOCOL_VERSION   2
#define SG_PROTOCOL_FD        3
#define SG_MESSAGE_FIELDS_MAX 16
#define SG_MESSAGE_LINE_MAX   65536 /* bytes; a longer line is a broken worker */

/* constant, word, number of fields after the kind, what they are
 * (doubles as %.17g, "" for absent) */
#define SG_MESSAGE_TABLE(X)                                                                                                   \
    X(SG_MESSAGE_HELLO, "hello", 2, "protocol version, pass")                                                                 \
    X(SG_MESSAGE_ENV, "env", 2, "key, value")                                                                                 \
    X(SG_MESSAGE_FAMILY, "family", 5, "name, device (cuda|host), dims, summary, commit of its sources or nothing")            \
    X(SG_MESSAGE_CASE, "case", 5, "family, name, dtype, shape (rows=4096 cols=4096), summary")                                \
    X(SG_MESSAGE_VARIANT, "variant", 6, "family, name, role (candidate|baseline|vendor), expect, deadline_ms, summary")       \
    X(SG_MESSAGE_KNOB, "knob", 5, "family, variant, name, values worth trying (16 32 64), summary")                           \
    X(SG_MESSAGE_BEGIN, "begin", 3, "family, case, variant")                                                                  \
    X(SG_MESSAGE_AT, "at", 3, "family, case, variant: of a set, this one is launched now")                                    \
    X(SG_MESSAGE_SIDE, "side", 1, "candidate or baseline: the variant of the pair whose code runs now")                       \
    X(SG_MESSAGE_STATUS, "status", 5, "family, case, variant, status word, message")                                          \
    X(SG_MESSAGE_BASELINE, "baseline", 5, "family, case, variant, what its baseline came to beside it: status word, message") \
    X(SG_MESSAGE_VALUE, "value", 11, "the columns of run.csv")                                                                \
    X(SG_MESSAGE_SAMPLE, "sample", 10, "the columns of samples.csv")                                                          \
    X(SG_MESSAGE_EVENTS, "events", 2, "start or end, events so far (words of results/throttle_reasons.h); \"\": not known")   \
    X(SG_MESSAGE_FIGURE, "figure", 3, "start or end, word of a figure (results/process_log.h), number")                       \
    X(SG_MESSAGE_NOTE, "note", 1, "text for the log")                                                                         \
    X(SG_MESSAGE_FAIL, "fail", 2, "enum sg_code as a number, message: the pass cannot go on")                                 \
    X(SG_MESSAGE_BYE, "bye", 0, "everything asked for was done, or the item before it failed")

#define SG_SIDE_CANDIDATE "candidate"
#define SG_SIDE_BASELINE  "baseline"

enum sg_message_kind {
#define X(constant, word, fields, meaning) constant,
    SG_MESSAGE_TABLE(X)
#undef X
        SG_MESSAGE_COUNT
};

struct sg_message {
    enum sg_message_kind kind;
    size_t count;                             /* fields after the kind */
    const char *field[SG_MESSAGE_FIELDS_MAX]; /* into the line, unescaped in place */
};

/*
 * Parses one line (no line end) in place. SG_INVALID with the reason if it is none. This is the
 * door: what comes out of here is UTF-8 without control characters, whatever a kernel, a library or
 * a driver put into its names and messages.
 */
enum sg_code sg_message_parse(char *line, struct sg_message *message, struct sg_err *err);

/*
 * Does it show that the worker goes on? Not so what may be repeated (note, side), nor the rows of
 * an item, which are reported all at once behind the work: a worker that reports one of them again
 * and again is past its deadline all the same.
 */
bool sg_message_is_progress(enum sg_message_kind kind);

/* Formats one line with its line end; fields must be as many as the table says. */
void sg_message_format(struct sg_text *out, enum sg_message_kind kind, const char *const *fields, size_t count);

#endif
