/* metrics/diagnose/causes.h: mechanisms on kernels of four kinds. What a scheduler's warps wait for
 * is given, and all cycles follow by resident warps x active cycles = all warp-cycles. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "diagnose/causes.h"
#include "near.h"

#define SMS 132

enum base { MATH, STREAM, TILE, LATENCY, BASES };

/* Counts of an H100: issue slots that are taken; DRAM; shared memory between barriers; a few warps
 * that each wait for their load. Stalls in warp-cycles a scheduler, units in percent. */
static const struct {
    enum sg_input input;
    double of[BASES];
} bases[] = {
    {SG_time, {42000, 47000, 105000, 60000}},
    {SG_sm_clock, {1.98e9, 1.98e9, 1.98e9, 1.98e9}},
    {SG_cycles, {85000, 94000, 209000, 119000}},
    {SG_sm_active_cycles, {82000, 88000, 205000, 115000}},
    {SG_sm_active_cycles_max, {83000, 91000, 207000, 116000}},
    {SG_instructions, {41e6, 14e6, 45e6, 6e6}},
    {SG_active_lanes, {32, 32, 32, 32}},
    {SG_occupancy_achieved, {43, 47, 35, 12}},
    {SG_occupancy_theoretical, {75, 75, 75, 12.5}},
    {SG_registers, {20, 20, 20, 20}},
    {SG_sass_instructions, {600, 100, 100, 100}},
    {SG_grid, {528, 528, 528, 132}},
    {SG_block, {256, 256, 256, 256}},
    {SG_kernels, {1, 1, 1, 1}},
    {SG_pipe_tensor, {0, 0, 0, 0}},
    {SG_pipe_fp64, {0, 0, 0, 0}},
    {SG_pipe_xu, {0, 0, 0, 0}},
    {SG_pipe_fma, {74, 9, 0.3, 2}},
    {SG_pipe_alu, {19, 13, 6, 5}},
    {SG_pipe_tma, {0, 0, 0, 0}},
    {SG_pipe_lsu, {5, 20, 94, 4}},
    {SG_issue_active, {95, 30, 41, 10}},
    {SG_dram_throughput, {3, 74, 1, 8}},
    {SG_l2_fabric, {7, 76, 3, 9}},
    {SG_l2_throughput, {7, 76, 3, 9}},
    {SG_l1_throughput, {6, 31, 97, 5}},
    {SG_atomic_busy, {0, 0, 0, 0}},
    {SG_global_load_requests, {8e3, 1.4e5, 8e3, 4e4}},
    {SG_global_load_sectors, {1.4e5, 2.2e6, 1.4e5, 6e5}},
    {SG_global_store_requests, {8e3, 1.4e5, 8e3, 4e3}},
    {SG_global_store_sectors, {1.4e5, 2.2e6, 1.4e5, 6e4}},
    {SG_local_load_sectors, {0, 0, 0, 0}},
    {SG_local_store_sectors, {0, 0, 0, 0}},
    {SG_shared_load_wavefronts, {2.7e5, 1.1e6, 13.4e6, 0}},
    {SG_shared_store_wavefronts, {2.7e5, 1.1e6, 13.4e6, 0}},
    {SG_shared_load_conflicts, {1e3, 1e4, 1e4, 0}},
    {SG_shared_store_conflicts, {0, 0, 0, 0}},
    {SG_shared_atomics, {0, 0, 0, 0}},
    {SG_atomic_sectors, {0, 0, 0, 0}},
    {SG_reduction_sectors, {0, 0, 0, 0}},
    {SG_l1_to_l2_read_sectors, {1.4e5, 2.2e6, 1.4e5, 6e5}},
    {SG_l2_sectors, {4.5e5, 6.6e6, 4.5e5, 1e6}},
    {SG_dram_read_bytes, {4.3e6, 6.9e7, 4.3e6, 1.9e7}},
    {SG_tma_load_bytes, {0, 0, 0, 0}},
    {SG_tma_instructions, {0, 0, 0, 0}},
    {SG_instruction_cache_misses, {0, 0, 0, 0}},
    {SG_barrier_instructions, {1e4, 1e4, 1e6, 1e4}},
    {SG_stall_barrier, {0, 0, 100e3, 0}},
    {SG_stall_branch_resolving, {12e3, 3e3, 19e3, 2e3}},
    {SG_stall_dispatch, {1e3, 1e3, 1e3, 0}},
    {SG_stall_drain, {0, 0, 0, 0}},
    {SG_stall_imc_miss, {0, 0, 0, 0}},
    {SG_stall_lg_throttle, {0, 0, 0, 0}},
    {SG_stall_long_scoreboard, {16e3, 530e3, 16e3, 170e3}},
    {SG_stall_math_pipe_throttle, {6e3, 2e3, 0, 0}},
    {SG_stall_membar, {0, 0, 0, 0}},
    {SG_stall_mio_throttle, {5e3, 1e3, 430e3, 0}},
    {SG_stall_no_instruction, {9e3, 3e3, 15e3, 2e3}},
    {SG_stall_not_selected, {410e3, 13e3, 170e3, 0}},
    {SG_stall_short_scoreboard, {6e3, 26e3, 177e3, 0}},
    {SG_stall_sleeping, {0, 0, 0, 0}},
    {SG_stall_wait, {21e3, 44e3, 150e3, 35e3}},
};

