#include "reports/tables/ranking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue/catalogue.h"
#include "plan/knobs.h"
#include "results/env.h"
#include "results/row_kind.h"
#include "stats/verdict.h"

bool sg_is_time(const struct sg_finding *finding)
{
    return strcmp(finding->metric, "time_ratio") == 0 || strcmp(finding->metric, "time") == 0 ||
           strcmp(finding->metric, SG_BUILD_RATIO_METRIC) == 0;
}

const char *sg_aside_words(const struct sg_comparison *comparison)
{
    return comparison->paired > 0 ? "times and ratios beside pairs with accepted builds" : "absolute times";
}

bool sg_is_status(const struct sg_finding *finding)
{
    return strcmp(finding->metric, "status") == 0;
}

enum sg_class sg_class_of(const struct sg_finding *finding)
{
    static const enum sg_class by_verdict[SG_VERDICT_COUNT] = {
        [SG_WITHIN] = SG_GREEN,      [SG_IMPROVED] = SG_NEWS,     [SG_REGRESSED] = SG_RED, [SG_INCONCLUSIVE] = SG_YELLOW,
        [SG_IDENTICAL] = SG_GREEN,   [SG_INVALID_VALUE] = SG_RED, [SG_BROKEN] = SG_RED,    [SG_XFAIL] = SG_GREEN,
        [SG_FIXED] = SG_YELLOW,      [SG_CHANGED] = SG_YELLOW,    [SG_NEW] = SG_NEWS,      [SG_NOT_MEASURED] = SG_RED,
        [SG_NOT_ACCEPTED] = SG_RED,  [SG_NOT_GATED] = SG_RED,     [SG_WAIVED] = SG_YELLOW, [SG_FAILS_OTHERWISE] = SG_RED,
        [SG_UNRESOLVED] = SG_YELLOW,
    };
    if (finding->accepted == SG_OTHER_TERMS)
        return finding->gates ? SG_RED : SG_NEWS;
    if (finding->informs)
        return finding->accepted == SG_REGRESSED || finding->accepted == SG_IMPROVED ? SG_NEWS : SG_ASIDE;
    if (finding->gates && finding->accepted == SG_UNRESOLVED && strcmp(finding->metric, SG_BUILD_RATIO_METRIC) != 0)
        return SG_OPEN;
    if (finding->gates || sg_is_status(finding) || strcmp(finding->metric, "time_ratio") == 0)
        return by_verdict[finding->accepted];
    return sg_is_time(finding) ? SG_ASIDE : SG_COUNTER;
}

/* Within a class: what is worst first. */
static int severity(enum sg_verdict verdict)
{
    static const int order[SG_VERDICT_COUNT] = {
        [SG_REGRESSED] = 0,    [SG_BROKEN] = 1,       [SG_FAILS_OTHERWISE] = 2, [SG_INVALID_VALUE] = 3, [SG_OTHER_TERMS] = 4,
        [SG_NOT_MEASURED] = 5, [SG_NOT_ACCEPTED] = 6, [SG_NOT_GATED] = 7,       [SG_INCONCLUSIVE] = 8,  [SG_UNRESOLVED] = 9,
        [SG_WAIVED] = 10,      [SG_FIXED] = 11,       [SG_CHANGED] = 12,        [SG_IMPROVED] = 13,     [SG_NEW] = 14,
        [SG_WITHIN] = 15,      [SG_IDENTICAL] = 16,   [SG_XFAIL] = 17,
    };
    return order[verdict];
}

static double size_of(double change)
{
    return isnan(change) ? 0 : fabs(change);
}

/* Findings of one class and verdict, which may be a million. */
#define RANKS ((size_t)SG_CLASS_COUNT * SG_VERDICT_COUNT)

static size_t rank_of(const struct sg_finding *finding)
{
    return (size_t)sg_class_of(finding) * SG_VERDICT_COUNT + (size_t)severity(finding->accepted);
}

/* What findings of one rank are ordered by. */
struct sized {
    double size;
    uint32_t finding;
};

static int by_size(const void *left, const void *right)
{
    const struct sized *a = left, *b = right;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->finding < b->finding ? -1 : a->finding > b->finding;
}

