/*
 * reports/charts/charts.h - what the charts show: data for gnuplot, as tab-separated
 * files, and how each is to be read.
 *
 * A chart is rows of (case, variant) under a header per case, drawn by one script of plots/; all
 * geometry is decided here, so that a script only draws. More rows than fit on one page make a page
 * a family; rows left out there are counted in `shown`.
 * Invariant: names and messages reach gnuplot as data or as values of strings, never
 * inside a string that it evaluates.
 */
#pragma once

#include "history/judge.h"
#include "reports/tables/ranking.h"

#define SG_PAGE_ROWS      45
#define SG_PAGE_ROWS_MOST 60 /* so many are shown rather than a few left out */
#define SG_PAGES_MAX      24 /* of one chart */
#define SG_ROW_PIXELS     22.0
#define SG_TITLE_PIXELS   60.0 /* above names of columns, which stand at 45 degrees, in narrow drawings upright */

/* One row of a chart before it is laid out. */
struct sg_entry {
    const char *family, *case_, *variant; /* borrowed */
    double order;                         /* within a case, ascending: sg_chart_order, but of a sweep */
    double weight;                        /* who stays when a page is full: the largest */
    size_t index;                         /* of the caller */
};

struct sg_entries {
    struct sg_entry *items; /* owned */
    size_t count, capacity;
};
void sg_entries_add(struct sg_entries *entries, const struct sg_entry *entry);
void sg_entries_release(struct sg_entries *entries);

/*
 * The same in all charts of a page, so that a reader finds a row again: the baseline, then by the
 * paired ratio (by the time, where a run has no pairs), then what has neither, by name.
 * `is_baseline` and NaN for what is not known.
 */
double sg_chart_order(bool is_baseline, double ratio, double time_ns);
double sg_chart_order_in(const struct sg_table *run, const char *family, const char *case_, const char *variant);

struct sg_chart {
    char name[128];        /* of its files, [a-z0-9_]+ */
    const char *script;    /* plots/SCRIPT.gp */
    const char *title;     /* the question it answers */
    char *own_title;       /* owned; NULL: the title is borrowed */
    const char *axis;      /* with unit */
    const char *read;      /* how to read it, for people */
    const char *link;      /* a word for links from rows to it; NULL: none lead here */
    struct sg_text rows;   /* "FAMILY/CASE/VARIANT", each between line feeds */
    char shown[160];       /* "45 of 132 rows, the largest changes; all in comparison.csv"; "" when all are here */
    struct sg_text data;   /* what the script plots */
    struct sg_text legend; /* words, blank between */
    double left, right;    /* margins, pixels */
    double top, bottom;    /* the same */
    double width, height;  /* of the plotting area, pixels */
    double head;           /* of the height: above the range of the other axis, for words */
    double key;            /* lines of a key beside the plot; it stands below a narrow one */
    size_t label, pair;    /* characters: of the label last added; of the longest label with its words */
    double x_low, x_high;  /* range of the axis */
    bool x_log;            /* logarithmic, base 2 */
    double y_low, y_high;  /* range of the other axis, logarithmic; 0: there are rows instead */
};

struct sg_charts {
    struct sg_chart *items; /* owned */
    size_t count, capacity;
};
void sg_charts_release(struct sg_charts *charts);
/* Adds all of others, which are none then. */
void sg_charts_take(struct sg_charts *charts, struct sg_charts *from);
/* A cell of SG_FIGURES: the charts that have this row. */
void sg_charts_add_links(const struct sg_charts *charts, const char *family, const char *case_, const char *variant, struct sg_text *out);

/* A kind of chart: what it is called, and how a page of it is filled. */
struct sg_chart_kind {
    const char *name, *link, *script, *title, *axis, *read;
    const char *table;  /* the file that has every row */
    const char *weight; /* who stays on a full page: "the largest changes" */
    /* Before the rows: ranges, legend. May be NULL. */
    void (*begin)(void *context, const struct sg_entry *entries, size_t count, struct sg_chart *chart);
    /* What stands behind the name of a case, of which `first` is the first entry. May be NULL. */
    void (*head)(const void *context, const struct sg_entry *first, struct sg_text *words);
    /* One row at height y (rows stand at 0.5, 1.5, ... from the top down). */
    void (*row)(const void *context, const struct sg_entry *entry, double y, struct sg_chart *chart);
};

/* Sorts the entries and adds the pages that they make; none without entries. */
void sg_chart_pages(struct sg_charts *charts, const struct sg_chart_kind *kind, void *context, struct sg_entries *entries);

/* A line of the data file: y and what the line is (SG_LINE_*), then fields
 * of the chart's own. It ends where the next one begins. */
enum sg_chart_line {
    SG_LINE_HEAD,
    SG_LINE_ROW,
    SG_LINE_OTHER,
    SG_LINE_MARK,
    SG_LINE_POINT, /* from here on of rooflines */
    SG_LINE_WORDS_RIGHT,
    SG_LINE_WORDS_LEFT,
    SG_LINE_LEADER,
    SG_LINE_SPAN,
    SG_LINE_PEAK,
    SG_LINE_CEILING,
    SG_LINE_ROOF_WORDS
};
void sg_line_begin(struct sg_chart *chart, double y, enum sg_chart_line line);
void sg_line_add_numbers(struct sg_chart *chart, const double *values, size_t count);
#define sg_line_numbers(chart, ...) sg_line_add_numbers(chart, SG_SHEET_VALUES(__VA_ARGS__))
void sg_line_word(struct sg_chart *chart, const char *word);
/* The label left of a row, and the words right of it: the margins grow with them. */
void sg_line_label(struct sg_chart *chart, const char *label);
void sg_line_words(struct sg_chart *chart, const char *words);

/* Lets the x range of a chart take in a value; NaN and what a
 * logarithm cannot show are passed over. */
void sg_axis_take(struct sg_chart *chart, double value);
/* Chooses log 2 when the range is wider than `most`, then leaves room at both ends. */
void sg_axis_finish(struct sg_chart *chart, double most);

/*
 * Writes charts/NAME.tsv, NAME.png, NAME.svg and NAME_narrow.svg, for a telephone, in a folder:
 * gnuplot is started there with an argument vector. `caption` stands under the chart. SG_SYSTEM
 * with gnuplot's own words when it is missing or fails.
 */
enum sg_code sg_chart_draw(const struct sg_chart *chart, const char *folder, const char *caption, struct sg_err *err);

#define SG_STALL "stall_" /* how metrics of stalls begin; 100 % are one warp cycle per issued instruction, ncu's unit */

/* Every chart of a report, in the order of the page. */
void sg_charts_make(const struct sg_report *report, struct sg_charts *charts);
void sg_chart_ratios(const struct sg_report *report, struct sg_charts *charts);
void sg_chart_gaps(const struct sg_sol_table *gaps, struct sg_charts *charts);
void sg_chart_rooflines(const struct sg_sol_table *gaps, struct sg_charts *charts);
void sg_chart_stalls(const struct sg_report *report, struct sg_charts *charts);
void sg_chart_moved(const struct sg_report *report, struct sg_charts *charts);
/* Of a sweep, which is no part of a report. */
void sg_chart_sweep(const struct sg_tries *tries, struct sg_charts *charts);
/* Of one series of a history. */
#define SG_TREND_LINK "trend"
void sg_chart_trend(const struct sg_judgement *judgement, const char *group, size_t series, struct sg_charts *charts);
/* What it shows: percent against the first nights, of each night; NaN: nothing. */
void sg_trend_values(const struct sg_judgement *judgement, size_t series, double *percents);
