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

/* 0 for what is less or about the same: loops that poll and lost arbitration move the last
 * digits. */
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

/* ---- whatever a row counts ---- */

/* Of bytes and atomics, say: what a row names first. */
static double more(const struct sg_versus *sides, const enum sg_input *of)
{
    return beyond(grew(sides, of[0]), 0.02);
}

static double more_of_two(const struct sg_versus *sides, const enum sg_input *of)
{
    return beyond(
        sg_ln_ratio(value(sides, SG_WAS, of[0]) + value(sides, SG_WAS, of[1]), value(sides, SG_IS, of[0]) + value(sides, SG_IS, of[1])),
        0.02);
}

static double fewer(const struct sg_versus *sides, const enum sg_input *of)
{
    return beyond(-grew(sides, of[0]), of[0] == SG_sm_clock ? 0.003 : 0.02);
}

/* Warps that never waited for a reason did not meet what it is. */
static double none_before(const struct sg_versus *sides, const enum sg_input *of)
{
    return value(sides, SG_WAS, of[0]) < 0.5 && value(sides, SG_IS, of[0]) > 5 ? SG_LN_MAX : 0;
}

/* Cycles of a pipe, of which a row has the percentage of elapsed ones. One that has next to nothing
 * to do takes no time. */
#define BUSY_MIN 0.1

static double busier(const struct sg_versus *sides, const enum sg_input *of)
{
    const double was = value(sides, SG_WAS, of[0]) / 100 * value(sides, SG_WAS, SG_cycles);
    const double is = value(sides, SG_IS, of[0]) / 100 * value(sides, SG_IS, SG_cycles);
    return is < BUSY_MIN * value(sides, SG_IS, SG_sm_active_cycles) ? 0 : beyond(sg_ln_ratio(was, is), 0.02);
}

/* ---- launch and clock ---- */

static double fewer_sms(const struct sg_versus *sides, const enum sg_input *of)
{
    (void)of;
    return sg_ln_ratio(sg_sms_per_used(sides, SG_WAS), sg_sms_per_used(sides, SG_IS));
}

/* Another number of blocks, or of those that fit. */
static double other_waves(const struct sg_versus *sides, const enum sg_input *of)
{
    return fabs(grew(sides, of[0])) + fabs(or_0(grew(sides, of[1])));
}

/* Cycles of the launch over those of a mean SM that has blocks. */
static double imbalance(const struct sg_versus *sides, int side)
{
    const enum sg_input whole = sg_has(sides, SG_sm_active_cycles_max) ? SG_sm_active_cycles_max : SG_cycles;
    return value(sides, side, whole) / (value(sides, side, SG_sm_active_cycles) * sg_sms_per_used(sides, side));
}

static double more_imbalance(const struct sg_versus *sides, const enum sg_input *of)
{
    (void)of;
    return beyond(sg_ln_ratio(imbalance(sides, SG_WAS), imbalance(sides, SG_IS)), 0.01);
}

/* ---- resident warps ---- */

enum warps { FIT, LAUNCHED, UNEVEN };

static double launched(const struct sg_versus *sides, int side)
{
    return value(sides, side, SG_grid) * ceil(value(sides, side, SG_block) / 32);
}

/* Why fewer are resident: fewer fit, or all of fewer do, or neither. */
static enum warps why_fewer(const struct sg_versus *sides)
{
    const double fit = value(sides, SG_IS, SG_occupancy_theoretical) / 100 * sides->sm_warps * sides->sm_count;
    if (launched(sides, SG_IS) <= fit)
        return launched(sides, SG_IS) < launched(sides, SG_WAS) ? LAUNCHED : UNEVEN;
    return grew(sides, SG_occupancy_theoretical) < 0 ? FIT : UNEVEN;
}

static double fewer_warps(const struct sg_versus *sides, enum warps why)
{
    const double change = sg_ln_ratio(sg_resident_warps(sides, SG_IS), sg_resident_warps(sides, SG_WAS));
    return why_fewer(sides) == why ? beyond(change, 0.05) : 0;
}

static double fewer_fit(const struct sg_versus *sides, const enum sg_input *of)
{
    (void)of;
    return fewer_warps(sides, FIT);
}

static double fewer_launched(const struct sg_versus *sides, const enum sg_input *of)
{
    (void)of;
    return fewer_warps(sides, LAUNCHED);
}

static double uneven(const struct sg_versus *sides, const enum sg_input *of)
{
    (void)of;
    return fewer_warps(sides, UNEVEN);
}

