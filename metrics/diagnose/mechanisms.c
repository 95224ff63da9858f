/*
 * The table of causes. A change is ln of a quantity's growth factor for the same work. The
 * quantities are exact counts, or computed from them.
 */
#include <math.h>

#include "diagnose/causes.h"

#define SECTOR 32.0 /* bytes */
/* maximum slots of an instruction-cache miss; wavefronts of a warp's shared atomic */
#define COST    32.0
#define SLICES  128.0 /* sectors that one atomic is worth if all meet in one L2 slice */
#define PAST_L1 4.0   /* sectors that a local-memory sector is worth if L1 does not hold it */
/* ln of the factor that polling adds to barriers; these also include divergent branches */
#define POLLS    1.4
#define CODE_MAX 768 /* capacity of a scheduler's instruction cache, instructions */

static double value(const struct sg_versus *sides, int side, enum sg_input input)
{
    return sides->value[side][input];
}

static double grew(const struct sg_versus *sides, enum sg_input input)
{
    return sg_ln_ratio(value(sides, SG_WAS, input), value(sides, SG_IS, input));
}

static double came(const struct sg_versus *sides, enum sg_input input)
{
    return value(sides, SG_IS, input) - value(sides, SG_WAS, input);
}

static double busy_grew(const struct sg_versus *sides, enum sg_place unit)
{
    return sg_ln_ratio(sg_busy_cycles(sides, SG_WAS, unit), sg_busy_cycles(sides, SG_IS, unit));
}

/* Returns 0 for a decrease or about no change: polling and lost arbitration change the last
 * digits. */
static double beyond(double change, double floor)
{
    return change > floor ? change : 0;
}

/* Returns NaN for NaN, unlike fmax. */
static double at_least(double least, double number)
{
    return number < least ? least : number;
}

static double or_0(double number)
{
    return isnan(number) ? 0 : number;
}

/* Returns true if both sides load through the SM, or both through TMA. Otherwise their numbers
 * of loads are not comparable. */
static bool same_path(const struct sg_versus *sides)
{
    return !sg_has(sides, SG_pipe_tma) ||
           (value(sides, SG_WAS, SG_pipe_tma) > 0) == (value(sides, SG_IS, SG_pipe_tma) > 0);
}

/* Growth of the first input beyond the growth of the others, which request it or which it causes.
 */
static double more(const struct sg_versus *sides, const enum sg_input *of)
{
    double others = of[0] == SG_tma_load_bytes && !same_path(sides) ? SG_LN_MAX : 0;
    for (int i = 1; i < SG_EVIDENCE_MAX; i++)
        if (of[i] != SG_global_load_sectors || same_path(sides))
            others = fmax(others, grew(sides, of[i]));
    return beyond(grew(sides, of[0]) - others, 0.02);
}

/* Returns true if local memory may have caused most of the additional sectors or bytes. */
static bool is_of_local(const struct sg_versus *sides, enum sg_input input)
{
    const double local = came(sides, SG_local_load_sectors) + came(sides, SG_local_store_sectors);
    return local * (input == SG_dram_read_bytes ? SECTOR : 1) > came(sides, input) / 2;
}

/* Growth of a level's reads; 0 if local memory, or fences that empty L1, explain it. */
static double more_read(const struct sg_versus *sides, const enum sg_input *of)
{
    return is_of_local(sides, of[0]) || grew(sides, SG_stall_membar) > 1 ? 0 : more(sides, of);
}

static double fewer(const struct sg_versus *sides, const enum sg_input *of)
{
    return beyond(-grew(sides, of[0]), 0.02);
}

/* If warps never waited for the reason before, its cause is new. Otherwise the number of its
 * instructions counts. */
static double more_often(const struct sg_versus *sides, const enum sg_input *of)
{
    const double more =
        value(sides, SG_WAS, of[0]) < 0.5 ? SG_LN_MAX : beyond(grew(sides, of[1]), 0.1);
    return value(sides, SG_IS, of[0]) > 5 ? more : 0;
}

/* ---- different kinds of work, in units of the former issue slots ---- */

static double slots_before(const struct sg_versus *sides)
{
    return value(sides, SG_WAS, SG_instructions) / (4 * sides->sm_count);
}

