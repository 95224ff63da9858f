/* The table of causes. A change is the ln of a factor by which there is more of something for the
 * same work, of exact counts and of what is made of them. */
#include <math.h>

#include "diagnose/causes.h"

static double value(const struct sg_versus *sides, int side, enum sg_input input)
{
    return sides->value[side][input];
}

static double grew(const struct sg_versus *sides, enum sg_input input)
{
    return sg_ln_ratio(value(sides, SG_WAS, input), value(sides, SG_IS, input));
}

/* 0 for what is less or about the same: loops that poll and lost arbitration move the last digits. */
static double beyond(double change, double floor)
{
    return change > floor ? change : 0;
}

/* NaN of NaN, which fmax is not. */
static double at_least(double least, double number)
{
    return number < least ? least : number;
}

static double or_0(double number)
{
    return isnan(number) ? 0 : number;
}

/* ---- launch and clock ---- */

static double more_kernels(const struct sg_versus *sides)
{
    return grew(sides, SG_kernels);
}

static double lower_clock(const struct sg_versus *sides)
{
    return beyond(-grew(sides, SG_sm_clock), 0.003);
}

static double fewer_sms(const struct sg_versus *sides)
{
    return sg_ln_ratio(sg_sms_per_used(sides, SG_WAS), sg_sms_per_used(sides, SG_IS));
}

/* Another number of blocks, or of those that fit. */
static double other_waves(const struct sg_versus *sides)
{
    return beyond(fabs(grew(sides, SG_grid)) + fabs(or_0(grew(sides, SG_occupancy_theoretical))), 0);
}

/* Cycles of the launch over those of a mean SM that has blocks. */
static double imbalance(const struct sg_versus *sides, int side)
{
    const enum sg_input whole = sg_has(sides, SG_sm_active_cycles_max) ? SG_sm_active_cycles_max : SG_cycles;
    return value(sides, side, whole) / (value(sides, side, SG_sm_active_cycles) * sg_sms_per_used(sides, side));
}

static double more_imbalance(const struct sg_versus *sides)
{
    return beyond(sg_ln_ratio(imbalance(sides, SG_WAS), imbalance(sides, SG_IS)), 0.01);
}

/* ---- resident warps ---- */

static double fewer_warps(const struct sg_versus *sides)
{
    return beyond(sg_ln_ratio(sg_resident_warps(sides, SG_IS), sg_resident_warps(sides, SG_WAS)), 0.05);
}

static double launched_warps(const struct sg_versus *sides, int side)
{
    return value(sides, side, SG_grid) * ceil(value(sides, side, SG_block) / 32);
}

/* Do all warps of the launch fit at once? */
static bool all_fit(const struct sg_versus *sides, int side)
{
    return launched_warps(sides, side) <= value(sides, side, SG_occupancy_theoretical) / 100 * sides->sm_warps * sides->sm_count;
}

static double fewer_warps_fit(const struct sg_versus *sides)
{
    return !all_fit(sides, SG_IS) && grew(sides, SG_occupancy_theoretical) < 0 ? fewer_warps(sides) : 0;
}

static double fewer_warps_launched(const struct sg_versus *sides)
{
    return all_fit(sides, SG_IS) && launched_warps(sides, SG_IS) < launched_warps(sides, SG_WAS) ? fewer_warps(sides) : 0;
}

static double uneven_warps(const struct sg_versus *sides)
{
    return fewer_warps_fit(sides) == 0 && fewer_warps_launched(sides) == 0 ? fewer_warps(sides) : 0;
}

static double fewer_stages(const struct sg_versus *sides)
{
    return -grew(sides, SG_stages_ab);
}

/* ---- global and local memory ---- */

/* Is the path that data take the same, by the SM's loads or by TMA? Else numbers of loads are no
 * measure of each other. */