/* ---- global and local memory; a row has requests, then sectors ---- */

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
    const double was = value(sides, SG_WAS, sectors) / all_sectors(sides, SG_WAS),
                 is = value(sides, SG_IS, sectors) / all_sectors(sides, SG_IS);
    return same_path(sides) && change > 0.02 ? log1p(expm1(fmin(change, SG_LN_MAX)) * fmin(1, fmax(was, is))) : 0;
}

static double scattered(const struct sg_versus *sides, const enum sg_input *of)
{
    return of_all_sectors(sides, of[1], grew(sides, of[1]) - at_least(0, grew(sides, of[0])));
}

static double narrower(const struct sg_versus *sides, const enum sg_input *of)
{
    return of_all_sectors(sides, of[1], beyond(grew(sides, of[0]) - at_least(0, grew(sides, of[1])), 0.15));
}

static double more_accesses(const struct sg_versus *sides, const enum sg_input *of)
{
    return of_all_sectors(sides, of[1], fmin(grew(sides, of[0]), grew(sides, of[1])));
}

static double spills(const struct sg_versus *sides, const enum sg_input *of)
{
    const double was = value(sides, SG_WAS, of[0]) + value(sides, SG_WAS, of[1]),
                 is = value(sides, SG_IS, of[0]) + value(sides, SG_IS, of[1]);
    return is > was ? beyond(log1p((is - was) / fmax(1, all_sectors(sides, SG_IS))), 0.01) : 0;
}

/* More than what is asked of it more: of the sectors or instructions that a row names second. */
static double more_each(const struct sg_versus *sides, const enum sg_input *of)
{
    return beyond(grew(sides, of[0]) - at_least(0, grew(sides, of[1])), 0.05);
}

static double more_from_l2(const struct sg_versus *sides, const enum sg_input *of)
{
    const double loads = same_path(sides) ? at_least(0, or_0(grew(sides, SG_global_load_sectors))) : 0;
    return beyond(grew(sides, of[0]) - loads, 0.02);
}

static double more_from_dram(const struct sg_versus *sides, const enum sg_input *of)
{
    return beyond(grew(sides, of[0]) - at_least(0, or_0(grew(sides, SG_l1_to_l2_read_sectors))), 0.02);
}

static double more_fabric(const struct sg_versus *sides, const enum sg_input *of)
{
    return beyond(busier(sides, of) - at_least(0, or_0(grew(sides, SG_l1_to_l2_read_sectors))), 0.05);
}

static double more_tma_bytes(const struct sg_versus *sides, const enum sg_input *of)
{
    return same_path(sides) ? more(sides, of) : 0;
}

/* ---- shared memory ---- */

static double ideal_wavefronts(const struct sg_versus *sides, int side)
{
    return at_least(1, value(sides, side, SG_shared_load_wavefronts) + value(sides, side, SG_shared_store_wavefronts) -
                           value(sides, side, SG_shared_load_conflicts) - value(sides, side, SG_shared_store_conflicts));
}

/* What conflicts of one kind make of all wavefronts. */
static double conflicts(const struct sg_versus *sides, const enum sg_input *of)
{
    return beyond(sg_ln_ratio(1 + value(sides, SG_WAS, of[0]) / ideal_wavefronts(sides, SG_WAS),
                              1 + value(sides, SG_IS, of[0]) / ideal_wavefronts(sides, SG_IS)),
                  0.1);
}

static double more_shared(const struct sg_versus *sides, const enum sg_input *of)
{
    (void)of;
    return beyond(sg_ln_ratio(ideal_wavefronts(sides, SG_WAS), ideal_wavefronts(sides, SG_IS)), 0.05);
}

/* ---- instructions ---- */

/* Without those that only fewer lanes make. */
static double more_instructions(const struct sg_versus *sides, const enum sg_input *of)
{
    return beyond(grew(sides, of[0]) - at_least(0, or_0(-grew(sides, SG_active_lanes))), 0.002);
}

static double more_notes(const struct sg_versus *sides, const enum sg_input *of)
{
    return value(sides, SG_IS, of[0]) > value(sides, SG_WAS, of[0]) ? SG_LN_MAX : 0;
}

/* ---- the table ---- */

#define AT(place) (UINT64_C(1) << SG_AT_##place)
#define IDLE      (AT(FEW_BLOCKS) | AT(WAVES) | AT(ENDS) | AT(IMBALANCE))
#define MEMORY    (AT(LONG) | AT(LG) | AT(DRAIN) | AT(L1) | AT(L2) | AT(FABRIC) | AT(DRAM))
#define ISSUING   (AT(ISSUE) | AT(ISSUED) | AT(CHAIN) | AT(NOT_SELECTED) | AT(DISPATCH) | AT(OTHER))
#define PIPES     (AT(MATH) | AT(CHAIN) | AT(NOT_SELECTED) | AT(SHORT) | AT(OTHER))
#define BANKS     (AT(SHARED) | AT(LSU) | AT(L1) | AT(SHORT) | AT(MIO) | AT(BARRIER))
#define WAITS     (AT(LONG) | AT(SHORT) | AT(CHAIN) | AT(BARRIER) | AT(GMMA) | AT(BRANCH) | AT(MEMBAR) | AT(DRAIN) | AT(OTHER))

