/*
 * null/slower_slightly - right, 0.25 % slower than the baseline:
 * below the usual tolerance of 0.5 %.
 */
#include "null.h"

SG_VARIANT(null, slower_slightly) = {
    .summary = "right, 0.25 % slower",
    .deterministic = true,
    .launch = null_launch,
};
