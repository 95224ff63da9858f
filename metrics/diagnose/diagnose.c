#include "diagnose/diagnose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/rules.h"
#include "results/counter_repeats.h"
#include "util/text.h"

/* An exact counter ranks by the logarithm of its ratio times this, so that a tenth more is about
 * what a noisy one can reach at most. */
#define EXACT_SCALE 1000.0
/* From nothing to something counts as this ratio. */
#define RATIO_MAX 1000.0
#define NOISY_MAX 100.0

static bool is_number(const struct sg_row *row)
{
    return (row->has & SG_HAS_VALUE) && row->status == SG_OK && isfinite(row->value);
}

/* row[i]: the number that a variant has of metric i of the catalogue; both stand in the order of
 * their names, so one walk finds all. */
static void find_numbers(const struct sg_catalogue *catalogue, const struct sg_table *table, struct sg_row_range span,
                         const struct sg_row **row)
{
    size_t at = span.from;
    for (size_t i = 0; i < catalogue->count && at < span.to; i++) {
        const struct sg_metric *metric = catalogue->by_name[i];
        int order = -1;
        while (at < span.to && (order = strcmp(sg_table_string(table, table->rows[at].metric), metric->name)) < 0)
            at++;
        if (at < span.to && order == 0 && is_number(&table->rows[at]))
            row[metric - catalogue->metrics] = &table->rows[at];
    }
}

/* |b / a| as a factor >= 1, bounded. */
static double factor(double was, double is)
{
    const double low = fmin(fabs(was), fabs(is)), high = fmax(fabs(was), fabs(is));
    return low * RATIO_MAX <= high ? RATIO_MAX : high / low;
}

/* How many floors a change is; a floor that is not given (0, or NaN) does not bind. */
static double floors(double change, double floor)
{
    return floor > 0 ? change / floor : INFINITY;
}

/* How many of the floors that it must pass a change is. */
static double floors_passed(const struct sg_moved *one)
{
    const double change = fabs(one->difference);
    const double relative = one->was != 0 ? change / fabs(one->was) : INFINITY;
    return fmin(floors(change, one->metric->floor), floors(relative, one->metric->floor_ratio));
}

bool sg_is_within_spread(const struct sg_moved *one)
{
    return one->difference != 0 && floors_passed(one) > 1 && fabs(one->difference) <= one->spread;
}

/* Rank of a change; <= 1: not beyond the metric's floors and spread. */
static double score_of(const struct sg_moved *one)
{
    const double distance = fmin(floors_passed(one), floors(fabs(one->difference), one->spread));
    if (one->difference == 0 || distance <= 1)
        return 0;
    if (one->metric->klass == SG_EXACT)
        return 1 + EXACT_SCALE * log(factor(one->was, one->is));
    /* Grows with the distance towards NOISY_MAX and never reaches it, so that the
     * order among noisy ones is kept. */
    return isinf(distance) ? NOISY_MAX : 1 + (NOISY_MAX - 1) * (distance - 1) / (distance - 1 + NOISY_MAX - 1);
}

static bool went(enum sg_direction direction, double was, double is)
{
    return direction == SG_ANY || (direction == SG_UP ? is > was : is < was);
}

static const struct sg_moved *find_moved(const struct sg_moved *moved, size_t count, const struct sg_metric *metric)
{
    for (size_t i = 0; i < count; i++) {
        if (moved[i].metric == metric)
            return &moved[i];
    }
    return NULL;
}

/* A bound that is not given is NaN, and a comparison with NaN is false:
 * so the failing side is asked for. */
static bool within_bounds(const struct sg_rule *rule, double was, double is)
{
    return !(was > rule->was_at_most) && !(was < rule->was_at_least) && !(is > rule->is_at_most) && !(is < rule->is_at_least) &&
           !(factor(was, is) < rule->ratio);
}

