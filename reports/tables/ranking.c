#include "reports/tables/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/row_kind.h"
#include "stats/verdict.h"

bool sg_is_time(const struct sg_finding *finding)
{
    return strcmp(finding->metric, "time_ratio") == 0 || strcmp(finding->metric, "time") == 0 ||
           strcmp(finding->metric, SG_BUILD_RATIO_METRIC) == 0;
}

const char *sg_aside_words(const struct sg_comparison *comparison)
{
    return comparison->paired > 0 ? "time or ratio of a row paired with its accepted build|"
                                    "times and ratios of rows paired with accepted builds"
                                  : "absolute time|absolute times";
}

bool sg_has_times(const struct sg_comparison *comparison)
{
    bool has = false;
    for (size_t i = 0; i < comparison->count; i++)
        has |= sg_is_time(&comparison->findings[i]);
    return has;
}

bool sg_is_status(const struct sg_finding *finding)
{
    return strcmp(finding->metric, "status") == 0;
}

enum sg_class sg_class_of(const struct sg_finding *finding)
{
    if (finding->accepted == SG_OTHER_TERMS)
        return finding->gates ? SG_RED : SG_NEWS;
    const bool has_moved = sg_verdict_row(finding->accepted)->bits & SG_SHIFTS;
    if (finding->is_informational)
        return has_moved || finding->accepted == SG_NEW || finding->accepted == SG_NOT_MEASURED
                   ? SG_NEWS
                   : SG_ASIDE;
    if (finding->gates && finding->accepted == SG_UNRESOLVED &&
        strcmp(finding->metric, SG_BUILD_RATIO_METRIC) != 0)
        return SG_OPEN;
    if (finding->gates || sg_is_status(finding) || strcmp(finding->metric, "time_ratio") == 0)
        return sg_verdict_row(finding->accepted)->class_;
    return sg_is_time(finding) ? SG_ASIDE : SG_COUNTER;
}

struct placed {
    enum sg_class class_;
    enum sg_verdict verdict; /* within a class, worst first */
    double size;             /* size of the change, if it matters */
    size_t finding;
};

static int by_place(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->class_ != b->class_)
        return a->class_ < b->class_ ? -1 : 1;
    if (a->verdict != b->verdict)
        return a->verdict < b->verdict ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->finding < b->finding ? -1 : a->finding > b->finding;
}

bool sg_same_item(const struct sg_comparison *comparison, size_t a, size_t b)
{
    if (a >= comparison->count)
        return false;
    const struct sg_finding x = sg_finding_at(comparison, a), y = sg_finding_at(comparison, b);
    return strcmp(x.variant, y.variant) == 0 && strcmp(x.case_, y.case_) == 0 &&
           strcmp(x.family, y.family) == 0;
}

size_t sg_item_begins(const struct sg_comparison *comparison, size_t finding)
{
    while (finding > 0 && sg_same_item(comparison, finding - 1, finding))
        finding--;
    return finding;
}

/* Selects the row of an item among its times; the largest weight wins. */
static int weight_of(const struct sg_finding *finding)
{
    const bool is_shown = sg_is_time(finding) && sg_class_of(finding) <= SG_NEWS;
    const int of_metric = strcmp(finding->metric, SG_BUILD_RATIO_METRIC) == 0
                              ? 2
                              : strcmp(finding->metric, "time_ratio") == 0;
    return is_shown ? (finding->is_informational ? 0 : 3) + of_metric : -1;
}

size_t sg_repeated_row(const struct sg_comparison *comparison, size_t finding)
{
    const struct sg_finding own = sg_finding_at(comparison, finding);
    size_t row = SIZE_MAX;
    if (!own.is_informational || sg_class_of(&own) != SG_NEWS)
        return row;
    int most = weight_of(&own);
    for (size_t i = sg_item_begins(comparison, finding); sg_same_item(comparison, i, finding);
         i++) {
        const struct sg_finding other = sg_finding_at(comparison, i);
        if (weight_of(&other) > most) {
            most = weight_of(&other);
            row = i;
        }
    }
    return row;
}

static struct placed place_of(const struct sg_comparison *comparison, size_t i, size_t *repeats)
{
    const struct sg_finding finding = sg_finding_at(comparison, i);
    const bool is_repeat = sg_repeated_row(comparison, i) != SIZE_MAX;
    const enum sg_class class_ = is_repeat ? SG_ASIDE : sg_class_of(&finding);
    *repeats += is_repeat;
    const bool has_size = class_ < SG_GREEN && !isnan(finding.change);
    return (struct placed){class_, finding.accepted, has_size ? fabs(finding.change) : 0, i};
}

void sg_rank_init(struct sg_rank *rank, const struct sg_comparison *comparison)
{
    const size_t count = comparison->count;
    SG_FREED struct placed *placed = sg_alloc(count + 1, sizeof(*placed));
    *rank = (struct sg_rank){.comparison = comparison,
                             .finding = sg_alloc(count + 1, sizeof(*rank->finding)),
                             .count = count};
    for (size_t i = 0; i < count; i++) {
        placed[i] = place_of(comparison, i, &rank->repeats);
        rank->from[placed[i].class_ + 1]++;
    }
    for (size_t c = 0; c < SG_CLASS_COUNT; c++)
        rank->from[c + 1] += rank->from[c];
    qsort(placed, count, sizeof(*placed), by_place);
    for (size_t i = 0; i < count; i++)
        rank->finding[i] = placed[i].finding;
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

static void add_item(struct sg_text *out, size_t start, const char *before, const char *item,
                     int most)
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
    add_item(out, start, "percentile ", sg_env_get(env, "percentile"), 2);
    add_item(out, start, "", sg_env_get(env, "date"), 10);
    add_item(out, start, "", sg_env_is_simulated(env) ? SG_SIMULATED_WORDS : NULL, 200);
    add_item(out, start, "", note, 400);
}
