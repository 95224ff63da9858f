/* The tables of `solgate gap`: the work of each case with what binds it, and what each variant
 * reaches of that; runs side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/gap_rows.h"
#include "reports/tables/ranking.h"

#define SHORT_LIMIT_NS 1000.0 /* a launch takes about as long: where its floor is not known, a reader must hear of it */

static void add_name(const struct sg_gap *gap, struct sg_text *out)
{
    sg_text_addf(out, "%s/%s", gap->family, gap->case_);
}

static void add_shape(const struct sg_gap *gap, struct sg_text *out)
{
    sg_text_add(out, gap->shape);
}

static void add_work(const struct sg_gap *gap, struct sg_text *out)
{
    sg_add_value(out, sg_work_flop(&gap->work), "flop");
}

static void add_traffic(const struct sg_gap *gap, struct sg_text *out)
{
    sg_add_value(out, sg_work_bytes(&gap->work), "B");
}

static void add_intensity(const struct sg_gap *gap, struct sg_text *out)
{
    sg_add_value(out, gap->sol.intensity, "1");
}

static void add_bound(const struct sg_gap *gap, struct sg_text *out)
{
    sg_text_add(out, sg_gap_bound(gap));
}

static void add_limit(const struct sg_gap *gap, struct sg_text *out)
{
    sg_add_time(out, gap->limit_ns);
}

static void add_variant(const struct sg_gap *gap, struct sg_text *out)
{
    sg_add_gap_label(out, gap);
}

static void add_time(const struct sg_gap *gap, struct sg_text *out)
{
    sg_add_time(out, gap->time_ns);
}

static void add_ratio(const struct sg_gap *gap, struct sg_text *out)
{
    if (!isnan(gap->ratio))
        sg_add_interval(out, gap->ratio - 1, gap->low - 1, gap->high - 1);
}

static void add_gap(const struct sg_gap *gap, struct sg_text *out)
{
    sg_add_gap(out, gap->gap);
}

/* Of the two the one that binds; CSV has both. */
static void add_rate(const struct sg_gap *gap, struct sg_text *out)
{
    if (gap->sol.memory_bound)
        sg_add_rate(out, gap->bytes_per_s, "B/s");
    else
        sg_add_rate(out, gap->flop_per_s, "flop/s");
}

static void add_share(double share, struct sg_text *out)
{
    if (!isnan(share))
        sg_text_addf(out, share < 0.001 ? "%.1g %%" : share < 1000 ? "%.1f %%" : "%.3g %%", 100 * share);
}

static void add_of_peak(const struct sg_gap *gap, struct sg_text *out)
{
    add_share(gap->of_peak, out);
}

static void add_of_measured(const struct sg_gap *gap, struct sg_text *out)
{
    add_share(gap->of_measured, out);
}

static void add_of_dense(const struct sg_gap *gap, struct sg_text *out)
{
    add_share(gap->of_dense, out);
}

static void add_waves(const struct sg_gap *gap, struct sg_text *out)
{
    if (!isnan(gap->waves))
        sg_text_addf(out, gap->waves < 0.995 ? "%.2g" : "%.2f", gap->waves);
}

static void add_status(const struct sg_gap *gap, struct sg_text *out)
{
    if (gap->refusal)
        sg_text_addf(out, "invalid: %s", sg_physics_words(gap->refusal->finding));
}

typedef void cell_fn(const struct sg_gap *gap, struct sg_text *out);

static const struct sg_column case_column[] = {
    {.title = "case", .meaning = "family and case", .key = true},
    {.title = "shape", .meaning = "its sizes"},
    {.title = "work", .meaning = "arithmetic that any right implementation must do", .right = true},
    {.title = "traffic", .meaning = "compulsory bytes: inputs read once, outputs written once", .right = true},
    {.title = "flop/B", .meaning = "intensity: work over traffic", .right = true},
    {.title = "bound by", .meaning = "the largest term of the limit", .key = true},
    {.title = "limit", .meaning = "what the work needs at this GPU's peaks, or a launch, if that takes longer", .right = true, .key = true},
};
static cell_fn *const case_cell[] = {add_name, add_shape, add_work, add_traffic, add_intensity, add_bound, add_limit};
#define CASE_COLUMNS (sizeof(case_column) / sizeof(case_column[0]))

