/* Metrics computed from others, by the function of their key. */
#include <math.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "util/text.h"

/* Missing inputs are NaN. A NaN result means not known, or 0 / 0. */
struct derivation {
    const char *key;
    const char *inputs[SG_SOURCE_INPUTS + 1]; /* names of the inputs; NULL-terminated */
    double (*compute)(const double *inputs);
};

/* 0 / 0 is NaN on purpose: a kernel without requests has no sectors per request. */
static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double sum_of_two(const double *inputs)
{
    return inputs[0] + inputs[1];
}

static double first_over_second(const double *inputs)
{
    return ratio(inputs[0], inputs[1]);
}

static double first_two_over_last_two(const double *inputs)
{
    return ratio(inputs[0] + inputs[1], inputs[2] + inputs[3]);
}

static const struct derivation table[] = {
    {"sum_dram_bytes", {"dram_read_bytes", "dram_write_bytes"}, sum_of_two},
    {"global_load_sectors_per_request",
     {"global_load_sectors", "global_load_requests"},
     first_over_second},
    {"global_store_sectors_per_request",
     {"global_store_sectors", "global_store_requests"},
     first_over_second},
    {"shared_conflicts_per_wavefront",
     {"shared_load_conflicts", "shared_store_conflicts", "shared_load_wavefronts",
      "shared_store_wavefronts"},
     first_two_over_last_two},
};

static const struct derivation *find(const char *key)
{
    return SG_FIND(table, sizeof(table) / sizeof(table[0]), key, key);
}

static const char *expects(const char *key)
{
    return find(key) ? NULL : "the key of a function in metrics/catalogue/source_derived.c";
}

static const char *const *inputs(const char *key)
{
    return find(key)->inputs;
}

static void collect(const struct sg_collection *from, const struct sg_metric *metric,
                    struct sg_counted *out)
{
    const struct derivation *derivation = find(sg_metric_key(metric, "*"));
    *out = (struct sg_counted){.value = derivation->compute(from->inputs), .status = SG_OK};
    if (isfinite(out->value))
        return;
    for (size_t i = 0; derivation->inputs[i]; i++)
        if (isnan(from->inputs[i])) {
            sg_counted_fail(out, SG_UNAVAILABLE, "computed from %s, which is not there",
                            derivation->inputs[i]);
            return;
        }
    /* 0 / 0 is reported differently from a missing input. */
    sg_counted_fail(out, SG_NAN, isinf(out->value) ? "something over zero" : "zero over zero");
}

const struct sg_source sg_source_derived = {.word = "derived",
                                            .is_counted = true,
                                            .expects = expects,
                                            .inputs = inputs,
                                            .collect = collect};
