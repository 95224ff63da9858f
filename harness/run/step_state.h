/*
 * run/step_state.h - state of a step in one pass of one process. No I/O.
 *
 * A step that failed after others is retried in a process without others. If the retry fails, that
 * is the outcome. If the retry passes, the step is flaky.
 */
#pragma once

#include <stdbool.h>

enum sg_step_state {
    SG_STEP_NOT_REQUESTED,
    SG_STEP_PENDING,
    SG_STEP_PENDING_ALONE, /* run alone: a worker with several steps ended before its first item */
    SG_STEP_WORKER_LOST,   /* run alone again: its worker ended before it began */
    SG_STEP_RETRY_ALONE,   /* failed after others: retry alone */
    SG_STEP_DROPPED,       /* its baseline failed */
    SG_STEP_DONE,
    SG_STEP_FLAKY,
    SG_STEP_FAILED,
    SG_STEP_STATES
};

enum sg_step_event {
    SG_STEP_PASSES,             /* all of its rows are complete */
    SG_STEP_FAILS,              /* first in its process, or without harm to other steps */
    SG_STEP_FAILS_AFTER_OTHERS, /* after other steps in the process */
    SG_STEP_NOT_BEGUN,          /* its worker ended before the first of several items */
    SG_STEP_NOT_BEGUN_ALONE,    /* its worker ended before this only item */
    SG_STEP_BASELINE_FAILS,
    SG_STEP_EVENTS
};

enum sg_step_state sg_step_state_next(enum sg_step_state state, enum sg_step_event event);
/* True if the step must still be requested from a worker. */
bool sg_step_state_is_open(enum sg_step_state state);
