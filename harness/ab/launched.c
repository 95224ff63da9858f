#include "ab/launched.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/traced_items.h"

void sg_launched_side_release(struct sg_launched_side *side)
{
    free(side->items);
    sg_traced_items_release(&side->traced);
    sg_gathering_release(&side->names);
    *side = (struct sg_launched_side){.items = NULL};
}

bool sg_launched_is_whole(const struct sg_launched *item)
{
    return item->symbol[0] == '\0';
}

double sg_launched_share(const struct sg_launched_side *side, const struct sg_launched *item)
{
    const double all = side->items[item->whole].total_ns;
    return all > 0 ? item->total_ns / all : 0;
}

void sg_launched_add(struct sg_launched_side *side, const char *range, const struct sg_trace *trace,
                     const struct sg_trace_series *series)
{
    side->traced.gathering = &side->names;
    sg_traced_items_add_series(&side->traced, range, trace, series);
}

/* A kernel's value is the mean of its launches; a range's is the total of its kernels. */
static void end_start(struct sg_launched *item, struct sg_traced_item *traced)
{
    item->launches = traced->launches;
    item->total_ns = traced->total_ns;
    item->code = traced->code;
    for (size_t i = 0; i < traced->count; i++)
        traced->ns[i] = log(traced->ns[i]);
    if (item->starts < SG_SEQUENTIAL_PROCESSES_MAX)
        item->start[item->starts++] = sg_launched_is_whole(item)
                                          ? (struct sg_process_value){.y = log(item->total_ns)}
                                          : sg_abba_value(traced->ns, traced->count);
}

void sg_launched_end_start(struct sg_launched_side *side)
{
    for (size_t i = 0; i < side->traced.count; i++) {
        struct sg_traced_item *traced = &side->traced.items[i];
        const size_t row = sg_traced_row(&side->traced, traced);
        if (i == side->count)
            *SG_APPEND(side->items, side->count, side->capacity) =
                (struct sg_launched){.range = traced->range,
                                     .symbol = traced->symbol,
                                     .name = sg_gathered_word(&side->names, row),
                                     .geometry = traced->geometry,
                                     .row = row,
                                     .whole = traced->whole,
                                     .partner = SG_NO_PARTNER};
        if (traced->launches > 0)
            end_start(&side->items[i], traced);
    }
    sg_traced_items_clear(&side->traced);
}

char *sg_launched_variant(const struct sg_launched_side *side, const struct sg_launched *item)
{
    struct sg_text name = {0};
    sg_gathered_variant(&side->names, item->row, &name);
    return name.data;
}

/* ---- matching kernels ---- */

static bool is_namesake(const struct sg_launched *a, const struct sg_launched *b)
{
    return strcmp(a->range, b->range) == 0 && strcmp(a->name, b->name) == 0;
}

/* Returns the only unmatched kernel that is alike; SG_NO_PARTNER: none, or several. */
static size_t only_one_left(const struct sg_launched_side *side, const struct sg_launched *like)
{
    size_t found = SG_NO_PARTNER;
    for (size_t i = 0; i < side->count; i++) {
        if (side->items[i].partner != SG_NO_PARTNER || !is_namesake(&side->items[i], like))
            continue;
        if (found != SG_NO_PARTNER)
            return SG_NO_PARTNER;
        found = i;
    }
    return found;
}

void sg_launched_match(struct sg_launched_side *baseline, struct sg_launched_side *candidate)
{
    for (size_t i = 0; i < baseline->count; i++) {
        const sg_id same = sg_intern_pool_find(
            candidate->traced.keys, sg_intern_pool_string(baseline->traced.keys, (sg_id)i + 1));
        if (same == UINT32_MAX)
            continue;
        baseline->items[i].partner = same - 1;
        candidate->items[same - 1].partner = i;
    }
    for (size_t i = 0; i < baseline->count; i++) {
        const size_t k = baseline->items[i].partner == SG_NO_PARTNER
                             ? only_one_left(candidate, &baseline->items[i])
                             : SG_NO_PARTNER;
        if (k == SG_NO_PARTNER || only_one_left(baseline, &candidate->items[k]) != i)
            continue;
        baseline->items[i].partner = k;
        candidate->items[k].partner = i;
    }
}
