#include "schedule/deal.h"

#include <stdlib.h>
#include <string.h>

#include "baseline/load.h"

#define SHARDS_PER_CASE 8 /* few cases share a shard */
/* Share of the cases left that one round deals, in equal parts to all GPUs. */
#define ROUND_OF_KNOWN   0.95
#define ROUND_OF_UNKNOWN 0.75 /* without accepted times */
#define LONG_NS          1e6  /* an item of this time costs twice as much as one of no time */

static int by_shard(const void *left, const void *right)
{
    const struct sg_dealt *a = left, *b = right;
    return (a->shard > b->shard) - (a->shard < b->shard);
}

static struct sg_dealt *find(const struct sg_deal *deal, uint64_t shard)
{
    const struct sg_dealt key = {.shard = shard};
    return bsearch(&key, deal->items, deal->all.count, sizeof(key), by_shard);
}

static double cost_of(const struct sg_accepted_file *accepted, const struct sg_item *item)
{
    const struct sg_row *row = sg_table_find(&accepted->table, SG_ITEM_NAMES(item), "time");
    return 1 + (row && row->value > 0 ? row->value / LONG_NS : 0);
}

/* Joins the entries of one shard, and lists the shards. */
static void join(struct sg_deal *deal, size_t count)
{
    qsort(deal->items, count, sizeof(*deal->items), by_shard);
    for (size_t i = 0; i < count; i++) {
        const struct sg_dealt one = deal->items[i];
        const size_t at = deal->all.count;
        deal->left += one.cases;
        if (at > 0 && deal->items[at - 1].shard == one.shard) {
            deal->items[at - 1].cases += one.cases;
            deal->items[at - 1].cost += one.cost;
            continue;
        }
        deal->items[at] = one;
        *SG_APPEND(deal->all.index, deal->all.count, deal->all.capacity) = one.shard;
    }
}

void sg_deal_begin(const struct sg_run_plan *plan, const struct sg_shards *own,
                   const struct sg_env *gpu, struct sg_deal *deal)
{
    struct sg_accepted_file accepted = {.path = NULL};
    struct sg_err unknown = {0};
    sg_accepted_load(gpu, plan->suite->name, &accepted, &unknown);
    *deal = (struct sg_deal){.all.of = own->of > 0 ? own->of : 1,
                             .round = accepted.table.count > 0 ? ROUND_OF_KNOWN : ROUND_OF_UNKNOWN};
    while (deal->all.of < SHARDS_PER_CASE * plan->own_count && 2 * deal->all.of <= SG_SHARDS_MAX)
        deal->all.of *= 2;
    deal->items = sg_alloc(plan->own_count, sizeof(*deal->items));
    for (size_t i = 0; i < plan->own_count; i++) {
        const struct sg_item *item = &plan->items[i];
        deal->items[i] = (struct sg_dealt){
            .shard = sg_shard_of(deal->all.of, item->family->name, item->case_->name),
            .cases = i == 0 || plan->items[i - 1].case_ != item->case_,
            .cost = cost_of(&accepted, item)};
    }
    join(deal, plan->own_count);
}

size_t sg_deal_mark(struct sg_deal *deal, const struct sg_shards *shards, bool is_taken)
{
    size_t cases = 0;
    for (size_t i = 0; i < shards->count; i++) {
        struct sg_dealt *dealt = find(deal, shards->index[i]);
        if (!dealt)
            continue;
        cases += dealt->cases;
        deal->left += dealt->is_taken ? dealt->cases : 0;
        deal->left -= is_taken ? dealt->cases : 0;
        dealt->is_taken = is_taken;
    }
    return cases;
}

bool sg_deal_is_taken(const struct sg_deal *deal, const struct sg_item *item)
{
    return find(deal, sg_shard_of(deal->all.of, item->family->name, item->case_->name))->is_taken;
}

static struct sg_dealt *longest(const struct sg_deal *deal)
{
    struct sg_dealt *found = NULL;
    for (size_t i = 0; i < deal->all.count; i++)
        if (!deal->items[i].is_taken && (!found || deal->items[i].cost > found->cost))
            found = &deal->items[i];
    return found;
}

struct sg_shards sg_deal_next(struct sg_deal *deal, size_t gpus)
{
    struct sg_shards part = {.of = deal->all.of};
    double left = 0, cost = 0;
    for (size_t i = 0; i < deal->all.count; i++)
        left += deal->items[i].is_taken ? 0 : deal->items[i].cost;
    if (deal->parts++ % gpus == 0)
        deal->share = deal->round * left / (double)gpus;
    for (struct sg_dealt *next; (next = longest(deal)) != NULL;) {
        if (part.count > 0 && cost + next->cost / 2 > deal->share)
            break;
        cost += next->cost;
        *SG_APPEND(part.index, part.count, part.capacity) = next->shard;
        next->is_taken = true;
        deal->left -= next->cases;
    }
    sg_shards_sort(&part);
    return part;
}
