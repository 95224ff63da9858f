#include "ab/kernel_pairs.h"

#include <math.h>
#include <string.h>

#include "stats/decision.h"
#include "stats/statistics.h"
#include "stats/tails.h"

#define CHOICES_MOST 3 /* choices named for each side */
#define KERNELS_MOST 3 /* kernels named for each choice */
#define PINNED_LEAST 3 /* number of starts with the same choice that an interval needs */

double sg_kernel_share(const struct sg_traced_items *items, const struct sg_traced_item *item)
{
    const double all = items->items[item->whole].total_ns;
    return all > 0 ? item->total_ns / all : 0;
}

static bool find_percentile(struct sg_traced_item *item, unsigned percentile,
                            struct sg_process_value *value)
{
    struct sg_tail tail;
    sg_sort(item->ns, item->count);
    if (!sg_percentile(item->ns, item->count, percentile, &tail))
        return false;
    *value = (struct sg_process_value){.y = tail.value};
    return true;
}

void sg_kernels_end_start(struct sg_traced_items *items, unsigned number, unsigned percentile)
{
    for (size_t i = 0; i < items->count; i++) {
        struct sg_traced_item *item = &items->items[i];
        struct sg_process_value value = {.y = log(item->total_ns)};
        sg_traced_row(items, item);
        for (size_t k = 0; k < item->count; k++)
            item->ns[k] = log(item->ns[k]);
        bool has_value = item->launches > 0;
        if (item->count > 0 && percentile > 0) /* a kernel */
            has_value = find_percentile(item, percentile, &value);
        else if (item->count > 0)
            value = sg_abba_value(item->ns, item->count);
        if (has_value && item->starts < SG_SEQUENTIAL_PROCESSES_MAX)
            item->start[item->starts++] = value;
        if (item->launches == 0)
            continue;
        item->in |= UINT32_C(1) << number;
        item->share = fmax(item->share, sg_kernel_share(items, item));
    }
}

static const char *name_of(const struct sg_traced_items *items, size_t item)
{
    return sg_gathered_word(items->gathering, items->items[item].row);
}

/* Returns the only unmatched item of that range and name; SG_NO_PARTNER: none, or several. */
static size_t only_one_left(const struct sg_traced_items *items, const char *range,
                            const char *name)
{
    size_t found = SG_NO_PARTNER;
    for (size_t i = 0; i < items->count; i++) {
        const struct sg_traced_item *item = &items->items[i];
        if (item->partner != SG_NO_PARTNER || strcmp(item->range, range) != 0 ||
            strcmp(name_of(items, i), name) != 0)
            continue;
        if (found != SG_NO_PARTNER)
            return SG_NO_PARTNER;
        found = i;
    }
    return found;
}

void sg_kernels_match(struct sg_traced_items *baseline, struct sg_traced_items *candidate)
{
    for (size_t i = 0; i < baseline->count; i++) {
        const sg_id same = sg_intern_pool_find(candidate->keys,
                                               sg_intern_pool_string(baseline->keys, (sg_id)i + 1));
        if (same == UINT32_MAX)
            continue;
        baseline->items[i].partner = same - 1;
        candidate->items[same - 1].partner = i;
    }
    for (size_t i = 0; i < baseline->count; i++) {
        struct sg_traced_item *item = &baseline->items[i];
        const char *name = name_of(baseline, i);
        const size_t k = item->partner == SG_NO_PARTNER
                             ? only_one_left(candidate, item->range, name)
                             : SG_NO_PARTNER;
        if (k == SG_NO_PARTNER || only_one_left(baseline, item->range, name) != i)
            continue;
        item->partner = k;
        candidate->items[k].partner = i;
    }
}

bool sg_range_is_late(const struct sg_traced_items *baseline, const struct sg_traced_item *item)
{
    return sg_traced_is_whole(item) && item->partner != SG_NO_PARTNER && item->in != 0 &&
           !(item->in & baseline->items[item->partner].in & 1);
}

/* ---- choices ---- */

static bool is_kernel_of(const struct sg_range_starts *range, const struct sg_traced_item *item)
{
    return !sg_traced_is_whole(item) && range->items->items + item->whole == range->whole &&
           item->share >= SG_SHARE_LEAST;
}

/* The starts with the same choice of kernels as this start, one bit each. */
static uint32_t starts_like(const struct sg_range_starts *range, unsigned start)
{
    uint32_t like = (UINT32_C(1) << range->starts) - 1;
    for (size_t i = 0; i < range->items->count; i++) {
        const struct sg_traced_item *item = &range->items->items[i];
        if (is_kernel_of(range, item))
            like &= item->in >> start & 1 ? item->in : ~item->in;
    }
    return like;
}

