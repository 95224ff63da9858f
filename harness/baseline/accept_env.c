#include "baseline/accept_internal.h"

#include <string.h>

#include "results/accepted_build.h"

static void find_units(struct sg_merge *merge)
{
    const struct sg_accept_options *options = merge->options;
    merge->unit = sg_alloc(options->run_count, sizeof(*merge->unit));
    merge->units = sg_alloc(options->run_count, sizeof(const char *));
    merge->origin = (struct sg_origin){.runs = options->run_count, .has_unit = true};
    for (size_t i = 0; i < options->run_count; i++) {
        const char *name = sg_unit_of(options->runs[i].env);
        size_t at = 0;
        while (at < merge->origin.units && strcmp(merge->units[at], name) != 0)
            at++;
        merge->unit[i] = at;
        if (at == merge->origin.units)
            merge->units[merge->origin.units++] = name;
    }
}

static bool is_of_same_origin(const struct sg_merge *merge)
{
    const struct sg_env *old = &merge->options->old->env;
    const struct sg_origin was = sg_origin_of(old, merge->units[0]);
    bool same = was.runs == merge->origin.runs && was.units == merge->origin.units;
    for (size_t i = 0; same && i < merge->origin.units; i++)
        same = sg_origin_of(old, merge->units[i]).has_unit;
    return same;
}

void sg_merge_find_origins(struct sg_merge *merge)
{
    find_units(merge);
    struct sg_text is = {0}, was = {0};
    sg_text_addf(&is, "%zu:", merge->options->run_count);
    for (size_t i = 0; i < merge->origin.units; i++)
        sg_text_addf(&is, "%s%s", i > 0 ? "+" : "", merge->units[i]);
    if (merge->options->old && !is_of_same_origin(merge)) {
        const struct sg_env *old = &merge->options->old->env;
        const char *runs = sg_env_get(old, SG_ACCEPTED_RUNS_KEY), *units = sg_env_get(old, SG_ACCEPTED_UNITS_KEY);
        sg_text_addf(&was, "%s:%s", runs ? runs : "1", units ? units : sg_unit_of(old));
    }
    merge->was = sg_copy_string(sg_text_string(was.length > 0 ? &was : &is));
    merge->is = sg_copy_string(is.data);
    sg_text_release(&is);
    sg_text_release(&was);
}

void sg_merge_note_origin(struct sg_merge *merge, const struct sg_value *value, bool is_kept)
{
    struct sg_text key = {0};
    if (!sg_accept_is_time(value->metric))
        return;
    sg_text_addf(&key, SG_ACCEPTED_ITEM_PREFIX "%s.%s.%s", value->family, value->case_, value->variant);
    const char *own = is_kept ? sg_env_get(&merge->options->old->env, key.data) : NULL;
    sg_env_set(&merge->origins, key.data, own ? own : is_kept ? merge->was : merge->is);
    sg_text_release(&key);
}

/* What the run was held against is no fact of its numbers. */
static void copy_env(const struct sg_env *from, struct sg_env *to)
{
    for (size_t i = 0; i < from->count; i++)
        if (strcmp(from->key[i], SG_PAIRS_KEY) != 0 && strncmp(from->key[i], SG_ACCEPTED_CODE_PREFIX, strlen(SG_ACCEPTED_CODE_PREFIX)) != 0)
            sg_env_set(to, from->key[i], from->value[i]);
}

/* Does the fresh table have every item of the suite? Not of runs that left some
 * out, unless they were there before. */
static bool is_whole(const struct sg_accept_options *options)
{
    bool whole = options->old && !options->prune && sg_accepted_file_is_whole(options->old);
    for (size_t i = 0; i < options->run_count; i++)
        whole |= sg_env_get(options->runs[i].env, SG_SELECTION_KEY) == NULL;
    return whole;
}

/* Items that stay were measured with the build of before. */
static void keep_builds(const struct sg_merge *merge, struct sg_env *env)
{
    const struct sg_table *table = &merge->fresh->table;
    for (size_t i = 0; merge->options->old && i < table->count; i++) {
        const struct sg_value value = sg_value_of(table, &table->rows[i]);
        if (strcmp(value.metric, "status") == 0 && !sg_merge_any_run_has(merge, table, &table->rows[i]))
            sg_accepted_build_keep(env, &merge->options->old->env, &value);
    }
}

/* What most items are of stands once; the others have a key each. */
static void set_origins(const struct sg_merge *merge, struct sg_env *env)
{
    const struct sg_env *origins = &merge->origins;
    size_t is = 0, was = 0;
    for (size_t i = 0; i < origins->count; i++) {
        is += strcmp(origins->value[i], merge->is) == 0;
        was += strcmp(origins->value[i], merge->was) == 0;
    }
    const char *most = was > is ? merge->was : merge->is, *units = strchr(most, ':');
    struct sg_text runs = {0};
    sg_text_add_bytes(&runs, most, (size_t)(units - most));
    sg_env_set(env, SG_ACCEPTED_RUNS_KEY, runs.data);
    sg_env_set(env, SG_ACCEPTED_UNITS_KEY, units + 1);
    for (size_t i = 0; i < origins->count; i++)
        if (strcmp(origins->value[i], most) != 0)
            sg_env_set(env, origins->key[i], origins->value[i]);
    sg_text_release(&runs);
}

void sg_merge_set_env(const struct sg_merge *merge, struct sg_env *env)
{
    const struct sg_accept_options *options = merge->options;
    copy_env(options->runs[options->run_count - 1].env, env);
    /* Of the run's folder, which this is not. */
    sg_run_unseal(env);
    sg_env_unset(env, SG_SELECTION_KEY);
    sg_env_unset(env, SG_WORKER_ENDS_KEY);
    set_origins(merge, env);
    sg_env_set(env, SG_ACCEPTED_PLAN_KEY, is_whole(options) ? SG_PLAN_WHOLE : SG_PLAN_PARTIAL);
    keep_builds(merge, env);
}
