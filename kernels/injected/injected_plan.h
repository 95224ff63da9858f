/*
 * injected_plan.h - what an injected slowdown adds, and how much longer it makes a launch: the truth that measurements are held against.
 *
 * Plain C, so that a test without a GPU can add up every piece and recompute tests/data/injected/truth.csv from it. Slowdowns are given in
 * basis points, hundredths of a percent. Invariant: a step of INJECTED_STEP_BP is a whole number of turns of every thread of a chain, and
 * of rows of every block of a copy, so nothing is rounded and all multiprocessors get the same.
 *
 * The truth is nominal: it rests on the constants below, for one GPU. None of them may be fitted to what is read of an injected slowdown:
 * they come from times of other kernels and from machine code, and from the times of `exact` over its cases once those are measured.
 */
#ifndef INJECTED_PLAN_H
#define INJECTED_PLAN_H

#include "solgate_kernel.h"

#ifdef __CUDACC__
#define INJECTED_BOTH __host__ __device__ static inline
#else
#define INJECTED_BOTH static inline
#endif

enum { INJECTED_ELEMENTS, INJECTED_TURNS, INJECTED_PASSES }; /* dimensions; a chain has no passes, a copy no turns */

#define INJECTED_BLOCKS  132   /* one a multiprocessor of an H200: nothing ever waits for a second wave */
#define INJECTED_FULL_BP 10000 /* all there is */
#define INJECTED_STEP_BP 25    /* the smallest slowdown; every other one is a multiple of it */
#define INJECTED_MOST_BP 400   /* copies keep so much room to spare */

/* A chain: every thread does turns of dependent fused multiply-adds. A step is a 400th of the whole launch. */
#define INJECTED_CHAIN_THREADS 256
#define INJECTED_TURN_FMAS     4 /* even, see injected_chain */

/* A copy: every block moves rows of 512 bytes; a slot is four of them, by one warp in one go. A step is a 400th of the rows. */
#define INJECTED_COPY_THREADS 800
#define INJECTED_SLOT_ROWS    4
#define INJECTED_ROW_VECTORS  32 /* of 16 bytes, one a lane */

/* A spin: watching the cycle counter. The exact variant does it too, for two looks, so that the way in and out costs all the same. */
#define INJECTED_LOOK_CYCLES   36 /* of the loop: 28 that its machine code stalls for, and 8 for the branch */
#define INJECTED_WAIT_LAUNCHES 4  /* timed ones of a visit, over which the looks are spread */

/*
 * One H200 SXM, times of kernels/reference on record there: 1 and 2 % more of its chain take 0.97 and 1.95 % more of 51.35 us, so 1.5 us
 * are the launch and the rest are 2300 turns of 43 cycles: the 35 that its machine code stalls for, and 8 for the branch. By the same
 * count a turn here is 23 + 8. The launch has 130 cycles more than there, for looking at the clock and for the barrier. 268 MB copied there
 * take 67.3 us, of which some 2 us are the launch and the first answers of DRAM.
 */
#define INJECTED_CLOCK_HZ          1.98e9
#define INJECTED_TURN_CYCLES       31
#define INJECTED_LAUNCH_CYCLES     3100 /* of a chain; whole turns, so that a step is a whole number of them */
#define INJECTED_COPY_LAUNCH_NS    2060.0
#define INJECTED_COPY_BYTES_PER_NS 4110.0 /* read and written */

/* What follows from these numbers. A lap is so many slots of each block that a step of their rows is one row more. */
enum {
    INJECTED_STEPS = INJECTED_FULL_BP / INJECTED_STEP_BP,
    INJECTED_LAUNCH_TURNS = INJECTED_LAUNCH_CYCLES / INJECTED_TURN_CYCLES,
    INJECTED_CHAIN_ELEMENTS = INJECTED_BLOCKS * INJECTED_CHAIN_THREADS,
    INJECTED_COPY_WARPS = INJECTED_COPY_THREADS / INJECTED_ROW_VECTORS,
    INJECTED_ROW_FLOATS = INJECTED_ROW_VECTORS * 4,
    INJECTED_LAP_SLOTS = INJECTED_STEPS / INJECTED_SLOT_ROWS,
    INJECTED_LAP_FLOATS = INJECTED_BLOCKS * INJECTED_STEPS * INJECTED_ROW_FLOATS, /* of all blocks */
};

/* How a variant is slower than the exact one. */
struct injected_slowdown {
    int work_bp; /* more turns, or more bytes */
    int spin_bp; /* of the nominal time, spun away before the work begins */
};

