/*
 * The changes of metrics/causes.ini. A change is ln of a quantity's growth factor for the same
 * work. The quantities are exact counts, or computed from them.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "diagnose/causes.h"
#include "diagnose/diagnose.h"
#include "util/ini_fields.h"
#include "util/names.h"
#include "util/paths.h"

#define SECTOR 32.0 /* bytes */
/* maximum slots of an instruction-cache miss; wavefronts of a warp's shared atomic */
#define COST    32.0
#define SLICES  128.0 /* sectors that one atomic is worth if all meet in one L2 slice */
#define PAST_L1 4.0   /* sectors that a local-memory sector is worth if L1 does not hold it */
/* instructions that an access brings: its address, its loop, the use of what it moves */
#define BY_ACCESS      12.0
#define MOST_BY_ACCESS 0.6 /* of the additional instructions */
/* POLLS: polling multiplies the count of barriers by exp(POLLS). POLL: instructions of the polling
 * loop. The barrier counter also counts divergent branches and returns from subroutines. */
#define POLLS    1.4
#define POLL     16.0
#define CODE_MAX 768 /* capacity of a scheduler's instruction cache, instructions */

/* Of `sides`. */
#define BEFORE(input) sides->value[SG_WAS][input]
#define NOW(input)    sides->value[SG_IS][input]
/* The largest growth of several inputs; 0: none grew. */
#define MOST_GROWN(...) most_grown(sides, (const enum sg_input[]){__VA_ARGS__, SG_NO_INPUT})

static double grew(const struct sg_versus *sides, enum sg_input input)
{
    return sg_ln_ratio(BEFORE(input), NOW(input));
}

static double most_grown(const struct sg_versus *sides, const enum sg_input *inputs)
{
    double most = 0;
    for (; *inputs; inputs++)
        most = fmax(most, grew(sides, *inputs));
    return most;
}

static double came(const struct sg_versus *sides, enum sg_input input)
{
    return NOW(input) - BEFORE(input);
}

static double busy_grew(const struct sg_versus *sides, enum sg_place unit)
{
    return sg_ln_ratio(sg_busy_cycles(sides, SG_WAS, unit), sg_busy_cycles(sides, SG_IS, unit));
}

/* 0 for a decrease or about no change: polling and lost arbitration change the last digits. */
static double beyond(double change, double floor)
{
    return change > floor ? change : 0;
}

/* Returns NaN for NaN, unlike fmax. */
static double at_least(double least, double number)
{
    return number < least ? least : number;
}

/* Numbers of loads are comparable if both sides load through the SM, or both through TMA. */
static bool same_path(const struct sg_versus *sides)
{
    return !sg_has(sides, SG_pipe_tma) || (BEFORE(SG_pipe_tma) > 0) == (NOW(SG_pipe_tma) > 0);
}

/* Growth of the first input beyond that of the others, which request it or which it causes. */
static double more(const struct sg_versus *sides, const enum sg_input *of)
{
    double others = of[0] == SG_tma_load_bytes && !same_path(sides) ? SG_LN_MAX : 0;
    for (int i = 1; i < SG_EVIDENCE_MAX; i++)
        if (of[i] != SG_global_load_sectors || same_path(sides))
            others = fmax(others, grew(sides, of[i]));
    return beyond(grew(sides, of[0]) - others, 0.02);
}

/* Growth of a memory level's reads beyond the growth of the loads. 0 if local memory explains most
 * of the additional reads, or if more fences, which empty L1, explain them. */
static double more_read(const struct sg_versus *sides, const enum sg_input *of)
{
    const double unit = of[0] == SG_dram_read_bytes ? SECTOR : 1,
                 local = came(sides, SG_local_load_sectors) + came(sides, SG_local_store_sectors);
    const double asked = same_path(sides) ? fmax(0, came(sides, of[1])) : 0;
    const double rest = sg_ln_ratio(BEFORE(of[0]), at_least(1, NOW(of[0]) - asked * unit));
    const bool is_other = local * unit > came(sides, of[0]) / 2 || grew(sides, SG_stall_membar) > 1;
    return is_other ? 0 : fmin(more(sides, of), beyond(rest, 0.02));
}

