/*
 * diagnose/places.h - splits the time difference of two launches into places.
 *
 * Pure. Each level (docs/metrics.md) is the difference of one identity on both sides, so the points
 * sum to the added time. Invariant: a counter missing on one side is missing, never 0.
 */
#pragma once

#include <stdbool.h>

/* busy share of active cycles at which half of a unit's growth counts as time */
#define SG_NEAR_LIMIT 0.8

/* Metrics used from each side, with their names in metrics.ini. */
#define SG_INPUTS(X)                                                                               \
    X(time), X(sm_clock), X(cycles), X(sm_active_cycles), X(sm_active_cycles_max),                 \
        X(instructions), X(active_lanes), X(occupancy_achieved), X(occupancy_theoretical),         \
        X(registers), X(spill_stores), X(compiler_notes), X(sass_instructions), X(grid), X(block), \
        X(cluster), X(kernels), X(stages_ab), X(pipe_tensor), X(pipe_tc), X(pipe_fp64),            \
        X(pipe_xu), X(pipe_fma), X(pipe_alu), X(pipe_tma), X(pipe_lsu), X(issue_active),           \
        X(dram_throughput), X(l2_fabric), X(l2_throughput), X(l1_throughput), X(atomic_busy),      \
        X(global_load_requests), X(global_load_sectors), X(global_store_requests),                 \
        X(global_store_sectors), X(local_load_sectors), X(local_store_sectors),                    \
        X(shared_load_wavefronts), X(shared_store_wavefronts), X(shared_load_conflicts),           \
        X(shared_store_conflicts), X(shared_atomics), X(atomic_sectors), X(reduction_sectors),     \
        X(l1_to_l2_read_sectors), X(l2_sectors), X(dram_read_bytes), X(tma_load_bytes),            \
        X(tma_instructions), X(instruction_cache_misses), X(barrier_instructions)

/* Stall reasons: name as a place, and the suffix after "stall_" in metrics.ini. */
#define SG_STALLS(X)                                                            \
    X(BARRIER, "waits at barriers", barrier)                                    \
    X(BRANCH, "waits for branches", branch_resolving)                           \
    X(DISPATCH, "waits for the dispatcher", dispatch)                           \
    X(DRAIN, "waits for stores at exit", drain)                                 \
    X(GMMA, "waits to issue matrix products", gmma)                             \
    X(IMC, "waits for constants", imc_miss)                                     \
    X(LG, "waits for the load/store queue", lg_throttle)                        \
    X(LONG, "waits for memory", long_scoreboard)                                \
    X(MATH, "waits for a busy pipe", math_pipe_throttle)                        \
    X(MEMBAR, "waits at fences", membar)                                        \
    X(MIO, "waits for the shared-memory queue", mio_throttle)                   \
    X(MISC, "waits that the hardware does not separate", misc)                  \
    X(NO_CODE, "waits for instructions", no_instruction)                        \
    X(NOT_SELECTED, "ready warps that were not selected", not_selected)         \
    X(SHORT, "waits for shared memory or a special function", short_scoreboard) \
    X(SLEEP, "asleep", sleeping)                                                \
    X(TEX, "waits for the texture queue", tex_throttle)                         \
    X(CHAIN, "waits for the previous instruction", wait)

#define SG_AS_INPUT(name)                      SG_##name
#define SG_STALL_AS_INPUT(place, name, reason) SG_stall_##reason,
enum sg_input { SG_NO_INPUT, SG_INPUTS(SG_AS_INPUT), SG_STALLS(SG_STALL_AS_INPUT) SG_INPUT_COUNT };

enum { SG_WAS, SG_IS, SG_SIDES };

struct sg_versus {
    double value[SG_SIDES][SG_INPUT_COUNT]; /* in the unit of metrics.ini; NaN: missing */
    double error[SG_INPUT_COUNT];           /* error of the difference; 0: none */
    /* relative to the time of SG_WAS, ratio; NaN: not timed, the cycles are used then */
    double added, added_error;
    double sm_count, sm_warps; /* figures of the GPU; 0: not known */
    /* NULL, or the counts before they were moved by errors: these decide the kind of a change */
    const struct sg_versus *unmoved;
};

