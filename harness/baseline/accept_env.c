#include <string.h>

#include "baseline/accept_internal.h"
#include "results/shards.h"
#include "results/unit_health.h"
#include "util/names.h"

void sg_merge_find_origin(struct sg_merge *merge)
{
    const struct sg_accept_options *options = merge->options;
    SG_SCOPED(sg_names) units = {0};
    merge->item_units.length = 0;
    for (size_t i = 0; i < options->run_count; i++) {
        const char *name = sg_unit_of_item(options->runs[i].table, options->runs[i].env,
                                           SG_NAMES(merge->item.name));
        size_t at = 0;
        while (at < units.count && strcmp(units.items[at], name) != 0)
            at++;
        if (at == units.count) {
            sg_text_addf(&merge->item_units, "%s%s", at > 0 ? "+" : "", name);
            sg_names_add(&units, name);
        }
        if (!sg_names_have(&merge->units, name))
            sg_names_add(&merge->units, name);
        merge->unit[i] = at;
    }
    merge->origin =
        (struct sg_origin){.runs = options->run_count, .units = units.count, .has_unit = true};
}

/* Leaves out the comparison of the run and facts of its folder: they are not facts of its
 * numbers. */
void sg_merge_begin_env(struct sg_merge *merge)
{
    static const char *const left_out[] = {
        SG_PAIRS_KEY,        SG_SELECTION_KEY, SG_WORKER_ENDS_KEY,
        SG_TIMED_SINCE_KEY,  SG_CHOICE_KEY,    SG_CHOICE_WHY_KEY,
        SG_CHOICE_DRAWN_KEY, SG_UNITS_KEY,     SG_SHARD_KEY};
    const struct sg_env *from = sg_last_run(merge->options)->env;
    struct sg_env *to = &merge->fresh->env;
    SG_SCOPED(sg_text) names = {0};
    const char *of[3];
    for (size_t i = 0; i < from->count; i++)
        if (!sg_fact_at(from, i, SG_ACCEPTED_CODE_KEY, &names, of))
            sg_env_set(to, from->key[i], from->value[i]);
    for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
        sg_env_unset(to, left_out[i]);
    sg_run_unseal(to);
}

/* Returns true if the fresh numbers have every item of the suite: a run was complete, or the old
 * numbers were and stay. */
static bool is_whole(const struct sg_accept_options *options)
{
    bool whole = options->old && !options->prune && sg_accepted_file_is_whole(options->old);
    for (size_t i = 0; i < options->run_count; i++)
        whole |= sg_env_get(options->runs[i].env, SG_SELECTION_KEY) == NULL;
    return whole;
}

/* Keeps the drift references of the GPUs, if there are enough GPUs to call another one slow. GPUs
 * of earlier runs stay. */
static void keep_references(const struct sg_merge *merge, struct sg_env *env)
{
    SG_SCOPED(sg_units) units = {0};
    if (merge->options->old)
        sg_units_of_facts(&merge->options->old->env, &units);
    for (size_t i = 0; i < merge->options->run_count; i++) {
        const struct sg_units *of_run = merge->options->runs[i].units;
        for (size_t k = 0; of_run && k < of_run->count; k++)
            if (of_run->items[k].chain_cycles > 0)
                sg_units_join(&units, &of_run->items[k]);
    }
    if (units.count > SG_SIBLINGS_LEAST)
        sg_units_to_facts(&units, env);
}

void sg_merge_end_env(struct sg_merge *merge)
{
    struct sg_env *env = &merge->fresh->env;
    SG_SCOPED(sg_text) units = {0};
    for (size_t i = 0; i < merge->units.count; i++)
        sg_text_addf(&units, "%s%s", i > 0 ? "+" : "", merge->units.items[i]);
    sg_env_set(env, SG_ACCEPTED_RUNS_KEY, merge->runs.data);
    sg_env_set(env, SG_ACCEPTED_UNITS_KEY, sg_text_string(&units));
    sg_env_set(env, SG_ACCEPTED_PLAN_KEY,
               is_whole(merge->options) ? SG_PLAN_WHOLE : SG_PLAN_PARTIAL);
    keep_references(merge, env);
}
