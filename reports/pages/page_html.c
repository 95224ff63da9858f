#include "reports/pages/page.h"
#include "reports/tables/next_steps.h"
#include "results/env.h"
#include "results/error_signature.h"
#include "util/escape.h"

#define CAUSES    5
#define TABLE_MAX 2000 /* rows of one table: what a browser still scrolls well */
#define NEWS_OPEN 20   /* rows that no one has to act on: more are folded, lest they push the charts away */

const struct sg_page_file sg_page_files[] = {
    {"comparison.csv", "every finding, all columns"},       {"gap.csv", "time against the speed of light"},
    {"counters.csv", "a row a variant, a column a metric"}, {"stalls.csv", "the same, stall reasons only"},
    {"runs.csv", "times of the runs side by side"},         {"report.md", "this page as markdown"},
};
const size_t sg_page_file_count = sizeof(sg_page_files) / sizeof(sg_page_files[0]);

static const char style[] =
    "<style>\n"
    ":root{color-scheme:light dark;--ink:#1c1e21;--soft:#5f6368;--line:#dadce0;--page:#fff;--card:#f6f7f8;--red:#c62828;--amber:#a15c00;"
    "--green:#2e7d32;--blue:#1565c0}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#9aa0a6;--line:#3c4043;--page:#16181b;--card:#202327;--red:#ff8a80;"
    "--amber:#ffb74d;--green:#81c784;--blue:#90caf9}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:1600px;margin:0 auto;padding:16px 16px "
    "64px}\n"
    "h1{font-size:22px;margin:8px 0}h2{font-size:18px;margin:28px 0 8px;border-bottom:1px solid var(--line)}h3{font-size:15px;margin:24px "
    "0 4px}\n"
    "p{margin:6px 0;max-width:80ch;overflow-wrap:anywhere}.soft,figcaption{color:var(--soft);font-size:14px}\n"
    ".verdict{padding:12px 16px;border-left:6px solid var(--green);background:var(--card);font-size:17px}\n"
    ".verdict.red{border-color:var(--red)}.verdict.yellow{border-color:var(--amber)}.verdict.news{border-color:var(--blue)}\n"
    "nav{font-size:14px;margin:8px 0}nav a{margin-right:16px;white-space:nowrap}h2{scroll-margin-top:8px}\n"
    ".next{margin:6px 0;padding-left:20px}.next code{overflow-wrap:anywhere;background:var(--card);padding:1px 4px}\n"
    ".note{padding:8px 16px;border:1px solid var(--amber);color:var(--amber);margin:8px 0}\n"
    /* A table that is wider or longer than the window moves in a box of its own, below its
     * titles and beside its first column. */
    ".scroll{overflow:auto;max-height:90vh;margin:8px 0}\n"
    "table{border-collapse:separate;border-spacing:0;font-size:13px;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:3px 5px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;white-space:nowrap}\n"
    "th{color:var(--soft);font-weight:600;white-space:normal;vertical-align:bottom;position:sticky;top:0;background:var(--page);z-index:1}."
    "right{text-align:right}\n"
    "th:first-child,td:first-child{position:sticky;left:0;background:var(--page)}th:first-child{z-index:2}\n"
    "tr.red td{color:var(--red)}tr.yellow td{color:var(--amber)}tr.news td{color:var(--blue)}\n"
    /* What stands below a row is as wide as the window lets it be, not as the table is. */
    "tr.below td{color:var(--soft);white-space:normal}\n"
    "tr.below div{position:sticky;left:28px;margin-left:21px;width:max-content;max-width:min(1130px,calc(100vw - 120px))}\n"
    "table.env td{white-space:normal;overflow-wrap:anywhere}table.env td:first-child{white-space:nowrap}\n"
    "figure{margin:16px 0}figure>a{display:block;overflow-x:auto}\n"
    "figure img{box-sizing:border-box;max-width:100%;height:auto;background:#fff;border:1px solid var(--line)}\n"
    "summary{cursor:pointer;color:var(--blue)}a{color:var(--blue)}code{font-family:ui-monospace,monospace}\n"
    /* On a narrow window a chart keeps its size, since its words could not be read
     * smaller; long names are broken. */
    "@media(max-width:900px){body{padding:8px 12px 32px}figure img{max-width:none}\n"
    "th:first-child,td:first-child{white-space:normal;overflow-wrap:anywhere;min-width:20ch;max-width:30ch}\n"
    "tr.below td{max-width:none}tr.below div{left:12px;margin-left:5px;max-width:calc(100vw - 56px)}}\n"
    /* On a telephone a table has its key columns, and of a chart the names and the
     * beginning of the data are seen. */
    ".narrow{display:none}@media(max-width:600px){.wide{display:none}.narrow{display:block}th,td{white-space:normal;padding:3px 4px}\n"
    "th:first-child,td:first-child{min-width:9ch;max-width:12ch}td:nth-child(2){min-width:11ch;overflow-wrap:anywhere}figure "
    "img{width:720px}}\n"
    "@media print{.scroll{max-height:none;overflow:visible}}\n"
    "</style>\n";

