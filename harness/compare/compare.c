#include "compare/compare_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/accepted_lines.h"
#include "results/env.h"
#include "results/error_signature.h"
#include "results/identity.h"
#include "stats/run_limits.h"

double sg_row_value(const struct sg_row *row)
{
    return row && (row->has & SG_HAS_VALUE) ? row->value : NAN;
}

bool sg_is_baseline_variant(const struct sg_side *side)
{
    return side->role && strcmp(sg_table_string(side->table, side->role->message), "baseline") == 0;
}

enum sg_status sg_side_status(const struct sg_side *side)
{
    return side->status ? (enum sg_status)side->status->status : SG_OK;
}

enum sg_status sg_side_declared(const struct sg_side *side)
{
    return side->expect ? (enum sg_status)side->expect->status : SG_OK;
}

const char *sg_main_metric(const struct sg_joining *joining)
{
    return sg_is_baseline_variant(joining->then.role ? &joining->then : &joining->now) ? "time" : "time_ratio";
}

enum sg_verdict sg_unaccepted(const struct sg_joining *joining)
{
    return joining->whole && joining->then.from == joining->then.to ? SG_NEW : SG_NOT_ACCEPTED;
}

struct sg_finding sg_finding_of(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const struct sg_table *table = pair->now ? joining->run : &joining->baseline->table;
    const struct sg_row *row = pair->now ? pair->now : pair->then;
    return (struct sg_finding){
        .family = sg_table_string(table, row->family),
        .case_ = sg_table_string(table, row->case_),
        .variant = sg_table_string(table, row->variant),
        .metric = sg_table_string(table, row->metric),
        .unit = sg_table_string(table, row->unit),
        .was = sg_row_value(pair->then),
        .is = sg_row_value(pair->now),
        .change = NAN,
        .low = NAN,
        .high = NAN,
        .se = NAN,
        .df = NAN,
        .tolerance = NAN,
        .resolution = NAN,
        .baseline = SG_VERDICT_COUNT,
        .baseline_change = NAN,
        .baseline_low = NAN,
        .baseline_high = NAN,
        .gates = pair->accepted && pair->accepted->gate,
        .why = "",
        .room = &joining->why,
    };
}

/* ---- what a metric's name makes of a row ---- */

static struct sg_metric_use use_of(const struct sg_catalogue *catalogue, const char *name)
{
    const struct sg_row_use row = sg_row_use_of(name);
    return (struct sg_metric_use){row, row.kind == SG_ROW_COUNTER ? sg_catalogue_find(catalogue, name) : NULL};
}

static struct sg_metric_use *uses_of(const struct sg_catalogue *catalogue, const struct sg_table *table)
{
    sg_id last = 0;
    for (size_t i = 0; i < table->count; i++)
        last = table->rows[i].metric > last ? table->rows[i].metric : last;
    struct sg_metric_use *uses = sg_alloc((size_t)last + 1, sizeof(*uses));
    for (size_t i = 0; i < table->count; i++) {
        const sg_id id = table->rows[i].metric;
        if (uses[id].row.kind == SG_ROW_UNSEEN)
            uses[id] = use_of(catalogue, sg_table_string(table, id));
    }
    return uses;
}

/* ---- the join ---- */

