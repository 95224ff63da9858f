/*
 * The document of speed-of-light tables: the work and limit of each case, and what each variant
 * reaches; for one run or several.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/ranking.h"
#include "results/settings.h"

/* ---- order of the rows for people ---- */

struct row {
    const struct sg_gap *gap;
    const struct sg_sol_table *table;
    /* smallest gap of the variant, and of the case, over all tables; INFINITY: not timed */
    double best, best_of_case;
    bool by_launch; /* the limit is a launch: the kernel can do little about the gap */
};

struct rows {
    struct row *items; /* owned */
    size_t count;
};

static int by_case(const struct row *a, const struct row *b)
{
    const int family = strcmp(a->gap->family, b->gap->family);
    return family != 0 ? family : strcmp(a->gap->case_, b->gap->case_);
}

static int by_name(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    const int cases = by_case(a, b),
              variants = cases != 0 ? cases : strcmp(a->gap->variant, b->gap->variant);
    return variants != 0 ? variants : (a->table > b->table) - (a->table < b->table);
}

/* Cases with the largest best gap first, so that the worst is on top; cases that a launch bounds
 * after the others. Within a case the smallest
 * gap first, with a variant's runs adjacent. Rows without a time come last. */
static int by_gap(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (isinf(a->best_of_case) != isinf(b->best_of_case))
        return isinf(a->best_of_case) ? 1 : -1;
    if (a->by_launch != b->by_launch)
        return a->by_launch ? 1 : -1;
    if (a->best_of_case != b->best_of_case)
        return a->best_of_case > b->best_of_case ? -1 : 1;
    if (by_case(a, b) != 0 || a->best == b->best)
        return by_name(left, right);
    return a->best < b->best ? -1 : 1;
}

/* The order of the charts on a page. */
static int by_chart(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    const int baselines = sg_gap_is(b->gap, SG_BASELINE) - sg_gap_is(a->gap, SG_BASELINE),
              cases = by_case(a, b);
    if (cases != 0 || baselines != 0)
        return cases != 0 ? cases : baselines;
    return by_gap(left, right);
}

/* The place of a variant in its case: kernels of a program sort by their share of the time. */
static double place_of(const struct sg_gap *gap)
{
    return sg_gap_is_whole(gap) ? -2 : isnan(gap->of_range) ? gap->gap : -gap->of_range;
}

/* Sets the smallest gap of each variant, or of each case. Rows must be sorted by name. */
static void find_best(struct rows *rows, bool of_case)
{
    for (size_t from = 0, to = 0; from < rows->count; from = to) {
        const struct row *first = &rows->items[from];
        double best = INFINITY;
        for (to = from; to < rows->count && by_case(&rows->items[to], first) == 0 &&
                        (of_case || strcmp(rows->items[to].gap->variant, first->gap->variant) == 0);
             to++)
            best = fmin(best, of_case ? rows->items[to].gap->gap /* fmin ignores NaN */
                                      : place_of(rows->items[to].gap));
        for (size_t i = from; i < to; i++)
            *(of_case ? &rows->items[i].best_of_case : &rows->items[i].best) = best;
    }
}

static struct rows rows_of(const struct sg_sol_table *gaps, size_t count, bool as_charts)
{
    struct rows rows = {.count = 0};
    size_t all = 1;
    for (size_t t = 0; t < count; t++)
        all += gaps[t].count;
    rows.items = sg_alloc(all, sizeof(*rows.items));
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < gaps[t].count; i++)
            rows.items[rows.count++] =
                (struct row){.gap = &gaps[t].items[i],
                             .table = &gaps[t],
                             .by_launch = strcmp(sg_gap_bound(&gaps[t].items[i]), "launch") == 0};
    qsort(rows.items, rows.count, sizeof(*rows.items), by_name);
    find_best(&rows, true);
    find_best(&rows, false);
    qsort(rows.items, rows.count, sizeof(*rows.items), as_charts ? by_chart : by_gap);
    return rows;
}

/* ---- for people ---- */

/* Columns that only matter for several runs stay empty for one run; an empty column is not
 * shown. */