/* ln of the factor that these additional cycles per SM make. */
static double of_slots(const struct sg_versus *sides, double cycles)
{
    return beyond(log1p(at_least(0, cycles) / slots_before(sides)), 0.02);
}

/* Additional busy cycles per SM of a pipe, from its percentage of elapsed cycles. */
static double pipe_cycles(const struct sg_versus *sides, enum sg_input pipe)
{
    return at_least(0, value(sides, SG_IS, pipe) / 100 * value(sides, SG_IS, SG_cycles) -
                           value(sides, SG_WAS, pipe) / 100 * value(sides, SG_WAS, SG_cycles));
}

/* Multiply-adds that come with more instructions belong to another row. */
static double busier(const struct sg_versus *sides, const enum sg_input *of)
{
    const double more = of[0] == SG_pipe_fma ? came(sides, SG_instructions) : 0;
    return of_slots(sides, pipe_cycles(sides, of[0]) - at_least(0, more / (4 * sides->sm_count)));
}

static double warp_cycles(const struct sg_versus *sides, int side, enum sg_input reason)
{
    return value(sides, side, reason) / 100 * value(sides, side, SG_instructions);
}

static double all_warp_cycles(const struct sg_versus *sides)
{
    return 4 * sides->sm_count * sg_resident_warps(sides, SG_WAS) *
           value(sides, SG_WAS, SG_sm_active_cycles);
}

/* Growth by divergence, from the issue slots with idle lanes. */
static double diverged(const struct sg_versus *sides, const enum sg_input *of)
{
    double idle[SG_SIDES];
    for (int s = 0; s < SG_SIDES; s++)
        idle[s] = value(sides, s, SG_instructions) * (1 - value(sides, s, of[0]) / 32);
    return of_slots(sides, (idle[SG_IS] - idle[SG_WAS]) / (4 * sides->sm_count));
}

static double more_misses(const struct sg_versus *sides, const enum sg_input *of)
{
    const double misses = COST * came(sides, of[0]);
    const double code =
        value(sides, SG_IS, of[1]) > CODE_MAX ? at_least(0, or_0(grew(sides, of[1]))) : 0;
    return fmax(beyond(code, 0.1), or_0(of_slots(sides, misses / sides->sm_count)));
}

/* ---- SMs and resident warps ---- */

static double fewer_sms(const struct sg_versus *sides, const enum sg_input *of)
{
    (void)of;
    return sg_ln_ratio(sg_sms_per_used(sides, SG_WAS), sg_sms_per_used(sides, SG_IS));
}

/* Growth of the busiest SM's cycles, or of all cycles, beyond the mean of SMs that have blocks. */
static double more_imbalance(const struct sg_versus *sides, const enum sg_input *of)
{
    const double longest = grew(sides, sg_has(sides, of[1]) ? of[1] : SG_cycles);
    return beyond(longest - grew(sides, of[0]) - fewer_sms(sides, of), 0.01);
}

/* Launched warps over the warps that would fit into all waves of blocks. */
static double filled(const struct sg_versus *sides, int side)
{
    const double fit = value(sides, side, SG_occupancy_theoretical) / 100 * sides->sm_warps /
                       ceil(value(sides, side, SG_block) / 32);
    const double waves = value(sides, side, SG_grid) / (sides->sm_count * floor(fit));
    return waves / ceil(waves);
}

/* Reason for fewer warps: fewer fit, a partial last wave, a smaller launch that is resident at
 * once, or warps that end earlier. */
static enum sg_input why_fewer(const struct sg_versus *sides)
{
    const double fit = value(sides, SG_IS, SG_occupancy_theoretical) / 100 * sides->sm_warps,
                 launched = value(sides, SG_IS, SG_grid) *
                            ceil(value(sides, SG_IS, SG_block) / 32) / sides->sm_count;
    if (fewer_sms(sides, NULL) > 0) /* reported by the row of SMs without blocks */
        return SG_NO_INPUT;
    if (fit < 4 * sg_resident_warps(sides, SG_WAS) && fit <= launched)
        return SG_occupancy_theoretical;
    if (launched > fit)
        return filled(sides, SG_IS) < 0.95 * filled(sides, SG_WAS) ? SG_block
                                                                   : SG_occupancy_achieved;
    return grew(sides, SG_grid) + grew(sides, SG_block) < 0 ? SG_grid : SG_occupancy_achieved;
}

