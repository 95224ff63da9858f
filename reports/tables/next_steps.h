/*
 * reports/tables/next_steps.h - what to do after a verdict: a command for each kind of
 * row that asks for one, filled in for the worst row that it can be filled in for.
 *
 * Invariant: a step is offered only where its command can be typed as it stands, but for the TEXT
 * of a reason; one table says which steps there are (reports/tables/next_steps.c).
 */
#pragma once

#include "reports/tables/ranking.h"

typedef void sg_next_fn(const char *command, const char *why, void *context);

/* Calls `each`, unless it is NULL, for every step that a row of the run asks for, with what the
 * command is good for; how many there are. */
size_t sg_next_each(const struct sg_report_part *part, const struct sg_rank *rank, sg_next_fn *each, void *context);

/* The first of them for a terminal, a line: "Next: solgate explain ...". */
void sg_add_next(struct sg_text *out, const struct sg_report_part *part);
