#include "cli.h"

#include <math.h>
#include <string.h>

#include "diagnose.h"
#include "escape.h"
#include "grid.h"
#include "options.h"
#include "report.h"
#include "run.h"

#define SG_MOVED_MAX 256 /* counters shown at most: more than metrics.ini has */

enum { RUN, CASE, BASELINE, CANDIDATE, ARGUMENTS };

struct explain_options {
    const char *argument[ARGUMENTS];
    struct sg_err *err;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct explain_options *options = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (state->arg_num >= ARGUMENTS)
            return sg_option_fail(options->err, state, "four arguments expected, found '%s' after them", arg);
        options->argument[state->arg_num] = arg;
        return 0;
    case ARGP_KEY_END:
        if (state->arg_num < ARGUMENTS)
            return sg_option_fail(options->err, state, "RUN FAMILY/CASE BASELINE CANDIDATE expected, found %u arguments", state->arg_num);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Splits FAMILY/CASE; the family is copied into `family`. */
static enum sg_code split_case(const char *argument, char family[64], const char **case_, struct sg_err *err)
{
    const char *slash = strchr(argument, '/');
    const size_t length = slash ? (size_t)(slash - argument) : 0;
    if (length == 0 || length >= 64 || slash[1] == '\0')
        return sg_fail(err, SG_BAD_USAGE, argument, "FAMILY/CASE expected, such as matvec/r4096_c4096_f32");
    memcpy(family, argument, length);
    family[length] = '\0';
    *case_ = slash + 1;
    return SG_DONE;
}

static enum sg_code check_known(const struct sg_run *run, const char *family, const char *case_, const char *variant, struct sg_err *err)
{
    if (!sg_table_find(&run->table, family, case_, variant, "status"))
        return sg_fail(err, SG_BAD_USAGE, run->folder, "no %s/%s/%s in this run", family, case_, variant);
    return SG_DONE;
}

static void add_value_cell(struct sg_grid *grid, double value, const char *unit)
{
    struct sg_text cell = {0};
    sg_add_value(&cell, value, unit);
    sg_grid_cell(grid, sg_text_string(&cell));
    sg_text_release(&cell);
}

static void add_moved(struct sg_text *text, const struct sg_moved *moved, size_t count)
{
    static const struct sg_grid_column columns[] = {
        {.title = "counter"},
        {.title = "baseline", .right = true},
        {.title = "candidate", .right = true},
        {.title = "what it usually means"},
    };
    struct sg_grid grid;
    sg_grid_init(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < count; i++) {
        sg_grid_row(&grid, SG_ASIDE);
        sg_grid_cell(&grid, moved[i].metric->name);
        add_value_cell(&grid, moved[i].was, moved[i].metric->unit);
        add_value_cell(&grid, moved[i].is, moved[i].metric->unit);
        sg_grid_cell(&grid, moved[i].cause);
    }
    sg_grid_text(&grid, false, text);
    sg_grid_release(&grid);
}

/* Variants of one case, as they were asked for. */
struct sides {
    const struct sg_run *run;
    const char *family, *case_;
    const char *variant[2]; /* baseline, candidate */
};

static const struct sg_row *row_of(const struct sides *sides, size_t side, const char *metric)
{
    return sg_table_find(&sides->run->table, sides->family, sides->case_, sides->variant[side], metric);
}

/* What the variants say of the case, moved or not: it is what a reader asks for next. */
static void add_known(struct sg_text *text, const struct sg_catalogue *catalogue, const struct sides *sides)
{
    static const struct sg_grid_column columns[] = {
        {.title = "before it runs"},
        {.title = "baseline", .right = true},
        {.title = "candidate", .right = true},
        {.title = "what it is"},
    };
    struct sg_grid grid;
    size_t count = 0;
    sg_grid_init(&grid, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct sg_metric *metric = &catalogue->metrics[i];
        const struct sg_row *row[2] = {row_of(sides, 0, metric->name), row_of(sides, 1, metric->name)};
        if (metric->source != SG_FROM_BUILD || (!row[0] && !row[1]))
            continue;
        sg_grid_row(&grid, SG_ASIDE);
        sg_grid_cell(&grid, metric->name);
        for (size_t side = 0; side < 2; side++)
            add_value_cell(&grid, row[side] && (row[side]->has & SG_HAS_VALUE) ? row[side]->value : NAN, metric->unit);
        sg_grid_cell(&grid, metric->meaning);
        count++;
    }
    if (count > 0) {
        sg_text_add(text, "\n");
        sg_grid_text(&grid, false, text);
    }
    sg_grid_release(&grid);
}

/* Once where both sides are the same variant. */
static void add_notes(struct sg_text *text, const struct sides *sides)
{
    for (size_t side = 0; side < 2; side++) {
        const struct sg_row *note = row_of(sides, side, "note");
        if (!note || (side > 0 && note == row_of(sides, 0, "note")))
            continue;
        sg_text_addf(text, "\n%s: ", sides->variant[side]);
        sg_add_terminal(text, sg_table_string(&sides->run->table, note->message));
        sg_text_add(text, "\n");
    }
}

static void describe(const struct sg_run *run, const char *family, const char *case_, const struct explain_options *options,
                     struct sg_text *text)
{
    const struct sg_row *ratio = sg_table_find(&run->table, family, case_, options->argument[CANDIDATE], "time_ratio");
    sg_text_addf(text, "%s/%s: %s against %s", family, case_, options->argument[CANDIDATE], options->argument[BASELINE]);
    if (ratio && (ratio->has & SG_HAS_VALUE)) {
        sg_text_add(text, ", time ");
        sg_add_change(text, ratio->value - 1.0);
        sg_text_add(text, " ");
        sg_add_terminal(text, sg_table_string(&run->table, ratio->message));
    }
    sg_text_add(text, "\n\n");
}

static enum sg_code explain(const struct explain_options *options, struct sg_err *err)
{
    struct sg_run run = {0};
    struct sg_catalogue catalogue = {0};
    struct sg_rules *rules = NULL;
    struct sg_text text = {0};
    struct sg_moved moved[SG_MOVED_MAX];
    char family[64];
    const char *case_ = NULL;

