#include "stats/change_point_internal.h"

#include <math.h>
#include <string.h>

#include "stats/selection.h"
#include "stats/statistics.h"

#define MEDIAN_VARIANCE 1.57 /* of a median, relative to that of a mean */
#define NONE            ((size_t)-1)

static struct sg_scan_contrast contrast_of(const struct sg_scan_level *level)
{
    const double value = level->step - level->both * level->both / level->height;
    if (!(value > SG_SCAN_NOTHING * level->height))
        return (struct sg_scan_contrast){0};
    return (struct sg_scan_contrast){
        .gain = level->of_step - level->both * level->of_height / level->height, .value = value};
}

/* Adds a unit to its level, or takes it out: times -1. */
static void add_unit(struct sg_scan_level *level, const struct sg_scan_unit *unit, double times)
{
    const double share = 1 / (1 + level->most_spread * unit->weight),
                 joint = level->most_spread * share * unit->new_weight;
    level->height += times * share * unit->weight;
    level->both += times * share * unit->new_weight;
    level->step += times * (unit->new_weight - joint * unit->new_weight);
    level->of_height += times * share * unit->sum;
    level->of_step += times * (unit->new_sum - joint * unit->sum);
}

static size_t rank_of(const struct sg_scan *s, size_t i, bool by_unit)
{
    return by_unit ? s->night[i].unit : s->night[i].level;
}

/* Sorts the measured values of [from, to) into scratch by level or unit, with each known position.
 */
static void sort_values(const struct sg_scan *s, size_t from, size_t to, bool by_unit)
{
    const size_t ranks = by_unit ? to : s->levels;
    memset(s->rank, 0, ranks * sizeof(*s->rank));
    for (size_t i = from; i < to; i++)
        s->rank[rank_of(s, i, by_unit)].count += !s->night[i].is_known;
    for (size_t g = 0, first = 0; g < ranks; g++) {
        s->rank[g].value = s->scratch + first;
        s->rank[g].known = NAN;
        first += s->rank[g].count;
        s->rank[g].count = 0;
    }
    for (size_t i = from; i < to; i++) {
        struct sg_scan_rank *rank = &s->rank[rank_of(s, i, by_unit)];
        if (s->night[i].is_known)
            rank->known = s->night[i].value;
        else
            rank->value[rank->count++] = s->night[i].value;
    }
}

/* The smaller one, and the larger one; a NaN is ignored, as by fmin and fmax, which are calls. */
static double least(double a, double b)
{
    return a < b || isnan(b) ? a : b;
}

static double most_of(double a, double b)
{
    return a > b || isnan(b) ? a : b;
}

/* The two middle values; the same for an odd count. */
static void find_middle(double *x, size_t n, double *lower, double *upper)
{
    *lower = *upper = sg_kth_smallest(x, n, n / 2);
    if (n % 2 != 0)
        return;
    *lower = x[0]; /* all before the middle are not larger */
    for (size_t i = 1; i < n / 2; i++)
        *lower = most_of(*lower, x[i]);
}

static double median(double *x, size_t n)
{
    double lower, upper;
    find_middle(x, n, &lower, &upper);
    return n % 2 != 0 ? upper : 0.5 * (lower + upper);
}

/* For an even count, returns the middle value nearer to `known`. */
static double median_near(double *x, size_t n, double known)
{
    double lower, upper;
    find_middle(x, n, &lower, &upper);
    return fabs(upper - known) < fabs(lower - known) ? upper : lower;
}

/* If the height of a level is known, one run away from it is an outlier; two may be a step. */
static void find_centre(const struct sg_scan_rank *rank, struct sg_scan_centre *centre)
{
    if (isnan(rank->known)) {
        centre->low = centre->high = rank->count > 0 ? median(rank->value, rank->count) : NAN;
        return;
    }
    const double middle =
        rank->count > 1 ? median_near(rank->value, rank->count, rank->known) : rank->known;
    centre->low = least(rank->known, middle);
    centre->high = most_of(rank->known, middle);
}

