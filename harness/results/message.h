/*
 * results/message.h - one line of CSV: what a worker reports on descriptor 3, and what the log of a
 * run holds (results/run_log.h).
 *
 *     sample,null,tiny,slower,0,0,0,slower,5012.5,1.98e+09,0
 *
 * The first field is the kind of message, the others are the fields of its table in message.c
 * (util/record.h). Numbers have nine digits, as in the CSV files, so a computation from messages
 * equals one from the log. Each line is one write: a killed worker leaves whole lines and at most
 * one incomplete last line, which is dropped. Invariant: if the worker dies between `begin` or `at`
 * and the next `begin`, `at`, `events` or `bye`, that item is the cause; `side` names the running
 * variant of the item's pair.
 */
#pragma once

#include "results/process_log.h"
#include "results/samples.h"
#include "results/table.h"

#define SG_PROTOCOL_VERSION 4
#define SG_PROTOCOL_FD      3
#define SG_SETUP_S          120   /* for the imports and for each first call of a program */
#define SG_MESSAGE_LINE_MAX 65536 /* bytes; a longer line means a broken worker */

enum sg_message_kind {
    SG_MESSAGE_HELLO,
    SG_MESSAGE_SETUP, /* the next message may take this long */
    SG_MESSAGE_ENV,
    SG_MESSAGE_FAMILY,
    SG_MESSAGE_CASE,
    SG_MESSAGE_VARIANT,
    SG_MESSAGE_KNOB,
    SG_MESSAGE_KERNEL,
    SG_MESSAGE_BEGIN,
    SG_MESSAGE_AT,   /* of several items, the one launched now */
    SG_MESSAGE_SIDE, /* the variant of the pair that runs now */
    SG_MESSAGE_STATUS,
    SG_MESSAGE_BASELINE, /* status of the paired baseline */
    SG_MESSAGE_VALUE,
    SG_MESSAGE_SAMPLE,
    SG_MESSAGE_PC,
    SG_MESSAGE_EVENTS,  /* so far, in words of results/throttle_reasons.h; "": unknown */
    SG_MESSAGE_FIGURE,  /* of processes.csv */
    SG_MESSAGE_NOTE,    /* for the user */
    SG_MESSAGE_FAIL,    /* the pass cannot continue */
    SG_MESSAGE_BYE,     /* all requested work is done, or the last item failed */
    SG_MESSAGE_PROCESS, /* only in the log, like the next two */
    SG_MESSAGE_DROP,    /* discards a process's samples; without a reason also its row */
    SG_MESSAGE_WHOLE,   /* the lines since the previous one are a whole group */
    SG_MESSAGE_COUNT
};

#define SG_SIDE_CANDIDATE "candidate"
#define SG_SIDE_BASELINE  "baseline"
#define SG_SIDE_NEITHER   "neither" /* the worker itself */

/* Each kind has some of these members; the table in message.c says which. NULL texts mean "". */
struct sg_message {
    enum sg_message_kind kind;
    const char *name[3];   /* family, case and variant; of a sample the pair's candidate */
    enum sg_status status; /* of the item, or the expected one */
    enum sg_role role;
    const char *text; /* message, note or reason */
    const char *key, *pass, *side, *summary;
    const char *device, *dims, *commit, *dtype, *shape, *knob, *values; /* of a family */
    const char *kernel, *mangled, *images, *notes;                      /* of a kernel */
    const char *code, *instruction, *charged_to, *reason;               /* of pc */
    const char *ran;                                                    /* variant of a sample */
    const char *events;
    enum sg_moment moment;
    enum sg_figure figure;
    unsigned version, deadline_ms, process, pc, pc_samples;
    enum sg_code failure;
    double seconds;                                                         /* of setup */
    double figure_value, spill_store_bytes, spill_load_bytes, instructions; /* NaN: unknown */
    struct sg_value value;   /* its names are the members above */
    struct sg_sample sample; /* without its names */
    struct sg_process row;
    const char *line; /* the line as read, with its length; borrowed */
    size_t length;
};

/* Appends the line including its end. */
void sg_message_add(struct sg_text *out, const struct sg_message *message);
/* Reads a line without its end. SG_BAD_INPUT, without a file and line: not a message. The texts of
 * *message are in `room`, which the caller releases. */
enum sg_code sg_message_parse(const char *line, size_t length, struct sg_text *room,
                              struct sg_message *message, struct sg_err *err);
/* The fields of messages of this kind, for use as the columns of a file. */
const struct sg_record *sg_message_record(enum sg_message_kind kind);
/* The fields of a sample; the last one is its energy, if that was measured. */
struct sg_record sg_sample_record(bool has_energy);

/* True if the message shows that the worker makes progress. False for messages that a worker may
 * repeat (note, side) and for the rows and lists that it reports all at once after the work. So a
 * worker that only repeats such messages still exceeds its deadline. */
bool sg_message_is_progress(enum sg_message_kind kind);

/* The content of `fail`; all zero: not received. */
struct sg_failure {
    enum sg_code code;
    char why[768];
};
void sg_take_failure(const struct sg_message *message, struct sg_failure *failure);
