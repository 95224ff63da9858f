/*
 * cli/explain_where.h - `solgate explain --where`: at which instructions two variants of a run
 * spend their time, and what they wait for, side by side.
 */
#pragma once

#include "diagnose/diagnose.h"
#include "reports/sheet.h"
#include "results/run_reader.h"

/* Shows one side if both sides of `what` are the same variant. Errors of sg_where_collect. */
enum sg_code sg_add_where(struct sg_document *document, const struct sg_run *run,
                          const struct sg_diagnosed *what, struct sg_err *err);
