#include "diagnose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"
#include "text.h"

/* An exact counter ranks by the logarithm of its ratio times this, so that a tenth more is about what a noisy one can reach at most. */
#define EXACT_SCALE 1000.0
/* From nothing to something counts as this ratio. */
#define RATIO_MAX 1000.0
#define NOISY_MAX 100.0

static bool value_of(const struct sg_table *table, const char *const names[3], const char *metric, double *value)
{
    const struct sg_row *row = sg_table_find(table, names[0], names[1], names[2], metric);
    if (!row || !(row->has & SG_HAS_VALUE) || row->status != SG_OK || !isfinite(row->value))
        return false;
    *value = row->value;
    return true;
}

/* |b / a| as a factor >= 1, bounded. */
static double factor(double was, double is)
{
    const double low = fmin(fabs(was), fabs(is)), high = fmax(fabs(was), fabs(is));
    return low * RATIO_MAX <= high ? RATIO_MAX : high / low;
}

/* How many floors a change is; a floor that is not given does not bind. */
static double floors(double change, double floor)
{
    return floor > 0 ? change / floor : INFINITY;
}

/* Rank of a change; <= 1: not beyond the metric's floors. */
static double score_of(const struct sg_metric *metric, double was, double is)
{
    const double change = fabs(is - was);
    const double relative = was != 0 ? change / fabs(was) : INFINITY;
    const double distance = fmin(floors(change, metric->floor), floors(relative, metric->floor_ratio));
    if (change == 0 || distance <= 1)
        return 0;
    if (metric->klass == SG_EXACT)
        return 1 + EXACT_SCALE * log(factor(was, is));
    /* Grows with the distance towards NOISY_MAX and never reaches it, so that the order among noisy ones is kept. */
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

/* A bound that is not given is NaN, and a comparison with NaN is false: so the failing side is asked for. */
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

size_t sg_diagnose(const struct sg_diagnosed *what, struct sg_moved *moved, size_t max)
{
    const struct sg_catalogue *catalogue = what->catalogue;
    const char *const before[3] = {what->family, what->case_, what->other}, *const after[3] = {what->family, what->case_, what->variant};
    struct sg_moved *all = sg_alloc(catalogue->count, sizeof(*all));
    size_t count = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        struct sg_moved one = {.metric = &catalogue->metrics[i]};
        if (!sg_metric_explains(one.metric) || !value_of(what->then, before, one.metric->name, &one.was) ||
            !value_of(what->now, after, one.metric->name, &one.is))
            continue;
        one.score = score_of(one.metric, one.was, one.is);
        if (one.score > 1)
            all[count++] = one;
    }
    for (size_t i = 0; i < count; i++)
        explain(what->rules, &all[i], all, count);
    qsort(all, count, sizeof(*all), by_score);
    const size_t kept = count < max ? count : max;
    memcpy(moved, all, kept * sizeof(*moved));
    free(all);
    return kept;
}
