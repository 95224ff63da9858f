#include "schedule/deal.h"

#include <stdlib.h>
#include <string.h>

#include "baseline/load.h"
#include "results/message.h"

#define SHARDS_PER_CASE 8 /* few cases share a shard */
/* Share of the cases left that one round deals, in equal parts to all GPUs. */
#define ROUND 0.75
/* An item with this time, flop or traffic costs twice as much as an item with none. On an H200 the
 * largest of nine GEMMs, 1.1e12 flop, took 30 % of a first run; a process took 0.3 s for a small
 * item, and 1 s more for 512 MB. */
#define LONG_NS    1e6
#define UNTIMED    0.1 /* cost of an item that is not timed */
#define MUCH_FLOP  2.5e11
#define MUCH_BYTES 1.5e8

static int by_cost(const void *left, const void *right)
{
    const struct sg_dealt *a = left, *b = right;
    return a->cost != b->cost ? (a->cost < b->cost) - (a->cost > b->cost)
                              : (a->shard > b->shard) - (a->shard < b->shard);
}

static struct sg_dealt *find(const struct sg_deal *deal, uint64_t shard)
{
    for (size_t i = 0; i < deal->count; i++)
        if (deal->items[i].shard == shard)
            return &deal->items[i];
    return NULL;
}

static uint64_t shard_of(const struct sg_deal *deal, const struct sg_item *item)
{
    return sg_shard_of(deal->of, item->family->name, item->case_->name);
}

static enum sg_code take_work(void *context, const struct sg_message *m, struct sg_err *err)
{
    const struct sg_deal *deal = context;
    const bool is_flop = strncmp(m->value.metric, "work_flop_", strlen("work_flop_")) == 0;
    if (m->kind != SG_MESSAGE_VALUE || strncmp(m->value.metric, "work_", strlen("work_")) != 0)
        return err->code;
    struct sg_dealt *dealt = find(deal, sg_shard_of(deal->of, m->name[0], m->name[1]));
    if (dealt)
        dealt->cost += (double)dealt->items * m->value.value / (is_flop ? MUCH_FLOP : MUCH_BYTES);
    return err->code;
}

/* Adds the work of the cases, as their modules declare it. */
static void add_work(const struct sg_run_plan *plan, struct sg_deal *deal)
{
    const char *last = "";
    for (size_t i = 0; i < plan->own_count; i++) {
        const char *module = plan->items[i].family->module;
        if (strcmp(module, last) != 0)
            sg_module_describe(module, take_work, deal, SG_IGNORED);
        last = module;
    }
}

/* An item that does not support its case is only verified. */
static double cost_of(const struct sg_table *accepted, const struct sg_item *item)
{
    const struct sg_row *time = sg_table_find(accepted, SG_ITEM_NAMES(item), "time");
    if (time && time->value > 0)
        return 1 + time->value / LONG_NS;
    return sg_table_find(accepted, SG_ITEM_NAMES(item), "status") ? UNTIMED : 1;
}

void sg_deal_begin(const struct sg_run_plan *plan, const struct sg_shards *own,
                   const struct sg_env *gpu, struct sg_deal *deal)
{
    struct sg_accepted_file accepted = {.path = NULL};
    sg_accepted_load(gpu, plan->suite->name, &accepted, SG_IGNORED);
    *deal = (struct sg_deal){.of = own->of > 0 ? own->of : 1};
    while (deal->of < SHARDS_PER_CASE * plan->own_count && 2 * deal->of <= SG_SHARDS_MAX)
        deal->of *= 2;
    deal->items = sg_alloc(plan->own_count, sizeof(*deal->items));
    for (size_t i = 0; i < plan->own_count; i++) {
        const struct sg_item *item = &plan->items[i];
        const uint64_t shard = shard_of(deal, item);
        struct sg_dealt *dealt = find(deal, shard);
        if (!dealt)
            dealt = &deal->items[deal->count++];
        dealt->shard = shard;
        dealt->items++;
        dealt->cost += cost_of(&accepted.table, item);
        if (i == 0 || plan->items[i - 1].case_ != item->case_) {
            dealt->cases++;
            deal->left++;
        }
    }
    add_work(plan, deal);
    if (deal->count > 0)
        qsort(deal->items, deal->count, sizeof(*deal->items), by_cost);
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
    return find(deal, shard_of(deal, item))->is_taken;
}

struct sg_shards sg_deal_next(struct sg_deal *deal, size_t gpus)
{
    struct sg_shards part = {.of = deal->of};
    double left = 0, cost = 0;
    for (size_t i = 0; i < deal->count; i++)
        left += deal->items[i].is_taken ? 0 : deal->items[i].cost;
    if (deal->parts++ % gpus == 0)
        deal->share = ROUND * left / (double)gpus;
    for (size_t i = 0; i < deal->count; i++) {
        struct sg_dealt *next = &deal->items[i];
        if (next->is_taken)
            continue;
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