static double fewer_warps(const struct sg_versus *sides, const enum sg_input *of)
{
    const double change =
        sg_ln_ratio(sg_resident_warps(sides, SG_IS), sg_resident_warps(sides, SG_WAS));
    return why_fewer(sides) == of[0] ? beyond(change, 0.05) : 0;
}

/* ---- global and local memory; a row has requests, then sectors ---- */

/* Sectors that L1 moves over all paths: the scale on which a few loads are negligible. */
static double all_sectors(const struct sg_versus *sides, int side)
{
    return fmax(or_0(value(sides, side, SG_global_load_sectors)),
                or_0(value(sides, side, SG_l1_to_l2_read_sectors))) +
           or_0(value(sides, side, SG_global_store_sectors));
}

/* ln of the factor of one kind of access, converted to all sectors of L1. */
static double of_all_sectors(const struct sg_versus *sides, enum sg_input sectors, double change)
{
    const double was = value(sides, SG_WAS, sectors) / all_sectors(sides, SG_WAS),
                 is = value(sides, SG_IS, sectors) / all_sectors(sides, SG_IS);
    return same_path(sides) && change > 0.02
               ? log1p(expm1(fmin(change, SG_LN_MAX)) * fmin(1, fmax(was, is)))
               : 0;
}

/* L1 is busier than its sectors, wavefronts and instructions imply, and no fence empties it: the
 * lanes access more lines. */
static double more_lines(const struct sg_versus *sides)
{
    static const enum sg_input counted[] = {SG_global_load_sectors,    SG_global_store_sectors,
                                            SG_shared_load_wavefronts, SG_shared_store_wavefronts,
                                            SG_local_load_sectors,     SG_l1_to_l2_read_sectors,
                                            SG_atomic_sectors,         SG_reduction_sectors,
                                            SG_shared_atomics,         SG_stall_membar};
    double most = at_least(0, or_0(busy_grew(sides, SG_AT_LSU)));
    for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
        most = fmax(most, or_0(grew(sides, counted[i])));
    return beyond(busy_grew(sides, SG_AT_L1) - most, 0.1);
}

static double scattered(const struct sg_versus *sides, const enum sg_input *of)
{
    return of_all_sectors(
        sides, of[1],
        fmax(grew(sides, of[1]) - at_least(0, grew(sides, of[0])), more_lines(sides)));
}

/* More requests for the same data. Each additional sector, for loads from L2, may account for
 * one request. */
static double narrower(const struct sg_versus *sides, const enum sg_input *of)
{
    const double others = at_least(
        0, or_0(came(sides, of[0] == SG_global_load_requests ? SG_l1_to_l2_read_sectors : of[1])));
    const double same =
        sg_ln_ratio(value(sides, SG_WAS, of[0]), at_least(1, value(sides, SG_IS, of[0]) - others));
    return of_all_sectors(
        sides, of[1],
        beyond(fmin(same, grew(sides, of[0]) - at_least(0, grew(sides, of[1]))), 0.15));
}

static double more_accesses(const struct sg_versus *sides, const enum sg_input *of)
{
    return of_all_sectors(sides, of[1], fmin(grew(sides, of[0]), grew(sides, of[1])));
}

/* More loads, assigned to the last level that sees them: the third input of the row. */
static double more_loads(const struct sg_versus *sides, const enum sg_input *of)
{
    const double in_l1 = more_accesses(sides, of),
                 l2 = fmin(in_l1, at_least(0, grew(sides, SG_l1_to_l2_read_sectors))),
                 dram = fmin(l2, at_least(0, or_0(grew(sides, SG_dram_read_bytes))));
    return beyond(of[2] == SG_dram_read_bytes         ? dram
                  : of[2] == SG_l1_to_l2_read_sectors ? l2 - dram
                                                      : in_l1 - l2,
                  0.03);
}

/* Growth of both inputs together, in proportion to all sectors of L1. */
static double more_of_both(const struct sg_versus *sides, const enum sg_input *of)
{
    const double each = of[0] == SG_atomic_sectors ? SLICES : PAST_L1,
                 was = value(sides, SG_WAS, of[0]) + value(sides, SG_WAS, of[1]);
    const double more = at_least(0, came(sides, of[0]) + came(sides, of[1]));
    return beyond(log1p(each * more / at_least(1, each * was + all_sectors(sides, SG_WAS))), 0.01);
}