static void sort_by_size(const struct sg_comparison *comparison, uint32_t *finding, size_t count)
{
    struct sized *sized = sg_alloc(count, sizeof(*sized));
    for (size_t i = 0; i < count; i++)
        sized[i] = (struct sized){size_of(sg_finding_at(comparison, finding[i]).change), finding[i]};
    qsort(sized, count, sizeof(*sized), by_size);
    for (size_t i = 0; i < count; i++)
        finding[i] = sized[i].finding;
    free(sized);
}

void sg_rank_init(struct sg_rank *rank, const struct sg_comparison *comparison)
{
    size_t from[RANKS + 1] = {0}, next[RANKS];
    *rank = (struct sg_rank){
        .comparison = comparison,
        .finding = sg_alloc(comparison->count, sizeof(*rank->finding)),
        .count = comparison->count,
    };
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        from[rank_of(&finding) + 1]++;
    }
    for (size_t r = 0; r < RANKS; r++) {
        from[r + 1] += from[r];
        next[r] = from[r];
    }
    for (size_t c = 0; c <= SG_CLASS_COUNT; c++)
        rank->from[c] = from[c * (size_t)SG_VERDICT_COUNT];
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        rank->finding[next[rank_of(&finding)]++] = (uint32_t)i;
    }
    for (size_t r = 0; r < (size_t)SG_GREEN * SG_VERDICT_COUNT; r++)
        if (from[r] < from[r + 1])
            sort_by_size(comparison, rank->finding + from[r], from[r + 1] - from[r]);
}

void sg_rank_release(struct sg_rank *rank)
{
    free(rank->finding);
    *rank = (struct sg_rank){0};
}

void sg_add_open(struct sg_text *out, const struct sg_rank *rank)
{
    const size_t count = sg_rank_of(rank, SG_OPEN);
    double most = 0;
    if (count == 0)
        return;
    for (size_t i = rank->from[SG_OPEN]; i < rank->from[SG_OPEN + 1]; i++)
        most = fmax(most, sg_rank_at(rank, i).high);
    sg_text_addf(out, "%s%zu unresolved row%s, where up to %+.2g %% may be hidden", out->length > 0 ? ", " : "", count,
                 count == 1 ? "" : "s", 100 * most);
}

enum sg_class sg_worst_class(const struct sg_rank *rank)
{
    if (sg_rank_of(rank, SG_RED) == 0 && sg_why_undecided(rank->comparison))
        return SG_YELLOW;
    for (enum sg_class class_ = SG_RED; class_ < SG_GREEN; class_++)
        if (sg_rank_of(rank, class_) > 0)
            return class_;
    return sg_rank_of(rank, SG_OPEN) > 0 ? SG_OPEN : SG_GREEN;
}

struct sg_finding sg_rank_at(const struct sg_rank *rank, size_t at)
{
    return sg_finding_at(rank->comparison, rank->finding[at]);
}

size_t sg_rank_of(const struct sg_rank *rank, enum sg_class class_)
{
    return rank->from[class_ + 1] - rank->from[class_];
}

#define NAMED_MAX  3   /* items whose reason stands behind the count of their verdict; more are counted */
#define REASON_MAX 120 /* bytes of it */

/* Verdicts of items that were not held against an accepted number: the line
 * that counts them also names them. */
static bool is_named(enum sg_verdict verdict)
{
    return verdict == SG_NOT_MEASURED || verdict == SG_NOT_ACCEPTED || verdict == SG_NOT_GATED || verdict == SG_WAIVED ||
           verdict == SG_OTHER_TERMS;
}

static void add_reason(struct sg_text *out, const char *why, const char *end)
{
    sg_text_addf(out, ": %.*s%s%s", REASON_MAX, why, strlen(why) > REASON_MAX ? "..." : "", end);
}

/* Items that share a reason with the next one are named before it. */
static void add_named(struct sg_text *out, const struct sg_comparison *comparison, enum sg_verdict verdict)
{
    size_t named = 0;
    const char *why = "";
    for (size_t i = 0; i < comparison->count && named < NAMED_MAX; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        if (!finding.gates || finding.accepted != verdict)
            continue;
        if (named > 0 && strcmp(finding.why, why) == 0)
            sg_text_add(out, ", ");
        else if (named > 0)
            add_reason(out, why, "; ");
        sg_text_addf(out, "%s%s/%s/%s", named++ > 0 ? "" : " (", finding.family, finding.case_, finding.variant);
        why = finding.why;
    }
    if (named > 0)
        add_reason(out, why, "");
    if (comparison->by_verdict[verdict] > named)
        sg_text_addf(out, "; and %zu more", comparison->by_verdict[verdict] - named);
    sg_text_add(out, ")");
}

