/*
 * worker/error_report.h - describes in one line how an output is wrong (results/error_signature.h),
 * from host copies: the number of wrong elements, the worst or first of them, and their place.
 *
 * The place is whole rows or columns, the tail of the output, or a block, if at least 90 % of that
 * is wrong; a wrong tile may have some correct elements by chance. Otherwise they are scattered.
 */
#pragma once

#include "results/error_signature.h"
#include "util/names.h"
#include "worker/output_check.h"

/* Describes an output that was judged `status`; `wrong` names all wrong outputs. */
void sg_error_report_check(const struct sg_check *check,
                           const struct sg_output_difference *difference, enum sg_status status,
                           const struct sg_names *wrong, struct sg_error_signature *line);

/* Describes an output whose bits differ from the first launch; `inputs` names the repeat.
 * `elements` is 0 if all elements agree: the unused half of a packed last byte does not count. */
void sg_error_report_repeat(const struct sg_buffer *buffer, const void *first, const void *got,
                            const char *inputs, struct sg_error_signature *line);