/* Several units, or a known height: the further one of two centres counts. */
static double freedom_of(const struct sg_scan_level *level, const struct sg_scan_rank *rank)
{
    const bool has_one = level->unit_count == 1 && isnan(rank->known) && rank->count > 0;
    return has_one ? 1 - 1 / (double)rank->count : 1;
}

/* The centre of a unit: the median of its runs, shrunk towards the centre of the level. Few runs,
 * or units that differ little, shrink the median more. */
static void find_unit_centre(const struct sg_scan *s, size_t u, bool has_runs)
{
    const struct sg_scan_level *level = &s->level[s->night[u].level];
    const struct sg_scan_rank *rank = &s->rank[u];
    struct sg_scan_centre *centre = &s->unit[u].centre;
    *centre = level->centre;
    centre->unsure = level->spread;
    if (!has_runs || rank->count == 0 || !(level->spread > 0))
        return;
    const double known = (double)rank->count * level->spread,
                 share = known / (known + MEDIAN_VARIANCE * level->night),
                 own = median(rank->value, rank->count);
    centre->low += share * (own - level->centre.low);
    centre->high += share * (own - level->centre.high);
    centre->unsure *= 1 - share;
}

void sg_scan_centres(const struct sg_scan *s, size_t from, size_t to, size_t end)
{
    sort_values(s, from, to, false);
    for (size_t g = 0; g < s->levels; g++) {
        find_centre(&s->rank[g], &s->level[g].centre);
        s->level[g].freedom = freedom_of(&s->level[g], &s->rank[g]);
    }
    if (s->most_units > 1)
        sort_values(s, from, to, true);
    for (size_t u = 0; u < end; u++)
        find_unit_centre(s, u, s->most_units > 1 && u < to);
}

static void widen(struct sg_scan_centre *centre, const struct sg_scan_centre *before)
{
    centre->low = least(centre->low, before->low);
    centre->high = most_of(centre->high, before->high);
    centre->unsure = least(centre->unsure, before->unsure);
}

void sg_scan_both_centres(const struct sg_scan *s, size_t from, size_t at, size_t to)
{
    sg_scan_centres(s, from, at, to);
    for (size_t g = 0; g < s->levels; g++)
        s->level[g].before = s->level[g].centre;
    for (size_t u = 0; u < to; u++)
        s->unit[u].before = s->unit[u].centre;
    sg_scan_centres(s, at, to, to);
    for (size_t g = 0; g < s->levels; g++)
        widen(&s->level[g].centre, &s->level[g].before);
    for (size_t u = 0; u < to; u++)
        widen(&s->unit[u].centre, &s->unit[u].before);
}

void sg_scan_number_units(struct sg_scan *s)
{
    s->most_units = 0;
    for (size_t g = 0; g < s->levels; g++)
        s->level[g].unit_count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct sg_night_value *night = &s->night[i];
        size_t before = i;
        while (before > 0 &&
               (s->night[before - 1].level != night->level || s->gpu[before - 1] != s->gpu[i]))
            before--;
        s->night[i].unit = before > 0 ? s->night[before - 1].unit : (unsigned)i;
        s->level[night->level].unit_count += before == 0;
        if (s->level[night->level].unit_count > s->most_units)
            s->most_units = s->level[night->level].unit_count;
    }
}

void sg_scan_clear(const struct sg_scan *s, const struct sg_night_spreads *spread)
{
    for (size_t g = 0; g < s->levels; g++)
        s->level[g] = (struct sg_scan_level){.unit_count = s->level[g].unit_count};
    for (size_t i = 0; i < s->count; i++) {
        struct sg_scan_level *level = &s->level[s->night[i].level];
        const struct sg_night_spread *of = &spread->of[s->night[i].kind];
        level->spread = level->unit_count > 1 ? of->units : 0;
        level->most_spread = level->unit_count > 1 ? of->units_most : 0;
        level->night = of->between + of->error;
    }
    memset(s->unit, 0, s->count * sizeof(*s->unit));
}

