/*
 * Markdown for merge requests and wikis.
 */

#include "reports/report.h"
#include "util/escape.h"

/* Adds a command as code. Characters that would end the code or the cell are replaced; names do
 * not have them. */
static void add_code(struct sg_text *out, const char *command)
{
    SG_SCOPED(sg_text) plain = {0};
    sg_add_terminal(&plain, command);
    sg_text_add(out, "`");
    for (const char *c = sg_text_string(&plain); *c; c++)
        sg_text_addf(out, "%s%c", *c == '|' ? "\\" : "", *c == '`' ? '\'' : *c);
    sg_text_add(out, "`");
}

static void add_cell(const struct sg_sheet *sheet, size_t row, size_t column, struct sg_text *out)
{
    const char *cell = sg_sheet_at(sheet, row, column);
    if (sheet->columns[column].cells == SG_COMMANDS)
        add_code(out, cell);
    else
        sg_add_markdown(out, *cell ? cell : "-");
}

/* Adds a row; if `row` is the number of rows, the titles and the line below them. */
static void add_row(const struct sg_sheet *sheet, const bool *shown, size_t row,
                    struct sg_text *out)
{
    const bool is_head = row == sheet->row_count;
    for (size_t column = 0; column < sheet->column_count; column++) {
        sg_text_add(out, shown[column] ? "| " : "");
        if (shown[column] && is_head)
            sg_text_add(out, sheet->columns[column].title);
        else if (shown[column])
            add_cell(sheet, row, column, out);
        sg_text_add(out, shown[column] ? " " : "");
    }
    sg_text_add(out, "|\n");
    for (size_t column = 0; column < sheet->column_count && is_head; column++)
        if (shown[column])
            sg_text_add(out, sg_sheet_is_right(sheet, column) ? "|---:" : "|---");
    sg_text_add(out, is_head ? "|\n" : "");
}

/* A table cannot have lines below a row, so they follow the table, with the first cells of their
 * row. */
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

static void begin_part(struct sg_text *out)
{
    sg_text_add(out, out->length > 0 ? "\n" : "");
}

static void add_sheet(const struct sg_document_part *part, struct sg_text *out)
{
    const struct sg_sheet *sheet = &part->sheet;
    SG_FREED bool *shown = sg_sheet_shown(sheet, SG_FOR_MARKDOWN);
    begin_part(out);
    if (part->fold) {
        sg_text_add(out, "<details><summary>");
        sg_add_markup(out, part->fold);
        sg_text_add(out, "</summary>\n\n");
    }
    add_row(sheet, shown, sheet->row_count, out);
    for (size_t row = 0; row < sheet->row_count; row++)
        add_row(sheet, shown, row, out);
    add_lines(sheet, out);
    sg_text_add(out, part->fold ? "\n</details>\n" : "");
}

static void add_note(const struct sg_document_part *part, struct sg_text *out)
{
    const char *strong = part->class_ == SG_ASIDE ? "" : "**";
    begin_part(out);
    sg_text_add(out, strong);
    sg_add_markdown(out, part->words);
    sg_text_addf(out, "%s\n", strong);
}

static void add_title(const char *mark, const char *title, struct sg_text *out)
{
    begin_part(out);
    sg_text_addf(out, "%s ", mark);
    sg_add_markdown(out, title);
    sg_text_add(out, "\n");
}

static void add_heading(const struct sg_document_part *part, struct sg_text *out)
{
    add_title("##", part->words, out);
}

static void add_figure(const struct sg_document_part *part, struct sg_text *out)
{
    add_title("###", part->words, out);
    sg_text_addf(out, "\n![%s](charts/%s.png)\n\n", part->words, part->name);
    sg_add_markdown(out, part->below);
    sg_text_add(out, "\n");
}

static void document(const struct sg_document *document, bool colour, struct sg_text *out)
{
    static sg_part_fn *const print[SG_PART_KINDS] = {[SG_PART_SHEET] = add_sheet,
                                                     [SG_PART_NOTE] = add_note,
                                                     [SG_PART_HEADING] = add_heading,
                                                     [SG_PART_FIGURE] = add_figure};
    (void)colour;
    if (document->title)
        add_title("#", document->title, out);
    sg_document_print(document, SG_FOR_MARKDOWN, print, out);
}

const struct sg_format sg_format_markdown = {.name = "markdown", .document = document};