static void add_escaped(struct sg_text *out, const char *before, const char *text, const char *after)
{
    sg_text_add(out, before);
    sg_add_markup(out, text);
    sg_text_add(out, after);
}

static void add_top(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    const struct sg_report_part *part = &page->report->parts[0];
    struct sg_text caption = {0}, sentence = {0};
    sg_add_caption(&caption, part->input.env, NULL);
    sg_add_sentence(&sentence, &part->input);
    sg_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n");
    add_escaped(out, "<title>", caption.length ? caption.data : "report", " - solgate</title>\n");
    sg_text_addf(out, "%s</head>\n<body>\n", style);
    add_escaped(out, "<h1>", caption.length ? caption.data : "solgate report", "</h1>\n");
    if (part->input.note)
        add_escaped(out, "<p class=\"note\">", part->input.note, "</p>\n");
    sg_text_addf(out, "<p class=\"verdict %s\">", sg_class_word(sg_worst_class(rank)));
    add_escaped(out, "", sentence.data, "</p>\n");
    if (part->input.events)
        add_escaped(out, "<p class=\"soft\">events: ", part->input.events, "</p>\n");
    if (part->why_not)
        add_escaped(out, "<p class=\"note\">", part->why_not, "</p>\n");
    sg_text_add(out, "<p class=\"soft narrow\">On a narrow window tables have their main columns, and charts scroll sideways; the files "
                     "below have all.</p>\n");
    sg_text_release(&caption);
    sg_text_release(&sentence);
}

/* Rows from .. to - 1 of the rank, cut at TABLE_MAX with a word about it. */
static void add_judged(const struct sg_page *page, const struct sg_rank *rank, size_t from, size_t to, size_t causes, struct sg_text *out)
{
    struct sg_sheet grid;
    size_t shown = to - from < TABLE_MAX ? to - from : TABLE_MAX;
    sg_judged_grid(&grid, &page->report->parts[0].input, rank, from, from + shown, causes);
    sg_sheet_html(&grid, out);
    sg_sheet_release(&grid);
    if (shown < to - from)
        sg_text_addf(out, "<p class=\"soft\">The first %zu of %zu; all are in <a href=\"comparison.csv\">comparison.csv</a>.</p>\n", shown,
                     to - from);
}

/* ---- sections: each adds what stands below its title ---- */

typedef bool has_fn(const struct sg_page *page, const struct sg_rank *rank);
typedef void add_fn(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out);

static bool has_next(const struct sg_page *page, const struct sg_rank *rank)
{
    return sg_next_each(&page->report->parts[0], rank, NULL, NULL) > 0;
}

static void add_step(const char *command, const char *why, struct sg_text *out)
{
    add_escaped(out, "<li><code>", command, "</code>: ");
    add_escaped(out, "<span class=\"soft\">", why, "</span></li>\n");
}

static void add_next(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    sg_text_add(out, "<ul class=\"next\">\n");
    sg_next_each(&page->report->parts[0], rank, add_step, out);
    sg_text_add(out, "</ul>\n");
}

static bool has_failures(const struct sg_page *page, const struct sg_rank *rank)
{
    (void)page;
    return sg_rank_of(rank, SG_RED) > 0;
}

static void add_failures(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    sg_text_add(out, "<p class=\"soft\">Below each row: the reason, then the counters that moved most with what that usually means. "
                     "Counters explain; times decide.</p>\n");
    add_judged(page, rank, 0, rank->from[SG_RED + 1], CAUSES, out);
}

static bool has_news(const struct sg_page *page, const struct sg_rank *rank)
{
    (void)page;
    return rank->from[SG_GREEN] > rank->from[SG_YELLOW];
}

static void add_news(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    const size_t news = rank->from[SG_NEWS], end = rank->from[SG_GREEN];
    const size_t open = end - news > NEWS_OPEN ? news : end;
    if (open > rank->from[SG_YELLOW])
        add_judged(page, rank, rank->from[SG_YELLOW], open, CAUSES, out);
    if (open == end)
        return;
    sg_text_addf(out, "<details><summary>%zu rows that are new or improved</summary>\n", end - open);
    add_judged(page, rank, open, end, CAUSES, out);
    sg_text_add(out, "</details>\n");
}

