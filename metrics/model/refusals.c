#include "model/refusals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/roofline.h"
#include "results/env.h"
#include "util/number_format.h"

/* The metrics that evidence is made of, as ids of one table's pool. */
struct wanted {
    sg_id time, sm_clock, dram_read_bytes, pipe[SG_PIPES];
    struct sg_work_ids work;
};

static struct wanted wanted_of(const struct sg_table *run)
{
    struct wanted wanted = {
        .time = sg_table_find_id(run, "time"),
        .sm_clock = sg_table_find_id(run, "sm_clock"),
        .dram_read_bytes = sg_table_find_id(run, "dram_read_bytes"),
        .work = sg_work_ids_of(run),
    };
    for (int pipe = 0; pipe < SG_PIPES; pipe++)
        wanted.pipe[pipe] = sg_table_find_id(run, sg_pipe_metric((enum sg_pipe)pipe));
    return wanted;
}

/* One variant of the table, and what is known of it. */
struct variant {
    size_t from, to; /* its rows */
    bool has_work;
    struct sg_evidence evidence;
};

static double *place_of(const struct wanted *wanted, sg_id metric, struct sg_evidence *evidence)
{
    if (metric == wanted->time)
        return &evidence->time_ns;
    if (metric == wanted->sm_clock)
        return &evidence->sm_clock_hz;
    if (metric == wanted->dram_read_bytes)
        return &evidence->dram_read_bytes;
    for (int pipe = 0; pipe < SG_PIPES; pipe++)
        if (metric == wanted->pipe[pipe])
            return &evidence->pipe[pipe];
    return NULL;
}

static void take_row(const struct wanted *wanted, const struct sg_row *row, struct variant *variant)
{
    double *work = sg_work_place(&wanted->work, row->metric, &variant->evidence.work);
    double *place = work ? work : place_of(wanted, row->metric, &variant->evidence);
    if (!place || row->status != SG_OK || !(row->has & SG_HAS_VALUE))
        return;
    *place = row->value;
    variant->has_work |= work != NULL;
}

static bool same_case(const struct sg_row *a, const struct sg_row *b)
{
    return a->family == b->family && a->case_ == b->case_;
}

/* The variant whose rows begin at `from`. */
static struct variant take_variant(const struct sg_table *run, const struct wanted *wanted, size_t from)
{
    struct variant variant = {.from = from, .to = from, .evidence = {.time_ns = NAN, .sm_clock_hz = NAN, .dram_read_bytes = NAN}};
    for (int pipe = 0; pipe < SG_PIPES; pipe++)
        variant.evidence.pipe[pipe] = NAN;
    const struct sg_row *first = &run->rows[from];
    for (; variant.to < run->count; variant.to++) {
        const struct sg_row *row = &run->rows[variant.to];
        if (row->variant != first->variant || !same_case(row, first))
            break;
        take_row(wanted, row, &variant);
    }
    return variant;
}

/* ---- all of a run ---- */

/* A run while it is judged. */
struct judging {
    const struct sg_table *run;
    const struct sg_limits *limits;
    struct wanted wanted;
    struct sg_refusals *refusals;
    struct variant *variants; /* owned; of the case at hand */
    size_t count, capacity;
};

static void describe_lacking(const struct judging *j, const struct variant *variant)
{
    const struct sg_gpu_spec *spec = j->limits->spec;
    const enum sg_dtype dtype = spec ? sg_physics_lacks(&variant->evidence.work, spec) : SG_DTYPE_COUNT;
    if (j->refusals->unjudged || dtype == SG_DTYPE_COUNT)
        return;
    struct sg_text text = {0};
    sg_text_addf(&text, "metrics/gpus/%s.gpu has no peak for %s, so arithmetic in it is held against nothing", spec->key,
                 sg_dtype_word(dtype));
    j->refusals->unjudged = text.data;
}

static void judge_variant(const struct judging *j, const struct variant *variant)
{
    const struct sg_physics physics = sg_physics_judge(&variant->evidence, j->limits);
    const struct sg_row *row = &j->run->rows[variant->from];
    struct sg_refusals *all = j->refusals;
    describe_lacking(j, variant);
    if (physics.finding == SG_POSSIBLE)
        return;
    struct sg_text why = {0};
    sg_add_physics(&why, &physics);
    *SG_APPEND(all->items, all->count, all->capacity) = (struct sg_refusal){.family = sg_table_string(j->run, row->family),
                                                                            .case_ = sg_table_string(j->run, row->case_),
                                                                            .variant = sg_table_string(j->run, row->variant),
                                                                            .finding = physics.finding,
                                                                            .why = why.data};
}

/* The work is the case's, so a variant without rows of it has that of
 * another one. NULL: none tells it. */
static const struct sg_work *work_of_case(const struct judging *j)
{
    for (size_t i = 0; i < j->count; i++)
        if (j->variants[i].has_work)
            return &j->variants[i].evidence.work;
    return NULL;
}

