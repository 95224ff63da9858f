/* Exact facts of a launch and of its kernels: fields of struct sg_launch_facts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "catalogue/catalogue.h"

static const char *expects(const char *key)
{
    return sg_launch_fact(NULL, key, NULL) ? NULL : "a field of struct sg_launch_facts";
}

/* Adds details to the number: the kernels, notes or limit. */
static void add_words(const struct sg_launch_facts *facts, const char *key, struct sg_counted *out)
{
    if (strcmp(key, "occupancy_theoretical") == 0 && facts->occupancy_limit)
        snprintf(out->message, sizeof(out->message), "limited by %s", facts->occupancy_limit);
    if (strcmp(key, "notes") == 0)
        snprintf(out->message, sizeof(out->message), "%s", facts->note_codes);
    if (strcmp(key, "kernels") == 0)
        snprintf(out->message, sizeof(out->message), "%s", facts->kernel_names);
}

static void collect(const struct sg_collection *from, const struct sg_metric *metric,
                    struct sg_counted *out)
{
    const char *key = sg_metric_key(metric, "*");
    *out = (struct sg_counted){.status = SG_OK};
    sg_launch_fact(from->facts, key, &out->value);
    if (from->facts->kernels == 0) /* an unseen launch has 0 kernels */
        sg_counted_fail(out, SG_UNAVAILABLE, "no kernel was seen: those of a CUDA graph are not");
    else if (isnan(out->value))
        sg_counted_fail(out, SG_UNAVAILABLE,
                        "neither the launch nor the build of its kernels has it");
    else
        add_words(from->facts, key, out);
}

const struct sg_source sg_source_launch = {.word = "launch",
                                           .is_counted = true,
                                           .is_constant = true,
                                           .expects = expects,
                                           .collect = collect};