static void note_row(struct sg_side *side, const struct sg_row *row)
{
    const char *metric = sg_table_string(side->table, row->metric);
    const struct {
        const char *name;
        const struct sg_row **at;
    } wanted[] = {
        {"status", &side->status},
        {"expect", &side->expect},
        {"role", &side->role},
        {"time", &side->time},
        {"sm_clock", &side->clock},
        {"l2_state", &side->l2},
        {SG_BUILD_RATIO_METRIC, &side->build},
        {SG_WAIVER_METRIC, &side->waiver},
        {SG_COUNT_METRIC, &side->counted},
        {SG_SIGNATURE_METRIC, &side->signature},
        {SG_IDENTITY_METRIC, &side->identity},
        {SG_SANITIZER_METRIC, &side->sanitizer},
        {"shape", &side->shape},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (strcmp(metric, wanted[i].name) == 0)
            *wanted[i].at = row;
}

/* The variant that begins at `from`. */
static struct sg_side side_from(const struct sg_table *table, const struct sg_metric_use *uses, size_t from)
{
    struct sg_side side = {.table = table, .from = from, .to = from};
    while (side.to < table->count && sg_row_same_item(&table->rows[from], &table->rows[side.to])) {
        const struct sg_row *row = &table->rows[side.to++];
        if (uses[row->metric].row.kind != SG_ROW_COUNTER)
            note_row(&side, row);
    }
    return side;
}

/* Which variant comes first, that of row i of a or that of row j of b; a
 * table that has ended comes last. */
static int compare_variants(const struct sg_table *a, size_t i, const struct sg_table *b, size_t j)
{
    if (i >= a->count)
        return 1;
    if (j >= b->count)
        return -1;
    const struct sg_row *x = &a->rows[i];
    const struct sg_row *y = &b->rows[j];
    int order = strcmp(sg_table_string(a, x->family), sg_table_string(b, y->family));
    if (order == 0)
        order = strcmp(sg_table_string(a, x->case_), sg_table_string(b, y->case_));
    if (order == 0)
        order = strcmp(sg_table_string(a, x->variant), sg_table_string(b, y->variant));
    return order;
}

double sg_tolerance_max_of(const struct sg_joining *joining, const struct sg_row_pair *pair)
{
    return pair->accepted->of_model ? joining->model_tolerance_max : joining->tolerance_max;
}

double sg_tolerance_of_run(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    if (pair->now->family != joining->tolerance_family) {
        joining->tolerance = sg_env_tolerance(joining->run_env, sg_table_string(joining->run, pair->now->family));
        if (!(joining->tolerance > 0.0))
            joining->tolerance = SG_TOLERANCE_DEFAULT;
        joining->tolerance_family = pair->now->family;
    }
    return joining->tolerance;
}

static void add_missing(struct sg_joining *joining, const struct sg_row_pair *pair, bool gates, const char *what)
{
    struct sg_finding finding = sg_finding_of(joining, pair);
    finding.accepted = SG_NOT_MEASURED;
    finding.gates = gates;
    sg_finding_why(&finding, "%s", what);
    sg_finding_add(&joining->missing, &finding);
}

/* An accepted row that the run lacks, of a variant that is in the run. */
static void judge_absent(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const char *metric = sg_table_string(&joining->baseline->table, pair->then->metric);
    if (joining->baseline_uses[pair->then->metric].row.is_term)
        sg_judge_term(joining, pair);
    if (joining->baseline_uses[pair->then->metric].row.kind == SG_ROW_FACT)
        joining->comparison->facts++;
    else if (!pair->accepted->gate || sg_side_status(&joining->now) != SG_OK || strcmp(metric, sg_main_metric(joining)) == 0)
        joining->comparison->absent++; /* of a variant that failed its status is the finding, of its deciding row sg_item_end's */
    else
        add_missing(joining, pair, true, "accepted as gating, but this run has no such row: measure it, or accept the run anew");
}

static void judge_present(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const struct sg_metric_use *use = &joining->run_uses[pair->now->metric];
    const enum sg_row_kind kind = use->row.kind;
    joining->main_seen |=
        pair->now->status == SG_OK && strcmp(sg_table_string(joining->run, pair->now->metric), sg_main_metric(joining)) == 0;
    const bool is_timed = (kind == SG_ROW_TIME || kind == SG_ROW_RATIO) && pair->now->status == SG_OK;
    if (use->row.is_term && pair->then)
        sg_judge_term(joining, pair);
    if (kind == SG_ROW_STATUS)
        sg_judge_status(joining, pair);
    else if (kind == SG_ROW_BUILD_RATIO)
        sg_judge_build_ratio(joining, pair);
    else if (kind != SG_ROW_COUNTER && !is_timed)
        joining->comparison->facts += pair->then ? 2 : 1; /* of a row without a time sg_item_end says why */
    else if (kind == SG_ROW_TIME)
        sg_judge_time(joining, pair);
    else if (kind == SG_ROW_RATIO)
        sg_judge_ratio(joining, pair);
    else
        sg_judge_counter(joining, pair, use->metric);
}

/* ---- a variant ---- */

static void judge_variant(struct sg_joining *joining)
{
    const struct sg_side *now = &joining->now;
    const struct sg_side *then = &joining->then;
    sg_item_begin(joining);
    size_t i = now->from;
    size_t j = then->from;
    while (i < now->to || j < then->to) {
        const struct sg_row *a = i < now->to ? &now->table->rows[i] : NULL;
        const struct sg_row *b = j < then->to ? &then->table->rows[j] : NULL;
        int order = a ? (b ? 0 : -1) : 1;
        if (a && b)
            order = strcmp(sg_table_string(now->table, a->metric), sg_table_string(then->table, b->metric));
        const struct sg_row_pair pair = {
            .now = order <= 0 ? a : NULL,
            .then = order >= 0 ? b : NULL,
            .accepted = order >= 0 ? &joining->baseline->accepted[j] : NULL,
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

/* A variant that is not in the run at all is one finding, however many rows it
 * had and whether any of them gates. */
static void judge_absent_variant(struct sg_joining *joining)
{
    const struct sg_side *then = &joining->then;
    const struct sg_row *shown = then->status ? then->status : &then->table->rows[then->from];
    const struct sg_row_pair pair = {.then = shown, .accepted = &joining->baseline->accepted[shown - then->table->rows]};
    if (pair.accepted->of_model)
        add_missing(
            joining, &pair, true,
            "accepted for all GPUs of the model, but not in this run: run it too, or drop it there with `solgate baseline accept --prune "
            "--out=FILE`");
    else
        add_missing(joining, &pair, true, "accepted, but not in this run: run it too, or drop it with `solgate baseline accept --prune`");
    joining->comparison->absent += then->to - then->from - 1;
}

/* Was the item of this side asked for? */
static bool is_asked_for(const struct sg_joining *joining, const struct sg_table *table, const struct sg_side *side)
{
    const struct sg_row *row = &table->rows[side->from];
    return !joining->filters || sg_filters_keep(joining->filters, sg_table_string(table, row->family), sg_table_string(table, row->case_),
                                                sg_table_string(table, row->variant), sg_is_baseline_variant(side));
}

static void join(struct sg_joining *joining)
{
    const struct sg_table *now = joining->run;
    const struct sg_table *then = &joining->baseline->table;
    size_t i = 0;
    size_t j = 0;
    while (i < now->count || j < then->count) {
        const int order = compare_variants(now, i, then, j);
        joining->now = side_from(now, joining->run_uses, order <= 0 ? i : now->count);
        joining->then = side_from(then, joining->baseline_uses, order >= 0 ? j : then->count);
        if (order > 0 && is_asked_for(joining, then, &joining->then))
            judge_absent_variant(joining);
        else if (order <= 0 && is_asked_for(joining, now, &joining->now))
            judge_variant(joining);
        i = order <= 0 ? joining->now.to : i;
        j = order >= 0 ? joining->then.to : j;
    }
}

/* ---- may they be compared at all ---- */

bool sg_same_driver_branch(const char *a, const char *b)
{
    const size_t length = strcspn(a, ".");
    return length == strcspn(b, ".") && strncmp(a, b, length) == 0;
}

static bool same_fact(const char *key, const char *a, const char *b)
{
    return strcmp(key, "driver") == 0 ? sg_same_driver_branch(a, b) : strcmp(a, b) == 0;
}

enum sg_code sg_check_comparable(const struct sg_env *run, const struct sg_env *baseline, const char *path, struct sg_err *err)
{
    static const char *const keys[] = {"gpu", "gpu_name", "driver", "l2", "time_source"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const char *a = sg_env_get(run, keys[i]);
        const char *b = sg_env_get(baseline, keys[i]);
        /* Names of GPUs tell apart those that metrics/gpus has no key for; a key says enough. */
        if (strcmp(keys[i], "gpu_name") == 0 && (!sg_env_get(run, "gpu") || strcmp(sg_env_get(run, "gpu"), "unknown") != 0))
            continue;
        /* A run that timed nothing has no source of times; one that did and does not name it has no
         * valid time (compare/judge_time.c). */
        if (!a && strcmp(keys[i], "time_source") == 0)
            continue;
        if (!same_fact(keys[i], a ? a : "", b ? b : ""))
            return sg_fail(err, SG_NOT_COMPARABLE, path, "not comparable: %s is '%s' in the run, '%s' in the accepted numbers", keys[i],
                           a ? a : "", b ? b : "");
    }
    return SG_SUCCESS;
}

static void add_fact(struct sg_text *text, const char *before, const char *value)
{
    if (value && *value)
        sg_text_addf(text, "%s%s", before, value);
}

static char *title_of(const struct sg_env *run, const struct sg_accepted_file *baseline)
{
    struct sg_text text = {0};
    const char *suite = sg_env_get(run, "suite");
    sg_text_addf(&text, "%s", suite ? suite : "run");
    add_fact(&text, " on ", sg_env_get(run, "gpu"));
    add_fact(&text, " of ", sg_env_get(run, "date"));
    sg_text_addf(&text, " against %s", baseline->path ? baseline->path : "accepted numbers");
    add_fact(&text, " of ", sg_env_get(&baseline->env, "date"));
    char *title = sg_copy_string(sg_text_string(&text));
    sg_text_release(&text);
    return title;
}

static char *selection_of(const struct sg_filters *filters)
{
    struct sg_text text = {0};
    if (filters)
        sg_filters_add_to(&text, filters);
    char *selection = sg_copy_string(text.length > 0 ? text.data + 1 : "");
    sg_text_release(&text);
    return selection;
}

static void append_missing(struct sg_joining *joining)
{
    for (size_t i = 0; i < joining->missing.count; i++) {
        const struct sg_finding finding = sg_finding_at(&joining->missing, i);
        sg_finding_add(joining->comparison, &finding);
    }
    sg_findings_free(joining->missing.findings);
}

enum sg_code sg_check_units(const struct sg_catalogue *catalogue, const struct sg_table *table, const char *path, const char *counters,
                            struct sg_err *err)
{
    const struct sg_metric *metric = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_row *row = &table->rows[i];
        const char *name = sg_table_string(table, row->metric), *unit = sg_table_string(table, row->unit);
        if (i == 0 || row->metric != table->rows[i - 1].metric)
            metric = sg_catalogue_find(catalogue, name);
        if (metric && (row->has & SG_HAS_VALUE) && strcmp(unit, metric->unit) != 0)
            return sg_row_fail(err, counters && sg_is_accepted_counter(table, row) ? counters : path, table, row,
                               "expected the unit %s, found '%s'", metric->unit, unit);
    }
    return SG_SUCCESS;
}

enum sg_code sg_compare(const struct sg_compare_input *input, struct sg_comparison *comparison, struct sg_err *err)
{
    const struct sg_table *run = input->run;
    const struct sg_env *run_env = input->run_env;
    const struct sg_accepted_file *baseline = input->baseline;
    *comparison = (struct sg_comparison){0};
    if (sg_check_comparable(run_env, &baseline->env, baseline->path, err) != SG_SUCCESS ||
        (baseline->model_env.count > 0 && sg_check_comparable(run_env, &baseline->model_env, baseline->model_path, err) != SG_SUCCESS))
        return err->code;
    if (run->count == 0)
        return sg_fail(err, SG_INVALID, NULL, "the run has no rows: nothing was measured");
    if (sg_check_units(input->catalogue, run, run->path, NULL, err) != SG_SUCCESS ||
        sg_check_units(input->catalogue, &baseline->table, baseline->path, baseline->counters_path, err) != SG_SUCCESS ||
        (input->filters && sg_filters_check_table(input->filters, run, run->path, err) != SG_SUCCESS))
        return err->code;
    struct sg_joining *joining = sg_alloc(1, sizeof(*joining));
    *joining = (struct sg_joining){
        .run = run,
        .run_env = run_env,
        .today = input->today,
        .refusals = input->refusals,
        .filters = input->filters,
        .baseline = baseline,
        .catalogue = input->catalogue,
        .comparison = comparison,
        .run_uses = uses_of(input->catalogue, run),
        .baseline_uses = uses_of(input->catalogue, &baseline->table),
        .whole = !baseline->path || sg_accepted_file_is_whole(baseline),
        .tolerance_max = sg_env_tolerance_max(&baseline->env),
        .model_tolerance_max = sg_env_tolerance_max(&baseline->model_env),
        .asks_builds = sg_env_get(run_env, SG_PAIRS_KEY) != NULL,
        .tolerance_family = UINT32_MAX,
    };
    sg_spread_classes_init(&joining->classes, baseline);
    sg_judge_terms_of_run(joining);
    join(joining);
    sg_explain_shifts(comparison);
    sg_settle_build_ratios(comparison);
    append_missing(joining);
    sg_add_false_discovery_rates(joining->comparison);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        comparison->by_verdict[finding.accepted] += finding.gates;
    }
    comparison->title = title_of(run_env, baseline);
    comparison->baseline_path = sg_copy_string(baseline->path ? baseline->path : "");
    comparison->selection = selection_of(input->filters);
    free(joining->classes.items);
    free(joining->run_uses);
    free(joining->baseline_uses);
    free(joining);
    return SG_SUCCESS;
}

void sg_comparison_release(struct sg_comparison *comparison)
{
    sg_findings_free(comparison->findings);
    free(comparison->q);
    free(comparison->title);
    free(comparison->baseline_path);
    free(comparison->selection);
    free(comparison->unpaired_why);
    *comparison = (struct sg_comparison){0};
}

bool sg_finding_fails(const struct sg_finding *finding, const struct sg_compare_options *options)
{
#define X(constant, word, meaning, exit_code) [constant] = (exit_code),
    static const enum sg_exit asked[SG_VERDICT_COUNT] = {SG_VERDICT_TABLE(X)};
#undef X
    const enum sg_exit code = asked[finding->accepted];
    return finding->gates && code != SG_EXIT_DONE && (code != SG_EXIT_INCONCLUSIVE || options->inconclusive_fails);
}

const char *sg_why_undecided(const struct sg_comparison *comparison)
{
    bool decided = comparison->by_verdict[SG_UNRESOLVED] == 0;
    if (!comparison->of_pairs && comparison->judged == 0)
        return "nothing was judged";
    for (size_t i = 0; i < comparison->count && !decided; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        decided = finding.gates && !isnan(finding.se) && finding.accepted != SG_UNRESOLVED && finding.accepted != SG_INCONCLUSIVE &&
                  finding.accepted != SG_WAIVED;
    }
    return decided ? NULL : "none of its times could be decided";
}

int sg_comparison_exit_code(const struct sg_comparison *comparison, const struct sg_compare_options *options)
{
    static const enum sg_exit worst_first[] = {SG_EXIT_UNDECLARED, SG_EXIT_REGRESSED, SG_EXIT_INVALID, SG_EXIT_INCONCLUSIVE};
    size_t found[SG_EXIT_UNDECLARED + 1] = {0}; /* rows by the exit code that their verdict asks for */
#define X(constant, word, meaning, exit_code) found[exit_code] += comparison->by_verdict[constant];
    SG_VERDICT_TABLE(X)
#undef X
    for (size_t i = 0; i < sizeof(worst_first) / sizeof(worst_first[0]); i++)
        if (found[worst_first[i]] > 0 && (worst_first[i] != SG_EXIT_INCONCLUSIVE || options->inconclusive_fails))
            return (int)worst_first[i];
    return sg_why_undecided(comparison) ? SG_EXIT_INVALID : SG_EXIT_DONE;
}
