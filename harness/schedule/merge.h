/*
 * schedule/merge.h - joins the parts of a suite (run --shard) to one run.
 *
 * Parts of other code, terms, seed, model or driver are SG_NOT_COMPARABLE with both values; so are
 * parts of another number of shards, and two parts with one shard. A part that is missing, broken
 * or unfinished is SG_INVALID with its path. Invariant: the files of the merged run do not depend
 * on the order of the parts. Its env.csv is written last.
 */
#pragma once

#include "results/shards.h"
#include "results/table.h"
#include "results/units.h"
#include "util/names.h"

struct sg_merge_request {
    const struct sg_names *parts; /* their folders */
    const char *folder;           /* of the merged run; exists */
    const struct sg_shards *part; /* what of the suite the run is; NULL or none: all of it */
    const struct sg_units *lost;  /* GPUs that left the run; NULL: none */
    const struct sg_table
        *missing; /* rows of items that no part has; NULL: a row a shard is made */
};
struct sg_merged {
    size_t items, units;
    struct sg_text missing; /* the missing shards, I,J/N; "": none */
};

enum sg_code sg_merge(const struct sg_merge_request *request, struct sg_merged *merged,
                      struct sg_err *err);