void sg_add_counts(struct sg_text *out, const struct sg_comparison *comparison)
{
    size_t start = out->length;
    for (int rank = 0; rank < SG_VERDICT_COUNT; rank++)
        for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++) {
            if (severity(verdict) != rank || comparison->by_verdict[verdict] == 0)
                continue;
            sg_text_addf(out, "%s%zu %s", out->length > start ? ", " : "", comparison->by_verdict[verdict], sg_verdict_word(verdict));
            if (is_named(verdict))
                add_named(out, comparison, verdict);
        }
    if (comparison->one_sided > 0)
        sg_text_addf(out, "%s%zu case%s that only one side supports", out->length > start ? ", " : "", comparison->one_sided,
                     comparison->one_sided > 1 ? "s" : "");
    const char *undecided = out->length == start ? "nothing was judged" : sg_why_undecided(comparison);
    if (undecided)
        sg_text_addf(out, "%s%s", out->length > start ? ": " : "", undecided);
}

/* All that can be said when nothing was accepted: how the candidates stand
 * against their baseline variants. */
static void add_paired_counts(struct sg_text *out, const struct sg_comparison *comparison)
{
    size_t paired[SG_VERDICT_COUNT] = {0};
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        if (strcmp(finding.metric, "time_ratio") == 0 && finding.baseline < SG_VERDICT_COUNT)
            paired[finding.baseline]++;
    }
    const char *before = ", against the baseline variants ";
    for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++)
        if (paired[verdict] > 0) {
            sg_text_addf(out, "%s%zu %s", before, paired[verdict], sg_verdict_pair_word(verdict));
            before = ", ";
        }
}

/* Whoever names what to compare with may name what another suite made: its rows may stand for other
 * cases, or be measured otherwise. */
static void add_other_suite(struct sg_text *out, const struct sg_report_input *input)
{
    const char *now = input->env ? sg_env_get(input->env, "suite") : NULL;
    const char *then = input->baseline ? sg_env_get(&input->baseline->env, "suite") : NULL;
    if (now && then && strcmp(now, then) != 0)
        sg_text_addf(out, "; that is of the suite %s, this run of %s", then, now);
}

/* How many rows were paired with their accepted build, and why the others were not. */
static void add_paired(struct sg_text *out, const struct sg_comparison *comparison)
{
    const size_t all = comparison->paired + comparison->unpaired;
    if (all == 0)
        return;
    sg_text_addf(out, ", %zu of %zu rows paired with the accepted build", comparison->paired, all);
    if (comparison->unpaired > 0)
        sg_text_addf(out, ", %zu judged by accepted numbers alone (%s%s)", comparison->unpaired, comparison->unpaired_why,
                     comparison->unpaired > 1 ? "; ..." : "");
}

static void add_other_side(struct sg_text *out, const struct sg_report_input *input)
{
    const char *date = input->baseline ? sg_env_get(&input->baseline->env, "date") : NULL;
    sg_text_addf(out, ", against %s", input->comparison->baseline_path);
    if (input->baseline && input->baseline->needs_model)
        sg_text_addf(out, " and, for what that lacks, %s", input->baseline->model_path);
    /* A run that stands in for accepted numbers was accepted by nobody. */
    if (date)
        sg_text_addf(out, " (%s %.10s)", sg_env_get(&input->baseline->env, "accepted_runs") ? "accepted" : "run of", date);
    add_other_suite(out, input);
}

void sg_add_against(struct sg_text *out, const struct sg_report_input *input)
{
    const struct sg_comparison *comparison = input->comparison;
    if (comparison->selection && *comparison->selection)
        sg_text_addf(out, ", of the items %s", comparison->selection);
    add_paired(out, comparison);
    if (comparison->baseline_path && comparison->baseline_path[0]) {
        add_other_side(out, input);
    } else {
        sg_text_add(out, ", nothing accepted to compare with");
        add_paired_counts(out, comparison);
    }
    if (input->env && sg_env_is_simulated(input->env))
        sg_text_add(out, "; " SG_SIMULATED_WORDS);
}

