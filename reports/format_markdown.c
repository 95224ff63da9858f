#include <stdlib.h>

#include "reports/report.h"
#include "util/escape.h"

static void add_cell(const struct sg_sheet *sheet, size_t row, size_t column, struct sg_text *out)
{
    const char *cell = sg_sheet_at(sheet, row, column);
    sg_add_markdown(out, *cell ? cell : "-");
}

static void add_head(const struct sg_sheet *sheet, const bool *shown, struct sg_text *out)
{
    for (size_t column = 0; column < sheet->column_count; column++)
        if (shown[column])
            sg_text_addf(out, "| %s ", sheet->columns[column].title);
    sg_text_add(out, "|\n");
    for (size_t column = 0; column < sheet->column_count; column++)
        if (shown[column])
            sg_text_add(out, sg_sheet_is_right(sheet, column) ? "|---:" : "|---");
    sg_text_add(out, "|\n");
}

/* A table has no place for lines below a row: they follow it, under the first cells of the row. */
static void add_lines(const struct sg_sheet *sheet, struct sg_text *out)
{
    for (size_t i = 0; i < sheet->line_count; i++) {
        const size_t row = sheet->line[i].row;
        if (i == 0 || sheet->line[i - 1].row != row) {
            sg_text_add(out, "\n- ");
            add_cell(sheet, row, 0, out);
            sg_text_add(out, " **");
            add_cell(sheet, row, sheet->column_count > 1, out);
            sg_text_add(out, "**\n");
        }
        sg_text_add(out, "    - ");
        sg_add_markdown(out, sheet->bytes.data + sheet->line[i].start);
        sg_text_add(out, "\n");
    }
}

void sg_sheet_markdown(const struct sg_sheet *sheet, struct sg_text *out)
{
    bool *shown = sg_alloc(sheet->column_count, sizeof(*shown));
    for (size_t column = 0; column < sheet->column_count; column++)
        shown[column] = sg_sheet_has_words(sheet, column);
    add_head(sheet, shown, out);
    for (size_t row = 0; row < sheet->row_count; row++) {
        for (size_t column = 0; column < sheet->column_count; column++) {
            sg_text_add(out, shown[column] ? "| " : "");
            if (shown[column])
                add_cell(sheet, row, column, out);
            sg_text_add(out, shown[column] ? " " : "");
        }
        sg_text_add(out, "|\n");
    }
    add_lines(sheet, out);
    free(shown);
}

static void add_note(const struct sg_document_part *part, struct sg_text *out)
{
    const char *strong = part->class_ == SG_ASIDE ? "" : "**";
    sg_text_add(out, strong);
    sg_add_markdown(out, part->note);
    sg_text_addf(out, "%s\n", strong);
}

static void add_sheet(const struct sg_document_part *part, struct sg_text *out)
{
    if (part->fold) {
        sg_text_add(out, "<details><summary>");
        sg_add_markup(out, part->fold);
        sg_text_add(out, "</summary>\n\n");
    }
    sg_sheet_markdown(&part->sheet, out);
    sg_text_add(out, part->fold ? "\n</details>\n" : "");
}

static void document(const struct sg_document *document, bool colour, struct sg_text *out)
{
    (void)colour;
    for (size_t i = 0; i < document->count; i++) {
        const struct sg_document_part *part = document->part[i];
        if (part->readers == SG_FOR_PROGRAMS || part->readers == SG_FOR_TERMINAL || (!part->note && part->sheet.row_count == 0))
            continue;
        sg_text_add(out, out->length > 0 ? "\n" : "");
        (part->note ? add_note : add_sheet)(part, out);
    }
}

const struct sg_format sg_format_markdown = {.name = "markdown", .document = document};
