/*
 * Interval charts: the change since accepted, and each candidate relative to its family's baseline
 * variant. Candidates within NEAR of the baseline get a separate chart, because 3 % is invisible
 * next to a factor of 100.
 */
#include <math.h>
#include <string.h>

#include "reports/charts/charts.h"
#include "results/row_kind.h"
#include "stats/verdict.h"

#define NEAR           0.1 /* relative to the baseline variant's time */
#define PROCESSES_MOST 64

/* One interval of either chart. */
struct interval {
    double ratio, low, high;
    bool since_accepted;
    double accepted; /* accepted ratio; NaN: do not mark */
    double tolerance;
    enum sg_verdict verdict;
    bool vendor;
};

struct context {
    const struct sg_report *report;
    bool since_accepted, is_near;
    bool of_processes; /* only failing rows, with their processes */
};

static struct sg_finding finding_of(const struct context *context, const struct sg_entry *entry)
{
    return sg_finding_at(context->report->parts[0].input.comparison, entry->index);
}

static bool is_vendor(const struct sg_table *run, const struct sg_finding *finding)
{
    const struct sg_row *role = sg_table_find(run, SG_NAMES(*finding), "role");
    return role && strcmp(sg_table_string(run, role->message), "vendor") == 0;
}

static struct interval interval_of(const struct context *context, const struct sg_finding *finding)
{
    struct interval interval = {.tolerance = finding->tolerance, .accepted = NAN};
    interval.vendor = is_vendor(context->report->parts[0].input.run, finding);
    interval.since_accepted = context->since_accepted;
    interval.verdict = context->since_accepted ? finding->accepted : finding->baseline;
    interval.ratio = 1 + (context->since_accepted ? finding->change : finding->baseline_change);
    interval.low = 1 + (context->since_accepted ? finding->low : finding->baseline_low);
    interval.high = 1 + (context->since_accepted ? finding->high : finding->baseline_high);
    if (!context->since_accepted)
        interval.accepted = finding->was;
    return interval;
}

/* ---- processes ---- */

/* Sums of ln times of a process: batches of the pair's variant, and of the partner. */
struct sides {
    double sum[2];
    size_t count[2];
};

/* The change since accepted in each process of the row's pair; returns the number of processes.
 * A pair with the accepted build has the build's name. */
static size_t add_processes(const struct context *context, const struct sg_finding *finding,
                            double *change)
{
    const struct sg_samples *samples = context->report->parts[0].samples;
    const bool of_build = strcmp(finding->metric, SG_BUILD_RATIO_METRIC) == 0;
    struct sides sides[PROCESSES_MOST] = {0};
    size_t count = 0;
    if (!samples || strcmp(finding->metric, "time") == 0) /* times are not paired */
        return 0;
    SG_FORMATTED(pair, "%s%s", finding->variant, of_build ? SG_OTHER_SUFFIX : "");
    const sg_id name = sg_intern_pool_find(samples->pool, pair.data),
                case_ = sg_intern_pool_find(samples->pool, finding->case_),
                family = sg_intern_pool_find(samples->pool, finding->family);
    for (size_t i = 0; i < samples->count; i++) {
        const struct sg_sample *sample = &samples->items[i];
        if (sample->pair != name || sample->process >= PROCESSES_MOST || sample->case_ != case_ ||
            sample->family != family)
            continue;
        const bool is_now = (sample->variant == sample->pair) != of_build;
        sides[sample->process].sum[is_now] += log(sample->ns);
        sides[sample->process].count[is_now]++;
    }
    for (size_t i = 0; i < PROCESSES_MOST; i++)
        if (sides[i].count[0] > 0 && sides[i].count[1] > 0)
            change[count++] = exp(sides[i].sum[1] / (double)sides[i].count[1] -
                                  sides[i].sum[0] / (double)sides[i].count[0]) /
                              (of_build || isnan(finding->was) ? 1 : finding->was);
    return count;
}

static void draw_processes(const struct context *context, const struct sg_finding *finding,
                           double y, struct sg_chart *chart)
{
    double ratio[PROCESSES_MOST];
    const size_t count = add_processes(context, finding, ratio);
    for (size_t i = 0; i < count; i++) {
        sg_line_begin(chart, y - 0.35 + 0.7 * (double)(i + 1) / (double)(count + 1), SG_LINE_DOT);
        sg_line_numbers(chart, ratio[i]);
    }
}

