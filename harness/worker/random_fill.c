#include "worker/random_fill.h"

#include <stdlib.h>
#include <string.h>

#include "solgate_parallel.h"
#include "util/dtype.h"
#include "util/random.h"
#include "util/text.h"

#define DRAW_PIECE 16384u /* elements that one generator draws: even, so that packed ones share no byte */

static double draw(const struct sg_fill_plan *plan, uint64_t *random)
{
    if (plan->integers)
        return (double)(sg_random_next(random) % 5) - 2;
    const double scale = plan->scale > 0 ? plan->scale : 1;
    return scale * (plan->kind == SG_UNIFORM ? 2 * sg_random_unit(random) - 1 : sg_random_normal(random));
}

static uint64_t drawn_count(const struct sg_fill_plan *plan)
{
    return plan->count < SG_FILL_PERIOD ? plan->count : SG_FILL_PERIOD;
}

struct drawing {
    const struct sg_fill_plan *plan;
    void *memory;
    uint64_t count; /* elements */
};

static void draw_piece(void *context, uint64_t number)
{
    const struct drawing *drawing = context;
    const uint64_t first = number * DRAW_PIECE, left = drawing->count - first;
    const uint64_t end = first + (left < DRAW_PIECE ? left : DRAW_PIECE);
    /* An odd factor, which keeps the generators of the pieces apart. */
    uint64_t random = drawing->plan->seed ^ number * 0xd1342543de82ef95u;
    for (uint64_t i = first; i < end; i++)
        sg_dtype_put(drawing->plan->dtype, drawing->memory, i, draw(drawing->plan, &random));
}

void sg_fill_draw(const struct sg_fill_plan *plan, void *memory, struct sg_fill_rest *rest)
{
    const uint64_t drawn = drawn_count(plan), unit = sg_dtype_bytes(plan->dtype);
    struct drawing drawing = {.plan = plan, .memory = memory, .count = drawn};
    sg_parallel(0, (drawn + DRAW_PIECE - 1) / DRAW_PIECE, draw_piece, &drawing);
    /* Packed formats are tiled by the byte; the half byte at the end
     * of the period is then left out. */
    *rest = (struct sg_fill_rest){
        .random = ~plan->seed,
        .unit = unit,
        .period = drawn * sg_dtype_bits(plan->dtype) / 8 / unit,
        .total = sg_dtype_array_bytes(plan->dtype, plan->count) / unit,
    };
    rest->done = drawn == plan->count ? rest->total : rest->period;
}

struct sg_fill_piece *sg_fill_pieces(const struct sg_fill_rest *rest, size_t *count)
{
    struct sg_fill_piece *pieces = NULL;
    size_t capacity = 0;
    uint64_t random = rest->random;
    *count = 0;
    for (uint64_t done = rest->done; done < rest->total;) {
        const uint64_t start = sg_random_next(&random) % rest->period, left = rest->total - done;
        const uint64_t size = rest->period - start < left ? rest->period - start : left;
        pieces = sg_grow(pieces, &capacity, *count + 1, sizeof(*pieces));
        pieces[(*count)++] = (struct sg_fill_piece){.to = done * rest->unit, .from = start * rest->unit, .bytes = size * rest->unit};
        done += size;
    }
    return pieces;
}

struct tiling {
    const struct sg_fill_piece *pieces;
    char *memory;
};

static void copy_piece(void *context, uint64_t number)
{
    const struct tiling *tiling = context;
    const struct sg_fill_piece *piece = &tiling->pieces[number];
    memcpy(tiling->memory + piece->to, tiling->memory + piece->from, piece->bytes);
}

void sg_fill_tile(const struct sg_fill_rest *rest, void *memory)
{
    size_t count = 0;
    struct sg_fill_piece *pieces = sg_fill_pieces(rest, &count);
    sg_parallel(0, count, copy_piece, &(struct tiling){.pieces = pieces, .memory = memory});
    free(pieces);
}

void sg_fill(const struct sg_fill_plan *plan, void *memory)
{
    struct sg_fill_rest rest;
    sg_fill_draw(plan, memory, &rest);
    sg_fill_tile(&rest, memory);
}
