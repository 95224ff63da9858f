#include "reports/tables/text_table.h"

#include <stdlib.h>
#include <string.h>

#include "util/escape.h"

#define EMPTY "-" /* how a cell without words shows */

const char *sg_class_word(enum sg_class class_)
{
    static const char *const word[SG_CLASS_COUNT] = {
        [SG_RED] = "red",   [SG_YELLOW] = "yellow",   [SG_NEWS] = "news",   [SG_GREEN] = "green",
        [SG_OPEN] = "open", [SG_COUNTER] = "counter", [SG_ASIDE] = "aside",
    };
    return word[class_];
}

const char *sg_paint(enum sg_class class_, bool colour)
{
    static const char *const sequence[SG_CLASS_COUNT] = {
        [SG_RED] = "\x1b[31m", [SG_YELLOW] = "\x1b[33m", [SG_NEWS] = "\x1b[36m", [SG_GREEN] = "\x1b[32m",
        [SG_OPEN] = "",        [SG_COUNTER] = "",        [SG_ASIDE] = "",
    };
    return colour ? sequence[class_] : "";
}

const char *sg_unpaint(bool colour)
{
    return colour ? "\x1b[0m" : "";
}

void sg_text_table_init(struct sg_text_table *grid, const struct sg_text_table_column *columns, size_t count)
{
    *grid = (struct sg_text_table){.columns = columns, .column_count = count};
}

void sg_text_table_clear(struct sg_text_table *grid)
{
    grid->bytes.length = grid->cell_count = grid->row_count = grid->line_count = 0;
}

void sg_text_table_release(struct sg_text_table *grid)
{
    sg_text_release(&grid->bytes);
    free(grid->cell);
    free(grid->row);
    free(grid->line);
    *grid = (struct sg_text_table){0};
}

/* Keeps a string; returns where. */
static size_t keep(struct sg_text_table *grid, const char *text)
{
    size_t start = grid->bytes.length;
    sg_text_add(&grid->bytes, text);
    sg_text_add_bytes(&grid->bytes, "", 1);
    return start;
}

void sg_text_table_row(struct sg_text_table *grid, enum sg_class class_)
{
    *SG_APPEND(grid->row, grid->row_count, grid->row_capacity) = class_;
}

void sg_text_table_cell(struct sg_text_table *grid, const char *text)
{
    *SG_APPEND(grid->cell, grid->cell_count, grid->cell_capacity) = keep(grid, text[0] ? text : EMPTY);
}

void sg_text_table_below(struct sg_text_table *grid, const char *text)
{
    *SG_APPEND(grid->line, grid->line_count, grid->line_capacity) =
        (struct sg_text_table_line){.row = grid->row_count - 1, .start = keep(grid, text)};
}

static const char *cell_at(const struct sg_text_table *grid, size_t row, size_t column)
{
    return grid->bytes.data + grid->cell[row * grid->column_count + column];
}

/* Calls `add` for the lines below a row, beginning at *next, which moves on: lines
 * stand in the order of their rows. */
static void add_lines(const struct sg_text_table *grid, size_t row, size_t *next, const char *before, const char *after,
                      void (*add)(struct sg_text *out, const char *text), struct sg_text *out)
{
    for (; *next < grid->line_count && grid->line[*next].row == row; ++*next) {
        sg_text_add(out, before);
        add(out, grid->bytes.data + grid->line[*next].start);
        sg_text_add(out, after);
    }
}

#define LINE_INDENT  4   /* of the lines below a row */
#define ROOM_TO_READ 40  /* columns: words in a narrower one than this are not broken */
#define LINE_MOST    140 /* columns of a row with names as long as ours; what would go on beyond stands below it */

void sg_text_table_widen(const struct sg_text_table *grid, struct sg_text_table_layout *layout)
{
    struct sg_text shown = {0};
    if (!layout->width) {
        layout->width = sg_alloc(grid->column_count, sizeof(*layout->width));
        layout->has_words = sg_alloc(grid->column_count, sizeof(*layout->has_words));
        for (size_t column = 0; column < grid->column_count; column++)
            layout->width[column] = sg_width(grid->columns[column].title);
    }
    for (size_t row = 0; row < grid->row_count; row++)
        for (size_t column = 0; column < grid->column_count; column++) {
            shown.length = 0;
            sg_add_terminal(&shown, cell_at(grid, row, column));
            size_t wanted = sg_width(sg_text_string(&shown));
            layout->width[column] = wanted > layout->width[column] ? wanted : layout->width[column];
            layout->has_words[column] |= strcmp(cell_at(grid, row, column), EMPTY) != 0;
        }
    layout->rows += grid->row_count;
    sg_text_release(&shown);
}