/* Distance of a value from a centre; 0 if that is not known. */
static double outside(double value, const struct sg_scan_centre *centre)
{
    return most_of(value - centre->high, 0) + least(value - centre->low, 0);
}

double sg_scan_offset(const struct sg_scan *s, size_t i, double *sd)
{
    const struct sg_night_value *night = &s->night[i];
    const double own = outside(night->value, &s->unit[night->unit].centre),
                 all = outside(night->value, &s->level[night->level].centre);
    const bool is_own = fabs(own) * s->all_sd[i] >= fabs(all) * s->own_sd[i];
    *sd = is_own ? s->own_sd[i] : s->all_sd[i];
    return is_own ? own : all;
}

double sg_scan_distance(const struct sg_scan *s, size_t i)
{
    double sd;
    const double offset = sg_scan_offset(s, i, &sd);
    const double distance = least(fabs(offset) / sd, SG_SCAN_CLIP);
    return distance * distance;
}

void sg_scan_weigh(const struct sg_scan *s, size_t from, size_t to,
                   const struct sg_night_spreads *spread)
{
    for (size_t i = from; i < to; i++) {
        const double variance = sg_night_variance(&s->night[i], spread);
        struct sg_scan_unit *unit = &s->unit[s->night[i].unit];
        s->weight[i] = 1 / variance;
        s->own_sd[i] = sqrt(variance + unit->centre.unsure);
        s->all_sd[i] = sqrt(variance + s->level[s->night[i].level].spread);
        unit->weight += s->weight[i];
    }
}

static double clip(double value, const struct sg_scan_centre *centre, double most)
{
    return least(most_of(value, centre->low - most), centre->high + most);
}

void sg_scan_clip(const struct sg_scan *s, size_t from, size_t to, double most)
{
    for (size_t i = from; i < to; i++) {
        const struct sg_night_value *night = &s->night[i];
        struct sg_scan_unit *unit = &s->unit[night->unit];
        const double own = clip(night->value, &unit->centre, most * s->own_sd[i]);
        s->clipped[i] = clip(own, &s->level[night->level].centre, most * s->all_sd[i]);
        unit->sum += s->weight[i] * s->clipped[i];
    }
}

void sg_scan_add_units(const struct sg_scan *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->unit[i].weight > 0)
            add_unit(&s->level[s->night[i].level], &s->unit[i], 1);
}

void sg_scan_move(const struct sg_scan *s, size_t i, struct sg_scan_contrast *c)
{
    struct sg_scan_level *level = &s->level[s->night[i].level];
    struct sg_scan_unit *unit = &s->unit[s->night[i].unit];
    const struct sg_scan_contrast before = contrast_of(level);
    add_unit(level, unit, -1);
    unit->new_weight += s->weight[i];
    unit->new_sum += s->weight[i] * s->clipped[i];
    add_unit(level, unit, 1);
    const struct sg_scan_contrast behind = contrast_of(level);
    c->value += behind.value - before.value;
    c->gain += behind.gain - before.gain;
    /* Rounding residue where no level has runs on both sides. */
    if (c->value < SG_SCAN_NOTHING * level->height)
        *c = (struct sg_scan_contrast){0};
}

void sg_scan_differences(const struct sg_scan *s)
{
    for (size_t i = 0; i < s->count; i++) {
        size_t own = NONE, any = NONE;
        for (size_t before = i; before-- > 0 && own == NONE;) {
            if (s->night[before].level != s->night[i].level || s->night[before].is_known)
                continue;
            any = any == NONE ? before : any;
            own = s->night[before].unit == s->night[i].unit ? before : own;
        }
        s->difference[i] = own == NONE ? NAN : fabs(s->night[i].value - s->night[own].value);
        s->across[i] = any == own ? NAN : fabs(s->night[i].value - s->night[any].value);
    }
}
