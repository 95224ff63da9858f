#include "run/accepted_builds.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "baseline/load.h"
#include "builds/accepted.h"
#include "plan/gate_script.h"
#include "results/identity.h"
#include "results/kernel_commit.h"
#include "results/row_kind.h"
#include "run/ask_gpus.h"
#include "util/escape.h"

/* Accepted numbers, the store of builds, and the plan that items are added to. */
struct source {
    const struct sg_run_options *options;
    struct sg_run_plan *plan;
    struct sg_module_list *builds; /* one per family */
    struct sg_accepted_file accepted;
    struct sg_text store;
};

static const struct sg_item *item_of(const struct source *from, const struct sg_accepted_pair *pair)
{
    return &from->plan->items[pair->own];
}

__attribute__((format(printf, 2, 3))) static void refuse(struct sg_accepted_pair *pair,
                                                         const char *format, ...)
{
    struct sg_err why = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(why.message, sizeof(why.message), format, args);
    va_end(args);
    pair->why = sg_copy_string(why.message);
}

/* ---- where the accepted numbers are ---- */

/* As the device of simulated GPUs names them. */
static void name_simulated(const struct source *from, struct sg_env *env)
{
    SG_FORMATTED(unit, SG_NULL_GPU "%" PRIu64, from->options->gpu);
    sg_env_set(env, "gpu", SG_NULL_GPU);
    if (from->options->gpu > 0)
        sg_env_set(env, "gpu_uuid_hash", unit.data);
}

static enum sg_code find_gpu(const struct source *from, struct sg_env *env, struct sg_err *err)
{
    static const char *const keys[] = {"gpu_name", "gpu_uuid_hash"};
    const struct sg_env *facts = from->options->gpu_facts;
    struct sg_gpu asked = {.number = from->options->gpu};
    SG_FREED char *key = NULL;
    /* nothing has been measured yet, so a worker reports the GPU that the run will use */
    if (!facts && sg_gpus_ask(from->plan->modules->worker, "", &asked, 1, err) != SG_SUCCESS)
        return err->code;
    facts = facts ? facts : &asked.facts;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (sg_env_get(facts, keys[i]))
            sg_env_set(env, keys[i], sg_env_get(facts, keys[i]));
    const char *name = sg_env_get(env, "gpu_name");
    if (!name)
        return sg_fail(err, SG_NOT_COMPARABLE, "",
                       "expected the GPU's name from the driver, "
                       "found none");
    if (sg_gpu_key_for(name, &key, err) == SG_SUCCESS)
        sg_env_set(env, "gpu", *key ? key : "unknown");
    return err->code;
}

static enum sg_code load_accepted(struct source *from, struct sg_err *err)
{
    SG_SCOPED(sg_env) env = {0};
    const char *suite = from->plan->suite->name;
    if (!sg_run_plan_needs_gpu(from->plan))
        name_simulated(from, &env);
    else
        find_gpu(from, &env, err);
    sg_env_set(&env, "suite", suite);
    if (err->code == SG_SUCCESS &&
        sg_accepted_load(&env, suite, &from->accepted, err) == SG_SUCCESS)
        sg_builds_place(&from->store, err);
    return err->code;
}

/* ---- which build an item was accepted from ---- */

/* Returns the env file of the item's accepted numbers; NULL: the item has none. */
static const struct sg_env *env_of(const struct source *from, const struct sg_item *item)
{
    const struct sg_table *table = &from->accepted.table;
    const struct sg_row *row = sg_table_find(table, SG_ITEM_NAMES(item), "status");
    if (!row)
        return NULL;
    return from->accepted.accepted[row - table->rows].of_model ? &from->accepted.model_env
                                                               : &from->accepted.env;
}

