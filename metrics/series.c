#include "series.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "duet.h"
#include "judge.h"
#include "stats.h"

#define SG_INTERVAL_HAS (SG_HAS_VALUE | SG_HAS_LOW | SG_HAS_HIGH | SG_HAS_N)

const char *sg_paired_with(const struct sg_table *run, const char *family, const char *case_, const char *variant)
{
    static const char against[] = "against ";
    const struct sg_row *row = sg_table_find(run, family, case_, variant, "time_ratio");
    const char *message = row ? sg_table_string(run, row->message) : "";
    return strncmp(message, against, strlen(against)) == 0 ? message + strlen(against) : NULL;
}

/* ---- dimensions ---- */

/* "k=1536" in a shape. */
struct dimension {
    const char *name;
    int name_length, length;
};

struct shape {
    struct dimension dimension[SG_MAX_DIMS];
    size_t count;
};

static struct shape shape_of(const char *text)
{
    struct shape shape = {.count = 0};
    for (text += strspn(text, " "); *text && shape.count < SG_MAX_DIMS; text += strspn(text, " ")) {
        const int length = (int)strcspn(text, " ");
        shape.dimension[shape.count++] = (struct dimension){text, (int)strcspn(text, "= "), length};
        text += length;
    }
    return shape;
}

static bool same_text(const char *a, int a_length, const char *b, int b_length)
{
    return a_length == b_length && memcmp(a, b, (size_t)a_length) == 0;
}

/* The place of the only dimension that differs; -1: none, or not that one alone. */
static int only_difference(const struct shape *a, const struct shape *b)
{
    int found = -1;
    if (a->count != b->count)
        return -1;
    for (size_t i = 0; i < a->count; i++) {
        const struct dimension *x = &a->dimension[i], *y = &b->dimension[i];
        if (same_text(x->name, x->length, y->name, y->length))
            continue;
        if (found >= 0 || !same_text(x->name, x->name_length, y->name, y->name_length))
            return -1;
        found = (int)i;
    }
    return found;
}

static bool value_of(const struct dimension *dimension, double *x)
{
    const char *end = dimension->name + dimension->length, *digits = dimension->name + dimension->name_length + 1;
    char *read = NULL;
    if (digits >= end)
        return false;
    *x = strtod(digits, &read);
    return read == end && isfinite(*x);
}

/* Which number formats a case's work is in, a bit each. */
static unsigned formats_of(const struct sg_table *run, const struct sg_value *item)
{
    unsigned formats = 0;
    for (int d = 0; d < SG_DTYPE_COUNT; d++) {
        char metric[64];
        snprintf(metric, sizeof(metric), "work_flop_%s", sg_dtype_word((enum sg_dtype)d));
        if (sg_table_find(run, item->family, item->case_, item->variant, metric))
            formats |= 1U << d;
    }
    return formats;
}

/* ---- the extra time of a case ---- */

/* A time or a ratio with the interval of enough processes. */
static bool has_interval(const struct sg_row *row)
{
    return row && row->status == SG_OK && (row->has & SG_INTERVAL_HAS) == SG_INTERVAL_HAS && row->low > 0 && row->high > row->low &&
           row->n >= SG_PROCESSES_MIN;
}

/* Was the L2 what it was declared to be under this variant, as far as the run knows? */
static bool is_fit(const struct sg_table *run, const struct sg_value *item, const char *variant)
{
    const struct sg_row *l2 = sg_table_find(run, item->family, item->case_, variant, "l2_state");
    return !l2 || l2->status == SG_OK;
}

static bool extra_of(const struct sg_table *run, const struct sg_value *item, const char *partner, struct sg_extra *extra)
{
    const char *own = sg_paired_with(run, item->family, item->case_, item->variant);
    const struct sg_row *ratio = sg_table_find(run, item->family, item->case_, item->variant, "time_ratio");
    const struct sg_row *time = sg_table_find(run, item->family, item->case_, partner, "time");
    if (!own || strcmp(own, partner) != 0 || !has_interval(ratio) || !has_interval(time) || !is_fit(run, item, item->variant) ||
        !is_fit(run, item, partner))
        return false;
    struct sg_errors errors = {0};
    const double of_ratio = ratio->value * sg_duet_se_of(ratio->low, ratio->high, ratio->n);
    const double of_time = log(time->high / time->low) / (2 * sg_t_quantile(0.975, time->n - 1.0));
    extra->ns = (ratio->value - 1) * time->value;
    sg_errors_add(&errors, "the paired ratio", of_ratio * time->value, ratio->n - 1.0);
    sg_errors_add(&errors, "the baseline's time", of_time * extra->ns, time->n - 1.0);
    extra->se = sg_errors_se(&errors);
    extra->df = sg_errors_df(&errors);
    return isfinite(extra->ns) && isnormal(extra->se * extra->se); /* a line is laid by squares */
}