static const struct sg_column gap_column[] = {
    {.title = "case", .meaning = "family and case", .key = true},
    {.title = "variant", .meaning = "the kernel that was measured; its role, where that is not candidate", .key = true},
    {.title = "time", .meaning = "one launch: the baseline's time, or that time times the paired ratio", .right = true},
    {.title = "vs baseline", .meaning = "the paired ratio - 1, with its interval", .right = true, .key = true},
    {.title = "gap", .meaning = "time over limit; 1 is the speed of light", .right = true, .key = true},
    {.title = "rate", .meaning = "of what binds: work, or compulsory bytes, over time", .right = true},
    {.title = "of peak", .meaning = "share of what the datasheet promises for what binds", .right = true},
    {.title = "of best", .meaning = "share of what was reached on this GPU, or one of its model, of what binds", .right = true},
    {.title = "of dense", .meaning = "of a sparse kernel: the fastest dense one's time x density, over its time", .right = true},
    {.title = "waves", .meaning = "blocks of the launch over those that all SMs hold at once", .right = true},
    {.title = "status", .meaning = "why its time cannot be"},
};
static cell_fn *const gap_cell[] = {add_name,    add_variant,     add_time,     add_ratio, add_gap,   add_rate,
                                    add_of_peak, add_of_measured, add_of_dense, add_waves, add_status};
#define GAP_COLUMNS (sizeof(gap_column) / sizeof(gap_column[0]))

static void add_row(struct sg_sheet *grid, const struct sg_gap *gap, enum sg_class class_, cell_fn *const *cells)
{
    struct sg_text cell = {0};
    sg_sheet_row(grid, class_);
    for (size_t column = 0; column < grid->column_count; column++) {
        cells[column](gap, &cell);
        sg_sheet_cell(grid, sg_text_string(&cell));
        sg_text_release(&cell);
    }
}

void sg_add_gap_label(struct sg_text *out, const struct sg_gap *gap)
{
    const bool is_candidate = gap->role[0] == '\0' || strcmp(gap->role, sg_role_word(SG_CANDIDATE)) == 0;
    sg_text_add(out, gap->variant);
    if (!is_candidate && strcmp(gap->role, gap->variant) != 0)
        sg_text_addf(out, " (%s)", gap->role);
}

void sg_gap_case_grid(struct sg_sheet *grid, const struct sg_sol_table *gaps, size_t most)
{
    struct sg_gap_rows rows;
    sg_sheet_init(grid, case_column, CASE_COLUMNS);
    sg_gap_rows_make(&rows, gaps, 1);
    for (size_t i = 0; i < rows.count && i < most; i++)
        if (sg_gap_rows_is_first(&rows, i))
            add_row(grid, rows.items[i].first, SG_ASIDE, case_cell);
    sg_gap_rows_release(&rows);
}

void sg_gap_grid(struct sg_sheet *grid, const struct sg_sol_table *gaps, size_t most)
{
    struct sg_gap_rows rows;
    sg_sheet_init(grid, gap_column, GAP_COLUMNS);
    sg_gap_rows_make(&rows, gaps, 1);
    for (size_t i = 0; i < rows.count && i < most; i++)
        if (isfinite(rows.items[i].best))
            add_row(grid, rows.items[i].first, rows.items[i].first->refusal ? SG_RED : SG_ASIDE, gap_cell);
    sg_gap_rows_release(&rows);
}

/* ---- side by side ---- */

void sg_gap_letters_grid(struct sg_sheet *grid, const struct sg_sol_table *gaps, size_t count)
{
    static const struct sg_column column[] = {
        {.title = "", .meaning = "its letter below"},     {.title = "run", .meaning = "its folder"},
        {.title = "peaks of", .meaning = "metrics/gpus"}, {.title = "taken", .meaning = "GPU, suite and day"},
        {.title = "L2", .meaning = "its state"},
    };
    sg_sheet_init(grid, column, sizeof(column) / sizeof(column[0]));
    for (size_t i = 0; i < count; i++) {
        const char letter[] = {(char)('A' + i), '\0'};
        struct sg_text taken = {0};
        sg_add_caption(&taken, gaps[i].env, NULL);
        const char *const cells[] = {letter, gaps[i].path ? gaps[i].path : "", gaps[i].spec.key, sg_text_string(&taken),
                                     gaps[i].l2 ? gaps[i].l2 : ""};
        sg_sheet_row(grid, SG_ASIDE);
        for (size_t column_ = 0; column_ < grid->column_count; column_++)
            sg_sheet_cell(grid, cells[column_]);
        sg_text_release(&taken);
    }
}

