/*
 * reports/tables/headline.h - the first lines of a comparison (stats/headline.h), in every format.
 */
#pragma once

#include "reports/tables/ranking.h"
#include "stats/headline.h"

/* Adds the headline, the counts and the next command, a line each. Returns the exit code. */
int sg_add_first_lines(struct sg_text *out, const struct sg_report_input *input);
/* Adds the same lines to a document; `class_`: the colour of the first one. */
void sg_document_first_lines(struct sg_document *document, enum sg_readers readers,
                             const struct sg_headline *headline, enum sg_class class_,
                             const char *counts);
/* Its parts. The caller releases the headline. */
void sg_headline_of(const struct sg_report_input *input, struct sg_headline *headline);
/* Adds "25 rows: 3 regressed, 22 within, against baselines/smoke.csv (accepted 2026-11-20)",
 * with the commits of both sides. */
void sg_add_counts(struct sg_text *out, const struct sg_report_input *input,
                   const struct sg_headline *headline);
/* Adds the numbers of untimed rows and of rows paired with their accepted build, and why the
 * others were not paired. */
void sg_add_pairing(struct sg_text *out, const struct sg_comparison *comparison);
/* why the comparison may not be trusted; "": no reason */
const char *sg_integrity_warning(const struct sg_report_input *input);
/* The commit of the kernels that the accepted number was measured with; "": not known. Borrowed. */
const char *sg_accepted_commit(const struct sg_accepted_file *accepted,
                               const struct sg_finding *finding);
