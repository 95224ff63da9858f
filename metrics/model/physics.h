/*
 * model/physics.h - detects impossible measurements: a time shorter than its work takes, and
 * counters that contradict the work (docs/guards.md).
 *
 * There are two limits. One is the time of the arithmetic at the SM clock measured with the time.
 * The other is the time of DRAM for the bytes that the L2 does not supply or keep. A warm L2 may
 * hold inputs of up to its size. A clean or warm L2 may keep outputs of up to its size at the end.
 * A cold L2 is full of dirty lines: outputs that stay have evicted as many bytes. A time is refused
 * only if no launch that does the work could reach it, so every doubt favours the time. Pure:
 * numbers in, a finding with its numbers out; unknown values are not judged.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "model/ceilings.h"

/* Smallest share of a limit that a time may have.
 *
 * A limit from peaks allows 2 %, because a clock is a mean over batches and a time their median.
 *
 * A limit from a measured ceiling allows 10 %. The ceiling is the rate of a copy, 87 % of the peak
 * on an H200. A kernel that only reads reaches 92 % (metrics.ini, dram_throughput), 6 % more. Some
 * copies run 2 % faster (docs/guards.md), and the ceiling may come from another GPU. The fastest
 * recorded time is 3 % below its limit (tests/data/h200/group_gemm).
 *
 * A kernel that only writes reaches 96 % of the peak on an H100. So writes beyond the reads are
 * compared with the peak only. */
#define SG_PEAK_SHARE    0.98
#define SG_CEILING_SHARE 0.90

/* Pipes that can compute: constant, metric, whether it must be counted before idle pipes prove
 * that nothing was computed. */
#define SG_PIPE_TABLE(X)                   \
    X(SG_PIPE_TENSOR, "pipe_tensor", true) \
    X(SG_PIPE_TC, "pipe_tc", false)        \
    X(SG_PIPE_FMA, "pipe_fma", true)       \
    X(SG_PIPE_ALU, "pipe_alu", true)       \
    X(SG_PIPE_FP64, "pipe_fp64", false)    \
    X(SG_PIPE_XU, "pipe_xu", false)

enum sg_pipe { SG_PIPE_TABLE(SG_CONSTANT) SG_PIPES };
const char *sg_pipe_metric(enum sg_pipe pipe);

struct sg_limits {
    const struct sg_gpu_spec *spec;     /* NULL: not known, times have no limit */
    const struct sg_ceilings *ceilings; /* all zero: not measured */
    enum sg_l2 l2;
    bool l2_declared; /* false: times are judged as with a cold L2, DRAM reads are not */
    double l2_bytes;  /* as reported by the driver; NaN: not reported */
};

struct sg_evidence {
    struct sg_work work;
    double time_ns;         /* time of one launch; NaN: not timed, so nothing to refuse */
    double sm_clock_hz;     /* over its batches; NaN: not measured */
    double dram_read_bytes; /* counted; NaN: not counted */
    double pipe[SG_PIPES];  /* utilisation in the metric's unit; NaN: not counted */
};

/* constant, in a few words */
#define SG_PHYSICS_TABLE(X)                    \
    X(SG_POSSIBLE, "")                         \
    X(SG_TOO_FAST, "faster than physics")      \
    X(SG_OTHER_L2, "another L2 than declared") \
    X(SG_IDLE_PIPES, "no arithmetic was counted")

enum sg_physics_finding { SG_PHYSICS_TABLE(SG_CONSTANT) SG_PHYSICS_FINDINGS };
const char *sg_physics_words(enum sg_physics_finding finding);

/* The limit that a time is below. */
enum sg_bound { SG_BOUND_ARITHMETIC, SG_BOUND_DRAM_PEAK, SG_BOUND_DRAM_CEILING };

struct sg_physics {
    enum sg_physics_finding finding;
    /* SG_TOO_FAST: ns, measured and limit; SG_OTHER_L2: bytes read from DRAM and compulsory
     * bytes; SG_IDLE_PIPES: 0 and flop */
    double found, needed;
    enum sg_bound bound; /* for SG_TOO_FAST, like the next two */
    double rate;         /* SM clock in Hz, or bytes per second, of the limit */
    /* for arithmetic: true if the clock was measured, false: clock of the peak */
    bool clock_known;
    enum sg_l2 declared; /* SG_OTHER_L2 */
};

struct sg_physics sg_physics_judge(const struct sg_evidence *evidence,
                                   const struct sg_limits *limits);

/* The first number format of the work without a peak in the spec, so without a limit;
 * SG_DTYPE_COUNT: none. */
enum sg_dtype sg_physics_lacks(const struct sg_work *work, const struct sg_gpu_spec *spec);

/* "38.20 us for work that takes 61.00 us at 1.755 GHz: ..."; adds nothing for a possible
 * measurement. */
void sg_add_physics(struct sg_text *out, const struct sg_physics *physics);
