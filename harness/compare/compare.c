#include "compare/compare.h"

#include <string.h>

#include "compare/compare_internal.h"
#include "results/settings.h"

/* ---- a variant ---- */

static void add_missing(struct sg_joining *joining, const struct sg_row_pair *pair,
                        const char *what)
{
    struct sg_finding finding = sg_finding_of(joining, pair);
    finding.accepted = SG_NOT_MEASURED;
    finding.gates = true;
    finding.why = what;
    *SG_APPEND(joining->missing, joining->missing_count, joining->missing_capacity) = finding;
}

/* Judges an accepted row that the run lacks, although the run has the variant. If the variant
 * failed, its status is the finding; for the deciding row, sg_item_end adds the finding. */
static void judge_absent(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const char *metric = sg_table_string(&joining->in->accepted->table, pair->then->metric);
    const struct sg_row_use use = sg_row_use_of(metric);
    if (use.is_term)
        sg_judge_term(joining, pair);
    if (use.kind == SG_ROW_FACT)
        joining->comparison->facts++;
    else if (!pair->accepted->gate || joining->is != SG_OK || joining->untimed ||
             strcmp(metric, joining->main_metric) == 0)
        joining->comparison->absent++;
    else
        add_missing(joining, pair,
                    sg_row_is_energy(metric)
                        ? "accepted as gating, but this run has no such row: measure it with "
                          "--energy, or put `energy = yes` into the suite"
                        : "accepted as gating, but this run has no such row: measure it, or "
                          "accept the run again");
}

static void judge_present(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const char *metric = sg_table_string(joining->in->run, pair->now->metric);
    const struct sg_row_use use = sg_row_use_of(metric);
    const bool is_timed =
        (use.kind == SG_ROW_TIME || use.kind == SG_ROW_RATIO) && pair->now->status == SG_OK;
    joining->main_seen |= is_timed && strcmp(metric, joining->main_metric) == 0;
    if (use.is_term && pair->then)
        sg_judge_term(joining, pair);
    if (use.kind == SG_ROW_COUNTER)
        sg_judge_counter(joining, pair);
    else if (use.kind == SG_ROW_STATUS)
        sg_judge_status(joining, pair);
    else if (use.kind == SG_ROW_BUILD_RATIO)
        sg_judge_build_ratio(joining, pair);
    else if (!is_timed)
        joining->comparison->facts +=
            pair->then ? 2 : 1; /* sg_item_end explains a row without a time */
    else if (use.kind == SG_ROW_TIME)
        sg_judge_time(joining, pair);
    else
        sg_judge_ratio(joining, pair);
}

static void judge_variant(struct sg_joining *joining)
{
    const struct sg_side *now = &joining->now, *then = &joining->then;
    size_t i = now->from, j = then->from;
    sg_item_begin(joining);
    while (i < now->to || j < then->to) {
        const struct sg_row *a = i < now->to ? &now->table->rows[i] : NULL,
                            *b = j < then->to ? &then->table->rows[j] : NULL;
        const int order = a && b ? strcmp(sg_table_string(now->table, a->metric),
                                          sg_table_string(then->table, b->metric))
                          : a    ? -1
                                 : 1;
        const struct sg_row_pair pair = {
            .now = order <= 0 ? a : NULL,
            .then = order >= 0 ? b : NULL,
            .accepted = order >= 0 ? &joining->in->accepted->accepted[j] : NULL,
        };
        if (pair.now)
            judge_present(joining, &pair);
        else if (pair.then)
            judge_absent(joining, &pair);
        i += order <= 0;
        j += order >= 0;
    }
    sg_item_end(joining);
}

/* A variant that the run lacks is one finding, regardless of how many rows it had and whether any
 * of them gates. */
static void judge_absent_variant(struct sg_joining *joining)
{
    const struct sg_side *then = &joining->then;
    const struct sg_row *status = sg_side_row(then, "status"),
                        *shown = status ? status : &then->table->rows[then->from];
    const struct sg_row_pair pair = {
        .then = shown, .accepted = &joining->in->accepted->accepted[shown - then->table->rows]};
    add_missing(joining, &pair,
                sg_are_quoted(joining)
                    ? "missing: the other run has this row, this run does not"
                    : "accepted, but not in this run; `solgate accept RUN --prune` drops it");
    joining->comparison->absent += then->to - then->from - 1;
}