static bool has_shared(const struct sg_page *page, const struct sg_rank *rank)
{
    (void)rank;
    return sg_shared_errors_each(page->report->parts[0].input.run, NULL, NULL) > 0;
}

static void add_shared_line(const char *line, struct sg_text *out)
{
    add_escaped(out, "<li>", line, "</li>\n");
}

static void add_shared(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    (void)rank;
    sg_text_add(out, "<ul>\n");
    sg_shared_errors_each(page->report->parts[0].input.run, add_shared_line, out);
    sg_text_add(out, "</ul>\n");
}

static bool has_rest(const struct sg_page *page, const struct sg_rank *rank)
{
    (void)page;
    return rank->count > rank->from[SG_GREEN];
}

static void add_rest(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    sg_text_addf(out, "<details><summary>%zu rows as they should be", sg_rank_of(rank, SG_GREEN));
    sg_add_open(out, rank);
    sg_text_addf(out, ", %zu counters that differ, %zu %s</summary>\n", sg_rank_of(rank, SG_COUNTER), sg_rank_of(rank, SG_ASIDE),
                 sg_aside_words(rank->comparison));
    add_judged(page, rank, rank->from[SG_GREEN], rank->count, 0, out);
    sg_text_add(out, "</details>\n");
}

static bool has_charts(const struct sg_page *page, const struct sg_rank *rank)
{
    (void)rank;
    return page->charts->count > 0 || page->problem;
}

static void add_charts(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    (void)rank;
    if (page->problem)
        add_escaped(out, "<p class=\"note\">", page->problem, "</p>\n");
    for (size_t i = 0; i < page->charts->count && !page->problem; i++) {
        const struct sg_chart *chart = &page->charts->items[i];
        add_escaped(out, "<h3>", chart->title, "</h3>\n");
        sg_text_addf(out, "<figure><a href=\"charts/%s.png\"><img src=\"charts/%s.svg\" alt=\"", chart->name, chart->name);
        add_escaped(out, "", chart->title, "\"/></a>\n");
        add_escaped(out, "<figcaption>", chart->read, "");
        if (chart->shown[0])
            add_escaped(out, " Shown: ", chart->shown, ".");
        sg_text_addf(out, " <a href=\"charts/%s.png\">PNG</a>, <a href=\"charts/%s.svg\">SVG</a>, <a href=\"charts/%s.tsv\">data</a>",
                     chart->name, chart->name, chart->name);
        sg_text_add(out, "</figcaption></figure>\n");
    }
}

static bool has_always(const struct sg_page *page, const struct sg_rank *rank)
{
    (void)page, (void)rank;
    return true;
}

static void add_paragraph(const char *tag, struct sg_text *words, struct sg_text *out)
{
    if (words->length > 0)
        add_escaped(out, tag, words->data, "</p>\n");
    sg_text_release(words);
}

static void add_gaps(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    const struct sg_report_part *part = &page->report->parts[0];
    (void)rank;
    if (!part->gaps) {
        add_escaped(out, "<p class=\"soft\">", part->why_no_gap ? part->why_no_gap : "no figures", "</p>\n");
        return;
    }
    struct sg_sheet grid;
    const struct sg_sol_table *gaps = part->gaps;
    size_t shown = gaps->count < TABLE_MAX ? gaps->count : TABLE_MAX;
    sg_gap_case_grid(&grid, gaps, shown);
    sg_sheet_html(&grid, out);
    sg_sheet_release(&grid);
    sg_gap_grid(&grid, gaps, shown);
    sg_sheet_html(&grid, out);
    sg_sheet_release(&grid);
    struct sg_text line = {0};
    for (size_t i = 0; sg_add_refusal(&line, gaps, i); i++)
        add_paragraph("<p>", &line, out);
    if (shown < gaps->count)
        sg_text_addf(out, "<p class=\"soft\">The first %zu of %zu; all are in <a href=\"gap.csv\">gap.csv</a>.</p>\n", shown, gaps->count);
    sg_add_untimed(&line, gaps);
    add_paragraph("<p class=\"soft\">", &line, out);
    sg_add_gap_notes(&line, gaps);
    add_paragraph("<p class=\"soft\">", &line, out);
    sg_add_ceilings(&line, gaps);
    add_paragraph("<p class=\"soft\">", &line, out);
    sg_add_spec(&line, gaps);
    sg_text_addf(&line, ". %s", gaps->spec.source ? gaps->spec.source : "");
    add_paragraph("<p class=\"soft\">", &line, out);
}

