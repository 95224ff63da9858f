/*
 * Two heat maps of counters that changed: since accepted, and relative to the family's baseline
 * variant.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/charts/charts.h"
#include "results/row_kind.h"

#define OVER        "\303\267" /* division sign */
#define MOVED_MAX   64         /* maximum number of counters per row */
#define COLUMNS_MAX 16
#define CAP         2.0   /* log2: a factor of 4 has the full colour */
#define POINTS_CAP  50.0  /* points with the full colour */
#define STALL_CAP   500.0 /* full colour of a stall, percent of an instruction: five warp cycles */
/* share of the full colour for a counter that is not a cause; a cause has at least STRONG */
#define PALE   0.35
#define STRONG 0.6

/* The counters of one row that changed. */
struct changes {
    struct sg_counter_change moved[MOVED_MAX];
    bool is_cause[MOVED_MAX]; /* it shows a cause of the row's added time */
    size_t count;
};

struct context {
    const struct sg_report_input *input;
    bool since_accepted; /* otherwise against the baseline variant */
    /* columns of this page, by the sum of their scores */
    const struct sg_metric *column[COLUMNS_MAX];
    size_t column_count;
};

/* Marks the counters that show causes of the added time; none in a row that is not slower. */
static void mark_causes(const struct sg_finding *finding, bool since_accepted,
                        struct sg_diagnosed *what, struct changes *changes)
{
    struct sg_causes causes;
    if ((since_accepted ? finding->accepted : finding->baseline) != SG_REGRESSED)
        return;
    if (since_accepted) {
        what->added = finding->change;
        what->added_error = (finding->high - finding->low) / 2;
    } else {
        sg_diagnose_added(what);
    }
    sg_find_causes_of(what, &causes);
    for (size_t i = 0; i < causes.found.count; i++)
        for (size_t e = 0; causes.found.cause[i].mechanism && e < SG_EVIDENCE_MAX &&
                           causes.found.cause[i].mechanism->evidence[e] != SG_NO_INPUT;
             e++)
            for (size_t k = 0; k < changes->count; k++)
                changes->is_cause[k] |=
                    strcmp(changes->moved[k].metric->name,
                           sg_input_name(causes.found.cause[i].mechanism->evidence[e])) == 0;
}

/* The counters of a finding's item that changed; none without the other side. */
static struct changes changes_of(const struct context *context, size_t index)
{
    const struct sg_report_input *input = context->input;
    const struct sg_finding finding = sg_finding_at(input->comparison, index);
    const struct sg_table *then = context->since_accepted ? &input->accepted->table : input->run;
    const char *other =
        context->since_accepted ? finding.variant : sg_paired_with(input->run, SG_NAMES(finding));
    struct changes changes = {.count = 0};
    if (!other || then->count == 0)
        return changes;
    struct sg_diagnosed what = sg_diagnosed_of(input, &finding, then, other);
    changes.count = sg_diagnose(&what, changes.moved, MOVED_MAX);
    mark_causes(&finding, context->since_accepted, &what, &changes);
    return changes;
}

/* Chooses the columns of a page: the counters that changed most in its rows. */
struct tally {
    const struct sg_metric *metric;
    double score;
};

static int by_score(const void *left, const void *right)
{
    const struct tally *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return strcmp(a->metric->name, b->metric->name);
}

static size_t count_up(const struct context *context, const struct sg_entry *entries, size_t count,
                       struct tally *tally, size_t most)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const struct changes row = changes_of(context, entries[i].index);
        for (size_t k = 0; k < row.count; k++) {
            size_t at = 0;
            while (at < used && tally[at].metric != row.moved[k].metric)
                at++;
            if (at == used && used == most)
                continue;
            used += at == used;
            tally[at].metric = row.moved[k].metric;
            /* limited, so that one extreme counter does not hide the others */
            tally[at].score += fmin(row.moved[k].score, 100);
        }
    }
    qsort(tally, used, sizeof(*tally), by_score);
    return used;
}

static double log2_ratio(double was, double is)
{
    if (was == is)
        return 0;
    if (was == 0 || is == 0 || was < 0 || is < 0)
        return is > was ? CAP : -CAP;
    return log2(is / was);
}

static bool is_in_points(const struct sg_metric *metric)
{
    return strcmp(metric->unit, "%") == 0;
}

static bool is_stall(const struct sg_metric *metric)
{
    return strncmp(metric->name, SG_STALL, strlen(SG_STALL)) == 0;
}

/* Size of the change, -1 to 1: metrics in percent by points, stalls by warp cycles, others by
 * ratio. */
