/*
 * model/l2_check.h - checks the L2 state declared by the suite against the DRAM reads of a launch.
 *
 * With a cold or clean L2 every compulsory byte is read from DRAM once. With a warm L2 and a
 * problem that fits, almost no byte is. A share that contradicts the declaration makes the times of
 * the row invalid: the L2 had another state, or the kernel skips work. Pure. Small problems are not
 * judged: a few KiB of code and parameters dominate, and inputs that a kernel asked to keep
 * (`L2::evict_last`) survive a flush. Such inputs were 0.2 of 1.25 MiB and 0.11 of 36 MiB of honest
 * variants (baselines/grouped.csv); the bounds allow little more than that.
 */
#pragma once

#include "results/l2_state.h"

#define SG_L2_JUDGED_MIN_BYTES 1572864.0 /* fewer compulsory reads are not judged */
/* share of compulsory reads that come from DRAM; also for a clean L2 */
#define SG_L2_COLD_MIN_SHARE 0.88
#define SG_L2_WARM_MAX_SHARE 0.5

struct sg_l2_evidence {
    enum sg_l2 declared;
    double dram_read_bytes; /* counted; NaN: not known */
    double read_bytes;      /* compulsory */
    double write_bytes;     /* compulsory */
    double l2_bytes;        /* L2 of the GPU; NaN: not known */
};

enum sg_l2_finding {
    SG_L2_NOT_JUDGED, /* too small, not counted, or too large for a warm L2 */
    SG_L2_AS_DECLARED,
    SG_L2_CONTRADICTED,
};

/* *share: DRAM reads over compulsory reads, ratio; set unless the result is SG_L2_NOT_JUDGED. */
enum sg_l2_finding sg_l2_judge(const struct sg_l2_evidence *evidence, double *share);
