#include "diagnose/diagnose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/counter_repeats.h"
#include "util/text.h"
#include "util/hypot.h"

/* The score of an exact counter is ln of its ratio times this: a tenth more scores about the
 * maximum of a noisy counter. */
#define EXACT_SCALE 1000.0
/* A change from nothing to something counts as this ratio. */
#define RATIO_MAX 1000.0
#define NOISY_MAX 100.0

static bool is_number(const struct sg_row *row)
{
    return (row->has & SG_HAS_VALUE) && row->status == SG_OK && isfinite(row->value);
}

/* Counting does not see the kernels of a CUDA graph. 0 kernels then means not known, and so do
 * all launch facts. Present runs state this themselves. */
static void drop_unseen(const struct sg_catalogue *catalogue, const struct sg_row **row)
{
    const struct sg_metric *kernels = sg_catalogue_find(catalogue, "kernels");
    const bool is_seen = !kernels || !row[kernels - catalogue->metrics] ||
                         row[kernels - catalogue->metrics]->value > 0;
    for (size_t i = 0; i < catalogue->count && !is_seen; i++)
        if (catalogue->metrics[i].source == &sg_source_launch)
            row[i] = NULL;
}

/* row[i]: a variant's number of metric i in the catalogue. Both lists are sorted by name, so one
 * pass finds all. */
static void find_numbers(const struct sg_catalogue *catalogue, const struct sg_table *table,
                         struct sg_row_range span, const struct sg_row **row)
{
    size_t at = span.from;
    for (size_t i = 0; i < catalogue->count && at < span.to; i++) {
        const struct sg_metric *metric = catalogue->by_name[i];
        int order = -1;
        while (at < span.to &&
               (order = strcmp(sg_table_string(table, table->rows[at].metric), metric->name)) < 0)
            at++;
        if (at < span.to && order == 0 && is_number(&table->rows[at]))
            row[metric - catalogue->metrics] = &table->rows[at];
    }
    drop_unseen(catalogue, row);
}

/* The ratio of the larger absolute value to the smaller, at most RATIO_MAX. */
static double factor(double was, double is)
{
    const double low = fmin(fabs(was), fabs(is)), high = fmax(fabs(was), fabs(is));
    return low * RATIO_MAX <= high ? RATIO_MAX : high / low;
}

/* Change in units of the floor; infinite if the floor is missing (0 or NaN). */
static double floors(double change, double floor)
{
    return floor > 0 ? change / floor : INFINITY;
}

/* Change in units of the floors that it must exceed. */
static double floors_passed(const struct sg_counter_change *one)
{
    const double change = fabs(one->difference);
    const double relative = one->was != 0 ? change / fabs(one->was) : INFINITY;
    return fmin(floors(change, one->metric->floor), floors(relative, one->metric->floor_ratio));
}

bool sg_is_within_spread(const struct sg_counter_change *one)
{
    return one->difference != 0 && floors_passed(one) > 1 && fabs(one->difference) <= one->spread;
}

/* Rank of a change; <= 1: within the metric's floors and spread. */
static double score_of(const struct sg_counter_change *one)
{
    const double distance = fmin(floors_passed(one), floors(fabs(one->difference), one->spread));
    if (one->difference == 0 || distance <= 1)
        return 0;
    if (one->metric->klass == SG_EXACT)
        return 1 + EXACT_SCALE * log(factor(one->was, one->is));
    /* Approaches NOISY_MAX with the distance but never reaches it, so the order among noisy
     * counters is kept. */
    return isinf(distance) ? NOISY_MAX
                           : 1 + (NOISY_MAX - 1) * (distance - 1) / (distance - 1 + NOISY_MAX - 1);
}

static int by_score(const void *a, const void *b)
{
    const struct sg_counter_change *left = a, *right = b;
    if (left->score != right->score)
        return left->score < right->score ? 1 : -1;
    return left->metric < right->metric ? -1 : left->metric > right->metric;
}

/* Within one run the repeats of a noisy counter are compared one by one. Between two runs only
 * the spread of each is known. */