static double fewer(const struct sg_versus *sides, const enum sg_input *of)
{
    return beyond(-grew(sides, of[0]), 0.02);
}

static double launched_warps(const struct sg_versus *sides, int side)
{
    return sides->value[side][SG_grid] * ceil(sides->value[side][SG_block] / 32);
}

/* Blocks that take a lock: more than one additional atomic per block that returns the old value,
 * and waits for memory fences that the baseline does not have. */
static double locked(const struct sg_versus *sides, const enum sg_input *of)
{
    (void)of;
    return came(sides, SG_atomic_sectors) > 1.2 * NOW(SG_grid) && grew(sides, SG_stall_membar) > 1
               ? SG_LN_MAX
               : 0;
}

/* If warps never waited for the reason before, and each may have got an instruction of it, its
 * cause is new. Otherwise the number of its instructions counts. */
static double more_often(const struct sg_versus *sides, const enum sg_input *of)
{
    const bool is_new =
        BEFORE(of[0]) < 0.5 && !(came(sides, of[1]) < launched_warps(sides, SG_IS) / 2);
    const double more = is_new ? SG_LN_MAX : beyond(grew(sides, of[1]), 0.2);
    return NOW(of[0]) > 5 && !(locked(sides, NULL) > 0) ? more : 0;
}

/* ---- different kinds of work, in units of the former issue slots ---- */

static double slots_before(const struct sg_versus *sides)
{
    return BEFORE(SG_instructions) / (4 * sides->sm_count);
}

/* ln of the factor that these additional cycles per SM make. */
static double of_slots(const struct sg_versus *sides, double cycles)
{
    return beyond(log1p(at_least(0, cycles) / slots_before(sides)), 0.02);
}

/* Additional busy cycles per SM of a pipe, from its percentage of elapsed cycles. */
static double pipe_cycles(const struct sg_versus *sides, enum sg_input pipe)
{
    return at_least(0, NOW(pipe) / 100 * NOW(SG_cycles) - BEFORE(pipe) / 100 * BEFORE(SG_cycles));
}

/* A division of integers converts its operands on the pipe of special functions, and corrects its
 * result on the pipe of integers. Both pipes are as busy. */
static bool divides(const struct sg_versus *sides)
{
    sides = sides->unmoved ? sides->unmoved : sides;
    return pipe_cycles(sides, SG_pipe_alu) > 0.8 * pipe_cycles(sides, SG_pipe_xu) &&
           !(grew(sides, SG_pipe_fp64) > 0.1);
}

/* Additional issue slots of integer divisions: 8 for each special function, which takes 8 cycles. A
 * 64-bit division is a subroutine of 44 instructions with two special functions. The barrier
 * counter also counts the return from the subroutine. */
static double division_slots(const struct sg_versus *sides)
{
    const double each = pipe_cycles(sides, SG_pipe_xu),
                 calls = fmax(0, came(sides, SG_barrier_instructions)) / (4 * sides->sm_count);
    return divides(sides) ? fmin(came(sides, SG_instructions) / (4 * sides->sm_count),
                                 each + fmin(each / 8 / 2, calls) * 28)
                          : 0;
}

/* Cycles of the XU pipe that conversions explain: at most one conversion, of 8 cycles, for each
 * instruction in double precision, of 2 cycles. */
static double conversion_cycles(const struct sg_versus *sides)
{
    return fmax(0,
                fmin(pipe_cycles(sides, SG_pipe_xu), 8.0 / 2 * pipe_cycles(sides, SG_pipe_fp64)));
}

/* How much busier a pipe is, without the cycles that integer divisions and double precision
 * explain. */
