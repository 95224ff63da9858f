#include "diagnose/dimension_series.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "stats/abba.h"

#include "stats/decision.h"

#define SG_INTERVAL_HAS (SG_HAS_VALUE | SG_HAS_LOW | SG_HAS_HIGH | SG_HAS_N | SG_HAS_SE)

const char *sg_paired_with(const struct sg_table *run, const char *family, const char *case_, const char *variant)
{
    return sg_row_partner(run, sg_table_find(run, family, case_, variant, "time_ratio"));
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

/* Returns true if the shapes are equal except for the value of one dimension, which may be equal
 * too. */
static bool is_alike_but(const struct shape *a, const struct shape *b, size_t dimension)
{
    bool alike = a->count == b->count;
    for (size_t i = 0; i < a->count && alike; i++) {
        const struct dimension *x = &a->dimension[i], *y = &b->dimension[i];
        alike = i == dimension ? same_text(x->name, x->name_length, y->name, y->name_length)
                               : same_text(x->name, x->length, y->name, y->length);
    }
    return alike;
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

/* ---- extra time of a case ---- */

/* Returns true for a time or ratio with an interval of enough processes. */
static bool has_interval(const struct sg_row *row)
{
    return row && row->status == SG_OK && (row->has & SG_INTERVAL_HAS) == SG_INTERVAL_HAS && row->low > 0 && row->high > row->low &&
           row->n >= SG_PROCESSES_MIN;
}

/* Returns true unless the L2 contradicted its declared state. */
static bool is_fit(const struct sg_row *l2)
{
    return !l2 || l2->status == SG_OK;
}

struct wanted {
    sg_id shape, ratio, time, l2, flop[SG_DTYPE_COUNT];
};

static struct wanted wanted_of(const struct sg_table *run)
{
    struct wanted wanted = {
        .shape = sg_table_find_id(run, "shape"),
        .ratio = sg_table_find_id(run, "time_ratio"),
        .time = sg_table_find_id(run, "time"),
        .l2 = sg_table_find_id(run, "l2_state"),
    };
    for (int d = 0; d < SG_DTYPE_COUNT; d++) {
        char metric[64];
        snprintf(metric, sizeof(metric), "work_flop_%s", sg_dtype_word((enum sg_dtype)d));
        wanted.flop[d] = sg_table_find_id(run, metric);
    }
    return wanted;
}

struct rows {
    const struct sg_row *shape, *ratio, *time, *l2;
    unsigned formats; /* number formats of its work, one bit each */
};

static struct rows rows_of(const struct sg_table *run, const struct wanted *wanted, struct sg_row_range span)
{
    struct rows rows = {0};
    for (size_t i = span.from; i < span.to; i++) {
        const struct sg_row *row = &run->rows[i];
        if (row->metric == wanted->shape)
            rows.shape = row;
        else if (row->metric == wanted->ratio)
            rows.ratio = row;
        else if (row->metric == wanted->time)
            rows.time = row;
        else if (row->metric == wanted->l2)
            rows.l2 = row;
        else
            for (int d = 0; d < SG_DTYPE_COUNT; d++)
                if (row->metric == wanted->flop[d])
                    rows.formats |= 1U << d;
    }
    return rows;
}

static bool extra_of(const struct rows *own, const struct rows *partner, struct sg_extra *extra)
{
    const struct sg_row *ratio = own->ratio, *time = partner->time;
    if (!has_interval(ratio) || !has_interval(time) || !is_fit(own->l2) || !is_fit(partner->l2))
        return false;
    struct sg_errors errors = {0};
    const double of_ratio = ratio->value * ratio->se;
    extra->ns = (ratio->value - 1) * time->value;
    sg_errors_add(&errors, "the paired ratio", of_ratio * time->value, ratio->n - 1.0);
    sg_errors_add(&errors, "the baseline's time", time->se * extra->ns, time->n - 1.0);
    extra->se = sg_errors_se(&errors);
    extra->df = sg_errors_df(&errors);
    return isfinite(extra->ns) && isnormal(extra->se * extra->se); /* the fit uses squares */
}

/* ---- series ---- */

struct item {
    const struct sg_table *run;
    struct wanted wanted;
    struct rows rows;
    struct shape shape;
    const char *partner;
};

static struct sg_row_range span_of(const struct sg_table *run, const struct sg_row *like, const char *variant)
{
    return sg_table_variant(run, sg_table_string(run, like->family), sg_table_string(run, like->case_), variant);
}

/* Extra time and x of a case. Returns false if the case has no extra time or is not in the
 * series. The message of a ratio names its partner. */
static bool take_case(const struct item *item, const struct rows *rows, size_t dimension, struct sg_extra *extra)
{
    if (!rows->shape || !rows->ratio || rows->ratio->message != item->rows.ratio->message || rows->formats != item->rows.formats)
        return false;
    const struct shape shape = shape_of(sg_table_string(item->run, rows->shape->message));
    if (!is_alike_but(&item->shape, &shape, dimension) || !value_of(&shape.dimension[dimension], &extra->x))
        return false;
    const struct rows partner = rows_of(item->run, &item->wanted, span_of(item->run, rows->ratio, item->partner));
    return extra_of(rows, &partner, extra);
}

/* Inserts in the order of x. Returns false if x exists already. */
static bool add_extra(struct sg_dimension_series *series, const struct sg_extra *extra)
{
    size_t at = series->count;
    while (at > 0 && series->extra[at - 1].x > extra->x)
        at--;
    if (at > 0 && series->extra[at - 1].x == extra->x)
        return false;
    memmove(&series->extra[at + 1], &series->extra[at], (series->count - at) * sizeof(*extra));
    series->extra[at] = *extra;
    series->count++;
    return true;
}

/* Adds the item first, to include it even without room for all cases. Returns false without a
 * series: the item lacks an extra time, or two cases have the same x. */
static bool gather(const struct item *item, size_t dimension, struct sg_dimension_series *series)
{
    const struct sg_table *run = item->run;
    const struct sg_row *own = item->rows.shape;
    struct sg_extra extra, first;
    if (!take_case(item, &item->rows, dimension, &first) || !add_extra(series, &first))
        return false;
    for (size_t i = 0; i < run->count && series->count < SG_SERIES_MAX; i++) {
        const struct sg_row *row = &run->rows[i];
        if (row->metric != item->wanted.shape || row->variant != own->variant || row->family != own->family || row == own)
            continue;
        const struct rows rows = rows_of(run, &item->wanted, span_of(run, row, sg_table_string(run, row->variant)));
        if (take_case(item, &rows, dimension, &extra) && !add_extra(series, &extra))
            return false;
    }
    while (series->extra[series->own].x != first.x)
        series->own++;
    return true;
}

size_t sg_dimension_series_find(const struct sg_dimension_series_start *start, struct sg_dimension_series found[SG_MAX_DIMS])
{
    struct item item = {.run = start->run, .wanted = wanted_of(start->run)};
    size_t count = 0;
    item.rows = rows_of(item.run, &item.wanted, sg_table_variant(item.run, start->family, start->case_, start->variant));
    item.partner = sg_row_partner(item.run, item.rows.ratio);
    if (!item.rows.shape || !item.partner)
        return 0;
    item.shape = shape_of(sg_table_string(item.run, item.rows.shape->message));
    for (size_t i = 0; i < item.shape.count; i++) {
        const struct dimension *dimension = &item.shape.dimension[i];
        struct sg_dimension_series *series = &found[count];
        *series = (struct sg_dimension_series){.partner = item.partner};
        if (!gather(&item, i, series) || series->count < SG_SCALING_LEAST)
            continue;
        snprintf(series->dimension, sizeof(series->dimension), "%.*s", dimension->name_length, dimension->name);
        count++;
    }
    return count;
}
