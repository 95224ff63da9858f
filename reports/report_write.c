#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/charts/charts.h"
#include "reports/page.h"
#include "reports/tables/counter_matrix.h"
#include "reports/tables/ranking.h"
#include "util/file.h"

/* Writes and empties `text`. */
static enum sg_code put(const char *folder, const char *name, struct sg_text *text,
                        struct sg_err *err)
{
    SG_FORMATTED(path, "%s/%s", folder, name);
    sg_write_file(path.data, sg_text_string(text), text->length, err);
    sg_text_release(text);
    return err->code;
}

static void add_counters(const struct sg_report *report, struct sg_text *text)
{
    struct sg_counter_matrix wide = {0};
    sg_counter_matrix_init(&wide, report->parts[0].input.run, "");
    sg_counter_matrix_csv(&wide, text);
}

static void add_findings(const struct sg_report *report, struct sg_text *text)
{
    sg_format_comparison(sg_format_find("csv"), &report->parts[0].input, text);
}

static void add_gaps(const struct sg_report *report, struct sg_text *text)
{
    static const struct sg_sol_table none = {.count = 0}; /* prints only the header */
    struct sg_document document = {.name = "gap"};
    sg_document_of_gaps(&document, report->parts[0].gaps ? report->parts[0].gaps : &none, 1, true);
    sg_format_find("csv")->document(&document, false, text);
}

static enum sg_code put_tables(const struct sg_report *report, struct sg_err *err)
{
    static const struct {
        const char *name;
        void (*add)(const struct sg_report *report, struct sg_text *text);
    } tables[] = {
        {"comparison.csv", add_findings}, {"gap.csv", add_gaps}, {"counters.csv", add_counters}};
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && err->code == SG_SUCCESS; i++) {
        struct sg_text text = {0};
        tables[i].add(report, &text);
        put(report->folder, tables[i].name, &text, err);
    }
    return err->code;
}

/* Removes the pages of an earlier report, so that a report that fails half-way does not leave
 * pages next to other tables. */
static enum sg_code remove_pages(const char *folder, struct sg_err *err)
{
    static const char *const pages[] = {"index.html", "report.md"};
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]) && err->code == SG_SUCCESS; i++) {
        SG_FORMATTED(path, "%s/%s", folder, pages[i]);
        if (unlink(path.data) != 0 && errno != ENOENT)
            sg_fail(err, SG_SYSTEM, path.data,
                    "the page of an earlier report cannot be removed: %s", strerror(errno));
    }
    return err->code;
}

/* Appends `text` with `folder` replaced at the start of paths: absolute paths are useless on
 * another machine. Commands stay valid in the same working folder. */
static void add_without(const char *text, const char *folder, const char *instead,
                        struct sg_text *out)
{
    const size_t length = strlen(folder);
    for (const char *at = text; *at; at++) {
        const bool begins = at == text || strchr(" \t\n='\"`>(", at[-1]);
        if (begins && strncmp(at, folder, length) == 0 && at[length] == '/') {
            sg_text_add(out, instead);
            at += length;
        } else {
            sg_text_add_bytes(out, at, 1);
        }
    }
}

static void shorten_paths(struct sg_text *page)
{
    SG_FREED char *here = realpath(".", NULL);
    const char *const folders[] = {here, getenv("HOME")}, *const instead[] = {"", "$HOME/"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        struct sg_text shorter = {0};
        if (!folders[i] || strlen(folders[i]) < 2)
            continue;
        add_without(sg_text_string(page), folders[i], instead[i], &shorter);
        sg_text_release(page);
        *page = shorter;
    }
}

static enum sg_code put_page(const char *folder, const struct sg_document *document,
                             const char *format, const char *name, struct sg_err *err)
{
    struct sg_text text = {0};
    sg_format_find(format)->document(document, false, &text);
    shorten_paths(&text);
    return put(folder, name, &text, err);
}

/* Writes index.html, and report.md if asked; then returns the error of the charts. */
static enum sg_code put_pages(const char *folder, const struct sg_document *document,
                              bool has_markdown, const struct sg_err *drawing, struct sg_err *err)
{
    if (has_markdown)
        put_page(folder, document, "markdown", "report.md", err);
    if (err->code == SG_SUCCESS)
        put_page(folder, document, "html", "index.html", err);
    if (err->code == SG_SUCCESS && drawing->code != SG_SUCCESS)
        sg_fail(err, drawing->code, drawing->where, "%s", drawing->message);
    return err->code;
}

static void draw(const char *folder, const struct sg_charts *charts, const char *caption,
                 struct sg_err *err)
{
    SG_FORMATTED(path, "%s/charts", folder);
    if (sg_make_folders(path.data, err) == SG_SUCCESS &&
        sg_gnuplot_check_letters(err) == SG_SUCCESS)
        for (size_t i = 0; i < charts->count && err->code == SG_SUCCESS; i++) {
            SG_FORMATTED(whole, "%s%s%s", caption,
                         *caption && charts->items[i].shown[0] ? " - " : "",
                         charts->items[i].shown);
            sg_chart_draw(&charts->items[i], path.data, whole.data, err);
        }
}

enum sg_code sg_report_write(const struct sg_report *report, struct sg_err *err)
{
    struct sg_charts charts = {0};
    struct sg_document document = {0};
    struct sg_err drawing = {0};
    struct sg_page page = {.report = report, .charts = &charts};
    if (sg_make_folders(report->folder, err) != SG_SUCCESS ||
        remove_pages(report->folder, err) != SG_SUCCESS || put_tables(report, err) != SG_SUCCESS)
        return err->code;
    if (!report->tables_only) {
        SG_SCOPED(sg_text) caption = {0};
        sg_add_caption(&caption, report->parts[0].input.env, report->parts[0].input.note);
        sg_charts_make(report, &charts);
        if (report->history)
            sg_charts_take(&charts, &report->history->trends);
        draw(report->folder, &charts, sg_text_string(&caption), &drawing);
    }
    if (drawing.code != SG_SUCCESS)
        page.problem = drawing.message;
    sg_document_of_page(&document, &page);
    return put_pages(report->folder, &document, true, &drawing, err);
}

enum sg_code sg_history_write(const char *folder, struct sg_document *document,
                              const struct sg_charts *trends, struct sg_err *err)
{
    struct sg_err drawing = {0};
    if (sg_make_folders(folder, err) != SG_SUCCESS || remove_pages(folder, err) != SG_SUCCESS)
        return err->code;
    if (trends->count > 0) {
        sg_document_heading(document, SG_FOR_PAGES, "charts",
                            "Series with a step, or with something open");
        draw(folder, trends, "", &drawing);
    }
    for (size_t i = 0; i < trends->count && drawing.code == SG_SUCCESS; i++)
        sg_add_figure(document, &trends->items[i]);
    sg_document_note(document, SG_FOR_PAGES, drawing.code != SG_SUCCESS ? drawing.message : "");
    return put_pages(folder, document, false, &drawing, err);
}