static bool same_path(const struct sg_versus *sides)
{
    return !sg_has(sides, SG_pipe_tma) || (value(sides, SG_WAS, SG_pipe_tma) > 0) == (value(sides, SG_IS, SG_pipe_tma) > 0);
}

/* Sectors that L1 moves over all paths, in the measure of which a few loads are nothing. */
static double all_sectors(const struct sg_versus *sides, int side)
{
    return fmax(or_0(value(sides, side, SG_global_load_sectors)), or_0(value(sides, side, SG_l1_to_l2_read_sectors))) +
           or_0(value(sides, side, SG_global_store_sectors));
}

/* ln of a factor that one kind of access has, as one of all that L1 moves. */
static double of_all_sectors(const struct sg_versus *sides, enum sg_input sectors, double change)
{
    const double part =
        fmin(1, fmax(value(sides, SG_IS, sectors) / all_sectors(sides, SG_IS), value(sides, SG_WAS, sectors) / all_sectors(sides, SG_WAS)));
    return same_path(sides) && change > 0.02 ? log1p(expm1(fmin(change, SG_LN_MAX)) * part) : 0;
}

static double scattered(const struct sg_versus *sides, enum sg_input requests, enum sg_input sectors)
{
    return of_all_sectors(sides, sectors, grew(sides, sectors) - at_least(0, grew(sides, requests)));
}

static double narrower(const struct sg_versus *sides, enum sg_input requests, enum sg_input sectors)
{
    const double change = grew(sides, requests) - at_least(0, grew(sides, sectors));
    return of_all_sectors(sides, sectors, beyond(change, 0.15));
}

static double more(const struct sg_versus *sides, enum sg_input requests, enum sg_input sectors)
{
    return of_all_sectors(sides, sectors, fmin(grew(sides, requests), grew(sides, sectors)));
}

static double scattered_loads(const struct sg_versus *sides)
{
    return scattered(sides, SG_global_load_requests, SG_global_load_sectors);
}

static double scattered_stores(const struct sg_versus *sides)
{
    return scattered(sides, SG_global_store_requests, SG_global_store_sectors);
}

static double narrower_loads(const struct sg_versus *sides)
{
    return narrower(sides, SG_global_load_requests, SG_global_load_sectors);
}

static double narrower_stores(const struct sg_versus *sides)
{
    return narrower(sides, SG_global_store_requests, SG_global_store_sectors);
}

static double more_loads(const struct sg_versus *sides)
{
    return more(sides, SG_global_load_requests, SG_global_load_sectors);
}

static double more_stores(const struct sg_versus *sides)
{
    return more(sides, SG_global_store_requests, SG_global_store_sectors);
}

static double spills(const struct sg_versus *sides)
{
    const double was = value(sides, SG_WAS, SG_local_load_sectors) + value(sides, SG_WAS, SG_local_store_sectors);
    const double is = value(sides, SG_IS, SG_local_load_sectors) + value(sides, SG_IS, SG_local_store_sectors);
    return is > was ? beyond(log1p((is - was) / fmax(1, all_sectors(sides, SG_IS))), 0.01) : 0;
}

static double more_from_l2(const struct sg_versus *sides)
{
    const double loads = same_path(sides) ? at_least(0, or_0(grew(sides, SG_global_load_sectors))) : 0;
    return beyond(grew(sides, SG_l1_to_l2_read_sectors) - loads, 0.02);
}

static double more_from_dram(const struct sg_versus *sides)
{
    return beyond(grew(sides, SG_dram_read_bytes) - at_least(0, or_0(grew(sides, SG_l1_to_l2_read_sectors))), 0.02);
}

/* A unit that has next to nothing to do takes no time. */
#define BUSY_MIN 0.1

static double busier(const struct sg_versus *sides, enum sg_place unit, double floor)
{
    if (sg_busy_cycles(sides, SG_IS, unit) < BUSY_MIN * value(sides, SG_IS, SG_sm_active_cycles))
        return 0;
    return beyond(sg_ln_ratio(sg_busy_cycles(sides, SG_WAS, unit), sg_busy_cycles(sides, SG_IS, unit)), floor);
}