static bool has_other_runs(const struct sg_page *page, const struct sg_rank *rank)
{
    (void)rank;
    return page->report->part_count > 1;
}

static void add_other_runs(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    const struct sg_report *report = page->report;
    (void)rank;
    for (size_t i = 1; i < report->part_count; i++) {
        const struct sg_report_part *part = &report->parts[i];
        struct sg_text words = {0};
        sg_add_caption(&words, part->input.env, NULL);
        sg_text_add(&words, ": ");
        if (part->input.comparison)
            sg_add_sentence(&words, &part->input);
        else
            sg_text_add(&words, part->why_not ? part->why_not : "not judged");
        add_escaped(out, "<p><code>", part->path, "</code>: ");
        add_escaped(out, "", words.data, "</p>\n");
        sg_text_release(&words);
    }
    struct sg_sheet grid;
    size_t rows = sg_runs_grid(&grid, report, TABLE_MAX);
    sg_sheet_html(&grid, out);
    sg_sheet_release(&grid);
    if (rows > TABLE_MAX)
        sg_text_addf(out, "<p class=\"soft\">The first %d of %zu; all are in <a href=\"runs.csv\">runs.csv</a>.</p>\n", TABLE_MAX, rows);
}

static bool has_history(const struct sg_page *page, const struct sg_rank *rank)
{
    (void)rank;
    return page->report->history != NULL;
}

static void add_history(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    (void)rank;
    add_escaped(out, "<pre>", page->report->history, "</pre>\n");
}

static void add_env(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    const struct sg_report_part *part = &page->report->parts[0];
    (void)rank;
    sg_text_add(out, "<div class=\"scroll\"><table class=\"env\">\n");
    add_escaped(out, "<tr><td>run</td><td>", part->path, "</td></tr>\n");
    for (size_t i = 0; i < part->input.env->count; i++) {
        add_escaped(out, "<tr><td>", part->input.env->key[i], "</td>");
        add_escaped(out, "<td>", part->input.env->value[i], "</td></tr>\n");
    }
    sg_text_add(out, "</table></div>\n");
}

static void add_files(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    (void)page, (void)rank;
    sg_text_add(out, "<ul>\n");
    for (size_t i = 0; i < sg_page_file_count; i++)
        sg_text_addf(out, "<li><a href=\"%s\">%s</a>: %s</li>\n", sg_page_files[i].name, sg_page_files[i].name, sg_page_files[i].what);
    sg_text_add(out, "</ul>\n");
}

/* The page, in its order. */
static const struct section {
    const char *id, *title;
    has_fn *has;
    add_fn *add;
} sections[] = {
    {"next", "What to do next", has_next, add_next},
    {"regressions", "What fails, and why", has_failures, add_failures},
    {"news", "To be looked at", has_news, add_news},
    {"shared", "Wrong in the same way", has_shared, add_shared},
    {"rest", "The rest", has_rest, add_rest},
    {"history", "History", has_history, add_history},
    {"charts", "Charts", has_charts, add_charts},
    {"gap", "Distance from the speed of light", has_always, add_gaps},
    {"runs", "Other runs", has_other_runs, add_other_runs},
    {"env", "Where and how it was measured", has_always, add_env},
    {"files", "Files with every number", has_always, add_files},
};
#define SECTIONS (sizeof(sections) / sizeof(sections[0]))

static void add_contents(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    sg_text_add(out, "<nav>\n");
    for (size_t i = 0; i < SECTIONS; i++)
        if (sections[i].has(page, rank))
            sg_text_addf(out, "<a href=\"#%s\">%s</a>\n", sections[i].id, sections[i].title);
    sg_text_add(out, "</nav>\n");
}

void sg_page_html(const struct sg_page *page, struct sg_text *out)
{
    struct sg_rank rank;
    sg_rank_init(&rank, page->report->parts[0].input.comparison);
    add_top(page, &rank, out);
    add_contents(page, &rank, out);
    for (size_t i = 0; i < SECTIONS; i++)
        if (sections[i].has(page, &rank)) {
            sg_text_addf(out, "<h2 id=\"%s\">%s</h2>\n", sections[i].id, sections[i].title);
            sections[i].add(page, &rank, out);
        }
    sg_text_add(out, "</body>\n</html>\n");
    sg_rank_release(&rank);
}
