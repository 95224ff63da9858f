/*
 * util/csv_fields.h - parses one field of a CSV row, for readers without a field table
 * (util/record.h).
 *
 * Every error is SG_BAD_INPUT "column: expected ..., found '...'" without a file and line. A caller
 * that knows the line adds it (sg_fail_here).
 */
#pragma once

#include "util/record.h"

enum sg_code sg_field_name(const char *column, const char *field, struct sg_err *err);
/* A number; nan only if `nan_allowed`. */
enum sg_code sg_field_number(const char *column, const char *field, bool nan_allowed, double *out,
                             struct sg_err *err);
