#include <string.h>

#include "baseline/accept_internal.h"
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

static bool is_of_same_origin(const struct sg_merge *merge, const struct sg_env *old)
{
    const struct sg_origin was = sg_origin_of(old, merge->units[0]);
    bool same = was.runs == merge->origin.runs && was.units == merge->origin.units;
    for (size_t i = 0; same && i < merge->origin.units; i++)
        same = sg_origin_of(old, merge->units[i]).has_unit;
    return same;
}

void sg_merge_find_origins(struct sg_merge *merge)
{
    struct sg_text is = {0}, was = {0};
    find_units(merge);
    sg_text_addf(&is, "%zu:", merge->options->run_count);
    for (size_t i = 0; i < merge->origin.units; i++)
        sg_text_addf(&is, "%s%s", i > 0 ? "+" : "", merge->units[i]);
    const struct sg_env *old = merge->options->old ? &merge->options->old->env : NULL;
    if (old && !is_of_same_origin(merge, old)) {
        const char *runs = sg_env_get(old, SG_ACCEPTED_RUNS_KEY),
                   *units = sg_env_get(old, SG_ACCEPTED_UNITS_KEY);
        sg_text_addf(&was, "%s:%s", runs ? runs : "1", units ? units : sg_unit_of(old));
    }
    merge->was = was.data ? was.data : sg_copy_string(is.data);
    merge->is = is.data;
}

/* Leaves out the comparison of the run and facts of its folder: they are not facts of its
 * numbers. */
void sg_merge_begin_env(struct sg_merge *merge)
{
    static const char *const left_out[] = {SG_PAIRS_KEY,       SG_SELECTION_KEY, SG_WORKER_ENDS_KEY,
                                           SG_TIMED_SINCE_KEY, SG_CHOICE_KEY,    SG_CHOICE_WHY_KEY,
                                           SG_CHOICE_DRAWN_KEY};
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

void sg_merge_note_item(struct sg_merge *merge)
{
    const struct sg_value *item = &merge->item.name;
    const struct sg_accepted_file *old = merge->options->old;
    const struct sg_table *fresh = &merge->fresh->table;
    const char *const of[] = {item->family, item->case_, item->variant};
    bool has_times = false;
    for (size_t i = fresh->count;
         i-- > 0 && sg_row_same_item(&fresh->rows[i], &fresh->rows[fresh->count - 1]);)
        has_times |= sg_accept_is_time(sg_table_string(fresh, fresh->rows[i].metric));
    const bool is_kept = merge->item.keeps_times;
    const char *own = is_kept ? sg_fact_get(&old->env, SG_ACCEPTED_ITEM_KEY, of) : NULL;
    if (has_times)
        sg_fact_set(&merge->origins, SG_ACCEPTED_ITEM_KEY, of,
                    own       ? own
                    : is_kept ? merge->was
                              : merge->is);
    /* Items that stay were measured with the previous build. */
    if (old && (!merge->item.is_in_runs || merge->item.stays))
        sg_accepted_build_keep(&merge->fresh->env, &old->env, item);
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

/* Writes the most common origin once, and a key for each item with another origin. */
static void set_origins(const struct sg_merge *merge, struct sg_env *env)
{
    const struct sg_env *origins = &merge->origins;
    size_t is = 0, was = 0;
    for (size_t i = 0; i < origins->count; i++) {
        is += strcmp(origins->value[i], merge->is) == 0;
        was += strcmp(origins->value[i], merge->was) == 0;
    }
    const char *most = was > is ? merge->was : merge->is, *units = strchr(most, ':');
    SG_SCOPED(sg_text) runs = {0};
    sg_text_add_bytes(&runs, most, (size_t)(units - most));
    sg_env_set(env, SG_ACCEPTED_RUNS_KEY, runs.data);
    sg_env_set(env, SG_ACCEPTED_UNITS_KEY, units + 1);
    for (size_t i = 0; i < origins->count; i++)
        if (strcmp(origins->value[i], most) != 0)
            sg_env_set(env, origins->key[i], origins->value[i]);
}

void sg_merge_end_env(struct sg_merge *merge)
{
    set_origins(merge, &merge->fresh->env);
    sg_env_set(&merge->fresh->env, SG_ACCEPTED_PLAN_KEY,
               is_whole(merge->options) ? SG_PLAN_WHOLE : SG_PLAN_PARTIAL);
}