#define ROW(name, says, try_, change, places, exact, ...) \
    {                                                     \
        name, says, try_, change, places, exact,          \
        {                                                 \
            __VA_ARGS__                                   \
        }                                                 \
    }
const struct sg_mechanism sg_mechanisms[] = {
    ROW("more kernels a launch", "each costs its start and its end", "fuse them, or capture them in a graph", more, AT(LAUNCHES) | AT(ENDS),
        true, SG_kernels),
    ROW("a lower clock", "power or temperature, or a unit that takes more of it", "compare at a locked clock", fewer, AT(CLOCK), false,
        SG_sm_clock),
    ROW("too few blocks", "SMs have no work", "cut the work into more blocks", fewer_sms, AT(FEW_BLOCKS), true, SG_grid),
    ROW("a last wave that is not full", "SMs idle while others do a last block", "change the number of blocks or what an SM holds of them",
        other_waves, AT(WAVES), false, SG_grid, SG_occupancy_theoretical),
    ROW("imbalance between SMs", "SMs have ended and wait for those that have more to do",
        "give out the largest blocks first, or cut them, so that all end together", more_imbalance, AT(IMBALANCE), false,
        SG_sm_active_cycles),
    ROW("fewer warps fit on an SM", "too few are there to hide what each waits for", "take less of what limits them", fewer_fit, WAITS,
        false, SG_occupancy_theoretical, SG_occupancy_achieved, SG_registers),
    ROW("fewer warps are launched", "too few are there to hide what each waits for", "more threads, or more work in flight in each",
        fewer_launched, WAITS, false, SG_grid, SG_block, SG_occupancy_achieved),
    ROW("warps end unevenly", "too few are left to hide what each waits for", "give warps of a block the same work", uneven, WAITS, false,
        SG_occupancy_achieved),
    ROW("fewer stages", "fewer loads are in flight, and what a load takes is waited for", "more stages, or smaller ones", fewer,
        AT(LONG) | AT(BARRIER) | AT(BRANCH) | AT(SLEEP) | AT(OTHER), true, SG_stages_ab),
    ROW("uncoalesced loads", "the lanes of a warp touch more sectors for the same request",
        "let neighbouring lanes read neighbouring bytes", scattered, MEMORY | AT(LSU), true, SG_global_load_requests,
        SG_global_load_sectors),
    ROW("uncoalesced stores", "the lanes of a warp touch more sectors for the same request",
        "let neighbouring lanes write neighbouring bytes", scattered, MEMORY | AT(LSU), true, SG_global_store_requests,
        SG_global_store_sectors),
    ROW("narrower loads", "the same data by more requests, of which fewer bytes are in flight", "loads of 16 bytes a lane", narrower,
        MEMORY | AT(LSU) | AT(MIO) | ISSUING, true, SG_global_load_requests, SG_global_load_sectors),
    ROW("narrower stores", "the same data by more requests", "stores of 16 bytes a lane", narrower, MEMORY | AT(LSU) | AT(MIO) | ISSUING,
        true, SG_global_store_requests, SG_global_store_sectors),
    ROW("more loads", "data are read again, or by narrower loads that each touch as many sectors",
        "larger tiles, or keep it in registers or shared memory", more_accesses, MEMORY | AT(LSU), true, SG_global_load_requests,
        SG_global_load_sectors),
    ROW("more stores", "partial results, or stores without reuse in registers", "keep sums in registers", more_accesses, MEMORY | AT(LSU),
        true, SG_global_store_requests, SG_global_store_sectors),
    ROW("spills", "registers go to local memory and come back", "fewer live values, a smaller tile, or more registers a thread", spills,
        MEMORY | AT(LSU) | AT(SHORT) | AT(CHAIN) | AT(ISSUE) | AT(ISSUED), true, SG_local_load_sectors, SG_local_store_sectors,
        SG_spill_stores),
    ROW("more is read from L2", "L1 and shared memory hold less of it", "larger tiles, multicast, another order of blocks", more_from_l2,
        AT(L2) | AT(FABRIC) | AT(LONG) | AT(BARRIER) | AT(TMA), true, SG_l1_to_l2_read_sectors),
    ROW("more is read from DRAM", "L2 holds less of it", "an order of blocks that shares it in time, another eviction policy",
        more_from_dram, AT(DRAM) | AT(FABRIC) | AT(L2) | AT(LONG) | AT(BARRIER), true, SG_dram_read_bytes),
    ROW("more between the halves of L2", "an SM reads over their link what lies in the other half",
        "multicast, or tiles that are read less often", more_fabric, AT(FABRIC) | AT(L2) | AT(LONG), false, SG_l2_fabric),
    ROW("smaller TMA boxes", "each costs TMA the same", "larger boxes, descriptors that stay", more_each, AT(TMA) | AT(LONG) | AT(BARRIER),
        true, SG_tma_instructions, SG_tma_load_bytes),
    ROW("more bytes by TMA", "tiles are read again, or multicast was lost", "larger tiles, multicast", more_tma_bytes,
        AT(TMA) | AT(L2) | AT(FABRIC) | AT(DRAM) | AT(LONG) | AT(BARRIER), true, SG_tma_load_bytes),
    ROW("more global atomics", "each is done in L2, one after the other where addresses meet", "add up in a block before", more_of_two,
        AT(ATOMIC) | MEMORY | AT(MEMBAR), true, SG_atomic_sectors, SG_reduction_sectors),
    ROW("bank conflicts of loads", "lanes meet in a bank, and the load is repeated", "pad the rows or swizzle", conflicts, BANKS, false,
        SG_shared_load_conflicts, SG_shared_load_wavefronts),
    ROW("bank conflicts of stores", "lanes meet in a bank, and the store is repeated", "pad the rows or swizzle", conflicts, BANKS, false,
        SG_shared_store_conflicts, SG_shared_store_wavefronts),
    ROW("more shared memory accesses", "less is kept in registers, or accesses are narrower", "wider accesses, shuffles, registers",
        more_shared, BANKS & ~AT(BARRIER), false, SG_shared_load_wavefronts, SG_shared_store_wavefronts),
    ROW("more shared atomics", "lanes that meet are done one after the other", "add up in a warp before", more, BANKS, true,
        SG_shared_atomics),
    ROW("divergence", "fewer lanes work in each instruction", "let the lanes of a warp take the same branch", fewer,
        ISSUING | PIPES | AT(BRANCH), true, SG_active_lanes),
    ROW("more instructions", "addresses, predicates, less unrolling, narrower accesses, or more arithmetic",
        "see which opcodes are new in the machine code", more_instructions, ISSUING | AT(MATH) | AT(ALU) | AT(FMA), true, SG_instructions),
    ROW("more misses of the instruction cache", "the code is larger than the cache", "less unrolling, fewer specialisations", more_each,
        AT(NO_CODE) | AT(BRANCH) | AT(OTHER), true, SG_instruction_cache_misses, SG_instructions),
    ROW("notes of the compiler", "products of warpgroups may run one after the other", "see the codes in the message of compiler_notes",
        more_notes, AT(BARRIER) | AT(GMMA) | AT(CHAIN), false, SG_compiler_notes),
    ROW("barriers", "warps wait for the last one of their block; there were no barriers before", "fewer barriers, or more blocks an SM",
        none_before, AT(BARRIER), false, SG_stall_barrier),
    ROW("fences", "warps wait until their stores are visible; there were no fences before", "fewer fences, or of a narrower scope",
        none_before, AT(MEMBAR) | AT(LONG), false, SG_stall_membar),
    ROW("more work of the tensor pipe", "more or smaller products, or a format that takes longer", "larger tiles, less padding", busier,
        AT(TENSOR) | AT(GMMA) | AT(BARRIER) | AT(MATH), false, SG_pipe_tensor, SG_cycles),
    ROW("more work of the tcgen05 pipe", "more or smaller products, or a format that takes longer", "larger tiles, less padding", busier,
        AT(TC) | AT(BARRIER), false, SG_pipe_tc, SG_cycles),
    ROW("more double precision", "its pipe is slow on most GPUs", "look for literals without f", busier, AT(FP64) | PIPES, false,
        SG_pipe_fp64, SG_cycles),
    ROW("more special functions", "exp, rsqrt, division and conversions share a slow unit", "fewer of them, or approximate ones", busier,
        AT(XU) | PIPES | AT(MIO), false, SG_pipe_xu, SG_cycles),
    ROW("more work of the multiply-add pipe", "more arithmetic", "less arithmetic, or another pipe", busier, AT(FMA) | AT(MATH), false,
        SG_pipe_fma, SG_cycles),
    ROW("more integer work", "index arithmetic, conversions, predicates", "take it out of the loop", busier, AT(ALU) | AT(MATH), false,
        SG_pipe_alu, SG_cycles),
};
const size_t sg_mechanism_count = sizeof(sg_mechanisms) / sizeof(sg_mechanisms[0]);