#define CASES(X)                                                                                  \
    X("case", sg_text_addf(cell, "%s/%s", gap->family, gap->case_), .meaning = "family and case", \
      .key = true, .names = true)                                                                 \
    X("GPU", sg_text_add(cell, runs > 1 ? row->table->spec.key : ""),                             \
      .meaning = "its peaks: metrics/gpus")                                                       \
    X("shape", sg_text_add(cell, gap->shape), .meaning = "its sizes")                             \
    X("work is", sg_text_add(cell, is_of_tool(row) ? "declared" : ""),                            \
      .meaning = "declared: the file of the other tool has it")                                   \
    X("work", sg_add_value(cell, sg_work_flop(&gap->work), "flop"),                               \
      .meaning = "arithmetic that any right implementation must do", .right = true)               \
    X("traffic", sg_add_value(cell, sg_work_bytes(&gap->work), "B"),                              \
      .meaning = "compulsory bytes: inputs read once, outputs written once", .right = true)       \
    X("flop/B", sg_add_value(cell, gap->sol.intensity, "1"),                                      \
      .meaning = "intensity: work over traffic", .right = true)                                   \
    X("bound by", sg_text_add(cell, sg_gap_bound(gap)),                                           \
      .meaning = "the largest term of the limit", .key = true)                                    \
    X("limit", sg_add_time(cell, gap->limit_ns),                                                  \
      .meaning = "what the work needs at this GPU's peaks, or a launch, if that takes longer",    \
      .right = true, .key = true)

static bool is_of_tool(const struct row *row)
{
    return row->gap->kind == SG_DECLARED_WORK && row->table->of_run &&
           sg_env_get(row->table->env, "source");
}

static const struct sg_column case_columns[] = {CASES(SG_COLUMN)};

/* Returns true if the limit differs from those of the case's earlier rows. */
static bool has_own_limit(const struct rows *rows, size_t at)
{
    const struct row *own = &rows->items[at];
    for (const struct row *row = own; row > rows->items && by_case(row - 1, own) == 0; row--)
        if (strcmp(row[-1].table->spec.key, own->table->spec.key) == 0 &&
            row[-1].gap->limit_ns == own->gap->limit_ns)
            return false;
    return true;
}

static void add_cases(struct sg_document *document, const struct rows *rows, size_t runs)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "cases", SG_COLUMNS(case_columns), SG_FOR_PEOPLE);
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        const struct sg_gap *gap = row->gap;
        if (gap->kind == SG_COUNTED_WORK || !has_own_limit(rows, i))
            continue;
        sg_sheet_row(sheet, SG_ASIDE);
        CASES(SG_CELL)
    }
}

void sg_add_gap_label(struct sg_text *out, const struct sg_gap *gap)
{
    const bool is_candidate = gap->role[0] == '\0' || gap->kind == SG_COUNTED_WORK ||
                              strcmp(gap->role, sg_role_word(SG_CANDIDATE)) == 0;
    sg_text_add(out, gap->variant);
    if (!is_candidate && strcmp(gap->role, gap->variant) != 0)
        sg_text_addf(out, " (%s)", gap->role);
}

static const struct sg_gap *same_variant(const struct sg_sol_table *gaps, const struct sg_gap *as)
{
    for (size_t i = 0; i < gaps->count; i++) {
        const struct sg_gap *gap = &gaps->items[i];
        if (sg_gap_same_case(gap, as) && strcmp(gap->variant, as->variant) == 0)
            return gap;
    }
    return NULL;
}

static void add_vs_first(struct sg_text *out, const struct sg_sol_table *first,
                         const struct row *row)
{
    const struct sg_gap *then = row->table == first ? NULL : same_variant(first, row->gap);
    struct sg_beside vs;
    if (!then || isnan(then->time_ns) || isnan(row->gap->time_ns))
        return;
    sg_gap_ratio(then, row->gap, &vs);
    sg_add_interval(out, vs.ratio - 1, vs.low - 1, vs.high - 1);
}

static void add_ratio(struct sg_text *out, const struct sg_gap *gap)
{
    if (!isnan(gap->ratio))
        sg_add_interval(out, gap->ratio - 1, gap->low - 1, gap->high - 1);
}

/* Adds the rate that binds; programs get both rates. */
static void add_rate(struct sg_text *out, const struct sg_gap *gap)
{
    if (gap->unit)
        return;
    if (gap->sol.memory_bound)
        sg_add_rate(out, gap->bytes_per_s, "B/s");
    else
        sg_add_rate(out, gap->flop_per_s, "flop/s");
}

