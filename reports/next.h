/*
 * next.h - what whoever reads a verdict does next: a command for each kind of row that asks for one, filled in for the worst row of it.
 *
 * Invariant: a step is offered only where its command can be written out in full; one table says which there are (next.c).
 * How it is used: for each of sg_next_steps: sg_next_command; if it gave words, they and the step's `why`, escaped.
 */
#ifndef SG_NEXT_H
#define SG_NEXT_H

#include "judged.h"

struct sg_next_step {
    unsigned verdicts; /* bits 1 << enum sg_verdict: rows that ask for it */
    bool calm;         /* only where no row fails */
    void (*add)(const struct sg_report_part *part, const struct sg_finding *worst, struct sg_text *out); /* adds nothing: not here */
    const char *why;                                                                                     /* what the command is good for */
};
extern const struct sg_next_step sg_next_steps[];
extern const size_t sg_next_step_count;

/* The command of a step, unescaped; nothing where no row of the run asks for it. */
void sg_next_command(const struct sg_next_step *step, const struct sg_report_part *part, const struct sg_rank *rank, struct sg_text *out);
/* Is there a command at all? */
bool sg_next_any(const struct sg_report_part *part, const struct sg_rank *rank);

#endif
