/*
 * null/noisy - right and as fast as the baseline, but each launch varies by 5 %: hard to decide.
 */
#include "faults.h"

NULL_RIGHT(noisy, .summary = "right, launches vary by 5 %");