static double busier(const struct sg_versus *sides, const enum sg_input *of)
{
    if (of[1] == SG_pipe_alu)
        return of_slots(sides, 2 * division_slots(sides));
    const double others = of[0] == SG_pipe_fp64  ? -conversion_cycles(sides)
                          : of[0] == SG_pipe_fma ? division_slots(sides)
                          : of[0] != SG_pipe_xu  ? 0
                          : divides(sides)       ? INFINITY
                                                 : conversion_cycles(sides);
    return of_slots(sides, pipe_cycles(sides, of[0]) - others);
}

static double warp_cycles(const struct sg_versus *sides, int side, enum sg_input reason)
{
    return sides->value[side][reason] / 100 * sides->value[side][SG_instructions];
}

/* Additional issue slots with idle lanes. */
static double idle_slots(const struct sg_versus *sides)
{
    double idle[SG_SIDES];
    for (int s = 0; s < SG_SIDES; s++)
        idle[s] = sides->value[s][SG_instructions] * (1 - sides->value[s][SG_active_lanes] / 32);
    return idle[SG_IS] - idle[SG_WAS];
}

/* Returns true if lanes of a warp access memory in turns: the additional requests leave as many
 * slots of lanes idle, and do not read other data. */
static bool in_turns(const struct sg_versus *sides)
{
    const double loads = came(sides, SG_global_load_requests),
                 more = loads + came(sides, SG_global_store_requests);
    return more > 0 && idle_slots(sides) > more / 2 &&
           !(came(sides, SG_l1_to_l2_read_sectors) >
             fmax(loads, came(sides, SG_global_load_sectors)) / 2);
}

/* Growth by divergence, from the issue slots with idle lanes. Accesses in turns have their row. */
static double diverged(const struct sg_versus *sides, const enum sg_input *of)
{
    const bool is_of_accesses = of[1] != SG_NO_INPUT;
    const double idle = of_slots(sides, idle_slots(sides) / (4 * sides->sm_count));
    if (in_turns(sides) != is_of_accesses)
        return 0;
    return is_of_accesses ? fmax(idle, fmax(grew(sides, of[1]), grew(sides, of[2]))) : idle;
}

static double more_misses(const struct sg_versus *sides, const enum sg_input *of)
{
    const double misses = COST * came(sides, of[0]);
    const double code = NOW(of[1]) > CODE_MAX ? fmax(0, grew(sides, of[1])) : 0;
    return fmax(beyond(code, 0.1), fmax(0, of_slots(sides, misses / sides->sm_count)));
}

/* ---- SMs and resident warps ---- */

static double fewer_sms(const struct sg_versus *sides, const enum sg_input *of)
{
    (void)of;
    return sg_ln_ratio(sg_sms_per_used(sides, SG_WAS), sg_sms_per_used(sides, SG_IS));
}

/* Growth of the busiest SM's cycles, or of all cycles, beyond the mean of SMs that have blocks.
 * Three rows share the growth: larger clusters take all; else unequal numbers of blocks take their
 * part, and unequal work of blocks the rest. */
static double more_imbalance(const struct sg_versus *sides, const enum sg_input *of)
{
    const enum sg_input end =
        sg_has(sides, SG_sm_active_cycles_max) ? SG_sm_active_cycles_max : SG_cycles;
    const double longer =
                     grew(sides, end) - grew(sides, SG_sm_active_cycles) - fewer_sms(sides, of),
                 all = beyond(longer, 0.01),
                 blocks = fmin(all, at_least(0, log(sg_blocks_unevenness(sides, SG_IS) /
                                                    sg_blocks_unevenness(sides, SG_WAS))));
    if (of[0] == SG_cluster || grew(sides, SG_cluster) > 0)
        return of[0] == SG_cluster && grew(sides, SG_cluster) > 0 ? all : 0;
    return locked(sides, NULL) > 0 ? 0
           : of[0] == SG_grid      ? blocks
                                   : beyond(all - blocks, 0.2 * all);
}

/* Fewer warps fit, a last wave is partial, a smaller launch is resident at once, or some end early.
 */
