/*
 * reports/pages/page.h - the two pages of a report: index.html for a browser, report.md
 * for a merge request or a terminal.
 *
 * Invariant: everything from outside passes through util/escape.h; the HTML needs no
 * other file but the charts beside it.
 */
#ifndef SG_REPORTS_PAGES_PAGE_H
#define SG_REPORTS_PAGES_PAGE_H

#include "reports/charts/charts.h"

/* charts may be empty (tables only); `problem` NULL, or why there are none. */
struct sg_page {
    const struct sg_report *report;
    const struct sg_charts *charts;
    const char *problem;
};

void sg_page_html(const struct sg_page *page, struct sg_text *out);
void sg_page_markdown(const struct sg_page *page, struct sg_text *out);

/* The runs side by side: case, variant, time of each, ratio to the first. At most `most`
 * rows; returns how many there are. */
size_t sg_runs_grid(struct sg_sheet *grid, const struct sg_report *report, size_t most);
/* The same with all rows, as CSV:
 * family,case,variant,metric,unit,run_1,run_2,... of `time` and `time_ratio`. */
void sg_runs_csv(const struct sg_report *report, struct sg_text *out);

/* Files of a report that hold every row, for links. */
struct sg_page_file {
    const char *name, *what;
};
extern const struct sg_page_file sg_page_files[];
extern const size_t sg_page_file_count;

#endif
