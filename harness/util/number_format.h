/*
 * util/number_format.h - numbers in words: scaled, rounded, with their unit. Nothing else in
 * solgate rounds a number that is shown.
 */
#pragma once

#include "util/text.h"

/* For people: "45.65 us", "+8.1 %", "1.23 TB/s"; never more digits than carry meaning. */
void sg_add_time(struct sg_text *out, double ns);
/* The unit that sg_add_time shows a time in, where several are to be shown in one. */
struct sg_scale {
    double factor; /* of the unit, in the base unit: 1000 of us */
    const char *unit;
};
const struct sg_scale *sg_time_scale(double ns);
void sg_add_change(struct sg_text *out, double ratio_minus_1);
void sg_add_rate(struct sg_text *out, double per_second, const char *unit);
void sg_add_gap(struct sg_text *out, double ratio); /* "1.28x": how many times the limit */
void sg_add_value(struct sg_text *out, double value, const char *unit);
/* As many digits as a difference carries; large ones as every other value. */
void sg_add_rough(struct sg_text *out, double value, int digits, const char *unit);
/* For machines: what %.9g prints, at a fraction of its cost; not a number is an empty field. */
void sg_add_exactly(struct sg_text *out, double value);
