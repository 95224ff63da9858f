#include "ab/launched.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/traced_items.h"

void sg_launched_side_release(struct sg_launched_side *side)
{
    for (size_t i = 0; i < side->count; i++)
        free(side->items[i].ln_ns);
    free(side->items);
    sg_gathering_release(&side->names);
    *side = (struct sg_launched_side){.items = NULL};
}

bool sg_launched_is_whole(const struct sg_launched *item)
{
    return item->symbol[0] == '\0';
}

double sg_launched_share(const struct sg_launched_side *side, const struct sg_launched *item)
{
    const uint64_t all = side->items[item->whole].total_ns;
    return all > 0 ? (double)item->total_ns / (double)all : 0;
}

static const char *keep(struct sg_launched_side *side, const char *string)
{
    return sg_intern_pool_string(side->names.strings, sg_intern(&side->names.strings, string));
}

static size_t item_of(struct sg_launched_side *side, const char *range, const char *symbol,
                      const char *geometry)
{
    const char *case_ = *range ? range : SG_NO_RANGE;
    const size_t number = *symbol ? sg_traced_gather(&side->names, case_, symbol, geometry, "")
                                  : sg_gather_item(&side->names, case_, SG_WHOLE_RANGE, "");
    if (number == side->count)
        *SG_APPEND(side->items, side->count, side->capacity) =
            (struct sg_launched){.range = keep(side, range),
                                 .symbol = keep(side, symbol),
                                 .name = sg_gathered_word(&side->names, number),
                                 .geometry = keep(side, geometry),
                                 .whole = number,
                                 .partner = SG_NO_PARTNER};
    return number;
}

void sg_launched_add(struct sg_launched_side *side, const char *range, const struct sg_trace *trace,
                     const struct sg_trace_series *series)
{
    const struct sg_trace_series_key *key = &series->key;
    const struct sg_trace_name *symbol = trace->names[key->symbol];
    SG_SCOPED(sg_text) geometry = {0};
    sg_text_addf(&geometry, "grid (%u, %u, %u), block (%u, %u, %u), %u B dynamic shared",
                 key->grid[0], key->grid[1], key->grid[2], key->block[0], key->block[1],
                 key->block[2], key->dynamic_shared);
    const size_t whole = item_of(side, range, "", ""),
                 number = item_of(side, range, symbol->text, geometry.data);
    struct sg_launched *item = &side->items[number];
    if (item->count == 0) {
        item->launches = item->total_ns = 0;
        item->steady_ns = 0;
    }
    for (size_t i = 0; i < sg_trace_samples(series); i++)
        *SG_APPEND(item->ln_ns, item->count, item->capacity) = log((double)series->sample_ns[i]);
    item->whole = whole;
    item->launches += series->count;
    item->total_ns += series->total_ns;
    item->steady_ns += sg_trace_steady_ns(series);
    item->code = symbol->codes > 0 ? symbol->code : 0;
}

static void end_start(struct sg_launched *item)
{
    if (item->count > 0 && item->starts < SG_SEQUENTIAL_PROCESSES_MAX)
        item->start[item->starts++] = sg_abba_value(item->ln_ns, item->count);
    item->count = 0;
}

void sg_launched_end_start(struct sg_launched_side *side)
{
    for (size_t i = 0; i < side->count; i++)
        if (sg_launched_is_whole(&side->items[i])) {
            side->items[i].total_ns = side->items[i].launches = 0;
            side->items[i].steady_ns = 0;
        }
    for (size_t i = 0; i < side->count; i++) {
        struct sg_launched *item = &side->items[i], *whole = &side->items[item->whole];
        if (sg_launched_is_whole(item) || item->count == 0)
            continue;
        whole->total_ns += item->total_ns;
        whole->steady_ns += item->steady_ns;
        whole->launches += item->launches;
        end_start(item);
    }
    for (size_t i = 0; i < side->count; i++) {
        struct sg_launched *item = &side->items[i];
        if (sg_launched_is_whole(item) && item->total_ns > 0 &&
            item->starts < SG_SEQUENTIAL_PROCESSES_MAX)
            item->start[item->starts++] = (struct sg_process_value){.y = log(item->steady_ns)};
    }
}

char *sg_launched_variant(const struct sg_launched_side *side, const struct sg_launched *item)
{
    struct sg_text name = {0};
    sg_gathered_variant(&side->names, (size_t)(item - side->items), &name);
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
        const sg_id same =
            sg_intern_pool_find(candidate->names.item_keys,
                                sg_intern_pool_string(baseline->names.item_keys, (sg_id)i + 1));
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
