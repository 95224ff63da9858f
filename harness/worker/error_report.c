#include "worker/error_report.h"

#include <stdio.h>
#include <string.h>

#include "util/dtype.h"
#include "util/text.h"

#define SHARE 0.9 /* minimum fraction of wrong elements in a structure */

#define U64(number) (unsigned long long)(number)

/* The range of the wrong elements; a one-dimensional output has one row. */
struct extent {
    uint64_t rows, columns;
    uint64_t wrong, first, last; /* elements */
    uint64_t first_row, last_row, first_column, last_column;
};

static struct extent extent_of(const struct sg_buffer *buffer)
{
    const bool flat = buffer->row <= 1 || buffer->row == buffer->count;
    return (struct extent){.rows = flat ? 1 : buffer->count / buffer->row,
                           .columns = flat ? buffer->count : buffer->row};
}

/* Call in the order of the elements. */
static void extend(void *context, uint64_t index)
{
    struct extent *e = context;
    const uint64_t row = index / e->columns, column = index % e->columns;
    if (e->wrong++ == 0) {
        e->first = index;
        e->first_row = row;
        e->first_column = e->last_column = column;
    }
    e->last = index;
    e->last_row = row;
    e->first_column = column < e->first_column ? column : e->first_column;
    e->last_column = column > e->last_column ? column : e->last_column;
}

static bool is_share(uint64_t part, uint64_t whole)
{
    return (double)part >= SHARE * (double)whole;
}

/* "row 5", "rows 3-10", "the last row", "the last 2 rows"; `count`: total number of lines. */
static void add_lines(struct sg_text *out, const char *what, uint64_t first, uint64_t last,
                      uint64_t count)
{
    if (last + 1 == count && first == last)
        sg_text_addf(out, "the last %s", what);
    else if (last + 1 == count)
        sg_text_addf(out, "the last %llu %ss", U64(last - first + 1), what);
    else if (first == last)
        sg_text_addf(out, "%s %llu", what, U64(first));
    else
        sg_text_addf(out, "%ss %llu-%llu", what, U64(first), U64(last));
}

static void add_index(struct sg_text *out, const struct extent *e, uint64_t row, uint64_t column)
{
    if (e->rows == 1)
        sg_text_addf(out, "[%llu]", U64(column));
    else
        sg_text_addf(out, "[%llu,%llu]", U64(row), U64(column));
}

static void add_block(struct sg_text *out, const struct extent *e)
{
    if (e->rows == 1) {
        add_lines(out, "element", e->first, e->last, e->columns);
        return;
    }
    sg_text_addf(out, "block of %llux%llu at ", U64(e->last_row - e->first_row + 1),
                 U64(e->last_column - e->first_column + 1));
    add_index(out, e, e->first_row, e->first_column);
}

static void add_place(struct sg_text *out, const struct extent *e)
{
    const uint64_t all = e->rows * e->columns, rows = e->last_row - e->first_row + 1,
                   columns = e->last_column - e->first_column + 1;
    if (e->wrong == 0) {
        sg_text_add(out, SG_PLACE_SPREAD_WORD);
    } else if (e->wrong == 1) {
        sg_text_add(out, "one element at ");
        add_index(out, e, e->first_row, e->first_column);
    } else if (is_share(e->wrong, all)) {
        sg_text_add(out, SG_PLACE_ALL_WORD);
    } else if (e->rows > 1 && is_share(e->wrong, rows * e->columns)) {
        add_lines(out, "row", e->first_row, e->last_row, e->rows);
    } else if (e->rows > 1 && is_share(e->wrong, e->rows * columns)) {
        add_lines(out, "column", e->first_column, e->last_column, e->columns);
    } else if (is_share(e->wrong, all - e->first)) {
        add_lines(out, "element", e->first, all - 1, all);
    } else if (is_share(e->wrong, rows * columns)) {
        add_block(out, e);
    } else {
        sg_text_add(out, SG_PLACE_SCATTERED_WORD);
    }
}

/* Truncates a text that is too long. A name of 63 bytes with its place always fits. */
static void fill(char *to, size_t room, struct sg_text *text)
{
    snprintf(to, room, "%s", sg_text_string(text));
    sg_text_release(text);
}

static void set_where(const struct sg_buffer *buffer, const struct extent *extent,
                      const struct sg_names *wrong, struct sg_error_signature *line)
{
    struct sg_text text = sg_text_of("%s: ", buffer->name);
    add_place(&text, extent);
    for (size_t i = 0; wrong && i < wrong->count; i++)
        if (strcmp(wrong->items[i], buffer->name) != 0)
            sg_text_addf(&text, ", also in %s", wrong->items[i]);
    *line = (struct sg_error_signature){
        .elements = extent->wrong, .count = buffer->count, .recurrence = SG_RECURS_UNKNOWN};
    fill(line->where, sizeof(line->where), &text);
}

static void set_element(const struct sg_buffer *buffer, uint64_t index, double got, double want,
                        struct sg_error_signature *line)
{
    struct sg_text text = {0};
    sg_element_name(buffer, index, &text);
    snprintf(line->at, sizeof(line->at), "%s", text.data + strlen(buffer->name));
    sg_text_release(&text);
    sg_text_add_number(&text, got, 9);
    fill(line->got, sizeof(line->got), &text);
    sg_text_add_number(&text, want, 9);
    fill(line->want, sizeof(line->want), &text);
}

void sg_error_report_check(const struct sg_check *check, const struct sg_output_difference *d,
                           enum sg_status status, const struct sg_names *wrong,
                           struct sg_error_signature *line)
{
    const uint64_t at = status == SG_UNWRITTEN ? d->first_unwritten
                        : status == SG_NAN     ? d->first_nan
                                               : d->worst;
    struct extent extent = extent_of(check->buffer);
    sg_check_each(check, d, status, extend, &extent);
    set_where(check->buffer, &extent, wrong, line);
    set_element(check->buffer, at, sg_dtype_get(check->buffer->dtype, check->got, at),
                sg_check_wanted(check, at), line);
    if (status == SG_UNWRITTEN)
        snprintf(line->got, sizeof(line->got), SG_NEVER_WRITTEN);
    snprintf(line->inputs, sizeof(line->inputs), "%s", check->inputs);
}

void sg_error_report_repeat(const struct sg_buffer *buffer, const void *first, const void *got,
                            const char *inputs, struct sg_error_signature *line)
{
    struct extent extent = extent_of(buffer);
    for (uint64_t k = 0; k < buffer->count; k++)
        if (sg_dtype_load(buffer->dtype, got, k) != sg_dtype_load(buffer->dtype, first, k))
            extend(&extent, k);
    set_where(buffer, &extent, NULL, line);
    set_element(buffer, extent.first, sg_dtype_get(buffer->dtype, got, extent.first),
                sg_dtype_get(buffer->dtype, first, extent.first), line);
    snprintf(line->inputs, sizeof(line->inputs), "%s", inputs);
}