static void find_digest(const struct source *from, struct sg_accepted_pair *pair)
{
    const struct sg_item *item = item_of(from, pair);
    const struct sg_env *env = env_of(from, item);
    const char *digest = env ? sg_accepted_build(env, SG_ITEM_NAMES(item)) : NULL;
    const struct sg_row *identity =
        sg_table_find(&from->accepted.table, SG_ITEM_NAMES(item), SG_IDENTITY_METRIC);
    snprintf(pair->digest, sizeof(pair->digest), "%s", digest ? digest : "");
    pair->identity =
        identity ? sg_copy_string(sg_table_string(&from->accepted.table, identity->message)) : NULL;
    if (!env)
        refuse(pair, "not among the accepted items");
    else if (!digest)
        refuse(pair, "its accepted numbers name no build: accept a run of this version of solgate");
}

/* A worker can load one other build of a family. Chooses the build that most items were accepted
 * from, among the pairs [first, end). NULL: no pair names a build. */
static const struct sg_accepted_pair *choose(const struct sg_accepted_pair *first,
                                             const struct sg_accepted_pair *end)
{
    const struct sg_accepted_pair *most = NULL;
    size_t count = 0;
    for (const struct sg_accepted_pair *one = first; one < end; one++) {
        size_t found = 0;
        if (one->why || (most && strcmp(one->digest, most->digest) == 0))
            continue;
        for (const struct sg_accepted_pair *other = first; other < end; other++)
            found += strcmp(other->digest, one->digest) == 0;
        most = found > count ? one : most;
        count = found > count ? found : count;
    }
    return most;
}

/* For functions of a program, the accepted build is a commit. */
static enum sg_code add_commit(const struct source *from, const struct sg_item *item,
                               struct sg_text *path, struct sg_err *err)
{
    const char *commit = sg_kernel_commit(env_of(from, item), item->family->name);
    if (!sg_is_commit(commit))
        return sg_fail(
            err, SG_NOT_COMPARABLE, "",
            "its functions were accepted at %s: commit your changes, then accept a run of that "
            "commit",
            *commit ? commit : "no commit");
    return sg_gate_script_at(item->family->module, commit, path, err);
}

/* Finds the build in the store. If the store lacks it, makes it again. */
static enum sg_code find_build(const struct source *from, const struct sg_item *item,
                               const char *digest, struct sg_text *path, struct sg_err *err)
{
    const struct sg_run_options *options = from->options;
    const struct sg_env *env = env_of(from, item);
    const struct sg_build_item of = {SG_ITEM_NAMES(item)};
    if (sg_build_of_accepted(from->store.data, env, &of, path, err) != SG_SUCCESS &&
        options->rebuild) {
        *err = (struct sg_err){0};
        if (options->rebuild(options->rebuild_context, env, of.family, digest, err) == SG_SUCCESS)
            sg_build_of_accepted(from->store.data, env, &of, path, err);
    }
    return err->code;
}

/* Adds the module of the pair's build to `builds`. */
static enum sg_code list_build(const struct source *from, const struct sg_accepted_pair *pair,
                               struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    const struct sg_item *item = item_of(from, pair);
    if (sg_is_gate_script(item->family->module))
        add_commit(from, item, &path, err);
    else
        find_build(from, item, pair->digest, &path, err);
    if (err->code == SG_SUCCESS)
        sg_module_list_add((const char *const[]){path.data}, 1, from->builds, err);
    return err->code;
}

/* ---- one pair ---- */

/* Gives the item the knobs of its accepted numbers. Numbers without knobs are assumed to have been
 * measured with the current ones. */