/* ---- the join ---- */

/* Order of the variants at row i of a and row j of b; a table that has ended sorts last. */
static int compare_variants(const struct sg_table *a, size_t i, const struct sg_table *b, size_t j)
{
    if (i >= a->count || j >= b->count)
        return i >= a->count ? 1 : -1;
    const sg_id left[] = {SG_NAMES(a->rows[i])};
    const sg_id right[] = {SG_NAMES(b->rows[j])};
    int order = 0;
    for (size_t k = 0; k < 3 && order == 0; k++)
        order = strcmp(sg_table_string(a, left[k]), sg_table_string(b, right[k]));
    return order;
}

static bool is_asked_for(const struct sg_joining *joining, const struct sg_side *side)
{
    const struct sg_value value = sg_value_of(side->table, &side->table->rows[side->from]);
    return !joining->in->filters || sg_filters_keep(joining->in->filters, SG_NAMES(value),
                                                    sg_side_has_role(side, "baseline") &&
                                                        !sg_env_is_imported(joining->in->run_env));
}

static void join(struct sg_joining *joining)
{
    const struct sg_table *now = joining->in->run, *then = &joining->in->accepted->table;
    size_t i = 0, j = 0;
    while (i < now->count || j < then->count) {
        const int order = compare_variants(now, i, then, j);
        joining->now = sg_side_from(now, order <= 0 ? i : now->count);
        joining->then = sg_side_from(then, order >= 0 ? j : then->count);
        if (order > 0 && is_asked_for(joining, &joining->then))
            judge_absent_variant(joining);
        else if (order <= 0 && is_asked_for(joining, &joining->now))
            judge_variant(joining);
        i = order <= 0 ? joining->now.to : i;
        j = order >= 0 ? joining->then.to : j;
    }
}

/* ---- comparability ---- */

bool sg_same_driver_branch(const char *a, const char *b)
{
    const size_t length = strcspn(a, ".");
    return length == strcspn(b, ".") && strncmp(a, b, length) == 0;
}

/* The GPU name matters only for GPUs without a key in metrics/gpus. A run that timed nothing has no
 * time source; a run with times but no time source has no valid time (compare/judge_time.c). */
static bool is_asked(const struct sg_env *run, const char *key)
{
    const char *gpu = sg_env_get(run, "gpu");
    if (strcmp(key, "gpu_name") == 0)
        return gpu && strcmp(gpu, "unknown") == 0;
    return strcmp(key, "time_source") != 0 || sg_env_get(run, key);
}

static enum sg_code fail_comparable(const char *path, const char *key, const char *is,
                                    const char *was, struct sg_err *err)
{
    return sg_fail(err, SG_NOT_COMPARABLE, path,
                   "not comparable: %s is '%s' in the run, '%s' in the accepted numbers%s", key, is,
                   was,
                   strncmp(key, "gpu", 3) == 0
                       ? "; `solgate compare RUN OTHER --info` shows both, without a verdict"
                       : "");
}

enum sg_code sg_check_comparable(const struct sg_env *run, const struct sg_env *accepted,
                                 const char *path, struct sg_err *err)
{
    static const char *const keys[] = {"gpu", "gpu_name", "driver", "time_source"};
    SG_SCOPED(sg_text) is = {0}, was = {0};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *a = sg_env_word(run, keys[i]), *b = sg_env_word(accepted, keys[i]);
        /* A page of ncu names the GPU; another has its compute capability alone. */
        const bool is_unnamed = !strstr(a, "capability") != !strstr(b, "capability"),
                   is_same = strcmp(keys[i], "driver") == 0 ? sg_same_driver_branch(a, b)
                                                            : strcmp(a, b) == 0 || is_unnamed;
        if (!is_same && is_asked(run, keys[i]))
            return fail_comparable(path, keys[i], a, b, err);
    }
    const struct sg_setting *other = sg_settings_unequal(run, accepted, &is, &was);
    return other ? fail_comparable(path, other->key, sg_text_string(&is), sg_text_string(&was), err)
                 : SG_SUCCESS;
}

