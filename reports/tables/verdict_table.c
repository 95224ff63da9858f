#include "reports/tables/ranking.h"
#include "stats/verdict.h"
#include "util/digest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "[+7.9, +8.3]", in percent; nothing where there is no interval. */
static void add_ends(struct sg_text *out, double change, double low, double high)
{
    if (isnan(change) || isnan(low) || isnan(high) || (low == change && high == change))
        return;
    struct sg_text ends = {0};
    sg_add_change(&ends, low);
    sg_text_addf(out, "[%.*s, ", (int)ends.length - 2, sg_text_string(&ends)); /* the % is said before them, or above */
    sg_text_release(&ends);
    sg_add_change(&ends, high);
    sg_text_addf(out, "%.*s]", (int)ends.length - 2, sg_text_string(&ends));
    sg_text_release(&ends);
}

void sg_add_interval(struct sg_text *out, double change, double low, double high)
{
    struct sg_text ends = {0};
    sg_add_change(out, change);
    add_ends(&ends, change, low, high);
    sg_text_addf(out, "%s%s", ends.length > 0 ? " " : "", sg_text_string(&ends));
    sg_text_release(&ends);
}

static void add_place(const struct sg_finding *finding, struct sg_text *out)
{
    sg_text_addf(out, "%s/%s", finding->family, finding->case_);
}

static void add_variant(const struct sg_finding *finding, struct sg_text *out)
{
    sg_text_add(out, finding->variant);
}

static void add_metric(const struct sg_finding *finding, struct sg_text *out)
{
    sg_text_add(out, finding->metric);
}

static void add_side(const struct sg_finding *finding, double value, struct sg_text *out)
{
    if (strcmp(finding->unit, "1") == 0 && sg_is_time(finding) && !isnan(value))
        sg_text_addf(out, value < 10 ? "%.3fx" : value < 100 ? "%.1fx" : "%.0fx", value);
    else if (!sg_is_status(finding))
        sg_add_value(out, value, finding->unit);
}

static void add_was(const struct sg_finding *finding, struct sg_text *out)
{
    add_side(finding, finding->was, out);
}

static void add_is(const struct sg_finding *finding, struct sg_text *out)
{
    add_side(finding, finding->is, out);
}

/* Counters in percent move by points; the others by a share of what they were. */
static void add_change(const struct sg_finding *finding, struct sg_text *out)
{
    if (sg_is_time(finding))
        sg_add_interval(out, finding->change, finding->low, finding->high);
    else if (sg_is_status(finding) || isnan(finding->was) || isnan(finding->is))
        return;
    else if (strcmp(finding->unit, "%") == 0)
        sg_text_addf(out, "%+.3g points", finding->is - finding->was);
    else if (finding->was == 0)
        sg_text_add(out, "from 0");
    else
        sg_add_change(out, finding->is / finding->was - 1);
}

static void add_speedup(const struct sg_finding *finding, struct sg_text *out)
{
    if (sg_is_time(finding) && !isnan(finding->change))
        sg_text_addf(out, "%.3fx", 1 / (1 + finding->change));
}

static void add_resolution(const struct sg_finding *finding, struct sg_text *out)
{
    if (isnan(finding->resolution))
        return;
    struct sg_text percent = {0};
    sg_add_change(&percent, finding->resolution);
    const char *text = sg_text_string(&percent);
    sg_text_add(out, text[0] == '+' ? text + 1 : text);
    sg_text_release(&percent);
}

static void add_verdict(const struct sg_finding *finding, struct sg_text *out)
{
    sg_text_addf(out, "%s%s", sg_verdict_word(finding->accepted), finding->informs ? " (informs)" : "");
}

static void add_why(const struct sg_finding *finding, struct sg_text *out)
{
    sg_text_add(out, finding->why);
}

static void add_vs_baseline(const struct sg_finding *finding, struct sg_text *out)
{
    if (finding->baseline == SG_VERDICT_COUNT)
        return;
    if (!isnan(finding->baseline_change)) {
        sg_add_change(out, finding->baseline_change);
        sg_text_add(out, " ");
    }
    sg_text_add(out, sg_verdict_pair_word(finding->baseline));
}

static void add_baseline_interval(const struct sg_finding *finding, struct sg_text *out)
{
    if (finding->baseline != SG_VERDICT_COUNT)
        add_ends(out, finding->baseline_change, finding->baseline_low, finding->baseline_high);
}

static void add_processes(const struct sg_finding *finding, struct sg_text *out)
{
    if (finding->processes > 0)
        sg_text_addf(out, "%u", finding->processes);
}

typedef void cell_fn(const struct sg_finding *finding, struct sg_text *out);

