/*
 * cli/cmd_report.h - the report of `solgate report`, for a command that ends with it.
 */
#pragma once

#include "compare/compare.h"
#include "util/names.h"

struct sg_report_request {
    struct sg_names runs; /* the first is the subject */
    const char *baseline; /* NULL: the one of each run's gpu and suite */
    const char *out;
    const char *note;                   /* NULL: none */
    struct sg_report_history *history;  /* of the subject; NULL: no history was looked at */
    const char *spec;                   /* NULL: of each run's gpu */
    const struct sg_night_terms *night; /* NULL: not of a night */
    struct sg_filters filters;
    bool tables_only;
    struct sg_text *verdict; /* gets that of the subject, in a sentence; NULL: it is not asked for */
};

/* Was it written? err may hold one thing more: a variant that is not as declared, or a
 * time or counters that cannot be. */
bool sg_report_make(const struct sg_report_request *request, struct sg_err *err);