static double strength_of(const struct sg_counter_change *moved)
{
    const double points = moved->is - moved->was;
    double t = log2_ratio(moved->was, moved->is) / CAP;
    if (is_in_points(moved->metric))
        t = points / (is_stall(moved->metric) ? STALL_CAP : POINTS_CAP);
    return fmax(-1, fmin(1, t));
}

enum hue { CAUSE, WORSE, BETTER, NEITHER, HUES };
static const char *const hue_words[HUES] = {"cause of the slower time", "worse", "better",
                                            "no direction"};

static enum hue hue_of(const struct sg_counter_change *moved, bool is_cause, double strength)
{
    const bool is_worse = moved->metric->better == SG_LOWER ? strength > 0 : strength < 0;
    if (moved->metric->better == SG_NEITHER)
        return is_cause ? CAUSE : NEITHER;
    return !is_worse ? BETTER : is_cause ? CAUSE : WORSE;
}

/* Pale except for causes, so that causes stand out. White means no change. */
static int colour_of(enum hue hue, double strength)
{
    static const double end[HUES][3] = {{178, 24, 43}, {178, 24, 43}, {33, 102, 172}, {84, 92, 99}};
    const double part =
        hue == CAUSE ? STRONG + (1 - STRONG) * fabs(strength) : PALE * fabs(strength);
    int rgb = 0;
    for (size_t i = 0; i < 3; i++)
        rgb = rgb << 8 | (int)lround(255 + (end[hue][i] - 255) * part);
    return rgb;
}

static void add_cell(struct sg_chart *chart, double y, double column,
                     const struct sg_counter_change *moved, bool is_cause, const char *words)
{
    const double strength = strength_of(moved);
    const enum hue hue = hue_of(moved, is_cause, strength);
    sg_line_begin(chart, y, SG_LINE_MARK);
    sg_line_word(chart, words);
    sg_line_numbers(chart, column, colour_of(hue, strength), hue == CAUSE ? 0xffffff : 0x212121);
}

static const char *unit_of_column(const struct sg_metric *metric)
{
    if (is_stall(metric))
        return "warp cycles";
    return is_in_points(metric) ? "points" : "%";
}

/* "l2_hit_rate, points", "registers, %" */
static void add_column_name(struct sg_chart *chart, const struct sg_metric *metric, size_t column)
{
    SG_FORMATTED(name, "%s, %s", metric->name, unit_of_column(metric));
    sg_line_begin(chart, 0, SG_LINE_COLUMN);
    sg_line_word(chart, name.data);
    sg_line_numbers(chart, (double)column);
}

static void begin(void *given, const struct sg_entry *entries, size_t count, struct sg_chart *chart)
{
    struct context *context = given;
    struct tally tally[256] = {0};
    size_t used = count_up(context, entries, count, tally, sizeof(tally) / sizeof(tally[0]));
    context->column_count = used < COLUMNS_MAX ? used : COLUMNS_MAX;
    chart->x_low = 0;
    chart->x_high = (double)context->column_count;
    for (size_t i = 0; i < context->column_count; i++) {
        context->column[i] = tally[i].metric;
        add_column_name(chart, tally[i].metric, i);
    }
    for (enum hue hue = 0; hue < HUES; hue++)
        sg_chart_key(chart, SG_SQUARE, 1.3, colour_of(hue, 1), hue_words[hue]);
    if (used > COLUMNS_MAX)
        sg_chart_show(chart, "the %d counters of %zu that moved most", COLUMNS_MAX, used);
}

/* Formats a change as in the table: points for metrics in percent, otherwise percent, and a factor
 * from 2 on. Stalls are in the unit of ncu and of the stall chart. */
static void add_words(struct sg_text *out, const struct sg_counter_change *moved)
{
    const double ratio = log2_ratio(moved->was, moved->is), points = moved->is - moved->was,
                 percent = 100 * (moved->is / moved->was - 1);
    if (is_stall(moved->metric))
        sg_text_addf(out, fabs(points) < 995 ? "%+.1f" : "%+.0f", points / 100);
    else if (is_in_points(moved->metric))
        sg_text_addf(out, fabs(points) < 9.95 ? "%+.1f" : "%+.0f", points);
    else if (moved->was == 0 || moved->is == 0)
        sg_text_add(out, moved->is == 0 ? "to 0" : "from 0");
    else if (fabs(ratio) >= log2(1995))
        sg_text_addf(out, "%s%.0fk", ratio > 0 ? "x" : OVER, exp2(fabs(ratio)) / 1000);
    else if (fabs(ratio) >= log2(1.995))
        sg_text_addf(out, fabs(ratio) < 6.6 ? "%s%.1f" : "%s%.0f", ratio > 0 ? "x" : OVER,
                     exp2(fabs(ratio)));
    else if (fabs(percent) < 0.005)
        sg_text_add(out, percent > 0 ? "+<0.01 %" : "-<0.01 %");
    else
        sg_text_addf(out,
                     fabs(percent) < 0.095  ? "%+.2f %%"
                     : fabs(percent) < 0.95 ? "%+.1f %%"
                                            : "%+.0f %%",
                     percent);
}

