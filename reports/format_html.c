/* An HTML page with links to charts and files next to it; everything else is inline. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "reports/report.h"
#include "util/escape.h"
#include "util/names.h"

/* generated from reports/page.css and page.js */
extern const char sg_page_style[], sg_page_script[];

/* Adds words for people: text between ` is code. An arrow becomes one character, because lines
 * may break after a dash. */
static void add_words(struct sg_text *out, const char *words)
{
    bool in_code = false;
    for (const char *at = words; *at;) {
        const size_t plain = strcspn(at, "`-");
        SG_SCOPED(sg_text) part = {0};
        sg_text_add_bytes(&part, at, plain);
        sg_add_markup(out, sg_text_string(&part));
        at += plain;
        if (*at == '`') {
            in_code = !in_code;
            sg_text_add(out, in_code ? "<code>" : "</code>");
        } else if (*at == '-') {
            sg_text_add(out, at[1] == '>' ? "\342\206\222" : "-");
            at += at[1] == '>';
        }
        at += *at != '\0';
    }
    sg_text_add(out, in_code ? "</code>" : "");
}

static void add_escaped(struct sg_text *out, const char *before, const char *text,
                        const char *after)
{
    sg_text_add(out, before);
    sg_add_markup(out, text);
    sg_text_add(out, after);
}

/* The columns with words, and their number. */
struct shown_columns {
    bool *is_shown; /* owned */
    size_t count;
    bool has_keys;
};

static struct shown_columns choose_columns(const struct sg_sheet *sheet)
{
    struct shown_columns columns = {.is_shown = sg_sheet_shown(sheet, SG_FOR_BROWSERS)};
    for (size_t column = 0; column < sheet->column_count; column++) {
        columns.count += columns.is_shown[column];
        columns.has_keys |= sheet->columns[column].key;
    }
    return columns;
}

static const char *html_class(const struct sg_sheet *sheet, const struct shown_columns *columns,
                              size_t column)
{
    const bool is_wide = columns->has_keys && !sheet->columns[column].key;
    if (sg_sheet_is_right(sheet, column))
        return is_wide ? " class=\"right wide\"" : " class=\"right\"";
    return is_wide ? " class=\"wide\"" : "";
}

static void add_head(const struct sg_sheet *sheet, const struct shown_columns *columns,
                     struct sg_text *out)
{
    sg_text_add(out, "<thead><tr>");
    for (size_t column = 0; column < sheet->column_count; column++) {
        const char *meaning = sheet->columns[column].meaning;
        if (!columns->is_shown[column])
            continue;
        sg_text_addf(out, "<th%s", html_class(sheet, columns, column));
        add_escaped(out, " title=\"", meaning ? meaning : "", "\">");
        add_escaped(out, "", sheet->columns[column].title, "</th>");
    }
    sg_text_add(out, "</tr></thead>\n");
}

/* Turns "NAME WORD NAME WORD" into a link to the figure of each name. */
static void add_links(const char *cell, struct sg_text *out)
{
    SG_FREED char *words = sg_copy_string(cell);
    char *rest = words;
    for (char *name; (name = strtok_r(NULL, " ", &rest));) {
        add_escaped(out, "<a class=\"figure\" href=\"#chart-", name, "\">");
        add_escaped(out, "", strtok_r(NULL, " ", &rest), "</a> ");
    }
}

static void add_cell(enum sg_cells cells, const char *cell, struct sg_text *out)
{
    if (cells == SG_FILES) {
        add_escaped(out, "<a href=\"", cell, "\">");
        add_escaped(out, "", cell, "</a>");
    } else if (cells == SG_FIGURES) {
        add_links(cell, out);
    } else if (cells == SG_SPARKS) {
        add_escaped(out, "<span class=\"spark\" data-nights=\"", cell, "\"></span>");
    } else if (cells == SG_COMMANDS) {
        add_escaped(out, "<code>", cell, "</code>");
    } else {
        add_words(out, *cell ? cell : "-");
    }
}

/* The name of a row is the same in every run: "verdicts/matvec/r64_c64_f32/warp_per_row". Only
 * the first row of a name gets the name. */
static void name_row(const struct sg_sheet *sheet, size_t row, struct sg_names *seen,
                     struct sg_text *name)
{
    sg_text_add(name, sheet->name);
    const size_t start = name->length;
    for (size_t column = 0; column < sheet->column_count; column++)
        if (sheet->columns[column].names)
            sg_text_addf(name, "/%s", sg_sheet_at(sheet, row, column));
    for (char *at = name->data; *at; at++)
        *at = isalnum((unsigned char)*at) || strchr("_./-", *at) ? *at : '_';
    if (name->length == start || sg_names_have(seen, name->data))
        sg_text_release(name);
    else
        sg_names_add(seen, name->data);
}