/* Growth of the link's busy cycles, limited by how busy the link is, or by how much warps waited
 * for memory before. */
static double more_fabric(const struct sg_versus *sides, const enum sg_input *of)
{
    const double asked = grew(sides, sg_has(sides, of[1]) ? of[1] : SG_l1_to_l2_read_sectors);
    const double more =
        is_of_local(sides, SG_l2_sectors)
            ? 0
            : beyond(busy_grew(sides, SG_AT_FABRIC) - at_least(0, or_0(asked)), 0.05);
    const double waited =
        or_0(warp_cycles(sides, SG_WAS, SG_stall_long_scoreboard) / all_warp_cycles(sides));
    return beyond(log1p(expm1(more) * fmin(1, fmax(value(sides, SG_IS, of[0]) / 100, waited))),
                  0.01);
}

/* ---- shared memory ---- */

static double ideal_wavefronts(const struct sg_versus *sides, int side)
{
    return at_least(1, value(sides, side, SG_shared_load_wavefronts) +
                           value(sides, side, SG_shared_store_wavefronts) -
                           value(sides, side, SG_shared_load_conflicts) -
                           value(sides, side, SG_shared_store_conflicts));
}

/* Conflicts of one kind, if they matter among all wavefronts. */
static double conflicts(const struct sg_versus *sides, const enum sg_input *of)
{
    const double was = 1 + value(sides, SG_WAS, of[0]) / ideal_wavefronts(sides, SG_WAS),
                 is = 1 + value(sides, SG_IS, of[0]) / ideal_wavefronts(sides, SG_IS);
    return sg_ln_ratio(was, is) > 0.05 ? of_slots(sides, came(sides, of[0]) / sides->sm_count) : 0;
}

static double more_shared(const struct sg_versus *sides, const enum sg_input *of)
{
    const double ideal = ideal_wavefronts(sides, SG_IS) - ideal_wavefronts(sides, SG_WAS);
    return of_slots(sides, (of[0] == SG_shared_atomics ? COST * came(sides, of[0]) : ideal) /
                               sides->sm_count);
}

/* ---- instructions ---- */

/* Excludes instructions caused by fewer active lanes, and instructions of pipes with another row. A
 * special function takes 8 cycles plus 4 for scaling and checks, double precision 2 plus one for
 * counting or conversion. Most remaining instructions may be integer ones, with 2 cycles each. */
static double more_instructions(const struct sg_versus *sides, const enum sg_input *of)
{
    const double slots = slots_before(sides),
                 more = expm1(beyond(grew(sides, SG_instructions) -
                                         at_least(0, or_0(-grew(sides, SG_active_lanes))),
                                     0.002));
    static const enum sg_input xu = SG_pipe_xu, fp64 = SG_pipe_fp64;
    const double of_pipes =
        or_0(expm1(busier(sides, &xu))) * 5 / 8 + or_0(expm1(busier(sides, &fp64)));
    const bool is_alu = of[0] == SG_pipe_alu;
    return (pipe_cycles(sides, SG_pipe_alu) >= more * slots) == is_alu
               ? log1p(at_least(0, more - of_pipes) * (is_alu ? 2 : 1))
               : 0;
}

/* Growth of a wait, as ln of a factor on all former warp-cycles. */
static double longer(const struct sg_versus *sides, const enum sg_input *of)
{
    const double more = warp_cycles(sides, SG_IS, of[0]) - warp_cycles(sides, SG_WAS, of[0]);
    return beyond(log1p(at_least(0, more) / all_warp_cycles(sides)), 0.005);
}

/* Returns true if memory gets so many more requests, or is so much busier, that this may explain
 * the waits for loads. */
static bool has_more_requests(const struct sg_versus *sides)
{
    static const enum sg_input more_of[] = {
        SG_global_load_requests,  SG_global_load_sectors, SG_local_load_sectors,
        SG_l1_to_l2_read_sectors, SG_dram_read_bytes,     SG_atomic_sectors,
        SG_reduction_sectors,     SG_dram_throughput,     SG_l2_throughput};
    const double waits = warp_cycles(sides, SG_IS, SG_stall_long_scoreboard) /
                         warp_cycles(sides, SG_WAS, SG_stall_long_scoreboard);
    double most = more_lines(sides);
    for (size_t i = 0; i < sizeof(more_of) / sizeof(more_of[0]); i++)
        most = fmax(most, grew(sides, more_of[i]));
    return most > fmax(0.1, 0.2 * log(waits));
}

