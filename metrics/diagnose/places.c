#include "diagnose/places.h"

#include <math.h>
#include <stddef.h>

/* If both kernels are shorter, start and end dominate, and count passes differ by as much as the
 * added time. */
#define SHORT_NS 5000.0
/* The added time when timed, over that when counted, lies between SHOWN and 1 / SHOWN. */
#define SHOWN      0.5
#define SCHEDULERS 4.0 /* per SM */
/* Longest start and end of a kernel, cycles, if not counted. */
#define ENDS_CYCLES   4000
#define PASSES_DIFFER 0.02 /* relative difference of cycles between passes */
/* smallest difference of start and end that counts, relative to all cycles */
#define ENDS_DIFFER 0.04

#define PLACE(place, name, kind, input) [SG_AT_##place] = {name, kind, input},
#define STALL(place, name, reason)      [SG_AT_##place] = {name, SG_REASON, SG_stall_##reason},
const struct sg_place_info sg_places[SG_PLACE_COUNT] = {SG_PLACES(PLACE) SG_STALLS(STALL)};

static double of(const struct sg_versus *sides, int side, enum sg_input input)
{
    return sides->value[side][input];
}

bool sg_has(const struct sg_versus *sides, enum sg_input input)
{
    return !isnan(of(sides, SG_WAS, input)) && !isnan(of(sides, SG_IS, input));
}

double sg_ln_ratio(double was, double is)
{
    if (isnan(was) || isnan(is))
        return NAN;
    return was == is ? 0 : fmin(fmax(log(is / was), -SG_LN_MAX), SG_LN_MAX);
}

/* ---- geometry ---- */

/* The number of blocks of several kernels together does not describe any of them. */
static bool has_geometry(const struct sg_versus *sides)
{
    return sg_has(sides, SG_grid) && sg_has(sides, SG_kernels) &&
           of(sides, SG_WAS, SG_kernels) == 1 && of(sides, SG_IS, SG_kernels) == 1 &&
           sides->sm_count > 0;
}

double sg_sms_per_used(const struct sg_versus *sides, int side)
{
    return has_geometry(sides) ? fmax(1, sides->sm_count / fmax(1, of(sides, side, SG_grid))) : 1;
}

double sg_blocks_unevenness(const struct sg_versus *sides, int side)
{
    const double each = of(sides, side, SG_grid) / sides->sm_count;
    const double fit = floor(of(sides, side, SG_occupancy_theoretical) / 100 * sides->sm_warps /
                             ceil(of(sides, side, SG_block) / 32));
    if (!has_geometry(sides) || each < 1)
        return 1;
    return (fit >= 1 && each > fit ? fit * ceil(each / fit) : ceil(each)) / each;
}

/* ---- units and warps ---- */

double sg_busy_cycles(const struct sg_versus *sides, int side, enum sg_place unit)
{
    const double value = of(sides, side, sg_places[unit].input);
    if (sg_places[unit].kind == SG_WAVEFRONTS)
        return sides->sm_count > 0
                   ? (value + of(sides, side, SG_shared_store_wavefronts)) / sides->sm_count
                   : NAN;
    return value / 100 *
           of(sides, side, sg_places[unit].kind == SG_OF_ACTIVE ? SG_sm_active_cycles : SG_cycles);
}

/* The part of a unit's growth that counts as time: none at 0.7 busy of the active cycles, all at
 * 0.9. A difference as small as between two passes is not growth. */
static double growth_in_time(const struct sg_versus *sides, enum sg_place unit)
{
    const double was = sg_busy_cycles(sides, SG_WAS, unit), is = sg_busy_cycles(sides, SG_IS, unit);
    const double near = (is / of(sides, SG_IS, SG_sm_active_cycles) - SG_NEAR_LIMIT) / 0.2 + 0.5;
    const double added =
        of(sides, SG_IS, SG_sm_active_cycles) - of(sides, SG_WAS, SG_sm_active_cycles);
    return fmin(fmax(0, is - was - PASSES_DIFFER * is), added) * fmin(fmax(0, near), 1);
}

/* The unit whose growth explains the most time, the first one in a near tie; SG_PLACE_COUNT:
 * none. */
static enum sg_place limiting_unit(const struct sg_versus *sides, double *growth)
{
    enum sg_place unit = SG_PLACE_COUNT;
    *growth = 0;
    for (enum sg_place i = SG_AT_TENSOR; i <= SG_AT_L1; i++)
        if (0.95 * growth_in_time(sides, i) > *growth)
            *growth = growth_in_time(sides, unit = i);
    return unit;
}

double sg_resident_warps(const struct sg_versus *sides, int side)
{
    return sides->sm_warps > 0
               ? of(sides, side, SG_occupancy_achieved) / 100 * sides->sm_warps / SCHEDULERS
               : NAN;
}

