/*
 * run/turn.h - what a step is in one pass of one process, and whose doing a failure was that did
 * not happen again. No input or output.
 *
 * A step that failed behind others is done again in a process of its own. If it fails there, too,
 * that is its outcome. If it is right there, it is flaky, unless a trial shows that one of the
 * others spoils it: it fails each time behind that one, and never without it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum sg_turn {
    SG_TURN_NOT_ASKED,
    SG_TURN_TO_DO,
    SG_TURN_ALONE,   /* to be done by itself: a worker of many ended before its first item */
    SG_TURN_LOST,    /* the same; a worker of only this one ended before it began */
    SG_TURN_SUSPECT, /* failed behind others: to be done by itself */
    SG_TURN_DOUBTED, /* failed behind others and was right by itself: to be tried */
    SG_TURN_DROPPED, /* its baseline failed */
    SG_TURN_DONE,
    SG_TURN_FLAKY,
    SG_TURN_FAILED,
    SG_TURNS
};

enum sg_turn_event {
    SG_TURN_RIGHT,           /* all of its rows are there */
    SG_TURN_FAILS,           /* with none before it, or without harm to others */
    SG_TURN_FAILS_BEHIND,    /* with others before it in the process */
    SG_TURN_UNREACHED,       /* its worker ended before its first item of many */
    SG_TURN_UNREACHED_ALONE, /* its worker ended before this item, the only one */
    SG_TURN_BASELINE_FAILED,
    SG_TURN_ACQUITTED, /* another one did it */
    SG_TURN_CONVICTED, /* no other one did it */
    SG_TURN_EVENTS
};

enum sg_turn sg_turn_next(enum sg_turn turn, enum sg_turn_event event);
/* Is a worker to be asked for it? */
bool sg_turn_is_open(enum sg_turn turn);

enum sg_trial_verdict { SG_TRIAL_OPEN, SG_TRIAL_SUSPECT, SG_TRIAL_OTHER };

/* Of a suspect and the `count` others that were there: each question is a process in which the
 * others from `from` to before `to` run first, and then the suspect. */
struct sg_trial {
    size_t count, low, high; /* which of the others may be the one; behind a verdict it is `low` */
    size_t from, to;         /* the question */
    unsigned stage;
    enum sg_trial_verdict verdict;
};
struct sg_trial sg_trial_begin(size_t count);
/* Did the suspect fail in it? */
void sg_trial_answer(struct sg_trial *trial, bool failed);
