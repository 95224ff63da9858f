/*
 * exec/counters.h - which counters a program's kernels are asked for.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "util/names.h"
#include "util/text.h"

#define SG_ONE_PASS "quick" /* the group that is asked for by --metrics alone */

struct sg_exec_counters {
    const struct sg_metric **metrics; /* owned list, of the catalogue; in the order in which they are asked for */
    size_t count;
    struct sg_text names; /* owned: CUPTI's, with commas between */
};
void sg_exec_counters_release(struct sg_exec_counters *counters);

/* Those of the groups and metrics that CUPTI counts on that GPU. SG_BAD_INPUT names what is
 * unknown, or that none is left. */
enum sg_code sg_exec_counters_choose(struct sg_exec_counters *counters, struct sg_catalogue *catalogue, const struct sg_names *asked,
                                     const char *gpu_name, struct sg_err *err);