    if (split_case(options->argument[CASE], family, &case_, err) != SG_DONE)
        goto out;
    if (sg_run_read(options->argument[RUN], &run, err) != SG_DONE || sg_catalogue_load(&catalogue, err) != SG_DONE ||
        sg_rules_load(&catalogue, &rules, err) != SG_DONE)
        goto out;
    for (size_t i = BASELINE; i <= CANDIDATE; i++)
        if (check_known(&run, family, case_, options->argument[i], err) != SG_DONE)
            goto out;
    const struct sg_diagnosed what = {
        .catalogue = &catalogue,
        .rules = rules,
        .then = &run.table,
        .now = &run.table,
        .family = family,
        .case_ = case_,
        .other = options->argument[BASELINE],
        .variant = options->argument[CANDIDATE],
    };
    const size_t count = sg_diagnose(&what, moved, SG_MOVED_MAX);
    describe(&run, family, case_, options, &text);
    if (count == 0)
        sg_text_add(&text, "No counter moved beyond its floor (or none was collected: solgate run --metrics=default).\n");
    else
        add_moved(&text, moved, count);
    const struct sides sides = {&run, family, case_, {options->argument[BASELINE], options->argument[CANDIDATE]}};
    add_known(&text, &catalogue, &sides);
    add_notes(&text, &sides);
    sg_print(&text, err);
out:
    sg_text_release(&text);
    sg_rules_free(rules);
    sg_catalogue_release(&catalogue);
    sg_run_release(&run);
    return err->code;
}

int sg_cmd_explain(int argc, char **argv, struct sg_err *err)
{
    static const struct argp argp = {
        .parser = parse,
        .args_doc = "RUN FAMILY/CASE BASELINE CANDIDATE",
        .doc = "Which counters moved between two variants of a case, in the order of what they cost, and what that usually means."
               "\vExample: solgate explain night/ matvec/r4096_c4096_f32 vec16_rows scalar_loads\n\n" SG_EXIT_CODES_UNJUDGED_HELP,
    };
    struct explain_options options = {.err = err};
    bool helped = false;

    if (sg_options_parse(&(struct sg_options){&argp, &options}, argc, argv, &helped, err) != SG_DONE || helped)
        return 0;
    explain(&options, err);
    return 0;
}
