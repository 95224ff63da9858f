#include "run/choose_rows.h"

#include <stdlib.h>

/* Timed longest ago first. */
static int by_age(const void *left, const void *right)
{
    const struct sg_choice_row *a = left, *b = right;
    if (a->timed_day != b->timed_day)
        return a->timed_day < b->timed_day ? -1 : 1;
    if (a->lot != b->lot)
        return a->lot < b->lot ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static bool has_changed(const struct sg_choice_row *rows, size_t count, const struct sg_choice_row *row, bool with_neighbours)
{
    bool changed = !row->is_identical;
    for (size_t i = 0; i < count && with_neighbours && !changed; i++)
        changed = rows[i].module == row->module && !rows[i].is_identical;
    return changed;
}

static bool is_due(const struct sg_choice_row *row, const struct sg_choice_terms *terms)
{
    return terms->today - (row->timed_day > terms->first_day ? row->timed_day : terms->first_day) >= SG_FORTNIGHT;
}

void sg_choose_rows(struct sg_choice_row *rows, size_t count, const struct sg_choice_terms *terms)
{
    size_t left = (count + SG_FORTNIGHT - 1) / SG_FORTNIGHT;
    qsort(rows, count, sizeof(*rows), by_age);
    for (size_t i = 0; i < count; i++) {
        rows[i].is_timed = has_changed(rows, count, &rows[i], terms->with_neighbours);
        if (rows[i].is_timed)
            continue;
        rows[i].is_timed =
            terms->has_history ? left > 0 || is_due(&rows[i], terms) : (long)(i % SG_FORTNIGHT) == terms->today % SG_FORTNIGHT;
        left -= left > 0;
    }
}
