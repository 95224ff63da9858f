/*
 * injected_plan.h - what an injected slowdown adds, and how much longer it makes a launch: the
 * truth that measurements are held against.
 *
 * Plain C, so that a test without a GPU can add up every piece and recompute
 * tests/data/injected/truth.csv from it. Slowdowns are given in basis points, hundredths of a
 * percent. Invariant: a step of INJECTED_STEP_BP is a whole number of turns of every thread of a
 * chain, and of tiles of a copy, so nothing is rounded, and all blocks of a kernel do the same.
 *
 * The truth is nominal: it rests on the constants below, for one GPU. None of them may be fitted to
 * what is read of an injected slowdown: they come from times of other kernels and from machine
 * code, and from the times of `exact` over its cases once those are measured.
 */
#ifndef INJECTED_PLAN_H
#define INJECTED_PLAN_H

#include "solgate_kernel.h"

#ifdef __CUDACC__
#define INJECTED_BOTH __host__ __device__ static inline
#else
#define INJECTED_BOTH static inline
#endif

enum {
    INJECTED_ELEMENTS,
    INJECTED_TURNS,
    INJECTED_PASSES
}; /* dimensions; a chain has no passes, a copy no turns */

#define INJECTED_BLOCKS \
    132 /* of a chain: one a multiprocessor of an H200, so nothing waits for a second wave */
#define INJECTED_FULL_BP 10000 /* all there is */
#define INJECTED_STEP_BP 25    /* the smallest slowdown; every other one is a multiple of it */
#define INJECTED_MOST_BP 400   /* copies keep so much room to spare */

/* A chain: every thread does turns of dependent fused multiply-adds. A
 * step is a 400th of the whole launch. */
#define INJECTED_CHAIN_THREADS 256
#define INJECTED_TURN_FMAS     4 /* even, see injected_chain */

/* A copy: every block moves one tile. A step is a 400th of the tiles. */
#define INJECTED_COPY_THREADS 256
#define INJECTED_TILE_LOADS   4 /* of 16 bytes, by each thread, in one go */
#define INJECTED_COPY_RESIDENT \
    (INJECTED_BLOCKS * 8) /* blocks that run at once: all 2048 threads of each multiprocessor */
#define INJECTED_COPY_LAST \
    (INJECTED_BLOCKS *     \
     4) /* blocks that wait, half of those: none of them takes the place of another */

/*
 * A spin: watching the cycle counter. Every variant waits, so that the way in and out costs all
 * the same, and for so many looks that even the shortest wait is longer than what hides behind
 * it: fetching the loop's instructions for the first time takes 100 to 250 cycles, and the other
 * warps are at the barrier by then.
 */
#define INJECTED_LOOK_CYCLES \
    36 /* of the loop: 28 that its machine code stalls for, and 8 for the branch */
#define INJECTED_LEAST_LOOKS   24
#define INJECTED_WAIT_LAUNCHES 4 /* timed ones of a batch, over which the looks are spread */

/*
 * H200 SXM, straight lines through the times of `exact`
 * (studies/injected_slowdown.py prints them). Chains, in cycles over turns: a turn
 * is 29.0 cycles, the launch with its least wait 3740 to 3800, and none of the five times is
 * off the line by more than 0.12 %. Copies, over bytes: 4145 to 4174 bytes a nanosecond and
 * 3.1 to 3.3 us for the launch, the first answers of DRAM and the least wait, by the GPU:
 * times are off these constants by up to 1.6 % (15 us) and 0.2 % (400 us).
 */
#define INJECTED_CLOCK_HZ    1.98e9
#define INJECTED_TURN_CYCLES 29
#define INJECTED_LAUNCH_CYCLES \
    3741 /* of a chain; whole turns, so that a step is a whole number of them */
#define INJECTED_COPY_LAUNCH_NS    3100.0
#define INJECTED_COPY_BYTES_PER_NS 4162.0 /* read and written */

/* What follows from these numbers. A pass is whole laps: so many tiles that
 * a step of them is one tile more. */
enum {
    INJECTED_STEPS = INJECTED_FULL_BP / INJECTED_STEP_BP,
    INJECTED_LAUNCH_TURNS = INJECTED_LAUNCH_CYCLES / INJECTED_TURN_CYCLES,
    INJECTED_CHAIN_ELEMENTS = INJECTED_BLOCKS * INJECTED_CHAIN_THREADS,
    INJECTED_TILE_VECTORS = INJECTED_TILE_LOADS * INJECTED_COPY_THREADS, /* of 16 bytes */
    INJECTED_TILE_FLOATS = INJECTED_TILE_VECTORS * 4,
    INJECTED_LAP_TILES = INJECTED_STEPS,
    INJECTED_LAP_FLOATS = INJECTED_LAP_TILES * INJECTED_TILE_FLOATS,
};

