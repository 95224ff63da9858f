/*
 * null/noisy - right and as fast as the baseline, but each launch varies by 5 %: hard to decide.
 */
#include "null.h"

SG_VARIANT(null, noisy) = {
    .summary = "right, launches vary by 5 %",
    .deterministic = true,
    .launch = null_launch,
};
