/*
 * results/process_log.h - what the GPU was like while each process of a time pass measured:
 * processes.csv of a run (docs/formats.md).
 *
 * A row a worker. Its figures are read at the start and at the end of its pass; a figure that
 * could not be read is NaN, and an empty field: not known is not zero. Invariant: the row of a
 * worker is there before its first batch, and has an end once it said its last word; so batches of
 * a process whose last row has none are of a worker that died, or whose end is not known.
 */
#pragma once

#include "util/err.h"
#include "util/text.h"

struct sg_message;

/* constant, word */
#define SG_FIGURE_TABLE(X)                                                                      \
    X(SG_FIGURE_SM_CLOCK, "sm_clock") /* Hz */                                                  \
    X(SG_FIGURE_POWER, "power_w")                                                               \
    X(SG_FIGURE_TEMPERATURE, "temperature_c")                                                   \
    X(SG_FIGURE_OTHERS, "others")           /* other processes that compute on the GPU */       \
    X(SG_FIGURE_MIG, "mig")                 /* 1: the GPU is cut into instances */              \
    X(SG_FIGURE_MPS, "mps")                 /* 1: processes share it through MPS */             \
    X(SG_FIGURE_CHAIN_NS, "chain_ns")       /* the drift references: median of their batches */ \
    X(SG_FIGURE_CHAIN_CLOCK, "chain_clock") /* Hz */                                            \
    X(SG_FIGURE_COPY_NS, "copy_ns")                                                             \
    X(SG_FIGURE_COPY_CLOCK, "copy_clock")

enum sg_figure { SG_FIGURE_TABLE(SG_CONSTANT) SG_FIGURE_COUNT };

enum sg_moment { SG_AT_START, SG_AT_END, SG_MOMENTS };

#define SG_START_COLUMN(constant, word) ",start_" word
#define SG_END_COLUMN(constant, word)   ",end_" word
#define SG_PROCESSES_HEADER             "process,attempt,began,ended,events,dropped" SG_FIGURE_TABLE(SG_START_COLUMN) SG_FIGURE_TABLE(SG_END_COLUMN)

struct sg_process {
    unsigned process;          /* its number in the time pass, from 0 */
    unsigned attempt;          /* how many were dropped in its place before it */
    char began[24], ended[24]; /* UTC, ISO 8601; ended "": it is at work, or its end is not known */
    uint64_t events;           /* seen at any time (results/throttle_reasons.h) */
    bool events_known;         /* or they could not be read */
    char dropped[96];          /* "": it counts; else why it does not */
    double figure[SG_MOMENTS][SG_FIGURE_COUNT];
};

struct sg_process_log {
    struct sg_process *items; /* owned */
    size_t count, capacity;
};

/* All figures NaN, no events. */
struct sg_process sg_process_new(unsigned process, unsigned attempt);
void sg_process_log_add(struct sg_process_log *all, const struct sg_process *process);
void sg_process_log_release(struct sg_process_log *all);
/* What the next worker of this number is: how many of its predecessors were dropped. */
unsigned sg_process_log_attempt(const struct sg_process_log *all, unsigned process);
/* Has the last worker of this number a row that counts, and no end? */
bool sg_process_log_is_unseen(const struct sg_process_log *all, unsigned process);
/* Takes away the rows of this process but those that were dropped. */
void sg_process_log_forget(struct sg_process_log *all, unsigned process);

/* What a worker says of a figure or of the events; SG_BAD_INPUT without a place. */
enum sg_code sg_process_take_figure(struct sg_process *process, const struct sg_message *message, struct sg_err *err);
enum sg_code sg_process_take_events(struct sg_process *process, const struct sg_message *message, struct sg_err *err);
const char *sg_moment_word(enum sg_moment moment);
const char *sg_figure_word(enum sg_figure figure);

/* As a message of the log, there and back; its texts are those of *process and *events. */
struct sg_message sg_process_message(const struct sg_process *process, struct sg_text *events);
enum sg_code sg_take_process(const struct sg_message *message, struct sg_process *process, struct sg_err *err);
/* A row of processes.csv. */
void sg_process_format(struct sg_text *out, const struct sg_process *process);
