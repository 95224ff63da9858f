/*
 * reports/tables/text_table.h - a table of words: filled once, laid out for a terminal, for markdown or for HTML.
 *
 * Cells go in unescaped and come out escaped for the place at hand; an empty cell shows as "-".
 * Invariant: a row has exactly as many cells as there are columns; lines below a row belong to the row added last.
 *
 *     sg_grid_init(&grid, columns, count);
 *     for each row: sg_grid_row(&grid, class); one sg_grid_cell(&grid, ...) a column; perhaps sg_grid_below(&grid, ...)
 *     sg_grid_text(&grid, colour, out);
 *     sg_grid_release(&grid);
 */
#ifndef SG_REPORTS_TABLES_TEXT_TABLE_H
#define SG_REPORTS_TABLES_TEXT_TABLE_H

#include "util/text.h"

/* How a row is to be taken; colours and style sheets hang on it. */
enum sg_class {
    SG_RED,     /* fails the gate: regressed, broken, invalid, missing */
    SG_YELLOW,  /* wants a person: inconclusive, mended, a counter that gates changed */
    SG_NEWS,    /* improved, new */
    SG_GREEN,   /* within, identical, as expected */
    SG_COUNTER, /* a counter that differs and does not gate */
    SG_ASIDE,   /* shown, never gates: absolute times of candidates */
    SG_CLASS_COUNT
};
const char *sg_class_word(enum sg_class class_); /* red, yellow, news, green, counter, aside: also of the style sheet */

struct sg_grid_column {
    const char *title;
    const char *meaning; /* one line */
    bool right;          /* aligned to the right */
    bool spare;          /* left out of a terminal, which is narrow */
};

struct sg_grid_line {
    size_t row, start; /* below which row; offset in bytes */
};

struct sg_grid {
    const struct sg_grid_column *columns; /* borrowed */
    size_t column_count;
    struct sg_text bytes; /* all cells and lines, each terminated */
    size_t *cell;         /* owned: offset of each in bytes */
    size_t cell_count, cell_capacity;
    enum sg_class *row; /* owned */
    size_t row_count, row_capacity;
    struct sg_grid_line *line; /* owned */
    size_t line_count, line_capacity;
};

void sg_grid_init(struct sg_grid *grid, const struct sg_grid_column *columns, size_t count);
void sg_grid_release(struct sg_grid *grid);
void sg_grid_row(struct sg_grid *grid, enum sg_class class_);
void sg_grid_cell(struct sg_grid *grid, const char *text);
void sg_grid_below(struct sg_grid *grid, const char *text);

/*
 * The same in parts, where all rows at once would be too many: sg_grid_widen with the rows of each part, which sg_grid_clear then takes
 * away, and then, part by part again, sg_grid_text_part; the titles stand above the first.
 */
struct sg_grid_layout {
    size_t *width;            /* of each column, owned */
    bool *has_words;          /* in any row; owned */
    size_t rows;              /* seen */
    bool *shown;              /* is the column? owned; NULL before it is settled */
    size_t last, last_begins; /* the last column that is shown, and where */
};
void sg_grid_clear(struct sg_grid *grid); /* of its rows; the columns stay */
void sg_grid_widen(const struct sg_grid *grid, struct sg_grid_layout *layout);
void sg_grid_text_part(const struct sg_grid *grid, struct sg_grid_layout *layout, bool colour, struct sg_text *out);
void sg_grid_layout_release(struct sg_grid_layout *layout);

/* Leaves out spare columns, and those with nothing in any row. Lines below a row, and a last column of words, are broken at 120 columns. */
void sg_grid_text(const struct sg_grid *grid, bool colour, struct sg_text *out);
void sg_grid_markdown(const struct sg_grid *grid, struct sg_text *out);
/*
 * The same in parts: the head, the rows of each part, and then the lines below them, part by part again, for a table of markdown has no
 * place for them: they follow it, under the first two cells of their rows.
 */
void sg_grid_markdown_head(const struct sg_grid *grid, struct sg_text *out);
void sg_grid_markdown_rows(const struct sg_grid *grid, struct sg_text *out);
void sg_grid_markdown_lines(const struct sg_grid *grid, struct sg_text *out);
/* Leaves out columns with nothing in any row; the table stands in a box of the class "scroll", which may be narrower than it. */
void sg_grid_html(const struct sg_grid *grid, struct sg_text *out);

/* Escape sequence that begins a class's colour in a terminal, and the one that ends it. */
const char *sg_paint(enum sg_class class_, bool colour);
const char *sg_unpaint(bool colour);

#endif