/* A column with nothing to say in any row is left out. */
static void settle(const struct sg_text_table *grid, struct sg_text_table_layout *layout)
{
    layout->shown = sg_alloc(grid->column_count, sizeof(*layout->shown));
    for (size_t column = 0; column < grid->column_count; column++)
        layout->shown[column] = !grid->columns[column].spare && (layout->has_words[column] || layout->rows == 0);
    for (size_t column = 0; column < grid->column_count; column++)
        if (layout->shown[column])
            layout->last = column;
    for (size_t column = 0; column < layout->last; column++)
        if (layout->shown[column])
            layout->last_begins += layout->width[column] + 2;
}

void sg_text_table_layout_release(struct sg_text_table_layout *layout)
{
    free(layout->width);
    free(layout->has_words);
    free(layout->shown);
    *layout = (struct sg_text_table_layout){0};
}

static bool has_words(const struct sg_text_table *grid, size_t column)
{
    for (size_t row = 0; row < grid->row_count; row++)
        if (strcmp(cell_at(grid, row, column), EMPTY) != 0)
            return true;
    return grid->row_count == 0;
}

static void add_padded(const struct sg_text_table *grid, size_t column, const char *cell, size_t width, struct sg_text *out)
{
    struct sg_text shown = {0};
    sg_add_terminal(&shown, cell);
    int blanks = (int)(width - sg_width(sg_text_string(&shown)));
    bool right = grid->columns[column].right;
    sg_text_addf(out, "%*s%s%*s", right ? blanks : 0, "", sg_text_string(&shown), right ? 0 : blanks, "");
    sg_text_release(&shown);
}

static void add_text_line(struct sg_text *out, const char *text)
{
    sg_add_wrapped(out, text, LINE_INDENT, LINE_INDENT + 2);
}

static void add_below(struct sg_text *out, const char *cell)
{
    sg_text_addf(out, "\n%*s", LINE_INDENT, "");
    add_text_line(out, cell);
}

/* Nothing follows the last column; words in it go on below where they begin, if that leaves room to
 * read them, or begin on a line below. */
static void add_last(const struct sg_text_table *grid, size_t column, const char *cell, const struct sg_text_table_layout *layout,
                     struct sg_text *out)
{
    if (grid->columns[column].right)
        add_padded(grid, column, cell, layout->width[column], out);
    else if (layout->last_begins + ROOM_TO_READ <= SG_TERMINAL_COLUMNS)
        sg_add_wrapped(out, cell, layout->last_begins, layout->last_begins);
    else if (layout->last_begins + sg_width(cell) <= LINE_MOST)
        sg_add_terminal(out, cell);
    else
        add_below(out, cell);
}

/* A row, or with `row` the number of rows, the titles. */
static void add_text_row(const struct sg_text_table *grid, size_t row, const struct sg_text_table_layout *layout, struct sg_text *out)
{
    for (size_t column = 0; column <= layout->last; column++) {
        if (!layout->shown[column])
            continue;
        const char *cell = row < grid->row_count ? cell_at(grid, row, column) : grid->columns[column].title;
        if (column == layout->last) {
            add_last(grid, column, cell, layout, out);
        } else {
            add_padded(grid, column, cell, layout->width[column], out);
            sg_text_add(out, "  ");
        }
    }
}

void sg_text_table_text_part(const struct sg_text_table *grid, struct sg_text_table_layout *layout, bool colour, struct sg_text *out)
{
    size_t next = 0;
    if (!layout->shown) {
        settle(grid, layout);
        add_text_row(grid, grid->row_count, layout, out);
        sg_text_add(out, "\n");
    }
    for (size_t row = 0; row < grid->row_count; row++) {
        sg_text_add(out, sg_paint(grid->row[row], colour));
        add_text_row(grid, row, layout, out);
        sg_text_addf(out, "%s\n", sg_unpaint(colour));
        add_lines(grid, row, &next, "    ", "\n", add_text_line, out);
    }
}

void sg_text_table_text(const struct sg_text_table *grid, bool colour, struct sg_text *out)
{
    struct sg_text_table_layout layout = {0};
    sg_text_table_widen(grid, &layout);
    sg_text_table_text_part(grid, &layout, colour, out);
    sg_text_table_layout_release(&layout);
}

/* `shown`: which columns; NULL: all. */
static void add_markdown_head(const struct sg_text_table *grid, const bool *shown, struct sg_text *out)
{
    for (size_t column = 0; column < grid->column_count; column++)
        if (!shown || shown[column])
            sg_text_addf(out, "| %s ", grid->columns[column].title);
    sg_text_add(out, "|\n");
    for (size_t column = 0; column < grid->column_count; column++)
        if (!shown || shown[column])
            sg_text_add(out, grid->columns[column].right ? "|---:" : "|---");
    sg_text_add(out, "|\n");
}