/* "2.406 us, memory" */
static void add_limit_and_bound(const struct sg_gap *gap, struct sg_text *out)
{
    sg_add_time(out, gap->limit_ns);
    sg_text_addf(out, ", %s", sg_gap_bound(gap));
}

/* "26.55 us, 2.04x"; what has no time shows its status. */
static void add_time_and_gap(const struct sg_gap *gap, struct sg_text *out)
{
    if (isnan(gap->gap)) {
        sg_text_add(out, sg_status_word(gap->status));
        return;
    }
    sg_add_time(out, gap->time_ns);
    sg_text_add(out, ", ");
    sg_add_gap(out, gap->gap);
    sg_text_add(out, gap->refusal ? ", invalid" : "");
}

#define RUN(letter)                                                                 \
    {                                                                               \
        .title = letter, .meaning = "one launch, and over the limit", .right = true \
    }
#define RUNS(a, b, c, d, e, f, g, h, i, j, k, l, m) \
    RUN(a), RUN(b), RUN(c), RUN(d), RUN(e), RUN(f), RUN(g), RUN(h), RUN(i), RUN(j), RUN(k), RUN(l), RUN(m)
static const struct sg_column beside_column[] = {
    {.title = "case", .meaning = "family and case"},
    {.title = "variant", .meaning = "the kernel that was measured"},
    RUNS("A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M"),
    RUNS("N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z"),
};
#define BESIDE_NAMES (sizeof(beside_column) / sizeof(beside_column[0]) - SG_GAPS_MAX)

/* `gap`: of each table, or NULL. */
static void add_beside_row(struct sg_sheet *grid, const struct sg_gap *first, const char *label, const struct sg_gap *const *gap,
                           cell_fn *add)
{
    struct sg_text cell = {0};
    sg_sheet_row(grid, SG_ASIDE);
    add_name(first, &cell);
    sg_sheet_cell(grid, cell.data);
    sg_sheet_cell(grid, label);
    for (size_t i = 0; i + BESIDE_NAMES < grid->column_count; i++) {
        cell.length = 0;
        sg_text_add(&cell, "");
        if (gap[i])
            add(gap[i], &cell);
        sg_sheet_cell(grid, cell.data);
    }
    sg_text_release(&cell);
}

/* The limit is the case's: any of its variants has it. */
static void add_limit_row(struct sg_sheet *grid, const struct sg_gap_rows *rows, size_t first)
{
    const struct sg_gap *any[SG_GAPS_MAX] = {NULL};
    for (size_t i = first; i < rows->count && (i == first || !sg_gap_rows_is_first(rows, i)); i++)
        for (size_t t = 0; t < SG_GAPS_MAX; t++)
            any[t] = rows->items[i].gap[t] ? rows->items[i].gap[t] : any[t];
    add_beside_row(grid, rows->items[first].first, "(limit)", any, add_limit_and_bound);
}

void sg_gap_beside_grid(struct sg_sheet *grid, const struct sg_sol_table *gaps, size_t count)
{
    struct sg_gap_rows rows;
    sg_sheet_init(grid, beside_column, BESIDE_NAMES + count);
    sg_gap_rows_make(&rows, gaps, count);
    for (size_t i = 0; i < rows.count; i++) {
        const struct sg_gap_row *row = &rows.items[i];
        struct sg_text label = {0};
        if (sg_gap_rows_is_first(&rows, i))
            add_limit_row(grid, &rows, i);
        sg_add_gap_label(&label, row->first);
        if (isfinite(row->best))
            add_beside_row(grid, row->first, label.data, row->gap, add_time_and_gap);
        sg_text_release(&label);
    }
    sg_gap_rows_release(&rows);
}

