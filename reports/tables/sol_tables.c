/* The tables of `solgate gap`: the work of each case with what binds it, and what each variant reaches of that. */
#include <math.h>
#include <string.h>

#include "reports/tables/ranking.h"

static const struct sg_text_table_column case_column[] = {
    {"case", "family and case", false, false},
    {"shape", "its sizes", false, false},
    {"work", "arithmetic that any right implementation must do", true, false},
    {"traffic", "compulsory bytes: inputs read once, outputs written once", true, false},
    {"flop/B", "intensity: work over traffic", true, false},
    {"bound by", "the larger of the two terms of the limit", false, false},
    {"limit", "speed of light: what the work needs at this GPU's peaks", true, false},
};
#define CASE_COLUMNS (sizeof(case_column) / sizeof(case_column[0]))

static const struct sg_text_table_column gap_column[] = {
    {"case", "family and case", false, false},
    {"variant", "the kernel that was measured", false, false},
    {"role", "baseline, candidate, or a vendor's library", false, false},
    {"time", "one launch", true, false},
    {"gap", "time over limit; 1 is the speed of light", true, false},
    {"compute", "what it reaches", true, false},
    {"memory", "compulsory bytes over time", true, false},
    {"of peak", "of what the datasheet promises for what binds", true, false},
    {"ceiling", "share of what was reached on this GPU, or one of its model, of what binds", true, false},
    {"status", "outcome of the verification", false, false},
};
#define GAP_COLUMNS (sizeof(gap_column) / sizeof(gap_column[0]))

static void add_name(const struct sg_gap *gap, struct sg_text *out)
{
    sg_text_addf(out, "%s/%s", gap->family, gap->case_);
}

static void add_case_cell(const struct sg_gap *gap, size_t column, struct sg_text *out)
{
    switch (column) {
    case 0:
        add_name(gap, out);
        break;
    case 1:
        sg_text_add(out, gap->shape);
        break;
    case 2:
        sg_add_value(out, sg_work_flop(&gap->work), "flop");
        break;
    case 3:
        sg_add_value(out, sg_work_bytes(&gap->work), "B");
        break;
    case 4:
        sg_add_value(out, gap->sol.intensity, "1");
        break;
    case 5:
        sg_text_add(out, sg_sol_bound(&gap->sol));
        break;
    default:
        sg_add_time(out, gap->sol.time_ns);
    }
}

static void add_share(double share, struct sg_text *out)
{
    if (!isnan(share))
        sg_text_addf(out, share < 0.001 ? "%.1g %%" : share < 1000 ? "%.1f %%" : "%.3g %%", 100 * share);
}

static void add_gap_cell(const struct sg_gap *gap, size_t column, struct sg_text *out)
{
    switch (column) {
    case 0:
        add_name(gap, out);
        break;
    case 1:
        sg_text_add(out, gap->variant);
        break;
    case 2:
        sg_text_add(out, gap->role);
        break;
    case 3:
        sg_add_time(out, gap->time_ns);
        break;
    case 4:
        sg_add_gap(out, gap->gap);
        break;
    case 5:
        sg_add_rate(out, gap->flop_per_s, "flop/s");
        break;
    case 6:
        sg_add_rate(out, gap->bytes_per_s, "B/s");
        break;
    case 7:
        add_share(gap->of_peak, out);
        break;
    case 8:
        add_share(gap->of_measured, out);
        break;
    default:
        if (gap->refusal)
            sg_text_addf(out, "invalid: %s", sg_physics_words(gap->refusal->finding));
        else
            sg_text_add(out, sg_status_word(gap->status));
    }
}

static void add_row(struct sg_text_table *grid, const struct sg_gap *gap, void (*add)(const struct sg_gap *, size_t, struct sg_text *))
{
    struct sg_text cell = {0};
    sg_text_table_row(grid, gap->refusal ? SG_RED : SG_ASIDE);
    for (size_t column = 0; column < grid->column_count; column++) {
        add(gap, column, &cell);
        sg_text_table_cell(grid, sg_text_string(&cell));
        sg_text_release(&cell);
    }
}

static bool same_case(const struct sg_gap *a, const struct sg_gap *b)
{
    return strcmp(a->family, b->family) == 0 && strcmp(a->case_, b->case_) == 0;
}

void sg_gap_case_grid(struct sg_text_table *grid, const struct sg_sol_table *gaps, size_t count)
{
    sg_text_table_init(grid, case_column, CASE_COLUMNS);
    for (size_t i = 0; i < count; i++) {
        struct sg_gap first = gaps->items[i];
        first.refusal = NULL; /* of a variant, not of the case */
        if (i == 0 || !same_case(&gaps->items[i - 1], &first))
            add_row(grid, &first, add_case_cell);
    }
}

void sg_gap_grid(struct sg_text_table *grid, const struct sg_sol_table *gaps, size_t count)
{
    sg_text_table_init(grid, gap_column, GAP_COLUMNS);
    for (size_t i = 0; i < count; i++)
        add_row(grid, &gaps->items[i], add_gap_cell);
}

#define REFUSALS_MAX 20 /* lines of them: the table has them all */

bool sg_add_refusal(struct sg_text *out, const struct sg_sol_table *gaps, size_t line)
{
    const struct sg_refusals *all = &gaps->refusals;
    if (line >= all->count || line > REFUSALS_MAX)
        return false;
    const struct sg_refusal *refusal = &all->items[line];
    if (line == REFUSALS_MAX)
        sg_text_addf(out, "invalid are %zu in all; --format=csv says why of each", all->count);
    else
        sg_text_addf(out, "invalid: %s/%s/%s: %s", refusal->family, refusal->case_, refusal->variant, refusal->why);
    return true;
}

void sg_add_spec(struct sg_text *out, const struct sg_gpu_spec *spec)
{
    sg_text_addf(out, "peaks of %s: DRAM ", spec->name);
    sg_add_rate(out, spec->dram_bytes_per_s, "B/s");
    for (enum sg_dtype dtype = 0; dtype < SG_DTYPE_COUNT; dtype++)
        if (spec->flop_per_s[dtype] > 0) {
            sg_text_addf(out, ", %s ", sg_dtype_word(dtype));
            sg_add_rate(out, spec->flop_per_s[dtype], "flop/s");
        }
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
        sg_text_addf(out, ". Nobody knows in which state the L2 was in this run; where the ceilings were measured it was %s", of_ceilings);
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
    if (ceilings->path)
        sg_text_addf(out, "; %s%s%s, %.10s", ceilings->path, ceilings->gpu_uuid_hash[0] ? ", GPU " : "", ceilings->gpu_uuid_hash,
                     ceilings->date);
    add_other_state(out, gaps);
}