static void add_markdown_rows(const struct sg_text_table *grid, const bool *shown, struct sg_text *out)
{
    for (size_t row = 0; row < grid->row_count; row++) {
        for (size_t column = 0; column < grid->column_count; column++) {
            if (shown && !shown[column])
                continue;
            sg_text_add(out, "| ");
            sg_add_markdown(out, cell_at(grid, row, column));
            sg_text_add(out, " ");
        }
        sg_text_add(out, "|\n");
    }
}

void sg_text_table_markdown_head(const struct sg_text_table *grid, struct sg_text *out)
{
    add_markdown_head(grid, NULL, out);
}

void sg_text_table_markdown_rows(const struct sg_text_table *grid, struct sg_text *out)
{
    add_markdown_rows(grid, NULL, out);
}

void sg_text_table_markdown_lines(const struct sg_text_table *grid, struct sg_text *out)
{
    size_t next = 0;
    for (size_t row = 0; row < grid->row_count && next < grid->line_count; row++) {
        if (grid->line[next].row != row)
            continue;
        sg_text_add(out, "\n- ");
        sg_add_markdown(out, cell_at(grid, row, 0));
        sg_text_add(out, " **");
        sg_add_markdown(out, cell_at(grid, row, 1));
        sg_text_add(out, "**\n");
        add_lines(grid, row, &next, "    - ", "\n", sg_add_markdown, out);
    }
}

/* Which columns have words, and how many those are. */
struct worded_columns {
    bool *shown; /* owned */
    size_t count;
    bool has_keys;
};

static struct worded_columns choose_columns(const struct sg_text_table *grid)
{
    struct worded_columns columns = {.shown = sg_alloc(grid->column_count, sizeof(*columns.shown))};
    for (size_t column = 0; column < grid->column_count; column++) {
        columns.shown[column] = has_words(grid, column);
        columns.count += columns.shown[column];
        columns.has_keys |= grid->columns[column].key;
    }
    return columns;
}

void sg_text_table_markdown(const struct sg_text_table *grid, struct sg_text *out)
{
    struct worded_columns columns = choose_columns(grid);
    add_markdown_head(grid, columns.shown, out);
    add_markdown_rows(grid, columns.shown, out);
    sg_text_table_markdown_lines(grid, out);
    free(columns.shown);
}

static const char *html_class(const struct sg_text_table *grid, const struct worded_columns *columns, size_t column)
{
    const bool is_wide = columns->has_keys && !grid->columns[column].key;
    if (grid->columns[column].right)
        return is_wide ? " class=\"right wide\"" : " class=\"right\"";
    return is_wide ? " class=\"wide\"" : "";
}

static void add_html_head(const struct sg_text_table *grid, const struct worded_columns *columns, struct sg_text *out)
{
    sg_text_add(out, "<thead><tr>");
    for (size_t column = 0; column < grid->column_count; column++) {
        if (!columns->shown[column])
            continue;
        sg_text_addf(out, "<th%s title=\"", html_class(grid, columns, column));
        sg_add_markup(out, grid->columns[column].meaning);
        sg_text_add(out, "\">");
        sg_add_markup(out, grid->columns[column].title);
        sg_text_add(out, "</th>");
    }
    sg_text_add(out, "</tr></thead>\n");
}

static void add_html_row(const struct sg_text_table *grid, const struct worded_columns *columns, size_t row, size_t *next,
                         struct sg_text *out)
{
    sg_text_addf(out, "<tr class=\"%s\">", sg_class_word(grid->row[row]));
    for (size_t column = 0; column < grid->column_count; column++) {
        if (!columns->shown[column])
            continue;
        sg_text_addf(out, "<td%s>", html_class(grid, columns, column));
        sg_add_markup(out, cell_at(grid, row, column));
        sg_text_add(out, "</td>");
    }
    sg_text_add(out, "</tr>\n");
    struct sg_text lines = {0};
    add_lines(grid, row, next, "<div>", "</div>", sg_add_markup, &lines);
    if (lines.length > 0)
        sg_text_addf(out, "<tr class=\"below\"><td colspan=\"%zu\">%s</td></tr>\n", columns->count, lines.data);
    sg_text_release(&lines);
}

void sg_text_table_html(const struct sg_text_table *grid, struct sg_text *out)
{
    struct worded_columns columns = choose_columns(grid);
    size_t next = 0;
    sg_text_add(out, "<div class=\"scroll\"><table>\n");
    add_html_head(grid, &columns, out);
    sg_text_add(out, "<tbody>\n");
    for (size_t row = 0; row < grid->row_count; row++)
        add_html_row(grid, &columns, row, &next, out);
    sg_text_add(out, "</tbody>\n</table></div>\n");
    free(columns.shown);
}
