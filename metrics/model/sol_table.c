#include "model/sol_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/env.h"

static enum sg_code load_spec(const struct sg_env *env, const char *key, struct sg_sol_table *gaps,
                              struct sg_err *err)
{
    const char *own = sg_env_get(env, "gpu"), *l2 = sg_env_get(env, "l2");
    *gaps = (struct sg_sol_table){
        .env = env, .of_run = env->count > 0, .l2 = l2 && strcmp(l2, "unknown") != 0 ? l2 : NULL};
    if (!key && (!own || strcmp(own, "unknown") == 0))
        return sg_env_fail(err, env, "gpu",
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
static enum sg_code fill(const struct sg_table *table, const struct sg_env *env,
                         struct sg_sol_table *gaps, struct sg_err *err)
{
    struct sg_gap_order order = {.spec = &gaps->spec, .ceilings = &gaps->ceilings};
    if (err->code == SG_SUCCESS) {
        order.sm_count = sm_count_of(env, &gaps->spec);
        sg_gap_table(table, &order, &gaps->items, &gaps->count, err);
    }
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
                               const char *key, struct sg_sol_table *gaps, struct sg_err *err)
{
    if (load_spec(env, key, gaps, err) == SG_SUCCESS)
        sg_ceilings_find(env, gaps->spec.key, &gaps->ceilings, err);
    if (err->code == SG_SUCCESS)
        sg_refusals_make(table, env, key, &gaps->refusals, err);
    return fill(table, env, gaps, err);
}

enum sg_code sg_sol_table_of_peaks(const struct sg_table *table, const struct sg_env *env,
                                   struct sg_sol_table *gaps, struct sg_err *err)
{
    if (load_spec(env, NULL, gaps, err) == SG_SUCCESS)
        sg_refusals_of_peaks(table, env, NULL, &gaps->refusals);
    return fill(table, env, gaps, err);
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