/* Each load waits longer. Excludes polling on barriers in memory, and the number of stages,
 * which is a separate row. */
static double fewer_in_flight(const struct sg_versus *sides, const enum sg_input *of)
{
    const bool is_other = grew(sides, SG_barrier_instructions) > POLLS ||
                          grew(sides, SG_stages_ab) < 0 || has_more_requests(sides);
    return is_other ? 0 : beyond(longer(sides, of), 0.05);
}

/* Polling on barriers in memory, if waits like those for loads are a part of the added time. */
static double more_polls(const struct sg_versus *sides, const enum sg_input *of)
{
    static const enum sg_input of_block = SG_stall_barrier;
    const double waits = longer(sides, &of[1]);
    const bool is_part =
        waits > longer(sides, &of_block) && waits > 0.2 * log1p(or_0(sides->added));
    return is_part && !(value(sides, SG_IS, SG_pipe_tma) > 0) && !has_more_requests(sides)
               ? beyond(grew(sides, of[0]), POLLS)
               : 0;
}

/* ---- table ---- */

#define AT(place) (UINT64_C(1) << SG_AT_##place)
#define MEMORY                                                                         \
    (AT(LONG) | AT(LG) | AT(DRAIN) | AT(MIO) | AT(SHORT) | AT(LSU) | AT(L1) | AT(L2) | \
     AT(FABRIC) | AT(DRAM))
#define ISSUING (AT(ISSUE) | AT(ISSUED) | AT(CHAIN) | AT(NOT_SELECTED) | AT(DISPATCH) | AT(OTHER))
#define PIPES   (AT(MATH) | AT(SHORT) | AT(MIO) | ISSUING)
#define BANKS   (AT(SHARED) | AT(LSU) | AT(L1) | AT(SHORT) | AT(MIO) | AT(LG) | AT(BARRIER))

#define ROW(name, says, try_, change, places, exact, ...) \
    {                                                     \
        name, says, try_, change, places, exact,          \
        {                                                 \
            __VA_ARGS__                                   \
        }                                                 \
    }