static double more_fabric(const struct sg_versus *sides)
{
    return beyond(busier(sides, SG_AT_FABRIC, 0.05) - at_least(0, or_0(grew(sides, SG_l1_to_l2_read_sectors))), 0.05);
}

static double smaller_boxes(const struct sg_versus *sides)
{
    return beyond(grew(sides, SG_tma_instructions) - at_least(0, grew(sides, SG_tma_load_bytes)), 0.05);
}

static double more_tma_bytes(const struct sg_versus *sides)
{
    return same_path(sides) ? beyond(grew(sides, SG_tma_load_bytes), 0.02) : 0;
}

static double more_atomics(const struct sg_versus *sides)
{
    return beyond(grew(sides, SG_atomic_sectors), 0.02);
}

/* ---- shared memory ---- */

static double wavefronts(const struct sg_versus *sides, int side)
{
    return value(sides, side, SG_shared_load_wavefronts) + value(sides, side, SG_shared_store_wavefronts);
}

static double ideal_wavefronts(const struct sg_versus *sides, int side)
{
    return wavefronts(sides, side) - value(sides, side, SG_shared_load_conflicts) - value(sides, side, SG_shared_store_conflicts);
}

/* What conflicts of one kind make of all wavefronts. */
static double conflicts(const struct sg_versus *sides, enum sg_input kind)
{
    double factor[SG_SIDES];
    for (int s = 0; s < SG_SIDES; s++)
        factor[s] = 1 + value(sides, s, kind) / at_least(1, ideal_wavefronts(sides, s));
    return beyond(sg_ln_ratio(factor[SG_WAS], factor[SG_IS]), 0.1);
}

static double load_conflicts(const struct sg_versus *sides)
{
    return conflicts(sides, SG_shared_load_conflicts);
}

static double store_conflicts(const struct sg_versus *sides)
{
    return conflicts(sides, SG_shared_store_conflicts);
}

static double more_shared(const struct sg_versus *sides)
{
    return beyond(sg_ln_ratio(at_least(1, ideal_wavefronts(sides, SG_WAS)), at_least(1, ideal_wavefronts(sides, SG_IS))), 0.05);
}

static double more_shared_atomics(const struct sg_versus *sides)
{
    return beyond(grew(sides, SG_shared_atomics), 0.02);
}

/* ---- instructions and pipes ---- */

static double fewer_lanes(const struct sg_versus *sides)
{
    return beyond(-grew(sides, SG_active_lanes), 0.02);
}

static double more_instructions(const struct sg_versus *sides)
{
    return beyond(grew(sides, SG_instructions) - or_0(fewer_lanes(sides)), 0.002);
}

static double more_misses_of_code(const struct sg_versus *sides)
{
    return beyond(grew(sides, SG_instruction_cache_misses) - at_least(0, grew(sides, SG_instructions)), 0.2);
}

static double serialised(const struct sg_versus *sides)
{
    return value(sides, SG_IS, SG_compiler_notes) > value(sides, SG_WAS, SG_compiler_notes) ? SG_LN_MAX : 0;
}

/* Warps that never waited at one did not meet any. */
static double none_before(const struct sg_versus *sides, enum sg_input stall)
{
    return value(sides, SG_WAS, stall) < 0.5 && value(sides, SG_IS, stall) > 5 ? SG_LN_MAX : 0;
}

static double new_barriers(const struct sg_versus *sides)
{
    return none_before(sides, SG_stall_barrier);
}

static double new_fences(const struct sg_versus *sides)
{
    return none_before(sides, SG_stall_membar);
}

#define PIPE(function, place)                             \
    static double function(const struct sg_versus *sides) \
    {                                                     \
        return busier(sides, place, 0.02);                \
    }
