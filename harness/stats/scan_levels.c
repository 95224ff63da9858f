#include "stats/change_point_internal.h"

#include <math.h>
#include <string.h>

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
static double lower_middle(const struct sg_moving *sorted, size_t group)
{
    return sg_moving_at(sorted, group, (sorted->size[group] - 1) / 2);
}

static double upper_middle(const struct sg_moving *sorted, size_t group)
{
    return sg_moving_at(sorted, group, sorted->size[group] / 2);
}

static double median(const struct sg_moving *sorted, size_t group)
{
    return 0.5 * (lower_middle(sorted, group) + upper_middle(sorted, group));
}

/* If the height of a level is known, a single run away from that height is an outlier; two runs may
 * be a step. The median of an even count is the middle value nearer to the known height. */
static void find_centre(const struct sg_moving *sorted, size_t g, struct sg_scan_level *level)
{
    const size_t count = sorted->size[g];
    double middle = level->known;
    if (isnan(level->known)) {
        level->centre.low = level->centre.high = count > 0 ? median(sorted, g) : NAN;
        level->freedom = level->unit_count == 1 && count > 0 ? 1 - 1 / (double)count : 1;
        return;
    }
    if (count > 1)
        middle = fabs(upper_middle(sorted, g) - level->known) <
                         fabs(lower_middle(sorted, g) - level->known)
                     ? upper_middle(sorted, g)
                     : lower_middle(sorted, g);
    level->centre.low = least(level->known, middle);
    level->centre.high = most_of(level->known, middle);
    level->freedom = 1;
}

/* The centre of a unit: the median of its runs, shrunk towards the centre of the level. Few runs,
 * or units that differ little, shrink the median more. */
static void find_unit_centre(const struct sg_scan *s, size_t u, bool has_runs)
{
    const struct sg_scan_level *level = &s->level[s->night[u].level];
    const struct sg_moving *sorted = &s->sorted[SG_SCAN_UNITS];
    struct sg_scan_centre *centre = &s->unit[u].centre;
    *centre = level->centre;
    centre->unsure = level->spread;
    if (!has_runs || sorted->size[u] == 0 || !(level->spread > 0))
        return;
    const double known = (double)sorted->size[u] * level->spread,
                 share = known / (known + MEDIAN_VARIANCE * level->night), own = median(sorted, u);
    centre->low += share * (own - level->centre.low);
    centre->high += share * (own - level->centre.high);
    centre->unsure *= 1 - share;
}

void sg_scan_centres(const struct sg_scan *s, size_t from, size_t to, size_t end)
{
    sg_moving_to(&s->sorted[SG_SCAN_LEVELS], from, to);
    for (size_t g = 0; g < s->levels; g++)
        s->level[g].known = NAN;
    for (size_t i = from; i < to && s->has_known; i++)
        if (s->night[i].is_known)
            s->level[s->night[i].level].known = s->night[i].value;
    for (size_t g = 0; g < s->levels; g++)
        find_centre(&s->sorted[SG_SCAN_LEVELS], g, &s->level[g]);
    if (s->most_units > 1)
        sg_moving_to(&s->sorted[SG_SCAN_UNITS], from, to);
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

void sg_scan_clear(const struct sg_scan *s, size_t to, const struct sg_night_spreads *spread)
{
    for (size_t g = 0; g < s->levels; g++)
        s->level[g] = (struct sg_scan_level){.unit_count = s->level[g].unit_count};
    for (size_t i = 0; i < to; i++) {
        struct sg_scan_level *level = &s->level[s->night[i].level];
        const struct sg_night_spread *of = &spread->of[s->night[i].kind];
        level->spread = level->unit_count > 1 ? of->units : 0;
        level->most_spread = level->unit_count > 1 ? of->units_most : 0;
        level->night = of->between + of->error;
    }
    memset(s->unit, 0, to * sizeof(*s->unit));
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

void sg_scan_add_units(const struct sg_scan *s, size_t to)
{
    for (size_t i = 0; i < to; i++)
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

/* The numbers of a run, and its groups. */
static void sort_run(const struct sg_scan *s, size_t i, size_t own, size_t any)
{
    const struct sg_night_value *night = &s->night[i];
    const double se = night->se > 0 ? night->se : 0, value = night->is_known ? NAN : night->value;
    const double numbers[SG_SCAN_SORTED] = {
        [SG_SCAN_ERRORS] = night->is_known ? NAN : se * se,
        [SG_SCAN_DIFFERENCES] = own == NONE ? NAN : fabs(value - s->night[own].value),
        [SG_SCAN_ACROSS] = any == own ? NAN : fabs(value - s->night[any].value),
        [SG_SCAN_LEVELS] = value,
        [SG_SCAN_UNITS] = value};
    for (size_t k = 0; k < SG_SCAN_SORTED; k++) {
        s->sorted[k].number[i] = numbers[k];
        s->sorted[k].group[i] = k == SG_SCAN_LEVELS  ? night->level
                                : k == SG_SCAN_UNITS ? night->unit
                                                     : night->kind;
    }
}

void sg_scan_sort(const struct sg_scan *s)
{
    for (size_t i = 0; i < s->count; i++) {
        size_t own = NONE, any = NONE;
        for (size_t before = i; before-- > 0 && own == NONE;) {
            if (s->night[before].level != s->night[i].level || s->night[before].is_known)
                continue;
            any = any == NONE ? before : any;
            own = s->night[before].unit == s->night[i].unit ? before : own;
        }
        sort_run(s, i, own, any);
    }
    for (size_t k = 0; k < SG_SCAN_SORTED; k++)
        sg_moving_begin(&s->sorted[k]);
}
