/*
 * reports/charts/charts.h - the charts' content: tab-separated data for gnuplot, a key, and how to
 * read each chart. plots/style.gp lays out the drawing from the data.
 *
 * A chart has rows of (case, variant) under a header per case, drawn by a script of plots/. If the
 * rows do not fit on one page, each family gets a page; `shown` counts the rows left out.
 * Invariant: names and messages reach gnuplot as data or as string values, never inside a string
 * that gnuplot evaluates.
 */
#pragma once

#include "history/judge.h"
#include "reports/tables/ranking.h"

#define SG_PAGE_ROWS      45
#define SG_PAGE_ROWS_MOST 60 /* up to this many rows stay on one page */
#define SG_ROOFLINE_ROWS  30 /* the same for points of a roofline */
#define SG_PAGES_MAX      24 /* maximum number of pages per chart */

/* One row of a chart before layout. */
struct sg_entry {
    const char *family, *case_, *variant; /* borrowed */
    /* position within a case, ascending: sg_chart_order */
    double order;
    double weight;    /* the largest weights stay on a full page */
    double low, high; /* the ratios that the axis must include; 0: none */
    size_t index;     /* the caller's */
};

struct sg_entries {
    struct sg_entry *items; /* owned */
    size_t count, capacity;
};
void sg_entries_add(struct sg_entries *entries, const struct sg_entry *entry);

/* Sort key, the same in all charts of a page, so that readers find a row again: the baseline,
 * then by paired ratio (by time in a run without pairs). Rows without either follow by name.
 * `is_baseline` is false and numbers are NaN if not known. */
double sg_chart_order(bool is_baseline, double ratio, double time_ns);
double sg_chart_order_in(const struct sg_table *run, const char *family, const char *case_,
                         const char *variant);

struct sg_chart {
    char name[128];      /* name of the files, [a-z0-9_]+ */
    const char *script;  /* plots/SCRIPT.gp */
    const char *title;   /* the question that the chart answers */
    char *own_title;     /* owned; NULL: the title is borrowed */
    const char *axis;    /* with unit */
    const char *read;    /* how to read it, for people */
    const char *link;    /* text of links from rows to the chart; NULL: no links */
    struct sg_text rows; /* "FAMILY/CASE/VARIANT" of each row, each between line feeds */
    /* "45 of 132 rows, the largest changes; all in comparison.csv"; "" if complete */
    char shown[160];
    struct sg_text data;   /* input of the script */
    struct sg_text legend; /* four words per entry of the key, see sg_chart_key */
    double x_low, x_high;  /* range of the x axis */
    bool x_log;            /* logarithmic, base 2; otherwise ratios are drawn in percent */
};

struct sg_charts {
    struct sg_chart *items; /* owned */
    size_t count, capacity;
};
/* Leaves `from` empty. */
void sg_charts_take(struct sg_charts *charts, struct sg_charts *from);
/* Adds a cell of SG_FIGURES with links to the charts that have this row. */
void sg_charts_add_links(const struct sg_charts *charts, const char *family, const char *case_,
                         const char *variant, struct sg_text *out);

/* A kind of chart: its texts, and the functions that fill a page. */
struct sg_chart_kind {
    const char *name, *link, *script, *title, *axis, *read;
    const char *table;  /* file with all rows */
    const char *weight; /* the rows kept on a full page: "the largest changes" */
    /* The axis is logarithmic if its ends are a larger factor apart; 0: `begin` sets the range. */
    double linear_most;
    size_t page_most, page_rows; /* 0: SG_PAGE_ROWS_MOST and SG_PAGE_ROWS */
    bool both_ends;              /* a full page keeps the largest weights and the smallest */
    /* Called before the rows, for range and key. May be NULL. */
    void (*begin)(void *context, const struct sg_entry *entries, size_t count,
                  struct sg_chart *chart);
    /* Adds words after the name of a case, whose first entry is `first`. May be NULL. */
    void (*head)(const void *context, const struct sg_entry *first, struct sg_text *words);
    /* Draws a row at height y: 0.5, 1.5, ... from the top. NULL: `begin` draws all. */
    void (*row)(const void *context, const struct sg_entry *entry, double y,
                struct sg_chart *chart);
};

/* Sorts the entries and adds their pages; no entries give no page. */
void sg_chart_pages(struct sg_charts *charts, const struct sg_chart_kind *kind, void *context,
                    struct sg_entries *entries);

/* A line of the data file: y and the kind of line, then fields of the chart. It ends where the next
 * line begins. The numbers are also in plots/style.gp. */
enum sg_chart_line {
    SG_LINE_HEAD,   /* name of a case, words */
    SG_LINE_ROW,    /* label, words, numbers */
    SG_LINE_COLUMN, /* name of a column, its number */
    SG_LINE_MARK,
    SG_LINE_DOT,
    SG_LINE_POINT, /* this and the following kinds: charts with two axes */
    SG_LINE_WORDS,
    SG_LINE_SPAN,
    SG_LINE_PEAK,
    SG_LINE_CEILING,
    SG_LINE_SLOPE_WORDS
};
void sg_line_begin(struct sg_chart *chart, double y, enum sg_chart_line line);
void sg_line_add_numbers(struct sg_chart *chart, const double *values, size_t count);
#define sg_line_numbers(chart, ...) sg_line_add_numbers(chart, SG_SHEET_VALUES(__VA_ARGS__))
void sg_line_word(struct sg_chart *chart, const char *word);

/* Adds an entry to the key. `type` is a point type of gnuplot; SG_KEY_LINE, SG_KEY_DASHES: a line,
 * after all points. */
enum { SG_KEY_LINE = 0, SG_KEY_DASHES = -1, SG_CROSS = 2, SG_SQUARE = 5, SG_DISC = 7 };
void sg_chart_key(struct sg_chart *chart, int type, double size, int colour, const char *words);
/* Adds "; WORDS" to what is shown. */
void sg_chart_show(struct sg_chart *chart, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes charts/NAME.tsv, NAME.png, NAME.svg and NAME_narrow.svg (for phones) in a folder.
 * gnuplot is started there with an argument vector. `caption` is printed below the chart.
 * SG_SYSTEM with gnuplot's error text if gnuplot is missing or fails. */
enum sg_code sg_chart_draw(const struct sg_chart *chart, const char *folder, const char *caption,
                           struct sg_err *err);

/* SG_SYSTEM with what to install: gnuplot is missing, or finds no font, so that charts would have
 * no text. */
enum sg_code sg_gnuplot_check_letters(struct sg_err *err);

/* Makes the charts of a report, in the order of the page. */
void sg_charts_make(const struct sg_report *report, struct sg_charts *charts);
void sg_chart_ratios(const struct sg_report *report, struct sg_charts *charts);
void sg_chart_gaps(const struct sg_sol_table *gaps, struct sg_charts *charts);
void sg_chart_rooflines(const struct sg_sol_table *gaps, struct sg_charts *charts);
void sg_chart_stalls(const struct sg_report *report, struct sg_charts *charts);
void sg_chart_moved(const struct sg_report *report, struct sg_charts *charts);
/* Trend charts are not part of a report. A series with values of fewer than three runs has none. */
void sg_chart_trend(const struct sg_judgement *judgement, const char *group, size_t series,
                    struct sg_charts *charts);
/* The values of that chart by run: percent from the accepted build or level; NaN: none. */
void sg_trend_values(const struct sg_judgement *judgement, size_t series, double *percents);
