#include "model/refusals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/item_rows.h"
#include "results/row_kind.h"

/* Returns false if the work is neither declared nor known in part; then no time can be refused. */
static bool find_evidence(const struct sg_items *items, size_t i, struct sg_evidence *evidence)
{
    const struct sg_item_rows *item = &items->items[i];
    enum sg_work_kind kind;
    *evidence = (struct sg_evidence){
        .time_ns = sg_item_value(item, SG_ITEM_TIME),
        .sm_clock_hz = sg_item_value(item, SG_ITEM_SM_CLOCK),
        .dram_read_bytes = sg_item_value(item, SG_ITEM_DRAM_READ),
    };
    for (int pipe = 0; pipe < SG_PIPES; pipe++)
        evidence->pipe[pipe] = sg_item_value(item, SG_ITEM_PIPE + pipe);
    if (!sg_items_work(items, i, &evidence->work, &kind))
        return false;
    const bool writes_all = kind == SG_GUESSED_WORK &&
                            strcmp(sg_item_words(item, SG_ITEM_GUESSED), SG_WHOLE_INPUTS) == 0;
    if (writes_all)
        evidence->work.read_bytes = 0;
    return kind == SG_DECLARED_WORK || writes_all;
}

static void note_lacking(struct sg_refusals *refusals, const struct sg_work *work,
                         const struct sg_gpu_spec *spec)
{
    const enum sg_dtype dtype = spec ? sg_physics_lacks(work, spec) : SG_DTYPE_COUNT;
    if (refusals->unjudged || dtype == SG_DTYPE_COUNT)
        return;
    struct sg_text text = {0};
    sg_text_addf(&text, "metrics/gpus/%s.gpu has no peak for %s, so such arithmetic is not checked",
                 spec->key, sg_dtype_word(dtype));
    refusals->unjudged = text.data;
}

static void judge_run(const struct sg_table *run, const struct sg_limits *limits,
                      struct sg_refusals *refusals)
{
    struct sg_items items = sg_items_of(run);
    for (size_t i = 0; i < items.count; i++) {
        const struct sg_value row = sg_value_of(run, items.items[i].first);
        struct sg_evidence evidence;
        if (!find_evidence(&items, i, &evidence))
            continue;
        note_lacking(refusals, &evidence.work, limits->spec);
        const struct sg_physics physics = sg_physics_judge(&evidence, limits);
        if (physics.finding == SG_POSSIBLE)
            continue;
        struct sg_text why = {0};
        sg_add_physics(&why, &physics);
        *SG_APPEND(refusals->items, refusals->count, refusals->capacity) =
            (struct sg_refusal){SG_NAMED(row), .finding = physics.finding, .why = why.data};
    }
}

/* ---- limits of a run ---- */

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
        sg_text_addf(&text, "times are not checked against a limit: %s: %s", why.where,
                     why.message);
    else
        sg_text_add(&text,
                    "times are not checked against a limit: no file of metrics/gpus is known to "
                    "fit the GPU of this run");
    refusals->unjudged = text.data;
    return false;
}

static struct sg_limits limits_of(const struct sg_env *env, const struct sg_gpu_spec *spec,
                                  const struct sg_ceilings *ceilings)
{
    struct sg_limits limits = {.spec = spec, .ceilings = ceilings, .l2_bytes = NAN};
    const char *l2 = sg_env_get(env, "l2"), *l2_bytes = sg_env_get(env, "l2_bytes");
    limits.l2_declared = l2 && sg_l2_parse(l2, &limits.l2, SG_IGNORED) == SG_SUCCESS;
    if (l2_bytes && !sg_parse_double(l2_bytes, false, &limits.l2_bytes))
        limits.l2_bytes = NAN;
    return limits;
}

static enum sg_code make(const struct sg_table *run, const struct sg_env *env, const char *key,
                         bool with_ceilings, struct sg_refusals *refusals, struct sg_err *err)
{
    struct sg_gpu_spec spec = {0};
    struct sg_ceilings ceilings = {0};
    *refusals = (struct sg_refusals){0};
    const bool has_spec = load_spec(key_of(env, key), &spec, refusals);
    if (!has_spec || !with_ceilings ||
        sg_ceilings_find(env, spec.key, &ceilings, err) == SG_SUCCESS) {
        const struct sg_limits limits = limits_of(env, has_spec ? &spec : NULL, &ceilings);
        judge_run(run, &limits, refusals);
    }
    return err->code;
}

enum sg_code sg_refusals_make(const struct sg_table *run, const struct sg_env *env, const char *key,
                              struct sg_refusals *refusals, struct sg_err *err)
{
    return make(run, env, key, true, refusals, err);
}

void sg_refusals_of_peaks(const struct sg_table *run, const struct sg_env *env, const char *key,
                          struct sg_refusals *refusals)
{
    make(run, env, key, false, refusals, SG_IGNORED);
}

/* ---- queries ---- */

static int compare_names(const void *left, const void *right)
{
    const struct sg_refusal *a = left, *b = right;
    int order = strcmp(a->family, b->family);
    order = order ? order : strcmp(a->case_, b->case_);
    return order ? order : strcmp(a->variant, b->variant);
}

const struct sg_refusal *sg_refusals_find(const struct sg_refusals *refusals, const char *family,
                                          const char *case_, const char *variant)
{
    const struct sg_refusal wanted = {.family = family, .case_ = case_, .variant = variant};
    if (!refusals || refusals->count == 0)
        return NULL;
    return bsearch(&wanted, refusals->items, refusals->count, sizeof(wanted), compare_names);
}

enum sg_code sg_refusals_check(const struct sg_refusals *refusals, const char *where,
                               struct sg_err *err)
{
    if (refusals->count == 0)
        return err->code;
    const struct sg_refusal *first = &refusals->items[0];
    SG_SCOPED(sg_text) others = {0};
    if (refusals->count > 1)
        sg_text_addf(&others, "; %zu variants are invalid in all", refusals->count);
    return sg_fail(err, SG_INVALID, where, "%s/%s/%s is invalid: %s%s", SG_NAMES(*first),
                   first->why, sg_text_string(&others));
}
