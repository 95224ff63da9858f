#include "fill.h"

#include <string.h>

#include "dtype.h"
#include "duet.h"
#include "text.h"

static double draw(const struct sg_fill_plan *plan, uint64_t *random)
{
    if (plan->integers)
        return (double)(sg_random_next(random) % 5) - 2;
    return sg_random_normal(random) * (plan->scale > 0 ? plan->scale : 1);
}

static uint64_t drawn_count(const struct sg_fill_plan *plan)
{
    return plan->count < SG_FILL_PERIOD ? plan->count : SG_FILL_PERIOD;
}

uint64_t sg_fill_drawn_bytes(const struct sg_fill_plan *plan)
{
    return sg_dtype_array_bytes(plan->dtype, drawn_count(plan));
}

void sg_fill_draw(const struct sg_fill_plan *plan, void *memory, struct sg_fill_rest *rest)
{
    const uint64_t drawn = drawn_count(plan), unit = sg_dtype_bytes(plan->dtype);
    uint64_t random = plan->seed;
    for (uint64_t i = 0; i < drawn; i++)
        sg_dtype_put(plan->dtype, memory, i, draw(plan, &random));
    /* Packed formats are tiled by the byte; the half byte at the end of the period is then left out. */
    *rest = (struct sg_fill_rest){
        .random = random,
        .unit = unit,
        .period = drawn * sg_dtype_bits(plan->dtype) / 8 / unit,
        .total = sg_dtype_array_bytes(plan->dtype, plan->count) / unit,
    };
    rest->done = drawn == plan->count ? rest->total : rest->period;
}

bool sg_fill_next(struct sg_fill_rest *rest, struct sg_fill_piece *piece)
{
    if (rest->done == rest->total)
        return false;
    const uint64_t start = sg_random_next(&rest->random) % rest->period, left = rest->total - rest->done;
    const uint64_t count = rest->period - start < left ? rest->period - start : left;
    *piece = (struct sg_fill_piece){.to = rest->done * rest->unit, .from = start * rest->unit, .bytes = count * rest->unit};
    rest->done += count;
    return true;
}

void sg_fill(const struct sg_fill_plan *plan, void *memory)
{
    struct sg_fill_rest rest;
    struct sg_fill_piece piece;
    sg_fill_draw(plan, memory, &rest);
    while (sg_fill_next(&rest, &piece))
        memcpy((char *)memory + piece.to, (const char *)memory + piece.from, piece.bytes);
}
