#include "stats/change_point_internal.h"

#include <math.h>
#include <stdlib.h>

#include "stats/selection.h"
#include "stats/statistics.h"
#include "util/text.h"
#include "util/hypot.h"

#define FAR_SD    5.0
#define PAIR_CLIP 4.5
#define AGREE_SD  2.0
/* A run may be the start of a step if twice its log likelihood is within 2 ln(1 / 0.05) of the most
 * likely run's. */
#define PLACE_LIKELIHOOD 6.0
#define INTERVAL_95      1.96
#define INTERVAL_CREEP   3.0
#define CHOSEN_PLACE     0.5 /* S at the place with the largest S, minus S at the true place */
#define NONE             ((size_t)-1)

static size_t later(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t fewer(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The first of the runs before `to` that are not too old. */
static size_t oldest_of(size_t to)
{
    return to > SG_SCAN_NIGHTS ? to - SG_SCAN_NIGHTS : 0;
}

/* Variance of the distances over the variance assumed for runs, at least 1. Outliers count here;
 * the usual spread ignores them. */
static double scatter_of(double distances, double freedom)
{
    return freedom > SG_SCAN_NOTHING ? fmax(1, distances / freedom) : 1;
}

/* n: runs on the side that has fewer, because that side decides the error. */
static double score_of(const struct sg_scan_contrast *c, const struct sg_night_spreads *spreads,
                       size_t n)
{
    return c->value > 0
               ? c->gain / sqrt(c->value * sg_night_inflation(spreads->r, spreads->slow, n))
               : 0;
}

/* The last run, not clipped, against the runs [from, to - 1). NaN if fewer than SG_SCAN_REST of
 * them share its level and no position is known: a single one may be an outlier. */
static struct sg_outlier last_night(const struct sg_scan *s, size_t from, size_t to,
                                    const struct sg_night_spreads *spread)
{
    const struct sg_night_value *last = &s->night[to - 1];
    const struct sg_scan_level *level = &s->level[last->level];
    double weight = 0, sum = 0;
    size_t count = 0;
    for (size_t i = from; i + 1 < to; i++)
        if (s->night[i].level == last->level) {
            const bool is_own = s->night[i].unit == last->unit;
            const double own = 1 / (1 / s->weight[i] + (is_own ? 0 : 2 * level->most_spread));
            weight += own;
            sum += own * s->clipped[i];
            count += s->night[i].is_known ? SG_SCAN_REST : 1;
        }
    if (count < SG_SCAN_REST)
        return (struct sg_outlier){.night = to - 1, .change = NAN, .z = NAN};
    const double change = last->value - sum / weight;
    return (struct sg_outlier){.night = to - 1,
                               .change = change,
                               .z = change / sqrt(sg_night_variance(last, spread) +
                                                  s->unit[last->unit].centre.unsure + 1 / weight)};
}

/* Do the last two runs differ from a single run of their level, which may be the outlier? */
static bool is_against_one(const struct sg_scan *s, size_t to)
{
    const size_t *size = s->sorted[SG_SCAN_LEVELS].size; /* without the last run */
    const uint32_t last = s->night[to - 1].level, before = s->night[to - 2].level;
    const size_t others = size[before] - 1 + (last == before ? 0 : size[last]);
    return others < 2 && isnan(s->level[last].known);
}

/* How far the last runs may be off, in sd, before they are clipped. After few earlier runs, two
 * runs clipped at SG_SCAN_CLIP make no step, so a pair that is far off by the same amount is
 * clipped at PAIR_CLIP, and at twice that if its error is mostly its common unit's. A single run
 * never is. */
static double clip_of(const struct sg_scan *s, size_t from, size_t to)
{
    if (to - from < SG_SCAN_REST + 2)
        return SG_SCAN_CLIP;
    if (is_against_one(s, to))
        return SG_SCAN_CLIP / 2; /* the median is midway, so both sides are clipped */
    double sd, sd_before;
    const double last = sg_scan_offset(s, to - 1, &sd),
                 before = sg_scan_offset(s, to - 2, &sd_before);
    const bool agree = fabs(last) >= FAR_SD * sd && fabs(before) >= FAR_SD * sd_before &&
                       fabs(last - before) <= AGREE_SD * sg_hypot(sd, sd_before);
    return !agree ? SG_SCAN_CLIP
           : s->night[to - 1].unit == s->night[to - 2].unit &&
                   s->level[s->night[to - 1].level].unit_count > 1
               ? 2 * PAIR_CLIP
               : PAIR_CLIP;
}

/* Returns the place of the step that the runs [from, to) show, or NONE. */
static size_t scan_night(const struct sg_scan *s, size_t from, size_t to,
                         const struct sg_night_spreads *spread)
{
    const size_t most = to - from < SG_SCAN_REST ? 0 : to - from - SG_SCAN_REST;
    const double limit = SG_SCAN_LIMIT + s->rule.caution;
    size_t place = NONE;
    double best = 0, distances = 0;
    struct sg_scan_contrast c = {0};
    sg_scan_clear(s, to, spread);
    sg_scan_centres(s, from, to - 1, to);
    sg_scan_weigh(s, from, to, spread);
    sg_scan_clip(s, from, to, clip_of(s, from, to));
    sg_scan_add_units(s, to);
    double *distance = s->split, freedom = 0;
    for (size_t i = from; i < to; i++) {
        distances += distance[i] = sg_scan_distance(s, i);
        freedom += s->level[s->night[i].level].freedom;
    }
    for (size_t m = 1; m <= SG_SCAN_LAST && m <= most; m++) {
        sg_scan_move(s, to - m, &c);
        /* Runs after a step are not outliers. A step with more than half of the runs after it would
         * turn the earlier ones into outliers, but such a step is found long before. */
        distances -= distance[to - m];
        freedom -= s->level[s->night[to - m].level].freedom;
        if (m == 1 || c.gain * c.gain <= limit * limit * c.value)
            continue; /* correlation and scatter only make the score smaller */
        const double score = fabs(score_of(&c, spread, m));
        if (score > limit * sqrt(scatter_of(distances, freedom)) && score > best) {
            best = score;
            place = to - m;
        }
    }
    return place;
}

static void add_step(struct sg_series_steps *found, size_t at, size_t night, bool is_known)
{
    *SG_APPEND(found->steps, found->count, found->capacity) =
        (struct sg_series_step){.at = at,
                                .earliest = at,
                                .latest = at,
                                .found = night,
                                .is_known = is_known,
                                .change = NAN,
                                .low = NAN,
                                .high = NAN};
}

static void find_steps(const struct sg_scan *s, struct sg_series_steps *found)
{
    size_t from = 0;
    for (size_t to = 1; to <= s->count; to++) {
        if (s->night[to - 1].begins && to > 1) {
            from = to - 1;
            add_step(found, from, from, true);
        }
        const struct sg_night_spreads spread = sg_night_spread(s, oldest_of(to), to);
        const size_t begin = later(from, oldest_of(to)), place = scan_night(s, begin, to, &spread);
        const struct sg_night_spread *of_last = &spread.of[s->night[to - 1].kind];
        found->night_sd = sqrt(of_last->between + of_last->error);
        found->last = last_night(s, begin, to, &spread);
        if (place != NONE) {
            add_step(found, place, to - 1, false);
            from = place;
        } else if (fabs(found->last.z) >= SG_SCAN_OFF) {
            *SG_APPEND(found->off, found->off_count, found->off_capacity) = found->last;
        }
    }
}

/* Computes S for every place in the runs [from, to), with `at` as the current place of the step. */
static void split_everywhere(const struct sg_scan *s, size_t from, size_t at, size_t to,
                             const struct sg_night_spreads *spread)
{
    struct sg_scan_contrast c = {0};
    sg_scan_clear(s, to, spread);
    sg_scan_both_centres(s, from, at, to);
    sg_scan_weigh(s, from, to, spread);
    sg_scan_clip(s, from, to, SG_SCAN_CLIP);
    sg_scan_add_units(s, to);
    for (size_t i = to - 1; i > from; i--) {
        sg_scan_move(s, i, &c);
        s->split[i] = fabs(score_of(&c, spread, fewer(i - from, to - i)));
    }
}

/* Clips the runs [first, last) around their own centres and adds them to the levels. Returns the
 * sum of their distances, and adds up their degrees of freedom. */
static double take_side(const struct sg_scan *s, size_t first, size_t last,
                        const struct sg_night_spreads *spread, double *freedom)
{
    double sum = 0;
    sg_scan_centres(s, first, last, last);
    sg_scan_weigh(s, first, last, spread);
    sg_scan_clip(s, first, last, SG_SCAN_CLIP);
    for (size_t i = first; i < last; i++) {
        sum += sg_scan_distance(s, i);
        *freedom += s->level[s->night[i].level].freedom;
    }
    return sum;
}

/* Compares the runs [begin, to) with [from, end). Each side is clipped around its own centres: a
 * value between the two heights is an outlier of one side. */
static struct sg_scan_contrast compare_sides(const struct sg_scan *s, size_t from, size_t end,
                                             size_t begin, size_t to,
                                             const struct sg_night_spreads *spread)
{
    const size_t before = end - from, behind = to - begin;
    double freedom = 0;
    struct sg_scan_contrast c = {0};
    sg_scan_clear(s, to, spread);
    const double distances =
        take_side(s, from, end, spread, &freedom) + take_side(s, begin, to, spread, &freedom);
    sg_scan_add_units(s, to);
    for (size_t i = begin; i < to; i++)
        sg_scan_move(s, i, &c);
    const double times = sg_night_inflation(spread->r, spread->slow, fewer(before, behind)) *
                         scatter_of(distances, freedom);
    return (struct sg_scan_contrast){.gain = c.gain / times, .value = c.value / times};
}

/* Sizes the step by all runs [from, to), given that the statistic of the runs up to `found`
 * exceeded the limit. */
static void size_step(const struct sg_scan *s, size_t from, size_t to,
                      const struct sg_night_spreads *spread, struct sg_series_step *step)
{
    const struct sg_scan_contrast all = compare_sides(s, from, step->at, step->at, to, spread);
    if (!(all.value > 0))
        return;
    const double se = sg_t_quantile(0.975, spread->of[s->night[step->at].kind].df) / INTERVAL_95 /
                      sqrt(all.value);
    step->change = all.gain / all.value;
    step->low = step->change - INTERVAL_95 * se;
    step->high = step->change + INTERVAL_95 * se;
    if (step->is_known || step->found <= step->at)
        return;
    const struct sg_scan_contrast then =
        compare_sides(s, from, step->at, step->at, step->found + 1, spread);
    if (!(then.value > 0))
        return;
    const struct sg_selected selected = {.read = fabs(step->change),
                                         .se = se,
                                         .limit = (SG_SCAN_LIMIT + s->rule.caution - CHOSEN_PLACE) /
                                                  sqrt(then.value),
                                         .deciding_se = 1 / sqrt(then.value)};
    double low = 0, high = 0;
    sg_selected_interval(&selected, &low, &high);
    step->low = step->change > 0 ? low : -high;
    step->high = step->change > 0 ? high : -low;
}

/* Places a step between its neighbours, using all runs [from, to). */
static void place_step(const struct sg_scan *s, size_t from, size_t to, struct sg_series_step *step)
{
    const struct sg_night_spreads spread = sg_night_spread(s, from, to);
    split_everywhere(s, from, step->at, to, &spread);
    for (size_t i = from + 1; i < to && !step->is_known; i++)
        if (s->split[i] > s->split[step->at])
            step->at = i;
    step->earliest = step->latest = step->at;
    for (size_t i = from + 1; i < to && !step->is_known; i++)
        if (pow(s->split[step->at], 2) - pow(s->split[i], 2) < PLACE_LIKELIHOOD) {
            step->earliest = fewer(i, step->earliest);
            step->latest = later(i, step->latest);
        }
    size_step(s, from, to, &spread, step);
}

static void place_steps(const struct sg_scan *s, struct sg_series_steps *found)
{
    double since = 0; /* sum of steps too small to count, as in a slow drift */
    for (size_t i = 0; i < found->count; i++) {
        struct sg_series_step *step = &found->steps[i];
        place_step(s, i > 0 ? found->steps[i - 1].at : 0,
                   i + 1 < found->count ? found->steps[i + 1].at : s->count, step);
        since += isnan(step->change) ? 0 : step->change;
        step->since = since;
        step->counts = step->is_known || fabs(since) >= s->rule.tolerance;
        since = step->counts ? 0 : since;
    }
}

/* Would the scan see the last runs [at, count) if they were off by `size`? */
static bool would_see(const struct sg_scan *s, size_t from, size_t at, double size)
{
    for (size_t i = at; i < s->count; i++)
        s->night[i].value += size;
    sg_scan_sort(s);
    const struct sg_night_spreads spread = sg_night_spread(s, from, s->count);
    const bool is_seen = scan_night(s, from, s->count, &spread) != NONE;
    for (size_t i = at; i < s->count; i++)
        s->night[i].value -= size;
    sg_scan_sort(s);
    return is_seen;
}

/* Would the scan miss a step of this size, up or down, whichever of the last runs it came before?
 * Asked only if the runs since the last step are of several units, and not fewer than any scan
 * needs. */
static bool is_thin(const struct sg_scan *s, size_t from, double size)
{
    static const size_t after[] = {2, 5, 10, 20, SG_SCAN_LAST};
    bool is_thin = false;
    for (size_t i = from; i < s->count; i++)
        is_thin |= s->gpu[i] != s->gpu[from];
    is_thin &= size > 0 && s->count - from >= SG_SCAN_REST + 2;
    for (size_t k = 0; k < sizeof(after) / sizeof(after[0]) && is_thin; k++)
        if (s->count - from >= after[k] + SG_SCAN_REST)
            is_thin = !would_see(s, from, s->count - after[k], size) ||
                      !would_see(s, from, s->count - after[k], -size);
    return is_thin;
}

/* Largest variance of the joined levels' height, in the runs after `from` and after `last`. */
static double joined_variance(const struct sg_scan *s, size_t from, size_t last)
{
    double most = 0;
    for (size_t i = from; i < s->count; i++)
        if (i < from + SG_CREEP_NIGHTS || i >= last)
            most = fmax(most, s->night[i].joined_se);
    return most * most;
}

/* Compares the last runs with the first ones since the epoch, within joined levels. */
static void find_creep(struct sg_scan *s, struct sg_series_steps *found)
{
    size_t epoch = 0;
    for (size_t i = 0; i < s->count; i++)
        epoch = s->night[i].is_epoch ? i : epoch;
    found->epoch = s->night[epoch].number;
    if (s->count - epoch < 3 * (size_t)SG_CREEP_NIGHTS)
        return;
    const size_t last = s->count - SG_CREEP_NIGHTS;
    const struct sg_night_spreads spread = sg_night_spread(s, oldest_of(s->count), s->count);
    for (size_t i = 0; i < s->count; i++)
        s->night[i].level = s->night[i].joined;
    sg_scan_number_units(s);
    sg_scan_sort(s);
    const struct sg_scan_contrast c =
        compare_sides(s, epoch, epoch + SG_CREEP_NIGHTS, last, s->count, &spread);
    if (!(c.value > 0))
        return;
    const double half = INTERVAL_CREEP * sqrt(1 / c.value + joined_variance(s, epoch, last));
    found->creep = c.gain / c.value;
    found->creep_low = found->creep - half;
    found->creep_high = found->creep + half;
}

/* A step before a run that was not measured belongs to the next measured run. */
static size_t number_from(const struct sg_scan *s, size_t i)
{
    while (i + 1 < s->count && s->night[i].is_known)
        i++;
    return s->night[i].number;
}

static void restore_numbers(const struct sg_scan *s, struct sg_series_steps *found)
{
    for (size_t i = 0; i < found->count; i++) {
        struct sg_series_step *step = &found->steps[i];
        step->at = number_from(s, step->at);
        step->earliest = number_from(s, step->earliest);
        step->latest = number_from(s, step->latest);
        step->found = s->night[step->found].number;
    }
    found->last.night = s->night[found->last.night].number;
    for (size_t i = 0; i < found->off_count; i++)
        found->off[i].night = s->night[found->off[i].night].number;
}

/* Copies the runs that have a value. A known step before a gap moves to the next run. */
static size_t copy_nights(const struct sg_night_value *nights, size_t count,
                          struct sg_night_value *kept)
{
    size_t n = 0;
    bool begins = false, is_epoch = false;
    for (size_t i = 0; i < count; i++) {
        begins |= nights[i].begins;
        is_epoch |= nights[i].is_epoch;
        if (isnan(nights[i].value))
            continue;
        kept[n] = nights[i];
        kept[n].begins = begins;
        kept[n++].is_epoch = is_epoch;
        begins = is_epoch = false;
    }
    return n;
}

static size_t count_levels(const struct sg_night_value *nights, size_t count)
{
    size_t levels = 0;
    for (size_t i = 0; i < count; i++)
        levels = later(levels, later(nights[i].level, nights[i].joined) + 1);
    return levels;
}

void sg_series_scan(const struct sg_night_value *nights, size_t count,
                    const struct sg_scan_rule *rule, struct sg_series_steps *found)
{
    struct sg_night_value *kept = sg_alloc(count + 1, sizeof(*kept));
    const size_t n = copy_nights(nights, count, kept), levels = count_levels(kept, n);
    double *numbers = sg_alloc(5 * n + 1, sizeof(*numbers));
    struct sg_moving sorted[SG_SCAN_SORTED];
    struct sg_scan s = {
        .night = kept,
        .count = n,
        .levels = levels,
        .rule = *rule,
        .sorted = sorted,
        .clipped = numbers,
        .weight = numbers + n,
        .split = numbers + 2 * n,
        .own_sd = numbers + 3 * n,
        .all_sd = numbers + 4 * n,
        .level = sg_alloc(levels + 1, sizeof(*s.level)),
        .unit = sg_alloc(n + 1, sizeof(*s.unit)),
        .gpu = sg_alloc(n + 1, sizeof(*s.gpu)),
    };
    for (size_t k = 0; k < SG_SCAN_SORTED; k++)
        sorted[k] = sg_moving_make(n, k == SG_SCAN_LEVELS  ? levels
                                      : k == SG_SCAN_UNITS ? n
                                                           : SG_SCAN_KINDS);
    *found = (struct sg_series_steps){.night_sd = NAN,
                                      .last = {.change = NAN, .z = NAN},
                                      .creep = NAN,
                                      .creep_low = NAN,
                                      .creep_high = NAN};
    for (size_t i = 0; i < n; i++) {
        s.gpu[i] = kept[i].unit;
        s.has_known |= kept[i].is_known;
    }
    if (n > 0) {
        sg_scan_number_units(&s);
        sg_scan_sort(&s);
        find_steps(&s, found);
        place_steps(&s, found);
        const size_t last = found->count > 0 ? found->steps[found->count - 1].at : 0;
        found->is_thin = is_thin(&s, later(last, oldest_of(n)), rule->watched);
        find_creep(&s, found);
        restore_numbers(&s, found);
    }
    free(s.level);
    free(s.unit);
    free(s.gpu);
    free(numbers);
    free(kept);
    for (size_t k = 0; k < SG_SCAN_SORTED; k++)
        sg_moving_release(&sorted[k]);
}

void sg_series_steps_release(struct sg_series_steps *found)
{
    free(found->steps);
    free(found->off);
    *found = (struct sg_series_steps){0};
}
