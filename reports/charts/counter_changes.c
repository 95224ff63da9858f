/* Two heat maps of counters that moved: since accepted, and against the family's baseline variant. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/charts/charts.h"

#define MOVED_MAX   64 /* counters of one row that are looked at */
#define COLUMNS_MAX 16
#define CAP         2.0 /* log2: a factor of 4 has the full colour */
#define CELL_PIXELS 58.0

struct moved_row {
    const char *family, *case_, *variant;
    struct sg_moved *moved; /* owned */
    size_t count;
};

struct context {
    struct moved_row *rows; /* owned */
    size_t row_count, row_capacity;
    const struct sg_metric *column[COLUMNS_MAX]; /* of this page, by the sum of the scores */
    size_t column_count;
};

/* The page decides on its columns: what moved most in its rows. */
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

static size_t count_up(const struct context *context, const struct sg_entry *entries, size_t count, struct tally *tally, size_t most)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const struct moved_row *row = &context->rows[entries[i].index];
        for (size_t k = 0; k < row->count; k++) {
            size_t at = 0;
            while (at < used && tally[at].metric != row->moved[k].metric)
                at++;
            if (at == used && used == most)
                continue;
            used += at == used;
            tally[at].metric = row->moved[k].metric;
            tally[at].score += fmin(row->moved[k].score, 100); /* one counter out of all bounds must not hide the others */
        }
    }
    qsort(tally, used, sizeof(*tally), by_score);
    return used;
}

/* Blue for less, white for the same, red for more. */
static int colour_of(double log2_ratio)
{
    double t = fmax(-1, fmin(1, log2_ratio / CAP));
    const double end[3] = {t < 0 ? 33 : 178, t < 0 ? 102 : 24, t < 0 ? 172 : 43};
    int rgb = 0;
    for (size_t i = 0; i < 3; i++)
        rgb = rgb << 8 | (int)lround(255 + (end[i] - 255) * fabs(t));
    return rgb;
}

static double log2_ratio(double was, double is)
{
    if (was == is)
        return 0;
    if (was == 0 || is == 0 || was < 0 || is < 0)
        return is > was ? CAP : -CAP;
    return log2(is / was);
}

static void add_cell(struct sg_chart *chart, double y, double column, double ratio, const char *words)
{
    sg_line_begin(chart, y, SG_LINE_MARK);
    sg_line_word(chart, words);
    sg_line_number(chart, column);
    sg_line_number(chart, colour_of(ratio));
    sg_line_number(chart, fabs(ratio) > 0.6 * CAP ? 0xffffff : 0x212121);
    sg_line_end(chart);
}

static void begin(void *given, const struct sg_entry *entries, size_t count, struct sg_chart *chart)
{
    struct context *context = given;
    struct tally tally[256] = {0};
    size_t used = count_up(context, entries, count, tally, sizeof(tally) / sizeof(tally[0])), longest = 0;
    context->column_count = used < COLUMNS_MAX ? used : COLUMNS_MAX;
    for (size_t i = 0; i < context->column_count; i++) {
        context->column[i] = tally[i].metric;
        size_t length = strlen(tally[i].metric->name);
        longest = length > longest ? length : longest;
        sg_line_begin(chart, 0, SG_LINE_OTHER);
        sg_line_word(chart, tally[i].metric->name);
        sg_line_number(chart, (double)i);
        sg_line_end(chart);
    }
    chart->x_low = 0;
    chart->x_high = (double)context->column_count;
    chart->width = CELL_PIXELS * (double)context->column_count;
    chart->top = 60 + 5.2 * (double)longest; /* names stand at an angle of 45 degrees */
    chart->right = fmax(chart->right, 30 + 5.2 * (double)longest);
    if (used > COLUMNS_MAX) {
        size_t length = strlen(chart->shown);
        snprintf(chart->shown + length, sizeof(chart->shown) - length, "%sthe %d counters of %zu that moved most", length ? "; " : "",
                 COLUMNS_MAX, used);
    }
}

static void add_words(struct sg_text *out, const struct sg_moved *moved)
{
    double ratio = log2_ratio(moved->was, moved->is);
    if (moved->was == 0 || moved->is == 0)
        sg_text_add(out, moved->is == 0 ? "to 0" : "from 0");
    else if (fabs(ratio) >= 1)
        sg_text_addf(out, fabs(ratio) < 6.6 ? "%s%.1f" : "%s%.0f", ratio > 0 ? "x" : "/", exp2(fabs(ratio)));
    else
        sg_text_addf(out, "%+.0f", 100 * (moved->is / moved->was - 1));
}