/* Sets the ratios that the axis must include. */
static void find_extent(const struct context *context, const struct sg_finding *finding,
                        struct sg_entry *entry)
{
    const struct interval interval = interval_of(context, finding);
    double seen[6 + PROCESSES_MOST] = {interval.ratio,         interval.low,
                                       interval.high,          interval.accepted,
                                       1 + interval.tolerance, 1 - interval.tolerance};
    const size_t count =
        6 + (context->of_processes ? add_processes(context, finding, seen + 6) : 0);
    entry->low = entry->high = interval.ratio;
    for (size_t i = 0; i < count; i++) {
        entry->low = seen[i] > 0 ? fmin(entry->low, seen[i]) : entry->low;
        entry->high = fmax(entry->high, seen[i]);
    }
}

/* Red is for a failed gate. A variant that was always slower than the baseline is neutral. */
static int colour_of(const struct interval *interval)
{
    if (interval->verdict == SG_REGRESSED && !interval->since_accepted)
        return 0x37474f;
    const bool is_judged = interval->verdict < SG_VERDICT_COUNT;
    return sg_class_row(is_judged ? sg_verdict_row(interval->verdict)->class_ : SG_ASIDE)->chart;
}

/* Four digits, enough for an interval of a quarter of a percent. */
static int places_of(double ratio)
{
    return ratio < 9.9995 ? 3 : ratio < 99.995 ? 2 : 1;
}

/* Adds numbers in the axis's unit: ratios if logarithmic, otherwise percent. */
static void add_words(const struct sg_chart *chart, const struct interval *interval,
                      struct sg_text *out)
{
    const int places = places_of(interval->ratio);
    if (!chart->x_log)
        sg_add_interval(out, interval->ratio - 1, interval->low - 1, interval->high - 1);
    else
        sg_text_addf(out, "%.*fx", places, interval->ratio);
    if (chart->x_log && !isnan(interval->low) && !isnan(interval->high))
        sg_text_addf(out, " [%.*f, %.*f]", places, interval->low, places, interval->high);
    if (interval->verdict < SG_VERDICT_COUNT &&
        (interval->verdict != SG_WITHIN || !interval->since_accepted))
        sg_text_addf(out, " %s",
                     interval->since_accepted ? sg_verdict_word(interval->verdict)
                                              : sg_verdict_pair_word(interval->verdict));
}

static void add_other_runs(const struct context *context, const struct sg_finding *finding,
                           double y, struct sg_chart *chart)
{
    for (size_t i = 1; i < context->report->part_count && !context->since_accepted; i++) {
        const struct sg_row *row =
            sg_table_find(context->report->parts[i].input.run, SG_NAMES(*finding), "time_ratio");
        if (!row || !(row->has & SG_HAS_VALUE))
            continue;
        sg_line_begin(chart, y, SG_LINE_DOT);
        sg_line_numbers(chart, row->value);
    }
}

static void draw_row(const void *context, const struct sg_entry *entry, double y,
                     struct sg_chart *chart)
{
    const struct sg_finding finding = finding_of(context, entry);
    struct interval interval = interval_of(context, &finding);
    SG_SCOPED(sg_text) label = {0}, words = {0};
    /* An absolute time drifts, so its band is wider. */
    sg_text_addf(&label, "%s%s%s", entry->variant, interval.vendor ? " (vendor)" : "",
                 strcmp(finding.metric, "time") == 0 ? " (absolute)" : "");
    add_words(chart, &interval, &words);
    if (!interval.since_accepted && sg_class_of(&finding) < SG_GREEN && !isnan(finding.was))
        sg_text_addf(&words, ", accepted %.*fx", places_of(finding.was), finding.was);
    sg_line_begin(chart, y, SG_LINE_ROW);
    sg_line_word(chart, label.data);
    sg_line_word(chart, sg_text_string(&words));
    sg_line_numbers(chart, interval.ratio, isnan(interval.low) ? interval.ratio : interval.low,
                    isnan(interval.high) ? interval.ratio : interval.high, colour_of(&interval),
                    1 - interval.tolerance, 1 + interval.tolerance, interval.accepted,
                    interval.vendor ? 1 : 0);
    add_other_runs(context, &finding, y, chart);
    if (((const struct context *)context)->of_processes)
        draw_processes(context, &finding, y, chart);
}

