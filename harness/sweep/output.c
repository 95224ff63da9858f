/* Output of a sweep: a table for people, and a file of knobs. */
#include <math.h>

#include "reports/sheet.h"
#include "sweep/sweep_internal.h"
#include "util/escape.h"

#define ROWS_SHOWN 10 /* rows per case in the table */

/* Adds "0.950x [0.949, 0.951]"; leaves out an unknown interval. */
static void add_ratio(const struct sg_estimate *estimate, struct sg_text *out)
{
    sg_text_addf(out, "%.3fx", exp(estimate->mean));
    if (isfinite(estimate->low) && isfinite(estimate->high))
        sg_text_addf(out, " [%.3f, %.3f]", exp(estimate->low), exp(estimate->high));
}

static void add_counts(const struct sg_sweep_case *c, struct sg_text *out)
{
    size_t by_status[SG_STATUS_COUNT] = {0};
    for (size_t i = 1; i < c->count; i++)
        by_status[c->tries[i].status]++;
    for (size_t i = 0; i < SG_STATUS_COUNT; i++)
        if (by_status[i] > 0)
            sg_text_addf(out, ", %zu %s", by_status[i], sg_status_word((enum sg_status)i));
}

/* Lines for people, each with the prefix `begin`; for the table and for the file of knobs. */
static void add_finding(const struct sg_sweep_case *c, const char *begin, struct sg_text *out)
{
    const struct sg_estimate *estimate = &c->tries[c->chosen].estimate[SG_SWEEP_CONFIRM];
    sg_text_add(out, begin);
    if (c->tries[0].status != SG_OK) {
        sg_text_addf(out, "the default is %s: no configuration can be compared with it\n",
                     sg_status_word(c->tries[0].status));
    } else if (!c->chosen) {
        sg_text_add(out, "keep the default: no correct configuration was faster\n");
    } else {
        if (!sg_sweep_best(c))
            sg_text_addf(out, "keep the default: the fastest was %s\n%s", c->tries[c->chosen].knobs,
                         begin);
        if (estimate->n > 0)
            add_ratio(estimate, out);
        sg_text_addf(out, " of the default, by %u processes that took no part in choosing\n",
                     estimate->n);
        if (sg_sweep_is_one_of_many(c))
            sg_text_addf(out,
                         "%sone of the %zu cases confirmed together may look like this by chance: "
                         "sweep it alone\n",
                         begin, c->together);
    }
}

static void add_ranks(const struct sg_sweep_case *c, struct sg_text *out)
{
    static const struct sg_column columns[] = {{.title = "rank", .right = true},
                                               {.title = "knobs"},
                                               {.title = "ratio"},
                                               {.title = "processes", .right = true},
                                               {.title = "verdict"}};
    struct sg_sheet sheet = {0};
    SG_FREED size_t *order = sg_alloc(c->count, sizeof(*order));
    sg_sweep_rank(c, order);
    sg_sheet_init(&sheet, SG_COLUMNS(columns));
    for (size_t i = 0; i + 1 < c->count && i < ROWS_SHOWN; i++) {
        const struct sg_sweep_try *one = &c->tries[order[i]];
        const struct sg_estimate *estimate = sg_sweep_estimate(one);
        SG_SCOPED(sg_text) ratio = {0}, processes = {0};
        if (estimate) {
            add_ratio(estimate, &ratio);
            sg_text_addf(&processes, "%u", estimate->n);
        }
        sg_sheet_row(&sheet, SG_ASIDE);
        sg_sheet_cellf(&sheet, "%zu", i + 1);
        sg_sheet_cells(&sheet, one->knobs, ratio.data, processes.data,
                       sg_sweep_outcome(c, order[i]));
    }
    sg_sheet_text(&sheet, false, out);
}

void sg_sweep_add_tables(const struct sg_swept *swept, struct sg_text *out)
{
    for (size_t i = 0; i < swept->case_count; i++) {
        const struct sg_sweep_case *c = &swept->cases[i];
        const size_t best = sg_sweep_best(c);
        sg_text_addf(out, "%s/%s/%s: %zu configurations", SG_ITEM_NAMES(c->item), c->count - 1);
        add_counts(c, out);
        sg_text_add(out, "\n");
        add_ranks(c, out);
        if (c->count - 1 > ROWS_SHOWN)
            sg_text_addf(out, "and %zu more: run.csv of the stage choose has them\n",
                         c->count - 1 - ROWS_SHOWN);
        if (best)
            sg_text_addf(out, "best: %s\n", c->tries[best].knobs);
        add_finding(c, "", out);
        sg_text_add(out, "\n");
    }
}

/* ---- file of knobs ---- */

static void add_fact(const struct sg_swept *swept, const char *before, const char *key,
                     struct sg_text *out)
{
    const char *value = sg_env_get(&swept->env, key);
    sg_text_add(out, value ? before : "");
    sg_add_terminal(out, value ? value : "");
}

void sg_sweep_add_config(const struct sg_swept *swept, struct sg_text *out)
{
    sg_text_addf(out, "[%s/%s]\n; solgate ", swept->family->name, swept->variant->name);
    sg_add_terminal(out, swept->sweep->command.data);
    add_fact(swept, "\n; on ", "gpu_name", out);
    add_fact(swept, ", driver ", "driver", out);
    add_fact(swept, ", ", "date", out);
    sg_text_add(out, "\n");
    for (size_t i = 0; i < swept->case_count; i++) {
        const struct sg_sweep_case *c = &swept->cases[i];
        const size_t best = sg_sweep_best(c);
        sg_text_addf(out, ";\n; %s: %zu configurations were tried\n", c->item->case_->name,
                     c->count - 1);
        add_finding(c, "; ", out);
        if (best)
            sg_text_addf(out, "%s = %s\n", c->item->case_->name, c->tries[best].knobs);
    }
}