static void draw_row(const void *given, const struct sg_entry *entry, double y, struct sg_chart *chart)
{
    const struct context *context = given;
    const struct moved_row *moved = &context->rows[entry->index];
    sg_line_begin(chart, y, SG_LINE_ROW);
    sg_line_label(chart, entry->variant);
    sg_line_end(chart);
    for (size_t i = 0; i < moved->count; i++)
        for (size_t column = 0; column < context->column_count; column++)
            if (context->column[column] == moved->moved[i].metric) {
                struct sg_text words = {0};
                add_words(&words, &moved->moved[i]);
                add_cell(chart, y, (double)column, log2_ratio(moved->moved[i].was, moved->moved[i].is), sg_text_string(&words));
                sg_text_release(&words);
            }
}

static void add_row(struct context *context, const struct sg_report_input *input, const struct sg_finding *finding,
                    const struct sg_table *then, const char *other)
{
    struct sg_moved moved[MOVED_MAX];
    const struct sg_diagnosed what = sg_diagnosed_of(input, finding, then, other);
    size_t count = sg_diagnose(&what, moved, MOVED_MAX);
    if (count == 0)
        return;
    struct moved_row row_ = {.family = finding->family, .case_ = finding->case_, .variant = finding->variant, .count = count};
    row_.moved = sg_alloc(count, sizeof(*row_.moved));
    memcpy(row_.moved, moved, count * sizeof(*moved));
    *SG_APPEND(context->rows, context->row_count, context->row_capacity) = row_;
}

static void collect(struct context *context, const struct sg_report_input *input, bool since_accepted)
{
    for (size_t i = 0; i < input->comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(input->comparison, i);
        bool paired = strcmp(finding.metric, "time_ratio") == 0;
        if (!sg_is_time(&finding) || !(paired || (since_accepted && finding.gates)))
            continue;
        const struct sg_table *then = since_accepted ? &input->baseline->table : input->run;
        const char *other = since_accepted ? finding.variant : sg_paired_with(input->run, finding.family, finding.case_, finding.variant);
        if (other && then->count > 0)
            add_row(context, input, &finding, then, other);
    }
}

static void add_chart(const struct sg_report_input *input, const struct sg_chart_kind *kind, bool since_accepted, struct sg_charts *charts)
{
    struct context context = {0};
    struct sg_entries entries = {0};
    collect(&context, input, since_accepted);
    for (size_t i = 0; i < context.row_count; i++) {
        const struct moved_row *r = &context.rows[i];
        sg_entries_add(
            &entries,
            &(struct sg_entry){.family = r->family, .case_ = r->case_, .variant = r->variant, .weight = r->moved[0].score, .index = i});
    }
    sg_chart_pages(charts, kind, &context, &entries);
    sg_entries_release(&entries);
    for (size_t i = 0; i < context.row_count; i++)
        free(context.rows[i].moved);
    free(context.rows);
}

void sg_chart_moved(const struct sg_report *report, struct sg_charts *charts)
{
    static const char how[] = "A cell is a counter that moved by more than its floor and its spread: red is more, blue is less, in "
                              "percent or as a factor; the full colour is a factor of 4. An empty cell did not move; where a whole row "
                              "is empty, only counters that have no column did. Columns stand in order of how much they moved.";
    struct sg_chart_kind kind = {
        .name = "moved_since_accepted",
        .script = "moved.gp",
        .title = "Counters that moved since they were accepted",
        .axis = "now / accepted: change in %, or a factor (x, /)",
        .read = how,
        .table = "counters.csv",
        .weight = "what moved most",
        .begin = begin,
        .row = draw_row,
    };
    const struct sg_report_input *input = &report->parts[0].input;
    if (!input->comparison || !input->catalogue || !input->rules)
        return;
    if (input->baseline)
        add_chart(input, &kind, true, charts);
    kind.name = "moved_vs_baseline";
    kind.title = "Counters against those of the baseline variant";
    kind.axis = "variant / baseline variant: change in %, or a factor (x, /)";
    kind.weight = "what differs most";
    add_chart(input, &kind, false, charts);
}
