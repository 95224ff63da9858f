#include "run/choose_rows.h"

static bool has_changed(const struct sg_choice_row *rows, size_t count,
                        const struct sg_choice_row *row, bool with_neighbours)
{
    bool changed = !row->is_identical;
    for (size_t i = 0; i < count && with_neighbours && !changed; i++)
        changed = rows[i].module == row->module && !rows[i].is_identical;
    return changed;
}

void sg_choose_rows(struct sg_choice_row *rows, size_t count, const struct sg_choice_terms *terms)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned long turns_ago =
            (terms->turn % SG_FORTNIGHT + SG_FORTNIGHT - i % SG_FORTNIGHT) % SG_FORTNIGHT;
        rows[i].is_timed =
            turns_ago < terms->turns || has_changed(rows, count, &rows[i], terms->with_neighbours);
    }
}
