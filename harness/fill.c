#include "fill.h"

#include <string.h>

#include "dtype.h"
#include "duet.h"
#include "text.h"

static double draw(const struct sg_fill *fill, uint64_t *random)
{
    if (fill->integers)
        return (double)(sg_random_next(random) % 5) - 2;
    return sg_random_normal(random) * (fill->scale > 0 ? fill->scale : 1);
}

void sg_fill(const struct sg_fill *fill, void *memory)
{
    const size_t size = sg_dtype_bytes(fill->dtype);
    const uint64_t drawn = fill->count < SG_FILL_PERIOD ? fill->count : SG_FILL_PERIOD;
    uint64_t random = fill->seed;
    for (uint64_t i = 0; i < drawn; i++)
        sg_dtype_put(fill->dtype, memory, i, draw(fill, &random));
    for (uint64_t done = drawn; done < fill->count;) {
        const uint64_t start = sg_random_next(&random) % drawn;
        uint64_t piece = drawn - start;
        if (piece > fill->count - done)
            piece = fill->count - done;
        memcpy((char *)memory + done * size, (const char *)memory + start * size, piece * size);
        done += piece;
    }
}
