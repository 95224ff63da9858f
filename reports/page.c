#include "reports/page.h"

#include "compare/row.h"
#include "reports/tables/headline.h"
#include "reports/tables/next_steps.h"

#define CAUSES 5 /* maximum number of causes below a row */
/* rows that need no action; more are folded, to keep the charts near the top */
#define NEWS_OPEN 20

static const struct sg_column next_columns[] = {
    {.title = "command", .meaning = "command to type", .cells = SG_COMMANDS},
    {.title = "purpose"},
};

static void add_step(const char *command, const char *why, void *context)
{
    struct sg_sheet *sheet = context;
    sg_sheet_row(sheet, SG_ASIDE);
    sg_sheet_cells(sheet, command, why);
}

static void add_next(struct sg_document *document, const struct sg_report_part *part,
                     const struct sg_rank *rank)
{
    if (sg_next_each(&part->input, rank, SIZE_MAX, NULL, NULL) == 0)
        return;
    sg_document_heading(document, SG_FOR_PAGES, "next", "What to do next");
    sg_next_each(&part->input, rank, SIZE_MAX, add_step,
                 sg_document_sheet(document, "next", SG_COLUMNS(next_columns), SG_FOR_PAGES));
}

static void add_judged(struct sg_document *document, const struct sg_report_part *part,
                       const struct sg_rank *rank, enum sg_class first, enum sg_class last)
{
    sg_add_listing(document, &part->input,
                   &(struct sg_listing){.rank = rank,
                                        .from = rank->from[first],
                                        .to = rank->from[last + 1],
                                        .kinds = SG_ALL_KINDS,
                                        .causes = CAUSES,
                                        .readers = SG_FOR_PAGES,
                                        .together = true});
}

static void add_failures(struct sg_document *document, const struct sg_report_part *part,
                         const struct sg_rank *rank)
{
    if (sg_rank_of(rank, SG_RED) == 0)
        return;
    sg_document_heading(document, SG_FOR_PAGES, "regressions", "What fails, and why");
    sg_document_note(document, SG_FOR_PAGES,
                     "Below each row: the reason, then the causes with the points of the added "
                     "time that each takes. Counters explain; "
                     "times decide.");
    add_judged(document, part, rank, SG_RED, SG_RED);
}

static void add_news(struct sg_document *document, const struct sg_report_part *part,
                     const struct sg_rank *rank)
{
    const size_t news = sg_rank_of(rank, SG_NEWS);
    if (news + sg_rank_of(rank, SG_YELLOW) == 0)
        return;
    sg_document_heading(document, SG_FOR_PAGES, "news", "To be looked at");
    add_judged(document, part, rank, SG_YELLOW, news > NEWS_OPEN ? SG_YELLOW : SG_NEWS);
    if (news <= NEWS_OPEN)
        return;
    SG_FORMATTED(title, "%zu rows that are new or improved", news);
    add_judged(document, part, rank, SG_NEWS, SG_NEWS);
    sg_document_fold(document, title.data);
}

static void add_verdicts(struct sg_document *document, const struct sg_report_part *part)
{
    struct sg_rank rank = {0};
    sg_rank_init(&rank, part->input.comparison);
    sg_add_headline(document, &part->input, &rank);
    sg_document_note(document, SG_FOR_PAGES, part->why_not ? part->why_not : "");
    add_next(document, part, &rank);
    add_failures(document, part, &rank);
    add_news(document, part, &rank);
    if (rank.count > rank.from[SG_GREEN])
        sg_document_heading(document, SG_FOR_PAGES, "rest", "The rest");
    sg_add_folded(document, &part->input, &rank);
}

void sg_add_figure(struct sg_document *document, const struct sg_chart *chart)
{
    SG_FORMATTED(below, "%s", chart->read);
    if (chart->shown[0])
        sg_text_addf(&below, " Shown: %s.", chart->shown);
    sg_document_figure(document, chart->name, chart->title, below.data);
}

static void add_history(struct sg_document *document, const struct sg_page *page)
{
    if (!page->report->history)
        return;
    sg_document_heading(document, SG_FOR_PAGES, "history", "History");
    sg_document_take(document, &page->report->history->document);
}

static void add_charts(struct sg_document *document, const struct sg_page *page)
{
    if (page->charts->count == 0 && !page->problem)
        return;
    sg_document_heading(document, SG_FOR_PAGES, "charts", "Charts");
    if (page->problem) {
        sg_document_note(document, SG_FOR_PAGES, page->problem);
        sg_document_paint(document, SG_YELLOW);
        return;
    }
    for (size_t i = 0; i < page->charts->count; i++)
        sg_add_figure(document, &page->charts->items[i]);
}

static void add_gaps(struct sg_document *document, const struct sg_report_part *part)
{
    sg_document_heading(document, SG_FOR_PAGES, "gap", "Distance from the speed of light");
    if (part->gaps)
        sg_document_of_gaps(document, part->gaps, 1, true);
    else
        sg_document_note(document, SG_FOR_PAGES,
                         part->why_no_gap ? part->why_no_gap : "no figures");
}

/* ---- other runs ---- */

