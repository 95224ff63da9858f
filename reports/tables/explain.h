/*
 * reports/tables/explain.h - the document of `solgate explain`: two variants side by side, or one
 * variant by itself.
 */
#pragma once

#include "diagnose/diagnose.h"
#include "reports/sheet.h"
#include "diagnose/where.h"

/* Adds "FAMILY/CASE: VARIANT against AGAINST, time +8.1 %". */
void sg_add_explain_headline(struct sg_document *document, const struct sg_diagnosed *what,
                             const char *against);
/* `limits`: only the variant, where its cycles are, and how busy its units. `verbose`: with the
 * meaning of each counter. */
void sg_add_explanation(struct sg_document *document, const struct sg_diagnosed *what, bool limits,
                        bool verbose);
/* Adds at which instructions the two spend their time, and what they wait for. `name`: family, case
 * and variant of each side; NULL: only the second side. */
void sg_add_where(struct sg_document *document, const struct sg_diagnosed *what,
                  const char *const *const name[SG_WHERE_SIDES], struct sg_pc_samples *samples);
