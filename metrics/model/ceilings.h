/*
 * model/ceilings.h - what was measured of a GPU's peaks: bytes a second of a copy in DRAM,
 * flop a second of dense products by number format; and the launch floor, the time of a
 * kernel that has next to no work.
 *
 * A file of them is baselines/<gpu>/<gpu_uuid_hash>/ceilings.csv of one GPU, or
 * baselines/<gpu>/ceilings.csv of its model (docs/formats.md); `solgate doctor --ceilings` writes
 * one, and every gap table finds it. Invariant: 0 is a ceiling that was not measured; the others
 * are finite, over 0, and were reached by a variant that was right, in a run that may be believed;
 * with a warm L2 there is none of DRAM.
 */
#pragma once

#include "results/env.h"
#include "results/l2_state.h"
#include "results/table.h"

struct sg_gap; /* model/roofline.h */

#define SG_CEILINGS_FILE   "ceilings.csv"
#define SG_CEILINGS_HEADER "ceiling,unit,value,from,l2,gpu,gpu_name,gpu_uuid_hash,driver,date"
#define SG_CEILING_COUNT   (2 + SG_DTYPE_COUNT) /* DRAM, the number formats, the launch floor */
#define SG_CEILING_LAUNCH  (1 + SG_DTYPE_COUNT)
#define SG_LAUNCH_WORK_NS  1.0 /* work of less time at the peaks: its variant takes as long as a launch */

struct sg_ceilings {
    double dram_bytes_per_s;
    double flop_per_s[SG_DTYPE_COUNT];
    double launch_ns;                                     /* the shortest launch */
    char *from[SG_CEILING_COUNT];                         /* owned; FAMILY/CASE/VARIANT that reached it; NULL: not measured */
    enum sg_l2 l2;                                        /* state of the L2 in the run; means nothing when there are no ceilings */
    char *gpu, *gpu_name, *gpu_uuid_hash, *driver, *date; /* owned; of the run; NULL when there are no ceilings, "" when it does not say */
    char *path;                                           /* owned; where they come from, as it is shown; NULL: not of a file */
};

void sg_ceilings_release(struct sg_ceilings *ceilings);
/* Ceiling i of SG_CEILING_COUNT: its word in files, its unit, its place. */
const char *sg_ceiling_word(size_t i);
const char *sg_ceiling_unit(size_t i);
double *sg_ceiling_value(struct sg_ceilings *ceilings, size_t i);
/* Was any measured? */
bool sg_ceilings_any(const struct sg_ceilings *ceilings);

/*
 * The highest rate that any variant of a run reached of what binds it at the peaks; with a warm L2
 * none of DRAM. The launch floor is the shortest time of those with work of less than
 * SG_LAUNCH_WORK_NS. SG_INVALID when something in it cannot be (model/refusals.h) or when nothing
 * was measured; SG_BAD_INPUT when the run does not name its GPU and the state of its L2.
 */
enum sg_code sg_ceilings_of_gaps(const struct sg_gap *gaps, size_t count, const struct sg_env *env, struct sg_ceilings *ceilings,
                                 struct sg_err *err);

/*
 * SG_BAD_INPUT with path and line: an unknown ceiling, another unit, a value that is none, one that
 * is there twice, two GPUs, two states of the L2, DRAM with a warm one.
 */
enum sg_code sg_ceilings_read(const char *path, struct sg_ceilings *ceilings, struct sg_err *err);
enum sg_code sg_ceilings_write(const char *path, const struct sg_ceilings *ceilings, struct sg_err *err);

/* Appends where those of a model are in a folder of results/accepted_place.h, or of one GPU: `unit`
 * is its gpu_uuid_hash, NULL for the model's. */
void sg_ceilings_place(const char *folder, const char *gpu, const char *unit, struct sg_text *path);
/*
 * Those that hold for a run judged by the spec `gpu`: of the run's own GPU where it is
 * of that model and there are some, else of the model, else none, which is no error. Of
 * the first folder that has either.
 */
enum sg_code sg_ceilings_find(const struct sg_env *env, const char *gpu, struct sg_ceilings *ceilings, struct sg_err *err);
