/*
 * cli/measure_ceilings.h - `solgate doctor --ceilings`: a run of the suite `ceiling`, and the best
 * rates in it written to where gap tables look.
 *
 * Invariant: what is written comes from a finished run of all of that suite that may be believed,
 * whose folder stays; nothing is written otherwise.
 */
#pragma once

#include "reports/report.h"

struct sg_ceilings_request {
    const char *suite; /* name or path of the suite to run, or that `from` must be of; NULL: `ceiling` */
    const char *out;   /* folder of the run; NULL: out/ceiling-<date> */
    const char *from;  /* a finished run to take instead of measuring; NULL: measure */
    uint64_t gpu;      /* number of the GPU, as the driver counts */
    bool of_model;     /* for every GPU of its model, not for this one only */
};

/*
 * Prints what was reached and where it was written. *exit_code: 5 when a variant of the run should
 * be right and is not, and what is written may be too low for it. SG_NO_GPU; SG_INVALID when the
 * run may not be believed; SG_BAD_INPUT when it is of another suite, lacks a part of it, or does
 * not say which GPU it was of, unless all of the model is meant or its times are simulated.
 */
enum sg_code sg_ceilings_measure(const struct sg_ceilings_request *request, const struct sg_format *format, int *exit_code,
                                 struct sg_err *err);