static const struct sg_column run_columns[] = {
    {.title = "case", .meaning = "family and case", .key = true, .names = true},
    {.title = "variant", .meaning = "the kernel that was measured", .key = true, .names = true},
    {.title = "first run", .meaning = "time in the run that this report is about", .right = true},
    {.title = "other run", .meaning = "time in the other run", .right = true},
    {.title = "change",
     .meaning =
         "first run over the other, -1; not paired, so it contains differences of clocks and days",
     .right = true,
     .key = true},
    {.title = "which", .meaning = "the other run", .key = true, .names = true},
};

static void add_pair_of_times(struct sg_sheet *sheet, const struct sg_table *run,
                              const struct sg_row *row, const struct sg_report_part *other)
{
    const struct sg_value is = sg_value_of(run, row);
    const double was = sg_row_value(sg_table_find(other->input.run, SG_NAMES(is), is.metric));
    sg_sheet_row(sheet, SG_ASIDE);
    sg_sheet_cellf(sheet, "%s/%s", is.family, is.case_);
    sg_sheet_cell(sheet, is.variant);
    sg_add_time(sg_sheet_open(sheet), is.value);
    sg_add_time(sg_sheet_open(sheet), was);
    sg_add_change(sg_sheet_open(sheet), is.value / was - 1);
    sg_sheet_cell(sheet, other->input.path);
}

static void add_headline(struct sg_text *out, const struct sg_report_input *input)
{
    struct sg_headline headline = {0};
    sg_headline_of(input, &headline);
    sg_headline_add(out, &headline);
}

static void add_other_verdict(struct sg_document *document, const struct sg_report_part *part)
{
    struct sg_text words = sg_text_of("%s: ", part->input.path);
    sg_add_caption(&words, part->input.env, NULL);
    sg_text_add(&words, ": ");
    if (part->input.comparison)
        add_headline(&words, &part->input);
    else
        sg_text_add(&words, part->why_not ? part->why_not : "not judged");
    sg_document_take_note(document, SG_FOR_PAGES, &words);
}

static void add_other_runs(struct sg_document *document, const struct sg_report *report)
{
    const struct sg_table *run = report->parts[0].input.run;
    const sg_id time = sg_table_find_id(run, "time");
    if (report->part_count < 2)
        return;
    sg_document_heading(document, SG_FOR_PAGES, "runs", "Other runs");
    for (size_t part = 1; part < report->part_count; part++)
        add_other_verdict(document, &report->parts[part]);
    struct sg_sheet *sheet =
        sg_document_sheet(document, "runs", SG_COLUMNS(run_columns), SG_FOR_PAGES);
    for (size_t i = 0; i < run->count; i++)
        for (size_t part = 1; part < report->part_count; part++)
            if (run->rows[i].metric == time && (run->rows[i].has & SG_HAS_VALUE))
                add_pair_of_times(sheet, run, &run->rows[i], &report->parts[part]);
}

/* ---- remaining parts ---- */

static const struct sg_column env_columns[] = {{.title = "key"}, {.title = "value"}};

static void add_fact(struct sg_sheet *sheet, const char *key, const char *value)
{
    sg_sheet_row(sheet, SG_ASIDE);
    sg_sheet_cells(sheet, key, value);
}

static void add_env(struct sg_document *document, const struct sg_report_part *part)
{
    sg_document_heading(document, SG_FOR_BROWSERS, "env", "Where and how it was measured");
    struct sg_sheet *sheet =
        sg_document_sheet(document, "env", SG_COLUMNS(env_columns), SG_FOR_BROWSERS);
    add_fact(sheet, "run", part->input.path);
    for (size_t i = 0; i < part->input.env->count; i++)
        add_fact(sheet, part->input.env->key[i], part->input.env->value[i]);
}

static void add_files(struct sg_document *document)
{
    static const struct sg_column columns[] = {{.title = "file", .cells = SG_FILES},
                                               {.title = "content"}};
    static const char *const files[][2] = {
        {"comparison.csv", "every finding, all columns"},
        {"gap.csv", "time against the speed of light"},
        {"counters.csv", "one row per variant, one column per metric"},
        {"report.md", "this page as Markdown"},
    };
    sg_document_heading(document, SG_FOR_BROWSERS, "files", "Files with every number");
    struct sg_sheet *sheet =
        sg_document_sheet(document, "files", SG_COLUMNS(columns), SG_FOR_BROWSERS);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        add_fact(sheet, files[i][0], files[i][1]);
}

void sg_document_of_page(struct sg_document *document, const struct sg_page *page)
{
    struct sg_report_part own = page->report->parts[0], *part = &own;
    SG_SCOPED(sg_text) title = {0}, tab = {0};
    const char *suite = sg_env_get(part->input.env, "suite");
    part->input.charts = page->problem ? NULL : page->charts;
    sg_add_caption(&title, part->input.env, NULL);
    sg_text_addf(&tab, "%s: ", suite ? suite : "report");
    add_headline(&tab, &part->input);
    document->name = "report";
    document->title = sg_copy_string(title.length > 0 ? title.data : "solgate report");
    document->tab = sg_copy_string(tab.data);
    add_verdicts(document, part);
    add_history(document, page);
    add_charts(document, page);
    add_gaps(document, part);
    add_other_runs(document, page->report);
    add_env(document, part);
    add_files(document);
}