/* How a variant is slower than the exact one. */
struct injected_slowdown {
    int work_bp; /* more turns, or more bytes */
    int spin_bp; /* of the nominal time, spun away */
};

INJECTED_BOTH bool injected_is_chain(const struct sg_case *c)
{
    return c->dim[INJECTED_TURNS] > 0;
}

/* Turns more than the case has. */
INJECTED_BOTH int injected_turns_more(const struct sg_case *c, int work_bp)
{
    return (int)((c->dim[INJECTED_TURNS] + INJECTED_LAUNCH_TURNS) / INJECTED_STEPS) *
           (work_bp / INJECTED_STEP_BP);
}

/* Tiles of a copy in one pass over all elements. */
INJECTED_BOTH int injected_pass_tiles(const struct sg_case *c)
{
    return (int)(c->dim[INJECTED_ELEMENTS] / INJECTED_TILE_FLOATS);
}

/* Tiles that a copy has more than those of its passes. */
INJECTED_BOTH int injected_tiles_more(const struct sg_case *c, int work_bp)
{
    return injected_pass_tiles(c) * (int)c->dim[INJECTED_PASSES] / INJECTED_LAP_TILES *
           (work_bp / INJECTED_STEP_BP);
}

/* Room for the tiles of the largest slowdown. */
INJECTED_BOTH int64_t injected_spare_floats(const struct sg_case *c)
{
    return (int64_t)injected_tiles_more(c, INJECTED_MOST_BP) * INJECTED_TILE_FLOATS;
}

struct injected_tile {
    bool more;  /* beyond the tiles of the passes: in the spare buffers */
    int number; /* of its kind, in the order of the blocks */
};

/*
 * What a block copies, of a copy with `tiles` in its passes. What is more comes last, as
 * one more stretch of both streams: between the others it read and wrote in two places
 * more, and 1 % of bytes took 1.05 %.
 */
INJECTED_BOTH struct injected_tile injected_tile_of(int block, int tiles)
{
    return block < tiles ? (struct injected_tile){false, block}
                         : (struct injected_tile){true, block - tiles};
}

/* The time that all bytes of a copy take, both ways and all passes. */
INJECTED_BOTH double injected_copy_ns(const struct sg_case *c)
{
    return 2.0 * sizeof(float) * (double)c->dim[INJECTED_ELEMENTS] *
           (double)c->dim[INJECTED_PASSES] / INJECTED_COPY_BYTES_PER_NS;
}

INJECTED_BOTH double injected_cycles_ns(double cycles)
{
    return cycles / INJECTED_CLOCK_HZ * 1e9;
}

/* Of one launch of the exact variant. */
INJECTED_BOTH double injected_nominal_ns(const struct sg_case *c)
{
    if (injected_is_chain(c))
        return injected_cycles_ns((double)(c->dim[INJECTED_TURNS] + INJECTED_LAUNCH_TURNS) *
                                  INJECTED_TURN_CYCLES);
    return INJECTED_COPY_LAUNCH_NS + injected_copy_ns(c);
}

INJECTED_BOTH int injected_spin_cycles(const struct sg_case *c, int spin_bp)
{
    return (int)(injected_nominal_ns(c) * 1e-9 * INJECTED_CLOCK_HZ * spin_bp / INJECTED_FULL_BP +
                 0.5);
}

/*
 * What blocks of a chain wait for before they begin, and the last ones of a copy at their end. A
 * wait ends at a look, up to one late; launch by launch it is a part of a look longer, so that over
 * a batch waits are true on average, to an eighth of a look.
 */
INJECTED_BOTH int injected_wait_cycles(const struct sg_case *c, int spin_bp, uint64_t launch)
{
    const int part =
        (int)(launch % INJECTED_WAIT_LAUNCHES) * INJECTED_LOOK_CYCLES / INJECTED_WAIT_LAUNCHES;
    return injected_spin_cycles(c, spin_bp) + INJECTED_LEAST_LOOKS * INJECTED_LOOK_CYCLES + part;
}

/* Time of the slower launch over time of the exact one. */
INJECTED_BOTH double injected_true_ratio(const struct sg_case *c, struct injected_slowdown s)
{
    const double work_ns =
        injected_is_chain(c)
            ? injected_cycles_ns((double)injected_turns_more(c, s.work_bp) * INJECTED_TURN_CYCLES)
            : injected_copy_ns(c) * s.work_bp / INJECTED_FULL_BP;
    return 1 + (work_ns + injected_cycles_ns(injected_spin_cycles(c, s.spin_bp))) /
                   injected_nominal_ns(c);
}

#endif
