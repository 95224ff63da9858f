/*
 * model/l2_check.h - was the L2 as the suite declares it? The counters of
 * a launch say what came from DRAM.
 *
 * With a cold or clean L2 every compulsory byte is read from DRAM once; with a warm one, and
 * a problem that fits, next to none is. A share that contradicts the declaration makes the
 * times of that row invalid: the state was not what it is said to be, or the kernel skips
 * work. Pure. Small problems are not judged: a few KiB of code and parameters drown them, and
 * inputs that a kernel asked to keep (`L2::evict_last`) outlive a flush. Such inputs were 0.2
 * of 1.25 MiB and 0.11 of 36 MiB of honest variants (baselines/h200/grouped.csv); the bounds
 * leave room for those and little more.
 */
#pragma once

#include "results/l2_state.h"

#define SG_L2_JUDGED_MIN_BYTES 1572864.0 /* compulsory reads below this are not judged */
#define SG_L2_COLD_MIN_SHARE   0.88      /* of the compulsory reads, from DRAM; of a clean L2 too */
#define SG_L2_WARM_MAX_SHARE   0.5

struct sg_l2_evidence {
    enum sg_l2 declared;
    double dram_read_bytes; /* counted; NaN: not known */
    double read_bytes;      /* compulsory */
    double write_bytes;     /* compulsory */
    double l2_bytes;        /* of the GPU; NaN: not known */
};

enum sg_l2_finding {
    SG_L2_NOT_JUDGED, /* too small, not counted, or too large to stay in a warm L2 */
    SG_L2_AS_DECLARED,
    SG_L2_CONTRADICTED,
};

/* *share: DRAM reads over compulsory reads, ratio; set unless not judged. */
enum sg_l2_finding sg_l2_judge(const struct sg_l2_evidence *evidence, double *share);
