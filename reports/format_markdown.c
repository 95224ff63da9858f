/* Markdown. A comment on a pull or merge request shows its first lines, and folds the rest. */

#include <string.h>

#include "reports/report.h"
#include "util/escape.h"

#define LINES_MAX 55    /* unfolded lines of a comment; solgate-ci and a cut add five */
#define BYTES_MAX 65536 /* bytes of a comment; GitHub allows this many characters */
#define HEAD      3     /* lines of a table above its first row */
#define FOLD      2     /* lines of a folded block that are shown */
#define ROWS_MIN  3     /* rows that a table keeps if they fit */

/* Where a document is printed. */
struct page {
    struct sg_text *shown;
    struct sg_text folded; /* blocks that follow the lines that are shown */
    size_t room;           /* lines that the next part may show */
};

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

static void add_rows(const struct sg_sheet *sheet, size_t from, size_t to, struct sg_text *out)
{
    SG_FREED bool *shown = sg_sheet_shown(sheet, SG_FOR_MARKDOWN);
    if (from < to)
        add_row(sheet, shown, sheet->row_count, out);
    for (size_t row = from; row < to; row++)
        add_row(sheet, shown, row, out);
}

/* A table cannot have lines below a row, so they follow the table, with the first cells of their
 * row. */
static void add_lines(const struct sg_sheet *sheet, size_t from, size_t to, struct sg_text *out)
{
    for (size_t i = 0; i < sheet->line_count; i++) {
        const size_t row = sheet->line[i].row;
        if (row < from || row >= to)
            continue;
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

/* How many of the first `rows` rows have their lines in `room` lines. */
static size_t count_explained(const struct sg_sheet *sheet, size_t rows, size_t room)
{
    size_t row = 0, used = 0;
    for (size_t i = 0; row < rows; row++) {
        for (size_t first = i; i < sheet->line_count && sheet->line[i].row == row; i++)
            used += i == first ? 3 : 1;
        if (used > room)
            break;
    }
    return row;
}

static void begin_part(struct sg_text *out)
{
    sg_text_add(out, out->length > 0 ? "\n" : "");
}

/* The worst rows come first; those that do not fit are folded, and so are the lines below rows. */
static void add_sheet(const struct sg_document_part *part, struct page *page)
{
    const struct sg_sheet *sheet = &part->sheet;
    const size_t all = sheet->row_count, room = page->room - HEAD;
    size_t rows = part->fold ? 0 : all, told = rows;
    if (rows > room || count_explained(sheet, rows, room - rows) < rows) {
        const size_t most = sheet->line_count > 0 ? (room - FOLD + 1) / 2 : room - FOLD;
        rows = rows < most ? rows : most;
        told = count_explained(sheet, rows, room - FOLD - rows);
    }
    if (rows > 0)
        begin_part(page->shown);
    add_rows(sheet, 0, rows, page->shown);
    add_lines(sheet, 0, told, page->shown);
    if (told == all)
        return;
    sg_text_add(&page->folded, "\n<details><summary>");
    if (part->fold)
        sg_add_markup(&page->folded, part->fold);
    else
        sg_text_addf(&page->folded, "%s%zu more rows", rows < all ? "" : "reasons of ",
                     all - (rows < all ? rows : told));
    sg_text_add(&page->folded, "</summary>\n\n");
    add_rows(sheet, rows, all, &page->folded);
    add_lines(sheet, told, all, &page->folded);
    sg_text_add(&page->folded, "\n</details>\n");
}

static void add_title(const char *mark, const char *title, struct sg_text *out)
{
    begin_part(out);
    sg_text_addf(out, "%s ", mark);
    sg_add_markdown(out, title);
    sg_text_add(out, "\n");
}

static void add_part(const struct sg_document_part *part, struct page *page)
{
    struct sg_text *out = page->shown;
    const char *strong = part->class_ == SG_ASIDE ? "" : "**";
    switch (part->kind) {
    case SG_PART_SHEET:
        add_sheet(part, page);
        break;
    case SG_PART_NOTE:
        begin_part(out);
        sg_text_add(out, strong);
        sg_add_markdown(out, part->words);
        sg_text_addf(out, "%s\n", strong);
        break;
    case SG_PART_FIGURE:
        add_title("###", part->words, out);
        sg_text_addf(out, "\n![%s](charts/%s.png)\n\n", part->words, part->name);
        sg_add_markdown(out, part->below);
        sg_text_add(out, "\n");
        break;
    default:
        add_title("##", part->words, out);
    }
}

/* ---- the limits of a comment ---- */

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        count++;
    return count;
}

/* The lines that the parts from `first` on show at least. */
static size_t least_lines(const struct sg_document *document, size_t first)
{
    size_t lines = 0;
    for (size_t i = first; i < document->count; i++) {
        const struct sg_document_part *part = document->part[i];
        if (sg_part_is_shown(part, SG_FOR_MARKDOWN))
            lines += part->kind == SG_PART_SHEET && !part->fold ? HEAD + ROWS_MIN + FOLD : FOLD;
    }
    return lines;
}

/* Ends the text at a line, with the folded blocks that are open there. */
static void cut(struct sg_text *out)
{
    static const char note[] = "\nCut: a comment has at most 65,536 characters.\n",
                      end[] = "\n</details>\n";
    if (out->length <= BYTES_MAX)
        return;
    out->length = BYTES_MAX - sizeof(note) - 2 * sizeof(end);
    while (out->length > 0 && out->data[out->length - 1] != '\n')
        out->length--;
    out->data[out->length] = '\0';
    for (size_t i = count_of(out->data, "</details>"); i < count_of(out->data, "<details>"); i++)
        sg_text_add(out, end);
    sg_text_add(out, note);
}

/* The lines that a part may show; 0: it does not fit. */
static size_t room_for(const struct sg_document *document, size_t part, size_t used)
{
    const size_t after = used + least_lines(document, part + 1), before = LINES_MAX - FOLD,
                 least = least_lines(document, part) - least_lines(document, part + 1);
    if (after + least <= LINES_MAX)
        return LINES_MAX - after;
    return used + least <= before ? least : 0;
}

/* In a document that is no comment, folded blocks stay in their places. */
static void document(const struct sg_document *document, bool colour, struct sg_text *out)
{
    struct page page = {.shown = out, .room = SIZE_MAX};
    (void)colour;
    if (document->title)
        add_title("#", document->title, out);
    for (size_t i = 0; i < document->count; i++) {
        if (!sg_part_is_shown(document->part[i], SG_FOR_MARKDOWN))
            continue;
        if (document->is_comment && page.shown == out)
            page.room = room_for(document, i, count_of(sg_text_string(out), "\n"));
        if (page.room == 0) {
            sg_text_add(&page.folded, "\n<details><summary>more</summary>\n");
            page.shown = &page.folded;
            page.room = SIZE_MAX;
        }
        add_part(document->part[i], &page);
        if (!document->is_comment) {
            sg_text_add(out, sg_text_string(&page.folded));
            sg_text_release(&page.folded);
        }
    }
    sg_text_add(out, sg_text_string(&page.folded));
    sg_text_add(out, page.shown == out ? "" : "\n</details>\n");
    sg_text_release(&page.folded);
    if (document->is_comment)
        cut(out);
}

const struct sg_format sg_format_markdown = {.name = "markdown", .document = document};
