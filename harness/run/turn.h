/*
 * run/turn.h - state of a step in one pass of one process. No input or output.
 *
 * A step that failed after others is retried in a process without others. If the retry fails, that
 * is the outcome. If the retry passes, the step is flaky.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum sg_turn {
    SG_TURN_NOT_ASKED,
    SG_TURN_TO_DO,
    SG_TURN_ALONE,   /* run alone: a worker with several steps ended before its first item */
    SG_TURN_LOST,    /* run alone again: its worker ended before it began */
    SG_TURN_SUSPECT, /* failed after others: retry alone */
    SG_TURN_DROPPED, /* its baseline failed */
    SG_TURN_DONE,
    SG_TURN_FLAKY,
    SG_TURN_FAILED,
    SG_TURNS
};

enum sg_turn_event {
    SG_TURN_RIGHT,           /* all of its rows are complete */
    SG_TURN_FAILS,           /* with no step before it, or without harm to others */
    SG_TURN_FAILS_BEHIND,    /* after other steps in the process */
    SG_TURN_UNREACHED,       /* its worker ended before the first of several items */
    SG_TURN_UNREACHED_ALONE, /* its worker ended before this only item */
    SG_TURN_BASELINE_FAILED,
    SG_TURN_EVENTS
};

enum sg_turn sg_turn_next(enum sg_turn turn, enum sg_turn_event event);
/* True if the step must still be requested from a worker. */
bool sg_turn_is_open(enum sg_turn turn);