/* The text of a row without a cell. */
static void add_empty(struct sg_chart *chart, double y)
{
    sg_line_begin(chart, y, SG_LINE_WORDS);
    sg_line_word(chart, "only counters that have no column here");
}

static void draw_row(const void *given, const struct sg_entry *entry, double y,
                     struct sg_chart *chart)
{
    const struct context *context = given;
    const struct changes row = changes_of(context, entry->index);
    size_t cells = 0;
    sg_line_begin(chart, y, SG_LINE_ROW);
    sg_line_word(chart, entry->variant);
    sg_line_word(chart, "");
    for (size_t i = 0; i < row.count; i++)
        for (size_t column = 0; column < context->column_count; column++)
            if (context->column[column] == row.moved[i].metric) {
                SG_SCOPED(sg_text) words = {0};
                add_words(&words, &row.moved[i]);
                add_cell(chart, y, (double)column, &row.moved[i], row.is_cause[i],
                         sg_text_string(&words));
                cells++;
            }
    if (cells == 0)
        add_empty(chart, y);
}

/* Against the accepted numbers: each item judged by a time or a ratio. Against the baseline
 * variant: each item paired with it. */
static bool is_of_chart(const struct sg_finding *finding, bool since_accepted)
{
    if (strcmp(finding->metric, "time_ratio") == 0)
        return true;
    return since_accepted && sg_is_time(finding) &&
           (finding->gates || strcmp(finding->metric, SG_BUILD_RATIO_METRIC) == 0);
}

/* Findings of an item are consecutive. */
static bool has_row(const struct sg_entries *entries, const struct sg_finding *finding)
{
    const struct sg_entry *last = entries->count > 0 ? &entries->items[entries->count - 1] : NULL;
    return last && strcmp(last->variant, finding->variant) == 0 &&
           strcmp(last->case_, finding->case_) == 0 && strcmp(last->family, finding->family) == 0;
}

static void add_chart(const struct sg_report_input *input, const struct sg_chart_kind *kind,
                      bool since_accepted, struct sg_charts *charts)
{
    struct context context = {.input = input, .since_accepted = since_accepted};
    struct sg_entries entries = {0};
    for (size_t i = 0; i < input->comparison->count; i++) {
        const struct sg_finding f = sg_finding_at(input->comparison, i);
        if (!is_of_chart(&f, since_accepted) || has_row(&entries, &f))
            continue;
        const struct changes changes = changes_of(&context, i);
        if (changes.count > 0)
            sg_entries_add(&entries,
                           &(struct sg_entry){SG_NAMED(f),
                                              .order = sg_chart_order_in(input->run, SG_NAMES(f)),
                                              .weight = changes.moved[0].score, .index = i});
    }
    sg_chart_pages(charts, kind, &context, &entries);
}

void sg_chart_moved(const struct sg_report *report, struct sg_charts *charts)
{
    static const char how[] =
        "A cell is a counter that changed by more than its floor and its spread, in the unit of "
        "its column, or by a factor: x2.0 is twice, \303\2672.0 is half. Stalls are in warp cycles "
        "per issued instruction, as in ncu. Strong red shows a cause of the added time.";
    struct sg_chart_kind kind = {
        .name = "moved_since_accepted",
        .link = "counters",
        .script = "moved.gp",
        .title = "Counters of each variant: the change since accepted",
        .axis = "change since accepted; unit: in the column's name",
        .read = how,
        .table = "counters.csv",
        .weight = "what moved most",
        .begin = begin,
        .row = draw_row,
    };
    const struct sg_report_input *input = &report->parts[0].input;
    if (!input->comparison || !input->catalogue)
        return;
    if (input->accepted)
        add_chart(input, &kind, true, charts);
    kind.name = "moved_vs_baseline";
    kind.link = "vs_baseline";
    kind.title = "Counters of each variant: the difference to its baseline variant";
    kind.axis = "difference to the baseline variant; unit: in the column's name";
    kind.weight = "what differs most";
    add_chart(input, &kind, false, charts);
}
