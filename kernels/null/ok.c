/*
 * null/ok - right and deterministic: what the others are compared with.
 */
#include "null.h"

SG_VARIANT(null, ok) = {
    .summary = "right; the baseline",
    .role = SG_BASELINE,
    .deterministic = true,
    .launch = null_launch,
};
