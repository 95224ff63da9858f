#include "util/csv_fields.h"

#include "util/text.h"

enum sg_code sg_field_name(const char *column, const char *field, struct sg_err *err)
{
    return sg_is_name(field)
               ? SG_SUCCESS
               : sg_field_fail(column, "a name of [a-z0-9_], at most 63 bytes", field, err);
}

enum sg_code sg_field_number(const char *column, const char *field, bool nan_allowed, double *out,
                             struct sg_err *err)
{
    return sg_parse_double(field, nan_allowed, out) ? SG_SUCCESS
                                                    : sg_field_fail(column, "a number", field, err);
}
