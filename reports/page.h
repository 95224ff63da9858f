/*
 * reports/page.h - the page of a report as a document: index.html for a browser, report.md for a
 * merge request or a terminal.
 */
#pragma once

#include "reports/charts/charts.h"

/* Open findings in the history of a run, and trends of its series. Both move to the page. */
struct sg_report_history {
    struct sg_document document;
    struct sg_charts trends;
};

/* Writes DIR/index.html, a document followed by trends, with the trends' files in charts/. */
enum sg_code sg_history_write(const char *folder, struct sg_document *document,
                              const struct sg_charts *trends, struct sg_err *err);

/* `charts` may be empty (tables only); `problem`: why there are none, or NULL. */
struct sg_page {
    const struct sg_report *report;
    const struct sg_charts *charts;
    const char *problem;
};

void sg_add_figure(struct sg_document *document, const struct sg_chart *chart);
void sg_document_of_page(struct sg_document *document, const struct sg_page *page);
