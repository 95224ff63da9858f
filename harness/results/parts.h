/*
 * results/parts.h - the parts that a run was merged from: parts.csv of a merged run
 * (docs/formats.md). The samples of a merged run stay in its parts.
 *
 * A part is named by its path relative to the folder of the run, so both can be moved together.
 */
#pragma once

#include "results/samples.h"
#include "util/record.h"

#define SG_PARTS_FILE "parts.csv"
/* of env.csv of a merged run: shards that no part has; absent: none */
#define SG_MISSING_SHARDS_KEY "missing_shards"
#define SG_UNFIT_METRIC       "unfit" /* row of an item in a merged run: why its times are invalid */

struct sg_part {
    const char *path;   /* relative to the folder of the merged run */
    const char *shard;  /* results/shards.h */
    const char *digest; /* of its env.csv */
};
extern const struct sg_record sg_part_record;

/* True if the batches of the run in this folder can be read, there or in its parts. */
bool sg_run_has_samples(const char *folder);
/* Adds the batches of a run: those of samples.csv, or of its parts. SG_INVALID with the path of a
 * part that is gone; SG_NOT_COMPARABLE: the part has changed since it was merged. */
enum sg_code sg_run_read_samples(const char *folder, struct sg_samples *samples,
                                 struct sg_err *err);
