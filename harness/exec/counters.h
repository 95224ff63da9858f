/* exec/counters.h - which counters are requested for a program's kernels. */
#pragma once

#include "catalogue/catalogue.h"
#include "util/names.h"
#include "util/text.h"

#define SG_ONE_PASS "quick" /* the group that a bare --metrics requests */

struct sg_exec_counters {
    const struct sg_metric **metrics; /* owned list of catalogue entries, in order of request */
    size_t count;
    struct sg_text names; /* owned: CUPTI's names, separated by commas */
};

/* Selects the metrics of the given groups and names that CUPTI counts on the GPU. SG_BAD_INPUT
 * names an unknown name, or reports that no metric is left. */
enum sg_code sg_exec_counters_choose(struct sg_exec_counters *counters,
                                     struct sg_catalogue *catalogue, const struct sg_names *asked,
                                     const char *gpu_name, struct sg_err *err);
