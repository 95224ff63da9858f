/*
 * results/process_log.h - the state of the GPU while each process of a time pass measured:
 * processes.csv of a run (docs/formats.md).
 *
 * There is one row per worker. Its figures are read at the start and at the end of its pass. An
 * unreadable figure is NaN, written as an empty field: unknown is not zero. Invariant: the row of a
 * worker exists before its first batch and gets an end after its `bye` message. If the last row of
 * a process has no end, its worker died or its end is unknown.
 */
#pragma once

#include "results/throttle_reasons.h"
#include <float.h>

#include "util/record.h"

/* constant, word, least */
#define SG_FIGURE_TABLE(X)                                                                        \
    X(SG_FIGURE_SM_CLOCK, "sm_clock", 0) /* Hz */                                                 \
    X(SG_FIGURE_POWER, "power_w", 0)                                                              \
    X(SG_FIGURE_TEMPERATURE, "temperature_c", -SG_FIGURE_MAX)                                     \
    X(SG_FIGURE_OTHERS, "others", 0)           /* other processes with compute work on the GPU */ \
    X(SG_FIGURE_MIG, "mig", 0)                 /* 1: the GPU is partitioned into MIG instances */ \
    X(SG_FIGURE_MPS, "mps", 0)                 /* 1: processes share the GPU through MPS */       \
    X(SG_FIGURE_CHAIN_NS, "chain_ns", DBL_MIN) /* drift references: median of their batches */    \
    X(SG_FIGURE_CHAIN_CLOCK, "chain_clock", 0) /* Hz */                                           \
    X(SG_FIGURE_COPY_NS, "copy_ns", DBL_MIN)                                                      \
    X(SG_FIGURE_COPY_CLOCK, "copy_clock", 0)
#define SG_FIGURE_MAX 1e15

enum sg_figure { SG_FIGURE_TABLE(SG_CONSTANT) SG_FIGURE_COUNT };

enum sg_moment { SG_AT_START, SG_AT_END, SG_MOMENTS };

/* End with NULL. */
extern const char *const sg_figure_words[], *const sg_moment_words[];

struct sg_process {
    unsigned process; /* number in the time pass, from 0 */
    /* number of earlier workers of this process that were dropped */
    unsigned attempt;
    char began[24], ended[24]; /* UTC, ISO 8601; ended "": running, or end unknown */
    struct sg_events events;   /* seen at any time */
    char dropped[96];          /* "": not dropped; otherwise the reason */
    double figure[SG_MOMENTS][SG_FIGURE_COUNT];
};

struct sg_process_log {
    struct sg_process *items; /* owned */
    size_t count, capacity;
};

/* A row with all figures NaN and no events. */
struct sg_process sg_process_new(unsigned process, unsigned attempt);
void sg_process_log_add(struct sg_process_log *all, const struct sg_process *process);
/* The attempt of the next worker of this process: how many workers of it were dropped. */
unsigned sg_process_log_attempt(const struct sg_process_log *all, unsigned process);
/* True if the last worker of this process has a row that counts and has no end. */
bool sg_process_log_is_unseen(const struct sg_process_log *all, unsigned process);
/* Removes the rows of this process, except those of dropped workers. */
void sg_process_log_forget(struct sg_process_log *all, unsigned process);

/* Takes a figure or the events that a worker reports; SG_BAD_INPUT without file and line. */
enum sg_code sg_process_take_figure(struct sg_process *process, enum sg_moment moment,
                                    enum sg_figure figure, double value, struct sg_err *err);
enum sg_code sg_process_take_events(struct sg_process *process, const char *words,
                                    struct sg_err *err);
/* The columns of processes.csv, over struct sg_process. */
extern const struct sg_record sg_process_record;
/* Formats the whole file. */
void sg_process_log_format(struct sg_text *out, const struct sg_process_log *all);