static enum sg_code configure(const struct source *from, const struct sg_item *item,
                              const char *name, const struct sg_listed_family *build,
                              struct sg_err *err)
{
    const struct sg_env *env = env_of(from, item);
    struct sg_knob_settings *all = &from->plan->knobs, one = {0};
    const char *family = item->family->name, *case_ = item->case_->name,
               *variant = item->variant->name;
    const char *accepted = sg_fact_get(env, SG_KNOBS_KEY, SG_OF(family, case_, variant));
    const struct sg_knob_setting *own = sg_knob_settings_find(all, family, case_, variant);
    const bool is_known = sg_env_get(env, SG_KNOB_COUNT_KEY) != NULL;
    const struct sg_knob_setting_of of = {family, case_, name, variant};
    struct sg_knob_setting *setting =
        accepted || (own && !is_known) ? sg_knob_settings_add(&one, &of) : NULL;
    if (setting &&
        (accepted ? sg_knob_setting_set_all(setting, accepted, err)
                  : sg_knob_setting_copy_knobs(own, setting, err)) == SG_SUCCESS &&
        sg_knob_setting_check(setting, build, "env.csv", err) == SG_SUCCESS)
        sg_knob_setting_copy_knobs(setting, sg_knob_settings_add(all, &of), err);
    return err->code;
}

static void add_item(const struct source *from, struct sg_accepted_pair *pair,
                     const struct sg_listed_family *build, const struct sg_listed_variant *variant,
                     const char *name)
{
    struct sg_listed_variant *called = &from->plan->called[from->plan->called_count++];
    *called = *variant;
    called->name = sg_copy_string(name);
    called->role = SG_CANDIDATE;
    called->expect = SG_OK;
    const struct sg_item item = {.family = build,
                                 .case_ =
                                     sg_listed_case_find(build, item_of(from, pair)->case_->name),
                                 .variant = called,
                                 .built_as = variant->name,
                                 .baseline = pair->own,
                                 .build = SG_BUILD_OTHER,
                                 .only_timed = true};
    pair->accepted = from->plan->count;
    sg_run_plan_add(from->plan, &item);
}

/* Finds the item in the build. Refuses the pair if the build has no comparable item. */
static void match(const struct source *from, struct sg_accepted_pair *pair,
                  const struct sg_listed_family *build)
{
    const struct sg_item *item = item_of(from, pair);
    const struct sg_listed_variant *variant = sg_listed_variant_find(build, item->variant->name);
    const struct sg_listed_case *case_ = sg_listed_case_find(build, item->case_->name);
    SG_SCOPED(sg_text) name = {0};
    struct sg_err err = {0};
    sg_text_addf(&name, "%s" SG_OTHER_SUFFIX, item->variant->name);
    if (!variant)
        refuse(pair, "the accepted build has no variant %s", item->variant->name);
    else if (!case_)
        refuse(pair, "the accepted build has no case %s", item->case_->name);
    else if (strcmp(case_->shape, item->case_->shape) != 0 ||
             strcmp(case_->dtype, item->case_->dtype) != 0)
        refuse(pair, "the case is %s %s in the accepted build", case_->dtype, case_->shape);
    else if (!sg_is_name(name.data) || sg_listed_variant_find(item->family, name.data))
        refuse(pair,
               "the variant of the accepted build needs the name %s, which is too long or taken",
               name.data);
    else if (configure(from, item, name.data, build, &err) != SG_SUCCESS)
        refuse(pair, "its accepted build: %s", err.message);
    else
        add_item(from, pair, build, variant, name.data);
}

/* Adds items for the pairs whose build was chosen, and refuses the family's other pairs. */
static enum sg_code pair_family(const struct source *from, struct sg_accepted_pair *first,
                                struct sg_accepted_pair *end, struct sg_err *err)
{
    const struct sg_accepted_pair *chosen = choose(first, end);
    struct sg_err why = {0};
    if (chosen && list_build(from, chosen, &why) == SG_INTERRUPTED) {
        *err = why;
        return err->code;
    }
    const struct sg_listed_family *build =
        sg_module_list_find(from->builds, item_of(from, first)->family->name);
    for (struct sg_accepted_pair *pair = first; pair < end; pair++) {
        if (pair->why)
            continue;
        if (chosen && strcmp(pair->digest, chosen->digest) != 0)
            refuse(pair,
                   "accepted from the build %s, and most of its family from %s: accept the family "
                   "from one run",
                   pair->digest, chosen->digest);
        else if (why.code != SG_SUCCESS)
            refuse(pair, "%s", why.message);
        else
            match(from, pair, build);
    }
    return SG_SUCCESS;
}

