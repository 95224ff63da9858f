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

void sg_fill(const struct sg_fill_plan *plan, void *memory)
{
    const uint64_t drawn = plan->count < SG_FILL_PERIOD ? plan->count : SG_FILL_PERIOD;
    uint64_t random = plan->seed;
    for (uint64_t i = 0; i < drawn; i++)
        sg_dtype_put(plan->dtype, memory, i, draw(plan, &random));
    if (drawn == plan->count)
        return;
    /* Packed formats are tiled by the byte; the half byte at the end of the period is then left out. */
    const uint64_t unit = sg_dtype_bytes(plan->dtype);
    const uint64_t period = drawn * sg_dtype_bits(plan->dtype) / 8 / unit;
    const uint64_t total = sg_dtype_array_bytes(plan->dtype, plan->count) / unit;
    for (uint64_t done = period; done < total;) {
        const uint64_t start = sg_random_next(&random) % period;
        const uint64_t piece = period - start < total - done ? period - start : total - done;
        memcpy((char *)memory + done * unit, (const char *)memory + start * unit, piece * unit);
        done += piece;
    }
}
