/*
 * null/faster - right, 5 % faster than the baseline.
 */
#include "null.h"

SG_VARIANT(null, faster) = {
    .summary = "right, 5 % faster",
    .deterministic = true,
    .launch = null_launch,
};