const char *sg_doubt(const struct sg_report_input *input)
{
    const bool is_compared = input->comparison->baseline_path && input->comparison->baseline_path[0];
    return is_compared && input->env && !sg_env_get(input->env, SG_DIGEST_KEY)
               ? "the run has no digest, so nothing shows whether its files are whole"
               : "";
}

void sg_add_sentence(struct sg_text *out, const struct sg_report_input *input)
{
    const char *doubt = sg_doubt(input);
    sg_add_counts(out, input->comparison);
    sg_add_against(out, input);
    sg_text_addf(out, "%s%s", *doubt ? "; " : "", doubt);
}

static void add_item(struct sg_text *out, size_t start, const char *before, const char *item, int most)
{
    if (item && item[0])
        sg_text_addf(out, "%s%s%.*s", out->length > start ? ", " : "", before, most, item);
}

void sg_add_caption(struct sg_text *out, const struct sg_env *env, const char *note)
{
    size_t start = out->length;
    const char *gpu = sg_env_get(env, "gpu");
    add_item(out, start, "", sg_env_get(env, "gpu_name") ? sg_env_get(env, "gpu_name") : gpu, 200);
    add_item(out, start, "suite ", sg_env_get(env, "suite"), 200);
    add_item(out, start, "", sg_env_get(env, "date"), 10);
    add_item(out, start, "", sg_env_is_simulated(env) ? SG_SIMULATED_WORDS : NULL, 200);
    add_item(out, start, "", note, 400);
}

static bool is_slower(enum sg_verdict verdict)
{
    return verdict == SG_REGRESSED || verdict == SG_INCONCLUSIVE;
}

/* Slower than accepted, or perhaps: unless it is certain that the row is slower than its baseline
 * variant, which then wants its cause. */
static bool is_explained_by_accepted(const struct sg_finding *finding)
{
    return finding->accepted == SG_REGRESSED || (finding->accepted == SG_INCONCLUSIVE && finding->baseline != SG_REGRESSED);
}

struct sg_diagnosed sg_diagnosed_of(const struct sg_report_input *input, const struct sg_finding *finding, const struct sg_table *then,
                                    const char *other)
{
    return (struct sg_diagnosed){
        .catalogue = input->catalogue,
        .rules = input->rules,
        .then = then,
        .now = input->run,
        .accepted = input->baseline && then == &input->baseline->table ? input->baseline->accepted : NULL,
        .family = finding->family,
        .case_ = finding->case_,
        .other = other,
        .variant = finding->variant,
    };
}

/* The largest; of facts of the code only one, so that what was counted is named beside it. */
static size_t pick_causes(const struct sg_diagnosed *what, struct sg_moved *picked, size_t max)
{
    struct sg_moved all[4 * SG_CAUSES_MAX];
    const size_t count = sg_diagnose(what, all, sizeof(all) / sizeof(all[0]));
    size_t kept = 0, facts = 0;
    for (size_t i = 0; i < count && kept < max; i++) {
        const bool is_fact = sg_metric_is_of_code(all[i].metric);
        if (!is_fact || facts == 0)
            picked[kept++] = all[i];
        facts += is_fact;
    }
    return kept;
}

void sg_find_causes(const struct sg_report_input *input, const struct sg_finding *finding, size_t max, struct sg_causes *causes)
{
    *causes = (struct sg_causes){0};
    if (!input->catalogue || !input->rules || !input->run || !sg_is_time(finding))
        return;
    const struct sg_table *then = NULL;
    const char *other = NULL;
    if (is_explained_by_accepted(finding) && input->baseline && input->baseline->table.count > 0) {
        then = &input->baseline->table;
        other = finding->variant;
        snprintf(causes->against, sizeof(causes->against), "%s", "accepted");
    } else if (is_slower(finding->baseline)) {
        then = input->run;
        other = sg_paired_with(input->run, finding->family, finding->case_, finding->variant);
        snprintf(causes->against, sizeof(causes->against), "%s", other ? other : "");
    }
    if (!then || !other)
        return;
    causes->what = sg_diagnosed_of(input, finding, then, other);
    causes->count = pick_causes(&causes->what, causes->moved, max);
}

static void add_difference(struct sg_text *out, const struct sg_moved *moved)
{
    struct sg_text difference = {0};
    sg_add_difference(&difference, moved);
    if (difference.length > 0)
        sg_text_addf(out, " (%s)", difference.data);
    sg_text_release(&difference);
}

