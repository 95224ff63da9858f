#include <stdlib.h>

#include "import/gather.h"

struct sg_range {
    sg_id lane, name;
    double from, to;
    double latest; /* latest end of this and all earlier ranges of the lane */
};

void sg_gather_range(struct sg_gathering *g, const char *lane, const char *name, double from,
                     double to)
{
    if (!g->ranges)
        *SG_APPEND(g->range, g->range_count, g->range_capacity) = (struct sg_range){
            sg_intern(&g->strings, lane), sg_intern(&g->strings, name), from, to, to};
}

/* Sorts by lane and begin; outer ranges come before inner ones that begin together. */
static int by_begin(const void *left, const void *right)
{
    const struct sg_range *a = left, *b = right;
    const int lane = (a->lane > b->lane) - (a->lane < b->lane),
              from = (a->from > b->from) - (a->from < b->from);
    return lane ? lane : from ? from : (a->to < b->to) - (a->to > b->to);
}

void sg_gather_sort_ranges(struct sg_gathering *g)
{
    if (g->range_count > 0)
        qsort(g->range, g->range_count, sizeof(*g->range), by_begin);
    for (size_t i = 1; i < g->range_count; i++)
        if (g->range[i].lane == g->range[i - 1].lane && g->range[i].latest < g->range[i - 1].latest)
            g->range[i].latest = g->range[i - 1].latest;
}

const char *sg_gathered_range(const struct sg_gathering *g, const char *lane, double time)
{
    const struct sg_gathering *known = g->ranges;
    const struct sg_range wanted = {
        .lane = known ? sg_intern_pool_find(known->strings, lane) : 0, .from = time, .to = 0};
    size_t from = 0, to = known ? known->range_count : 0;
    while (from < to) { /* binary search for the first range that begins later */
        const size_t middle = from + (to - from) / 2;
        if (by_begin(&known->range[middle], &wanted) <= 0)
            from = middle + 1;
        else
            to = middle;
    }
    for (; from > 0 && known->range[from - 1].lane == wanted.lane &&
           known->range[from - 1].latest >= time;
         from--)
        if (known->range[from - 1].to >= time)
            return sg_intern_pool_string(known->strings, known->range[from - 1].name);
    return "";
}
