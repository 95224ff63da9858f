/*
 * run/turn.h - state of a step in one pass of one process, and the cause of a failure that did not
 * happen again. No input or output.
 *
 * A step that failed after others is retried in a process without others. If the retry fails, that
 * is the outcome. If the retry passes, the step is flaky, unless a trial shows that another step
 * causes the failure. A trial bisects the other steps. The culprit is the step after which the
 * suspect fails each time; without that step the suspect never fails.
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
    SG_TURN_DOUBTED, /* failed after others and passed alone: needs a trial */
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
    SG_TURN_ACQUITTED, /* another step is the cause */
    SG_TURN_CONVICTED, /* no other step is the cause */
    SG_TURN_EVENTS
};

enum sg_turn sg_turn_next(enum sg_turn turn, enum sg_turn_event event);
/* True if the step must still be requested from a worker. */
bool sg_turn_is_open(enum sg_turn turn);

enum sg_trial_verdict { SG_TRIAL_OPEN, SG_TRIAL_SUSPECT, SG_TRIAL_OTHER };

/* A trial of a suspect and `count` other steps. Each question is a process that runs the other
 * steps from `from` to before `to`, and then the suspect. */
struct sg_trial {
    size_t count, low, high; /* possible culprits; after a verdict: `low` */
    size_t from, to;         /* the current question */
    unsigned stage;
    enum sg_trial_verdict verdict;
};
struct sg_trial sg_trial_begin(size_t count);
/* Answers the question: did the suspect fail? */
void sg_trial_answer(struct sg_trial *trial, bool failed);
