/*
 * reports/tables/next_steps.h - what whoever reads a verdict does next: a command for each kind of
 * row that asks for one, filled in for the worst row that it can be filled in for.
 *
 * Invariant: a step is offered only where its command can be typed as it stands, but for the TEXT
 * of a reason; one table says which steps there are (reports/tables/next_steps.c).
 * How it is used: sg_next_each(part, rank, add_item, out), with
 * add_item escaping what it is handed.
 */
#ifndef SG_REPORTS_TABLES_NEXT_STEPS_H
#define SG_REPORTS_TABLES_NEXT_STEPS_H

#include "reports/tables/ranking.h"

/* Adds a command, and what it is good for, to `out`. */
typedef void sg_next_fn(const char *command, const char *why, struct sg_text *out);

/* Calls `each`, unless it is NULL, for every step that a row of the
 * run asks for; how many there are. */
size_t sg_next_each(const struct sg_report_part *part, const struct sg_rank *rank, sg_next_fn *each, struct sg_text *out);

#endif
