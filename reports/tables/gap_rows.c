#include "reports/tables/gap_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An item of one of the tables. */
struct member {
    const struct sg_gap *gap;
    size_t table;
};

static int by_case(const struct sg_gap *a, const struct sg_gap *b)
{
    const int family = strcmp(a->family, b->family);
    return family != 0 ? family : strcmp(a->case_, b->case_);
}

static int by_name(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    const int cases = by_case(a->gap, b->gap), variants = cases != 0 ? cases : strcmp(a->gap->variant, b->gap->variant);
    return variants != 0 ? variants : (a->table > b->table) - (a->table < b->table);
}

static int by_gap(const void *left, const void *right)
{
    const struct sg_gap_row *a = left, *b = right;
    if (isinf(a->best_of_case) != isinf(b->best_of_case))
        return isinf(a->best_of_case) ? 1 : -1;
    if (a->best_of_case != b->best_of_case)
        return a->best_of_case > b->best_of_case ? -1 : 1;
    const int cases = by_case(a->first, b->first);
    if (cases != 0 || a->best == b->best)
        return cases != 0 ? cases : strcmp(a->first->variant, b->first->variant);
    return a->best < b->best ? -1 : 1;
}

/* Members of the same name become a row; returns how many there are. */
static size_t join(const struct member *members, size_t count, struct sg_gap_row *rows)
{
    size_t row = 0;
    for (size_t i = 0; i < count;) {
        rows[row] = (struct sg_gap_row){.first = members[i].gap, .best = INFINITY};
        const struct sg_gap *first = members[i].gap;
        for (; i < count && by_case(members[i].gap, first) == 0 && strcmp(members[i].gap->variant, first->variant) == 0; i++) {
            rows[row].gap[members[i].table] = members[i].gap;
            rows[row].best = fmin(rows[row].best, members[i].gap->gap); /* of a number and none, fmin gives the number */
        }
        row++;
    }
    return row;
}

static void find_best_of_cases(struct sg_gap_rows *rows)
{
    for (size_t from = 0, to = 0; from < rows->count; from = to) {
        double best = INFINITY;
        for (to = from; to < rows->count && by_case(rows->items[to].first, rows->items[from].first) == 0; to++)
            best = fmin(best, rows->items[to].best);
        for (size_t i = from; i < to; i++)
            rows->items[i].best_of_case = best;
    }
}

void sg_gap_rows_make(struct sg_gap_rows *rows, const struct sg_sol_table *gaps, size_t count)
{
    size_t members = 0, all = 0;
    for (size_t t = 0; t < count; t++)
        all += gaps[t].count;
    struct member *member = sg_alloc(all + 1, sizeof(*member));
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < gaps[t].count; i++)
            member[members++] = (struct member){.gap = &gaps[t].items[i], .table = t};
    qsort(member, members, sizeof(*member), by_name);
    rows->items = sg_alloc(members + 1, sizeof(*rows->items));
    rows->count = join(member, members, rows->items);
    find_best_of_cases(rows);
    qsort(rows->items, rows->count, sizeof(*rows->items), by_gap);
    free(member);
}

void sg_gap_rows_release(struct sg_gap_rows *rows)
{
    free(rows->items);
    *rows = (struct sg_gap_rows){0};
}

bool sg_gap_rows_is_first(const struct sg_gap_rows *rows, size_t row)
{
    return row == 0 || by_case(rows->items[row - 1].first, rows->items[row].first) != 0;
}