PIPE(more_tensor, SG_AT_TENSOR)
PIPE(more_tc, SG_AT_TC)
PIPE(more_fp64, SG_AT_FP64)
PIPE(more_xu, SG_AT_XU)
PIPE(more_fma, SG_AT_FMA)
PIPE(more_alu, SG_AT_ALU)

/* ---- the table ---- */

#define AT(place) (UINT64_C(1) << SG_AT_##place)
#define IDLE      (AT(FEW_BLOCKS) | AT(WAVES) | AT(ENDS) | AT(IMBALANCE))
#define MEMORY    (AT(LONG) | AT(LG) | AT(DRAIN) | AT(L1) | AT(L2) | AT(FABRIC) | AT(DRAM))
#define ISSUING   (AT(ISSUE) | AT(ISSUED) | AT(CHAIN) | AT(NOT_SELECTED) | AT(DISPATCH) | AT(OTHER))
#define PIPES     (AT(MATH) | AT(CHAIN) | AT(NOT_SELECTED) | AT(SHORT) | AT(OTHER))
#define BANKS     (AT(SHARED) | AT(LSU) | AT(L1) | AT(SHORT) | AT(MIO) | AT(BARRIER))
#define WAITS     (AT(LONG) | AT(SHORT) | AT(CHAIN) | AT(BARRIER) | AT(GMMA) | AT(BRANCH) | AT(MEMBAR) | AT(DRAIN) | AT(OTHER))
#define EVIDENCE(...) \
    {                 \
        __VA_ARGS__   \
    }
#define NO SG_INPUT_COUNT

