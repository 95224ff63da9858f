/*
 * reports/report.h - documents (reports/sheet.h) of findings and gaps, and the formats that print
 * them: one file a format (format_*.c), one table of formats.
 */
#pragma once

#include "compare/compare.h"
#include "diagnose/diagnose.h"
#include "model/sol_table.h"
#include "reports/sheet.h"
#include "results/env.h"
#include "results/samples.h"
#include "util/number_format.h"

struct sg_charts;
struct sg_report_history;
/* A comparison, and what explains it. */
struct sg_report_input {
    const struct sg_comparison *comparison;
    const struct sg_table *run;
    const struct sg_accepted_file *accepted;
    const struct sg_catalogue *catalogue;
    struct sg_diagnosed_gpu gpu;
    const struct sg_env *env;
    bool colour;                       /* text only: escape sequences; the command decides (a terminal, or not) */
    bool explain;                      /* text only: also rows that are slower than their baseline variant as accepted, with what moved */
    bool verbose;                      /* text only: every row, and every counter that differs */
    const struct sg_filters *filters;  /* NULL, or the items that were asked for */
    const char *note;                  /* NULL, or what every reader must know first: "recorded run of 2026-11-20, no GPU here" */
    struct sg_compare_options options; /* junit: which rows fail */
    const struct sg_charts *charts;    /* NULL, or those that rows are linked to */
    const char *events;                /* NULL, or what happened to the GPU during the run; not in csv and junit */
};

/* What is there to print of a comparison, and of one table of speed of light or several beside each
 * other. */
void sg_document_of_comparison(struct sg_document *document, const struct sg_report_input *input);
void sg_document_of_gaps(struct sg_document *document, const struct sg_sol_table *gaps, size_t count, bool as_charts);

struct sg_format {
    const char *name; /* as it is typed, and that of its file */
    /* NULL: only comparisons. `colour`: for a terminal. */
    void (*document)(const struct sg_document *document, bool colour, struct sg_text *out);
    void (*comparison)(const struct sg_report_input *input, struct sg_text *out); /* NULL: by its document */
    /* A comparison that could not be made: why. NULL: nothing is printed of it. */
    void (*refusal)(const struct sg_err *err, struct sg_text *out);
};

/* The generated table of formats, sorted by name; count in *count. */
const struct sg_format *const *sg_formats(size_t *count);
const struct sg_format *sg_format_find(const char *name); /* NULL: unknown */
void sg_format_comparison(const struct sg_format *format, const struct sg_report_input *input, struct sg_text *out);
/* To stdout, in colour where that is a terminal. */
enum sg_code sg_print_document(const struct sg_document *document, const struct sg_format *format, struct sg_err *err);

/* For --format (util/options.h), of a command that judges, and of any other: the names, as
 * "csv|html|json", and what reads one. The place is a pointer to a format; SG_BAD_USAGE with those
 * there are in `err`. */
const char *sg_formats_of_comparison(void);
const char *sg_formats_of_document(void);
enum sg_code sg_format_of_comparison(void *place, const char *name, struct sg_err *err);
enum sg_code sg_format_of_document(void *place, const char *name, struct sg_err *err);
#define SG_FORMAT_OPTION(input)                                                                                    \
    {                                                                                                              \
        .name = "format", .arg_of = sg_formats_of_document, SG_INTO(input, format), .read = sg_format_of_document, \
        .help = "how it is written", .standard = "text",                                                           \
    }
#define SG_FORMAT_OPTION_OF_COMPARISON(input, place)                                                                  \
    {                                                                                                                 \
        .name = "format", .arg_of = sg_formats_of_comparison, SG_INTO(input, place), .read = sg_format_of_comparison, \
        .help = "how the verdicts are written", .standard = "text",                                                   \
    }

/* "+162 points +- 9.1 points" of a metric in percent, where the spread is known; of an exact
 * counter, where it does not repeat. */
void sg_add_difference(struct sg_text *out, const struct sg_moved *moved);

/* One run in the folder of `solgate report`. comparison NULL: not comparable, `why_not` says so. */
struct sg_report_part {
    const char *path;                 /* as given on the command line */
    const struct sg_samples *samples; /* of the run; NULL: none are shown */
    bool lacks_samples;               /* of the run: it cannot be accepted */
    struct sg_report_input input;
    const struct sg_sol_table *gaps; /* NULL: no speed-of-light figures, `why_no_gap` says so */
    const char *why_not, *why_no_gap;
};

/*
 * The folder of `solgate report`: comparison.csv, gap.csv, counters.csv,
 * report.md, index.html, and charts/ with the data, PNG and SVG of every chart. parts[0] is the
 * subject, the others are what it is shown beside.
 */
struct sg_report {
    const char *folder; /* made if it is not there */
    const struct sg_report_part *parts;
    size_t part_count;                 /* >= 1 */
    struct sg_report_history *history; /* NULL, or of parts[0] */
    bool tables_only;                  /* no gnuplot */
};

/*
 * SG_SYSTEM when a file cannot be written, or gnuplot is missing or fails: then with its words, and
 * all tables are there. The pages come last, and those of an earlier report go first, so that a
 * page never stands beside tables that it does not describe.
 */
enum sg_code sg_report_write(const struct sg_report *report, struct sg_err *err);
/* A configuration of a sweep that was timed. */
struct sg_tried {
    const char *family, *case_; /* borrowed */
    char *knobs;                /* owned; as people read them */
    double ratio, low, high;    /* its time over that of the variant's default; low and high NaN: no interval */
    double rank;                /* in its case, the best is 0 */
    const char *outcome;        /* in a word */
    enum sg_class class_;       /* SG_NEWS: the best; SG_YELLOW: chosen and not confirmed; any other is drawn in grey */
};
struct sg_tries {
    struct sg_tried *items;
    size_t count;
    const char *note; /* for the caption: whose knobs */
};
/* Their chart in charts/ of a folder that is made if it is not there; nothing of none. `env` is
 * that of the runs. Fails as a report. */
enum sg_code sg_tries_write(const char *folder, const struct sg_tries *tries, const struct sg_env *env, struct sg_err *err);
