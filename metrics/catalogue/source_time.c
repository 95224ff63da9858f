/* The time pass: time, time_ratio, sm_clock. */
#include "catalogue/source.h"

const struct sg_source sg_source_time = {.word = "time"};
