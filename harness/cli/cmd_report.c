#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>

#include "baseline/load.h"
#include "reports/report.h"
#include "results/env.h"
#include "util/options.h"

enum { KEY_BASELINE = 256, KEY_OUT, KEY_TABLES_ONLY, KEY_NOTE, KEY_SPEC }; /* above every character: long options only */

struct command {
    const char **runs; /* owned array of borrowed paths; the first is the subject */
    size_t run_count, run_capacity;
    const char *baseline; /* NULL: the one of each run's gpu and suite */
    const char *out;
    const char *note; /* NULL: none */
    const char *spec; /* NULL: of each run's gpu */
    bool tables_only;
    struct sg_err *err;
};

/* What all runs of a report share. */
struct shared {
    const struct command *command;
    struct sg_catalogue catalogue;
    struct sg_rules *rules;
};

/* One run with everything that its part of the report borrows. */
struct loaded {
    struct sg_against against;
    struct sg_comparison comparison;
    struct sg_sol_table gaps;
    struct sg_refusals refusals;
    struct sg_err not_judged; /* why there is nothing accepted to compare with */
    struct sg_err no_gap;     /* why there are no speed-of-light figures */
};

static void loaded_release(struct loaded *loaded)
{
    sg_comparison_release(&loaded->comparison);
    sg_against_release(&loaded->against);
    sg_sol_table_release(&loaded->gaps);
    sg_refusals_release(&loaded->refusals);
}

/* A run with nothing accepted is still judged against its families' baseline variants: an empty baseline of its own kind. */
static enum sg_code judge_alone(const struct shared *shared, struct loaded *loaded, struct sg_err *err)
{
    struct sg_accepted_file nothing = {.env = loaded->against.run.env};
    sg_table_init(&nothing.table);
    sg_compare(&loaded->against.run.table, &loaded->against.run.env, &loaded->refusals, &nothing, &shared->catalogue, &loaded->comparison,
               err);
    sg_table_release(&nothing.table);
    return err->code;
}

static enum sg_code read_run(const struct shared *shared, const char *path, struct loaded *loaded, struct sg_err *err)
{
    if (sg_against_load(path, shared->command->baseline, &shared->catalogue, &loaded->against, &loaded->not_judged) == SG_SUCCESS)
        return SG_SUCCESS;
    /* No accepted numbers yet is no reason to write no report, unless they were asked for by name. */
    if (shared->command->baseline || loaded->not_judged.code != SG_NOT_COMPARABLE)
        return sg_fail(err, loaded->not_judged.code, loaded->not_judged.where, "%s", loaded->not_judged.message);
    return sg_run_read(path, &loaded->against.run, err);
}

static enum sg_code judge(const struct shared *shared, struct loaded *loaded, struct sg_err *err)
{
    const struct sg_run *run = &loaded->against.run;
    if (sg_refusals_make(&run->table, &run->env, shared->command->spec, &loaded->refusals, err) != SG_SUCCESS)
        return err->code;
    if (loaded->not_judged.code == SG_SUCCESS)
        sg_compare(&run->table, &run->env, &loaded->refusals, &loaded->against.baseline, &shared->catalogue, &loaded->comparison,
                   &loaded->not_judged);
    if (loaded->not_judged.code == SG_NOT_COMPARABLE)
        return judge_alone(shared, loaded, err);
    if (loaded->not_judged.code != SG_SUCCESS)
        sg_fail(err, loaded->not_judged.code, loaded->not_judged.where, "%s", loaded->not_judged.message);
    return err->code;
}

static enum sg_code find_gaps(const struct shared *shared, struct loaded *loaded, struct sg_err *err)
{
    const char *asked = shared->command->spec;
    const struct sg_run *run = &loaded->against.run;
    if (sg_sol_table_make(&run->table, &run->env, asked, &loaded->gaps, &loaded->no_gap) != SG_SUCCESS && asked)
        sg_fail(err, loaded->no_gap.code, loaded->no_gap.where, "%s", loaded->no_gap.message);
    return err->code;
}

static struct sg_report_part part_of(const struct shared *shared, const char *path, const struct loaded *loaded)
{
    const bool judged = loaded->not_judged.code == SG_SUCCESS, has_gap = loaded->no_gap.code == SG_SUCCESS;
    return (struct sg_report_part){
        .path = path,
        .input =
            {
                .comparison = &loaded->comparison,
                .run = &loaded->against.run.table,
                .baseline = judged ? &loaded->against.baseline : NULL,
                .catalogue = &shared->catalogue,
                .rules = shared->rules,
                .env = &loaded->against.run.env,
                .note = shared->command->note,
                .events = sg_env_get(&loaded->against.run.env, "events"),
            },
        .gaps = has_gap ? &loaded->gaps : NULL,
        .why_not = judged ? NULL : loaded->not_judged.message,
        .why_no_gap = has_gap ? NULL : loaded->no_gap.message,
    };
}

