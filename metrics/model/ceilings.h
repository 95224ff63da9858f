/*
 * model/ceilings.h - measured ceilings of a GPU: bytes per second of a DRAM copy, flop per second
 * of dense products by number format, and the launch floor. The launch floor is the time of a
 * kernel with almost no work.
 *
 * The file is baselines/<gpu>/<gpu_uuid_hash>/ceilings.csv for one card, or
 * baselines/<gpu>/ceilings.csv for its model (docs/formats.md). `solgate doctor --ceilings` writes
 * it, and every gap table finds it. Invariant: 0 means not measured; other values are finite and
 * positive, and come from a correct variant in a valid run. A warm L2 gives no DRAM ceiling.
 */
#pragma once

#include "results/env.h"
#include "results/l2_state.h"
#include "results/table.h"

struct sg_gap; /* model/roofline.h */

#define SG_CEILINGS_FILE  "ceilings.csv"
#define SG_CEILING_COUNT  (2 + SG_DTYPE_COUNT) /* DRAM, the number formats, the launch floor */
#define SG_CEILING_LAUNCH (1 + SG_DTYPE_COUNT)
/* work that takes less than this at the peaks adds nothing to an empty launch */
#define SG_LAUNCH_WORK_NS 1.0

struct sg_ceilings {
    double dram_bytes_per_s;
    double flop_per_s[SG_DTYPE_COUNT];
    double launch_ns; /* shortest launch */
    /* owned; FAMILY/CASE/VARIANT that reached the ceiling; NULL: not measured */
    char *from[SG_CEILING_COUNT];
    enum sg_l2 l2; /* L2 state of the run; undefined without ceilings */
    /* owned; facts of the run; NULL without ceilings, "" if not known */
    char *gpu, *gpu_name, *gpu_uuid_hash, *driver, *date;
    char *path; /* owned; source file as displayed; NULL: not from a file */
};

/* Ceiling i of SG_CEILING_COUNT: its word in files, its unit, its value. */
const char *sg_ceiling_word(size_t i);
const char *sg_ceiling_unit(size_t i);
double *sg_ceiling_value(struct sg_ceilings *ceilings, size_t i);
bool sg_ceilings_any(const struct sg_ceilings *ceilings);

/* For each resource, takes the highest rate that a variant limited by it (at the peaks) reached
 * in a run; no DRAM rate with a warm L2. The launch floor is the shortest time with less work
 * than SG_LAUNCH_WORK_NS. SG_INVALID if a time is impossible (model/refusals.h) or nothing was
 * measured. SG_BAD_INPUT if the run does not state its GPU and L2 state. */
enum sg_code sg_ceilings_of_gaps(const struct sg_gap *gaps, size_t count, const struct sg_env *env,
                                 struct sg_ceilings *ceilings, struct sg_err *err);

/* Refuses, with path and line, an unknown ceiling, a wrong unit or value, and a ceiling that is
 * given twice. Refuses two GPUs or two L2 states in a file, and a DRAM rate with a warm L2. */
enum sg_code sg_ceilings_read(const char *path, struct sg_ceilings *ceilings, struct sg_err *err);
enum sg_code sg_ceilings_write(const char *path, const struct sg_ceilings *ceilings,
                               struct sg_err *err);

/* Appends the path of a model's ceilings in a folder of results/accepted_place.h, or of one
 * card's: `unit` is its gpu_uuid_hash, NULL for the model. */
void sg_ceilings_place(const char *folder, const char *gpu, const char *unit, struct sg_text *path);
/* Finds the ceilings for a run judged by the spec `gpu`: of the run's card if it is of that
 * model and has ceilings, otherwise of the model. Having none is not an error. Uses the first
 * folder that has either. */
enum sg_code sg_ceilings_find(const struct sg_env *env, const char *gpu,
                              struct sg_ceilings *ceilings, struct sg_err *err);
