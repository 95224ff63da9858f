/*
 * worker/error_report.h - the signature of an output that is wrong
 * (results/error_signature.h), made from host copies. Costs nothing where nothing is wrong: it
 * is asked for behind the judgement.
 */
#ifndef SG_WORKER_ERROR_REPORT_H
#define SG_WORKER_ERROR_REPORT_H

#include "results/error_signature.h"
#include "util/names.h"
#include "worker/output_check.h"

struct sg_error_report {
    struct sg_error_signature line; /* `hold` is not known yet; count 0: there is none */
    bool firm;                      /* worker/error_place.h: other inputs may give the same place */
};

/* Of an output that came to `status`; `wrong` names all outputs that are. */
void sg_error_report_check(const struct sg_check *check, const struct sg_output_difference *difference, enum sg_status status,
                           const struct sg_names *wrong, struct sg_error_report *report);

/* Of an output whose bits are not those of the first launch; `inputs` says which repeat it is. */
void sg_error_report_repeat(const struct sg_buffer *buffer, const void *first, const void *got, const char *inputs,
                            struct sg_error_report *report);

/* Is it the same place, and would it be found again? */
bool sg_error_report_agrees(const struct sg_error_report *a, const struct sg_error_report *b);

#endif
