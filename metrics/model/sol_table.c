#include "model/sol_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/hypot.h"

static enum sg_code load_spec(const struct sg_env *env, const char *key, bool with_times,
                              struct sg_sol_table *gaps, struct sg_err *err)
{
    const char *own = sg_env_get(env, "gpu"), *l2 = sg_env_get(env, "l2");
    *gaps = (struct sg_sol_table){
        .env = env, .of_run = env->count > 0, .l2 = l2 && strcmp(l2, "unknown") != 0 ? l2 : NULL};
    const bool is_known = key || (own && strcmp(own, "unknown") != 0);
    if (!is_known)
        return with_times
                   ? SG_SUCCESS
                   : sg_env_fail(
                         err, env, "gpu",
                         "no file of metrics/gpus is known to fit the GPU of this run: choose "
                         "one with --gpu-spec=KEY");
    return key && sg_ends_in(key, ".gpu") ? sg_gpu_load_file(key, &gaps->spec, err)
                                          : sg_gpu_load(key ? key : own, &gaps->spec, err);
}

/* Items without a time sort last. */
static int by_time(const struct sg_gap *a, const struct sg_gap *b)
{
    if (isnan(a->time_ns) || isnan(b->time_ns))
        return isnan(a->time_ns) - isnan(b->time_ns);
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* The order of a reader's questions: the baseline, then the fastest. Ties sort by name, so that
 * tables are reproducible. */
static int compare_gaps(const void *left, const void *right)
{
    const struct sg_gap *a = left, *b = right;
    int order = strcmp(a->family, b->family);
    order = order ? order : strcmp(a->case_, b->case_);
    order = order ? order : sg_gap_is(b, SG_BASELINE) - sg_gap_is(a, SG_BASELINE);
    order = order ? order : by_time(a, b);
    return order ? order : strcmp(a->variant, b->variant);
}

/* Returns 0 if not known, or if the peaks belong to another GPU, so that its launch facts do not
 * apply. */
static double sm_count_of(const struct sg_env *env, const struct sg_gpu_spec *spec)
{
    const char *own = sg_env_get(env, "gpu"), *word = sg_env_get(env, "sm_count");
    double count = 0;
    if (!own || strcmp(own, spec->key) != 0)
        return 0;
    return word && sg_parse_double(word, false, &count) && count > 0 ? count : spec->sm_count;
}

/* Uses the ceilings found so far. */
static enum sg_code fill(const struct sg_table *table, const struct sg_env *env, bool with_times,
                         struct sg_sol_table *gaps, struct sg_err *err)
{
    struct sg_gap_order order = {
        .spec = &gaps->spec, .ceilings = &gaps->ceilings, .with_times = with_times};
    if (err->code == SG_SUCCESS && gaps->spec.key)
        order.sm_count = sm_count_of(env, &gaps->spec);
    if (err->code == SG_SUCCESS)
        sg_gap_table(table, &order, &gaps->items, &gaps->count, err);
    if (err->code != SG_SUCCESS) {
        *gaps = (struct sg_sol_table){0};
        return err->code;
    }
    if (gaps->count > 0)
        qsort(gaps->items, gaps->count, sizeof(*gaps->items), compare_gaps);
    for (size_t i = 0; i < gaps->count; i++) {
        struct sg_gap *gap = &gaps->items[i];
        gap->refusal = sg_refusals_find(&gaps->refusals, SG_NAMES(*gap));
    }
    return err->code;
}

enum sg_code sg_sol_table_make(const struct sg_table *table, const struct sg_env *env,
                               const char *key, bool with_times, struct sg_sol_table *gaps,
                               struct sg_err *err)
{
    if (load_spec(env, key, with_times, gaps, err) == SG_SUCCESS && gaps->spec.key)
        sg_ceilings_find(env, gaps->spec.key, &gaps->ceilings, err);
    if (err->code == SG_SUCCESS)
        sg_refusals_make(table, env, key, &gaps->refusals, err);
    return fill(table, env, with_times, gaps, err);
}

enum sg_code sg_sol_table_of_peaks(const struct sg_table *table, const struct sg_env *env,
                                   struct sg_sol_table *gaps, struct sg_err *err)
{
    if (load_spec(env, NULL, false, gaps, err) == SG_SUCCESS)
        sg_refusals_of_peaks(table, env, NULL, &gaps->refusals);
    return fill(table, env, false, gaps, err);
}

void sg_sol_table_keep(struct sg_sol_table *gaps, const struct sg_filters *filters)
{
    size_t kept = 0;
    for (size_t i = 0; i < gaps->count; i++) {
        const struct sg_gap *gap = &gaps->items[i];
        if (sg_filters_keep(filters, SG_NAMES(*gap), sg_gap_is(gap, SG_BASELINE)))
            gaps->items[kept++] = *gap;
    }
    gaps->count = kept;
}

void sg_sol_table_keep_best(struct sg_sol_table *gaps, size_t most)
{
    size_t kept = 0, place = 0;
    for (size_t i = 0; i < gaps->count; i++) {
        const struct sg_gap gap = gaps->items[i];
        place = kept > 0 && sg_gap_same_case(&gap, &gaps->items[kept - 1]) ? place : 0;
        if (sg_gap_is(&gap, SG_BASELINE) || isnan(gap.gap) || place++ < most)
            gaps->items[kept++] = gap;
    }
    gaps->count = kept;
}

/* ---- two runs side by side ---- */

/* A smaller difference says nothing: kernels reach only a share of the peaks, and not the same
 * share on each GPU. */
#define MARGIN 1.05

/* Two runs are independent, so the squares of their errors add up. */
void sg_gap_ratio(const struct sg_gap *a, const struct sg_gap *b, struct sg_beside *row)
{
    const double half = sg_hypot(log(a->high_ns / a->low_ns) / 2, log(b->high_ns / b->low_ns) / 2);
    row->ratio = b->time_ns / a->time_ns;
    row->low = row->ratio * exp(-half);
    row->high = isinf(half) ? NAN : row->ratio * exp(half); /* a time with the lower limit 0 */
}

/* Compares limits of the same kind; limits of declared work only if both runs declare the same
 * work. If the launch floor is the limit on one GPU, the launch floor of the other GPU must be
 * known, too. */
static double hardware_of(const struct sg_beside *row, const struct sg_sol_table gaps[2])
{
    const struct sg_work *a = &row->gap[0].work, *b = &row->gap[1].work;
    bool is_known = row->gap[0].kind == row->gap[1].kind &&
                    (row->gap[0].kind == SG_COUNTED_WORK ||
                     (sg_work_flop(a) == sg_work_flop(b) && sg_work_bytes(a) == sg_work_bytes(b)));
    for (int s = 0; s < 2; s++)
        is_known &= !row->gap[s].is_launch_bound || gaps[1 - s].ceilings.launch_ns > 0;
    return is_known ? row->gap[1].limit_ns / row->gap[0].limit_ns : NAN;
}

static void compare_sides(struct sg_beside *row, const struct sg_sol_table gaps[2])
{
    sg_gap_ratio(&row->gap[0], &row->gap[1], row);
    if (row->gap[0].refusal || row->gap[1].refusal)
        row->ratio = row->low = row->high = NAN;
    row->hardware = hardware_of(row, gaps);
    row->left = row->ratio / row->hardware;
    row->gains = isnan(row->left)                                 ? ""
                 : row->left <= MARGIN && row->left >= 1 / MARGIN ? "alike"
                 : fmin(row->ratio, row->low) > row->hardware     ? "less"
                 : row->high < row->hardware || (isnan(row->low) && row->ratio < row->hardware)
                     ? "more"
                     : "unclear";
}

static const struct sg_gap *gap_of(const struct sg_beside *row)
{
    return &row->gap[!row->gap[0].family];
}

static int by_names(const void *left, const void *right)
{
    const struct sg_gap *a = gap_of(left), *b = gap_of(right);
    int order = strcmp(a->family, b->family);
    order = order ? order : strcmp(a->case_, b->case_);
    return order ? order : strcmp(a->variant, b->variant);
}

/* Larger numbers first, those that are not known last. */
static int by_gain(const void *left, const void *right)
{
    const struct sg_beside *x = left, *y = right;
    const double a[] = {x->left, x->ratio}, b[] = {y->left, y->ratio};
    for (int i = 0; i < 2; i++)
        if (isnan(a[i]) != isnan(b[i]) || a[i] < b[i] || a[i] > b[i])
            return isnan(a[i]) || a[i] < b[i] ? 1 : -1;
    return by_names(left, right);
}

struct sg_beside *sg_side_by_side(const struct sg_sol_table gaps[2], size_t *count)
{
    const struct sg_gap none = {.time_ns = NAN, .limit_ns = NAN, .gap = NAN};
    struct sg_beside *rows = sg_alloc(gaps[0].count + gaps[1].count + 1, sizeof(*rows));
    size_t all = 0;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < gaps[s].count; i++) {
            const struct sg_gap *gap = &gaps[s].items[i];
            if (sg_gap_is_whole(gap) && gap->of_range < 0.9995)
                continue; /* this row has only the counted kernels; the range's own row has all */
            rows[all] = (struct sg_beside){.gap = {none, none}};
            rows[all++].gap[s] = *gap;
        }
    qsort(rows, all, sizeof(*rows), by_names);
    *count = 0;
    for (size_t i = 0; i < all; i++) {
        struct sg_beside row = rows[i];
        for (; i + 1 < all && by_names(&row, &rows[i + 1]) == 0; i++)
            for (int s = 0; s < 2; s++)
                if (rows[i + 1].gap[s].family && isnan(row.gap[s].limit_ns))
                    row.gap[s] = rows[i + 1].gap[s]; /* the row of the range that has a limit */
        compare_sides(&row, gaps);
        if (!isnan(row.gap[0].time_ns) || !isnan(row.gap[1].time_ns))
            rows[(*count)++] = row;
    }
    qsort(rows, *count, sizeof(*rows), by_gain);
    return rows;
}
