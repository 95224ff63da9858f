/* A fragment without a page around it: reports/pages has the page of a report. */
#include <stdlib.h>

#include "reports/report.h"
#include "util/escape.h"

/* Which columns have words, and how many those are. */
struct shown_columns {
    bool *is_shown; /* owned */
    size_t count;
    bool has_keys;
};

static struct shown_columns choose_columns(const struct sg_sheet *sheet)
{
    struct shown_columns columns = {.is_shown = sg_alloc(sheet->column_count, sizeof(*columns.is_shown))};
    for (size_t column = 0; column < sheet->column_count; column++) {
        columns.is_shown[column] = sg_sheet_has_words(sheet, column);
        columns.count += columns.is_shown[column];
        columns.has_keys |= sheet->columns[column].key;
    }
    return columns;
}

static const char *html_class(const struct sg_sheet *sheet, const struct shown_columns *columns, size_t column)
{
    const bool is_wide = columns->has_keys && !sheet->columns[column].key;
    if (sg_sheet_is_right(sheet, column))
        return is_wide ? " class=\"right wide\"" : " class=\"right\"";
    return is_wide ? " class=\"wide\"" : "";
}

static void add_head(const struct sg_sheet *sheet, const struct shown_columns *columns, struct sg_text *out)
{
    sg_text_add(out, "<thead><tr>");
    for (size_t column = 0; column < sheet->column_count; column++) {
        if (!columns->is_shown[column])
            continue;
        sg_text_addf(out, "<th%s title=\"", html_class(sheet, columns, column));
        sg_add_markup(out, sheet->columns[column].meaning ? sheet->columns[column].meaning : "");
        sg_text_add(out, "\">");
        sg_add_markup(out, sheet->columns[column].title);
        sg_text_add(out, "</th>");
    }
    sg_text_add(out, "</tr></thead>\n");
}

/* *next: the first line that is not printed yet; lines stand in the order of their rows. */
static void add_row(const struct sg_sheet *sheet, const struct shown_columns *columns, size_t row, size_t *next, struct sg_text *out)
{
    sg_text_addf(out, "<tr class=\"%s\">", sg_class_word(sheet->row[row]));
    for (size_t column = 0; column < sheet->column_count; column++) {
        if (!columns->is_shown[column])
            continue;
        const char *cell = sg_sheet_at(sheet, row, column);
        sg_text_addf(out, "<td%s>", html_class(sheet, columns, column));
        sg_add_markup(out, *cell ? cell : "-");
        sg_text_add(out, "</td>");
    }
    sg_text_add(out, "</tr>\n");
    if (*next == sheet->line_count || sheet->line[*next].row != row)
        return;
    sg_text_addf(out, "<tr class=\"below\"><td colspan=\"%zu\">", columns->count);
    for (; *next < sheet->line_count && sheet->line[*next].row == row; ++*next) {
        sg_text_add(out, "<div>");
        sg_add_markup(out, sheet->bytes.data + sheet->line[*next].start);
        sg_text_add(out, "</div>");
    }
    sg_text_add(out, "</td></tr>\n");
}

void sg_sheet_html(const struct sg_sheet *sheet, struct sg_text *out)
{
    struct shown_columns columns = choose_columns(sheet);
    size_t next = 0;
    sg_text_add(out, "<div class=\"scroll\"><table>\n");
    add_head(sheet, &columns, out);
    sg_text_add(out, "<tbody>\n");
    for (size_t row = 0; row < sheet->row_count; row++)
        add_row(sheet, &columns, row, &next, out);
    sg_text_add(out, "</tbody>\n</table></div>\n");
    free(columns.is_shown);
}

static void add_note(const struct sg_document_part *part, struct sg_text *out)
{
    sg_text_addf(out, "<p class=\"%s\">", sg_class_word(part->class_));
    sg_add_markup(out, part->note);
    sg_text_add(out, "</p>\n");
}

static void add_sheet(const struct sg_document_part *part, struct sg_text *out)
{
    if (part->fold) {
        sg_text_add(out, "<details><summary>");
        sg_add_markup(out, part->fold);
        sg_text_add(out, "</summary>\n");
    }
    sg_sheet_html(&part->sheet, out);
    sg_text_add(out, part->fold ? "</details>\n" : "");
}

static void document(const struct sg_document *document, bool colour, struct sg_text *out)
{
    (void)colour;
    for (size_t i = 0; i < document->count; i++) {
        const struct sg_document_part *part = document->part[i];
        if (part->readers == SG_FOR_PROGRAMS || part->readers == SG_FOR_TERMINAL || (!part->note && part->sheet.row_count == 0))
            continue;
        (part->note ? add_note : add_sheet)(part, out);
    }
}

const struct sg_format sg_format_html = {.name = "html", .document = document};
