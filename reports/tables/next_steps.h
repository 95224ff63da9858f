/*
 * reports/tables/next_steps.h - suggests commands after a verdict: one per kind of row that needs
 * one, for the worst suitable row.
 *
 * Invariant: a command is complete as printed, except for the TEXT of a reason. One table defines
 * the steps (reports/tables/next_steps.c).
 */
#pragma once

#include "reports/tables/ranking.h"

typedef void sg_next_fn(const char *command, const char *why, void *context);

/* Calls `each`, unless NULL, for every step that a row of the run needs, or the row with the rank
 * `only` (SIZE_MAX: any row), with the command's purpose. Returns the number of steps. */
size_t sg_next_each(const struct sg_report_input *input, const struct sg_rank *rank, size_t only,
                    sg_next_fn *each, void *context);

/* Adds `before` and the command after which each row of the next run is paired with its accepted
 * build. Adds nothing if only new rows are unpaired, or if accept would refuse this run. */
void sg_add_pairing_step(const struct sg_report_input *input, const char *before,
                         struct sg_text *out);

/* Adds the first command for the row with the rank `worst`. If that row needs no command, or
 * `worst` is SIZE_MAX, adds the first command for any row. */
void sg_add_next(struct sg_text *out, const struct sg_report_input *input,
                 const struct sg_rank *rank, size_t worst);
