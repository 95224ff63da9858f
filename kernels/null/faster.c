/*
 * null/faster - right, 5 % faster than the baseline.
 */
#include "faults.h"

NULL_RIGHT(faster, .summary = "right, 5 % faster");