/* What is other: counts by a factor, or from nothing to something; warp-cycles of a reason by so
 * much of all that there were. */
struct other {
    enum { END, BY, TO, WAITS } kind;
    enum sg_input input;
    double much;
};
#define BY(name, factor)      \
    {                         \
        BY, SG_##name, factor \
    }
#define TO(name, value)      \
    {                        \
        TO, SG_##name, value \
    }
#define WAITS(name, part)            \
    {                                \
        WAITS, SG_stall_##name, part \
    }

static const struct row {
    enum base base;
    const char *kernel, *first; /* the cause that comes first, or the place that is not explained */
    struct other other[9];
} rows[] = {
    {MATH,
     "atomics in shared memory",
     "more shared atomics",
     {TO(shared_atomics, 5e5), BY(instructions, 1.02), WAITS(short_scoreboard, 0.08),
      WAITS(mio_throttle, 0.1)}},
    {MATH, "barriers", "barriers", {BY(instructions, 1.01), WAITS(barrier, 0.15)}},
    {STREAM,
     "barriers that warps meet at in place of their loads",
     "barriers",
     {BY(instructions, 1.05), WAITS(barrier, 0.3), WAITS(long_scoreboard, -0.15)}},
    {MATH,
     "spills",
     "spills",
     {TO(local_load_sectors, 2e6), TO(local_store_sectors, 1e6), BY(instructions, 1.08),
      BY(l1_throughput, 4), WAITS(long_scoreboard, 0.1), WAITS(lg_throttle, 0.05)}},
    {STREAM,
     "spills",
     "spills",
     {TO(local_load_sectors, 4e6), TO(local_store_sectors, 2e6), BY(instructions, 1.2),
      BY(l1_throughput, 2), WAITS(long_scoreboard, 0.1), WAITS(lg_throttle, 0.1)}},
    {STREAM,
     "products on the tensor pipe",
     "more work of the tensor pipe",
     {TO(pipe_tensor, 40), BY(instructions, 1.1), WAITS(math_pipe_throttle, 0.1),
      WAITS(wait, 0.15)}},
    {LATENCY,
     "double precision",
     "more double precision",
     {TO(pipe_fp64, 20), BY(instructions, 1.5), WAITS(wait, 0.3), WAITS(dispatch, 0.02)}},
    {LATENCY,
     "special functions",
     "more special functions",
     {TO(pipe_xu, 25), BY(instructions, 1.5), WAITS(wait, 0.1), WAITS(short_scoreboard, 0.3)}},
    {LATENCY,
     "instructions",
     "more instructions",
     {BY(instructions, 2), BY(pipe_fma, 6), WAITS(wait, 0.3)}},
    {STREAM,
     "integer instructions",
     "more integer work",
     {BY(instructions, 2.5), BY(pipe_alu, 4.5), WAITS(wait, 0.3)}},
    {MATH,
     "integer instructions",
     "more integer work",
     {BY(instructions, 1.2), BY(pipe_alu, 2.8), WAITS(math_pipe_throttle, 0.1),
      WAITS(not_selected, 0.1)}},
    {STREAM,
     "data are read from DRAM twice",
     "more loads from DRAM",
     {BY(global_load_requests, 2), BY(global_load_sectors, 2), BY(l1_to_l2_read_sectors, 2),
      BY(l2_sectors, 1.6), BY(dram_read_bytes, 2), BY(dram_throughput, 1.5), BY(l2_fabric, 1.5),
      WAITS(long_scoreboard, 0.5)}},
    {TILE,
     "data are read from DRAM, a little",
     "more loads from DRAM",
     {BY(global_load_requests, 20), BY(global_load_sectors, 20), BY(l1_to_l2_read_sectors, 20),
      BY(dram_read_bytes, 20), BY(dram_throughput, 20), WAITS(long_scoreboard, 0.2),
      WAITS(barrier, 0.05), WAITS(mio_throttle, -0.1)}},
    {STREAM,
     "L2 holds less",
     "more is read from DRAM",
     {BY(dram_read_bytes, 1.5), BY(dram_throughput, 1.3), WAITS(long_scoreboard, 0.3)}},
    {STREAM,
     "loads of 4 bytes, coalesced",
     "narrower loads",
     {BY(global_load_requests, 4), BY(instructions, 1.15), WAITS(long_scoreboard, 0.15),
      WAITS(lg_throttle, 0.1)}},
    {LATENCY,
     "loads of 4 bytes, coalesced",
     "narrower loads",
     {BY(global_load_requests, 4), BY(instructions, 1.3), WAITS(long_scoreboard, 0.8)}},
    {LATENCY,
     "loads that lie apart",
     "uncoalesced loads",
     {BY(global_load_sectors, 2), BY(l1_to_l2_read_sectors, 2), BY(dram_read_bytes, 2),
      BY(dram_throughput, 2), BY(l1_throughput, 2), WAITS(long_scoreboard, 0.4)}},
    {MATH,
     "barriers in shared memory",
     "barriers in memory",
     {BY(barrier_instructions, 8), BY(instructions, 1.02), WAITS(long_scoreboard, 0.4)}},
    {TILE,
     "barriers in shared memory, while the link is a little busier",
     "barriers in memory",
     {BY(barrier_instructions, 8), BY(instructions, 1.02), BY(l2_fabric, 1.15),
      BY(l2_throughput, 1.15), WAITS(long_scoreboard, 0.4)}},
    {TILE,
     "a link that is hardly used is a little busier",
     "fewer bytes in flight, or slower loads",
     {BY(l2_fabric, 1.15), BY(l2_throughput, 1.15), WAITS(long_scoreboard, 0.4)}},
    {STREAM,
     "lanes load a sector more, each its own",
     "waits for memory",
     {BY(global_load_requests, 2), BY(global_load_sectors, 1.25), BY(l1_to_l2_read_sectors, 1.25),
      WAITS(long_scoreboard, 0.5)}},
    {STREAM,
     "fewer loads in flight",
     "fewer bytes in flight, or slower loads",
     {WAITS(long_scoreboard, 0.4)}},
    {STREAM,
     "fewer warps fit",
     "fewer warps fit on an SM",
     {BY(occupancy_theoretical, 1 / 6.0), BY(occupancy_achieved, 0.27),
      WAITS(long_scoreboard, -0.4)}},
    {LATENCY,
     "fewer warps are launched",
     "fewer warps are launched",
     {BY(block, 0.5), BY(occupancy_achieved, 0.5)}},
    {LATENCY,
     "fewer warps are launched than fit, and fewer fit",
     "fewer warps are launched",
     {BY(block, 0.125), BY(occupancy_theoretical, 0.5), BY(occupancy_achieved, 0.2)}},
    {LATENCY,
     "one warp of a block has more to do",
     "warps end unevenly",
     {BY(occupancy_achieved, 0.6)}},
    {STREAM,
     "fewer warps fit, without effect, and fences",
     "fences",
     {BY(occupancy_theoretical, 1 / 3.0), BY(occupancy_achieved, 0.5),
      WAITS(long_scoreboard, -0.52), WAITS(membar, 0.15)}},
    {MATH,
     "fewer warps fit, without effect, and barriers",
     "barriers",
     {BY(occupancy_theoretical, 1 / 3.0), BY(occupancy_achieved, 0.5), WAITS(not_selected, -0.5),
      WAITS(barrier, 0.08)}},
    {LATENCY,
     "fences",
     "fences",
     {BY(instructions, 1.05), WAITS(membar, 0.5), BY(l2_sectors, 3), BY(l2_fabric, 4),
      BY(l1_throughput, 3)}},
    {STREAM,
     "atomics",
     "more global atomics",
     {TO(reduction_sectors, 4e6), TO(atomic_busy, 10), BY(l2_sectors, 1.6), BY(instructions, 1.05),
      WAITS(mio_throttle, 0.3), WAITS(lg_throttle, 0.2), WAITS(long_scoreboard, 0.1)}},
    {LATENCY,
     "atomics of which the old value is used",
     "more global atomics",
     {TO(atomic_sectors, 1e5), BY(l2_sectors, 1.1), BY(instructions, 1.05),
      WAITS(long_scoreboard, 0.8)}},
    {MATH,
     "atomics that meet at few addresses",
     "more global atomics",
     {TO(reduction_sectors, 2e4), TO(atomic_busy, 1), BY(instructions, 1.01),
      WAITS(lg_throttle, 0.5), WAITS(drain, 0.1)}},
    {STREAM,
     "atomics that meet at one address",
     "more global atomics",
     {TO(reduction_sectors, 2e4), BY(instructions, 1.01), WAITS(lg_throttle, 0.3),
      WAITS(drain, 0.1)}},
    {MATH,
     "a counter of blocks behind a fence",
     "fences",
     {TO(atomic_sectors, 528), BY(instructions, 1.01), WAITS(membar, 0.1),
      WAITS(long_scoreboard, 0.02), BY(l2_sectors, 1.1)}},
    {STREAM,
     "cp.async reads from DRAM twice",
     "more is read from DRAM",
     {BY(l1_to_l2_read_sectors, 2), BY(l2_sectors, 1.6), BY(dram_read_bytes, 2),
      BY(dram_throughput, 1.5), WAITS(long_scoreboard, 0.5)}},
    {LATENCY,
     "L1 holds less",
     "more is read from L2",
     {BY(l1_to_l2_read_sectors, 2), BY(l2_sectors, 1.6), WAITS(long_scoreboard, 0.5)}},
    {STREAM,
     "a warp of a block has more to do",
     "warps end unevenly",
     {BY(occupancy_achieved, 0.6), WAITS(long_scoreboard, -0.1)}},
    {STREAM,
     "fences, and twice as many stores",
     "fences",
     {BY(global_store_requests, 2), BY(global_store_sectors, 2), WAITS(membar, 0.5),
      WAITS(lg_throttle, 0.05), BY(l2_sectors, 1.3), BY(l2_fabric, 1.3)}},
    {TILE,
     "bank conflicts",
     "bank conflicts of loads",
     {TO(shared_load_conflicts, 13e6), BY(shared_load_wavefronts, 2), BY(l1_throughput, 1.5),
      WAITS(mio_throttle, 0.3), WAITS(short_scoreboard, 0.1), WAITS(barrier, 0.1)}},
    {STREAM,
     "bank conflicts",
     "bank conflicts of stores",
     {TO(shared_store_conflicts, 8e6), BY(shared_store_wavefronts, 8), BY(l1_throughput, 2.6),
      WAITS(mio_throttle, 0.2), WAITS(short_scoreboard, 0.1)}},
    {TILE,
     "more barriers than there were",
     "barriers",
     {BY(barrier_instructions, 2), BY(instructions, 1.02), WAITS(barrier, 0.3)}},
    {TILE,
     "warps come later to the same barriers",
     "waits at barriers",
     {BY(instructions, 1.02), WAITS(barrier, 0.3)}},
    {MATH,
     "lanes take turns",
     "divergence",
     {BY(active_lanes, 0.5), BY(instructions, 2), BY(issue_active, 2), BY(pipe_fma, 2),
      WAITS(not_selected, 0.8)}},
    {LATENCY,
     "lanes take turns",
     "divergence",
     {BY(active_lanes, 0.4), BY(instructions, 2.4), WAITS(wait, 0.25),
      WAITS(branch_resolving, 0.1)}},
    {MATH,
     "code that the cache does not hold",
     "more misses of the instruction cache",
     {BY(sass_instructions, 8), WAITS(no_instruction, 0.3), WAITS(not_selected, -0.1)}},
    {STREAM, "warps sleep", "asleep", {BY(instructions, 1.02), WAITS(sleeping, 0.3)}},
    {LATENCY, "constants that miss", "waits for constants", {WAITS(imc_miss, 0.4)}},
    {TILE,
     "shuffles",
     "waits for shared memory or a special function",
     {BY(instructions, 1.1), BY(pipe_lsu, 1.1), WAITS(short_scoreboard, 0.3), WAITS(wait, 0.04)}},
};

