#include "run/choose_rows.h"

#include <stdlib.h>
#include <string.h>

#include "util/digest.h"
#include "util/text.h"

/* A row in the order of the draw. */
struct drawn {
    struct sg_choice_row *row;
    uint64_t lot; /* by its name, so that the rows of a module do not come together */
};

/* Timed longest ago first. */
static int by_age(const void *left, const void *right)
{
    const struct drawn *a = left, *b = right;
    if (a->row->timed_day != b->row->timed_day)
        return a->row->timed_day < b->row->timed_day ? -1 : 1;
    return a->lot != b->lot ? (a->lot < b->lot ? -1 : 1) : strcmp(a->row->name, b->row->name);
}

static void take_changed(struct sg_choice_row *rows, size_t count, bool with_neighbours)
{
    for (size_t i = 0; i < count; i++) {
        rows[i].is_timed = !rows[i].is_identical;
        for (size_t k = 0; k < count && with_neighbours && !rows[i].is_timed; k++)
            rows[i].is_timed = rows[k].module == rows[i].module && !rows[k].is_identical;
    }
}

static bool is_due(const struct sg_choice_row *row, const struct sg_choice_terms *terms)
{
    return terms->today - (row->timed_day > terms->first_day ? row->timed_day : terms->first_day) >= SG_FORTNIGHT;
}

static void draw(const struct drawn *order, size_t count, const struct sg_choice_terms *terms)
{
    size_t left = (count + SG_FORTNIGHT - 1) / SG_FORTNIGHT;
    for (size_t i = 0; i < count; i++) {
        struct sg_choice_row *row = order[i].row;
        if (row->is_timed)
            continue;
        row->is_timed = terms->has_history ? left > 0 || is_due(row, terms) : (long)(i % SG_FORTNIGHT) == terms->today % SG_FORTNIGHT;
        left -= left > 0;
    }
}

void sg_choose_rows(struct sg_choice_row *rows, size_t count, const struct sg_choice_terms *terms)
{
    struct drawn *order = sg_alloc(count + 1, sizeof(*order));
    take_changed(rows, count, terms->with_neighbours);
    for (size_t i = 0; i < count; i++) {
        struct sg_digest digest = SG_DIGEST_EMPTY;
        sg_digest_add_string(&digest, rows[i].name);
        order[i] = (struct drawn){&rows[i], digest.state};
    }
    qsort(order, count, sizeof(*order), by_age);
    draw(order, count, terms);
    free(order);
}
