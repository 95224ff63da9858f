/*
 * cli/explain_where.h - `solgate explain --where`: at which instructions two variants of a run
 * spend their time, side by side, and what for.
 */
#pragma once

#include "diagnose/diagnose.h"
#include "reports/sheet.h"
#include "results/run_reader.h"

/* Where both sides of `what` are one variant, that alone. Errors of sg_where_collect. */
enum sg_code sg_add_where(struct sg_document *document, const struct sg_run *run, const struct sg_diagnosed *what, struct sg_err *err);
