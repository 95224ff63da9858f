/*
 * results/unit_health.h - which GPUs are sick: compares each GPU with its siblings, the GPUs of
 * the same model (docs/fleet.md).
 *
 * Pure. The last reading of a GPU's drift references is compared with the median over its
 * siblings. A sibling's value is the median of its readings. Invariant: a GPU with fewer than
 * SG_SIBLINGS_LEAST siblings is never `slow`.
 */
#pragma once

#include "results/units.h"
#include "results/validity.h"

#define SG_SIBLINGS_LEAST 5
#define SG_HEALTH_SD      5.0  /* robust sd of the siblings that a slow GPU is off, at least */
#define SG_HEALTH_DROPPED 0.05 /* share of a GPU's processes; an unsteady GPU has more dropped */
#define SG_HEALTH_NIGHTS  14   /* days up to the last reading that count */

/* Faults of a GPU: constant, word, meaning. The worst last. */
#define SG_HEALTH_TABLE(X)                                                   \
    X(SG_HEALTHY, "ok", "as fast as its siblings")                           \
    X(SG_THIN, "thin", "it has fewer than five siblings, or no reading")     \
    X(SG_UNSTEADY_GPU, "unsteady", "over 5 % of its processes were dropped") \
    X(SG_SLOW_GPU, "slow", "slower than its siblings in a drift reference")  \
    X(SG_LOST_GPU, "lost", "it stopped answering in a run")
enum sg_health { SG_HEALTH_TABLE(SG_CONSTANT) SG_HEALTH_COUNT };
const char *sg_health_word(enum sg_health health);

struct sg_unit_health {
    struct sg_unit unit; /* as last read; processes, dropped and events of all its readings */
    size_t siblings;
    /* for each drift reference: last reading / median of the siblings - 1, and the relative robust
     * sd of the siblings; NaN: not known, or too few siblings */
    double change[SG_DRIFT_COUNT], sd[SG_DRIFT_COUNT];
    enum sg_health health;
};

/* Judges GPUs by what runs said of them, in any order. The result is sorted by model and name.
 * Readings older than SG_HEALTH_NIGHTS days before the newest of their model do not count. `gpus`
 * has room for `count`. Returns the number of GPUs. */
size_t sg_unit_health_of(const struct sg_unit *given, size_t count, struct sg_unit_health *gpus);
/* Appends "chain +1.97 %, copy +1.98 % relative to the median of 7 GPUs (sd 0.03 and 0.02 %)". */
void sg_unit_health_describe(const struct sg_unit_health *gpu, struct sg_text *out);
