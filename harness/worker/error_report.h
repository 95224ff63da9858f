/*
 * worker/error_report.h - how an output is wrong, in one line (results/error_signature.h), made
 * from host copies: how many elements, the worst or first of them, and what they are confined to.
 *
 * That is whole rows or columns, the tail of the output, or a block, if at least 90 % of it is
 * wrong: some elements of a wrong tile are right by chance. Else they are scattered.
 */
#pragma once

#include "results/error_signature.h"
#include "util/names.h"
#include "worker/output_check.h"

/* Of an output that came to `status`; `wrong` names all outputs that are. */
void sg_error_report_check(const struct sg_check *check, const struct sg_output_difference *difference, enum sg_status status,
                           const struct sg_names *wrong, struct sg_error_signature *line);

/*
 * Of an output whose bits are not those of the first launch; `inputs` says which repeat it is. Its
 * `elements` are 0 where all elements agree: the spare half of a packed last byte is none.
 */
void sg_error_report_repeat(const struct sg_buffer *buffer, const void *first, const void *got, const char *inputs,
                            struct sg_error_signature *line);
