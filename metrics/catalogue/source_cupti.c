/* Hardware counters by their CUPTI names, counted by the device. */
#include <math.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "catalogue/source.h"

/* Without a rollup CUPTI finds the name but refuses to count it. */
static const char *expects(const char *key)
{
    return strchr(key, '.') ? NULL : "a CUPTI metric with its rollup (name.sum) or 'absent'";
}

static void collect(const struct sg_collection *from, const struct sg_metric *metric,
                    struct sg_counted *out)
{
    *out = *from->counted;
    /* CUPTI subtracts hardware counters of different replays: noise around 0 can be negative. */
    if (out->value < 0 && out->value >= -metric->floor)
        out->value = 0;
    if (out->status == SG_OK && !(isfinite(out->value) && out->value >= 0))
        sg_counted_fail(out, SG_NAN, "counted as %g, which is not a count", out->value);
}

const struct sg_source sg_source_cupti = {.word = "cupti",
                                          .is_counted = true,
                                          .of_device = true,
                                          .by_chip = true,
                                          .expects = expects,
                                          .collect = collect};
