#include "stats/change_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/night_spread.h"
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
#define NOTHING          1e-9
#define NONE             ((size_t)-1)

/* Sums over one level: over the runs on the new side, and over all. */
struct level {
    double weight, sum;
    double new_weight, new_sum;
    double low, high; /* bounds of the centre before a step */
};

/* The measured values of one level, and its known position; NaN: not known. */
struct rank {
    double *value, known;
    size_t count;
};

/* S is gain / sqrt(value). The step is gain / value, with the variance 1 / value. */
struct contrast {
    double gain, value;
};

/* The nightly runs that have a value, with the weight of each. Arrays have `count` elements. */
struct scan {
    struct sg_night_value *night; /* owned copy without the runs that have no value */
    size_t count, levels;
    struct sg_scan_rule rule;
    double *difference; /* |value - the level's previous value|; NaN: the level has none */
    double *scratch;
    double *clipped, *weight, *split; /* split: |S| of a step before each run */
    double *low, *high;               /* by level: bounds of the centre; NaN: not known */
    struct level *level;              /* by level */
    struct rank *rank;                /* by level */
};

static size_t later(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t fewer(size_t a, size_t b)
{
    return a < b ? a : b;
}

static struct sg_night_spreads spread_of(const struct scan *s, size_t from, size_t to)
{
    return sg_night_spread(&(struct sg_night_values){s->night, s->difference, s->scratch, &s->rule},
                           from, to);
}

static struct contrast contrast_of(const struct level *level)
{
    const double rest = level->weight - level->new_weight,
                 value = level->new_weight * rest / level->weight;
    if (!(level->new_weight > 0) || !(rest > 1e-9 * level->weight))
        return (struct contrast){0};
    return (struct contrast){
        .gain = value * (level->new_sum / level->new_weight - (level->sum - level->new_sum) / rest),
        .value = value};
}

/* Sorts the measured values of [from, to) into scratch by level, with each known position. */
static void sort_by_level(const struct scan *s, size_t from, size_t to)
{
    memset(s->rank, 0, s->levels * sizeof(*s->rank));
    for (size_t i = from; i < to; i++)
        s->rank[s->night[i].level].count += !s->night[i].is_known;
    for (size_t g = 0, first = 0; g < s->levels; g++) {
        s->rank[g].value = s->scratch + first;
        s->rank[g].known = NAN;
        first += s->rank[g].count;
        s->rank[g].count = 0;
    }
    for (size_t i = from; i < to; i++) {
        struct rank *rank = &s->rank[s->night[i].level];
        if (s->night[i].is_known)
            rank->known = s->night[i].value;
        else
            rank->value[rank->count++] = s->night[i].value;
    }
}

/* For an even count, returns the middle value nearer to `known`. */
static double median_near(double *x, size_t n, double known)
{
    const double upper = sg_kth_smallest(x, n, n / 2), lower = sg_kth_smallest(x, n, (n - 1) / 2);
    return fabs(upper - known) < fabs(lower - known) ? upper : lower;
}

/* If the height of a level is known, one run away from it is an outlier; two may be a step. */
static void find_centre(const struct scan *s, size_t level)
{
    const struct rank *rank = &s->rank[level];
    if (isnan(rank->known)) {
        s->low[level] = s->high[level] =
            rank->count > 0 ? sg_median(rank->value, rank->count) : NAN;
        return;
    }
    const double median =
        rank->count > 1 ? median_near(rank->value, rank->count, rank->known) : rank->known;
    s->low[level] = fmin(rank->known, median);
    s->high[level] = fmax(rank->known, median);
}

/* Centres of [from, to), assuming one height for each level. */
static void find_centres(const struct scan *s, size_t from, size_t to)
{
    sort_by_level(s, from, to);
    for (size_t g = 0; g < s->levels; g++)
        find_centre(s, g);
}

/* Centres before and after a step at `at`. Values between the two heights are not clipped. */
static void find_both_centres(const struct scan *s, size_t from, size_t at, size_t to)
{
    find_centres(s, from, at);
    for (size_t g = 0; g < s->levels; g++) {
        s->level[g].low = s->low[g];
        s->level[g].high = s->high[g];
    }
    find_centres(s, at, to);
    for (size_t g = 0; g < s->levels; g++) {
        s->low[g] = fmin(s->low[g], s->level[g].low);
        s->high[g] = fmax(s->high[g], s->level[g].high);
    }
}

static void clear_levels(const struct scan *s)
{
    memset(s->level, 0, s->levels * sizeof(*s->level));
}

/* Distance of the run from its level's centre; 0 if no centre is known. */
static double offset_of(const struct scan *s, size_t i)
{
    const struct sg_night_value *night = &s->night[i];
    /* fmin and fmax ignore a NaN. */
    return fmax(night->value - s->high[night->level], 0) +
           fmin(night->value - s->low[night->level], 0);
}

/* Squared distance of run i from its level, in variances of the run; at most SG_SCAN_CLIP. */
static double distance_of(const struct scan *s, size_t i)
{
    return pow(fmin(fabs(offset_of(s, i)) * sqrt(s->weight[i]), SG_SCAN_CLIP), 2);
}

/* Sets the weights of [from, to) and adds them to their levels. */
static void weigh(const struct scan *s, size_t from, size_t to,
                  const struct sg_night_spreads *spread)
{
    for (size_t i = from; i < to; i++) {
        s->weight[i] = 1 / sg_night_variance(&s->night[i], spread);
        s->level[s->night[i].level].weight += s->weight[i];
    }
}

/* Clips values to at most `most` sd outside of the centres and adds them to the sums. */
static void clip(const struct scan *s, size_t from, size_t to, double most)
{
    for (size_t i = from; i < to; i++) {
        const struct sg_night_value *night = &s->night[i];
        const double beyond = most / sqrt(s->weight[i]);
        /* fmin and fmax ignore a NaN. */
        s->clipped[i] =
            fmin(fmax(night->value, s->low[night->level] - beyond), s->high[night->level] + beyond);
        s->level[night->level].sum += s->weight[i] * s->clipped[i];
    }
}

/* Moves run i to the new side. Runs move one by one, the last first. */
static void move_to_new(const struct scan *s, size_t i, struct contrast *c)
{
    struct level *level = &s->level[s->night[i].level];
    const struct contrast before = contrast_of(level);
    level->new_weight += s->weight[i];
    level->new_sum += s->weight[i] * s->clipped[i];
    const struct contrast behind = contrast_of(level);
    c->value += behind.value - before.value;
    c->gain += behind.gain - before.gain;
    /* Rounding residue where no level has runs on both sides. */
    if (c->value < NOTHING * level->weight)
        *c = (struct contrast){0};
}

/* Variance of the mean of n correlated runs, relative to independent runs. */
static double inflation(double r, size_t n)
{
    return (1 + r) / (1 - r) - 2 * r * (1 - pow(r, (double)n)) / ((double)n * (1 - r) * (1 - r));
}

/* Variance of the distances over the variance assumed for runs, at least 1. Outliers count here;
 * the usual spread ignores them. */
static double scatter_of(double distances, size_t nights)
{
    return fmax(1, distances / (double)nights);
}

/* n: runs on the side that has fewer, because that side decides the error. */
static double score_of(const struct contrast *c, const struct sg_night_spreads *spreads, size_t n)
{
    return c->value > 0 ? c->gain / sqrt(c->value * inflation(spreads->r, n)) : 0;
}

/* The last run, not clipped, against the runs [from, to - 1). NaN if fewer than SG_SCAN_REST of
 * them share its level and no position is known: a single one may be an outlier. */
static struct sg_outlier last_night(const struct scan *s, size_t from, size_t to,
                                    const struct sg_night_spreads *spread)
{
    const struct sg_night_value *last = &s->night[to - 1];
    double weight = 0, sum = 0;
    size_t count = 0;
    for (size_t i = from; i + 1 < to; i++)
        if (s->night[i].level == last->level) {
            weight += s->weight[i];
            sum += s->weight[i] * s->clipped[i];
            count += s->night[i].is_known ? SG_SCAN_REST : 1;
        }
    if (count < SG_SCAN_REST)
        return (struct sg_outlier){.night = to - 1, .change = NAN, .z = NAN};
    const double change = last->value - sum / weight;
    return (struct sg_outlier){.night = to - 1,
                               .change = change,
                               .z = change / sqrt(sg_night_variance(last, spread) + 1 / weight)};
}

/* Returns true if the last two runs are far off by the same amount. After few earlier runs, two
 * runs clipped at SG_SCAN_CLIP make no step, so such a pair is clipped at PAIR_CLIP. A single run
 * never is. */
static bool last_two_agree(const struct scan *s, size_t to)
{
    const double last = offset_of(s, to - 1), before = offset_of(s, to - 2);
    const double sd = 1 / sqrt(s->weight[to - 1]), sd_before = 1 / sqrt(s->weight[to - 2]);
    return fabs(last) >= FAR_SD * sd && fabs(before) >= FAR_SD * sd_before &&
           fabs(last - before) <= AGREE_SD * sg_hypot(sd, sd_before);
}

/* Returns the place of the step that the runs [from, to) show, or NONE. */
static size_t scan_night(const struct scan *s, size_t from, size_t to,
                         const struct sg_night_spreads *spread)
{
    const size_t most = to - from < SG_SCAN_REST ? 0 : to - from - SG_SCAN_REST;
    const double limit = SG_SCAN_LIMIT + s->rule.caution;
    size_t place = NONE;
    double best = 0, distances = 0;
    struct contrast c = {0};
    clear_levels(s);
    find_centres(s, from, to - 1);
    weigh(s, from, to, spread);
    clip(s, from, to,
         to - from >= SG_SCAN_REST + 2 && last_two_agree(s, to) ? PAIR_CLIP : SG_SCAN_CLIP);
    for (size_t i = from; i < to; i++)
        distances += distance_of(s, i);
    for (size_t m = 1; m <= SG_SCAN_LAST && m <= most; m++) {
        move_to_new(s, to - m, &c);
        /* Runs after a step are not outliers. A step with more than half of the runs after it would
         * turn the earlier ones into outliers, but such a step is found long before. */
        distances -= distance_of(s, to - m);
        const double score = m > 1 ? fabs(score_of(&c, spread, m)) : 0;
        if (score > limit * sqrt(scatter_of(distances, to - from - m)) && score > best) {
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

static void find_steps(const struct scan *s, struct sg_series_steps *found)
{
    size_t from = 0;
    for (size_t to = 1; to <= s->count; to++) {
        if (s->night[to - 1].begins && to > 1) {
            from = to - 1;
            add_step(found, from, from, true);
        }
        const size_t oldest = to > SG_SCAN_NIGHTS ? to - SG_SCAN_NIGHTS : 0;
        const struct sg_night_spreads spread = spread_of(s, oldest, to);
        const size_t begin = later(from, oldest), place = scan_night(s, begin, to, &spread);
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
static void split_everywhere(const struct scan *s, size_t from, size_t at, size_t to,
                             const struct sg_night_spreads *spread)
{
    struct contrast c = {0};
    clear_levels(s);
    find_both_centres(s, from, at, to);
    weigh(s, from, to, spread);
    clip(s, from, to, SG_SCAN_CLIP);
    for (size_t i = to - 1; i > from; i--) {
        move_to_new(s, i, &c);
        s->split[i] = fabs(score_of(&c, spread, fewer(i - from, to - i)));
    }
}

/* Clips the runs [first, last) around their own centres and adds them to the levels. Returns the
 * sum of their distances. */
static double take_side(const struct scan *s, size_t first, size_t last,
                        const struct sg_night_spreads *spread)
{
    double sum = 0;
    find_centres(s, first, last);
    weigh(s, first, last, spread);
    clip(s, first, last, SG_SCAN_CLIP);
    for (size_t i = first; i < last; i++)
        sum += distance_of(s, i);
    return sum;
}

/* Compares the runs [begin, to) with [from, end). Each side is clipped around its own centres: a
 * value between the two heights is an outlier of one side. */
static struct contrast compare_sides(const struct scan *s, size_t from, size_t end, size_t begin,
                                     size_t to, const struct sg_night_spreads *spread)
{
    const size_t before = end - from, behind = to - begin;
    struct contrast c = {0};
    clear_levels(s);
    const double distances = take_side(s, from, end, spread) + take_side(s, begin, to, spread);
    for (size_t i = begin; i < to; i++)
        move_to_new(s, i, &c);
    const double times =
        inflation(spread->r, fewer(before, behind)) * scatter_of(distances, before + behind);
    return (struct contrast){.gain = c.gain / times, .value = c.value / times};
}

/* Sizes the step by all runs [from, to), given that the statistic of the runs up to `found`
 * exceeded the limit. */
static void size_step(const struct scan *s, size_t from, size_t to,
                      const struct sg_night_spreads *spread, struct sg_series_step *step)
{
    const struct contrast all = compare_sides(s, from, step->at, step->at, to, spread);
    if (!(all.value > 0))
        return;
    const double se = sg_t_quantile(0.975, spread->of[s->night[step->at].kind].df) / INTERVAL_95 /
                      sqrt(all.value);
    step->change = all.gain / all.value;
    step->low = step->change - INTERVAL_95 * se;
    step->high = step->change + INTERVAL_95 * se;
    if (step->is_known || step->found <= step->at)
        return;
    const struct contrast then =
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
static void place_step(const struct scan *s, size_t from, size_t to, struct sg_series_step *step)
{
    const struct sg_night_spreads spread = spread_of(s, from, to);
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

static void place_steps(const struct scan *s, struct sg_series_steps *found)
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

/* Largest variance of the joined levels' height, in the runs after `from` and after `last`. */
static double joined_variance(const struct scan *s, size_t from, size_t last)
{
    double most = 0;
    for (size_t i = from; i < s->count; i++)
        if (i < from + SG_CREEP_NIGHTS || i >= last)
            most = fmax(most, s->night[i].joined_se);
    return most * most;
}

/* Compares the last runs with the first ones since the epoch, within joined levels. */
static void find_creep(const struct scan *s, struct sg_series_steps *found)
{
    size_t epoch = 0;
    for (size_t i = 0; i < s->count; i++)
        epoch = s->night[i].is_epoch ? i : epoch;
    found->epoch = s->night[epoch].number;
    if (s->count - epoch < 3 * (size_t)SG_CREEP_NIGHTS)
        return;
    const size_t last = s->count - SG_CREEP_NIGHTS;
    const struct sg_night_spreads spread =
        spread_of(s, s->count > SG_SCAN_NIGHTS ? s->count - SG_SCAN_NIGHTS : 0, s->count);
    for (size_t i = 0; i < s->count; i++)
        s->night[i].level = s->night[i].joined;
    const struct contrast c =
        compare_sides(s, epoch, epoch + SG_CREEP_NIGHTS, last, s->count, &spread);
    if (!(c.value > 0))
        return;
    const double half = INTERVAL_CREEP * sqrt(1 / c.value + joined_variance(s, epoch, last));
    found->creep = c.gain / c.value;
    found->creep_low = found->creep - half;
    found->creep_high = found->creep + half;
}

/* A step before a run that was not measured belongs to the next measured run. */
static size_t number_from(const struct scan *s, size_t i)
{
    while (i + 1 < s->count && s->night[i].is_known)
        i++;
    return s->night[i].number;
}

static void restore_numbers(const struct scan *s, struct sg_series_steps *found)
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
        levels = later(
            levels,
            (size_t)(nights[i].level > nights[i].joined ? nights[i].level : nights[i].joined) + 1);
    return levels;
}

static void find_differences(const struct scan *s)
{
    for (size_t g = 0; g < s->levels; g++)
        s->low[g] = NAN;
    for (size_t i = 0; i < s->count; i++) {
        const struct sg_night_value *night = &s->night[i];
        s->difference[i] = fabs(night->value - s->low[night->level]);
        if (!night->is_known)
            s->low[night->level] = night->value;
    }
}

void sg_series_scan(const struct sg_night_value *nights, size_t count,
                    const struct sg_scan_rule *rule, struct sg_series_steps *found)
{
    struct sg_night_value *kept = sg_alloc(count + 1, sizeof(*kept));
    const size_t n = copy_nights(nights, count, kept), levels = count_levels(kept, n);
    double *numbers = sg_alloc(5 * n + 2 * levels + 1, sizeof(*numbers));
    const struct scan s = {
        .night = kept,
        .count = n,
        .levels = levels,
        .rule = *rule,
        .difference = numbers,
        .scratch = numbers + n,
        .clipped = numbers + 2 * n,
        .weight = numbers + 3 * n,
        .split = numbers + 4 * n,
        .low = numbers + 5 * n,
        .high = numbers + 5 * n + levels,
        .level = sg_alloc(levels + 1, sizeof(*s.level)),
        .rank = sg_alloc(levels + 1, sizeof(*s.rank)),
    };
    *found = (struct sg_series_steps){.night_sd = NAN,
                                      .last = {.change = NAN, .z = NAN},
                                      .creep = NAN,
                                      .creep_low = NAN,
                                      .creep_high = NAN};
    if (n > 0) {
        find_differences(&s);
        find_steps(&s, found);
        place_steps(&s, found);
        find_creep(&s, found);
        restore_numbers(&s, found);
    }
    free(s.level);
    free(s.rank);
    free(numbers);
    free(kept);
}

void sg_series_steps_release(struct sg_series_steps *found)
{
    free(found->steps);
    free(found->off);
    *found = (struct sg_series_steps){0};
}
