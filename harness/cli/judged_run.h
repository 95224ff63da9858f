/*
 * cli/judged_run.h - a run, what is accepted of its GPU and suite,
 * and what comes of comparing them.
 *
 * Invariant: after a failure there is nothing to release, and releasing is harmless.
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
    const char *run, *baseline; /* baseline NULL: the one of the run's GPU and suite */
    const struct sg_filters *filters;
    struct sg_catalogue *catalogue;
    const struct sg_night_terms *night; /* as in sg_compare_input */
};

/* Fails as sg_against_load and sg_compare do; SG_UNDECLARED for what cannot be compared and has a
 * variant that is not as declared. */
enum sg_code sg_judge_run(const struct sg_judge_request *request, struct sg_judged_run *judged, struct sg_err *err);
/* The comparison of a run that is loaded, with its refusals. */
enum sg_code sg_judge_against(const struct sg_judge_request *request, const struct sg_accepted_file *accepted, struct sg_judged_run *judged,
                              struct sg_err *err);
void sg_judged_run_release(struct sg_judged_run *judged);

/* What a format is handed; everything borrowed. */
struct sg_report_input sg_judged_report(const struct sg_judged_run *judged, const struct sg_judge_request *request);
/* What `baseline accept` needs beside run.csv. */
bool sg_run_lacks_samples(const struct sg_run *run);
