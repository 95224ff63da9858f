/*
 * Output of a sweep: a row of sweep.csv for every configuration, a table for people, a chart, and a
 * file of knobs.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "reports/report.h"
#include "reports/sheet.h"
#include "sweep/sweep_internal.h"
#include "util/csv_reader.h"
#include "util/escape.h"

#define ROWS_SHOWN 10 /* rows per case in the table; sweep.csv has all */

/* Adds KNOB=VALUE KNOB=VALUE of a configuration, or "default". */
static void add_knobs(const struct sg_sweep *sweep, size_t index, struct sg_text *out)
{
    int64_t value[SG_MAX_KNOBS];
    if (index == 0) {
        sg_text_add(out, "default");
        return;
    }
    sg_sweep_configuration(sweep->variant, index - 1, value);
    for (size_t k = 0; k < sweep->variant->knob_count; k++)
        sg_text_addf(out, "%s%s=%" PRId64, k ? " " : "", sweep->variant->knob[k].name, value[k]);
}

/* Adds "0.950x [0.949, 0.951]"; leaves out an unknown interval. */
static void add_ratio(const struct sg_estimate *estimate, struct sg_text *out)
{
    sg_text_addf(out, "%.3fx", exp(estimate->mean));
    if (isfinite(estimate->low) && isfinite(estimate->high))
        sg_text_addf(out, " [%.3f, %.3f]", exp(estimate->low), exp(estimate->high));
}

/* ---- sweep.csv ---- */

static void add_number(struct sg_text *out, bool is_there, double value)
{
    sg_text_add(out, ",");
    if (is_there && isfinite(value))
        sg_text_add_number(out, value, 9);
}

static void add_estimate(struct sg_text *out, const struct sg_estimate *estimate)
{
    const double numbers[] = {exp(estimate->mean), exp(estimate->low), exp(estimate->high), estimate->n};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        add_number(out, estimate->n > 0, numbers[i]);
}

static void add_row(const struct sg_sweep *sweep, const struct sg_sweep_case *c, size_t index, struct sg_text *out)
{
    const struct sg_sweep_try *one = &c->tries[index];
    const struct sg_estimate *screen = &one->estimate[SG_SWEEP_SCREEN];
    SG_SCOPED(sg_text) knobs = {0};
    add_knobs(sweep, index, &knobs);
    const char *const words[] = {sweep->family->name,         c->name,
                                 sweep->variant->name,        sweep->called[index].name,
                                 sg_text_string(&knobs),      sg_sweep_outcome_word(sg_sweep_outcome(c, index)),
                                 sg_status_word(one->status), one->message ? one->message : ""};
    sg_csv_add_fields(out, words, sizeof(words) / sizeof(words[0]));
    add_number(out, screen->n > 0, exp(screen->mean));
    add_estimate(out, &one->estimate[SG_SWEEP_CHOOSE]);
    add_estimate(out, &one->estimate[SG_SWEEP_CONFIRM]);
    sg_text_add(out, "\n");
}

