/*
 * reports/report.h - documents (reports/sheet.h) of findings and gaps, and the formats that print
 * them: one file per format (format_*.c), one table of formats.
 */
#pragma once

#include "compare/compare.h"
#include "diagnose/diagnose.h"
#include "model/sol_table.h"
#include "reports/sheet.h"
#include "results/env.h"
#include "results/samples.h"
#include "stats/headline.h"
#include "util/number_format.h"

struct sg_charts;
struct sg_report_history;
/* A comparison, with the data that explain it. */
struct sg_report_input {
    const char *path;   /* the folder of the run, as given; NULL: no command can name it */
    bool lacks_samples; /* the run has no samples and cannot be accepted */
    const struct sg_comparison *comparison;
    const struct sg_table *run;
    const struct sg_accepted_file *accepted;
    const struct sg_catalogue *catalogue;
    struct sg_diagnosed_gpu gpu;
    const struct sg_env *env;
    bool colour; /* text only: use escape sequences; the command decides (terminal or not) */
    /* text only: include rows slower than their baseline variant as accepted, with the changed
     * counters */
    bool explain;
    bool verbose;                     /* text only: every row, and every counter that differs */
    const struct sg_filters *filters; /* NULL, or the requested items */
    /* NULL, or remarks for every reader, a line each: "recorded run of 2026-11-20, no GPU here" */
    const char *note;
    /* of several gates: their verdict and its counts, in place of those of the rows; NULL: none */
    const struct sg_headline *total;
    const char *counts;
    struct sg_compare_options options; /* junit: determines the failing rows */
    const struct sg_charts *charts;    /* NULL, or the charts that rows link to */
    /* NULL, or the GPU's events during the run; not in csv and junit */
    const char *events;
};

/* Make the document of a comparison, and of one or several speed-of-light tables. */
void sg_document_of_comparison(struct sg_document *document, const struct sg_report_input *input);
void sg_document_of_gaps(struct sg_document *document, const struct sg_sol_table *gaps,
                         size_t count, bool as_charts);
/* Makes the document of two runs side by side, for information. `top`: the first rows; 0: all. */
void sg_document_of_two(struct sg_document *document, const struct sg_sol_table gaps[2],
                        size_t top);

/* Adds the times of a run, for a run without work: it has no limits. */
void sg_document_add_times(struct sg_document *document, const struct sg_table *run);

struct sg_format {
    const char *name; /* as given to --format; format_NAME.c has the format */
    /* NULL: the format supports only comparisons. `colour`: for a terminal. */
    void (*document)(const struct sg_document *document, bool colour, struct sg_text *out);
    /* NULL: print its document */
    void (*comparison)(const struct sg_report_input *input, struct sg_text *out);
    /* Prints why a comparison failed. NULL: prints nothing. */
    void (*refusal)(const struct sg_err *err, struct sg_text *out);
};

/* The generated table of formats, sorted by name; number in *count. */
const struct sg_format *const *sg_formats(size_t *count);
const struct sg_format *sg_format_find(const char *name); /* NULL: unknown */
void sg_format_comparison(const struct sg_format *format, const struct sg_report_input *input,
                          struct sg_text *out);
/* Prints to stdout, in colour on a terminal. */
enum sg_code sg_print_document(const struct sg_document *document, const struct sg_format *format,
                               struct sg_err *err);

/* For --format (util/options.h), of a command that judges, and of other commands: the names,
 * "csv|html|json", and the parser. `place` points to a format pointer. SG_BAD_USAGE lists the
 * formats in `err`. */
const char *sg_formats_of_comparison(void);
const char *sg_formats_of_document(void);
enum sg_code sg_format_of_comparison(void *place, const char *name, struct sg_err *err);
enum sg_code sg_format_of_document(void *place, const char *name, struct sg_err *err);
#define SG_FORMAT_OPTION(input)                                                         \
    {                                                                                   \
        .name = "format", .arg_of = sg_formats_of_document, SG_INTO(input, format),     \
        .read = sg_format_of_document, .help = "how it is written", .standard = "text", \
    }
#define SG_FORMAT_OPTION_OF_COMPARISON(input, place)                                 \
    {                                                                                \
        .name = "format", .arg_of = sg_formats_of_comparison, SG_INTO(input, place), \
        .read = sg_format_of_comparison, .help = "how the verdicts are written",     \
        .standard = "text",                                                          \
    }

/* Adds "+162 points +- 9.1 points": the change of a noisy counter with a known spread, or of an
 * exact counter that does not repeat. */
void sg_add_difference(struct sg_text *out, const struct sg_counter_change *moved);

/* One run in the folder of `solgate report`. comparison NULL: not comparable, with the reason in
 * `why_not`. */
struct sg_report_part {
    const struct sg_samples *samples; /* samples of the run; NULL: show none */
    struct sg_report_input input;
    /* NULL: no speed-of-light figures, with the reason in `why_no_gap` */
    const struct sg_sol_table *gaps;
    const char *why_not, *why_no_gap;
};

/* The folder of `solgate report`: comparison.csv, gap.csv, counters.csv, report.md, index.html,
 * and charts/ with data, PNG and SVG of every chart. The subject is parts[0]; the other parts
 * are shown for comparison. */
struct sg_report {
    const char *folder; /* created if missing */
    const struct sg_report_part *parts;
    size_t part_count;                 /* >= 1 */
    struct sg_report_history *history; /* NULL, or the history of parts[0] */
    bool tables_only;                  /* do not run gnuplot */
};

/* SG_SYSTEM if a file cannot be written, or gnuplot is missing or fails; in that case with
 * gnuplot's error text, and all tables are written. Old pages are removed first and new pages
 * are written last, so a page always describes its tables. */
enum sg_code sg_report_write(const struct sg_report *report, struct sg_err *err);