/* ---- below the tables ---- */

static int by_outcome(const void *left, const void *right)
{
    const struct sg_gap *a = *(const struct sg_gap *const *)left, *b = *(const struct sg_gap *const *)right;
    const int families = strcmp(a->family, b->family), variants = families != 0 ? families : strcmp(a->variant, b->variant);
    if (variants != 0 || a->status != b->status)
        return variants != 0 ? variants : a->status < b->status ? -1 : 1;
    return strcmp(a->case_, b->case_);
}

static bool same_variant(const struct sg_gap *a, const struct sg_gap *b)
{
    return strcmp(a->family, b->family) == 0 && strcmp(a->variant, b->variant) == 0;
}

/* "wrong in tiny", "wrong in 3 cases"; returns how many of the `count` it is true of. */
static size_t add_outcome(struct sg_text *out, const struct sg_gap *const *untimed, size_t count)
{
    size_t same = 1;
    while (same < count && same_variant(untimed[0], untimed[same]) && untimed[0]->status == untimed[same]->status)
        same++;
    sg_text_addf(out, "%s in ", untimed[0]->status == SG_OK ? "no time" : sg_status_word(untimed[0]->status));
    if (same == 1)
        sg_text_add(out, untimed[0]->case_);
    else
        sg_text_addf(out, "%zu cases", same);
    return same;
}

void sg_add_untimed(struct sg_text *out, const struct sg_sol_table *gaps)
{
    const struct sg_gap **untimed = sg_alloc(gaps->count + 1, sizeof(struct sg_gap *));
    size_t count = 0;
    for (size_t i = 0; i < gaps->count && gaps->of_run; i++)
        if (isnan(gaps->items[i].gap))
            untimed[count++] = &gaps->items[i];
    qsort(untimed, count, sizeof(struct sg_gap *), by_outcome);
    for (size_t i = 0; i < count;) {
        const bool goes_on = i > 0 && same_variant(untimed[i - 1], untimed[i]);
        if (goes_on)
            sg_text_add(out, ", ");
        else
            sg_text_addf(out, "%s%s/%s: ", i == 0 ? "not timed: " : "; ", untimed[i]->family, untimed[i]->variant);
        i += add_outcome(out, untimed + i, count - i);
    }
    free(untimed);
}

static bool is_first_of_case(const struct sg_sol_table *gaps, size_t i)
{
    const struct sg_gap *gap = &gaps->items[i];
    return i == 0 || strcmp(gap->case_, gap[-1].case_) != 0 || strcmp(gap->family, gap[-1].family) != 0;
}

bool sg_gap_is_short(const struct sg_sol_table *gaps, const struct sg_gap *gap)
{
    return gaps->of_run && !(gaps->ceilings.launch_ns > 0) && gap->limit_ns < SHORT_LIMIT_NS;
}

static size_t count_short_cases(const struct sg_sol_table *gaps)
{
    size_t count = 0;
    for (size_t i = 0; i < gaps->count; i++)
        count += is_first_of_case(gaps, i) && sg_gap_is_short(gaps, &gaps->items[i]);
    return count;
}

void sg_add_gap_notes(struct sg_text *out, const struct sg_sol_table *gaps)
{
    bool is_paired = false;
    const size_t count = count_short_cases(gaps);
    if (gaps->count == 0)
        sg_text_add(out, "No case of the run has rows of work, so none has a limit. ");
    for (size_t i = 0; i < gaps->count; i++)
        is_paired |= gaps->items[i].time_ns != gaps->items[i].measured_ns && !isnan(gaps->items[i].time_ns);
    if (is_paired)
        sg_text_add(out, "The time of a paired variant is that of its baseline times the paired ratio. ");
    if (gaps->ceilings.launch_ns > 0) {
        sg_text_add(out, "An empty kernel takes ");
        sg_add_time(out, gaps->ceilings.launch_ns);
        sg_text_add(out, " on this GPU: where the work needs less, that is the limit (bound by launch). ");
    }
    if (count > 0)
        sg_text_addf(
            out,
            "%zu case%s a limit below 1 us, which leaves out what a launch takes: their gaps include it. `solgate doctor --ceilings` "
            "measures it on this GPU. ",
            count, count == 1 ? " has" : "s have");
}

