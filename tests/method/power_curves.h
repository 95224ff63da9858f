/* power_curves.h - what the two halves of power_curves share. */
#ifndef POWER_CURVES_H
#define POWER_CURVES_H

#include "other_rules_tally.h"

/* The rules on real series: tests/data/h200_series. */
enum sg_code measured_print(const char *paired_path, const char *launches_path, struct sg_err *err);

#endif