/* Splits active cycles by the states of resident warps. */
static void add_reasons(const struct sg_versus *sides, int side, double cycles[SG_PLACE_COUNT])
{
    const double issued = of(sides, side, SG_instructions) / (SCHEDULERS * sides->sm_count),
                 warps = sg_resident_warps(sides, side);
    double rest = of(sides, side, SG_sm_active_cycles) - issued / warps;
    for (int i = SG_AT_BARRIER; i < SG_PLACE_COUNT; i++) {
        cycles[i] = sg_has(sides, sg_places[i].input)
                        ? of(sides, side, sg_places[i].input) / 100 * issued / warps
                        : 0;
        rest -= cycles[i];
    }
    cycles[SG_AT_ISSUED] = issued / warps;
    cycles[SG_AT_OTHER] = fmax(0, rest);
}

/* ---- levels ---- */

/* Contributions to the ln growth of `active cycles = warp-cycles / resident warps`. A stall reason
 * contributes its growth. Fewer warps contribute the ln of the ratio of warps, minus the stall
 * reasons that fall with it. Losing warps that only wait in a queue, or are ready but not selected,
 * costs nothing. More such warps that each wait as long gain nothing. */
static void find_parts(const struct sg_versus *sides, double part[SG_PLACE_COUNT])
{
    const double before = sg_resident_warps(sides, SG_WAS),
                 now = fmin(before, sg_resident_warps(sides, SG_IS));
    const double all[SG_SIDES] = {before * of(sides, SG_WAS, SG_sm_active_cycles),
                                  now * of(sides, SG_IS, SG_sm_active_cycles)};
    const double grew = sg_ln_ratio(all[SG_WAS], all[SG_IS]);
    double cycles[SG_SIDES][SG_PLACE_COUNT] = {0};
    add_reasons(sides, SG_WAS, cycles[SG_WAS]);
    add_reasons(sides, SG_IS, cycles[SG_IS]);
    double fewer = sg_ln_ratio(now, before);
    /* Divides by the logarithmic mean, so that the parts sum to the total. */
    for (int i = SG_AT_ISSUED; i < SG_PLACE_COUNT; i++) {
        part[i] = (now * cycles[SG_IS][i] - before * cycles[SG_WAS][i]) *
                  (grew == 0 ? 1 / all[SG_IS] : grew / (all[SG_IS] - all[SG_WAS]));
        fewer += fmin(0, part[i]);
    }
    part[SG_AT_WARPS] = fmax(0, fewer);
}

/* Distributes added waiting time over the parts with the same sign. */
static void share(struct sg_split *split, const double part[SG_PLACE_COUNT], double points)
{
    double sum = 0;
    for (int i = SG_AT_ISSUED; i < SG_PLACE_COUNT; i++)
        sum += part[i] * points > 0 ? part[i] : 0;
    for (int i = SG_AT_ISSUED; i < SG_PLACE_COUNT; i++)
        split->points[i] += part[i] * points > 0 ? points * part[i] / sum : 0;
    if (sum == 0)
        split->points[SG_AT_OTHER] += points;
}

/* Splits the cycles of active SMs. `points`: points per cycle; `more`: points added to the
 * waits. */
static void split_active(const struct sg_versus *sides, double points, double more,
                         struct sg_split *split)
{
    const double added =
        of(sides, SG_IS, SG_sm_active_cycles) - of(sides, SG_WAS, SG_sm_active_cycles);
    double growth, *part = split->part;
    const enum sg_place unit = limiting_unit(sides, &growth);
    if (unit != SG_PLACE_COUNT)
        split->points[unit] = growth * points;
    if (sg_has(sides, SG_instructions) && sg_has(sides, SG_occupancy_achieved) &&
        sides->sm_warps > 0 && sides->sm_count > 0)
        find_parts(sides, part);
    if (unit == SG_AT_ISSUE) /* if all slots are taken, a not-selected warp costs no slot */
        part[SG_AT_ISSUED] = part[SG_AT_NOT_SELECTED] = 0;
    share(split, part, (added - growth) * points + more);
}

/* Longer work on all SMs also lengthens the imbalance; that share is not counted as imbalance.
 * `untimed`: counted cycles of the start and the end of the launch, which the measured time does
 * not include. */
static void split_cycles(const struct sg_versus *sides, double points, double untimed,
                         struct sg_split *split)
{
    double wait[SG_SIDES], ends[SG_SIDES], per_used[SG_SIDES];
    for (int s = 0; s < SG_SIDES; s++) {
        per_used[s] = sg_sms_per_used(sides, s);
        wait[s] = of(sides, s, SG_cycles) - of(sides, s, SG_sm_active_cycles) * per_used[s];
        ends[s] = sg_has(sides, SG_sm_active_cycles_max)
                      ? fmax(0, of(sides, s, SG_cycles) - of(sides, s, SG_sm_active_cycles_max))
                      : fmin(wait[s], ENDS_CYCLES * fmax(1, of(sides, s, SG_kernels)));
        wait[s] -= ends[s];
    }
    const double active =
        (of(sides, SG_WAS, SG_sm_active_cycles) + of(sides, SG_IS, SG_sm_active_cycles)) / 2;
    const double used = (per_used[SG_WAS] + per_used[SG_IS]) / 2;
    const double as_long =
        of(sides, SG_IS, SG_sm_active_cycles) / of(sides, SG_WAS, SG_sm_active_cycles);
    split->points[SG_AT_FEW_BLOCKS] = active * (per_used[SG_IS] - per_used[SG_WAS]) * points;
    const double longer = ends[SG_IS] - ends[SG_WAS],
                 seen = longer - fmin(untimed, fmax(0, longer)),
                 ends_grew = fabs(seen) > ENDS_DIFFER * of(sides, SG_IS, SG_cycles) ? seen : 0;
    split->points[SG_AT_ENDS] = ends_grew * points;
    split->points[SG_AT_IMBALANCE] = (wait[SG_IS] - wait[SG_WAS] * as_long) * points;
    split->active = of(sides, SG_WAS, SG_sm_active_cycles) * used * points;
    split_active(sides, used * points, (longer - ends_grew + wait[SG_WAS] * (as_long - 1)) * points,
                 split);
}