const struct sg_mechanism sg_mechanisms[] = {
    ROW("more kernels a launch", "each costs a start and an end", "fuse or capture them", more,
        AT(LAUNCHES) | AT(ENDS) | AT(IMBALANCE) | AT(WARPS), true, SG_kernels),
    ROW("a lower clock", "power, heat, or a unit that draws more", "compare at a locked clock",
        NULL, AT(CLOCK), false, SG_sm_clock),
    ROW("too few blocks", "SMs have no work", "cut the work into more blocks", fewer_sms,
        AT(FEW_BLOCKS) | AT(WARPS), true, SG_grid),
    ROW("a last wave that is not full", "SMs idle while others do a last block",
        "another number of blocks, or of those that fit", NULL, AT(WAVES), false, SG_grid,
        SG_occupancy_theoretical),
    ROW("a last wave of fewer warps", "SMs hold fewer blocks at the end",
        "another number of blocks, or of those that fit", fewer_warps, AT(WARPS), false, SG_block,
        SG_grid, SG_occupancy_theoretical),
    ROW("imbalance between SMs", "idle SMs wait for those with more work",
        "give out the largest blocks first, or cut them", more_imbalance, AT(IMBALANCE), false,
        SG_sm_active_cycles, SG_sm_active_cycles_max),
    ROW("fewer warps fit on an SM", "too few warps hide the waits of each other",
        "use less of the resource that limits them", fewer_warps, AT(WARPS), false,
        SG_occupancy_theoretical, SG_occupancy_achieved, SG_registers),
    ROW("fewer warps are launched", "too few warps hide the waits of each other",
        "more threads, or more work in flight in each", fewer_warps, AT(WARPS), false, SG_grid,
        SG_block, SG_occupancy_achieved),
    ROW("warps end unevenly", "too few are left to hide what each waits for",
        "give warps of a block the same work", fewer_warps, AT(WARPS), false,
        SG_occupancy_achieved),
    ROW("fewer stages", "fewer loads are in flight, so warps wait for their latency",
        "more stages, or smaller ones", fewer,
        AT(LONG) | AT(BARRIER) | AT(BRANCH) | AT(SLEEP) | AT(OTHER), true, SG_stages_ab),
    ROW("uncoalesced loads", "lanes touch more sectors or lines a request",
        "neighbouring lanes read neighbouring bytes", scattered, MEMORY, true,
        SG_global_load_requests, SG_global_load_sectors, SG_l1_throughput),
    ROW("uncoalesced stores", "lanes touch more sectors or lines a request",
        "neighbouring lanes write neighbouring bytes", scattered, MEMORY, true,
        SG_global_store_requests, SG_global_store_sectors, SG_l1_throughput),
    ROW("narrower loads", "the same data by more requests, so fewer bytes are in flight",
        "loads of 16 bytes a lane", narrower, MEMORY | ISSUING, true, SG_global_load_requests,
        SG_global_load_sectors),
    ROW("narrower stores", "the same data by more requests", "stores of 16 bytes a lane", narrower,
        MEMORY | ISSUING, true, SG_global_store_requests, SG_global_store_sectors),
    ROW("narrower or repeated loads", "more requests for data that L1 has",
        "loads of 16 bytes a lane, or keep it in registers", more_loads, MEMORY | ISSUING, true,
        SG_global_load_requests, SG_global_load_sectors),
    ROW("more loads from L2", "data are read again",
        "larger tiles, or keep it in registers or shared memory", more_loads, MEMORY, true,
        SG_global_load_requests, SG_global_load_sectors, SG_l1_to_l2_read_sectors),
    ROW("more loads from DRAM", "more data, or data that L2 no longer has",
        "larger tiles, or keep it in registers or shared memory", more_loads, MEMORY, true,
        SG_global_load_requests, SG_global_load_sectors, SG_dram_read_bytes),
    ROW("fewer bytes in flight, or slower loads",
        "warps wait longer for each load, but memory is not busier",
        "more loads before the first use, more stages", fewer_in_flight, AT(LONG), false,
        SG_stall_long_scoreboard),
    ROW("more stores", "partial results, or stores without reuse in registers",
        "keep sums in registers", more_accesses, MEMORY, true, SG_global_store_requests,
        SG_global_store_sectors),
    ROW("spills", "registers go to local memory and come back",
        "fewer live values, a smaller tile, or more registers a thread", more_of_both,
        MEMORY | AT(CHAIN) | AT(ISSUE) | AT(ISSUED), true, SG_local_load_sectors,
        SG_local_store_sectors, SG_spill_stores),
    ROW("more is read from L2", "L1 and shared memory hold less of the data",
        "larger tiles, multicast, another order of blocks", more_read,
        AT(L2) | AT(FABRIC) | AT(LONG) | AT(BARRIER) | AT(TMA), true, SG_l1_to_l2_read_sectors,
        SG_global_load_sectors, SG_dram_read_bytes),
    ROW("more is read from DRAM", "L2 holds less of the data, or more is requested",
        "another order of blocks or eviction policy", more_read,
        AT(DRAM) | AT(FABRIC) | AT(L2) | AT(LONG) | AT(BARRIER), true, SG_dram_read_bytes,
        SG_global_load_sectors),
    ROW("more between the halves of L2", "SMs read data of the other half over the link",
        "multicast, or tiles that are read less often", more_fabric, AT(FABRIC) | AT(L2) | AT(LONG),
        false, SG_l2_fabric, SG_l2_sectors),
    ROW("smaller TMA boxes", "each box costs TMA the same", "larger boxes, reused descriptors",
        more, AT(TMA) | AT(LONG) | AT(BARRIER), true, SG_tma_instructions, SG_tma_load_bytes),
    ROW("more bytes by TMA", "tiles are read again, or multicast was lost",
        "larger tiles, multicast", more,
        AT(TMA) | AT(L2) | AT(FABRIC) | AT(DRAM) | AT(LONG) | AT(BARRIER), true, SG_tma_load_bytes),
    ROW("more global atomics", "L2 does each, one after the other at equal addresses",
        "sum within a block first", more_of_both, AT(ATOMIC) | MEMORY | AT(BARRIER), true,
        SG_atomic_sectors, SG_reduction_sectors),
    ROW("bank conflicts of loads", "lanes use the same bank, so the load is repeated",
        "pad the rows or swizzle", conflicts, BANKS, true, SG_shared_load_conflicts,
        SG_shared_load_wavefronts),
    ROW("bank conflicts of stores", "lanes use the same bank, so the store is repeated",
        "pad the rows or swizzle", conflicts, BANKS, true, SG_shared_store_conflicts,
        SG_shared_store_wavefronts),
    ROW("more shared memory accesses", "less is kept in registers, or accesses are narrower",
        "wider accesses, shuffles, registers", more_shared, BANKS & ~AT(BARRIER), false,
        SG_shared_load_wavefronts, SG_shared_store_wavefronts),
    ROW("more shared atomics", "lanes with equal addresses run one after the other",
        "sum within a warp first", more_shared, BANKS | AT(CHAIN) | AT(BRANCH), true,
        SG_shared_atomics),
    ROW("divergence", "fewer lanes work in each instruction",
        "let the lanes of a warp take the same branch", diverged,
        PIPES | AT(BRANCH) | AT(FMA) | AT(ALU) | AT(FP64) | AT(XU), true, SG_active_lanes),
    ROW("more instructions",
        "addresses, predicates, less unrolling, narrower accesses, or more arithmetic",
        "see which opcodes are new in the machine code", more_instructions,
        ISSUING | AT(MATH) | AT(ALU) | AT(FMA), true, SG_instructions),
    ROW("more misses of the instruction cache", "the code is larger than the cache",
        "less unrolling, fewer specialisations", more_misses, AT(NO_CODE) | AT(BRANCH), true,
        SG_instruction_cache_misses, SG_sass_instructions),
    ROW("notes of the compiler", "products of warpgroups may run one after the other",
        "see the codes in the message of compiler_notes", more, AT(BARRIER) | AT(GMMA) | AT(CHAIN),
        false, SG_compiler_notes),
    ROW("barriers", "warps wait for the last one of their block, more often than before",
        "fewer barriers, or more blocks an SM", more_often, AT(BARRIER), false, SG_stall_barrier,
        SG_barrier_instructions),
    ROW("barriers in memory", "warps poll until all have arrived",
        "fewer of them, or more work between", more_polls,
        AT(LONG) | AT(MIO) | AT(SHORT) | AT(BRANCH) | ISSUING, false, SG_barrier_instructions,
        SG_stall_long_scoreboard),
    ROW("fences", "warps wait until their stores are visible",
        "fewer fences, or of a narrower scope", longer, AT(MEMBAR) | AT(LONG) | AT(L2) | AT(FABRIC),
        false, SG_stall_membar),
    ROW("more work of the tensor pipe", "more or smaller products, or a format that takes longer",
        "larger tiles, less padding", busier, AT(TENSOR) | AT(GMMA) | AT(BARRIER) | PIPES, false,
        SG_pipe_tensor, SG_cycles),
    ROW("more work of the tcgen05 pipe", "more or smaller products, or a format that takes longer",
        "larger tiles, less padding", busier, AT(TC) | AT(BARRIER), false, SG_pipe_tc, SG_cycles),
    ROW("more double precision", "its pipe is slow on most GPUs", "look for literals without f",
        busier, AT(FP64) | PIPES, false, SG_pipe_fp64, SG_cycles),
    ROW("more special functions", "exp, rsqrt, division and conversions share a slow unit",
        "fewer of them, or approximate ones", busier, AT(XU) | PIPES, false, SG_pipe_xu, SG_cycles),
    ROW("more work of the multiply-add pipe", "it gets more instructions, or other ones",
        "see which opcodes are new in the machine code", busier, AT(FMA) | AT(MATH), false,
        SG_pipe_fma, SG_cycles),
    ROW("more integer work", "index arithmetic, conversions, predicates", "take it out of the loop",
        more_instructions, AT(ALU) | AT(MATH) | ISSUING, true, SG_pipe_alu, SG_instructions),
};
const size_t sg_mechanism_count = sizeof(sg_mechanisms) / sizeof(sg_mechanisms[0]);
_Static_assert(sizeof(sg_mechanisms) / sizeof(sg_mechanisms[0]) <= SG_MECHANISMS_MAX,
               "causes.c has room for all");
