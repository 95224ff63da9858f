#include "schedule/deal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/load.h"

#define SHARDS_PER_CASE 8    /* few cases share a shard */
#define ROUND_SHARE     0.75 /* of what is left is dealt in each round, equally to all GPUs */
#define LONG_NS         1e6  /* an item of this time costs twice as much as one of no time */

static uint64_t shard_of(const struct sg_deal *deal, const struct sg_item *item)
{
    return sg_shard_of(deal->of, item->family->name, item->case_->name);
}

static struct sg_dealt *find(const struct sg_deal *deal, uint64_t shard)
{
    return deal->place[shard] > 0 ? &deal->items[deal->place[shard] - 1] : NULL;
}

/* Costs that are not known are equal. */
static double cost_of(const struct sg_accepted_file *accepted, const struct sg_item *item)
{
    const struct sg_row *row = sg_table_find(&accepted->table, SG_ITEM_NAMES(item), "time");
    return 1 + (row && row->value > 0 ? row->value / LONG_NS : 0);
}

static int by_cost(const void *left, const void *right)
{
    const struct sg_dealt *a = left, *b = right;
    return a->cost != b->cost ? (a->cost < b->cost) - (a->cost > b->cost)
                              : (a->first > b->first) - (a->first < b->first);
}

void sg_deal_begin(const struct sg_run_plan *plan, const struct sg_shards *own,
                   const struct sg_env *gpu, struct sg_deal *deal)
{
    struct sg_accepted_file accepted = {.path = NULL};
    struct sg_err unknown = {0};
    const char *family = "", *case_ = "";
    sg_accepted_load(gpu, plan->suite->name, &accepted, &unknown);
    *deal = (struct sg_deal){.of = own->of > 0 ? own->of : 1};
    while (deal->of < SHARDS_PER_CASE * plan->own_count && 2 * deal->of <= SG_SHARDS_MAX)
        deal->of *= 2;
    deal->place = sg_alloc(deal->of, sizeof(*deal->place));
    for (size_t i = 0; i < plan->own_count; i++) {
        const struct sg_item *item = &plan->items[i];
        const uint64_t shard = shard_of(deal, item);
        if (!find(deal, shard)) {
            *SG_APPEND(deal->items, deal->item_count, deal->item_capacity) =
                (struct sg_dealt){.shard = shard, .first = i};
            deal->place[shard] = deal->item_count;
        }
        struct sg_dealt *dealt = find(deal, shard);
        const bool is_new =
            strcmp(item->family->name, family) != 0 || strcmp(item->case_->name, case_) != 0;
        dealt->cost += cost_of(&accepted, item);
        dealt->cases += is_new;
        deal->count += is_new;
        family = item->family->name;
        case_ = item->case_->name;
    }
    deal->left = deal->count;
    qsort(deal->items, deal->item_count, sizeof(*deal->items), by_cost);
    for (size_t i = 0; i < deal->item_count; i++)
        deal->place[deal->items[i].shard] = i + 1;
}

void sg_deal_take(struct sg_deal *deal, uint64_t shard, bool is_taken)
{
    struct sg_dealt *dealt = find(deal, shard);
    if (!dealt || dealt->is_taken == is_taken)
        return;
    dealt->is_taken = is_taken;
    deal->left = is_taken ? deal->left - dealt->cases : deal->left + dealt->cases;
}

static void add_shard(struct sg_shards *shards, uint64_t shard)
{
    *SG_APPEND(shards->index, shards->count, shards->capacity) = shard;
}

void sg_deal_next(struct sg_deal *deal, size_t gpus, struct sg_shards *part)
{
    double left = 0, cost = 0;
    for (size_t i = 0; i < deal->item_count; i++)
        left += deal->items[i].is_taken ? 0 : deal->items[i].cost;
    if (deal->parts++ % gpus == 0)
        deal->share = ROUND_SHARE * left / (double)gpus;
    *part = (struct sg_shards){.of = deal->of};
    for (size_t i = 0; i < deal->item_count && (part->count == 0 || cost < deal->share); i++) {
        struct sg_dealt *dealt = &deal->items[i];
        if (dealt->is_taken)
            continue;
        cost += dealt->cost;
        add_shard(part, dealt->shard);
        sg_deal_take(deal, dealt->shard, true);
    }
    sg_shards_sort(part);
}

bool sg_deal_is_taken(const struct sg_deal *deal, const struct sg_item *item)
{
    return find(deal, shard_of(deal, item))->is_taken;
}

size_t sg_deal_count(const struct sg_deal *deal, const struct sg_shards *shards)
{
    size_t count = 0;
    for (size_t i = 0; i < shards->count; i++) {
        const struct sg_dealt *dealt = find(deal, shards->index[i]);
        count += dealt ? dealt->cases : 0;
    }
    return count;
}

struct sg_shards sg_deal_all(const struct sg_deal *deal)
{
    struct sg_shards all = {.of = deal->of};
    for (size_t i = 0; i < deal->item_count; i++)
        add_shard(&all, deal->items[i].shard);
    sg_shards_sort(&all);
    return all;
}
