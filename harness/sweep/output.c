/*
 * Output of a sweep: a row of sweep.csv for every configuration, a table for people, a chart, and a
 * file of knobs.
 */
#include <math.h>
#include <stdlib.h>

#include "reports/report.h"
#include "reports/sheet.h"
#include "sweep/sweep_internal.h"
#include "util/csv_reader.h"
#include "util/escape.h"

#define ROWS_SHOWN 10 /* rows per case in the table; sweep.csv has all */

/* Adds "0.950x [0.949, 0.951]"; leaves out an unknown interval. */
static void add_ratio(const struct sg_estimate *estimate, struct sg_text *out)
{
    sg_text_addf(out, "%.3fx", exp(estimate->mean));
    if (isfinite(estimate->low) && isfinite(estimate->high))
        sg_text_addf(out, " [%.3f, %.3f]", exp(estimate->low), exp(estimate->high));
}

/* ---- sweep.csv ---- */

/* Adds the first `count` of ratio, low, high and n. */
static void add_estimate(struct sg_text *out, const struct sg_estimate *estimate, size_t count)
{
    const double numbers[] = {exp(estimate->mean), exp(estimate->low), exp(estimate->high),
                              estimate->n};
    for (size_t i = 0; i < count; i++) {
        sg_text_add(out, ",");
        if (estimate->n > 0 && isfinite(numbers[i]))
            sg_text_add_number(out, numbers[i], 9);
    }
}

void sg_sweep_add_csv(const struct sg_swept *swept, struct sg_text *out)
{
    for (size_t i = 0; i < swept->case_count * swept->count; i++) {
        const struct sg_sweep_case *c = &swept->cases[i / swept->count];
        const struct sg_sweep_configuration *configuration =
            &swept->configurations[i % swept->count];
        const struct sg_sweep_try *one = &c->tries[i % swept->count];
        const char *const words[] = {
            swept->family->name,         c->listed->name,
            swept->variant->name,        configuration->called.name,
            configuration->knobs,        sg_sweep_outcome(c, i % swept->count),
            sg_status_word(one->status), one->message ? one->message : ""};
        sg_csv_add_fields(out, words, sizeof(words) / sizeof(words[0]));
        add_estimate(out, &one->estimate[SG_SWEEP_SCREEN], 1);
        add_estimate(out, &one->estimate[SG_SWEEP_CHOOSE], 4);
        add_estimate(out, &one->estimate[SG_SWEEP_CONFIRM], 4);
        sg_text_add(out, "\n");
    }
}

/* ---- tables ---- */

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
static void add_finding(const struct sg_swept *swept, const struct sg_sweep_case *c,
                        const char *begin, struct sg_text *out)
{
    const struct sg_estimate *estimate = &c->tries[c->chosen].estimate[SG_SWEEP_CONFIRM];
    sg_text_add(out, begin);
    if (c->tries[0].status != SG_OK) {
        sg_text_addf(out, "its default is %s: there is nothing to compare with\n",
                     sg_status_word(c->tries[0].status));
    } else if (!c->chosen) {
        sg_text_add(out, "its default stays: nothing that is right was faster\n");
    } else {
        if (!sg_sweep_best(c))
            sg_text_addf(out, "its default stays: chosen was %s\n%s",
                         swept->configurations[c->chosen].knobs, begin);
        if (estimate->n > 0)
            add_ratio(estimate, out);
        sg_text_addf(out, " of its default, by %u processes that took no part in choosing\n",
                     estimate->n);
        if (sg_sweep_is_one_of_many(c))
            sg_text_addf(out,
                         "%sof %zu cases that were confirmed together one may look so by chance: "
                         "sweep it alone\n",
                         begin, c->together);
    }
}

