/*
 * reports/tables/text_table.h - a table of words: filled once, laid out for a
 * terminal, for markdown or for HTML.
 *
 * Cells go in unescaped and come out escaped for the place at hand; an empty cell shows as "-".
 * Invariant: a row has exactly as many cells as there are columns; lines below a
 * row belong to the row added last.
 *
 *     sg_text_table_init(&grid, columns, count);
 *     for each row: sg_text_table_row(&grid, class); one sg_text_table_cell(&grid, ...) a column;
 *     perhaps sg_text_table_below(&grid, ...) sg_text_table_text(&grid, colour, out);
 *     sg_text_table_release(&grid);
 */
#ifndef SG_REPORTS_TABLES_TEXT_TABLE_H
#define SG_REPORTS_TABLES_TEXT_TABLE_H

#include "util/text.h"

/* How a row is to be taken; colours and style sheets hang on it. */
enum sg_class {
    SG_RED,     /* fails the gate: regressed, broken, invalid, missing */
    SG_YELLOW,  /* wants a person: inconclusive, fixed, a counter that gates changed */
    SG_NEWS,    /* improved, new */
    SG_GREEN,   /* within, identical, as expected */
    SG_OPEN,    /* unresolved: accepted numbers are too noisy for the suite's tolerance */
    SG_COUNTER, /* a counter that differs and does not gate */
    SG_ASIDE,   /* shown, never gates: absolute times of candidates */
    SG_CLASS_COUNT
};
const char *sg_class_word(enum sg_class class_); /* red, yellow, news, green, open, counter, aside: also of the style sheet */

struct sg_text_table_column {
    const char *title;
    const char *meaning; /* one line */
    bool right;          /* aligned to the right */
    bool spare;          /* left out of a terminal, which is narrow */
    bool key;            /* shown on a page as narrow as a telephone, where others are not; none of a table: then all are */
};

struct sg_text_table_line {
    size_t row, start; /* below which row; offset in bytes */
};

struct sg_text_table {
    const struct sg_text_table_column *columns; /* borrowed */
    size_t column_count;
    struct sg_text bytes; /* all cells and lines, each terminated */
    size_t *cell;         /* owned: offset of each in bytes */
    size_t cell_count, cell_capacity;
    enum sg_class *row; /* owned */
    size_t row_count, row_capacity;
    struct sg_text_table_line *line; /* owned */
    size_t line_count, line_capacity;
};

void sg_text_table_init(struct sg_text_table *grid, const struct sg_text_table_column *columns, size_t count);
void sg_text_table_release(struct sg_text_table *grid);
void sg_text_table_row(struct sg_text_table *grid, enum sg_class class_);
void sg_text_table_cell(struct sg_text_table *grid, const char *text);
void sg_text_table_below(struct sg_text_table *grid, const char *text);

/*
 * The same in parts, where all rows at once would be too many: sg_text_table_widen with the rows of
 * each part, which sg_text_table_clear then takes away, and then, part by part again,
 * sg_text_table_text_part; the titles stand above the first.
 */
struct sg_text_table_layout {
    size_t *width;            /* of each column, owned */
    bool *has_words;          /* in any row; owned */
    size_t rows;              /* seen */
    bool *shown;              /* is the column? owned; NULL before it is settled */
    size_t last, last_begins; /* the last column that is shown, and where */
};
void sg_text_table_clear(struct sg_text_table *grid); /* of its rows; the columns stay */
void sg_text_table_widen(const struct sg_text_table *grid, struct sg_text_table_layout *layout);
void sg_text_table_text_part(const struct sg_text_table *grid, struct sg_text_table_layout *layout, bool colour, struct sg_text *out);
void sg_text_table_layout_release(struct sg_text_table_layout *layout);

/* Leaves out spare columns, and those with nothing in any row. Lines below a row, and a last column
 * of words, are broken at 120 columns. */
void sg_text_table_text(const struct sg_text_table *grid, bool colour, struct sg_text *out);
/* Leaves out columns with nothing in any row; in parts, as below, none. */
void sg_text_table_markdown(const struct sg_text_table *grid, struct sg_text *out);
/*
 * The same in parts: the head, the rows of each part, and then the lines below them,
 * part by part again, for a table of markdown has no place for them: they follow it,
 * under the first two cells of their rows.
 */
void sg_text_table_markdown_head(const struct sg_text_table *grid, struct sg_text *out);
void sg_text_table_markdown_rows(const struct sg_text_table *grid, struct sg_text *out);
void sg_text_table_markdown_lines(const struct sg_text_table *grid, struct sg_text *out);
/* Leaves out columns with nothing in any row; the table stands in a box of the class
 * "scroll", which may be narrower than it. */
void sg_text_table_html(const struct sg_text_table *grid, struct sg_text *out);

/* Escape sequence that begins a class's colour in a terminal, and the one that ends it. */
const char *sg_paint(enum sg_class class_, bool colour);
const char *sg_unpaint(bool colour);

#endif
