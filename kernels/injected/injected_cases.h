/*
 * injected_cases.h - the cases of the family injected, for the family itself and for the
 * test that recomputes their truth.
 *
 * A name says about how long a launch takes on an H200: so many turns in each of INJECTED_STEPS
 * parts, the launch among them, or laps of a copy. No copy is shorter than 15 us, because it would
 * fit into L2. The longest goes over a third of its bytes three times, so that there is less to
 * check: a byte comes again when eight times the L2 has passed through it.
 */
#ifndef INJECTED_CASES_H
#define INJECTED_CASES_H

#include "injected_plan.h"

#define INJECTED_PARTS(turns) ((int64_t)INJECTED_STEPS * (turns)-INJECTED_LAUNCH_TURNS)
#define INJECTED_LAPS(laps)   ((int64_t)INJECTED_LAP_FLOATS * (laps))

static const struct sg_case injected_cases[] = {
    {.name = "fma_5us",
     .dim = {INJECTED_CHAIN_ELEMENTS, INJECTED_PARTS(1), 0},
     .dtype = SG_F32,
     .summary = "a quarter of it is the launch"},
    {.name = "fma_15us",
     .dim = {INJECTED_CHAIN_ELEMENTS, INJECTED_PARTS(3), 0},
     .dtype = SG_F32,
     .summary = "follows the clock"},
    {.name = "fma_40us",
     .dim = {INJECTED_CHAIN_ELEMENTS, INJECTED_PARTS(7), 0},
     .dtype = SG_F32,
     .summary = "follows the clock"},
    {.name = "fma_120us",
     .dim = {INJECTED_CHAIN_ELEMENTS, INJECTED_PARTS(20), 0},
     .dtype = SG_F32,
     .summary = "follows the clock"},
    {.name = "fma_400us",
     .dim = {INJECTED_CHAIN_ELEMENTS, INJECTED_PARTS(68), 0},
     .dtype = SG_F32,
     .summary = "follows the clock"},
    {.name = "copy_15us",
     .dim = {INJECTED_LAPS(4), 0, 1},
     .dtype = SG_F32,
     .summary = "follows DRAM; 26 MB each way, nearly an L2"},
    {.name = "copy_40us",
     .dim = {INJECTED_LAPS(12), 0, 1},
     .dtype = SG_F32,
     .summary = "follows DRAM; 79 MB each way"},
    {.name = "copy_120us",
     .dim = {INJECTED_LAPS(36), 0, 1},
     .dtype = SG_F32,
     .summary = "follows DRAM; 236 MB each way"},
    {.name = "copy_400us",
     .dim = {INJECTED_LAPS(41), 0, 3},
     .dtype = SG_F32,
     .summary = "follows DRAM; 269 MB each way, three times"},
};

#endif