static void subtract(const struct sg_diagnosed *what, const struct sg_row *then,
                     const struct sg_row *now, struct sg_counter_change *one)
{
    const bool noisy = one->metric->klass == SG_NOISY;
    const struct sg_accepted *accepted =
        noisy && what->accepted ? &what->accepted[then - what->then->rows] : NULL;
    struct sg_counter_repeats before, after;
    struct sg_counter_repeats_difference paired;
    one->was = then->value;
    one->is = now->value;
    one->difference = now->value - then->value;
    one->spread = sg_counter_spread(then, now, accepted);
    one->non_repeatable = sg_counter_is_non_repeatable(then, one->metric) ||
                          sg_counter_is_non_repeatable(now, one->metric);
    if (!noisy || what->then != what->now || !sg_counter_repeats_read(what->then, then, &before) ||
        !sg_counter_repeats_read(what->now, now, &after) ||
        !sg_counter_repeats_subtract(&before, &after, &paired))
        return;
    one->difference = paired.mean;
    one->spread = paired.spread;
}

/* The numbers of both sides by metric; the second half belongs to `now`. The caller frees the
 * array. */
static const struct sg_row **find_both(const struct sg_diagnosed *what)
{
    const struct sg_catalogue *catalogue = what->catalogue;
    const struct sg_row **rows = sg_alloc(2 * catalogue->count, sizeof(struct sg_row *));
    find_numbers(catalogue, what->then,
                 sg_table_variant(what->then, what->family, what->case_, what->other), rows);
    find_numbers(catalogue, what->now, sg_table_variant(what->now, SG_NAMES(*what)),
                 rows + catalogue->count);
    return rows;
}

size_t sg_diagnose_all(const struct sg_diagnosed *what, struct sg_counter_change *all)
{
    const struct sg_catalogue *catalogue = what->catalogue;
    const struct sg_row **then = find_both(what), **now = then + catalogue->count;
    size_t count = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        struct sg_counter_change one = {.metric = &catalogue->metrics[i]};
        if (!then[i] || !now[i] || !sg_metric_explains(one.metric))
            continue;
        subtract(what, then[i], now[i], &one);
        all[count++] = one;
    }
    return count;
}

size_t sg_diagnose(const struct sg_diagnosed *what, struct sg_counter_change *moved, size_t max)
{
    SG_FREED struct sg_counter_change *all = sg_alloc(what->catalogue->count, sizeof(*all));
    const size_t looked_at = sg_diagnose_all(what, all);
    size_t count = 0;
    for (size_t i = 0; i < looked_at; i++) {
        all[i].score = score_of(&all[i]);
        if (all[i].score > 1)
            all[count++] = all[i];
    }
    qsort(all, count, sizeof(*all), by_score);
    const size_t kept = count < max ? count : max;
    memcpy(moved, all, kept * sizeof(*moved));
    return kept;
}

/* ---- input of diagnose/causes.h ---- */

/* Error of a single count of a noisy counter, in floors: half a floor on each side. */
#define ERROR_OF_FLOOR 0.7

#define NAME(name)                      [SG_##name] = #name
#define STALL_NAME(place, name, reason) [SG_stall_##reason] = "stall_" #reason,
static const char *const input_names[SG_INPUT_COUNT] = {
    [SG_NO_INPUT] = "", SG_INPUTS(NAME), SG_STALLS(STALL_NAME)};

const char *sg_input_name(enum sg_input input)
{
    return input_names[input];
}

enum sg_input sg_input_named(const char *name)
{
    int i = SG_INPUT_COUNT - 1;
    while (i > SG_NO_INPUT && strcmp(name, input_names[i]) != 0)
        i--;
    return (enum sg_input)i;
}

static double half_interval(const struct sg_row *row)
{
    return (row->has & SG_HAS_LOW) && (row->has & SG_HAS_HIGH)
               ? (row->high - row->low) / 2 / row->value
               : 0;
}

