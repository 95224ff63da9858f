/*
 * Gauges of a run for a textfile collector (docs/formats.md): the exit code, the number of rows
 * with each verdict, each time and ratio, and their changes since accepted.
 */
#define _GNU_SOURCE /* for strptime */
#include <math.h>
#include <string.h>
#include <time.h>

#include "reports/tables/ranking.h"
#include "stats/verdict.h"
#include "util/escape.h"

/* A gauge of findings: its name after solgate_, unit, meaning, and the function for a finding's
 * value; NaN: none. */
static double seconds(const struct sg_finding *f)
{
    return strcmp(f->unit, "ns") == 0 ? f->is * 1e-9 : NAN;
}
static double ratio(const struct sg_finding *f)
{
    return strcmp(f->unit, "1") == 0 ? f->is : NAN;
}
static double change(const struct sg_finding *f)
{
    return f->change;
}
static double low(const struct sg_finding *f)
{
    return f->low;
}
static double high(const struct sg_finding *f)
{
    return f->high;
}
static double tolerance(const struct sg_finding *f)
{
    return f->tolerance;
}

static const struct gauge {
    const char *name, *unit, *help;
    double (*value)(const struct sg_finding *);
} gauges[] = {
    {"time_seconds", "seconds", "one launch", seconds},
    {"time_ratio", "ratio", "one launch over one of its baseline variant or accepted build", ratio},
    {"change_ratio", "ratio", "now over accepted, minus 1", change},
    {"change_low_ratio", "ratio", "the lower end of its interval", low},
    {"change_high_ratio", "ratio", "the upper end of its interval", high},
    {"tolerance_ratio", "ratio", "the change that is allowed", tolerance},
};

static void begin_gauge(const char *name, const char *unit, const char *help, struct sg_text *out)
{
    sg_text_addf(out, "# TYPE solgate_%s gauge\n", name);
    if (unit)
        sg_text_addf(out, "# UNIT solgate_%s %s\n", name, unit);
    sg_text_addf(out, "# HELP solgate_%s %s\n", name, help);
}

static void add_label(struct sg_text *out, const char *before, const char *name, const char *value)
{
    SG_SCOPED(sg_text) printable = {0};
    sg_add_escaped(&printable, SG_JSON, value);
    sg_text_addf(out, "%s%s=\"", before, name);
    for (const char *c = sg_text_string(&printable); *c; c++)
        sg_text_addf(out, *c == '\n' ? "\\n" : strchr("\\\"", *c) ? "\\%c" : "%c", *c);
    sg_text_add(out, "\"");
}

/* Adds "solgate_rows{suite="smoke",gpu="h200"". */
static void begin_sample(const struct sg_report_input *input, const char *name, struct sg_text *out)
{
    const char *suite = input->env ? sg_env_get(input->env, "suite") : NULL,
               *gpu = input->env ? sg_env_get(input->env, "gpu") : NULL;
    sg_text_addf(out, "solgate_%s", name);
    add_label(out, "{", "suite", suite ? suite : "");
    add_label(out, ",", "gpu", gpu ? gpu : "");
}

static void add_run(const struct sg_report_input *input, struct sg_text *out)
{
    struct tm day = {0};
    const char *date = input->env ? sg_env_get(input->env, "date") : NULL;
    begin_gauge("exit_code", NULL, "of the comparison: 0 is green", out);
    begin_sample(input, "exit_code", out);
    sg_text_addf(out, "} %d\n", sg_comparison_exit_code(input->comparison, &input->options));
    if (date && strptime(date, SG_UTC_TIME, &day)) {
        begin_gauge("measured_seconds", "seconds", "when the run ended, since 1970", out);
        begin_sample(input, "measured_seconds", out);
        sg_text_addf(out, "} %lld\n", (long long)timegm(&day));
    }
    begin_gauge("rows", NULL, "rows that gate, by verdict", out);
    for (enum sg_verdict verdict = 0; verdict < SG_VERDICT_COUNT; verdict++) {
        if (sg_verdict_row(verdict)->bits & SG_NIGHTS)
            continue;
        begin_sample(input, "rows", out);
        add_label(out, ",", "verdict", sg_verdict_word(verdict));
        sg_text_addf(out, "} %zu\n", input->comparison->by_verdict[verdict]);
    }
}

static void add_gauge(const struct sg_report_input *input, const struct gauge *gauge,
                      struct sg_text *out)
{
    begin_gauge(gauge->name, gauge->unit, gauge->help, out);
    for (size_t i = 0; i < input->comparison->count; i++) {
        const struct sg_finding f = sg_finding_at(input->comparison, i);
        if (!sg_is_time(&f) || isnan(gauge->value(&f)))
            continue;
        begin_sample(input, gauge->name, out);
        add_label(out, ",", "family", f.family);
        add_label(out, ",", "case", f.case_);
        add_label(out, ",", "variant", f.variant);
        add_label(out, ",", "metric", f.metric);
        sg_text_add(out, "} ");
        sg_text_add_number(out, gauge->value(&f), 9);
        sg_text_add(out, "\n");
    }
}

static void comparison(const struct sg_report_input *input, struct sg_text *out)
{
    add_run(input, out);
    for (size_t i = 0; i < sizeof(gauges) / sizeof(gauges[0]); i++)
        add_gauge(input, &gauges[i], out);
    sg_text_add(out, "# EOF\n");
}

static void refusal(const struct sg_err *err, struct sg_text *out)
{
    begin_gauge("exit_code", NULL, "of the comparison: 0 is green", out);
    sg_text_addf(out, "solgate_exit_code %d\n# EOF\n", sg_exit_code(err->code));
}

const struct sg_format sg_format_openmetrics = {
    .name = "openmetrics", .comparison = comparison, .refusal = refusal};
