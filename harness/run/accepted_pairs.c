/*
 * Pairs of builds (docs/method.md 3): which variants of a plan have the build at hand that their
 * accepted numbers come from. Each of those is an item more, called NAME_base, that is timed
 * against its own variant of this run, in the same processes as everything else.
 *
 * Where a build is not at hand, that costs the pair and nothing else.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/load.h"
#include "builds/accepted.h"
#include "results/env.h"
#include "run/pipeline_internal.h"
#include "util/digest.h"

/* What accepted numbers, and the store, have for the pairs of a run. */
struct source {
    struct sg_pipeline *pipeline;
    struct sg_accepted_pairs *pairs;
    struct sg_accepted_file accepted;
    struct sg_text store;
};

static const struct sg_item *item_of(const struct source *from, const struct sg_accepted_pair *pair)
{
    return &from->pipeline->plan.items[pair->own];
}

static void refuse(struct sg_accepted_pair *pair, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void refuse(struct sg_accepted_pair *pair, const char *format, ...)
{
    struct sg_err why = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(why.message, sizeof(why.message), format, args);
    va_end(args);
    free(pair->why);
    pair->why = sg_copy_string(why.message);
}

/* ---- where the accepted numbers are ---- */

static enum sg_code take_fact(void *context, const struct sg_message *message, struct sg_err *err)
{
    (void)err;
    if (message->kind == SG_MESSAGE_ENV)
        sg_env_set(context, message->field[0], message->field[1]);
    return SG_SUCCESS;
}

/* Which GPU it is that the run is going to be made on: nothing was measured yet. */
static enum sg_code ask_gpu(const struct sg_pipeline *p, struct sg_env *env, struct sg_err *err)
{
    struct sg_names args = {0};
    sg_args_worker(&args, p, "doctor");
    struct sg_worker_job job = {.argv = (const char *const *)args.items,
                                .pass = "doctor",
                                .deadline_s = SG_ASK_DEADLINE_S,
                                .context = env,
                                .on_message = take_fact};
    sg_workers_run(&job, 1, 1, err);
    sg_names_release(&args);
    const char *name = sg_env_get(env, "gpu_name");
    char *key = NULL;
    if (err->code == SG_SUCCESS && !name)
        sg_fail(err, SG_NOT_COMPARABLE, "", "which GPU this is is not known");
    if (err->code == SG_SUCCESS && sg_gpu_key_for(name, &key, err) == SG_SUCCESS)
        sg_env_set(env, "gpu", *key ? key : "unknown");
    free(key);
    return err->code;
}

static enum sg_code load_accepted(struct source *from, struct sg_err *err)
{
    struct sg_env env = {0};
    const struct sg_pipeline *p = from->pipeline;
    if (!sg_pipeline_runs_on_gpu(p))
        sg_env_set(&env, "gpu", SG_NULL_GPU);
    else if (ask_gpu(p, &env, err) != SG_SUCCESS)
        goto out;
    sg_env_set(&env, "suite", p->suite->name);
    if (sg_accepted_load(&env, p->suite->name, &from->accepted, err) == SG_SUCCESS)
        sg_builds_place(&from->store, err);
out:
    sg_env_release(&env);
    return err->code;
}

/* ---- which build an item was accepted from ---- */

/* The env file of its numbers; NULL: the item is not among the accepted ones. */
static const struct sg_env *env_of(const struct source *from, const struct sg_item *item)
{
    const struct sg_table *table = &from->accepted.table;
    const struct sg_row *row = sg_table_find(table, item->family->name, item->case_->name, item->variant->name, "status");
    if (!row)
        return NULL;
    return from->accepted.accepted[row - table->rows].of_model ? &from->accepted.model_env : &from->accepted.env;
}

static const char *digest_of(const struct source *from, const struct sg_item *item)
{
    const struct sg_env *env = env_of(from, item);
    return env ? sg_accepted_build(env, item->family->name, item->case_->name, item->variant->name) : NULL;
}

static bool is_of_family(const struct source *from, const struct sg_accepted_pair *pair, const struct sg_listed_family *family)
{
    return item_of(from, pair)->family == family;
}

static size_t count_digest(const struct source *from, const struct sg_listed_family *family, const char *digest)
{
    size_t count = 0;
    for (size_t i = 0; i < from->pairs->count; i++) {
        const struct sg_accepted_pair *pair = &from->pairs->items[i];
        const char *other = is_of_family(from, pair, family) ? digest_of(from, item_of(from, pair)) : NULL;
        count += other && strcmp(other, digest) == 0;
    }
    return count;
}

/* A worker holds one build of a family beside this run's: the one that most of its items were
 * accepted from. NULL: none names one. */
static const struct sg_accepted_pair *choose(const struct source *from, const struct sg_listed_family *family)
{
    const struct sg_accepted_pair *most = NULL;
    const char *chosen = "";
    size_t count = 0;
    for (size_t i = 0; i < from->pairs->count; i++) {
        const struct sg_accepted_pair *pair = &from->pairs->items[i];
        const char *digest = is_of_family(from, pair, family) ? digest_of(from, item_of(from, pair)) : NULL;
        const size_t found = digest && strcmp(digest, chosen) != 0 ? count_digest(from, family, digest) : 0;
        if (found > count) {
            most = pair;
            chosen = digest;
            count = found;
        }
    }
    return most;
}

/* Adds the module of that build to the listing; what is in the way is written to err. */
static void list_build(struct source *from, const struct sg_item *item, struct sg_err *err)
{
    struct sg_text path = {0};
    bool is_rebuilt = false;
    const struct sg_build_item of = {item->family->name, item->case_->name, item->variant->name};
    if (sg_build_of_accepted(from->store.data, env_of(from, item), &of, &path, &is_rebuilt, err) == SG_SUCCESS)
        sg_module_list_add((const char *const[]){path.data}, 1, &from->pairs->builds, err);
    sg_text_release(&path);
}

/* ---- one pair ---- */

/* What was set when its numbers were accepted is set again; numbers that do not state it are
 * taken for ones of today's setting. */
static enum sg_code configure(const struct source *from, const struct sg_accepted_pair *pair, const struct sg_listed_family *family,
                              struct sg_err *err)
{
    const struct sg_item *item = item_of(from, pair);
    const struct sg_env *env = env_of(from, item);
    struct sg_settings *all = &from->pipeline->settings;
    const char *name = item->variant->name;
    const struct sg_setting_of of = {item->family->name, item->case_->name, pair->variant.name, name};
    struct sg_text key = {0};
    sg_text_addf(&key, SG_SETTING_PREFIX "%s.%s.%s", of.family, of.case_, name);
    const char *accepted = sg_env_get(env, key.data);
    const struct sg_setting *own = sg_pipeline_setting(from->pipeline, item);
    const bool is_known = sg_env_get(env, SG_SETTINGS_KEY) != NULL;
    struct sg_settings one = {0};
    struct sg_setting *setting = accepted || (own && !is_known) ? sg_settings_add(&one, &of) : NULL;
    if (setting && (accepted ? sg_setting_set_all(setting, accepted, err) : sg_setting_copy_knobs(own, setting, err)) == SG_SUCCESS &&
        sg_setting_check(setting, family, key.data, err) == SG_SUCCESS)
        sg_setting_copy_knobs(setting, sg_settings_add(all, &of), err);
    sg_settings_release(&one);
    sg_text_release(&key);
    return err->code;
}

/* Finds the item in the build; refuses the pair where there is none to be held against. */
static void match(const struct source *from, struct sg_accepted_pair *pair, const struct sg_listed_family *build)
{
    const struct sg_item *item = item_of(from, pair);
    const struct sg_listed_variant *variant = sg_listed_variant_find(build, item->variant->name);
    struct sg_text name = {0};
    struct sg_err err = {0};
    sg_text_addf(&name, "%s" SG_AGAINST_SUFFIX, item->variant->name);
    pair->family = build;
    pair->case_ = sg_listed_case_find(build, item->case_->name);
    if (!variant)
        refuse(pair, "the accepted build has no variant %s", item->variant->name);
    else if (!pair->case_)
        refuse(pair, "the accepted build has no case %s", item->case_->name);
    else if (strcmp(pair->case_->shape, item->case_->shape) != 0 || strcmp(pair->case_->dtype, item->case_->dtype) != 0)
        refuse(pair, "the case is %s %s in the accepted build", pair->case_->dtype, pair->case_->shape);
    else if (!sg_is_name(name.data) || sg_listed_variant_find(item->family, name.data))
        refuse(pair, "%s is no name that its accepted build could have here", name.data);
    if (variant && !pair->why) {
        pair->variant = *variant;
        pair->variant.name = sg_copy_string(name.data);
        pair->variant.role = SG_CANDIDATE;
        pair->variant.expect = SG_OK;
        if (configure(from, pair, build, &err) != SG_SUCCESS)
            refuse(pair, "its accepted build: %s", err.message);
    }
    sg_text_release(&name);
}

/* All pairs of a family: those of the build that is chosen are matched, all others refused.
 * Only an interruption is an error. */
static enum sg_code pair_family(struct source *from, const struct sg_listed_family *family, struct sg_err *interruption)
{
    const struct sg_accepted_pair *first = choose(from, family);
    const char *chosen = first ? digest_of(from, item_of(from, first)) : NULL;
    struct sg_err err = {0};
    if (first)
        list_build(from, item_of(from, first), &err);
    if (err.code == SG_INTERRUPTED)
        *interruption = err;
    const struct sg_listed_family *build = sg_module_list_find(&from->pairs->builds, family->name);
    for (size_t i = 0; i < from->pairs->count; i++) {
        struct sg_accepted_pair *pair = &from->pairs->items[i];
        if (!is_of_family(from, pair, family))
            continue;
        const char *digest = digest_of(from, item_of(from, pair));
        if (!env_of(from, item_of(from, pair)))
            refuse(pair, "not among the accepted items");
        else if (!digest || !chosen)
            refuse(pair, "its accepted numbers name no build: accept a run of today's solgate");
        else if (strcmp(digest, chosen) != 0)
            refuse(pair, "accepted from the build %s, and most of its family from %s: accept the family from one run", digest, chosen);
        else if (err.code != SG_SUCCESS)
            refuse(pair, "%s", err.message);
        else
            match(from, pair, build);
        snprintf(pair->digest, sizeof(pair->digest), "%s", digest ? digest : "");
    }
    return interruption->code;
}

/* ---- all of them ---- */

static void add_items(struct sg_pipeline *p, const struct sg_accepted_pairs *pairs)
{
    struct sg_plan *plan = &p->plan;
    for (size_t i = 0; i < pairs->count; i++)
        if (!pairs->items[i].why)
            *SG_APPEND(plan->items, plan->count, plan->capacity) =
                (struct sg_item){.family = pairs->items[i].family, .case_ = pairs->items[i].case_, .variant = &pairs->items[i].variant};
}

/* Those that are timed: what is declared to fail has no time. */
static void begin_pairs(struct sg_pipeline *p)
{
    struct sg_accepted_pairs *pairs = &p->accepted;
    pairs->items = sg_alloc(p->plan.count, sizeof(*pairs->items));
    for (size_t i = 0; i < p->plan.count; i++)
        if (p->plan.items[i].variant->expect == SG_OK)
            pairs->items[pairs->count++] = (struct sg_accepted_pair){.own = i};
}

/* How many have no pair, and why the first of them has none. */
static void print_unpaired(struct sg_pipeline *p)
{
    const struct sg_accepted_pair *first = NULL;
    size_t unpaired = 0;
    for (size_t i = 0; i < p->accepted.count; i++) {
        if (!p->accepted.items[i].why)
            continue;
        first = first ? first : &p->accepted.items[i];
        unpaired++;
    }
    if (!first)
        return;
    const struct sg_item *item = &p->plan.items[first->own];
    sg_progress_print(&p->progress, "%zu of %zu items are not timed against an accepted build: %s/%s/%s: %s%s", unpaired, p->accepted.count,
                      item->family->name, item->case_->name, item->variant->name, first->why, unpaired > 1 ? "; ..." : "");
}

enum sg_code sg_pipeline_plan_pairs(struct sg_pipeline *p, struct sg_err *err)
{
    struct source from = {.pipeline = p, .pairs = &p->accepted};
    struct sg_err none = {0};
    begin_pairs(p);
    if (load_accepted(&from, &none) == SG_INTERRUPTED)
        *err = none;
    for (size_t i = 0; i < p->accepted.count && none.code != SG_SUCCESS; i++)
        refuse(&p->accepted.items[i], "%s%s%s", none.where, *none.where ? ": " : "", none.message);
    for (size_t i = 0; i < p->plan.count && none.code == SG_SUCCESS && err->code == SG_SUCCESS; i++)
        if (i == 0 || p->plan.items[i].family != p->plan.items[i - 1].family)
            pair_family(&from, p->plan.items[i].family, err);
    if (err->code == SG_SUCCESS)
        print_unpaired(p);
    add_items(p, &p->accepted);
    p->against = &p->accepted.builds;
    sg_accepted_file_release(&from.accepted);
    sg_text_release(&from.store);
    return err->code;
}

/* Its verification is that each of its launches is compared with the same
 * launch of the run's own variant. */
void sg_pipeline_link_pairs(struct sg_pipeline *p)
{
    size_t next = sg_pipeline_own_count(p);
    for (size_t i = 0; i < p->accepted.count; i++) {
        struct sg_accepted_pair *pair = &p->accepted.items[i];
        if (pair->why)
            continue;
        struct sg_step *step = &p->steps[next++];
        step->baseline = &p->steps[pair->own];
        step->is_accepted_build = step->verified = step->passed = step->counted = step->sanitized = true;
        pair->step = step;
    }
}

const struct sg_item *sg_step_item(const struct sg_step *step)
{
    return step->is_accepted_build ? &step->baseline->item : &step->item;
}

size_t sg_pipeline_own_count(const struct sg_pipeline *p)
{
    size_t count = p->plan.count;
    for (size_t i = 0; i < p->accepted.count; i++)
        count -= p->accepted.items[i].why == NULL;
    return count;
}

/* Which pairs there are is part of what makes the run this run. */
void sg_pipeline_set_pairs(const struct sg_pipeline *p, struct sg_env *env)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    if (!p->options->against_accepted)
        return;
    for (size_t i = 0; i < p->accepted.count; i++) {
        const struct sg_accepted_pair *pair = &p->accepted.items[i];
        const struct sg_item *item = &p->plan.items[pair->own];
        const char *const parts[] = {item->family->name, item->case_->name, item->variant->name, pair->why ? "" : pair->digest};
        for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
            sg_digest_add_string(&digest, parts[k]);
    }
    sg_env_set(env, SG_PAIRS_KEY, sg_digest_word(&digest).text);
}

void sg_pipeline_release_pairs(struct sg_pipeline *p)
{
    for (size_t i = 0; i < p->accepted.count; i++) {
        free(p->accepted.items[i].why);
        free(p->accepted.items[i].variant.name);
    }
    free(p->accepted.items);
    sg_module_list_release(&p->accepted.builds);
    p->accepted = (struct sg_accepted_pairs){0};
}