/* Of the case whose rows begin at `begin`; where the next one begins. */
static size_t judge_case(struct judging *j, size_t begin)
{
    size_t end = begin;
    j->count = 0;
    while (end < j->run->count && same_case(&j->run->rows[begin], &j->run->rows[end])) {
        j->variants = sg_grow(j->variants, &j->capacity, j->count + 1, sizeof(*j->variants));
        j->variants[j->count] = take_variant(j->run, &j->wanted, end);
        end = j->variants[j->count++].to;
    }
    const struct sg_work *work = work_of_case(j);
    for (size_t i = 0; i < j->count && work; i++) {
        if (!j->variants[i].has_work)
            j->variants[i].evidence.work = *work;
        judge_variant(j, &j->variants[i]);
    }
    return end;
}

static void judge_run(const struct sg_table *run, const struct sg_limits *limits, struct sg_refusals *refusals)
{
    struct judging judging = {.run = run, .limits = limits, .wanted = wanted_of(run), .refusals = refusals};
    for (size_t begin = 0; begin < run->count;)
        begin = judge_case(&judging, begin);
    free(judging.variants);
}

/* ---- the limits of a run ---- */

/* The key of the run's GPU, or `otherwise` where nobody knows it. */
static const char *key_of(const struct sg_env *env, const char *otherwise)
{
    const char *own = sg_env_get(env, "gpu");
    return own && strcmp(own, "unknown") != 0 ? own : otherwise;
}

static bool load_spec(const char *key, struct sg_gpu_spec *spec, struct sg_refusals *refusals)
{
    struct sg_err why = {0};
    struct sg_text text = {0};
    if (key && sg_gpu_load(key, spec, &why) == SG_SUCCESS)
        return true;
    if (key)
        sg_text_addf(&text, "times are held against no limit: %s: %s", why.where, why.message);
    else
        sg_text_add(&text, "times are held against no limit: no file of metrics/gpus is known to fit the GPU of this run");
    refusals->unjudged = text.data;
    return false;
}

static struct sg_limits limits_of(const struct sg_env *env, const struct sg_gpu_spec *spec, const struct sg_ceilings *ceilings)
{
    struct sg_limits limits = {.spec = spec, .ceilings = ceilings, .l2_bytes = NAN};
    const char *l2 = sg_env_get(env, "l2"), *l2_bytes = sg_env_get(env, "l2_bytes");
    struct sg_err none = {0};
    limits.l2_declared = l2 && sg_l2_parse(l2, &limits.l2, &none) == SG_SUCCESS;
    if (l2_bytes && !sg_parse_double(l2_bytes, false, &limits.l2_bytes))
        limits.l2_bytes = NAN;
    return limits;
}

static enum sg_code make(const struct sg_table *run, const struct sg_env *env, const char *key, bool with_ceilings,
                         struct sg_refusals *refusals, struct sg_err *err)
{
    struct sg_gpu_spec spec = {0};
    struct sg_ceilings ceilings = {0};
    *refusals = (struct sg_refusals){0};
    const bool has_spec = load_spec(key_of(env, key), &spec, refusals);
    if (!has_spec || !with_ceilings || sg_ceilings_find(env, spec.key, &ceilings, err) == SG_SUCCESS) {
        const struct sg_limits limits = limits_of(env, has_spec ? &spec : NULL, &ceilings);
        judge_run(run, &limits, refusals);
    }
    sg_ceilings_release(&ceilings);
    sg_gpu_release(&spec);
    return err->code;
}

enum sg_code sg_refusals_make(const struct sg_table *run, const struct sg_env *env, const char *key, struct sg_refusals *refusals,
                              struct sg_err *err)
{
    return make(run, env, key, true, refusals, err);
}

void sg_refusals_of_peaks(const struct sg_table *run, const struct sg_env *env, const char *key, struct sg_refusals *refusals)
{
    struct sg_err none = {0};
    make(run, env, key, false, refusals, &none);
}

void sg_refusals_release(struct sg_refusals *refusals)
{
    for (size_t i = 0; i < refusals->count; i++)
        free(refusals->items[i].why);
    free(refusals->items);
    free(refusals->unjudged);
    *refusals = (struct sg_refusals){0};
}

/* ---- what is asked of them ---- */

static int compare_names(const void *left, const void *right)
{
    const struct sg_refusal *a = left, *b = right;
    int order = strcmp(a->family, b->family);
    order = order ? order : strcmp(a->case_, b->case_);
    return order ? order : strcmp(a->variant, b->variant);
}

const struct sg_refusal *sg_refusals_find(const struct sg_refusals *refusals, const char *family, const char *case_, const char *variant)
{
    const struct sg_refusal wanted = {.family = family, .case_ = case_, .variant = variant};
    if (!refusals || refusals->count == 0)
        return NULL;
    return bsearch(&wanted, refusals->items, refusals->count, sizeof(wanted), compare_names);
}

enum sg_code sg_refusals_check(const struct sg_refusals *refusals, const char *where, struct sg_err *err)
{
    if (refusals->count == 0)
        return err->code;
    const struct sg_refusal *first = &refusals->items[0];
    struct sg_text others = {0};
    if (refusals->count > 1)
        sg_text_addf(&others, "; invalid are %zu variants in all", refusals->count);
    sg_fail(err, SG_INVALID, where, "%s/%s/%s is invalid: %s%s", first->family, first->case_, first->variant, first->why,
            sg_text_string(&others));
    sg_text_release(&others);
    return err->code;
}