static enum sg_input why_fewer(const struct sg_versus *sides)
{
    const double fit = NOW(SG_occupancy_theoretical) / 100 * sides->sm_warps,
                 launched = launched_warps(sides, SG_IS) / sides->sm_count;
    if (fewer_sms(sides, NULL) > 0) /* reported by the row of SMs without blocks */
        return SG_NO_INPUT;
    if (fit < 4 * sg_resident_warps(sides, SG_WAS) && fit <= launched)
        return SG_occupancy_theoretical;
    if (launched > fit)
        return 0.95 * sg_blocks_unevenness(sides, SG_IS) > sg_blocks_unevenness(sides, SG_WAS)
                   ? SG_block
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
    return fmax(fmax(0, sides->value[side][SG_global_load_sectors]),
                fmax(0, sides->value[side][SG_l1_to_l2_read_sectors])) +
           fmax(0, sides->value[side][SG_global_store_sectors]);
}

/* ln of the factor of one kind of access, converted to all sectors of L1. */
static double of_all_sectors(const struct sg_versus *sides, enum sg_input sectors, double change)
{
    const double was = BEFORE(sectors) / all_sectors(sides, SG_WAS),
                 is = NOW(sectors) / all_sectors(sides, SG_IS);
    return same_path(sides) && change > 0.01 && !in_turns(sides)
               ? log1p(expm1(fmin(change, SG_LN_MAX)) * fmin(1, fmax(was, is)))
               : 0;
}

/* L1 is busier than its sectors, wavefronts and instructions imply, and no fence empties it: the
 * lanes access more lines. */
static double more_lines(const struct sg_versus *sides)
{
    const double counted =
        MOST_GROWN(SG_global_load_sectors, SG_global_store_sectors, SG_shared_load_wavefronts,
                   SG_shared_store_wavefronts, SG_local_load_sectors, SG_l1_to_l2_read_sectors,
                   SG_atomic_sectors, SG_reduction_sectors, SG_shared_atomics, SG_stall_membar);
    return beyond(busy_grew(sides, SG_AT_L1) - fmax(counted, busy_grew(sides, SG_AT_LSU)), 0.1);
}

static double scattered(const struct sg_versus *sides, const enum sg_input *of)
{
    return of_all_sectors(
        sides, of[1],
        fmax(grew(sides, of[1]) - at_least(0, grew(sides, of[0])), more_lines(sides)));
}

/* Warps already stored 4 bytes a lane, and now make more requests of more sectors each: these are
 * pieces of the same data. More results would make as many sectors a request. */
static bool in_pieces(const struct sg_versus *sides, const enum sg_input *of)
{
    return of[0] == SG_global_store_requests && grew(sides, of[0]) > 0.15 &&
           grew(sides, of[1]) > grew(sides, of[0]) + 0.05 && BEFORE(of[1]) >= 4 * BEFORE(of[0]);
}

/* More requests for the same data. Each additional sector, for loads from L2, may account for
 * one request. Nothing waits for a store, so that only its instructions and its cycle of the
 * load/store unit cost time. */
static double narrower(const struct sg_versus *sides, const enum sg_input *of)
{
    const bool is_load = of[0] == SG_global_load_requests, is_pieces = in_pieces(sides, of);
    const double others = fmax(0, came(sides, is_load ? SG_l1_to_l2_read_sectors : of[1])),
                 same = sg_ln_ratio(BEFORE(of[0]), at_least(1, NOW(of[0]) - others)),
                 more = fmin(same, grew(sides, of[0]) - at_least(0, grew(sides, of[1])));
    const double change =
        of_all_sectors(sides, of[1], is_pieces ? grew(sides, of[0]) : beyond(more, 0.15));
    return is_load || is_pieces
               ? change
               : fmin(change,
                      of_slots(sides, (1 + BY_ACCESS / 4) * came(sides, of[0]) / sides->sm_count));
}

static double more_accesses(const struct sg_versus *sides, const enum sg_input *of)
{
    return in_pieces(sides, of)
               ? 0
               : of_all_sectors(sides, of[1], fmin(grew(sides, of[0]), grew(sides, of[1])));
}