void sg_add_cause(struct sg_text *out, const struct sg_moved *moved)
{
    sg_text_addf(out, "%s ", moved->metric->name);
    sg_add_value(out, moved->was, moved->metric->unit);
    sg_text_add(out, " -> ");
    sg_add_value(out, moved->is, moved->metric->unit);
    add_difference(out, moved);
    /* Without a rule that fits there is no cause, but what the counter is. */
    if (moved->cause && moved->cause == moved->metric->meaning)
        sg_text_addf(out, " (%s)", moved->cause);
    else if (moved->cause && moved->cause[0])
        sg_text_addf(out, ": %s", moved->cause);
}

static bool is_looked_at(const struct sg_moved *one)
{
    (void)one;
    return true;
}

static bool is_non_repeatable(const struct sg_moved *one)
{
    return one->non_repeatable;
}

/* Those that `is` says, with what they differ by if `differ`; nothing, not even
 * the title, where there are none. */
struct naming {
    const char *title;
    bool (*is)(const struct sg_moved *one);
    bool differ;
};

static void add_names(struct sg_text *out, const struct naming *naming, const struct sg_moved *all, size_t count)
{
    const char *before = naming->title;
    for (size_t i = 0; i < count; i++) {
        if (!naming->is(&all[i]))
            continue;
        sg_text_addf(out, "%s%s", before, all[i].metric->name);
        if (naming->differ)
            add_difference(out, &all[i]);
        before = ", ";
    }
}

void sg_add_unmoved(struct sg_text *out, const struct sg_diagnosed *what)
{
    static const struct naming within = {"; beyond the floor alone: ", sg_is_within_spread, true};
    struct sg_moved *all = sg_alloc(what->catalogue->count, sizeof(*all));
    const size_t count = sg_diagnose_all(what, all);
    if (count > 0)
        sg_text_addf(out, "no counter moved beyond its floor and its spread, of %zu", count);
    add_names(out, &within, all, count);
    free(all);
}

void sg_add_looked_at(struct sg_text *out, const struct sg_diagnosed *what)
{
    static const struct naming all_of_them = {"looked at: ", is_looked_at, false};
    struct sg_moved *all = sg_alloc(what->catalogue->count, sizeof(*all));
    add_names(out, &all_of_them, all, sg_diagnose_all(what, all));
    free(all);
}

void sg_add_non_repeatable(struct sg_text *out, const struct sg_diagnosed *what)
{
    static const struct naming non_repeatable = {"exact counters that do not repeat: ", is_non_repeatable, false};
    struct sg_moved *all = sg_alloc(what->catalogue->count, sizeof(*all));
    add_names(out, &non_repeatable, all, sg_diagnose_all(what, all));
    free(all);
}

void sg_add_knobs(struct sg_text *out, const struct sg_diagnosed *what)
{
    const char *before = "set otherwise: ";
    const struct sg_row_range span = sg_table_variant(what->now, what->family, what->case_, what->variant);
    for (size_t i = span.from; i < span.to; i++) {
        const struct sg_value now = sg_value_of(what->now, &what->now->rows[i]);
        if (strncmp(now.metric, SG_KNOB_PREFIX, strlen(SG_KNOB_PREFIX)) != 0)
            continue;
        const struct sg_row *then = sg_table_find(what->then, what->family, what->case_, what->other, now.metric);
        if (!then || then->value == now.value)
            continue;
        sg_text_addf(out, "%s%s %.9g -> %.9g", before, now.metric + strlen(SG_KNOB_PREFIX), then->value, now.value);
        before = ", ";
    }
}

void sg_add_difference(struct sg_text *out, const struct sg_moved *moved)
{
    if (isnan(moved->spread) || (moved->metric->klass == SG_EXACT && !moved->non_repeatable))
        return;
    /* What is in percent differs by points: a percent of it is something else. */
    const char *unit = strcmp(moved->metric->unit, "%") == 0 ? "point" : moved->metric->unit;
    sg_text_add(out, moved->difference < 0 ? "-" : "+");
    sg_add_rough(out, fabs(moved->difference), 3, unit);
    sg_text_add(out, " +- ");
    sg_add_rough(out, moved->spread, 2, unit);
    sg_text_add(out, moved->non_repeatable ? ", does not repeat" : "");
}
