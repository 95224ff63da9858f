/*
 * process/dialogue.h - may a worker say this now? The order of messages, and what may be said once
 * (process/protocol.h), of one worker from hello to bye.
 *
 * Pure: a message in, SG_SUCCESS or SG_INVALID with the reason out, which makes its worker one that
 * breaks the protocol (process/pool.h). What a message is about (was this item asked for, is this
 * metric?) is the business of the pass that listens. Invariant: of messages that were let in, hello
 * is the first and of this protocol and pass; each key of env, each figure, each status, each
 * metric and each batch of an item is there once, the batches in their order; rows stand behind the
 * begin of their own item. So their number is bounded, too.
 *
 *     struct sg_dialogue dialogue = {.pass = "time", .process = 3};
 *     if (sg_dialogue_take(&dialogue, message, err) != SG_SUCCESS)
 *         return err->code;
 */
#ifndef SG_PROCESS_DIALOGUE_H
#define SG_PROCESS_DIALOGUE_H

#include "process/protocol.h"
#include "results/process_log.h"
#include "util/intern.h"

#define SG_LAUNCHES_REPORTED_MAX 65536 /* `at` lines of a worker: each launch of each pass of a profiler, of a set, and more */

struct sg_dialogue {
    const char *pass;               /* borrowed: list, doctor, verify, time or count */
    unsigned process;               /* of a time pass */
    bool greeted, left;             /* hello and bye were said */
    struct sg_intern_pool *keys;    /* owned; of env */
    bool has_code;                  /* one of them says which code was loaded */
    struct sg_text item;            /* owned; the one that has begun; "": none has */
    struct sg_intern_pool *metrics; /* owned; rows of it so far */
    bool has_status, has_rows;      /* of it */
    size_t batches;                 /* of it */
    size_t launches;                /* `at` lines */
    unsigned looks;                 /* events that were reported: 0, 1 start, 2 end as well */
    bool figured[SG_MOMENTS][SG_FIGURE_COUNT];
};

enum sg_code sg_dialogue_take(struct sg_dialogue *dialogue, const struct sg_message *message, struct sg_err *err);
void sg_dialogue_release(struct sg_dialogue *dialogue);

#endif