static void add_share(struct sg_text *out, double share)
{
    if (!isnan(share))
        sg_text_addf(out,
                     share < 0.001  ? "%.1g %%"
                     : share < 1000 ? "%.1f %%"
                                    : "%.3g %%",
                     100 * share);
}

static void add_waves(struct sg_text *out, double waves)
{
    if (!isnan(waves))
        sg_text_addf(out, waves < 0.995 ? "%.2g" : "%.2f", waves);
}

/* Clocks above those of the peaks make a gap a little under 1. */
#define LEAST_GAP 0.9

static void add_status(struct sg_text *out, const struct sg_gap *gap)
{
    if (gap->refusal)
        sg_text_addf(out, "invalid: %s", sg_physics_words(gap->refusal->finding));
    else if (gap->family && isnan(gap->time_ns))
        sg_text_add(out, sg_status_word(gap->status));
    else if (gap->kind == SG_COUNTED_WORK && gap->gap < LEAST_GAP)
        sg_text_add(out, "the counted launches did more than fits into this time");
    else if (sg_gap_is_whole(gap) && gap->of_range < 0.9995)
        sg_text_add(out, "kernels of the range that were not counted have no limit");
}

/* "137 Gflop", or with declared work "137 Gflop (1.002 x)". */
static void add_counted(struct sg_text *out, const struct sg_gap *gap, bool of_flop)
{
    const double counted = of_flop ? sg_work_flop(&gap->counted) : sg_work_bytes(&gap->counted),
                 work = of_flop ? sg_work_flop(&gap->work) : sg_work_bytes(&gap->work);
    if (!gap->is_counted)
        return;
    sg_add_value(out, counted, of_flop ? "flop" : "B");
    if (gap->kind != SG_COUNTED_WORK && work > 0)
        sg_text_addf(out, " (%.4gx)", counted / work);
}

static void add_bound(struct sg_text *out, const struct sg_gap *gap)
{
    sg_text_add(out, gap->kind == SG_COUNTED_WORK ? sg_gap_bound(gap) : "");
}

static void add_limit(struct sg_text *out, const struct sg_gap *gap)
{
    if (gap->kind == SG_COUNTED_WORK)
        sg_add_time(out, gap->limit_ns);
}

#define GAPS(X)                                                                                    \
    X("case", sg_text_addf(cell, "%s/%s", gap->family, gap->case_), .meaning = "family and case",  \
      .key = true, .names = true)                                                                  \
    X("variant", sg_add_gap_label(cell, gap),                                                      \
      .meaning = "the kernel that was measured; its role, where that is not candidate",            \
      .key = true, .names = true)                                                                  \
    X("run", sg_text_add(cell, runs > 1 ? row->table->path : ""), .meaning = "its folder",         \
      .key = true)                                                                                 \
    X("time", sg_add_time(cell, gap->time_ns),                                                     \
      .meaning = "one launch: the baseline's time, or that time times the paired ratio",           \
      .right = true)                                                                               \
    X("vs first run", add_vs_first(cell, gaps, row),                                               \
      .meaning = "time / time of the same variant in the first run - 1; the interval has the "     \
                 "errors of both",                                                                 \
      .right = true, .key = true)                                                                  \
    X("vs baseline", add_ratio(cell, gap), .meaning = "the paired ratio - 1, with its interval",   \
      .right = true, .key = true)                                                                  \
    X("of range", add_share(cell, gap->of_range),                                                  \
      .meaning = "share of the time of the counted kernels; whole_range: their share of the time " \
                 "of all kernels",                                                                 \
      .right = true)                                                                               \
    X("counted work", add_counted(cell, gap, true),                                                \
      .meaning = "flop that the kernel did; in brackets: as a multiple of the work of the case",   \
      .right = true)                                                                               \
    X("counted bytes", add_counted(cell, gap, false),                                              \
      .meaning =                                                                                   \
          "bytes between DRAM and L2; in brackets: as a multiple of the traffic of the case",      \
      .right = true)                                                                               \
    X("bound by", add_bound(cell, gap),                                                            \
      .meaning = "resource that takes longest for the counted work", .key = true)                  \
    X("limit", add_limit(cell, gap), .meaning = "how long", .right = true, .key = true)            \
    X("gap", sg_add_gap(cell, gap->gap), .meaning = "time over limit; 1 is the speed of light",    \
      .right = true, .key = true)                                                                  \
    X("rate", add_rate(cell, gap),                                                                 \
      .meaning = "rate at the limiting resource: work, or compulsory bytes, over time",            \
      .right = true)                                                                               \
    X("of peak", add_share(cell, gap->of_peak),                                                    \
      .meaning = "share of the datasheet's peak of the limiting resource", .right = true)          \
    X("of best", add_share(cell, gap->of_measured),                                                \
      .meaning = "share of the measured rate of the limiting resource, on a GPU of this model",    \
      .right = true)                                                                               \
    X("of dense", add_share(cell, gap->of_dense),                                                  \
      .meaning = "for a sparse kernel: time of the fastest dense kernel x density / own time",     \
      .right = true)                                                                               \
    X("waves", add_waves(cell, gap->waves),                                                        \
      .meaning = "blocks of the launch over those that all SMs hold at once", .right = true)       \
    X("status", add_status(cell, gap), .meaning = "why there is no time, or why it is impossible")