INJECTED_BOTH bool injected_is_chain(const struct sg_case *c)
{
    return c->dim[INJECTED_TURNS] > 0;
}

/* Turns more than the case has. */
INJECTED_BOTH int injected_turns_more(const struct sg_case *c, int work_bp)
{
    return (int)((c->dim[INJECTED_TURNS] + INJECTED_LAUNCH_TURNS) / INJECTED_STEPS) * (work_bp / INJECTED_STEP_BP);
}

/* Slots of a block in one pass over all elements. */
INJECTED_BOTH int injected_pass_slots(const struct sg_case *c)
{
    return (int)(c->dim[INJECTED_ELEMENTS] / INJECTED_LAP_FLOATS) * INJECTED_LAP_SLOTS;
}

/* The first row of a block's slot; the next ones are INJECTED_COPY_WARPS apart, so that the warps of a block are neighbours. */
INJECTED_BOTH int64_t injected_first_row(int slot, int pass_slots, int block)
{
    const int64_t round = slot % pass_slots / INJECTED_COPY_WARPS;
    return (round * INJECTED_BLOCKS + block) * INJECTED_SLOT_ROWS * INJECTED_COPY_WARPS + slot % INJECTED_COPY_WARPS;
}

/* Rows beyond its own that a block has copied when it comes to slot number `slot`; the slot copies one itself if the next number is higher.
 */
INJECTED_BOTH int injected_rows_before(int slot, int work_bp)
{
    return (slot * (work_bp / INJECTED_STEP_BP) + INJECTED_LAP_SLOTS / 2) / INJECTED_LAP_SLOTS;
}

/* Room for the rows of the largest slowdown, all blocks, all passes. */
INJECTED_BOTH int64_t injected_spare_floats(const struct sg_case *c)
{
    return c->dim[INJECTED_ELEMENTS] * c->dim[INJECTED_PASSES] / INJECTED_STEPS * (INJECTED_MOST_BP / INJECTED_STEP_BP);
}

/* The time that all bytes of a copy take, both ways and all passes. */
INJECTED_BOTH double injected_copy_ns(const struct sg_case *c)
{
    return 2.0 * sizeof(float) * (double)c->dim[INJECTED_ELEMENTS] * (double)c->dim[INJECTED_PASSES] / INJECTED_COPY_BYTES_PER_NS;
}

INJECTED_BOTH double injected_cycles_ns(double cycles)
{
    return cycles / INJECTED_CLOCK_HZ * 1e9;
}

/* Of one launch of the exact variant. */
INJECTED_BOTH double injected_nominal_ns(const struct sg_case *c)
{
    if (injected_is_chain(c))
        return injected_cycles_ns((double)(c->dim[INJECTED_TURNS] + INJECTED_LAUNCH_TURNS) * INJECTED_TURN_CYCLES);
    return INJECTED_COPY_LAUNCH_NS + injected_copy_ns(c);
}

INJECTED_BOTH int injected_spin_cycles(const struct sg_case *c, int spin_bp)
{
    return (int)(injected_nominal_ns(c) * 1e-9 * INJECTED_CLOCK_HZ * spin_bp / INJECTED_FULL_BP + 0.5);
}

/*
 * What a block waits for before it begins. A wait ends at a look, up to one late; launch by launch it is a part of a look longer, so that
 * over a visit waits are true on average, to an eighth of a look.
 */
INJECTED_BOTH int injected_wait_cycles(const struct sg_case *c, int spin_bp, uint64_t launch)
{
    const int part = (int)(launch % INJECTED_WAIT_LAUNCHES) * INJECTED_LOOK_CYCLES / INJECTED_WAIT_LAUNCHES;
    return injected_spin_cycles(c, spin_bp) + 2 * INJECTED_LOOK_CYCLES + part;
}

/* Time of the slower launch over time of the exact one. */
INJECTED_BOTH double injected_true_ratio(const struct sg_case *c, struct injected_slowdown s)
{
    const double work_ns = injected_is_chain(c) ? injected_cycles_ns((double)injected_turns_more(c, s.work_bp) * INJECTED_TURN_CYCLES)
                                                : injected_copy_ns(c) * s.work_bp / INJECTED_FULL_BP;
    return 1 + (work_ns + injected_cycles_ns(injected_spin_cycles(c, s.spin_bp))) / injected_nominal_ns(c);
}

#endif