/* ---- the series ---- */

/* In the order of x; returns false where that x is there already. */
static bool add_extra(struct sg_series *series, const struct sg_extra *extra)
{
    size_t at = series->count;
    while (at > 0 && series->extra[at - 1].x > extra->x)
        at--;
    if (at > 0 && series->extra[at - 1].x == extra->x)
        return false;
    if (series->count == SG_SERIES_MAX)
        return true;
    memmove(&series->extra[at + 1], &series->extra[at], (series->count - at) * sizeof(*extra));
    series->extra[at] = *extra;
    series->count++;
    return true;
}

/* What is being looked for: the item that it begins with, and a series for each of its dimensions. */
struct search {
    const struct sg_table *run;
    struct sg_value item;
    struct shape shape;
    const char *partner;
    unsigned formats;
    struct sg_series series[SG_MAX_DIMS];
    bool is_none[SG_MAX_DIMS]; /* two cases of one x, or no extra time of the item itself */
};

static void add_point(struct search *search, size_t dimension, const struct sg_value *item, const struct dimension *x)
{
    struct sg_extra extra;
    if (value_of(x, &extra.x) && extra_of(search->run, item, search->partner, &extra) && !add_extra(&search->series[dimension], &extra))
        search->is_none[dimension] = true;
}

/*
 * A `shape` row of the variant: of the item itself, of a case that differs in one dimension, or of one that differs in none, whose x is
 * that of the item in every series.
 */
static void look_at(struct search *search, const struct sg_row *row)
{
    const struct sg_value item = sg_value_of(search->run, row);
    const struct shape shape = shape_of(item.message);
    const int differs = only_difference(&search->shape, &shape);
    const bool is_alike = strcmp(item.message, search->item.message) == 0;
    if (formats_of(search->run, &item) != search->formats)
        return;
    for (size_t i = 0; i < shape.count; i++)
        if (is_alike || (int)i == differs)
            add_point(search, i, &item, &shape.dimension[i]);
}

/* The item itself first: without its extra time there is no series, and where there is no room for all, it has its place. */
static void look_through(struct search *search, const struct sg_row *own)
{
    look_at(search, own);
    for (size_t i = 0; i < search->shape.count; i++)
        search->is_none[i] = search->series[i].count == 0;
    for (size_t i = 0; i < search->run->count; i++) {
        const struct sg_row *row = &search->run->rows[i];
        if (row != own && row->metric == own->metric && row->variant == own->variant && row->family == own->family)
            look_at(search, row);
    }
}

/* Of the item's own case, which is in each of its series. */
static size_t place_of(const struct sg_series *series, const struct dimension *own)
{
    double x = NAN;
    size_t place = 0;
    value_of(own, &x);
    while (place + 1 < series->count && series->extra[place].x < x)
        place++;
    return place;
}

size_t sg_series_find(const struct sg_series_start *start, struct sg_series found[SG_MAX_DIMS])
{
    const struct sg_row *own = sg_table_find(start->run, start->family, start->case_, start->variant, "shape");
    const char *partner = sg_paired_with(start->run, start->family, start->case_, start->variant);
    size_t count = 0;
    if (!own || !partner)
        return 0;
    struct search *search = sg_alloc(1, sizeof(*search));
    search->run = start->run;
    search->item = sg_value_of(start->run, own);
    search->shape = shape_of(search->item.message);
    search->partner = partner;
    search->formats = formats_of(start->run, &search->item);
    look_through(search, own);
    for (size_t i = 0; i < search->shape.count; i++) {
        const struct dimension *dimension = &search->shape.dimension[i];
        if (search->is_none[i] || search->series[i].count < SG_SCALING_LEAST)
            continue;
        found[count] = search->series[i];
        snprintf(found[count].dimension, sizeof(found[count].dimension), "%.*s", dimension->name_length, dimension->name);
        found[count].own = place_of(&found[count], dimension);
        found[count++].partner = partner;
    }
    free(search);
    return count;
}