/* The starts with the most frequent choice, without those in `before`. In a tie the choice of the
 * earliest start. */
static uint32_t most_frequent(const struct sg_range_starts *range, uint32_t before)
{
    uint32_t most = 0;
    for (unsigned start = 0; start < range->starts; start++) {
        const uint32_t like = starts_like(range, start);
        if (!(before & like) && __builtin_popcount(like) > __builtin_popcount(most))
            most = like;
    }
    return most;
}

/* Names the kernels of these starts that others lack. */
static void add_choice(const struct sg_range_starts *range, uint32_t starts, struct sg_text *out)
{
    const uint32_t all = (UINT32_C(1) << range->starts) - 1;
    size_t named = 0;
    for (size_t i = 0; i < range->items->count; i++) {
        const struct sg_traced_item *item = &range->items->items[i];
        if (is_kernel_of(range, item) && item->in != all && (item->in & starts) &&
            ++named <= KERNELS_MOST)
            sg_text_addf(out, "%s%s, %s", named > 1 ? " and " : "", item->symbol, item->geometry);
    }
    if (named > KERNELS_MOST)
        sg_text_addf(out, " and %zu more", named - KERNELS_MOST);
    sg_text_addf(out, "%s in %d of %u starts", named > 0 ? "" : "none of them",
                 __builtin_popcount(starts), range->starts);
}

void sg_kernels_add_choices(const struct sg_range_starts *range, struct sg_text *out)
{
    const uint32_t all = (UINT32_C(1) << range->starts) - 1;
    uint32_t named = most_frequent(range, 0);
    if (named == all) /* also of no start */
        return;
    add_choice(range, named, sg_text_next(out));
    for (unsigned i = 1; i < CHOICES_MOST && named != all; i++) {
        const uint32_t next = most_frequent(range, named);
        add_choice(range, next, sg_text_next(out));
        named |= next;
    }
    if (named != all)
        sg_text_addf(out, "; other choices in %d", __builtin_popcount(all & ~named));
}

/* The sides share no start, so their errors are independent. */
void sg_kernels_add_pinned(const struct sg_range_starts sides[2], double tolerance,
                           struct sg_text *out)
{
    struct sg_errors errors = {.count = 0};
    double mean[2] = {0, 0};
    size_t count[2] = {0, 0};
    SG_SCOPED(sg_text) of_baseline = {0}, of_candidate = {0};
    struct sg_text *const choice[2] = {&of_baseline, &of_candidate};
    for (int s = 0; s < 2 && sides[s].starts > 0; s++) {
        const uint32_t pinned = most_frequent(&sides[s], 0);
        double y[SG_SEQUENTIAL_PROCESSES_MAX];
        sg_kernels_add_choices(&sides[s], choice[s]);
        for (unsigned start = 0; start < sides[s].starts; start++)
            if (pinned >> start & 1)
                y[count[s]++] = sides[s].whole->start[start].y;
        mean[s] = sg_mean(y, count[s]);
        sg_errors_add(&errors, "starts", sg_sd(y, count[s]) / sqrt((double)count[s]),
                      (double)count[s] - 1);
    }
    if (of_baseline.length + of_candidate.length == 0)
        return;
    sg_text_addf(sg_text_next(out), "starts chose different kernels: baseline %s; candidate %s; ",
                 of_baseline.length > 0 ? of_baseline.data : "always the same",
                 of_candidate.length > 0 ? of_candidate.data : "always the same");
    if (count[0] < PINNED_LEAST || count[1] < PINNED_LEAST) {
        sg_text_add(out, "no choice has the three starts that an interval needs");
        return;
    }
    const struct sg_decision pinned =
        sg_decide(&(struct sg_difference){.mean = mean[1] - mean[0],
                                          .se = sg_errors_se(&errors),
                                          .bounds = sg_bounds_of_one_look(sg_errors_df(&errors)),
                                          .tolerance = tolerance});
    sg_text_addf(out, "with the most frequent choice of each side (%zu and %zu starts): %s, ",
                 count[0], count[1], sg_verdict_word(pinned.verdict));
    sg_text_addf(out, "%+.2f %% [%+.2f, %+.2f]", 100 * pinned.change, 100 * pinned.low,
                 100 * pinned.high);
}