/* The other places: name, how the cycles follow from the counter, the counter. */
#define SG_PLACES(X)                                                            \
    X(LAUNCHES, "between the kernels of a launch", SG_IDENTITY, SG_kernels)     \
    X(TIMING, "timed but not counted", SG_IDENTITY, SG_time)                    \
    X(CLOCK, "the clock", SG_IDENTITY, SG_sm_clock)                             \
    X(FEW_BLOCKS, "SMs without a block", SG_IDENTITY, SG_grid)                  \
    X(ENDS, "start and end of the kernel", SG_IDENTITY, SG_cycles)              \
    X(IMBALANCE, "SMs that wait for others", SG_IDENTITY, SG_sm_active_cycles)  \
    X(TENSOR, "the tensor pipe", SG_OF_ELAPSED, SG_pipe_tensor)                 \
    X(TC, "the tcgen05 pipe", SG_OF_ELAPSED, SG_pipe_tc)                        \
    X(FP64, "the double-precision pipe", SG_OF_ELAPSED, SG_pipe_fp64)           \
    X(XU, "the special-function unit", SG_OF_ELAPSED, SG_pipe_xu)               \
    X(FMA, "the multiply-add pipe", SG_OF_ELAPSED, SG_pipe_fma)                 \
    X(ALU, "the integer pipe", SG_OF_ELAPSED, SG_pipe_alu)                      \
    X(TMA, "TMA", SG_OF_ELAPSED, SG_pipe_tma)                                   \
    X(SHARED, "shared memory", SG_WAVEFRONTS, SG_shared_load_wavefronts)        \
    X(LSU, "the load/store unit", SG_OF_ELAPSED, SG_pipe_lsu)                   \
    X(ISSUE, "issue slots", SG_OF_ACTIVE, SG_issue_active)                      \
    X(ATOMIC, "the units of atomics in L2", SG_OF_ELAPSED, SG_atomic_busy)      \
    X(DRAM, "DRAM", SG_OF_ELAPSED, SG_dram_throughput)                          \
    X(FABRIC, "the link between the halves of L2", SG_OF_ELAPSED, SG_l2_fabric) \
    X(L2, "L2", SG_OF_ELAPSED, SG_l2_throughput)                                \
    X(L1, "L1", SG_OF_ACTIVE, SG_l1_throughput)                                 \
    X(ISSUED, "instructions issued", SG_IDENTITY, SG_instructions)              \
    X(WARPS, "fewer warps on an SM", SG_IDENTITY, SG_occupancy_achieved)        \
    X(OTHER, "waits that were not counted", SG_IDENTITY, SG_instructions)
#define SG_AS_PLACE(place, ...) SG_AT_##place,
enum sg_place { SG_PLACES(SG_AS_PLACE) SG_STALLS(SG_AS_PLACE) SG_PLACE_COUNT };

struct sg_place_info {
    const char *name;
    enum { SG_IDENTITY, SG_OF_ELAPSED, SG_OF_ACTIVE, SG_WAVEFRONTS, SG_REASON } kind;
    enum sg_input input;
};
extern const struct sg_place_info sg_places[SG_PLACE_COUNT];

struct sg_split {
    double added;                  /* points: percent of the old time */
    double points[SG_PLACE_COUNT]; /* they sum to `added` */
    /* growth of each wait in ln of active time, even if a limiting unit has the points */
    double part[SG_PLACE_COUNT];
    double active;       /* points of the old active time */
    const char *why_not; /* NULL, or why the time is not split; then all points are 0 */
};

/* ln of is / was, limited to +-SG_LN_MAX, the value of a change from nothing to something. NaN:
 * one is missing. */
#define SG_LN_MAX 7.0
double sg_ln_ratio(double was, double is);
bool sg_has(const struct sg_versus *sides, enum sg_input input);
/* SMs of the GPU over SMs that have a block; 1: all have one, or not known. */
double sg_sms_per_used(const struct sg_versus *sides, int side);
/* Blocks of the SM that gets the most, over the mean of all SMs, if blocks take equally long; 1:
 * also not known. */
double sg_blocks_unevenness(const struct sg_versus *sides, int side);
/* Resident warps per scheduler, mean over its active cycles; NaN: not known. */
double sg_resident_warps(const struct sg_versus *sides, int side);
/* Busy cycles of a unit per SM; NaN: not known. */
double sg_busy_cycles(const struct sg_versus *sides, int side, enum sg_place unit);
/* Shares of one side's cycles: lost cycles and stall reasons, which sum to 100 %, and how busy
 * the units are. NaN: not known. */
void sg_place_shares(const struct sg_versus *sides, int side, double percent[SG_PLACE_COUNT]);
void sg_split_time(const struct sg_versus *sides, struct sg_split *split);