static enum sg_code pair_families(const struct source *from, struct sg_err *err)
{
    struct sg_accepted_pairs *pairs = &from->plan->accepted;
    size_t end = 0;
    for (size_t i = 0; i < pairs->count; i++)
        find_digest(from, &pairs->items[i]);
    for (size_t first = 0; first < pairs->count && err->code == SG_SUCCESS; first = end) {
        const struct sg_listed_family *family = item_of(from, &pairs->items[first])->family;
        for (end = first; end < pairs->count && item_of(from, &pairs->items[end])->family == family;
             end++)
            ;
        pair_family(from, &pairs->items[first], &pairs->items[end], err);
    }
    return err->code;
}

/* ---- all of them ---- */

/* Only items that are timed get a pair. An item that is declared to fail is not timed. */
static void begin_pairs(struct sg_run_plan *plan)
{
    struct sg_accepted_pairs *pairs = &plan->accepted;
    pairs->items = sg_alloc(plan->count, sizeof(*pairs->items));
    plan->called = sg_alloc(plan->count, sizeof(*plan->called));
    for (size_t i = 0; i < plan->count; i++)
        if (plan->items[i].variant->expect == SG_OK)
            pairs->items[pairs->count++] =
                (struct sg_accepted_pair){.own = i, .accepted = SG_NO_ITEM};
}

/* Prints how many items have no pair, and the reason of the first. */
static void print_unpaired(const struct sg_run_plan *plan)
{
    const struct sg_accepted_pair *first = NULL;
    size_t unpaired = 0;
    for (size_t i = plan->accepted.count; i-- > 0;) {
        if (plan->accepted.items[i].why)
            first = &plan->accepted.items[i];
        unpaired += plan->accepted.items[i].why != NULL;
    }
    if (!first)
        return;
    const struct sg_item *item = &plan->items[first->own];
    SG_SCOPED(sg_text) line = {0}, shown = {0};
    sg_text_addf(&line, "%zu of %zu items are not timed against an accepted build: %s/%s/%s: %s%s",
                 unpaired, plan->accepted.count, SG_ITEM_NAMES(item), first->why,
                 unpaired > 1 ? "; ..." : "");
    sg_add_terminal(&shown, line.data);
    fprintf(stderr, "%s\n", shown.data);
}

enum sg_code sg_accepted_builds_add(const struct sg_run_options *options,
                                    struct sg_module_list *builds, struct sg_run_plan *plan,
                                    struct sg_err *err)
{
    struct source from = {.options = options, .plan = plan, .builds = builds};
    struct sg_err none = {0};
    begin_pairs(plan);
    if (load_accepted(&from, &none) == SG_INTERRUPTED)
        *err = none;
    for (size_t i = 0; i < plan->accepted.count && none.code != SG_SUCCESS; i++)
        refuse(&plan->accepted.items[i], "%s%s%s", none.where, *none.where ? ": " : "",
               none.message);
    if (none.code == SG_SUCCESS)
        pair_families(&from, err);
    if (err->code == SG_SUCCESS)
        print_unpaired(plan);
    plan->others = builds;
    plan->accepted.env = from.accepted.env;
    from.accepted.env = (struct sg_env){0};
    return err->code;
}

struct sg_digest sg_accepted_pairs_digest(const struct sg_run_plan *plan)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    for (size_t i = 0; i < plan->accepted.count; i++) {
        const struct sg_accepted_pair *pair = &plan->accepted.items[i];
        const struct sg_item *item = &plan->items[pair->own];
        const char *const parts[] = {SG_ITEM_NAMES(item), pair->why ? "" : pair->digest,
                                     pair->identity ? pair->identity : ""};
        for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
            sg_digest_add_string(&digest, parts[k]);
    }
    return digest;
}
