/*
 * model/physics.h - what cannot be: a time shorter than its work takes, and counters that
 * contradict the work (docs/guards.md).
 *
 * The work takes as long as its arithmetic at the SM clock that was measured with the time,
 * and as long as DRAM needs for the bytes that the L2 leaves to it: the inputs, but for
 * what a warm L2 may still hold of them, and the outputs, but for what of them may still lie
 * in the L2 at the end. That is at most its size in a clean or warm one. A cold one is full of
 * lines that must be written back: what stays in it has pushed out as much. A time is refused
 * only where no launch that does the work could have it, so all that is in doubt counts for
 * the time.
 * Pure: numbers in, a finding and its numbers out; what is not known is not judged.
 */
#pragma once

#include "catalogue/catalogue.h"
#include "model/ceilings.h"

/*
 * How much of a limit a time may be. Of one by peaks 2 %: a clock is the mean over batches and a
 * time their median. Of one by a measured ceiling 10 %: a ceiling is the rate of a copy, 87 % of
 * the peak on an H200, and kernels that only read get up to 92 % of it (metrics.ini,
 * dram_throughput), which is 6 % more; the copy itself has a second pace 2 % faster
 * (docs/guards.md); and the ceiling may be another GPU's. The nearest that was ever recorded is 3 %
 * below the ceiling (tests/data/h200/group_gemm). A kernel that only writes gets up to 96 % of the
 * peak on an H100, so what is written beyond what is read is held against the peak only.
 */
#define SG_PEAK_SHARE    0.98
#define SG_CEILING_SHARE 0.90

/* Metrics of the pipes that can compute: constant, name, must it have been counted before the
 * others can say that nothing computed? */
#define SG_PIPE_TABLE(X)                   \
    X(SG_PIPE_TENSOR, "pipe_tensor", true) \
    X(SG_PIPE_TC, "pipe_tc", false)        \
    X(SG_PIPE_FMA, "pipe_fma", true)       \
    X(SG_PIPE_ALU, "pipe_alu", true)       \
    X(SG_PIPE_FP64, "pipe_fp64", false)    \
    X(SG_PIPE_XU, "pipe_xu", false)

enum sg_pipe { SG_PIPE_TABLE(SG_CONSTANT) SG_PIPES };
const char *sg_pipe_metric(enum sg_pipe pipe);

/* What a run is held against. */
struct sg_limits {
    const struct sg_gpu_spec *spec;     /* NULL: not known, and times are held against nothing */
    const struct sg_ceilings *ceilings; /* all zero: none were measured */
    enum sg_l2 l2;
    bool l2_declared; /* false: times are judged as with a cold L2, and what DRAM gave is not */
    double l2_bytes;  /* as the driver reports it; NaN: it does not */
};

/* What is known of one variant in one case. */
struct sg_evidence {
    struct sg_work work;
    double time_ns;         /* of one launch; NaN: not timed, so that there is nothing to refuse */
    double sm_clock_hz;     /* over its batches; NaN: not measured */
    double dram_read_bytes; /* counted; NaN: not */
    double pipe[SG_PIPES];  /* how busy each was, in the metric's unit; NaN: not counted */
};

/* constant, in a few words */
#define SG_PHYSICS_TABLE(X)                    \
    X(SG_POSSIBLE, "")                         \
    X(SG_TOO_FAST, "faster than physics")      \
    X(SG_OTHER_L2, "another L2 than declared") \
    X(SG_IDLE_PIPES, "no arithmetic was counted")

enum sg_physics_finding { SG_PHYSICS_TABLE(SG_CONSTANT) SG_PHYSICS_FINDINGS };
const char *sg_physics_words(enum sg_physics_finding finding);

/* What a time is too short for. */
enum sg_bound { SG_BOUND_ARITHMETIC, SG_BOUND_DRAM_PEAK, SG_BOUND_DRAM_CEILING };

struct sg_physics {
    enum sg_physics_finding finding;
    double found, needed; /* SG_TOO_FAST: ns, measured and of the limit; SG_OTHER_L2: bytes read from DRAM and compulsory ones;
                             SG_IDLE_PIPES: 0 and flop */
    enum sg_bound bound;  /* these three of SG_TOO_FAST */
    double rate;          /* of the limit: the SM clock in Hz, or bytes a second */
    bool clock_known;     /* of arithmetic: was the clock measured? Else it is that of the peak */
    enum sg_l2 declared;  /* SG_OTHER_L2 */
};

struct sg_physics sg_physics_judge(const struct sg_evidence *evidence, const struct sg_limits *limits);

/* The first number format that the work is in and that the GPU has no peak for, so that it is held
 * against nothing; SG_DTYPE_COUNT: none. */
enum sg_dtype sg_physics_lacks(const struct sg_work *work, const struct sg_gpu_spec *spec);

/* "38.20 us for work that takes 61.00 us at 1.755 GHz: ..."; nothing of what is possible. */
void sg_add_physics(struct sg_text *out, const struct sg_physics *physics);
