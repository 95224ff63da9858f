/*
 * model/roofline.h - the gap to the speed of light: measured time over the time that the work needs
 * at the GPU's peaks.
 *
 * sol_time = max(flop_d / peak_d over dtypes d, (read_bytes + write_bytes) / dram peak); the
 * largest term binds (memory in a tie). A measured time may be shorter, if its clock exceeds the
 * clock of the peaks or the L2 supplies bytes; model/physics.h detects impossible times. The same
 * model with measured ceilings instead of the peaks (model/ceilings.h) gives the share of the
 * reachable rate.
 *
 * Absolute times drift under the power cap, and variants are measured at different moments. So a
 * variant paired with its baseline is shown with time = baseline's time * paired ratio. All times
 * of a case then refer to the baseline's, and their order agrees with the verdicts. If the GPU's
 * launch floor was measured (the time of a kernel with almost no work), limit = max(sol_time,
 * launch floor), because no launch is shorter. Pure: tables in, rows out.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "model/ceilings.h"
#include "model/item_rows.h"
#include "results/row_kind.h"
#include "results/table.h"

struct sg_refusal; /* model/refusals.h */

struct sg_sol {
    double time_ns; /* speed of light, > 0 */
    double compute_ns, memory_ns;
    enum sg_dtype dtype; /* the slowest arithmetic; SG_DTYPE_COUNT if none */
    bool memory_bound;
    double intensity; /* flop per byte; NaN without bytes */
};

/* The model for the work of `where` (used in messages). SG_BAD_INPUT without work, or naming the
 * dtype without a peak in the spec. */
enum sg_code sg_sol_model(const struct sg_work *work, const struct sg_gpu_spec *spec,
                          const char *where, struct sg_sol *sol, struct sg_err *err);

struct sg_gap {
    const char *family, *case_, *variant; /* borrowed from the run */
    struct sg_work work;
    enum sg_work_kind kind;
    struct sg_work counted; /* what counters saw, whatever the kind of the work */
    bool is_counted;
    /* for counted work: the busiest unit of the GPU and its busy time, if that exceeds the time of
     * the work at the peaks; otherwise NULL */
    const char *unit;
    double unit_ns;
    struct sg_sol sol;
    const char *role;   /* borrowed; baseline, candidate or vendor; "" if not known */
    const char *shape;  /* borrowed; shape of the case for people; "" if not known */
    double measured_ns; /* as timed; NaN on failure */
    /* baseline's measured_ns * ratio if paired, otherwise measured_ns; NaN on failure */
    double time_ns;
    /* of time_ns, 95 %: from the ratio or the measured time; NaN: none */
    double low_ns, high_ns;
    /* paired: time / baseline's time, with interval; NaN: not paired */
    double ratio, low, high;
    double limit_ns;           /* the longest of sol time, unit_ns and launch floor */
    bool is_launch_bound;      /* the limit is the launch floor */
    double gap;                /* time / limit, ratio; NaN if not measured */
    double launches, total_ns; /* of a program's kernel, in one start; NaN: not known */
    /* share of the time of its case's counted kernels, ratio; for SG_WHOLE_RANGE their share of the
     * time of all kernels; NaN: the case has no SG_WHOLE_RANGE */
    double of_range;
    /* blocks of the launch over blocks resident on the GPU, ratio; NaN: not known */
    double waves;
    double flop_per_s, bytes_per_s; /* from time_ns */
    /* max(sol time, unit_ns) / time: share of the peak that binds; NaN if not measured */
    double of_peak;
    /* the same with the measured ceilings; NaN without the ceiling that binds; over 1 if a
     * ceiling was exceeded */
    double of_measured;
    /* for a variant that computes the dense problem: the case's share of its work, ratio;
     * otherwise NaN */
    double density;
    /* fastest dense time x density / time, ratio: 1 for a sparse kernel that loses nothing; NaN
     * without a dense variant */
    double of_dense;
    /* borrowed; why this is impossible (model/refusals.h); NULL: possible, or not judged yet */
    const struct sg_refusal *refusal;
    enum sg_status status;
};

/* GPU figures for the times of a run. */
struct sg_gap_order {
    const struct sg_gpu_spec *spec;
    const struct sg_ceilings *ceilings; /* all zero: not measured */
    /* SMs of the run's GPU; 0: not known, and no waves are computed */
    double sm_count;
    bool with_times; /* include items without work, with limit_ns and gap NaN */
};

bool sg_gap_same_case(const struct sg_gap *a, const struct sg_gap *b);
/* false if the run does not state the role */
bool sg_gap_is(const struct sg_gap *gap, enum sg_role role);

bool sg_gap_is_whole(const struct sg_gap *gap); /* SG_WHOLE_RANGE of sg_gap_table */

/* Flop of all number formats, and bytes in both directions. */
double sg_work_flop(const struct sg_work *work);
double sg_work_bytes(const struct sg_work *work);
/* The limiting resource: "memory" or the word of a number format; for a gap also "launch",
 * "guessed memory", and units such as "XU". */
const char *sg_gap_bound(const struct sg_gap *gap);

/* One line per variant of every case with known work, in the run's order (the run is sorted), and
 * at the end SG_WHOLE_RANGE per case with several kernels of counted work: its time is their total,
 * its work and limit those of all launches, its bound is the one whose kernels have the largest
 * part of the limit. *gaps is owned by the caller, its strings by the run. A variant without work
 * rows (it failed) gets the work of its case; a variant that was not measured has NaN for time, gap
 * and rates. SG_BAD_INPUT with family/case/variant: a wrong unit, impossible work or time, or an
 * error of sg_sol_model. */
enum sg_code sg_gap_table(const struct sg_table *run, const struct sg_gap_order *order,
                          struct sg_gap **gaps, size_t *count, struct sg_err *err);