/* Cells of a finding: the list of columns, once for every format. */
static cell_fn *const finding_cell[] = {
    add_place,       add_variant,           add_metric, add_was, add_is, add_change, add_speedup, add_resolution, add_verdict,
    add_vs_baseline, add_baseline_interval,
};
/* Where nothing is accepted a telephone shows how a variant stands
 * against its baseline variant, alone. */
#define FINDING_TITLES(alone)                                                                                                          \
    {                                                                                                                                  \
        {.title = "case", .meaning = "family and case", .key = true},                                                                  \
            {.title = "variant", .meaning = "the kernel that is judged", .key = true},                                                 \
            {.title = "measure",                                                                                                       \
             .meaning =                                                                                                                \
                 "what is judged: time of the baseline variant, time_ratio to it of every other, build_ratio to the accepted build"},  \
            {.title = "accepted", .meaning = "the accepted number", .right = true},                                                    \
            {.title = "now", .meaning = "the number of this run", .right = true},                                                      \
            {.title = "change", .meaning = "since accepted, with its interval; more is slower", .right = true, .key = true},           \
            {.title = "speedup", .meaning = "accepted over now: under 1 is slower", .right = true, .spare = true},                     \
            {.title = "MDE", .meaning = "the smallest change that 90 of 100 such runs would find", .right = true},                     \
            {.title = "verdict", .meaning = "against the accepted number: this gates", .key = true},                                   \
            {.title = "vs baseline variant", .meaning = "against the family's baseline variant, in pairs, in this run", .key = alone}, \
            {.title = "interval, %", .meaning = "of what stands before it", .spare = true},                                            \
    }
static const struct sg_column finding_column[] = FINDING_TITLES(false), alone_column[] = FINDING_TITLES(true);
#define FINDING_COLUMNS (sizeof(finding_column) / sizeof(finding_column[0]))
_Static_assert(FINDING_COLUMNS == sizeof(finding_cell) / sizeof(finding_cell[0]), "a title for every cell");

/* The same of two sides of one run, where nothing was accepted. */
static cell_fn *const pair_cell[] = {add_place, add_variant, add_is, add_change, add_processes, add_resolution, add_verdict};
static const struct sg_column pair_column[] = {
    {.title = "case", .meaning = "family and case", .key = true},
    {.title = "candidate", .meaning = "the kernel that is judged", .key = true},
    {.title = "ratio", .meaning = "its time over the baseline's", .right = true},
    {.title = "change", .meaning = "with its interval; more is slower", .right = true, .key = true},
    {.title = "processes", .meaning = "that it took to decide", .right = true},
    {.title = "MDE", .meaning = "the smallest change that 90 of 100 such runs would find", .right = true},
    {.title = "verdict", .meaning = "may it be merged: this gates", .key = true},
};
#define PAIR_COLUMNS (sizeof(pair_column) / sizeof(pair_column[0]))
_Static_assert(PAIR_COLUMNS == sizeof(pair_cell) / sizeof(pair_cell[0]), "a title for every cell");

static void add_line(struct sg_sheet *grid, void (*add)(struct sg_text *out, const struct sg_diagnosed *what),
                     const struct sg_diagnosed *what)
{
    struct sg_text line = {0};
    add(&line, what);
    if (line.length > 0)
        sg_sheet_below(grid, line.data);
    sg_text_release(&line);
}

/* A series that a table has told of, and below which row. */
struct shown {
    const char *family, *case_, *variant; /* of the row */
    char dimension[SG_DIMENSION_MAX];
    size_t points, count; /* its points: where in telling->numbers, x and ns of each, and how many */
    uint64_t hash;
};

struct listing {
    struct sg_dimension_series_index *index; /* owned; NULL before it is needed */
    struct shown *items;                     /* owned */
    double *numbers;                         /* owned */
    size_t *slot;                            /* owned; open addressing, a power of two: number of an item, from 1; 0: free */
    size_t count, capacity, number_count, number_capacity, slot_count;
};

static void listing_release(struct listing *listing)
{
    sg_dimension_series_index_free(listing->index);
    free(listing->items);
    free(listing->numbers);
    free(listing->slot);
}

/* The same points: of one family and variant, what is found from one
 * case is what is found from the next. */
static bool is_shown(const struct listing *listing, const struct shown *shown, const struct shown *asked,
                     const struct sg_dimension_series *series)
{
    const double *number = listing->numbers + shown->points;
    bool same = shown->hash == asked->hash && shown->count == series->count && strcmp(shown->dimension, series->dimension) == 0 &&
                strcmp(shown->family, asked->family) == 0 && strcmp(shown->variant, asked->variant) == 0;
    for (size_t i = 0; i < series->count && same; i++)
        same = number[2 * i] == series->extra[i].x && number[2 * i + 1] == series->extra[i].ns;
    return same;
}

