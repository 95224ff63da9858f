/*
 * report.h - findings to a format: one row source, one file a format (format_*.c), one table of formats.
 *
 * Scaling and rounding happen here and nowhere else. Whatever came from a kernel's name or message is escaped for the format at hand.
 */
#ifndef SG_REPORT_H
#define SG_REPORT_H

#include "compare.h"
#include "diagnose.h"
#include "sol.h"

/* Why a row regressed, for the formats that say so. */
struct sg_report_input {
    const struct sg_comparison *comparison;
    const struct sg_table *run;
    const struct sg_baseline *baseline;
    const struct sg_catalogue *catalogue;
    const struct sg_rules *rules;
    const struct sg_env *env;
};

struct sg_format {
    const char *name;                                                             /* text, csv, markdown, junit */
    void (*comparison)(const struct sg_report_input *input, struct sg_text *out); /* NULL: this format cannot */
    void (*gap)(const struct sg_gap *gaps, size_t count, const struct sg_gpu_spec *spec, struct sg_text *out); /* NULL: cannot */
};

/* The generated table of formats, sorted by name; count in *count. */
const struct sg_format *const *sg_formats(size_t *count);
const struct sg_format *sg_format_find(const char *name); /* NULL: unknown */

/* For people: "45.65 us", "+8.1 %", "1.23 TB/s"; never more digits than carry meaning. */
void sg_add_time(struct sg_text *out, double ns);
void sg_add_change(struct sg_text *out, double ratio_minus_1);
void sg_add_rate(struct sg_text *out, double per_second, const char *unit);
void sg_add_value(struct sg_text *out, double value, const char *unit);

/* The folder of `solgate report`: tables as CSV and markdown, charts (gnuplot), index.html, report.md. */
struct sg_report_options {
    bool tables_only; /* no gnuplot */
};
enum sg_code sg_report_write(const struct sg_report_input *input, const struct sg_gap *gaps, size_t gap_count,
                             const struct sg_gpu_spec *spec, const char *folder, const struct sg_report_options *options,
                             struct sg_err *err);

#endif