/* The report is written first; that the subject's accepted numbers are another GPU's is then its exit code. */
static void write_report(const struct shared *shared, const struct loaded *loaded, const struct sg_report_part *parts, struct sg_err *err)
{
    const struct command *command = shared->command;
    const struct sg_report report = {
        .folder = command->out,
        .parts = parts,
        .part_count = command->run_count,
        .tables_only = command->tables_only,
    };
    if (sg_report_write(&report, err) == SG_SUCCESS && loaded->against.baseline.path && loaded->not_judged.code != SG_SUCCESS)
        sg_fail(err, loaded->not_judged.code, loaded->not_judged.where, "%s", loaded->not_judged.message);
}

static void make_report(const struct command *command, struct sg_err *err)
{
    struct shared shared = {.command = command};
    struct loaded *loaded = sg_alloc(command->run_count, sizeof(*loaded));
    struct sg_report_part *parts = sg_alloc(command->run_count, sizeof(*parts));
    if (sg_catalogue_load(&shared.catalogue, err) != SG_SUCCESS || sg_rules_load(&shared.catalogue, &shared.rules, err) != SG_SUCCESS)
        goto out;
    for (size_t i = 0; i < command->run_count; i++) {
        if (read_run(&shared, command->runs[i], &loaded[i], err) != SG_SUCCESS || judge(&shared, &loaded[i], err) != SG_SUCCESS ||
            find_gaps(&shared, &loaded[i], err) != SG_SUCCESS)
            goto out;
        parts[i] = part_of(&shared, command->runs[i], &loaded[i]);
    }
    write_report(&shared, &loaded[0], parts, err);
    if (err->code == SG_SUCCESS)
        printf("%s/index.html\n", command->out);
    /* The report judges nothing by its exit code but these two, which must not be had by accident; the first outweighs the second. */
    if (loaded[0].comparison.by_verdict[SG_BROKEN] > 0 || loaded[0].not_judged.code != SG_SUCCESS)
        sg_check_declared(&loaded[0].against.run.table, command->runs[0], err);
    if (err->code == SG_SUCCESS)
        sg_refusals_check(&loaded[0].refusals, command->runs[0], err);
out:
    for (size_t i = 0; i < command->run_count; i++)
        loaded_release(&loaded[i]);
    free(loaded);
    free(parts);
    sg_rules_free(shared.rules);
    sg_catalogue_release(&shared.catalogue);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct command *command = state->input;
    switch (key) {
    case KEY_BASELINE:
        command->baseline = arg;
        return 0;
    case KEY_OUT:
        command->out = arg;
        return 0;
    case KEY_TABLES_ONLY:
        command->tables_only = true;
        return 0;
    case KEY_NOTE:
        command->note = arg;
        return 0;
    case KEY_SPEC:
        command->spec = arg;
        return 0;
    case ARGP_KEY_ARG:
        command->runs = sg_grow(command->runs, &command->run_capacity, command->run_count + 1, sizeof(*command->runs));
        command->runs[command->run_count++] = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return sg_option_fail(command->err, state, "RUN is missing: the folder of a run, or its run.csv");
    case ARGP_KEY_SUCCESS:
        return command->out ? 0 : sg_option_fail(command->err, state, "--out=DIR is missing: where to write the report");
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int sg_cmd_report(int argc, char **argv, struct sg_err *err)
{
    static const struct argp_option known[] = {
        {.name = "out", .key = KEY_OUT, .arg = "DIR", .doc = "the folder to write; made if it is not there"},
        {.name = "baseline",
         .key = KEY_BASELINE,
         .arg = "FILE",
         .doc = "accepted numbers or a run (default: those of the run's GPU, else of its model)"},
        {.name = "tables-only", .key = KEY_TABLES_ONLY, .doc = "no charts: gnuplot is not needed"},
        {.name = "note", .key = KEY_NOTE, .arg = "TEXT", .doc = "printed at the top of every page and on every chart"},
        {.name = "gpu-spec", .key = KEY_SPEC, .arg = "KEY", .doc = "peaks of metrics/gpus/KEY.gpu (default: the GPU of the run)"},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .parser = parse,
        .args_doc = "RUN...",
        .doc =
            "Writes every table and chart of a run: index.html, report.md, comparison.csv, gap.csv, counters.csv, stalls.csv, runs.csv, "
            "and charts/ as PNG and SVG."
            "\vThe first RUN is the subject, the others are shown beside it. The verdict is in the report, not in the exit code, but "
            "for 5, a variant that is not what its source declares, and 3, a time or counters that cannot be: `solgate compare` gates.\n\n"
            "Example: solgate report night/ last_night/ --out=night/report\n\n" SG_EXIT_CODES_UNJUDGED_HELP,
    };
    struct command command = {.err = err};
    bool helped = false;
    if (sg_options_parse(&(struct sg_options){&argp, &command}, argc, argv, &helped, err) == SG_SUCCESS && !helped)
        make_report(&command, err);
    free(command.runs);
    return 0;
}