/* More loads, assigned to the last level that sees them: the third input of the row. */
static double more_loads(const struct sg_versus *sides, const enum sg_input *of)
{
    const double in_l1 = more_accesses(sides, of),
                 l2 = fmin(in_l1, at_least(0, grew(sides, SG_l1_to_l2_read_sectors))),
                 dram = fmin(l2, fmax(0, grew(sides, SG_dram_read_bytes)));
    return beyond(of[2] == SG_dram_read_bytes         ? dram
                  : of[2] == SG_l1_to_l2_read_sectors ? l2 - dram
                                                      : in_l1 - l2,
                  0.01);
}

/* Growth of both inputs together, in proportion to all sectors of L1. */
static double more_of_both(const struct sg_versus *sides, const enum sg_input *of)
{
    const double each = of[0] == SG_atomic_sectors ? SLICES : PAST_L1,
                 was = BEFORE(of[0]) + BEFORE(of[1]);
    const double more = at_least(0, came(sides, of[0]) + came(sides, of[1]));
    return beyond(log1p(each * more / at_least(1, each * was + all_sectors(sides, SG_WAS))), 0.01);
}

/* Growth of the link's busy cycles beyond what is asked of it, limited by how busy it is. */
static double more_fabric(const struct sg_versus *sides, const enum sg_input *of)
{
    const double asked = fmax(grew(sides, SG_global_load_requests),
                              grew(sides, sg_has(sides, of[1]) ? of[1] : SG_l1_to_l2_read_sectors));
    const double more = beyond(busy_grew(sides, SG_AT_FABRIC) - fmax(0, asked), 0.05);
    return beyond(log1p(expm1(more) * fmin(1, NOW(of[0]) / 100)), 0.01);
}

/* ---- shared memory ---- */

static double ideal_wavefronts(const struct sg_versus *sides, int side)
{
    return at_least(1, sides->value[side][SG_shared_load_wavefronts] +
                           sides->value[side][SG_shared_store_wavefronts] -
                           sides->value[side][SG_shared_load_conflicts] -
                           sides->value[side][SG_shared_store_conflicts]);
}

static double more_shared(const struct sg_versus *sides, const enum sg_input *of)
{
    const double ideal = ideal_wavefronts(sides, SG_IS) - ideal_wavefronts(sides, SG_WAS);
    return of_slots(sides, (of[0] == SG_shared_load_wavefronts
                                ? ideal
                                : came(sides, of[0]) * (of[0] == SG_shared_atomics ? COST : 1)) /
                               sides->sm_count);
}

/* Additional requests, wavefronts, atomics, and reads of a warp's indices when it starts. */
static double accesses(const struct sg_versus *sides)
{
    static const enum sg_input counted[] = {SG_global_load_requests, SG_global_store_requests,
                                            SG_local_load_sectors,   SG_local_store_sectors,
                                            SG_shared_atomics,       SG_atomic_sectors,
                                            SG_reduction_sectors};
    double more = at_least(0, ideal_wavefronts(sides, SG_IS) - ideal_wavefronts(sides, SG_WAS)) +
                  fmax(0, 3 * (launched_warps(sides, SG_IS) - launched_warps(sides, SG_WAS)));
    for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
        more += fmax(0, came(sides, counted[i]));
    return more;
}

/* Instructions of the load/store unit besides accesses, beyond the error of two passes. */
static double shuffled(const struct sg_versus *sides, const enum sg_input *of)
{
    return grew(sides, SG_stall_membar) > 1
               ? 0
               : of_slots(sides, pipe_cycles(sides, of[0]) - accesses(sides) / sides->sm_count -
                                     0.05 * sg_busy_cycles(sides, SG_WAS, SG_AT_LSU));
}

/* ---- instructions ---- */

/* True if the additional cycles of the ALU pipe can hold all additional instructions. */
static bool is_integer(const struct sg_versus *sides)
{
    sides = sides->unmoved ? sides->unmoved : sides;
    return pipe_cycles(sides, SG_pipe_alu) >= came(sides, SG_instructions) / (4 * sides->sm_count);
}

