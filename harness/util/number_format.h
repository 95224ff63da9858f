/*
 * util/number_format.h - formats numbers: scaled, rounded, with their unit. All rounding of
 * displayed numbers is here.
 */
#pragma once

#include "util/text.h"

/* For people: "45.65 us", "+8.1 %", "1.23 TB/s"; only significant digits. */
void sg_add_time(struct sg_text *out, double ns);
void sg_add_change(struct sg_text *out, double ratio_minus_1);
void sg_add_rate(struct sg_text *out, double per_second, const char *unit);
void sg_add_gap(struct sg_text *out, double ratio); /* "1.28x": how many times the limit */
void sg_add_value(struct sg_text *out, double value, const char *unit);
/* Only the significant digits of a difference; large values as in sg_add_value. */
void sg_add_rough(struct sg_text *out, double value, int digits, const char *unit);
/* For machines: the output of %.9g at a fraction of its cost; NaN is an empty field. */
void sg_add_exactly(struct sg_text *out, double value);
