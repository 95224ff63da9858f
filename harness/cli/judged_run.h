/*
 * cli/judged_run.h - a run, the accepted numbers of its GPU and suite, and their comparison.
 *
 * Invariant: after a failure all is empty.
 */
#pragma once

#include "baseline/load.h"
#include "compare/compare.h"
#include "reports/report.h"

struct sg_judged_run {
    struct sg_against against;
    struct sg_refusals refusals;
    struct sg_comparison comparison;
};
struct sg_judge_request {
    struct sg_against_sides sides;
    const struct sg_filters *filters;
    struct sg_catalogue *catalogue;
    const struct sg_night_terms *night; /* as in sg_compare_input */
};

/* Fails as sg_against_load and sg_compare do. SG_UNDECLARED if the run cannot be compared and a
 * variant is not as declared. */
enum sg_code sg_judge_run(const struct sg_judge_request *request, struct sg_judged_run *judged,
                          struct sg_err *err);
/* Compares a loaded run, and invalidates its physically impossible values. */
enum sg_code sg_judge_against(const struct sg_judge_request *request,
                              const struct sg_accepted_file *accepted, struct sg_judged_run *judged,
                              struct sg_err *err);

/* Prints both sides side by side, without a verdict, also those of two GPU models. `top`: the items
 * that gain least; 0: all. `spec` as in sg_sol_table_make. */
enum sg_code sg_print_side_by_side(const struct sg_judge_request *request, const char *spec,
                                   size_t top, const struct sg_format *format, struct sg_err *err);

/* Input of a format; all borrowed. */
struct sg_report_input sg_judged_report(const struct sg_judged_run *judged,
                                        const struct sg_judge_request *request);

/* Checks that `run` is a whole run of this suite. */
enum sg_code sg_check_whole_run(const char *run, const char *suite, struct sg_err *err);
