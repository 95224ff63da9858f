#include "worker/random_fill.h"

#include "solgate_parallel.h"
#include "util/dtype.h"
#include "util/random.h"

#define DRAW_PIECE \
    16384u /* elements per generator: even, so that packed elements of two pieces share no byte */

static double draw(const struct sg_fill_plan *plan, uint64_t *random)
{
    if (plan->integers)
        return (double)(sg_random_next(random) % 5) - 2;
    const double scale = plan->scale > 0 ? plan->scale : 1;
    return scale *
           (plan->kind == SG_UNIFORM ? 2 * sg_random_unit(random) - 1 : sg_random_normal(random));
}

struct drawing {
    const struct sg_fill_plan *plan;
    void *memory;
};

static void draw_piece(void *context, uint64_t number)
{
    const struct drawing *drawing = context;
    const uint64_t first = number * DRAW_PIECE, left = drawing->plan->count - first;
    const uint64_t end = first + (left < DRAW_PIECE ? left : DRAW_PIECE);
    /* An odd factor keeps the generators of the pieces apart. */
    uint64_t random = drawing->plan->seed ^ number * 0xd1342543de82ef95u;
    for (uint64_t i = first; i < end; i++)
        sg_dtype_put(drawing->plan->dtype, drawing->memory, i, draw(drawing->plan, &random));
}

void sg_fill(const struct sg_fill_plan *plan, void *memory)
{
    struct drawing drawing = {.plan = plan, .memory = memory};
    sg_parallel(0, (plan->count + DRAW_PIECE - 1) / DRAW_PIECE, draw_piece, &drawing);
}
