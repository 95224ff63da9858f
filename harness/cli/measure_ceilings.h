/*
 * cli/measure_ceilings.h - `solgate doctor --ceilings`: runs the suite `ceiling` and stores its
 * best rates where gap tables look for them.
 *
 * Invariant: only a complete and valid run of that suite is stored; the run's folder stays.
 */
#pragma once

#include "reports/report.h"

struct sg_ceilings_request {
    /* name or path of the suite to run, or to which `from` must belong; NULL: `ceiling` */
    const char *suite;
    const char *out;  /* folder of the run; NULL: out/ceiling-<date> */
    const char *from; /* an existing run to use instead of measuring; NULL: measure */
    uint64_t gpu;     /* GPU number, in the driver's order */
    bool of_model;    /* for every GPU of the model, not only for this one */
};

/*
 * Prints the ceilings and where they were written. *exit_code: 5 if a variant that should be
 * correct is wrong; then the ceilings may be too low.
 * SG_NO_GPU; SG_INVALID if the run is not valid; SG_BAD_INPUT if the run is of another suite, lacks
 * a part of it, or does not name its GPU, unless the ceilings are for the model or simulated.
 */
enum sg_code sg_ceilings_measure(const struct sg_ceilings_request *request,
                                 const struct sg_format *format, int *exit_code,
                                 struct sg_err *err);
