/*
 * method/simulated_source.h - simulated pairs: the batches of device/null/noise_model.h,
 * in the order of the time pass, handed to stats/sequential.h.
 *
 * What is simulated is one launch; blocks, their order, repeated batches, the value of a process
 * and the decision are the code that also judges real kernels. Invariant: seed, process and pair
 * determine the times of a process. Used by the tests of the decision.
 */
#pragma once

#include "device/null/noise_model.h"
#include "stats/sequential.h"

/* In which order the sides take turns. solgate tosses a fair coin; the other shows why. */
enum sg_simulated_order {
    SG_IN_TURNS,       /* ABBA or BAAB by the coin of stats/abba.h */
    SG_BASELINE_FIRST, /* ABAB in every block */
};

struct sg_simulated_source {
    struct sg_simulate_options options;
    uint64_t seed;
    struct sg_simulation baseline; /* of every pair */
    const double *ratio;           /* true candidate / baseline of each pair; borrowed */
    enum sg_simulated_order order;
    unsigned blocks, launches; /* of a process, at least; of a batch */
    double state_share, state; /* a state of the candidate: in this share of its processes it takes
                                  so much longer, ratio - 1 */
    double tolerance;          /* ratio; the measurer takes each pair's own */
};

/* What the promises are held against: the setting that studies/promises/simulation.md fits, and others
 * with one thing made worse. constant, what */
#define SG_SETTING_TABLE(X)                                     \
    X(SG_SETTING_TYPICAL, "74 us, bound by the clock")          \
    X(SG_SETTING_MEMORY, "74 us, bound by memory")              \
    X(SG_SETTING_SHORT, "10 us, launches that differ by 0.8 %") \
    X(SG_SETTING_ROUGH, "15 us, launches that differ by 3 %")   \
    X(SG_SETTING_APART, "processes that differ by 0.15 %")      \
    X(SG_SETTING_COARSE, "5 us, a tick of 32 ns")               \
    X(SG_SETTING_SPIKY, "a spike in a hundred launches")        \
    X(SG_SETTING_WANDERING, "a clock that wanders by 5 %")

enum sg_setting {
#define X(constant, what) constant,
    SG_SETTING_TABLE(X)
#undef X
        SG_SETTING_COUNT
};
const char *sg_setting_what(enum sg_setting setting);
/* 24 blocks of 4 launches, in turns, a tolerance of 0.5 %; `ratio` is still to be set. */
struct sg_simulated_source sg_simulated_setting(enum sg_setting setting, uint64_t seed);

struct sg_measurer sg_simulated_measurer(struct sg_simulated_source *source);
