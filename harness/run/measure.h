/*
 * run/measure.h - state of a time or count pass: phase_measure.c requests items from workers,
 * measure_failure.c handles failures.
 */
#pragma once

#include "run/execution_internal.h"
#include "run/step_state.h"

/* One pass: workers run one after the other until nothing is left. */
struct measure {
    struct sg_execution *execution;
    const char *pass; /* "time", "trace" or "count" */
    unsigned process; /* in the time pass */
    bool needs_gpu;   /* kind of device; a worker serves one kind */
    size_t *order;    /* all open steps of this kind, in order */
    size_t order_count;
    enum sg_step_state *state; /* state of each step */
    unsigned lost;             /* workers lost before any item began */
    bool began;                /* some worker has begun an item */
    unsigned ahead;            /* time pass: number of processes of these steps likely to follow */
    struct sg_step *retry;     /* to be retried alone; NULL: none */

    /* The current worker. */
    size_t *asked; /* steps requested from the worker, in order */
    size_t asked_count;
    size_t begun;            /* how many of them the worker has begun */
    bool moved;              /* a step changed its state */
    struct sg_step *current; /* between its `begin` and the next one; NULL: none */
    struct sg_step *at;      /* the launched step of a set; NULL: none */
    bool running[2];         /* which side runs: baseline, candidate; neither: the worker */
    struct sg_table rows;    /* the current item's rows */
    struct sg_samples samples;
    struct sg_process row; /* in the time pass */
    bool bye;
    struct sg_failure failure;
};

bool sg_measure_is_time(const struct measure *measure);
/* True if the pass starts programs: each worker starts one, and reports the kernels that it
 * launches. */
bool sg_measure_is_trace(const struct measure *measure);
void sg_measure_clear_rows(struct measure *measure);
enum sg_step_state *sg_measure_state(const struct measure *measure, const struct sg_step *step);
enum sg_step_state sg_measure_advance(struct measure *measure, const struct sg_step *step,
                                      enum sg_step_event event);

/* ---- measure_arguments.c ---- */

/* Adds the arguments of a worker for measure->asked. */
void sg_measure_add_arguments(const struct measure *measure, struct sg_names *args);

/* ---- phase_measure.c ---- */

void sg_measure_shuffle(const struct sg_execution *execution, unsigned process, size_t *steps,
                        size_t count);

/* ---- start_ahead.c ---- */

/* Returns the time pass's worker with these arguments. Workers started ahead are ready by then, and
 * none starts or ends until the next call. NULL: the worker was not ready in time and must be
 * started as usual. */
enum sg_code sg_measure_take_worker(const struct measure *measure, const struct sg_names *args,
                                    struct sg_worker_process **process, struct sg_err *err);

/* ---- measure_failure.c ---- */

/* Handles the current item's failure: records a row, retries the item alone, or calls it flaky. */
enum sg_code sg_measure_fail_item(struct measure *measure, bool by_baseline, enum sg_status status,
                                  const char *why, struct sg_err *err);
enum sg_code sg_measure_record_failure(struct measure *measure, enum sg_status status,
                                       const char *why, struct sg_err *err);
/* Records that the step is flaky. `tries`: number of processes that ran the step; one failed. */
enum sg_code sg_measure_set_flaky(struct measure *measure, struct sg_step *step, unsigned tries,
                                  struct sg_err *err);
/* Clears the step's first failure. */
enum sg_code sg_measure_clear_failure(struct measure *measure, struct sg_step *step,
                                      struct sg_err *err);
