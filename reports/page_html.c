#include "escape.h"
#include "page.h"

#define CAUSES    5
#define TABLE_MAX 2000 /* rows of one table: what a browser still scrolls well */

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
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:1200px;margin:0 auto;padding:16px 24px "
    "64px}\n"
    "h1{font-size:22px;margin:8px 0}h2{font-size:18px;margin:36px 0 8px;border-bottom:1px solid var(--line)}h3{font-size:15px;margin:24px "
    "0 4px}\n"
    "p{margin:6px 0;max-width:80ch;overflow-wrap:anywhere}.soft,figcaption{color:var(--soft);font-size:14px}\n"
    ".verdict{padding:12px 16px;border-left:6px solid var(--green);background:var(--card);font-size:17px}\n"
    ".verdict.red{border-color:var(--red)}.verdict.yellow{border-color:var(--amber)}.verdict.news{border-color:var(--blue)}\n"
    ".note{padding:8px 16px;border:1px solid var(--amber);color:var(--amber);margin:8px 0}\n"
    /* A table that is wider or longer than the window moves in a box of its own, below its titles and beside its first column. */
    ".scroll{overflow:auto;max-height:90vh;margin:8px 0}\n"
    "table{border-collapse:separate;border-spacing:0;font-size:13px;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:3px 7px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;white-space:nowrap}\n"
    "th{color:var(--soft);font-weight:600;position:sticky;top:0;background:var(--page);z-index:1}.right{text-align:right}\n"
    "th:first-child,td:first-child{position:sticky;left:0;background:var(--page)}th:first-child{z-index:2}\n"
    "tr.red td{color:var(--red)}tr.yellow td{color:var(--amber)}tr.news td{color:var(--blue)}\n"
    /* What stands below a row is as wide as the window lets it be, not as the table is. */
    "tr.below td{color:var(--soft);white-space:normal}\n"
    "tr.below div{position:sticky;left:28px;margin-left:21px;width:max-content;max-width:min(1130px,calc(100vw - 120px))}\n"
    "table.env td{white-space:normal;overflow-wrap:anywhere}table.env td:first-child{white-space:nowrap}\n"
    "figure{margin:16px 0}figure>a{display:block;overflow-x:auto}figure img{max-width:100%;height:auto;background:#fff;border:1px solid var(--line)}\n"
    "summary{cursor:pointer;color:var(--blue)}a{color:var(--blue)}code{font-family:ui-monospace,monospace}\n"
    /* On a narrow window a chart keeps its size, since its words could not be read smaller; long names are broken. */
    "@media(max-width:900px){body{padding:8px 12px 32px}figure img{max-width:none}\n"
    "th:first-child,td:first-child{white-space:normal;overflow-wrap:anywhere;min-width:20ch;max-width:30ch}\n"
    "tr.below td{max-width:none}tr.below div{left:12px;margin-left:5px;max-width:calc(100vw - 56px)}}\n"
    "@media print{.scroll{max-height:none;overflow:visible}}\n"
    "</style>\n";

static void add_escaped(struct sg_text *out, const char *before, const char *text, const char *after)
{
    sg_text_add(out, before);
    sg_add_markup(out, text);
    sg_text_add(out, after);
}

static const char *worst_class(const struct sg_rank *rank)
{
    for (enum sg_class class_ = SG_RED; class_ < SG_GREEN; class_++)
        if (sg_rank_of(rank, class_) > 0)
            return sg_class_word(class_);
    return sg_class_word(SG_GREEN);
}

static void add_top(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    const struct sg_report_part *part = &page->report->parts[0];
    const char *suite = sg_env_get(part->input.env, "suite");
    struct sg_text caption = {0}, sentence = {0};
    sg_add_caption(&caption, part->input.env, NULL);
    sg_add_sentence(&sentence, &part->input);
    sg_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n");
    add_escaped(out, "<title>solgate: ", suite ? suite : "report", "</title>\n");
    sg_text_addf(out, "%s</head>\n<body>\n", style);
    add_escaped(out, "<h1>", suite ? suite : "solgate", "</h1>\n");
    add_escaped(out, "<p class=\"soft\">", sg_text_string(&caption), "</p>\n");
    if (part->input.note)
        add_escaped(out, "<p class=\"note\">", part->input.note, "</p>\n");
    sg_text_addf(out, "<p class=\"verdict %s\">", worst_class(rank));
    add_escaped(out, "", sentence.data, "</p>\n");
    if (part->input.events)
        add_escaped(out, "<p class=\"soft\">events: ", part->input.events, "</p>\n");
    if (part->why_not)
        add_escaped(out, "<p class=\"note\">", part->why_not, "</p>\n");
    sg_text_release(&caption);
    sg_text_release(&sentence);
}

/* Rows from .. to - 1 of the rank, cut at TABLE_MAX with a word about it. */
static void add_judged(const struct sg_page *page, const struct sg_rank *rank, size_t from, size_t to, size_t causes, struct sg_text *out)
{
    struct sg_grid grid;
    size_t shown = to - from < TABLE_MAX ? to - from : TABLE_MAX;
    sg_judged_grid(&grid, &page->report->parts[0].input, rank, from, from + shown, causes);
    sg_grid_html(&grid, out);
    sg_grid_release(&grid);
    if (shown < to - from)
        sg_text_addf(out, "<p class=\"soft\">The first %zu of %zu; all are in <a href=\"comparison.csv\">comparison.csv</a>.</p>\n", shown,
                     to - from);
}

