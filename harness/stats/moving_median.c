#include "stats/moving_median.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

struct sg_moving sg_moving_make(size_t count, size_t groups)
{
    struct sg_moving moving = {.count = count,
                               .groups = groups,
                               .number = sg_alloc(2 * count, sizeof(*moving.number)),
                               .group = sg_alloc(count, sizeof(*moving.group)),
                               .first = sg_alloc(2 * groups, sizeof(*moving.first))};
    moving.sorted = moving.number + count;
    moving.size = moving.first + groups;
    return moving;
}

void sg_moving_release(struct sg_moving *moving)
{
    free(moving->number);
    free(moving->group);
    free(moving->first);
}

void sg_moving_begin(struct sg_moving *moving)
{
    moving->from = moving->to = 0;
    memset(moving->size, 0, moving->groups * sizeof(*moving->size));
    for (size_t i = 0; i < moving->count; i++)
        moving->size[moving->group[i]]++;
    for (size_t g = 0, first = 0; g < moving->groups; g++) {
        moving->first[g] = first;
        first += moving->size[g];
        moving->size[g] = 0;
    }
}

/* Adds the number at a place, or takes it out. */
static void change(struct sg_moving *moving, size_t place, bool adds)
{
    const double number = moving->number[place];
    size_t *size = &moving->size[moving->group[place]];
    double *low = moving->sorted + moving->first[moving->group[place]], *end = low + *size;
    if (isnan(number))
        return;
    for (size_t left = *size; left > 0;) {
        const size_t half = left / 2;
        const bool is_above = low[half] < number;
        low += is_above ? half + 1 : 0;
        left = is_above ? left - half - 1 : half;
    }
    memmove(low + adds, low + !adds, (size_t)(end - low - !adds) * sizeof(*low));
    *size = adds ? *size + 1 : *size - 1;
    if (adds)
        *low = number;
}

void sg_moving_to(struct sg_moving *moving, size_t from, size_t to)
{
    while (moving->from > from)
        change(moving, --moving->from, true);
    while (moving->to < to)
        change(moving, moving->to++, true);
    while (moving->to > to)
        change(moving, --moving->to, false);
    while (moving->from < from)
        change(moving, moving->from++, false);
}
