/*
 * results/row_kind.h - the use of a row, by its metric's name: the one list for the code that
 * judges, accepts and writes rows.
 *
 * Invariant: a name that is not listed belongs to a counter, or to a fact about the code, which is
 * judged like a counter.
 */
#pragma once

#include <stdbool.h>
#include <string.h>

/* How often one start of a program launched a kernel, and the total time of these launches. */
#define SG_LAUNCHES_METRIC "tool:launches"
#define SG_TOTAL_METRIC    "tool:total"
/* of several files: `time` without a file far slower than the others of its side */
#define SG_STEADY_METRIC "time_without_slowest"
/* Percentiles of single launches, and the share of launches over twice the median (stats/tails.h).
 */
#define SG_P90_METRIC    "time_p90"
#define SG_P99_METRIC    "time_p99"
#define SG_SPIKES_METRIC "spikes"
/* From a launch call to the start of its kernel, on an idle device. */
#define SG_LATENCY_METRIC "launch_latency"
/* Energy of a launch (device/energy.h), J; over that of its baseline, or of its accepted build. */
#define SG_ENERGY_METRIC       "energy"
#define SG_ENERGY_RATIO_METRIC SG_ENERGY_METRIC "_ratio"
#define SG_ENERGY_BUILD_METRIC SG_ENERGY_METRIC "_build_ratio"
#define SG_ENERGY_SHARED       "NVML counts the whole GPU, which others use"
/* The variants for all kernels of a range, and of a suite's program; the time is their sum. */
#define SG_WHOLE_RANGE    "whole_range"
#define SG_WHOLE_PROGRAM  "whole_program"
#define SG_TIME_OF_METRIC "time_of" /* what a tool calls its time, in words: "mean on the host" */
#define SG_COUNT_METRIC \
    "count_passes" /* last row of a variant's count pass, or the reason why the pass ended */
/* A variant's time divided by the time of the build that its accepted numbers come from. Without a
 * number, the message says why there is none. */
#define SG_BUILD_RATIO_METRIC "build_ratio"
#define SG_OTHER_SUFFIX       "_base" /* suffix of the other build's variant, where both are named */
/* For a kernel of `solgate exec`: the digest of its machine code, in words. */
#define SG_CODE_METRIC "tool:code"
#define SG_SAME_CODE   "same code"
/* If a symbol runs with several geometries in a case, the kernel's name ends in this mark and a
 * digest of its grid and block. */
#define SG_GEOMETRY_MARK   "_g"
#define SG_GEOMETRY_DIGITS 8
/* In accepted numbers: the status is the tolerated outcome, the message the last day or "", and the
 * reason says why. */
#define SG_WAIVER_METRIC "waiver"
/* A fact (sg_variant.facts) of a variant that computes the dense problem instead of a sparse one:
 * the density of the case, in (0, 1]. Only nonzero blocks count as work of a sparse case. */
#define SG_DENSITY_METRIC "density"

/* Which functions of a program's pair wait for the device or keep the device waiting: candidate,
 * baseline, both. */
#define SG_HOST_BOUND_METRIC "host_bound"

/* A launch in words: the symbol, these words, and "32 registers". */
#define SG_GEOMETRY_WORDS "grid (%u, %u, %u), block (%u, %u, %u), %u B dynamic shared"
/* What the sides of a pair launched in process NN of a Python gate: choice_NN of the candidate,
 * choice_NN_base of the baseline. The message has the different kernels in words. */
#define SG_CHOICE_PREFIX    "choice_"
#define SG_CHOICE_SEPARATOR "; "

/* In an unfinished run: how the item failed once, until it is measured again; then "". */
#define SG_SUSPECT_METRIC "suspect"

/* The work of a program's function is taken from the size of whole arrays; the function may need
 * less. The message SG_WHOLE_INPUTS: it writes all of its outputs, but may read less. */
#define SG_GUESSED_METRIC "guessed_work"
#define SG_WHOLE_INPUTS   "whole inputs"

enum sg_row_kind {
    SG_ROW_UNSEEN,
    SG_ROW_STATUS,
    SG_ROW_TIME,
    SG_ROW_RATIO,
    SG_ROW_BUILD_RATIO,
    SG_ROW_FACT,
    SG_ROW_COUNTER
};

struct sg_row_use {
    enum sg_row_kind kind; /* SG_ROW_FACT: descriptive, not judged itself */
    bool defines;          /* defines the case: with another value, the case is a different one */
    bool is_term; /* how the item was checked (results/terms.h): judged by equality, listed with its
                     facts */
    bool gates;   /* for a counter: gates as accepted, unless it varies between starts */
    bool is_of_start; /* a number of one start of a program: several starts have a mean and a range
                       */
    bool is_accepted; /* part of accepted numbers: judged, explains, or needed for a verdict */
};
struct sg_row_use sg_row_use_of(const char *metric);
static inline bool sg_row_is_energy(const char *metric)
{
    return strncmp(metric, SG_ENERGY_METRIC, sizeof(SG_ENERGY_METRIC) - 1) == 0;
}
