/*
 * schedule/merge_env.h - the facts of a merged run, from the facts of its parts.
 *
 * Pure. A fact must be equal in all parts that have it, unless the table of merge_env.c says
 * otherwise.
 */
#pragma once

#include "results/env.h"
#include "results/shards.h"

struct sg_merge_part {
    const char *path; /* borrowed */
    struct sg_env env;
    struct sg_shards shards;
};

/* SG_NOT_COMPARABLE: a fact differs; the message has both values and both parts. */
enum sg_code sg_merge_env(const struct sg_merge_part *parts, size_t count, struct sg_env *env,
                          struct sg_err *err);