const struct sg_mechanism sg_mechanisms[] = {
    {"more kernels a launch",
     "each costs its start and its end",
     "fuse them, or capture them in a graph",
     more_kernels,
     AT(LAUNCHES) | AT(ENDS),
     true,
     {SG_kernels, NO, NO}},
    {"a lower clock",
     "power or temperature, or a unit that takes more of it",
     "compare at a locked clock",
     lower_clock,
     AT(CLOCK),
     false,
     {SG_sm_clock, NO, NO}},
    {"too few blocks", "SMs have no work", "cut the work into more blocks", fewer_sms, AT(FEW_BLOCKS), true, {SG_grid, NO, NO}},
    {"a last wave that is not full",
     "SMs idle while others do a last block",
     "change the number of blocks or what an SM holds of them",
     other_waves,
     AT(WAVES),
     false,
     {SG_grid, SG_occupancy_theoretical, NO}},
    {"imbalance between SMs",
     "SMs have ended and wait for those that have more to do",
     "give out the largest blocks first, or cut them, so that all end together",
     more_imbalance,
     AT(IMBALANCE),
     false,
     {SG_sm_active_cycles, NO, NO}},
    {"fewer warps fit on an SM",
     "too few are there to hide what each waits for",
     "take less of what limits them",
     fewer_warps_fit,
     WAITS,
     false,
     {SG_occupancy_theoretical, SG_occupancy_achieved, SG_registers}},
    {"fewer warps are launched",
     "too few are there to hide what each waits for",
     "more threads, or more work in flight in each",
     fewer_warps_launched,
     WAITS,
     false,
     {SG_grid, SG_block, SG_occupancy_achieved}},
    {"warps end unevenly",
     "too few are left to hide what each waits for",
     "give warps of a block the same work",
     uneven_warps,
     WAITS,
     false,
     {SG_occupancy_achieved, NO, NO}},
    {"fewer stages",
     "fewer loads are in flight, and what a load takes is waited for",
     "more stages, or smaller ones",
     fewer_stages,
     AT(LONG) | AT(BARRIER) | AT(BRANCH) | AT(SLEEP) | AT(OTHER),
     true,
     {SG_stages_ab, NO, NO}},
    {"uncoalesced loads",
     "the lanes of a warp touch more sectors for the same request",
     "let neighbouring lanes read neighbouring bytes",
     scattered_loads,
     MEMORY | AT(LSU),
     true,
     {SG_global_load_sectors, SG_global_load_requests, NO}},
    {"uncoalesced stores",
     "the lanes of a warp touch more sectors for the same request",
     "let neighbouring lanes write neighbouring bytes",
     scattered_stores,
     MEMORY | AT(LSU),
     true,
     {SG_global_store_sectors, SG_global_store_requests, NO}},
    {"narrower loads",
     "the same data by more requests, of which fewer bytes are in flight",
     "loads of 16 bytes a lane",
     narrower_loads,
     MEMORY | AT(LSU) | AT(MIO) | ISSUING,
     true,
     {SG_global_load_requests, SG_global_load_sectors, NO}},
    {"narrower stores",
     "the same data by more requests",
     "stores of 16 bytes a lane",
     narrower_stores,
     MEMORY | AT(LSU) | AT(MIO) | ISSUING,
     true,
     {SG_global_store_requests, SG_global_store_sectors, NO}},
    {"more loads",
     "data are read again, or by narrower loads that each touch as many sectors",
     "larger tiles, or keep it in registers or shared memory",
     more_loads,
     MEMORY | AT(LSU),
     true,
     {SG_global_load_requests, SG_global_load_sectors, NO}},
    {"more stores",
     "partial results, or stores without reuse in registers",
     "keep sums in registers",
     more_stores,
     MEMORY | AT(LSU),
     true,
     {SG_global_store_requests, SG_global_store_sectors, NO}},
    {"spills",
     "registers go to local memory and come back",
     "fewer live values, a smaller tile, or more registers a thread",
     spills,
     MEMORY | AT(LSU) | AT(SHORT) | AT(CHAIN) | AT(ISSUE) | AT(ISSUED),
     true,
     {SG_local_load_sectors, SG_local_store_sectors, SG_spill_stores}},
    {"more is read from L2",
     "L1 and shared memory hold less of it",
     "larger tiles, multicast, another order of blocks",
     more_from_l2,
     AT(L2) | AT(FABRIC) | AT(LONG) | AT(BARRIER) | AT(TMA),
     true,
     {SG_l1_to_l2_read_sectors, NO, NO}},
    {"more is read from DRAM",
     "L2 holds less of it",
     "an order of blocks that shares it in time, another eviction policy",
     more_from_dram,
     AT(DRAM) | AT(FABRIC) | AT(L2) | AT(LONG) | AT(BARRIER),
     true,
     {SG_dram_read_bytes, NO, NO}},
    {"more between the halves of L2",
     "an SM reads over their link what lies in the other half",
     "multicast, or tiles that are read less often",
     more_fabric,
     AT(FABRIC) | AT(L2) | AT(LONG),
     false,
     {SG_l2_fabric, NO, NO}},
    {"smaller TMA boxes",
     "each costs TMA the same",
     "larger boxes, descriptors that stay",
     smaller_boxes,
     AT(TMA) | AT(LONG) | AT(BARRIER),
     true,
     {SG_tma_instructions, SG_tma_load_bytes, NO}},
    {"more bytes by TMA",
     "tiles are read again, or multicast was lost",
     "larger tiles, multicast",
     more_tma_bytes,
     AT(TMA) | AT(L2) | AT(FABRIC) | AT(DRAM) | AT(LONG) | AT(BARRIER),
     true,
     {SG_tma_load_bytes, NO, NO}},
    {"more global atomics",
     "each is done in L2, one after the other where addresses meet",
     "add up in a block before",
     more_atomics,
     AT(ATOMIC) | MEMORY | AT(MEMBAR),
     true,
     {SG_atomic_sectors, NO, NO}},
    {"bank conflicts of loads",
     "lanes meet in a bank, and the load is repeated",
     "pad the rows or swizzle",
     load_conflicts,
     BANKS,
     false,
     {SG_shared_load_conflicts, SG_shared_load_wavefronts, NO}},
    {"bank conflicts of stores",
     "lanes meet in a bank, and the store is repeated",
     "pad the rows or swizzle",
     store_conflicts,
     BANKS,
     false,
     {SG_shared_store_conflicts, SG_shared_store_wavefronts, NO}},
    {"more shared memory accesses",
     "less is kept in registers, or accesses are narrower",
     "wider accesses, shuffles, registers",
     more_shared,
     BANKS & ~AT(BARRIER),
     false,
     {SG_shared_load_wavefronts, SG_shared_store_wavefronts, NO}},
    {"more shared atomics",
     "lanes that meet are done one after the other",
     "add up in a warp before",
     more_shared_atomics,
     BANKS,
     true,
     {SG_shared_atomics, NO, NO}},
    {"divergence",
     "fewer lanes work in each instruction",
     "let the lanes of a warp take the same branch",
     fewer_lanes,
     ISSUING | PIPES | AT(BRANCH),
     true,
     {SG_active_lanes, NO, NO}},
    {"more instructions",
     "addresses, predicates, less unrolling, narrower accesses, or more arithmetic",
     "see which opcodes are new in the machine code",
     more_instructions,
     ISSUING | AT(MATH) | AT(ALU) | AT(FMA),
     true,
     {SG_instructions, NO, NO}},
    {"more misses of the instruction cache",
     "the code is larger than the cache",
     "less unrolling, fewer specialisations",
     more_misses_of_code,
     AT(NO_CODE) | AT(BRANCH) | AT(OTHER),
     true,
     {SG_instruction_cache_misses, SG_sass_instructions, NO}},
    {"notes of the compiler",
     "products of warpgroups may run one after the other",
     "see the codes in the message of compiler_notes",
     serialised,
     AT(BARRIER) | AT(GMMA) | AT(CHAIN),
     false,
     {SG_compiler_notes, NO, NO}},
    {"barriers",
     "warps wait for the last one of their block; there were no barriers before",
     "fewer barriers, or more blocks an SM",
     new_barriers,
     AT(BARRIER),
     false,
     {SG_stall_barrier, NO, NO}},
    {"fences",
     "warps wait until their stores are visible; there were no fences before",
     "fewer fences, or of a narrower scope",
     new_fences,
     AT(MEMBAR) | AT(LONG),
     false,
     {SG_stall_membar, NO, NO}},
    {"more work of the tensor pipe",
     "more or smaller products, or a format that takes longer",
     "larger tiles, less padding",
     more_tensor,
     AT(TENSOR) | AT(GMMA) | AT(BARRIER) | AT(MATH),
     false,
     {SG_pipe_tensor, SG_cycles, NO}},
    {"more work of the tcgen05 pipe",
     "more or smaller products, or a format that takes longer",
     "larger tiles, less padding",
     more_tc,
     AT(TC) | AT(BARRIER),
     false,
     {SG_pipe_tc, SG_cycles, NO}},
    {"more double precision",
     "its pipe is slow on most GPUs",
     "look for literals without f",
     more_fp64,
     AT(FP64) | PIPES,
     false,
     {SG_pipe_fp64, SG_cycles, NO}},
    {"more special functions",
     "exp, rsqrt, division and conversions share a slow unit",
     "fewer of them, or approximate ones",
     more_xu,
     AT(XU) | PIPES | AT(MIO),
     false,
     {SG_pipe_xu, SG_cycles, NO}},
    {"more work of the multiply-add pipe",
     "more arithmetic",
     "less arithmetic, or another pipe",
     more_fma,
     AT(FMA) | AT(MATH),
     false,
     {SG_pipe_fma, SG_cycles, NO}},
    {"more integer work",
     "index arithmetic, conversions, predicates",
     "take it out of the loop",
     more_alu,
     AT(ALU) | AT(MATH),
     false,
     {SG_pipe_alu, SG_cycles, NO}},
};
const size_t sg_mechanism_count = sizeof(sg_mechanisms) / sizeof(sg_mechanisms[0]);
