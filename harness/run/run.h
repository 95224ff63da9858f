/*
 * run/run.h - `solgate run`: a suite's plan, executed into a folder.
 */
#pragma once

#include "run/run_plan.h"

struct sg_run_outcome {
    struct sg_text folder;  /* where the run is; "": it did not come to its end */
    struct sg_text summary; /* for people: what is not as declared, and how many items there are */
    struct sg_text checked; /* of that, the line of the timed launches, and that of which rows are timed */
    int exit_code;          /* 5 when a variant is not what it is declared to be, 3 when something is not measured or not valid, else 0 */
};

enum sg_code sg_run_suite(const struct sg_run_options *options, struct sg_run_outcome *outcome, struct sg_err *err);
void sg_run_outcome_release(struct sg_run_outcome *outcome);
