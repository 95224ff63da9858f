#include "ab/kernel_pairs.h"

#include <math.h>
#include <string.h>

#include "stats/statistics.h"
#include "stats/tails.h"

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
        item->built[number] = item->build;
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

/* True if the code is known in each start that launched the item, and differs. */
static bool has_other_codes(const struct sg_traced_item *item, unsigned starts)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (unsigned start = 0; start < starts; start++)
        if (item->in >> start & 1) {
            least = item->built[start].code < least ? item->built[start].code : least;
            most = item->built[start].code > most ? item->built[start].code : most;
        }
    return least > 0 && least < most;
}

void sg_kernels_choices(const struct sg_traced_items *items, size_t whole,
                        struct sg_choices *choices)
{
    const unsigned starts = items->items[whole].starts;
    if (!sg_traced_is_whole(&items->items[whole]))
        return;
    choices->starts = starts;
    for (unsigned start = 0; start < starts; start++)
        choices->y[start] = items->items[whole].start[start].y;
    for (size_t i = 0; i < items->count; i++) {
        const struct sg_traced_item *item = &items->items[i];
        if (sg_traced_is_whole(item) || item->whole != whole || item->share < SG_SHARE_LEAST)
            continue;
        const bool names_code = has_other_codes(item, starts);
        for (unsigned start = 0; start < starts; start++) {
            SG_FORMATTED(words, "%s, %s, %u registers", item->symbol, item->geometry,
                         item->built[start].registers);
            if (names_code)
                sg_text_addf(&words, ", code %016llx", (unsigned long long)item->built[start].code);
            if (item->in >> start & 1)
                sg_choices_add(choices, start, words.data);
        }
    }
}