static uint64_t hash_of(const struct shown *asked, const struct sg_dimension_series *series)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    sg_digest_add_string(&digest, asked->family);
    sg_digest_add_string(&digest, asked->variant);
    sg_digest_add_string(&digest, series->dimension);
    for (size_t i = 0; i < series->count; i++) {
        const double point[] = {series->extra[i].x + 0.0, series->extra[i].ns + 0.0}; /* of the two zeros, which are equal, one */
        sg_digest_add(&digest, point, sizeof(point));
    }
    return digest.state ^ digest.state >> 32;
}

static void make_room(struct listing *listing)
{
    if (2 * (listing->count + 1) <= listing->slot_count)
        return;
    listing->slot_count = listing->slot_count ? 2 * listing->slot_count : 64;
    free(listing->slot);
    listing->slot = sg_alloc(listing->slot_count, sizeof(*listing->slot));
    for (size_t i = 0; i < listing->count; i++) {
        size_t at = listing->items[i].hash & (listing->slot_count - 1);
        while (listing->slot[at] != 0)
            at = (at + 1) & (listing->slot_count - 1);
        listing->slot[at] = i + 1;
    }
}

static void keep_shown(struct listing *listing, const struct sg_dimension_series *series, struct shown *asked)
{
    asked->count = series->count;
    asked->points = listing->number_count;
    memcpy(asked->dimension, series->dimension, sizeof(asked->dimension));
    listing->numbers =
        sg_grow(listing->numbers, &listing->number_capacity, listing->number_count + 2 * series->count, sizeof(*listing->numbers));
    for (size_t i = 0; i < series->count; i++) {
        listing->numbers[listing->number_count++] = series->extra[i].x;
        listing->numbers[listing->number_count++] = series->extra[i].ns;
    }
    *SG_APPEND(listing->items, listing->count, listing->capacity) = *asked;
}

/* The case of the row below which this series is told; NULL: it has not been,
 * and is from now on, below this one. */
static const char *first_case_of(struct listing *listing, const struct sg_dimension_series *series, const struct sg_finding *finding)
{
    struct shown asked = {.family = finding->family, .case_ = finding->case_, .variant = finding->variant};
    asked.hash = hash_of(&asked, series);
    make_room(listing);
    size_t at = asked.hash & (listing->slot_count - 1);
    for (; listing->slot[at] != 0; at = (at + 1) & (listing->slot_count - 1)) {
        const struct shown *shown = &listing->items[listing->slot[at] - 1];
        if (is_shown(listing, shown, &asked, series))
            return shown->case_;
    }
    keep_shown(listing, series, &asked);
    listing->slot[at] = listing->count;
    return NULL;
}

/* Below a row that is slower than its baseline variant: on what dimension of the cases
 * that depends; in full once a series. */
static void add_scalings(struct sg_sheet *grid, const struct sg_report_input *input, const struct sg_finding *finding,
                         struct listing *listing)
{
    struct sg_dimension_series series[SG_MAX_DIMS];
    const struct sg_dimension_series_start start = {input->run, finding->family, finding->case_, finding->variant};
    if (finding->baseline != SG_REGRESSED || finding->accepted == SG_INVALID_VALUE)
        return;
    if (!listing->index)
        listing->index = sg_dimension_series_index(input->run, NULL);
    const size_t count = sg_dimension_series_find_in(listing->index, &start, series);
    for (size_t i = 0; i < count; i++) {
        struct sg_text line = {0};
        const char *first = first_case_of(listing, &series[i], finding);
        if (first)
            sg_add_scaling_again(&line, &series[i], first);
        else
            sg_add_scaling(&line, &series[i]);
        sg_sheet_below(grid, sg_text_string(&line));
        sg_text_release(&line);
    }
}

/* Beside accepted numbers: causes that are differences from another variant of this run. */
static void add_line_of_side(struct sg_sheet *grid, const struct sg_report_input *input, const struct sg_causes *causes)
{
    struct sg_text line = {0};
    if (causes->count == 0 || !input->baseline || causes->what.then != input->run)
        return;
    sg_text_addf(&line, "against %s, in this run:", causes->against);
    sg_sheet_below(grid, sg_text_string(&line));
    sg_text_release(&line);
}

static void add_reasons(struct sg_sheet *grid, const struct sg_report_input *input, const struct sg_finding *finding, size_t most,
                        struct listing *listing)
{
    const char *baseline = input->comparison->baseline_path;
    /* Where nothing is accepted the top of the page says so, and no row needs to say it again, but
     * what came of one that has no time. */
    const bool is_reported = finding->accepted == SG_NEW && !(baseline && *baseline) && !sg_is_status(finding);
    struct sg_causes causes;
    sg_find_causes(input, finding, most, &causes);
    if (finding->why[0] && !is_reported)
        sg_sheet_below(grid, finding->why);
    add_line_of_side(grid, input, &causes);
    for (size_t i = 0; i < causes.count; i++) {
        struct sg_text line = {0};
        sg_add_cause(&line, &causes.moved[i]);
        sg_sheet_below(grid, sg_text_string(&line));
        sg_text_release(&line);
    }
    if (most == 0 || !causes.what.catalogue)
        return;
    add_scalings(grid, input, finding, listing);
    add_line(grid, sg_add_knobs, &causes.what);
    if (causes.count == 0)
        add_line(grid, sg_add_unmoved, &causes.what);
    add_line(grid, sg_add_non_repeatable, &causes.what);
}