/* *next: the first line not yet printed; lines are in the order of their rows. */
static void add_row(const struct sg_sheet *sheet, const struct shown_columns *columns, size_t row,
                    struct sg_names *seen, size_t *next, struct sg_text *out)
{
    SG_SCOPED(sg_text) name = {0};
    name_row(sheet, row, seen, &name);
    sg_text_addf(out, "<tr class=\"%s\"", sg_class_row(sheet->row[row])->word);
    if (name.length > 0)
        sg_text_addf(out, " id=\"%s\"", name.data);
    sg_text_add(out, ">");
    for (size_t column = 0; column < sheet->column_count; column++) {
        if (!columns->is_shown[column])
            continue;
        sg_text_addf(out, "<td%s>", html_class(sheet, columns, column));
        add_cell(sheet->columns[column].cells, sg_sheet_at(sheet, row, column), out);
        sg_text_add(out, "</td>");
    }
    sg_text_add(out, "</tr>\n");
    if (*next == sheet->line_count || sheet->line[*next].row != row)
        return;
    sg_text_addf(out, "<tr class=\"below\"><td colspan=\"%zu\">", columns->count);
    for (; *next < sheet->line_count && sheet->line[*next].row == row; ++*next) {
        sg_text_add(out, "<div>");
        add_words(out, sheet->bytes.data + sheet->line[*next].start);
        sg_text_add(out, "</div>");
    }
    sg_text_add(out, "</td></tr>\n");
}

/* Adds the sheet in a scroll box, which may be narrower than the table. */
static void add_sheet(const struct sg_document_part *part, struct sg_text *out)
{
    const struct sg_sheet *sheet = &part->sheet;
    struct shown_columns columns = choose_columns(sheet);
    SG_SCOPED(sg_names) seen = {0};
    size_t next = 0;
    if (part->fold)
        add_escaped(out, "<details><summary>", part->fold, "</summary>\n");
    sg_text_addf(out, "<div class=\"scroll\"><table class=\"%s%s\">\n", sheet->name,
                 columns.has_keys ? " rows" : "");
    add_head(sheet, &columns, out);
    sg_text_add(out, "<tbody>\n");
    for (size_t row = 0; row < sheet->row_count; row++)
        add_row(sheet, &columns, row, &seen, &next, out);
    sg_text_add(out, "</tbody>\n</table></div>\n");
    sg_text_add(out, part->fold ? "</details>\n" : "");
}

static void add_note(const struct sg_document_part *part, struct sg_text *out)
{
    sg_text_addf(out, "<p class=\"%s\">", sg_class_row(part->class_)->word);
    add_words(out, part->words);
    sg_text_add(out, "</p>\n");
}

static void add_heading(const struct sg_document_part *part, struct sg_text *out)
{
    sg_text_addf(out, "<h2 id=\"%s\">", part->name);
    add_escaped(out, "", part->words, "</h2>\n");
}

static void add_figure(const struct sg_document_part *part, struct sg_text *out)
{
    const char *name = part->name;
    sg_text_addf(out, "<figure id=\"chart-%s\">", name);
    add_escaped(out, "<h3>", part->words, "</h3>\n<details>");
    add_escaped(out, "<summary title=\"how to read this chart\">?</summary><p>", part->below,
                "</p></details>\n");
    sg_text_addf(out,
                 "<a href=\"charts/%s.png\"><picture><source media=\"(max-width: 900px)\" "
                 "srcset=\"charts/%s_narrow.svg\"/>",
                 name, name);
    sg_text_addf(out, "<img src=\"charts/%s.svg\"", name);
    add_escaped(out, " alt=\"", part->words, "\"/></picture></a>\n");
    sg_text_addf(out,
                 "<figcaption><a href=\"charts/%s.png\">PNG</a>, <a "
                 "href=\"charts/%s.svg\">SVG</a>, <a href=\"charts/%s.tsv\">data</a>"
                 "</figcaption></figure>\n",
                 name, name, name);
}

static void add_contents(const struct sg_document *document, struct sg_text *out)
{
    sg_text_add(out, "<nav>\n");
    for (size_t i = 0; i < document->count; i++) {
        const struct sg_document_part *part = document->part[i];
        if (part->kind != SG_PART_HEADING)
            continue;
        sg_text_addf(out, "<a href=\"#%s\">", part->name);
        add_escaped(out, "", part->words, "</a>\n");
    }
    sg_text_add(out, "<label hidden=\"hidden\" title=\"kernel, case or verdict\">show rows "
                     "of <input id=\"filter\" type=\"search\"/></label>\n</nav>\n");
}

static void document(const struct sg_document *document, bool colour, struct sg_text *out)
{
    static sg_part_fn *const print[SG_PART_KINDS] = {[SG_PART_SHEET] = add_sheet,
                                                     [SG_PART_NOTE] = add_note,
                                                     [SG_PART_HEADING] = add_heading,
                                                     [SG_PART_FIGURE] = add_figure};
    const char *title = document->title ? document->title : document->name;
    (void)colour;
    sg_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n");
    add_escaped(out, "<title>", document->tab ? document->tab : title, " - solgate</title>\n");
    sg_text_addf(out, "<style>\n%s</style>\n</head>\n<body>\n", sg_page_style);
    add_escaped(out, "<h1>", title, "</h1>\n");
    add_contents(document, out);
    sg_document_print(document, SG_FOR_BROWSERS, print, out);
    sg_text_addf(out, "<script type=\"module\">\n%s</script>\n</body>\n</html>\n", sg_page_script);
}

const struct sg_format sg_format_html = {.name = "html", .document = document};