static const struct sg_column gap_columns[] = {GAPS(SG_COLUMN)};

static void add_gaps(struct sg_document *document, const struct rows *rows,
                     const struct sg_sol_table *gaps, size_t runs)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "variants", SG_COLUMNS(gap_columns), SG_FOR_PEOPLE);
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        const struct sg_gap *gap = row->gap;
        if (!isfinite(row->best))
            continue;
        sg_sheet_row(sheet, gap->refusal ? SG_RED : SG_ASIDE);
        GAPS(SG_CELL)
    }
}

/* Times of a run without work, such as an import. */
#define TIMES(X)                                                                              \
    X("case", sg_text_addf(cell, "%s/%s", value.family, value.case_),                         \
      .meaning = "family and case", .key = true)                                              \
    X("variant", sg_text_add(cell, value.variant), .meaning = "the kernel that was measured", \
      .key = true)                                                                            \
    X("time", sg_add_time(cell, row->value), .meaning = "one launch", .right = true, .key = true)

static const struct sg_column time_columns[] = {TIMES(SG_COLUMN)};

void sg_document_add_times(struct sg_document *document, const struct sg_table *run)
{
    struct sg_sheet *sheet =
        sg_document_sheet(document, "times", SG_COLUMNS(time_columns), SG_FOR_PEOPLE);
    const sg_id time = sg_table_find_id(run, "time");
    for (size_t i = 0; i < run->count; i++) {
        const struct sg_row *row = &run->rows[i];
        const struct sg_value value = sg_value_of(run, row);
        if (row->metric != time || !(row->has & SG_HAS_VALUE))
            continue;
        sg_sheet_row(sheet, SG_ASIDE);
        TIMES(SG_CELL)
    }
}

/* "NVIDIA H200, suite smoke, 2026-11-20": identifies the run and says if its times are
 * simulated. None for work without a run. */
static void add_captions(struct sg_document *document, const struct sg_sol_table *gaps,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        SG_SCOPED(sg_text) caption = {0};
        if (gaps[i].of_run)
            sg_add_caption(&caption, gaps[i].env, NULL);
        if (count > 1)
            sg_document_notef(document, SG_FOR_ALL, "%s: %s", gaps[i].path,
                              sg_text_string(&caption));
        else
            sg_document_note(document, SG_FOR_ALL, sg_text_string(&caption));
    }
}

/* Notes below the tables. A note of several runs is printed once, after the names of their
 * folders. */
struct note {
    char *words;           /* owned */
    struct sg_text before; /* "h100/, h200/" */
    size_t runs;
};
struct notes {
    struct note *items; /* owned */
    size_t count, capacity;
};

static void take_note(struct notes *notes, const char *words, const char *path)
{
    size_t i = 0;
    while (i < notes->count && strcmp(notes->items[i].words, words) != 0)
        i++;
    if (i == notes->count)
        *SG_APPEND(notes->items, notes->count, notes->capacity) =
            (struct note){.words = sg_copy_string(words)};
    struct note *note = &notes->items[i];
    sg_text_addf(&note->before, "%s%s", note->runs++ > 0 ? ", " : "", path ? path : "");
}

