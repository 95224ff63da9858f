/*
 * reports/page.h - the page of a report, as a document: index.html for a browser, report.md for a
 * merge request or a terminal.
 */
#pragma once

#include "reports/charts/charts.h"

/* charts may be empty (tables only); `problem` NULL, or why there are none. */
struct sg_page {
    const struct sg_report *report;
    const struct sg_charts *charts;
    const char *problem;
};

void sg_document_of_page(struct sg_document *document, const struct sg_page *page);