/* If fewer SMs share the work, each has more of it: the smaller effect is subtracted from both. */
static void offset_few_blocks(struct sg_split *split)
{
    double *few = &split->points[SG_AT_FEW_BLOCKS];
    for (int i = SG_AT_TENSOR; i < SG_PLACE_COUNT; i++)
        if (*few * split->points[i] < 0) {
            const double both = copysign(fmin(fabs(*few), fabs(split->points[i])), *few);
            split->points[i] += both;
            *few -= both;
        }
}

void sg_place_shares(const struct sg_versus *sides, int side, double percent[SG_PLACE_COUNT])
{
    const double per_cycle = 100 / of(sides, side, SG_cycles),
                 per_used = sg_sms_per_used(sides, side);
    double cycles[SG_PLACE_COUNT] = {0};
    add_reasons(sides, side, cycles);
    for (int i = 0; i < SG_PLACE_COUNT; i++)
        percent[i] = per_cycle * (i >= SG_AT_TENSOR && i <= SG_AT_L1
                                      ? sg_busy_cycles(sides, side, (enum sg_place)i)
                                      : cycles[i]);
    percent[SG_AT_FEW_BLOCKS] = 100 - 100 / per_used;
    percent[SG_AT_IMBALANCE] = 100 / per_used - per_cycle * of(sides, side, SG_sm_active_cycles);
}

static double percent_more(const struct sg_versus *sides, enum sg_input input)
{
    return sg_has(sides, input) ? 100 * (of(sides, SG_IS, input) / of(sides, SG_WAS, input) - 1)
                                : NAN;
}

static bool is_shown(double timed, double counted)
{
    return timed / counted >= SHOWN && timed / counted <= 1 / SHOWN;
}

/* `timed`: points without the clock's; `counted`: points that counting shows. */
static const char *why_not(const struct sg_versus *sides, double timed, double by_clock,
                           double counted)
{
    const double times[SG_SIDES] = {of(sides, SG_WAS, SG_time), of(sides, SG_IS, SG_time)};
    if (!sg_has(sides, SG_cycles) || !sg_has(sides, SG_sm_active_cycles))
        return "cycles were not counted on both sides";
    if (fmin(times[SG_WAS], times[SG_IS]) < SHORT_NS &&
        fabs(times[SG_IS] - times[SG_WAS]) < SHORT_NS)
        return "the faster side takes under 5 us";
    const bool has_more_kernels = percent_more(sides, SG_kernels) != 0 && sg_has(sides, SG_kernels);
    /* Most of the change may be the clock. */
    if (has_more_kernels || fabs(timed) < SHOWN * fabs(timed + by_clock))
        return NULL;
    if (!is_shown(timed, counted))
        return "counted cycles and time disagree";
    return fabs(timed) <= 100 * sides->error[SG_cycles] / of(sides, SG_WAS, SG_cycles)
               ? "it is less than the error of the counted cycles"
               : NULL;
}

void sg_split_time(const struct sg_versus *sides, struct sg_split *split)
{
    const double counted = percent_more(sides, SG_cycles), clock = percent_more(sides, SG_sm_clock);
    *split = (struct sg_split){.added = isnan(sides->added) ? counted : 100 * sides->added};
    const double by_clock =
        isnan(clock) ? 0 : split->added - (100 + split->added) * (1 + clock / 100) + 100;
    const double timed = split->added - by_clock;
    split->why_not = why_not(sides, timed, by_clock, counted);
    if (split->why_not)
        return;
    const bool is_alike = !sg_has(sides, SG_kernels) || percent_more(sides, SG_kernels) == 0;
    const double per_point = is_alike && is_shown(timed, counted) ? timed / counted : 1;
    split_cycles(sides, 100 * per_point / of(sides, SG_WAS, SG_cycles),
                 is_alike ? fmax(0, counted - timed) / 100 * of(sides, SG_WAS, SG_cycles) : 0,
                 split);
    offset_few_blocks(split);
    split->points[SG_AT_CLOCK] = by_clock;
    split->points[is_alike ? SG_AT_TIMING : SG_AT_LAUNCHES] = timed - per_point * counted;
}