static double error_of(const struct sg_diagnosed *what, const struct sg_metric *metric,
                       const struct sg_row *then, const struct sg_row *now)
{
    struct sg_counter_change one = {.metric = metric};
    subtract(what, then, now, &one);
    if (!isnan(one.spread) || metric->klass == SG_EXACT)
        return isnan(one.spread) ? 0 : one.spread;
    return ERROR_OF_FLOOR * metric->floor_ratio * fmax(fabs(one.was), fabs(one.is));
}

struct ratio {
    double value, error; /* error is relative to the value */
};

static struct ratio ratio_of_row(const struct sg_row *row)
{
    return row && is_number(row) && row->value > 0 ? (struct ratio){row->value, half_interval(row)}
                                                   : (struct ratio){NAN, NAN};
}

/* Time over that of the common partner; NaN: not measured, or another partner. */
static struct ratio ratio_to(const struct sg_diagnosed *what, const struct sg_table *table,
                             const char *partner, const char *variant)
{
    const struct sg_row *row =
        sg_table_find(table, what->family, what->case_, variant, "time_ratio");
    const char *own = sg_row_partner(table, row);
    if (table == what->now && strcmp(variant, partner) == 0)
        return (struct ratio){1, 0};
    return own && strcmp(own, partner) == 0 ? ratio_of_row(row) : (struct ratio){NAN, NAN};
}

const char *sg_paired_with(const struct sg_table *run, const char *family, const char *case_,
                           const char *variant)
{
    return sg_row_partner(run, sg_table_find(run, family, case_, variant, "time_ratio"));
}

const char *sg_shared_partner(const struct sg_diagnosed *what)
{
    const char *partner = sg_paired_with(what->now, SG_NAMES(*what));
    return partner || what->then != what->now
               ? partner
               : sg_paired_with(what->now, what->family, what->case_, what->other);
}

void sg_diagnose_added(struct sg_diagnosed *what)
{
    const char *partner = sg_shared_partner(what);
    struct ratio now, then;
    if (partner) {
        now = ratio_to(what, what->now, partner, what->variant);
        then = ratio_to(what, what->then, partner, what->other);
    } else {
        now = ratio_of_row(sg_table_find(what->now, SG_NAMES(*what), "time"));
        then =
            ratio_of_row(sg_table_find(what->then, what->family, what->case_, what->other, "time"));
    }
    what->added = now.value / then.value - 1;
    what->added_error = now.value / then.value * sg_hypot(now.error, then.error);
}

void sg_diagnose_sides(const struct sg_diagnosed *what, struct sg_versus *sides)
{
    const struct sg_catalogue *catalogue = what->catalogue;
    const struct sg_row **then = find_both(what), **now = then + catalogue->count;
    *sides = (struct sg_versus){.added = what->added,
                                .added_error = what->added_error,
                                .sm_count = what->gpu.sm_count,
                                .sm_warps = what->gpu.sm_warps};
    for (int i = 0; i < SG_INPUT_COUNT; i++) {
        const struct sg_metric *metric = sg_catalogue_find(catalogue, input_names[i]);
        const size_t at = metric ? (size_t)(metric - catalogue->metrics) : 0;
        sides->value[SG_WAS][i] = metric && then[at] ? then[at]->value : NAN;
        sides->value[SG_IS][i] = metric && now[at] ? now[at]->value : NAN;
        if (metric && then[at] && now[at])
            sides->error[i] = error_of(what, metric, then[at], now[at]);
    }
}

struct sg_diagnosed_gpu sg_diagnosed_gpu_of(const struct sg_env *env)
{
    struct sg_gpu_spec spec;
    const char *count = sg_env_get(env, "sm_count"), *key = sg_env_get(env, "gpu");
    struct sg_diagnosed_gpu gpu = {.sm_count = count ? strtod(count, NULL) : 0};
    if (key && sg_gpu_load(key, &spec, SG_IGNORED) == SG_SUCCESS)
        gpu.sm_warps = spec.sm_warps;
    return gpu;
}
