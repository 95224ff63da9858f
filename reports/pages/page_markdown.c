#include <string.h>

#include "reports/pages/page.h"
#include "reports/tables/next_steps.h"
#include "util/escape.h"

#define GAPS_MAX 1000

/* Commands stand as code: what would end it is no part of a name, and shown as another quote. */
static void add_code(struct sg_text *out, const char *command)
{
    struct sg_text plain = {0};
    sg_add_terminal(&plain, command);
    for (size_t i = 0; i < plain.length; i++)
        if (plain.data[i] == '`')
            plain.data[i] = '\'';
    sg_text_addf(out, "`%s`", plain.data);
    sg_text_release(&plain);
}

static void add_step(const char *command, const char *why, struct sg_text *out)
{
    sg_text_add(out, "- ");
    add_code(out, command);
    sg_text_add(out, ": ");
    sg_add_markdown(out, why);
    sg_text_add(out, "\n");
}

static void add_next(const struct sg_report_part *part, struct sg_text *out)
{
    struct sg_rank rank;
    sg_rank_init(&rank, part->input.comparison);
    if (sg_next_each(part, &rank, NULL, NULL) > 0)
        sg_text_add(out, "\n## What to do next\n\n");
    sg_next_each(part, &rank, add_step, out);
    sg_rank_release(&rank);
}

/* As code: it is a terminal's. */
static void add_history(const char *history, struct sg_text *out)
{
    sg_text_add(out, "\n## History\n\n");
    while (*history) {
        const size_t length = strcspn(history, "\n");
        sg_text_addf(out, "    %.*s\n", (int)length, history);
        history += length + (history[length] == '\n');
    }
}

static void add_charts(const struct sg_page *page, struct sg_text *out)
{
    if (page->problem) {
        sg_text_add(out, "\n## Charts\n\n");
        sg_add_markdown(out, page->problem);
        sg_text_add(out, "\n");
        return;
    }
    for (size_t i = 0; i < page->charts->count; i++) {
        const struct sg_chart *chart = &page->charts->items[i];
        sg_text_addf(out, "\n## %s\n\n![%s](charts/%s.png)\n\n", chart->title, chart->title, chart->name);
        sg_add_markdown(out, chart->read);
        sg_text_addf(out, chart->shown[0] ? " Shown: %s.\n" : "%s\n", chart->shown);
    }
}

static void add_gaps(const struct sg_report_part *part, struct sg_text *out)
{
    sg_text_add(out, "\n## Distance from the speed of light\n\n");
    if (!part->gaps) {
        sg_add_markdown(out, part->why_no_gap ? part->why_no_gap : "no figures");
        return;
    }
    struct sg_sol_table shown = *part->gaps;
    shown.count = shown.count < GAPS_MAX ? shown.count : GAPS_MAX;
    sg_format_gaps(sg_format_find("markdown"), &shown, 1, out);
    if (shown.count < part->gaps->count)
        sg_text_addf(out, "\nThe first %zu of %zu; all are in gap.csv.\n", shown.count, part->gaps->count);
}

static void add_other_runs(const struct sg_report *report, struct sg_text *out)
{
    if (report->part_count < 2)
        return;
    struct sg_sheet grid;
    size_t rows = sg_runs_grid(&grid, report, GAPS_MAX);
    sg_text_add(out, "\n## Other runs\n\n");
    sg_sheet_markdown(&grid, out);
    sg_sheet_release(&grid);
    if (rows > GAPS_MAX)
        sg_text_addf(out, "\nThe first %d of %zu; all are in runs.csv.\n", GAPS_MAX, rows);
}

void sg_page_markdown(const struct sg_page *page, struct sg_text *out)
{
    const struct sg_report_part *part = &page->report->parts[0];
    struct sg_text caption = {0};
    sg_add_caption(&caption, part->input.env, NULL);
    sg_text_add(out, "# ");
    sg_add_markdown(out, caption.length ? caption.data : "solgate report");
    sg_text_add(out, "\n\n");
    if (part->why_not) {
        sg_add_markdown(out, part->why_not);
        sg_text_add(out, "\n\n");
    }
    sg_format_comparison(sg_format_find("markdown"), &part->input, out);
    add_next(part, out);
    if (page->report->history)
        add_history(page->report->history, out);
    add_charts(page, out);
    add_gaps(part, out);
    add_other_runs(page->report, out);
    sg_text_release(&caption);
}
