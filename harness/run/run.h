/* run/run.h - `solgate run`: a suite's plan, executed into a folder. */
#pragma once

#include "run/run_plan.h"

struct sg_run_outcome {
    struct sg_text folder;  /* path of the run; "": not finished */
    struct sg_text summary; /* for people: items with an unexpected outcome, and counts */
    struct sg_text checked; /* parts of the summary: checked launches; the choice of timed rows */
    bool is_empty;          /* the suite has no case in these shards */
    int exit_code;          /* 5: undeclared outcome; 3: not measured or invalid; or 0 */
};

enum sg_code sg_run_suite(const struct sg_run_options *options, struct sg_run_outcome *outcome,
                          struct sg_err *err);
/* Could a run in this folder, finished or not, be resumed with these options? */
enum sg_code sg_run_check_resumed(const struct sg_run_options *options, const char *folder,
                                  struct sg_err *err);
/* The outcome of a merged run of the plan, as if the plan had been executed here. */
enum sg_code sg_run_summarize(const struct sg_run_options *options, const struct sg_run_plan *plan,
                              const char *folder, struct sg_run_outcome *outcome,
                              struct sg_err *err);
