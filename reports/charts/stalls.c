/* What the warps wait for: composition of the stalls, one bar per variant. */
#include <math.h>
#include <string.h>

#include "reports/charts/charts.h"
#include "reports/tables/counter_matrix.h"

#define REASONS_MAX 9 /* more colours would be hard to tell apart; the rest is "other" */

struct context {
    const struct sg_counter_matrix *stalls;
    size_t reason[REASONS_MAX]; /* columns of `stalls` */
    size_t reason_count;
};

static double total_of(const struct sg_counter_matrix *wide, size_t row)
{
    double total = 0;
    for (size_t column = 0; column < wide->column_count; column++) {
        double value = sg_counter_matrix_value(wide, row, column);
        total += value > 0 ? value : 0;
    }
    return total;
}

/* Chooses the columns with the largest share in any row, in a fixed order. */
static void choose_reasons(struct context *context)
{
    const struct sg_counter_matrix *wide = context->stalls;
    SG_FREED double *largest = sg_alloc(wide->column_count + 1, sizeof(*largest));
    for (size_t row = 0; row < wide->row_count; row++) {
        double total = total_of(wide, row);
        for (size_t column = 0; column < wide->column_count && total > 0; column++)
            largest[column] =
                fmax(largest[column], sg_counter_matrix_value(wide, row, column) / total);
    }
    while (context->reason_count < REASONS_MAX && context->reason_count < wide->column_count) {
        size_t best = 0;
        for (size_t column = 1; column < wide->column_count; column++)
            best = largest[column] > largest[best] ? column : best;
        if (!(largest[best] > 0))
            break;
        largest[best] = -1;
        size_t at = context->reason_count++;
        for (; at > 0 && context->reason[at - 1] > best; at--)
            context->reason[at] = context->reason[at - 1];
        context->reason[at] = best;
    }
}

/* Short descriptions of the stall reasons; metrics.ini has more. The colour of a reason is fixed.
 * Warps that issue do not wait: they and the rest are pale. */
static const struct known {
    const char *reason, *words;
    int colour;
} known[] = {
    {"barrier", "block barrier", 0xad1457},
    {"branch_resolving", "branch", 0xb39ddb},
    {"dispatch", "dispatcher", 0x9ccc65},
    {"drain", "stores at exit", 0x283593},
    {"gmma", "wgmma", 0x5d4037},
    {"imc_miss", "constant cache", 0xbcaaa4},
    {"lg_throttle", "load/store queue", 0xf9a825},
    {"long_scoreboard", "L1, L2, DRAM", 0x1565c0},
    {"math_pipe_throttle", "arithmetic pipe", 0x2e7d32},
    {"membar", "memory fence", 0x616161},
    {"mio_throttle", "shared-memory queue", 0xef6c00},
    {"no_instruction", "instruction cache", 0xf48fb1},
    {"not_selected", "another warp issued", 0x00838f},
    {"selected", "issued", 0xdfe5e8},
    {"short_scoreboard", "shared memory", 0x90caf9},
    {"sleeping", "on purpose", 0x546e7a},
    {"tex_throttle", "texture queue", 0xffcc80},
    {"wait", "fixed latency", 0x6a1b9a},
    {"misc", "", 0x80cbc4},
};
#define OTHER_COLOUR 0xbdbdbd

static const struct known *find_known(const char *reason)
{
    return SG_FIND(known, sizeof(known) / sizeof(known[0]), reason, reason);
}

/* Black: a reason that has no colour yet. */
static int colour_of(const char *reason)
{
    const struct known *found = find_known(reason);
    return found ? found->colour : 0;
}

static void add_reason(const char *reason, struct sg_chart *chart)
{
    const struct known *found = find_known(reason);
    SG_FORMATTED(words, "%s", reason);
    if (found && found->words[0])
        sg_text_addf(&words, " (%s)", found->words);
    sg_chart_key(chart, SG_SQUARE, 1.3, colour_of(reason), words.data);
}

static const char *reason_of(const struct context *context, size_t i)
{
    return context->stalls->columns[context->reason[i]] + strlen(SG_STALL);
}

static void begin(void *given, const struct sg_entry *entries, size_t count, struct sg_chart *chart)
{
    const struct context *context = given;
    (void)entries;
    (void)count;
    for (size_t i = 0; i < context->reason_count; i++)
        add_reason(reason_of(context, i), chart);
    if (context->reason_count < context->stalls->column_count)
        sg_chart_key(chart, SG_SQUARE, 1.3, OTHER_COLOUR, "other");
    chart->x_low = 0;
    chart->x_high = 100;
}

static void add_segment(struct sg_chart *chart, double y, int colour, double from, double to)
{
    sg_line_begin(chart, y, SG_LINE_MARK);
    sg_line_numbers(chart, colour, from, to);
}

static void draw_row(const void *given, const struct sg_entry *entry, double y,
                     struct sg_chart *chart)
{
    const struct context *context = given;
    double total = total_of(context->stalls, entry->index), end = 0;
    SG_FORMATTED(words, "%.*f", total < 1000 ? 1 : 0, total / 100);
    sg_line_begin(chart, y, SG_LINE_ROW);
    sg_line_word(chart, entry->variant);
    sg_line_word(chart, words.data);
    for (size_t i = 0; i < context->reason_count; i++) {
        double value = sg_counter_matrix_value(context->stalls, entry->index, context->reason[i]),
               from = end;
        end += value > 0 ? 100 * value / total : 0;
        add_segment(chart, y, colour_of(reason_of(context, i)), from, end);
    }
    if (context->reason_count < context->stalls->column_count)
        add_segment(chart, y, OTHER_COLOUR, end, 100);
}

void sg_chart_stalls(const struct sg_report *report, struct sg_charts *charts)
{
    static const struct sg_chart_kind kind = {
        .name = "stalls",
        .link = "stalls",
        .script = "stalls.gp",
        .title = "What the warps are waiting for",
        .axis = "share of the warp cycles per issued instruction",
        .table = "counters.csv",
        .weight = "the most waiting",
        .read = "The number right of a bar is ncu's warp cycles per issued instruction, over the "
                "counted reasons; the bar divides it by reason. Another colour is another "
                "bottleneck. A larger number alone is not worse: more warps and more loads in "
                "flight wait longer, and may be faster.",
        .begin = begin,
        .row = draw_row,
    };
    const struct sg_table *run = report->parts[0].input.run;
    struct sg_counter_matrix stalls = {0};
    struct sg_entries entries = {0};
    sg_counter_matrix_init(&stalls, run, SG_STALL);
    struct context context = {.stalls = &stalls};
    choose_reasons(&context);
    for (size_t i = 0; i < stalls.row_count; i++) {
        const struct sg_value item = sg_value_of(run, stalls.rows[i].first);
        const double total = total_of(&stalls, i);
        if (total > 0)
            sg_entries_add(&entries,
                           &(struct sg_entry){SG_NAMED(item), .weight = total, .index = i,
                                              .order = sg_chart_order_in(run, SG_NAMES(item))});
    }
    sg_chart_pages(charts, &kind, &context, &entries);
}
