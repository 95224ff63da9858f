#include "diagnose/dimension_series.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/abba.h"
#include "stats/decision.h"
#include "stats/statistics.h"
#include "util/digest.h"

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

/* Alike in all but the value of one dimension, which may be alike too? */
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

/* ---- the extra time of a case ---- */

/* A time or a ratio with the interval of enough processes. */
static bool has_interval(const struct sg_row *row)
{
    return row && row->status == SG_OK && (row->has & SG_INTERVAL_HAS) == SG_INTERVAL_HAS && row->low > 0 && row->high > row->low &&
           row->n >= SG_PROCESSES_MIN;
}

/* Was the L2 what it was declared to be, as far as the run knows? */
static bool is_fit(const struct sg_row *l2)
{
    return !l2 || l2->status == SG_OK;
}

/* Metrics of a run that a series is made of, by their ids there. */
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

/* One variant's rows. */
struct rows {
    const struct sg_row *shape, *ratio, *time, *l2;
    unsigned formats; /* that its work is in, a bit each */
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

/* All but x, which is another in each series. */
static bool extra_of(const struct sg_table *run, const struct rows *own, const struct rows *partner, struct sg_extra *extra)
{
    const struct sg_row *ratio = own->ratio, *time = partner->time;
    if (!has_interval(ratio) || !has_interval(time) || !is_fit(own->l2) || !is_fit(partner->l2))
        return false;
    struct sg_errors errors = {0};
    const double of_ratio = ratio->value * sg_row_errors_of(run, ratio).se;
    extra->ns = (ratio->value - 1) * time->value;
    sg_errors_add(&errors, "the paired ratio", of_ratio * time->value, ratio->n - 1.0);
    sg_errors_add(&errors, "the baseline's time", sg_row_errors_of(run, time).se * extra->ns, time->n - 1.0);
    extra->se = sg_errors_se(&errors);
    extra->df = sg_errors_df(&errors);
    return isfinite(extra->ns) && isnormal(extra->se * extra->se); /* a line is laid by squares */
}

/* ---- who belongs to whom ---- */

/* A variant of a case that has an extra time. */
struct point {
    const struct sg_row *shape;
    struct sg_extra extra; /* x is not set */
};

/* A point in what may become a series: those of one key are alike in all but one dimension. */
struct member {
    uint64_t key;
    double x;
    uint32_t point;
    bool is_twin; /* of another with the same key and x */
};

struct sg_dimension_series_index {
    const struct sg_table *run;
    struct wanted wanted;
    struct point *points; /* in the order of the run */
    size_t point_count, point_capacity;
    struct member *members; /* by key, then in the order of the run */
    size_t member_count, member_capacity;
};

/* Of what must be alike in a series of this dimension. The message of a ratio names its partner. */
static uint64_t key_of(const struct rows *rows, const struct shape *shape, size_t dimension)
{
    const uint64_t alike[] = {rows->shape->family, rows->shape->variant, rows->ratio->message, rows->formats, dimension, shape->count};
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add(&digest, alike, sizeof(alike));
    for (size_t i = 0; i < shape->count; i++) {
        const struct dimension *d = &shape->dimension[i];
        sg_digest_add(&digest, d->name, (size_t)(i == dimension ? d->name_length : d->length));
        sg_digest_add(&digest, " ", 1);
    }
    return digest.state;
}

static void add_members(struct sg_dimension_series_index *index, const struct rows *rows, const struct sg_extra *extra)
{
    const struct shape shape = shape_of(sg_table_string(index->run, rows->shape->message));
    index->points = sg_grow(index->points, &index->point_capacity, index->point_count + 1, sizeof(*index->points));
    index->points[index->point_count] = (struct point){rows->shape, *extra};
    for (size_t i = 0; i < shape.count; i++) {
        struct member member = {.point = (uint32_t)index->point_count};
        if (!value_of(&shape.dimension[i], &member.x))
            continue;
        member.key = key_of(rows, &shape, i);
        *SG_APPEND(index->members, index->member_count, index->member_capacity) = member;
    }
    index->point_count++;
}

static struct sg_row_range span_from(const struct sg_table *run, size_t from)
{
    const struct sg_row *first = &run->rows[from];
    struct sg_row_range span = {from, from + 1};
    for (; span.to < run->count; span.to++) {
        const struct sg_row *row = &run->rows[span.to];
        if (row->variant != first->variant || row->case_ != first->case_ || row->family != first->family)
            break;
    }
    return span;
}

/* The rows of the partner: mostly those of the variant before, for a case has one baseline. */
struct partner {
    sg_id family, case_, message;
    struct rows rows;
};

static const struct rows *partner_rows(const struct sg_dimension_series_index *index, const struct sg_row *ratio, struct partner *last)
{
    if (last->message != ratio->message || last->case_ != ratio->case_ || last->family != ratio->family) {
        const struct sg_table *run = index->run;
        const struct sg_row_range span =
            sg_table_variant(run, sg_table_string(run, ratio->family), sg_table_string(run, ratio->case_), sg_row_partner(run, ratio));
        *last = (struct partner){ratio->family, ratio->case_, ratio->message, rows_of(run, &index->wanted, span)};
    }
    return &last->rows;
}

static int by_x(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->x != b->x ? (a->x < b->x ? -1 : 1) : 0;
}

static int by_key(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->point < b->point ? -1 : a->point > b->point;
}

static void mark_twins(struct sg_dimension_series_index *index)
{
    struct member *members = index->members;
    if (index->member_count == 0)
        return;
    qsort(members, index->member_count, sizeof(*members), by_x);
    for (size_t i = 1; i < index->member_count; i++)
        if (by_x(&members[i - 1], &members[i]) == 0)
            members[i - 1].is_twin = members[i].is_twin = true;
    qsort(members, index->member_count, sizeof(*members), by_key);
}

/* Where the rows of the family begin; with NULL those of all. */
static size_t first_row(const struct sg_table *run, const char *family)
{
    size_t low = 0, high = family ? run->count : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(sg_table_string(run, run->rows[middle].family), family) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct sg_dimension_series_index *sg_dimension_series_index(const struct sg_table *run, const char *family)
{
    struct sg_dimension_series_index *index = sg_alloc(1, sizeof(*index));
    struct partner partner = {.message = UINT32_MAX};
    index->run = run;
    index->wanted = wanted_of(run);
    const sg_id id = family ? sg_table_find_id(run, family) : 0;
    for (struct sg_row_range span = {.from = first_row(run, family)}; span.from < run->count; span.from = span.to) {
        struct sg_extra extra = {0};
        if (family && run->rows[span.from].family != id)
            break;
        span = span_from(run, span.from);
        const struct rows rows = rows_of(run, &index->wanted, span);
        if (rows.shape && rows.ratio && sg_row_partner(run, rows.ratio) &&
            extra_of(run, &rows, partner_rows(index, rows.ratio, &partner), &extra))
            add_members(index, &rows, &extra);
    }
    mark_twins(index);
    return index;
}

void sg_dimension_series_index_free(struct sg_dimension_series_index *index)
{
    if (!index)
        return;
    free(index->points);
    free(index->members);
    free(index);
}

/* ---- the series ---- */

/* In the order of x. */
static void add_extra(struct sg_dimension_series *series, const struct sg_extra *extra)
{
    size_t at = series->count;
    while (at > 0 && series->extra[at - 1].x > extra->x)
        at--;
    memmove(&series->extra[at + 1], &series->extra[at], (series->count - at) * sizeof(*extra));
    series->extra[at] = *extra;
    series->count++;
}

/* The members of a key: members[from] .. members[to - 1]. */
static struct sg_row_range find_key(const struct sg_dimension_series_index *index, uint64_t key)
{
    size_t low = 0, high = index->member_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (index->members[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (high = low; high < index->member_count && index->members[high].key == key && high - low <= SG_SERIES_MAX;)
        high++; /* of more than that none is looked at, but the item's own */
    return (struct sg_row_range){low, high};
}

/* The item's own member, which may stand behind all that are looked at;
 * NULL: it has no extra time, or no x. */
static const struct member *find_own(const struct sg_dimension_series_index *index, uint64_t key, const struct sg_row *shape)
{
    size_t low = 0, high = index->member_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct member *member = &index->members[middle];
        if (member->key < key || (member->key == key && index->points[member->point].shape < shape))
            low = middle + 1;
        else
            high = middle;
    }
    const struct member *found = low < index->member_count ? &index->members[low] : NULL;
    return found && found->key == key && index->points[found->point].shape == shape ? found : NULL;
}

static struct sg_extra extra_at(const struct sg_dimension_series_index *index, const struct member *member)
{
    struct sg_extra extra = index->points[member->point].extra;
    extra.x = member->x;
    return extra;
}

/*
 * The item itself first: where there is no room for all, it has its place. Returns
 * false if there is no series: the item has no extra time, or two of those that have
 * a place or want one are of one x.
 */
static bool gather(const struct sg_dimension_series_index *index, const struct rows *rows, const struct shape *shape, size_t dimension,
                   struct sg_dimension_series *series)
{
    const uint64_t key = key_of(rows, shape, dimension);
    const struct member *own = find_own(index, key, rows->shape);
    const struct sg_row_range span = find_key(index, key);
    if (!own || own->is_twin)
        return false;
    struct sg_extra extra = extra_at(index, own);
    add_extra(series, &extra);
    for (size_t i = span.from; i < span.to && series->count < SG_SERIES_MAX; i++) {
        const struct member *member = &index->members[i];
        const struct shape other = shape_of(sg_table_string(index->run, index->points[member->point].shape->message));
        if (member == own || !is_alike_but(shape, &other, dimension))
            continue;
        if (member->is_twin)
            return false;
        extra = extra_at(index, member);
        add_extra(series, &extra);
    }
    return true;
}

/* Of the item's own case, which is in each of its series. */
static size_t place_of(const struct sg_dimension_series *series, const struct dimension *own)
{
    double x = NAN;
    size_t place = 0;
    value_of(own, &x);
    while (place + 1 < series->count && series->extra[place].x < x)
        place++;
    return place;
}

size_t sg_dimension_series_find_in(const struct sg_dimension_series_index *index, const struct sg_dimension_series_start *start,
                                   struct sg_dimension_series found[SG_MAX_DIMS])
{
    const struct sg_table *run = start->run;
    const struct rows rows = rows_of(run, &index->wanted, sg_table_variant(run, start->family, start->case_, start->variant));
    const char *partner = sg_row_partner(run, rows.ratio);
    size_t count = 0;
    if (!rows.shape || !rows.ratio || !partner)
        return 0;
    const struct shape shape = shape_of(sg_table_string(run, rows.shape->message));
    for (size_t i = 0; i < shape.count; i++) {
        const struct dimension *dimension = &shape.dimension[i];
        struct sg_dimension_series *series = &found[count];
        *series = (struct sg_dimension_series){.partner = partner};
        if (!gather(index, &rows, &shape, i, series) || series->count < SG_SCALING_LEAST)
            continue;
        snprintf(series->dimension, sizeof(series->dimension), "%.*s", dimension->name_length, dimension->name);
        series->own = place_of(series, dimension);
        count++;
    }
    return count;
}

size_t sg_dimension_series_find(const struct sg_dimension_series_start *start, struct sg_dimension_series found[SG_MAX_DIMS])
{
    struct sg_dimension_series_index *index = sg_dimension_series_index(start->run, start->family);
    const size_t count = sg_dimension_series_find_in(index, start, found);
    sg_dimension_series_index_free(index);
    return count;
}