/* Adds the best few to the table for people, and all that were timed to the chart, best first. */
static void add_ranks(const struct sg_swept *swept, const struct sg_sweep_case *c,
                      struct sg_tries *tries, struct sg_text *out)
{
    static const struct sg_column columns[] = {{.title = "rank", .right = true},
                                               {.title = "knobs"},
                                               {.title = "ratio"},
                                               {.title = "processes", .right = true},
                                               {.title = "verdict"}};
    SG_SCOPED(sg_sheet) sheet = {0};
    SG_FREED size_t *order = sg_alloc(c->count, sizeof(*order));
    const size_t best = sg_sweep_best(c);
    sg_sweep_rank(c, order);
    sg_sheet_init(&sheet, SG_COLUMNS(columns));
    for (size_t i = 0; i + 1 < c->count; i++) {
        const char *knobs = swept->configurations[order[i]].knobs,
                   *outcome = sg_sweep_outcome(c, order[i]);
        const enum sg_status status = c->tries[order[i]].status;
        const struct sg_estimate *estimate = sg_sweep_estimate(&c->tries[order[i]]);
        const enum sg_class class_ = order[i] == best        ? SG_NEWS
                                     : order[i] == c->chosen ? SG_YELLOW
                                                             : SG_ASIDE;
        SG_SCOPED(sg_text) ratio = {0}, processes = {0};
        if (estimate) {
            add_ratio(estimate, &ratio);
            sg_text_addf(&processes, "%u", estimate->n);
            tries->items[tries->count++] = (struct sg_tried){
                .family = swept->family->name,
                .case_ = c->listed->name,
                .knobs = knobs,
                .ratio = exp(estimate->mean),
                .low = exp(estimate->low),
                .high = exp(estimate->high),
                .rank = (double)i,
                .outcome = outcome,
                .class_ = class_,
            };
        }
        if (i < ROWS_SHOWN) {
            sg_sheet_row(&sheet, class_);
            sg_sheet_cellf(&sheet, "%zu", i + 1);
            sg_sheet_cells(&sheet, knobs, ratio.data, processes.data,
                           status == SG_OK ? outcome : sg_status_word(status));
        }
    }
    sg_sheet_text(&sheet, false, out);
}

static void draw(const struct sg_swept *swept, const struct sg_tries *tries, struct sg_text *out)
{
    SG_SCOPED(sg_text) folder = {0};
    struct sg_err err = {0};
    sg_text_addf(&folder, "%s/%s/%s", swept->sweep->folder.data, swept->family->name,
                 swept->variant->name);
    if (sg_tries_write(folder.data, tries, &swept->env, &err) != SG_SUCCESS)
        sg_text_addf(out, "no chart: %s: %s\n", err.where, err.message);
    else if (tries->count > 0)
        sg_text_addf(out, "Chart: %s/charts\n", folder.data);
}

void sg_sweep_show(const struct sg_swept *swept, struct sg_text *out)
{
    SG_SCOPED(sg_text) note = {0};
    sg_text_addf(&note, "knobs of %s/%s", swept->family->name, swept->variant->name);
    struct sg_tries tries = {.items =
                                 sg_alloc(swept->case_count * swept->count, sizeof(*tries.items)),
                             .note = note.data};
    for (size_t i = 0; i < swept->case_count; i++) {
        const struct sg_sweep_case *c = &swept->cases[i];
        const size_t best = sg_sweep_best(c);
        sg_text_addf(out, "%s/%s/%s: %zu configurations", swept->family->name, c->listed->name,
                     swept->variant->name, c->count - 1);
        add_counts(c, out);
        sg_text_add(out, "\n");
        add_ranks(swept, c, &tries, out);
        if (c->count - 1 > ROWS_SHOWN)
            sg_text_addf(out, "and %zu more: sweep.csv has them\n", c->count - 1 - ROWS_SHOWN);
        if (best)
            sg_text_addf(out, "best: %s\n", swept->configurations[best].knobs);
        add_finding(swept, c, "", out);
        sg_text_add(out, "\n");
    }
    draw(swept, &tries, out);
    free(tries.items);
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
        sg_text_addf(out, ";\n; %s: %zu configurations were tried\n", c->listed->name,
                     c->count - 1);
        add_finding(swept, c, "; ", out);
        if (best)
            sg_text_addf(out, "%s = %s\n", c->listed->name, swept->configurations[best].knobs);
    }
}
