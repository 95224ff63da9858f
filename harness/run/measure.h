/*
 * run/measure.h - a time or count pass under way: what phase_measure.c asks of its workers, and
 * what measure_failure.c makes of what fails in them.
 */
#pragma once

#include "run/execution_internal.h"
#include "run/turn.h"

/* A failure that is to be tried. */
struct incident {
    struct sg_step *suspect; /* NULL: there is none */
    enum sg_status status;
    char *how;      /* owned; status, pass, process, seed and why */
    size_t *others; /* owned; steps that its process had begun before, and of a baseline the one beside it */
    size_t other_count;
    unsigned fails, tries; /* of processes that had the suspect */
};

/* One pass of one worker after the other, until nothing is left. */
struct measure {
    struct sg_execution *execution;
    const char *pass; /* "time" or "count" */
    unsigned process; /* of the time pass */
    bool needs_gpu;   /* the items' kind of device; a worker serves one kind */
    size_t *order;    /* all steps of this kind that were to do, in order */
    size_t order_count;
    enum sg_turn *turn; /* of each step */
    unsigned lost;      /* workers that ended before an item, while none had begun one */
    bool began;         /* some worker has begun an item */
    unsigned ahead;     /* of a time pass: so many processes of these steps will follow, as far as is known */
    struct incident incident;

    /* The worker under way. */
    size_t *asked; /* steps that it is asked for, in order */
    size_t asked_count;
    size_t begun;            /* how many of them it has begun */
    bool is_trial;           /* nothing that it measures is kept */
    bool failed;             /* in it the suspect did */
    bool moved;              /* a turn of one changed */
    struct sg_step *current; /* between its begin and the next; NULL: none */
    struct sg_step *at;      /* of a set, the one that is launched; NULL: none */
    bool running[2];         /* code of the pair's baseline, of its candidate; neither: the worker's own */
    struct sg_table rows;    /* of the current item */
    struct sg_samples samples;
    struct sg_process row; /* in the time pass */
    bool bye;
    struct sg_failure failure;
};

bool sg_measure_is_time(const struct measure *measure);
void sg_measure_clear_rows(struct measure *measure);
enum sg_turn *sg_measure_turn(const struct measure *measure, const struct sg_step *step);
enum sg_turn sg_measure_advance(struct measure *measure, const struct sg_step *step, enum sg_turn_event event);

/* ---- phase_measure.c ---- */

/* Those of a worker that is asked for measure->asked. */
void sg_measure_add_arguments(const struct measure *measure, struct sg_names *args);
/* The order of steps in a process. */
void sg_measure_shuffle(const struct sg_execution *execution, unsigned process, size_t *steps, size_t count);

/* ---- start_ahead.c ---- */

/* The worker of the time pass with these arguments, in its turn: it and those that follow have
 * started, and none starts or ends from here on. NULL: it could not get ready, and is to start as
 * usual. */
enum sg_code sg_measure_take_worker(const struct measure *measure, const struct sg_names *args, struct sg_worker_process **process,
                                    struct sg_err *err);

/* ---- measure_failure.c ---- */

/* The current item failed: its row, or an accusation, or in a trial what its suspect did. */
enum sg_code sg_measure_fail_item(struct measure *measure, bool by_baseline, enum sg_status status, const char *why, struct sg_err *err);
enum sg_code sg_measure_record_failure(struct measure *measure, enum sg_status status, const char *why, struct sg_err *err);
/* The suspect is flaky. */
enum sg_code sg_measure_convict(struct measure *measure, struct sg_err *err);
/* The suspect is not called flaky: another one spoils it, or it has failed for good. */
enum sg_code sg_measure_acquit(struct measure *measure, struct sg_err *err);
/* The suspect fails behind only this one. */
enum sg_code sg_measure_blame(struct measure *measure, struct sg_step *other, struct sg_err *err);
void sg_measure_close_incident(struct measure *measure);