static struct sg_versus alike(enum base base)
{
    struct sg_versus sides = {.added_error = 0.001, .sm_count = SMS, .sm_warps = 64};
    for (size_t i = 0; i < SG_INPUT_COUNT; i++)
        sides.value[SG_WAS][i] = sides.value[SG_IS][i] = NAN;
    for (size_t i = 0; i < COUNT(bases); i++)
        sides.value[SG_WAS][bases[i].input] = bases[i].of[base];
    return sides;
}

static double sum_of_stalls(const double value[SG_INPUT_COUNT])
{
    double sum = value[SG_instructions] / (4 * SMS);
    for (int i = SG_stall_barrier; i <= SG_stall_wait; i++)
        sum += isnan(value[i]) ? 0 : value[i];
    return sum;
}

static void change(double is[SG_INPUT_COUNT], const struct other *other, double all)
{
    for (; other->kind != END; other++)
        if (other->kind == BY)
            is[other->input] *= other->much;
        else
            is[other->input] =
                other->kind == TO ? other->much : fmax(0, is[other->input] + other->much * all);
}

/* Cycles that follow from the warp-cycles, units by cycles, stalls an instruction. */
static void follow(double *value, const double *was, double active)
{
    const double before = value[SG_cycles], added = active - was[SG_sm_active_cycles];
    value[SG_sm_active_cycles] += added;
    value[SG_sm_active_cycles_max] += added;
    value[SG_cycles] += added;
    value[SG_time] *= value[SG_cycles] / before;
    for (int i = SG_AT_TENSOR; i <= SG_AT_L1; i++) {
        const enum sg_input input = sg_places[i].input;
        if (sg_places[i].kind == SG_OF_ELAPSED && was[input] > 0)
            value[input] *= before / value[SG_cycles];
        else if (sg_places[i].kind == SG_OF_ACTIVE)
            value[input] = fmin(99, value[input] * was[SG_sm_active_cycles] / active);
    }
    for (int i = SG_stall_barrier; i <= SG_stall_wait; i++)
        value[i] *= 100 * 4 * SMS / value[SG_instructions];
}

