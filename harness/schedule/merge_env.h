/*
 * schedule/merge_env.h - the facts of a merged run, from the facts of its parts.
 *
 * Pure. A fact must be equal in all parts that have it, unless the table of merge_env.c says
 * otherwise.
 */
#pragma once

#include "results/env.h"
#include "util/names.h"

struct sg_merged_facts {
    struct sg_env *env;     /* the caller's */
    struct sg_names set_by; /* owned; per fact of `env`: the part that set it */
};

/* SG_NOT_COMPARABLE: a fact differs; the message has both values and the other part. */
enum sg_code sg_merged_facts_add(struct sg_merged_facts *facts, const struct sg_env *part,
                                 const char *path, struct sg_err *err);
/* Call after the last part. */
void sg_merged_facts_end(struct sg_merged_facts *facts);