static bool fits(const struct sg_rule *rule, const struct sg_moved *one, const struct sg_moved *moved, size_t count)
{
    if (rule->metric != one->metric || !went(rule->direction, one->was, one->is) || !within_bounds(rule, one->was, one->is))
        return false;
    for (size_t i = 0; i < rule->with_count; i++) {
        const struct sg_moved *other = find_moved(moved, count, rule->with[i].metric);
        if (!other || !went(rule->with[i].direction, other->was, other->is))
            return false;
    }
    return true;
}

static void explain(const struct sg_rules *rules, struct sg_moved *one, const struct sg_moved *moved, size_t count)
{
    one->cause = one->metric->meaning;
    for (size_t i = 0; i < rules->count; i++) {
        if (!fits(&rules->rules[i], one, moved, count))
            continue;
        one->cause = rules->rules[i].says;
        one->score = fmax(one->score * rules->rules[i].weight, nextafter(1, 2));
        return;
    }
}

static int by_score(const void *a, const void *b)
{
    const struct sg_moved *left = a, *right = b;
    if (left->score != right->score)
        return left->score < right->score ? 1 : -1;
    return left->metric < right->metric ? -1 : left->metric > right->metric;
}

/* Of one run, a noisy counter's turns are compared one by one; of two, all that is known is how
 * far the counts of each lie apart. */
static void subtract(const struct sg_diagnosed *what, const struct sg_row *then, const struct sg_row *now, struct sg_moved *one)
{
    const bool noisy = one->metric->klass == SG_NOISY;
    const struct sg_accepted *accepted = noisy && what->accepted ? &what->accepted[then - what->then->rows] : NULL;
    struct sg_counter_repeats before, after;
    struct sg_counter_repeats_difference paired;
    one->was = then->value;
    one->is = now->value;
    one->difference = now->value - then->value;
    one->spread = sg_counter_spread(then, now, accepted);
    one->non_repeatable = sg_counter_is_non_repeatable(then, one->metric) || sg_counter_is_non_repeatable(now, one->metric);
    if (!noisy || what->then != what->now || !sg_counter_repeats_read(what->then, then, &before) ||
        !sg_counter_repeats_read(what->now, now, &after) || !sg_counter_repeats_subtract(&before, &after, &paired))
        return;
    one->difference = paired.mean;
    one->spread = paired.spread;
}

size_t sg_diagnose_all(const struct sg_diagnosed *what, struct sg_moved *all)
{
    const struct sg_catalogue *catalogue = what->catalogue;
    const struct sg_row **then = sg_alloc(2 * catalogue->count, sizeof(struct sg_row *)), **now = then + catalogue->count;
    size_t count = 0;
    find_numbers(catalogue, what->then, sg_table_variant(what->then, what->family, what->case_, what->other), then);
    find_numbers(catalogue, what->now, sg_table_variant(what->now, what->family, what->case_, what->variant), now);
    for (size_t i = 0; i < catalogue->count; i++) {
        struct sg_moved one = {.metric = &catalogue->metrics[i]};
        if (!then[i] || !now[i] || !sg_metric_explains(one.metric))
            continue;
        subtract(what, then[i], now[i], &one);
        all[count++] = one;
    }
    free(then);
    return count;
}

size_t sg_diagnose(const struct sg_diagnosed *what, struct sg_moved *moved, size_t max)
{
    struct sg_moved *all = sg_alloc(what->catalogue->count, sizeof(*all));
    const size_t looked_at = sg_diagnose_all(what, all);
    size_t count = 0;
    for (size_t i = 0; i < looked_at; i++) {
        all[i].score = score_of(&all[i]);
        if (all[i].score > 1)
            all[count++] = all[i];
    }
    for (size_t i = 0; i < count; i++)
        explain(what->rules, &all[i], all, count);
    qsort(all, count, sizeof(*all), by_score);
    const size_t kept = count < max ? count : max;
    memcpy(moved, all, kept * sizeof(*moved));
    free(all);
    return kept;
}