static void make(const struct row *row, struct sg_versus *sides)
{
    *sides = alike(row->base);
    double *was = sides->value[SG_WAS], *is = sides->value[SG_IS];
    was[SG_occupancy_achieved] = 100 * sum_of_stalls(was) / (16 * was[SG_sm_active_cycles]);
    memcpy(is, was, sizeof(sides->value[SG_IS]));
    change(is, row->other, sum_of_stalls(was));
    follow(is, was, 100 * sum_of_stalls(is) / (16 * is[SG_occupancy_achieved]));
    follow(was, was, was[SG_sm_active_cycles]);
    sides->added = is[SG_cycles] / was[SG_cycles] - 1;
}

static void check_sum(const char *kernel, const struct sg_found *found)
{
    double sum = 0;
    for (int i = 0; i < SG_PLACE_COUNT; i++)
        sum += found->split.points[i];
    assert_near(kernel, sum, found->split.added, 1e-6);
}

TEST(a_mechanism_comes_first_on_each_kind_of_kernel)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_versus sides;
        struct sg_found found;
        make(&rows[i], &sides);
        sg_causes_find(&sides, &found);
        const struct sg_cause *first = &found.cause[0];
        const char *name = found.count == 0   ? "none"
                           : first->mechanism ? first->mechanism->name
                                              : sg_places[first->place].name;
        check_sum(rows[i].kernel, &found);
        if (strcmp(name, rows[i].first) != 0 || !(first->points >= 0.6 * found.split.added))
            fail_msg("%s: %s, %.1f of %.1f points, and not %s", rows[i].kernel, name, first->points,
                     found.split.added, rows[i].first);
    }
}
