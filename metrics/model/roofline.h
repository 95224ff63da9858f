/*
 * model/roofline.h - how far from the speed of light: the time the work needs at the GPU's
 * peaks, and the measured time over it.
 *
 * sol_time = max(flop_d / peak_d over dtypes d, (read_bytes + write_bytes) / dram peak); the
 * largest term binds (memory in a tie).
 * A measured time may be below it, with a clock above that of the peaks or bytes that the L2 holds;
 * what cannot be, model/physics.h says. The same model with ceilings that were measured in place of
 * the peaks (model/ceilings.h) says how much of what can be reached was.
 *
 * Absolute times drift under the power cap, and each variant has its own moment. So a variant that
 * was paired with its baseline is shown with time = baseline's time * paired ratio: within a case
 * all times stand on the baseline's, and who is faster agrees with the verdict. Where the launch
 * floor of the GPU was measured (the time of a kernel with next to no work), limit = max(sol_time,
 * launch floor): no launch is shorter, however little its work. Pure: tables in, rows out.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "model/ceilings.h"
#include "results/table.h"

struct sg_refusal; /* model/refusals.h */

struct sg_sol {
    double time_ns; /* speed of light, > 0 */
    double compute_ns, memory_ns;
    enum sg_dtype dtype; /* the arithmetic that takes longest; SG_DTYPE_COUNT when there is none */
    bool memory_bound;
    double intensity; /* flop per byte; NaN without bytes */
};

/*
 * The model itself, of the work of `where` (for messages). SG_BAD_INPUT naming the dtype when the
 * spec has no peak for work that is there; SG_BAD_INPUT for no work at all.
 */
enum sg_code sg_sol_model(const struct sg_work *work, const struct sg_gpu_spec *spec, const char *where, struct sg_sol *sol,
                          struct sg_err *err);

/* One line of the gap table. */
struct sg_gap {
    const char *family, *case_, *variant; /* borrowed from the run */
    struct sg_work work;
    bool is_guessed; /* the work is whole arrays: the function may need less than the limit */
    struct sg_sol sol;
    const char *role;               /* borrowed; baseline, candidate or vendor; "" when the run does not say */
    const char *shape;              /* borrowed; of the case, for people; "" when the run does not say */
    double measured_ns;             /* as it was timed; NaN when it failed */
    double time_ns;                 /* baseline's measured_ns * ratio where there is one, else measured_ns; NaN when it failed */
    double low_ns, high_ns;         /* of time_ns, 95 %: that of the ratio, or of the measured time; NaN: none */
    double ratio, low, high;        /* paired: time / baseline's time, with its interval; NaN: not paired */
    double limit_ns;                /* the longer of sol time and launch floor */
    bool is_launch_bound;           /* it is the launch floor */
    double gap;                     /* time / limit, ratio; NaN when not measured */
    double waves;                   /* blocks of the launch over those that the GPU holds at once, ratio; NaN: not known */
    double flop_per_s, bytes_per_s; /* of time_ns */
    double of_peak;                 /* sol time / time, ratio: of what the datasheet promises for what binds; NaN when not measured */
    double of_measured; /* the same of the measured ceilings; NaN without one of what binds then; over 1 where a ceiling was beaten */
    double density;     /* of a variant that does the dense problem: share of its work that the case has, ratio; NaN of any other */
    double of_dense;    /* fastest dense time x density / time, ratio: 1 for a sparse kernel that loses nothing; NaN without a dense one */
    const struct sg_refusal *refusal; /* borrowed; why this cannot be (model/refusals.h), NULL: it can, or the table is not judged yet */
    enum sg_status status;
};

/* What the times of a run are shown beside. */
struct sg_gap_order {
    const struct sg_gpu_spec *spec;
    const struct sg_ceilings *ceilings; /* all zero: none were measured */
    double sm_count;                    /* of the GPU that the run was taken on; 0: not known, and waves are not */
};

bool sg_gap_same_case(const struct sg_gap *a, const struct sg_gap *b);
bool sg_gap_is(const struct sg_gap *gap, enum sg_role role); /* no, where the run does not say */

/* Flop in all number formats together, and bytes both ways. */
double sg_work_flop(const struct sg_work *work);
double sg_work_bytes(const struct sg_work *work);
/* What binds: "memory", or the word of a number format; of a gap also "launch" and "guessed memory". */
const char *sg_gap_bound(const struct sg_gap *gap);

/*
 * One line a variant of every case whose work the run says, in the run's order (the run is
 * sorted); *gaps is owned by the caller, the strings in it by the run. A variant that has no
 * row of work itself (it failed) gets that of its case; one that was not measured has NaN
 * for time, gap and rates. SG_BAD_INPUT with family/case/variant: a wrong unit, work or time
 * that cannot be, and sg_sol_model's.
 */
enum sg_code sg_gap_table(const struct sg_table *run, const struct sg_gap_order *order, struct sg_gap **gaps, size_t *count,
                          struct sg_err *err);
