/* Text for a terminal of 120 columns. */

#include "reports/report.h"
#include "util/escape.h"

#define LINE_INDENT  4   /* of lines below a row */
#define ROOM_TO_READ 40  /* columns; words in a narrower column are not wrapped */
#define LINE_MOST    140 /* columns of a row; a longer last column moves below the row */

/* Escape sequences that start a class's colour in a terminal, and end it. */
static const char *paint(enum sg_class class_, bool colour)
{
    return colour ? sg_class_row(class_)->terminal : "";
}

static const char *unpaint(bool colour)
{
    return colour ? "\x1b[0m" : "";
}

struct layout {
    size_t *width;            /* width of each shown column, 0 for others; owned */
    size_t last, last_begins; /* the last shown column, and its start */
};

static const char *shown_cell(const struct sg_sheet *sheet, size_t row, size_t column)
{
    if (row == sheet->row_count)
        return sheet->columns[column].title;
    const char *cell = sg_sheet_at(sheet, row, column);
    return *cell ? cell : "-";
}

static size_t width_of(const struct sg_sheet *sheet, size_t column)
{
    size_t width = 0;
    SG_SCOPED(sg_text) shown = {0};
    for (size_t row = 0; row <= sheet->row_count; row++) {
        shown.length = 0;
        sg_add_terminal(&shown, shown_cell(sheet, row, column));
        const size_t wanted = sg_width(sg_text_string(&shown));
        width = wanted > width ? wanted : width;
    }
    return width;
}

/* Returns true for a column that yields and does not fit after the columns before it. */
static bool is_too_long(const struct sg_sheet *sheet, size_t column, const struct layout *layout)
{
    const size_t begins = layout->last_begins + layout->width[layout->last] + 2;
    return sheet->columns[column].yields && begins + width_of(sheet, column) > LINE_MOST;
}

static struct layout lay_out(const struct sg_sheet *sheet)
{
    struct layout layout = {.width = sg_alloc(sheet->column_count, sizeof(*layout.width))};
    SG_FREED bool *shown = sg_sheet_shown(sheet, SG_FOR_TERMINAL);
    for (size_t column = 0; column < sheet->column_count; column++) {
        if (!shown[column] || is_too_long(sheet, column, &layout))
            continue;
        if (column > layout.last && layout.width[layout.last] > 0)
            layout.last_begins += layout.width[layout.last] + 2;
        layout.width[column] = width_of(sheet, column);
        layout.last = column;
    }
    return layout;
}

static void add_padded(const struct sg_sheet *sheet, size_t column, const char *cell, size_t width,
                       struct sg_text *out)
{
    SG_SCOPED(sg_text) shown = {0};
    sg_add_terminal(&shown, cell);
    int blanks = (int)(width - sg_width(sg_text_string(&shown)));
    bool right = sg_sheet_is_right(sheet, column);
    sg_text_addf(out, "%*s%s%*s", right ? blanks : 0, "", sg_text_string(&shown),
                 right ? 0 : blanks, "");
}

static void add_below(struct sg_text *out, const char *words)
{
    sg_text_addf(out, "%*s", LINE_INDENT, "");
    sg_add_wrapped(out, words, LINE_INDENT, LINE_INDENT + 2);
}

/* The last column needs no padding. Its words wrap at the column's start if that leaves room to
 * read, otherwise on a line below. */
static void add_last(const struct sg_sheet *sheet, const char *cell, const struct layout *layout,
                     struct sg_text *out)
{
    if (sg_sheet_is_right(sheet, layout->last)) {
        add_padded(sheet, layout->last, cell, layout->width[layout->last], out);
    } else if (layout->last_begins + ROOM_TO_READ <= SG_TERMINAL_COLUMNS) {
        sg_add_wrapped(out, cell, layout->last_begins, layout->last_begins);
    } else if (layout->last_begins + sg_width(cell) <= LINE_MOST) {
        sg_add_terminal(out, cell);
    } else {
        sg_text_add(out, "\n");
        add_below(out, cell);
    }
}

/* Adds a row; if `row` is the number of rows, the titles. */
static void add_row(const struct sg_sheet *sheet, size_t row, const struct layout *layout,
                    struct sg_text *out)
{
    for (size_t column = 0; column < layout->last; column++) {
        if (layout->width[column] == 0)
            continue;
        add_padded(sheet, column, shown_cell(sheet, row, column), layout->width[column], out);
        sg_text_add(out, "  ");
    }
    add_last(sheet, shown_cell(sheet, row, layout->last), layout, out);
}

void sg_sheet_text(const struct sg_sheet *sheet, bool colour, struct sg_text *out)
{
    struct layout layout = lay_out(sheet);
    add_row(sheet, sheet->row_count, &layout, out);
    sg_text_add(out, "\n");
    for (size_t row = 0, next = 0; row < sheet->row_count; row++) {
        sg_text_add(out, paint(sheet->row[row], colour));
        add_row(sheet, row, &layout, out);
        sg_text_addf(out, "%s\n", unpaint(colour));
        for (; next < sheet->line_count && sheet->line[next].row == row; next++) {
            add_below(out, sheet->bytes.data + sheet->line[next].start);
            sg_text_add(out, "\n");
        }
    }
}

static void add_note(const struct sg_document_part *part, bool colour, struct sg_text *out)
{
    sg_text_add(out, paint(part->class_, colour));
    if (part->is_line)
        sg_add_terminal(out, part->words);
    else
        sg_add_wrapped(out, part->words, 0, 2);
    sg_text_addf(out, "%s\n", part->class_ == SG_ASIDE ? "" : unpaint(colour));
}

/* An empty line separates a sheet from the parts before and after it. */
static void document(const struct sg_document *document, bool colour, struct sg_text *out)
{
    bool is_behind_sheet = false;
    for (size_t i = 0; i < document->count; i++) {
        const struct sg_document_part *part = document->part[i];
        const bool is_sheet = part->kind == SG_PART_SHEET;
        if (!sg_part_is_shown(part, SG_FOR_TERMINAL))
            continue;
        sg_text_add(out, out->length > 0 && (is_sheet || is_behind_sheet) ? "\n" : "");
        if (is_sheet)
            sg_sheet_text(&part->sheet, colour, out);
        else
            add_note(part, colour, out);
        is_behind_sheet = is_sheet;
    }
}

const struct sg_format sg_format_text = {.name = "text", .document = document};