#define REFUSALS_MAX 20 /* lines of them: the table has them all */

bool sg_add_refusal(struct sg_text *out, const struct sg_sol_table *gaps, size_t line)
{
    const struct sg_refusals *all = &gaps->refusals;
    if (line >= all->count || line > REFUSALS_MAX)
        return false;
    const struct sg_refusal *refusal = &all->items[line];
    if (line == REFUSALS_MAX)
        sg_text_addf(out, "invalid are %zu in all; --format=csv has the reason of each", all->count);
    else
        sg_text_addf(out, "invalid: %s/%s/%s: %s", refusal->family, refusal->case_, refusal->variant, refusal->why);
    return true;
}

static bool is_used(const struct sg_sol_table *gaps, enum sg_dtype dtype)
{
    for (size_t i = 0; i < gaps->count; i++)
        if (gaps->items[i].work.flop[dtype] > 0)
            return true;
    return false;
}

void sg_add_spec(struct sg_text *out, const struct sg_sol_table *gaps)
{
    sg_text_addf(out, "peaks of %s: DRAM ", gaps->spec.name);
    sg_add_rate(out, gaps->spec.dram_bytes_per_s, "B/s");
    for (enum sg_dtype dtype = 0; dtype < SG_DTYPE_COUNT; dtype++)
        if (is_used(gaps, dtype)) {
            sg_text_addf(out, ", %s ", sg_dtype_word(dtype));
            sg_add_rate(out, gaps->spec.flop_per_s[dtype], "flop/s");
        }
    if (gaps->spec.key)
        sg_text_addf(out, "; metrics/gpus/%s.gpu", gaps->spec.key);
}

/* No error: a reader may judge how much it matters. */
static void add_other_state(struct sg_text *out, const struct sg_sol_table *gaps)
{
    const char *of_ceilings = sg_l2_word(gaps->ceilings.l2);
    if (!gaps->of_run || !(gaps->ceilings.dram_bytes_per_s > 0) || (gaps->l2 && strcmp(gaps->l2, of_ceilings) == 0))
        return;
    if (gaps->l2)
        sg_text_addf(out, ". The L2 was %s in this run and %s where the ceilings were measured", gaps->l2, of_ceilings);
    else
        sg_text_addf(out, ". The state of the L2 in this run is not known; where the ceilings were measured it was %s", of_ceilings);
    sg_text_add(out, ": the rate of DRAM depends on it, so shares of that ceiling do not compare like with like.");
}

void sg_add_ceilings(struct sg_text *out, const struct sg_sol_table *gaps)
{
    const struct sg_ceilings *ceilings = &gaps->ceilings;
    const char *before = ": ";
    if (!sg_ceilings_any(ceilings)) {
        sg_text_add(out, "no measured ceilings of this GPU or its model: `solgate doctor --ceilings` measures them there");
        return;
    }
    sg_text_addf(out, "measured with a %s L2", sg_l2_word(ceilings->l2));
    if (ceilings->dram_bytes_per_s > 0) {
        sg_text_addf(out, "%sDRAM ", before);
        sg_add_rate(out, ceilings->dram_bytes_per_s, "B/s");
        before = ", ";
    }
    for (enum sg_dtype dtype = 0; dtype < SG_DTYPE_COUNT; dtype++)
        if (ceilings->flop_per_s[dtype] > 0) {
            sg_text_addf(out, "%s%s ", before, sg_dtype_word(dtype));
            sg_add_rate(out, ceilings->flop_per_s[dtype], "flop/s");
            before = ", ";
        }
    if (ceilings->launch_ns > 0) {
        sg_text_addf(out, "%slaunch ", before);
        sg_add_time(out, ceilings->launch_ns);
    }
    if (ceilings->path)
        sg_text_addf(out, "; %s%s%s, %.10s", ceilings->path, ceilings->gpu_uuid_hash[0] ? ", GPU " : "", ceilings->gpu_uuid_hash,
                     ceilings->date);
    add_other_state(out, gaps);
}
