/*
 * util/csv_fields.h - one field of a row of CSV into what it stands for,
 * or a sentence that says why not.
 *
 * Every complaint is SG_BAD_INPUT "column: expected ..., found '...'" with no place in it; a caller
 * that has the line adds it (sg_fail_here).
 */
#pragma once

#include "util/err.h"

enum sg_code sg_field_fail(const char *column, const char *expected, const char *found, struct sg_err *err);
enum sg_code sg_field_name(const char *column, const char *field, struct sg_err *err);
/* A number, or nan where that is allowed. */
enum sg_code sg_field_number(const char *column, const char *field, bool nan_allowed, double *out, struct sg_err *err);