static bool belongs(const struct context *context, const struct sg_finding *finding)
{
    if (!sg_is_time(finding))
        return false;
    double ratio[PROCESSES_MOST];
    if (context->of_processes &&
        (sg_class_of(finding) != SG_RED || add_processes(context, finding, ratio) == 0))
        return false;
    if (context->since_accepted)
        return finding->gates && isfinite(finding->change) && finding->accepted != SG_NEW;
    return finding->baseline != SG_VERDICT_COUNT && isfinite(finding->baseline_change) &&
           (fabs(finding->baseline_change) <= NEAR) == context->is_near;
}

static void add_chart(struct context *context, const struct sg_chart_kind *kind,
                      struct sg_charts *charts)
{
    const struct sg_comparison *comparison = context->report->parts[0].input.comparison;
    const struct sg_table *run = context->report->parts[0].input.run;
    struct sg_entries entries = {0};
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding f = sg_finding_at(comparison, i);
        if (!belongs(context, &f))
            continue;
        sg_entries_add(
            &entries,
            &(struct sg_entry){SG_NAMED(f), .order = sg_chart_order_in(run, SG_NAMES(f)),
                               .weight = context->since_accepted ? f.change : f.baseline_change,
                               .index = i});
        find_extent(context, &f, &entries.items[entries.count - 1]);
    }
    sg_chart_pages(charts, kind, context, &entries);
}

#define INTERVALS .script = "interval.gp", .linear_most = 2.5, .both_ends = true, .row = draw_row
static const char paired[] =
    "A point is the time of a variant over that of its baseline variant, paired in this run, with "
    "its interval; right is slower. The grey band is the tolerance. Diamonds are vendor libraries, "
    "upright ticks accepted ratios, hollow points other runs. Green is faster, amber inconclusive.";
static const struct sg_chart_kind kinds[] = {
    {.name = "vs_accepted",
     .link = "change",
     .title = "Time against the accepted number",
     .axis = "change since accepted; grey band: tolerance of the row",
     .table = "comparison.csv",
     .weight = "those that lost and gained most",
     .read = "A point is the change since accepted, with its interval; right is slower. The grey "
             "band is the tolerance, wider where accepted runs scatter more. Red: slower beyond "
             "the band, the gate fails. Green: faster. Amber: unresolved or inconclusive.",
     INTERVALS},
    {.name = "processes",
     .link = "processes",
     .title = "Every process of the rows that fail",
     .axis = "change; grey band: tolerance of the row",
     .table = "samples.csv",
     .weight = "those that lost most",
     .read = "A hollow point is one process, the first one at the top. The red point is their mean "
             "with its interval. One cloud away from 0 is a slower kernel; two clouds are a state "
             "that some processes are in; a slope is a run that drifted.",
     INTERVALS},
    {.name = "time_ratio",
     .link = "ratio",
     .title = "Over 10 % from the family's baseline variant: time ratio, paired in this run",
     .axis = "time against that of the baseline variant",
     .table = "comparison.csv",
     .weight = "the fastest and the slowest",
     .read = paired,
     INTERVALS},
    {.name = "time_ratio_near",
     .link = "ratio",
     .title = "Within 10 % of the family's baseline variant: time ratio, paired in this run",
     .axis = "time against that of the baseline variant; grey band: tolerance of the row",
     .table = "comparison.csv",
     .weight = "the fastest and the slowest",
     .read = paired,
     INTERVALS},
};

void sg_chart_ratios(const struct sg_report *report, struct sg_charts *charts)
{
    const struct sg_comparison *comparison = report->parts[0].input.comparison;
    struct context contexts[] = {
        {.since_accepted = true},
        {.since_accepted = true, .of_processes = true},
        {.since_accepted = false},
        {.is_near = true},
    };
    for (size_t i = 0; comparison && i < sizeof(contexts) / sizeof(contexts[0]); i++) {
        contexts[i].report = report;
        if (i > 0 || !comparison->of_pairs)
            add_chart(&contexts[i], &kinds[i], charts);
    }
}