/* Excludes instructions that fewer active lanes or more memory accesses explain, and those of pipes
 * with their own mechanism. A special function takes 8 cycles plus 4 for scaling and checks; a
 * double-precision instruction takes 2 cycles plus one for counting or conversion. The rest may be
 * integer instructions, of 2 cycles each. */
static double more_instructions(const struct sg_versus *sides, const enum sg_input *of)
{
    const double slots = slots_before(sides),
                 more = expm1(beyond(
                     grew(sides, SG_instructions) - fmax(0, -grew(sides, SG_active_lanes)), 0.002));
    static const enum sg_input lsu[] = {SG_pipe_lsu}, xu[] = {SG_pipe_xu, SG_cycles};
    const double of_accesses =
        BY_ACCESS / 4 *
        (fmax(0, accesses(sides) / sides->sm_count / slots) + expm1(shuffled(sides, lsu)));
    const double of_others = expm1(busier(sides, xu)) * 5 / 8 +
                             expm1(of_slots(sides, fmax(0, division_slots(sides)) +
                                                       fmax(0, pipe_cycles(sides, SG_pipe_fp64)))) +
                             fmin(of_accesses, MOST_BY_ACCESS * more);
    const bool is_alu = of[0] == SG_pipe_alu;
    return is_integer(sides) == is_alu ? log1p(at_least(0, more - of_others) * (is_alu ? 2 : 1))
                                       : 0;
}

/* Growth of a wait, as ln of a factor on all former warp-cycles. */
static double longer(const struct sg_versus *sides, const enum sg_input *of)
{
    const double more = warp_cycles(sides, SG_IS, of[0]) - warp_cycles(sides, SG_WAS, of[0]);
    return beyond(
        log1p(at_least(0, more) / (4 * sides->sm_count * sg_resident_warps(sides, SG_WAS) *
                                   BEFORE(SG_sm_active_cycles))),
        0.005);
}

/* Memory gets more requests, or is busier, by so much that this may explain the waits for loads. */
static bool has_more_requests(const struct sg_versus *sides)
{
    const double most =
        MOST_GROWN(SG_global_load_requests, SG_global_load_sectors, SG_local_load_sectors,
                   SG_l1_to_l2_read_sectors, SG_dram_read_bytes, SG_atomic_sectors,
                   SG_reduction_sectors, SG_dram_throughput, SG_l2_throughput);
    const double waits = warp_cycles(sides, SG_IS, SG_stall_long_scoreboard) /
                         warp_cycles(sides, SG_WAS, SG_stall_long_scoreboard);
    return fmax(more_lines(sides), most) > fmax(0.1, 0.2 * log(waits));
}

static double polls(const struct sg_versus *sides)
{
    return came(sides, SG_instructions) < POLL * came(sides, SG_barrier_instructions)
               ? beyond(grew(sides, SG_barrier_instructions), POLLS)
               : 0;
}

/* Each load waits longer, and not for polls of barriers in memory, nor for want of stages. */
static double fewer_in_flight(const struct sg_versus *sides, const enum sg_input *of)
{
    const bool is_other =
        polls(sides) > 0 || grew(sides, SG_stages_ab) < 0 || has_more_requests(sides);
    return is_other ? 0 : beyond(longer(sides, of), 0.02);
}

/* Polling on barriers in memory, if waits like those for loads are a part of the added time. */
static double more_polls(const struct sg_versus *sides, const enum sg_input *of)
{
    static const enum sg_input of_block = SG_stall_barrier;
    const double waits = longer(sides, &of[1]);
    const bool is_part =
        waits > longer(sides, &of_block) && waits > 0.2 * log1p(fmax(0, sides->added));
    return is_part && !(NOW(SG_pipe_tma) > 0) && !has_more_requests(sides) ? polls(sides) : 0;
}

/* ---- metrics/causes.ini ---- */

struct sg_mechanism sg_mechanisms[SG_MECHANISMS_MAX];
size_t sg_mechanism_count;