static void add_notes(struct sg_document *document, const struct sg_sol_table *gaps, size_t count)
{
    struct notes notes = {0};
    for (size_t i = 0; i < count; i++) {
        SG_SCOPED(sg_text) lines = {0};
        sg_gap_notes(&gaps[i], &lines);
        char *rest = lines.data;
        for (char *line = strtok_r(rest, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
            take_note(&notes, line, gaps[i].path);
    }
    for (size_t i = 0; i < notes.count; i++) {
        struct note *note = &notes.items[i];
        const bool is_of_all = note->runs == count;
        sg_document_notef(document, SG_FOR_ALL, "%s%s%s", is_of_all ? "" : note->before.data,
                          is_of_all ? "" : ": ", note->words);
    }
}

/* ---- for programs ---- */

static const char *kind_word(const struct sg_gap *gap)
{
    static const char *const words[] = {[SG_DECLARED_WORK] = "declared",
                                        [SG_GUESSED_WORK] = "guessed",
                                        [SG_COUNTED_WORK] = "counted"};
    return words[gap->kind];
}

#define NUMBERS(X, title, unit, meaning, value) \
    X(title, sg_add_exactly(cell, value), SG_NUMBER(unit, meaning))
#define GAP_FACTS(X)                                                                               \
    X("family", sg_text_add(cell, gap->family), .meaning = NULL)                                   \
    X("case", sg_text_add(cell, gap->case_), .meaning = NULL)                                      \
    X("variant", sg_text_add(cell, gap->variant), .meaning = NULL)                                 \
    X("gpu_spec", add_known(cell, gaps->spec.key), .meaning = "peaks of metrics/gpus")             \
    NUMBERS(X, "time_ns", "ns", "one launch", gap->time_ns)                                        \
    NUMBERS(X, "sol_time_ns", "ns", "what the work needs at the peaks", gap->sol.time_ns)          \
    NUMBERS(X, "sol_compute_ns", "ns", "part of sol_time_ns: arithmetic", gap->sol.compute_ns)     \
    NUMBERS(X, "sol_memory_ns", "ns", "part of sol_time_ns: compulsory bytes", gap->sol.memory_ns) \
    NUMBERS(X, "gap", "1", "time over limit", gap->gap)                                            \
    X("bound", sg_text_add(cell, sg_gap_bound(gap)), .meaning = "the largest term of the limit")   \
    NUMBERS(X, "intensity_flop_per_b", "flop/B", NULL, gap->sol.intensity)                         \
    NUMBERS(X, "flop_per_s", "flop/s", NULL, gap->flop_per_s)                                      \
    NUMBERS(X, "bytes_per_s", "B/s", NULL, gap->bytes_per_s)                                       \
    X("faster_than_physics",                                                                       \
      sg_text_add(cell, gap->refusal && gap->refusal->finding == SG_TOO_FAST ? "yes" : "no"),      \
      .meaning = "yes: the time is impossible")                                                    \
    X("status", sg_text_add(cell, gap->refusal ? "invalid" : sg_status_word(gap->status)),         \
      .meaning = NULL)                                                                             \
    X("role", sg_text_add(cell, gap->role), .meaning = NULL)                                       \
    X("shape", add_known(cell, gap->shape), .meaning = NULL)                                       \
    NUMBERS(X, "flop", "flop", NULL, sg_work_flop(&gap->work))                                     \
    NUMBERS(X, "read_bytes", "B", NULL, gap->work.read_bytes)                                      \
    NUMBERS(X, "write_bytes", "B", NULL, gap->work.write_bytes)                                    \
    NUMBERS(X, "of_peak", "1", "share of the datasheet's peak of the limiting resource",           \
            gap->of_peak)                                                                          \
    NUMBERS(X, "of_measured", "1", "share of the measured ceiling of the limiting resource",       \
            gap->of_measured)                                                                      \
    X("ceilings", add_known(cell, gaps->ceilings.path),                                            \
      .meaning = "file of the measured ceilings")                                                  \
    X("l2", add_known(cell, gaps->l2), .meaning = "state of the L2 in the run")                    \
    X("ceilings_l2",                                                                               \
      sg_text_add(cell, sg_ceilings_any(&gaps->ceilings) ? sg_l2_word(gaps->ceilings.l2) : ""),    \
      .meaning = "state of the L2 where the ceilings were measured")                               \
    NUMBERS(X, "time_low_ns", "ns", "interval of the time", gap->low_ns)                           \
    NUMBERS(X, "time_high_ns", "ns", "interval of the time", gap->high_ns)                         \
    NUMBERS(X, "measured_ns", "ns", "the variant's own median time, not paired", gap->measured_ns) \
    NUMBERS(X, "time_ratio", "1", "to the baseline variant, in pairs", gap->ratio)                 \
    NUMBERS(X, "limit_ns", "ns", "the larger of sol_time_ns and launch_ns", gap->limit_ns)         \
    NUMBERS(X, "launch_ns", "ns", "an empty kernel on this GPU",                                   \
            gaps->ceilings.launch_ns > 0 ? gaps->ceilings.launch_ns : NAN)                         \
    NUMBERS(X, "waves", "1", "blocks over those that all SMs hold at once", gap->waves)            \
    X("work_kind", sg_text_add(cell, kind_word(gap)), .meaning = "declared, guessed or counted")   \
    NUMBERS(X, "counted_flop", "flop", "that the kernel did",                                      \
            gap->is_counted ? sg_work_flop(&gap->counted) : NAN)                                   \
    NUMBERS(X, "counted_bytes", "B", "between DRAM and L2",                                        \
            gap->is_counted ? sg_work_bytes(&gap->counted) : NAN)                                  \
    X("run", add_known(cell, gaps->path), .meaning = "its folder")                                 \
    X("why", sg_text_add(cell, gap->refusal ? gap->refusal->why : ""),                             \
      .meaning = "why the time is impossible")

static const struct sg_column program_columns[] = {GAP_FACTS(SG_COLUMN)};

static void add_known(struct sg_text *cell, const char *word)
{
    sg_text_add(cell, word ? word : "");
}

static void add_gap_row(struct sg_sheet *sheet, const struct sg_gap *gap,
                        const struct sg_sol_table *gaps)
{
    sg_sheet_row(sheet, gap->refusal ? SG_RED : SG_ASIDE);
    GAP_FACTS(SG_CELL)
}

void sg_document_of_gaps(struct sg_document *document, const struct sg_sol_table *gaps,
                         size_t count, bool as_charts)
{
    struct rows rows = rows_of(gaps, count, as_charts);
    add_captions(document, gaps, count);
    add_cases(document, &rows, count);
    add_gaps(document, &rows, gaps, count);
    add_notes(document, gaps, count);
    struct sg_sheet *sheet =
        sg_document_sheet(document, "gaps", SG_COLUMNS(program_columns), SG_FOR_PROGRAMS);
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < gaps[t].count; i++)
            add_gap_row(sheet, &gaps[t].items[i], &gaps[t]);
}

/* ---- two runs side by side ---- */

/* `add` adds words for people; programs get the value. */
#define BESIDE_NUMBER(X, title_, name_, unit_, value, add, ...)                     \
    X(title_, add; sg_add_exactly(sg_sheet_exactly(sheet), value), .name = (name_), \
                   .number = true, .unit = (unit_), .right = true, __VA_ARGS__)
#define BESIDE_PROGRAMS(X, title_, unit_, value) \
    X(title_, sg_add_exactly(cell, value), .number = true, .unit = (unit_), .programs = true)
#define BESIDE_TIME(X, title, name, gap)                                                   \
    BESIDE_NUMBER(X, title, name, "ns", (gap)->time_ns, sg_add_time(cell, (gap)->time_ns), \
                  .meaning = "one launch, as in the table of one run")
#define BESIDE_SHARE(X, title, name, gap_)                                                \
    BESIDE_NUMBER(X, title, name, "1", 1 / (gap_)->gap, add_share(cell, 1 / (gap_)->gap), \
                  .meaning = "its limit over its time")
#define BESIDE(X)                                                                                  \
    X("family", sg_text_add(cell, gap->family), .programs = true)                                  \
    X("case", sg_text_addf(cell, "%s/%s", gap->family, gap->case_);                                \
      sg_text_add(sg_sheet_exactly(sheet), gap->case_), .key = true, .names = true)                \
    X("variant", sg_text_add(cell, gap->variant), .key = true, .names = true)                      \
    BESIDE_TIME(X, "time A", "time_a_ns", a)                                                       \
    BESIDE_TIME(X, "time B", "time_b_ns", b)                                                       \
    BESIDE_NUMBER(X, "B over A", "ratio", "1", row->ratio,                                         \
                  sg_add_interval(cell, row->ratio - 1, row->low - 1, row->high - 1), .key = true, \
                  .meaning = "time of B / time of A - 1; the interval has the errors of both")     \
    BESIDE_PROGRAMS(X, "ratio_low", "1", row->low)                                                 \
    BESIDE_PROGRAMS(X, "ratio_high", "1", row->high)                                               \
    BESIDE_NUMBER(X, "limits", "limit_ratio", "1", row->hardware,                                  \
                  sg_add_change(cell, row->hardware - 1), .key = true,                             \
                  .meaning = "limit on B / limit on A - 1: the change that the limits predict")    \
    BESIDE_NUMBER(X, "left", "over_hardware", "1", row->left, sg_add_gap(cell, row->left),         \
                  .meaning = "ratio of the times / ratio of the limits", .key = true)              \
    X("gains", sg_text_add(cell, row->gains), .key = true,                                         \
      .meaning =                                                                                   \
          "over 5 % less or more than the limits predict; unclear: the interval includes both")    \
    X("bound on A", add_limiting(cell, a), .name = "bound_a", .meaning = NULL)                     \
    X("bound on B", add_limiting(cell, b), .name = "bound_b", .meaning = NULL)                     \
    BESIDE_SHARE(X, "A of limit", "of_limit_a", a)                                                 \
    BESIDE_SHARE(X, "B of limit", "of_limit_b", b)                                                 \
    X("gpu_a", sg_text_add(cell, sg_env_word(gaps[0].env, "gpu")), .programs = true)               \
    X("gpu_b", sg_text_add(cell, sg_env_word(gaps[1].env, "gpu")), .programs = true)               \
    X("status of A", add_status(cell, a), .name = "status_a", .meaning = NULL)                     \
    X("status of B", add_status(cell, b), .name = "status_b", .meaning = NULL)

static void add_limiting(struct sg_text *out, const struct sg_gap *gap)
{
    sg_text_add(out, isnan(gap->limit_ns) ? "" : sg_gap_bound(gap));
}

static const struct sg_column beside_columns[] = {BESIDE(SG_COLUMN)};

/* compare refuses sides with other settings; here both are shown. */
static void note_unequal(struct sg_document *document, const struct sg_sol_table gaps[2])
{
    SG_SCOPED(sg_text) a = {0}, b = {0};
    const struct sg_setting *setting = sg_settings_unequal(gaps[0].env, gaps[1].env, &a, &b);
    if (setting)
        sg_document_notef(document, SG_FOR_ALL,
                          "%s is %s in A and %s in B: times differ by it, too.", setting->key,
                          a.length > 0 ? a.data : "unknown", b.length > 0 ? b.data : "unknown");
}

void sg_document_of_two(struct sg_document *document, const struct sg_sol_table gaps[2], size_t top)
{
    size_t count = 0, limits = 0, less = 0;
    const struct sg_beside *rows = sg_side_by_side(gaps, &count);
    for (int s = 0; s < 2; s++) {
        SG_SCOPED(sg_text) caption = {0};
        sg_add_caption(&caption, gaps[s].env, NULL);
        sg_document_notef(document, SG_FOR_ALL, "%c: %s: %s", 'A' + s, gaps[s].path,
                          sg_text_string(&caption));
    }
    struct sg_sheet *sheet =
        sg_document_sheet(document, "side_by_side", SG_COLUMNS(beside_columns), SG_FOR_ALL);
    for (size_t i = 0; i < count; i++) {
        const struct sg_beside *row = &rows[i];
        const struct sg_gap *a = &row->gap[0], *b = &row->gap[1], *gap = a->family ? a : b;
        limits += *row->gains != '\0';
        less += strcmp(row->gains, "less") == 0;
        if (top > 0 && i >= top)
            continue;
        sg_sheet_row(sheet, a->refusal || b->refusal ? SG_RED : SG_ASIDE);
        BESIDE(SG_CELL)
    }
    sg_document_notef(document, SG_FOR_ALL,
                      "For information, not a verdict: %zu of the %zu items with limits on both "
                      "sides gain less from B than the limits predict.",
                      less, limits);
    note_unequal(document, gaps);
    add_notes(document, gaps, 2);
}