enum sg_code sg_check_units(const struct sg_catalogue *catalogue, const struct sg_table *table,
                            const char *path, struct sg_err *err)
{
    const struct sg_metric *metric = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_row *row = &table->rows[i];
        const char *name = sg_table_string(table, row->metric),
                   *unit = sg_table_string(table, row->unit);
        if (i == 0 || row->metric != table->rows[i - 1].metric)
            metric = sg_catalogue_find(catalogue, name);
        if (metric && (row->has & SG_HAS_VALUE) && strcmp(unit, metric->unit) != 0)
            return sg_row_fail(err, path, table, row, "expected the unit %s, found '%s'",
                               metric->unit, unit);
    }
    return SG_SUCCESS;
}

static enum sg_code check(const struct sg_compare_input *in, struct sg_err *err)
{
    const struct sg_accepted_file *accepted = in->accepted;
    if (sg_check_comparable(in->run_env, &accepted->env, accepted->path, err) != SG_SUCCESS ||
        (accepted->model_env.count > 0 &&
         sg_check_comparable(in->run_env, &accepted->model_env, accepted->path, err) != SG_SUCCESS))
        return err->code;
    if (in->run->count == 0)
        return sg_fail(err, SG_INVALID, NULL, "the run has no rows: nothing was measured");
    if (sg_check_units(in->catalogue, in->run, in->run->path, err) == SG_SUCCESS &&
        sg_check_units(in->catalogue, &accepted->table, accepted->path, err) == SG_SUCCESS &&
        in->filters)
        sg_filters_check_table(in->filters, in->run, in->run->path, err);
    return err->code;
}

/* ---- the comparison ---- */

static void add_words(const struct sg_compare_input *in, struct sg_comparison *comparison)
{
    struct sg_text selection = {0};
    comparison->accepted_path = sg_copy_string(in->accepted->path ? in->accepted->path : "");
    if (in->filters)
        sg_filters_add_to(&selection, in->filters);
    comparison->selection = sg_copy_string(selection.length > 0 ? selection.data + 1 : "");
}

/* Results of another tool were neither paired nor checked here: without --gate they are shown and
 * never fail. */
static void mark_not_gating(struct sg_comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        struct sg_finding *finding = &comparison->findings[i];
        finding->is_informational = finding->gates || strcmp(finding->metric, "time") == 0 ||
                                    strcmp(finding->metric, "status") == 0;
        finding->gates = false;
    }
}

enum sg_code sg_compare(const struct sg_compare_input *whole, struct sg_comparison *comparison,
                        struct sg_err *err)
{
    struct sg_compare_input of_part = *whole;
    struct sg_filters filters = whole->filters ? *whole->filters : (struct sg_filters){0};
    const char *shards = sg_env_get(whole->run_env, SG_SHARD_KEY);
    const struct sg_compare_input *input = shards ? &of_part : whole;
    *comparison = (struct sg_comparison){0};
    of_part.filters = &filters;
    if ((shards && sg_shards_read(&filters.shards, shards, err) != SG_SUCCESS) ||
        check(input, err) != SG_SUCCESS)
        return err->code;
    SG_FREED struct sg_joining *joining = sg_alloc(1, sizeof(*joining));
    joining->in = input;
    joining->comparison = comparison;
    const bool is_imported = sg_env_is_imported(input->run_env);
    comparison->of_imports = is_imported && !input->gates_imports;
    joining->asks_builds = sg_env_get(input->run_env, SG_PAIRS_KEY) != NULL;
    sg_spread_classes_init(&joining->classes, input->accepted);
    sg_judge_terms_of_run(joining);
    join(joining);
    sg_explain_shifts(comparison);
    sg_settle_build_ratios(joining);
    for (size_t i = 0; i < joining->missing_count; i++)
        sg_finding_add(comparison, &joining->missing[i]);
    if (comparison->of_imports)
        mark_not_gating(comparison);
    else
        sg_judge_one_sided(input, comparison);
    sg_add_false_discovery_rates(comparison, is_imported);
    for (size_t i = 0; i < comparison->count; i++)
        comparison->by_verdict[comparison->findings[i].accepted] += comparison->findings[i].gates;
    add_words(input, comparison);
    return SG_SUCCESS;
}