static void add_findings(const struct sg_page *page, const struct sg_rank *rank, struct sg_text *out)
{
    size_t red = rank->from[SG_RED + 1], news = rank->from[SG_GREEN];
    if (red > 0) {
        sg_text_add(out, "<h2 id=\"regressions\">What fails, and why</h2>\n"
                         "<p class=\"soft\">Below each row: the reason, then the counters that moved most with what that usually means. "
                         "Counters explain; times decide.</p>\n");
        add_judged(page, rank, 0, red, CAUSES, out);
    }
    if (news > red) {
        sg_text_add(out, "<h2 id=\"news\">What else wants to be seen</h2>\n");
        add_judged(page, rank, red, news, CAUSES, out);
    }
    if (rank->count > news) {
        sg_text_addf(out,
                     "<h2 id=\"rest\">The rest</h2>\n<details><summary>%zu rows as they should be, %zu counters that differ, %zu absolute "
                     "times</summary>\n",
                     sg_rank_of(rank, SG_GREEN), sg_rank_of(rank, SG_COUNTER), sg_rank_of(rank, SG_ASIDE));
        add_judged(page, rank, news, rank->count, 0, out);
        sg_text_add(out, "</details>\n");
    }
}

static void add_charts(const struct sg_page *page, struct sg_text *out)
{
    if (page->charts->count == 0 && !page->problem)
        return;
    sg_text_add(out, "<h2 id=\"charts\">Charts</h2>\n");
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

static void add_gaps(const struct sg_report_part *part, struct sg_text *out)
{
    sg_text_add(out, "<h2 id=\"gap\">Distance from the speed of light</h2>\n");
    if (!part->gaps) {
        add_escaped(out, "<p class=\"soft\">", part->why_no_gap ? part->why_no_gap : "no figures", "</p>\n");
        return;
    }
    struct sg_grid grid;
    struct sg_text peaks = {0}, ceilings = {0};
    const struct sg_gaps *gaps = part->gaps;
    size_t shown = gaps->count < TABLE_MAX ? gaps->count : TABLE_MAX;
    sg_add_spec(&peaks, &gaps->spec);
    add_escaped(out, "<p class=\"soft\">", peaks.data, ". ");
    add_escaped(out, "", gaps->spec.source ? gaps->spec.source : "", "</p>\n");
    sg_add_ceilings(&ceilings, &gaps->ceilings);
    add_escaped(out, "<p class=\"soft\">", ceilings.data, "</p>\n");
    sg_gap_case_grid(&grid, gaps, shown);
    sg_grid_html(&grid, out);
    sg_grid_release(&grid);
    sg_gap_grid(&grid, gaps, shown);
    sg_grid_html(&grid, out);
    if (shown < gaps->count)
        sg_text_addf(out, "<p class=\"soft\">The first %zu of %zu; all are in <a href=\"gap.csv\">gap.csv</a>.</p>\n", shown, gaps->count);
    sg_text_release(&peaks);
    sg_text_release(&ceilings);
    sg_grid_release(&grid);
}

static void add_other_runs(const struct sg_report *report, struct sg_text *out)
{
    if (report->part_count < 2)
        return;
    sg_text_add(out, "<h2 id=\"runs\">Beside other runs</h2>\n");
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
    struct sg_grid grid;
    size_t rows = sg_runs_grid(&grid, report, TABLE_MAX);
    sg_grid_html(&grid, out);
    sg_grid_release(&grid);
    if (rows > TABLE_MAX)
        sg_text_addf(out, "<p class=\"soft\">The first %d of %zu; all are in <a href=\"runs.csv\">runs.csv</a>.</p>\n", TABLE_MAX, rows);
}

static void add_env(const struct sg_report_part *part, struct sg_text *out)
{
    sg_text_add(out, "<h2 id=\"env\">Where and how it was measured</h2>\n<div class=\"scroll\"><table class=\"env\">\n");
    add_escaped(out, "<tr><td>run</td><td>", part->path, "</td></tr>\n");
    for (size_t i = 0; i < part->input.env->count; i++) {
        add_escaped(out, "<tr><td>", part->input.env->key[i], "</td>");
        add_escaped(out, "<td>", part->input.env->value[i], "</td></tr>\n");
    }
    sg_text_add(out, "</table></div>\n<h2 id=\"files\">Every number</h2>\n<ul>\n");
    for (size_t i = 0; i < sg_page_file_count; i++)
        sg_text_addf(out, "<li><a href=\"%s\">%s</a>: %s</li>\n", sg_page_files[i].name, sg_page_files[i].name, sg_page_files[i].what);
    sg_text_add(out, "</ul>\n");
}

void sg_page_html(const struct sg_page *page, struct sg_text *out)
{
    const struct sg_report_part *part = &page->report->parts[0];
    struct sg_rank rank;
    sg_rank_init(&rank, part->input.comparison);
    add_top(page, &rank, out);
    add_findings(page, &rank, out);
    add_charts(page, out);
    add_gaps(part, out);
    add_other_runs(page->report, out);
    add_env(part, out);
    sg_text_add(out, "</body>\n</html>\n");
    sg_rank_release(&rank);
}