void sg_sweep_add_csv(const struct sg_sweep *sweep, struct sg_text *out)
{
    for (size_t c = 0; c < sweep->case_count; c++)
        for (size_t i = 0; i < sweep->cases[c].count; i++)
            add_row(sweep, &sweep->cases[c], i, out);
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

/* The configuration that was chosen but not confirmed; 0: none. */
static size_t find_unconfirmed(const struct sg_sweep_case *c)
{
    for (size_t i = 1; i < c->count; i++)
        if (sg_sweep_outcome(c, i) == SG_SWEEP_NOT_CONFIRMED)
            return i;
    return 0;
}

/* Lines for people, each with the prefix `begin`; for the table and for the file of knobs. */
static void add_finding(const struct sg_sweep *sweep, const struct sg_sweep_case *c, const char *begin, struct sg_text *out)
{
    const size_t best = sg_sweep_best(c), tried = best ? best : find_unconfirmed(c);
    const struct sg_estimate *estimate = &c->tries[tried].estimate[SG_SWEEP_CONFIRM];
    sg_text_add(out, begin);
    if (c->tries[0].status != SG_OK) {
        sg_text_addf(out, "its default is %s: there is nothing to compare with\n", sg_status_word(c->tries[0].status));
    } else if (!tried) {
        sg_text_add(out, "its default stays: nothing that is right was faster\n");
    } else {
        if (!best) {
            sg_text_add(out, "its default stays: chosen was ");
            add_knobs(sweep, tried, out);
            sg_text_addf(out, "\n%s", begin);
        }
        if (estimate->n > 0)
            add_ratio(estimate, out);
        sg_text_addf(out, " of its default, by %u processes that took no part in choosing\n", estimate->n);
        if (sg_sweep_is_one_of_many(c, tried))
            sg_text_addf(out, "%sof %zu cases that were confirmed together one may look so by chance: sweep it alone\n", begin,
                         c->together);
    }
}

static enum sg_class class_of(enum sg_sweep_outcome outcome)
{
    return outcome == SG_SWEEP_BEST ? SG_NEWS : outcome == SG_SWEEP_FAILED || outcome == SG_SWEEP_NOT_CONFIRMED ? SG_YELLOW : SG_ASIDE;
}

static void add_table(const struct sg_sweep *sweep, const struct sg_sweep_case *c, struct sg_text *out)
{
    static const struct sg_column columns[] = {
        {.title = "rank", .meaning = "the best first", .right = true},
        {.title = "knobs", .meaning = "how they are set"},
        {.title = "ratio", .meaning = "its time over that of the variant's default, with its interval"},
        {.title = "processes", .meaning = "that the ratio is of", .right = true},
        {.title = "verdict", .meaning = "what came of it"},
    };
    SG_SCOPED(sg_sheet) sheet = {0};
    SG_FREED size_t *order = sg_alloc(c->count, sizeof(*order));
    sg_sweep_rank(c, order);
    sg_sheet_init(&sheet, SG_COLUMNS(columns));
    for (size_t i = 0; i + 1 < c->count && i < ROWS_SHOWN; i++) {
        const struct sg_sweep_try *one = &c->tries[order[i]];
        const struct sg_estimate *estimate = sg_sweep_estimate(one);
        const enum sg_sweep_outcome outcome = sg_sweep_outcome(c, order[i]);
        sg_sheet_row(&sheet, class_of(outcome));
        sg_sheet_cellf(&sheet, "%zu", i + 1);
        add_knobs(sweep, order[i], sg_sheet_open(&sheet));
        struct sg_text *ratio = sg_sheet_open(&sheet);
        if (estimate)
            add_ratio(estimate, ratio);
        struct sg_text *processes = sg_sheet_open(&sheet);
        if (estimate)
            sg_text_addf(processes, "%u", estimate->n);
        sg_sheet_cell(&sheet, outcome == SG_SWEEP_FAILED ? sg_status_word(one->status) : sg_sweep_outcome_word(outcome));
    }
    sg_sheet_text(&sheet, false, out);
}

void sg_sweep_add_tables(const struct sg_sweep *sweep, struct sg_text *out)
{
    for (size_t i = 0; i < sweep->case_count; i++) {
        const struct sg_sweep_case *c = &sweep->cases[i];
        const size_t best = sg_sweep_best(c);
        sg_text_addf(out, "%s/%s/%s: %zu configurations", sweep->family->name, c->name, sweep->variant->name, c->count - 1);
        add_counts(c, out);
        sg_text_add(out, "\n");
        add_table(sweep, c, out);
        if (c->count - 1 > ROWS_SHOWN)
            sg_text_addf(out, "and %zu more: sweep.csv has them\n", c->count - 1 - ROWS_SHOWN);
        if (best) {
            sg_text_add(out, "best: ");
            add_knobs(sweep, best, out);
            sg_text_add(out, "\n");
        }
        add_finding(sweep, c, "", out);
        sg_text_add(out, "\n");
    }
}

/* ---- the chart ---- */

/* Adds the timed configurations of a case, best first. */
static void add_tries(const struct sg_sweep *sweep, const struct sg_sweep_case *c, struct sg_tries *tries)
{
    SG_FREED size_t *order = sg_alloc(c->count, sizeof(*order));
    sg_sweep_rank(c, order);
    for (size_t i = 0; i + 1 < c->count; i++) {
        const struct sg_estimate *estimate = sg_sweep_estimate(&c->tries[order[i]]);
        const enum sg_sweep_outcome outcome = sg_sweep_outcome(c, order[i]);
        struct sg_text knobs = {0};
        if (!estimate)
            continue;
        add_knobs(sweep, order[i], &knobs);
        tries->items[tries->count++] = (struct sg_tried){
            .family = sweep->family->name,
            .case_ = c->name,
            .knobs = knobs.data,
            .ratio = exp(estimate->mean),
            .low = exp(estimate->low),
            .high = exp(estimate->high),
            .rank = (double)i,
            .outcome = sg_sweep_outcome_word(outcome),
            .class_ = class_of(outcome),
        };
    }
}

void sg_sweep_draw(const struct sg_sweep *sweep, struct sg_text *out)
{
    SG_SCOPED(sg_text) note = {0}, folder = {0};
    sg_text_addf(&note, "knobs of %s/%s", sweep->family->name, sweep->variant->name);
    sg_text_addf(&folder, "%s/%s/%s", sweep->folder, sweep->family->name, sweep->variant->name);
    struct sg_tries tries = {.items = sg_alloc(sweep->case_count * sweep->called_count, sizeof(*tries.items)), .note = note.data};
    struct sg_err err = {0};
    for (size_t i = 0; i < sweep->case_count; i++)
        add_tries(sweep, &sweep->cases[i], &tries);
    if (sg_tries_write(folder.data, &tries, &sweep->env, &err) != SG_SUCCESS)
        sg_text_addf(out, "no chart: %s: %s\n", err.where, err.message);
    else if (tries.count > 0)
        sg_text_addf(out, "Chart: %s/charts\n", folder.data);
    for (size_t i = 0; i < tries.count; i++)
        free(tries.items[i].knobs);
    free(tries.items);
}

/* ---- file of knobs ---- */

static void add_fact(const struct sg_sweep *sweep, const char *before, const char *key, struct sg_text *out)
{
    const char *value = sg_env_get(&sweep->env, key);
    sg_text_add(out, value ? before : "");
    sg_add_terminal(out, value ? value : "");
}

void sg_sweep_add_config(const struct sg_sweep *sweep, struct sg_text *out)
{
    sg_text_addf(out, "[%s/%s]\n; solgate ", sweep->family->name, sweep->variant->name);
    sg_add_terminal(out, sweep->command);
    add_fact(sweep, "\n; on ", "gpu_name", out);
    add_fact(sweep, ", driver ", "driver", out);
    add_fact(sweep, ", ", "date", out);
    sg_text_add(out, "\n");
    for (size_t i = 0; i < sweep->case_count; i++) {
        const struct sg_sweep_case *c = &sweep->cases[i];
        const size_t best = sg_sweep_best(c);
        sg_text_addf(out, ";\n; %s: %zu configurations were tried\n", c->name, c->count - 1);
        add_finding(sweep, c, "; ", out);
        if (best) {
            sg_text_addf(out, "%s = ", c->name);
            add_knobs(sweep, best, out);
            sg_text_add(out, "\n");
        }
    }
}
