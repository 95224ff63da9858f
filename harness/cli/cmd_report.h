/* cli/cmd_report.h - writes the report of `solgate report`, for other commands too. */
#pragma once

#include "compare/compare.h"
#include "util/names.h"

struct sg_report_request {
    struct sg_names runs; /* the first is the subject */
    const char *baseline; /* NULL: chosen by each run's GPU and suite */
    const char *out;
    const char *note;                   /* NULL: none */
    struct sg_report_history *history;  /* of the subject; NULL: no history */
    const char *spec;                   /* NULL: from each run's GPU */
    const struct sg_night_terms *night; /* NULL: not a nightly run */
    struct sg_filters filters;
    bool tables_only;
    bool gates;              /* the caller exits with the verdict */
    struct sg_text *verdict; /* gets the first lines of the subject's verdict; NULL: not wanted */
    int exit_code;           /* set if there is a verdict */
};

/* Returns whether the report was written. Even then err may have an error: a variant that is not as
 * declared, or physically impossible values. */
bool sg_report_make(struct sg_report_request *request, struct sg_err *err);