#define CHANGES(X)                                                                               \
    X(more), X(fewer_sms), X(more_imbalance), X(locked), X(fewer_warps), X(fewer), X(scattered), \
        X(narrower), X(more_loads), X(fewer_in_flight), X(more_accesses), X(more_of_both),       \
        X(more_read), X(more_fabric), X(more_shared), X(diverged), X(shuffled), X(busier),       \
        X(more_instructions), X(more_misses), X(more_often), X(more_polls), X(longer)
#define SELF(name)    name
#define WORD_OF(name) #name
static const char *const change_words[] = {"none", CHANGES(WORD_OF), NULL};
static double (*const changes[])(const struct sg_versus *sides,
                                 const enum sg_input *of) = {NULL, CHANGES(SELF)};

double sg_mechanism_change(const struct sg_mechanism *mechanism, const struct sg_versus *sides)
{
    return mechanism->change > 0 ? changes[mechanism->change](sides, mechanism->evidence)
                                 : SG_LN_MAX;
}

#define WORD(place, ...) #place,
static const char *const place_words[SG_PLACE_COUNT] = {SG_PLACES(WORD) SG_STALLS(WORD)};

static uint64_t place_of(const char *word)
{
    int i = SG_PLACE_COUNT - 1;
    while (i >= 0 && strcasecmp(word, place_words[i]) != 0)
        i--;
    return i < 0 ? 0 : UINT64_C(1) << i;
}

static enum sg_code take_words(const struct sg_field *field, void *to,
                               const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_mechanism *mechanism = to;
    const bool is_places = strcmp(field->name, "places") == 0;
    SG_SCOPED(sg_names) words = {0};
    sg_names_add_split(&words, entry->value, ' ');
    for (size_t i = 0; i < words.count; i++) {
        const uint64_t found =
            is_places ? place_of(words.items[i]) : sg_input_named(words.items[i]);
        if (found == 0 || (!is_places && i == SG_EVIDENCE_MAX))
            return sg_refuse_value(entry, field->expected, err);
        if (is_places)
            mechanism->places |= found;
        else
            mechanism->evidence[i] = (enum sg_input)found;
    }
    return SG_SUCCESS;
}

static const struct sg_field fields[] = {
    SG_FIELD(WORD, "change", struct sg_mechanism, change, .words = change_words, .required = true),
    {.name = "evidence",
     .take = take_words,
     .required = true,
     .expected = "at most three counters of metrics/diagnose/places.h"},
    {.name = "places",
     .take = take_words,
     .required = true,
     .expected = "places of metrics/diagnose/places.h"},
    SG_FIELD(YES, "exact", struct sg_mechanism, exact),
    SG_FIELD(STRING, "says", struct sg_mechanism, says, .required = true),
    SG_FIELD(STRING, "try", struct sg_mechanism, try_, .required = true),
    {0},
};

static enum sg_code take_entry(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_fields *section = context;
    if (entry->key)
        return sg_fields_set(section, entry, err);
    if (section->record && sg_fields_complete(section, entry->path, err) != SG_SUCCESS)
        return err->code;
    if (sg_mechanism_count == SG_MECHANISMS_MAX)
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line,
                          "expected at most %d mechanisms", SG_MECHANISMS_MAX);
    section->record = &sg_mechanisms[sg_mechanism_count++];
    ((struct sg_mechanism *)section->record)->name = sg_copy_string(entry->section);
    sg_fields_begin(section, entry);
    return SG_SUCCESS;
}

enum sg_code sg_mechanisms_load(struct sg_err *err)
{
    struct sg_fields section = {.field = fields};
    SG_SCOPED(sg_text) path = {0};
    if (sg_mechanism_count > 0 || sg_path_in_home(&path, "metrics/causes.ini", err) != SG_SUCCESS)
        return err->code;
    if (sg_ini_read(path.data, take_entry, &section, err) != SG_SUCCESS ||
        sg_fields_complete(&section, path.data, err) != SG_SUCCESS)
        sg_mechanism_count = 0;
    return err->code;
}