static void add_cells(struct sg_sheet *grid, const struct sg_finding *finding, cell_fn *const *add, size_t columns, struct sg_text *cell)
{
    sg_sheet_row(grid, sg_class_of(finding));
    for (size_t column = 0; column < columns; column++) {
        cell->length = 0;
        sg_text_add(cell, "");
        add[column](finding, cell);
        sg_sheet_cell(grid, cell->data);
    }
}

/* A table of findings: which, and what is shown of each. */
struct table {
    const struct sg_report_input *input;
    const struct sg_rank *rank;
    size_t causes;
    const struct sg_column *column;
    cell_fn *const *cell;
    size_t columns;
    bool has_reasons; /* below the rows */
    struct listing listing;
};

static struct table table_of(const struct sg_report_input *input, const struct sg_rank *rank, size_t causes)
{
    const bool of_pairs = input->comparison->of_pairs;
    return (struct table){
        .input = input,
        .rank = rank,
        .causes = causes,
        .column = of_pairs          ? pair_column
                  : input->baseline ? finding_column
                                    : alone_column,
        .cell = of_pairs ? pair_cell : finding_cell,
        .columns = of_pairs ? PAIR_COLUMNS : FINDING_COLUMNS,
        .has_reasons = true,
    };
}

/* Statuses alone, a line each with its reason. */
static struct table status_table_of(const struct sg_report_input *input, const struct sg_rank *rank)
{
    static const struct sg_column column[] = {
        {.title = "case", .key = true},
        {.title = "variant", .key = true},
        {.title = "verdict", .key = true},
        {.title = "why", .key = true},
    };
    static cell_fn *const cell[] = {add_place, add_variant, add_verdict, add_why};
    return (struct table){
        .input = input,
        .rank = rank,
        .column = column,
        .cell = cell,
        .columns = sizeof(cell) / sizeof(cell[0]),
    };
}

/* From `at` on and before `to`: how many variants of one case have no result in the run, for the
 * same reason. They share a line, but for --verbose; 1 of all other findings. */
static size_t count_alike(const struct table *table, size_t at, size_t to)
{
    const struct sg_finding first = sg_rank_at(table->rank, at);
    if (table->has_reasons || table->input->verbose || first.accepted != SG_NOT_MEASURED)
        return 1;
    size_t count = 1;
    for (; at + count < to; count++) {
        const struct sg_finding next = sg_rank_at(table->rank, at + count);
        if (next.accepted != first.accepted || strcmp(next.family, first.family) != 0 || strcmp(next.case_, first.case_) != 0 ||
            strcmp(next.why, first.why) != 0)
            break;
    }
    return count;
}

/* The findings [from, to), with what stands below each. */
static void fill(struct table *table, size_t from, size_t to, struct sg_sheet *grid)
{
    struct sg_text cell = {0}, variants = {0};
    for (size_t i = from, alike; i < to; i += alike) {
        struct sg_finding finding = sg_rank_at(table->rank, i);
        alike = count_alike(table, i, to);
        variants.length = 0;
        sg_text_addf(&variants, "%s and %zu more", finding.variant, alike - 1);
        if (alike > 1)
            finding.variant = variants.data;
        add_cells(grid, &finding, table->cell, table->columns, &cell);
        /* A pair that is within may still be labelled. */
        if (table->has_reasons && (table->causes > 0 || table->input->comparison->of_pairs || sg_is_status(&finding)))
            add_reasons(grid, table->input, &finding, table->causes, &table->listing);
    }
    sg_text_release(&variants);
    sg_text_release(&cell);
}

void sg_judged_grid(struct sg_sheet *grid, const struct sg_report_input *input, const struct sg_rank *rank, size_t from, size_t to,
                    size_t causes)
{
    struct table table = table_of(input, rank, causes);
    sg_sheet_init(grid, table.column, table.columns);
    fill(&table, from, to, grid);
    listing_release(&table.listing);
}

void sg_status_grid(struct sg_sheet *grid, const struct sg_report_input *input, const struct sg_rank *rank)
{
    struct table table = status_table_of(input, rank);
    sg_sheet_init(grid, table.column, table.columns);
    fill(&table, 0, rank->count, grid);
}
