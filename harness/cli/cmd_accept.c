#include "cli/command.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "baseline/accept.h"
#include "baseline/find.h"
#include "baseline/load.h"
#include "builds/accepted.h"
#include "compare/accepted_variance.h"
#include "compare/compare.h"
#include "model/refusals.h"
#include "results/accepted_place.h"
#include "results/env.h"
#include "results/item_filter.h"
#include "results/parts.h"
#include "util/file.h"

struct command {
    struct sg_names paths, waived, modules;
    const char *out, *reason, *until;
    bool dry_run, prune, unit;
    struct sg_filters filters;
};

/* Loaded input, with the same index as command.paths.items. */
struct loaded {
    struct sg_run *run;
    struct sg_samples *samples;
    struct sg_units *units;
    struct sg_accept_run *runs;
    struct sg_accepted_suite suite;
    struct sg_accepted_file *old; /* in the suite; NULL: nothing accepted yet */
    struct sg_catalogue catalogue;
    struct sg_text path; /* of the accepted numbers */
    const char *gpu;     /* key of their rows */
    int lock;            /* descriptor of the locked folder; -1: not locked */
};

static enum sg_code read_day(void *place, const char *found, struct sg_err *err)
{
    time_t day = 0;
    if (!sg_parse_day(found, &day))
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected a day such as 2026-12-31, found '%s'",
                       sg_show_string(found).text);
    *(const char **)place = found;
    return SG_SUCCESS;
}

/* Checks only the form of the name; whether the item exists is known once the runs are read. */
static enum sg_code read_item(void *place, const char *found, struct sg_err *err)
{
    if (sg_count_names(found) != 3)
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected FAMILY/CASE/VARIANT, found '%s'",
                       sg_show_string(found).text);
    if (sg_names_have(place, found))
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected each item once, found %s again", found);
    sg_names_add(place, found);
    return SG_SUCCESS;
}

/* ---- reading ---- */

/* Refuses runs with physically impossible values: they cannot be a reference for later runs. */
static enum sg_code check_run(const char *path, const struct sg_run *run, struct sg_err *err)
{
    struct sg_refusals refusals = {0};
    if (sg_run_is_gate(&run->env))
        return sg_fail(err, SG_BAD_USAGE, path,
                       "a run of `solgate ab` compares two sides and does not measure a suite: "
                       "accept runs of `solgate run SUITE`");
    if (sg_env_get(&run->env, SG_SWEEP_KEY))
        return sg_fail(err, SG_BAD_USAGE, path,
                       "this run is a stage of a sweep, which times one variant with many knob "
                       "settings: accept runs of `solgate run SUITE` with the best knobs");
    if (sg_env_get(&run->env, SG_MISSING_SHARDS_KEY))
        return sg_fail(err, SG_INVALID, path,
                       "shards of the suite are missing in this run: %s; merge all parts first",
                       sg_env_get(&run->env, SG_MISSING_SHARDS_KEY));
    if (sg_refusals_make(&run->table, &run->env, NULL, &refusals, err) == SG_SUCCESS)
        sg_refusals_check(&refusals, path, err);
    return err->code;
}

static enum sg_code read_samples(const struct sg_run *run, struct sg_samples *samples,
                                 struct sg_err *err)
{
    const char *command = sg_env_get(&run->env, "command");
    SG_FORMATTED(file, "%s/samples.csv", run->folder);
    if (sg_run_has_samples(run->folder))
        sg_run_read_samples(run->folder, samples, err);
    else if (sg_env_is_quoted(&run->env))
        sg_fail(err, SG_BAD_INPUT, file.data,
                "expected a run that solgate measured, found quoted times, which have no batches");
    else
        sg_fail(err, SG_BAD_INPUT, file.data,
                "the batches of the run are missing (%s), and without them the errors of its "
                "numbers are unknown: copy the whole folder "
                "from where it was measured, or measure again: solgate %s --out=NEW_DIR",
                strerror(errno), command ? command : "run SUITE");
    return err->code;
}

static enum sg_code check_one_unit(const struct command *command, const struct loaded *loaded,
                                   struct sg_err *err)
{
    const char *first = sg_unit_of(loaded->runs[0].env);
    for (size_t i = 1; i < command->paths.count; i++)
        if (strcmp(sg_unit_of(loaded->runs[i].env), first) != 0)
            return sg_fail(err, SG_BAD_USAGE, "--unit",
                           "expected runs of one GPU, found %s in %s and %s in %s", first,
                           command->paths.items[0], sg_unit_of(loaded->runs[i].env),
                           command->paths.items[i]);
    return SG_SUCCESS;
}

/* Sets loaded->path and gpu. */
static enum sg_code find_place(const struct command *command, struct loaded *loaded,
                               struct sg_err *err)
{
    const size_t last = command->paths.count - 1;
    SG_SCOPED(sg_text) folder = {0};
    if (command->unit && check_one_unit(command, loaded, err) != SG_SUCCESS)
        return err->code;
    const char *where = command->paths.items[last];
    const struct sg_env *env = &loaded->run[last].env;
    loaded->gpu = sg_accepted_key(env, command->unit, where, err);
    if (command->out)
        sg_text_add(&loaded->path, command->out);
    else if (loaded->gpu && sg_accepted_place_new(&folder, err) == SG_SUCCESS)
        sg_accepted_path_of(env, folder.data, where, &loaded->path, err);
    return err->code;
}

/* Locks the folder from reading the old numbers until the new ones are written. Makes the folder
 * for a GPU's first numbers. */
static enum sg_code lock(const char *path, struct loaded *loaded, struct sg_err *err)
{
    SG_FREED char *folder = sg_copy_string(path);
    if (sg_make_folders(dirname(folder), err) == SG_SUCCESS)
        sg_lock_folder_of(path, &loaded->lock, err);
    return err->code;
}

/* Gates, tolerances, reasons and rows carry over from the old numbers, so these must be sealed. A
 * file holds one suite. */
static enum sg_code read_old(const struct sg_run *last, struct loaded *loaded, struct sg_err *err)
{
    const char *path = sg_text_string(&loaded->path);
    if (access(path, F_OK) == 0 &&
        sg_accepted_suite_read(path, &loaded->suite, err) == SG_SUCCESS &&
        sg_accepted_suite_check_seal(&loaded->suite, err) == SG_SUCCESS)
        loaded->old = sg_accepted_suite_find(&loaded->suite, loaded->gpu);
    const struct sg_accepted_file *any = err->code == SG_SUCCESS ? loaded->suite.items : NULL;
    const char *is = sg_env_word(&last->env, "suite"),
               *was = any ? sg_env_word(&any->env, "suite") : is;
    if (strcmp(is, was) != 0)
        sg_accept_fail_other(any, "suite", is, was, err);
    return err->code;
}

/* Treats items that were not selected as not run: their rows stay unchanged. That includes an
 * accepted baseline variant, unless it is selected. */
static enum sg_code pick_items(const struct command *command, const struct loaded *loaded, size_t i,
                               struct sg_err *err)
{
    struct sg_run *run = &loaded->run[i];
    SG_SCOPED(sg_text) selection = {0};
    sg_filters_add_to(&selection, &command->filters);
    if (selection.length > 0 &&
        sg_filters_check_table(&command->filters, &run->table, command->paths.items[i], err) ==
            SG_SUCCESS) {
        sg_filters_apply(&command->filters, &run->table, loaded->old ? &loaded->old->table : NULL);
        sg_env_set(&run->env, SG_SELECTION_KEY, selection.data + 1);
    }
    return err->code;
}

static enum sg_code load(const struct command *command, struct loaded *loaded, struct sg_err *err)
{
    const size_t count = command->paths.count;
    loaded->run = sg_alloc(count, sizeof(*loaded->run));
    loaded->samples = sg_alloc(count, sizeof(*loaded->samples));
    loaded->units = sg_alloc(count, sizeof(*loaded->units));
    loaded->runs = sg_alloc(count, sizeof(*loaded->runs));
    for (size_t i = 0; i < count; i++) {
        const char *path = command->paths.items[i];
        struct sg_run *run = &loaded->run[i];
        if (sg_run_read(path, run, err) != SG_SUCCESS || check_run(path, run, err) != SG_SUCCESS ||
            read_samples(run, &loaded->samples[i], err) != SG_SUCCESS ||
            sg_units_of_run(run->folder, &run->env, &loaded->units[i], err) != SG_SUCCESS)
            return err->code;
        loaded->runs[i] = (struct sg_accept_run){.path = path,
                                                 .table = &run->table,
                                                 .env = &run->env,
                                                 .samples = &loaded->samples[i],
                                                 .units = &loaded->units[i]};
    }
    if (find_place(command, loaded, err) != SG_SUCCESS ||
        (!command->dry_run && lock(sg_text_string(&loaded->path), loaded, err) != SG_SUCCESS) ||
        read_old(&loaded->run[count - 1], loaded, err) != SG_SUCCESS ||
        (loaded->old &&
         sg_pair_kernels(&loaded->run[count - 1].table, loaded->old, err) != SG_SUCCESS) ||
        sg_catalogue_load(&loaded->catalogue, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < count && pick_items(command, loaded, i, err) == SG_SUCCESS; i++)
        sg_table_add_raw_counters(&loaded->run[i].table, &loaded->catalogue);
    return err->code;
}

/* ---- writing ---- */

/* Warns about fewer GPUs or runs: numbers of one GPU are inconclusive on all others. */
static void describe_units(const struct loaded *loaded, size_t runs, size_t units,
                           struct sg_text *text)
{
    const struct sg_origin was =
        loaded->old ? sg_origin_of(&loaded->old->env, "") : (struct sg_origin){0};
    if (units < was.units)
        sg_text_addf(
            text,
            "numbers of %zu GPUs become numbers of %zu: accept a run of each, or with --unit\n",
            was.units, units);
    else if (runs < was.runs)
        sg_text_addf(text,
                     "numbers of %zu runs become numbers of %zu: the spread between runs is known "
                     "less well\n",
                     was.runs, runs);
}

static void describe(const char *path, const struct sg_accept_report *report, const char *unwritten,
                     struct sg_text *text)
{
    sg_text_add(text, sg_text_string(&report->changes));
    if (report->ungated > 0)
        sg_text_addf(text,
                     "%zu row%s cannot be gated: `solgate compare` ends with 3 for them until "
                     "quieter numbers are accepted, or they are waived\n",
                     report->ungated, SG_PLURAL(report->ungated));
    sg_text_addf(text, "%s: %zu row%s new, %zu changed, %zu gone, %zu worse%s\n", path,
                 report->added, SG_PLURAL(report->added), report->changed, report->removed,
                 report->worse, unwritten);
}

/* Stores builds first, because the numbers refer to them. If a build cannot be stored, the numbers
 * are still accepted. */
static enum sg_code write_accepted(const struct command *command, struct loaded *loaded,
                                   struct sg_accepted_file *fresh, struct sg_err *err)
{
    const char *path = sg_text_string(&loaded->path);
    struct sg_accepted_file *place = sg_accepted_suite_of(&loaded->suite, loaded->gpu);
    SG_SCOPED(sg_text) warnings = {0};
    int store = -1;
    sg_builds_keep_accepted(fresh, path, &command->modules, &store, &warnings);
    fresh->gpu = sg_copy_string(loaded->gpu);
    *place = *fresh;
    *fresh = (struct sg_accepted_file){0};
    sg_accepted_suite_write(path, &loaded->suite, err);
    if (store >= 0)
        close(store);
    fputs(sg_text_string(&warnings), stderr);
    return err->code;
}

/* Changes are shown even if refused, so that the user can give a reason for them. */
static void accept_loaded(const struct command *command, struct loaded *loaded, struct sg_err *err)
{
    struct sg_accepted_file fresh = {.path = NULL};
    struct sg_accept_report report = {0};
    SG_SCOPED(sg_text) text = {0};
    struct sg_err printing = {0};
    const char *path = sg_text_string(&loaded->path);
    const struct sg_accept_options asked = {
        .runs = loaded->runs,
        .run_count = command->paths.count,
        .old = loaded->old,
        .catalogue = &loaded->catalogue,
        .reason = command->reason,
        .prune = command->prune,
        .waive = {.items = (const char *const *)command->waived.items,
                  .count = command->waived.count,
                  .until = command->until},
    };
    sg_accept_runs(&asked, &fresh, &report, err);
    describe_units(loaded, command->paths.count, report.units, &text);
    if (err->code == SG_SUCCESS && !command->dry_run)
        write_accepted(command, loaded, &fresh, err);
    describe(path, &report,
             err->code != SG_SUCCESS ? "; nothing written"
             : command->dry_run      ? "; nothing written (--dry-run)"
                                     : "",
             &text);
    if ((err->code == SG_SUCCESS || report.worse > 0) && sg_print(&text, &printing) != SG_SUCCESS)
        sg_fail(err, printing.code, printing.where, "%s", printing.message);
}

static void accept(const struct command *command, struct sg_err *err)
{
    struct loaded loaded = {.lock = -1};
    if (load(command, &loaded, err) == SG_SUCCESS)
        accept_loaded(command, &loaded, err);
    if (loaded.lock >= 0)
        close(loaded.lock);
}

static const struct sg_option options[] = {
    SG_VALUE("out", "FILE", struct command, out, .help = "write there",
             .standard = "baselines/<suite>.csv of the last run"),
    SG_BASELINES_OPTION,
    SG_BUILDS_OPTION,
    SG_VALUE("module", "FILE", struct command, modules,
             .help = "a kernel module of the runs, to be kept in addition to those of solgate",
             .repeats = true),
    SG_FLAG("unit", struct command, unit,
            .help = "accept for this GPU only; on this GPU compare prefers these numbers"),
    SG_VALUE("reason", "TEXT", struct command, reason,
             .help = "why a worse number is accepted; with --waive, why those items may fail. "
                     "Their rows keep the reason",
             .read = sg_read_reason),
    SG_VALUE("waive", "FAMILY/CASE/VARIANT", struct command, waived,
             .help = "waive this item: it fails no run, for the reason given; every verdict names "
                     "the waiver",
             .read = read_item, .repeats = true, .needs = "reason"),
    SG_VALUE("until", "DATE", struct command, until,
             .help = "last day of the waivers, such as 2026-12-31", .read = read_day,
             .needs = "waive", .standard = "30 days after the run"),
    SG_FILTER_OPTIONS(
        struct command, filters,
        "accept only these variants, and their baselines if those have no numbers yet"),
    SG_FLAG("prune", struct command, prune, .help = "drop variants that none of the runs has"),
    SG_FLAG("dry-run", struct command, dry_run, .help = "show what would change and write nothing"),
};

int sg_cmd_accept(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("RUN", struct command, paths,
                                  .help = "the folders of one or several finished runs",
                                  .repeats = true)},
        .summary = "Takes finished runs as the numbers to compare with, and prints what changes. "
                   "Runs on several days also give the spread between days, and runs on five or "
                   "more GPUs of the model the spread between GPUs.",
        .notes =
            "Changes are printed as `old -> new`, the worst first; with --dry-run nothing else is "
            "done. Tolerances and gates in the file stay, and so do all rows of items that no run "
            "has, or that --family, "
            "--case and --variant leave out.\n\n"
            "These are refused:\n- a number that gets worse, without --reason, or with --waive of "
            "other items (exit code 4)\n"
            "- a variant that is not what its source declares, without --waive (5)\n"
            "- the same run twice, and files of a run that were changed since it ended (4, 3)\n"
            "- numbers in FILE that were changed by hand: see `solgate accepted seal` (3)\n"
            "- a row that some of the runs lack: measure those runs again (3)\n"
            "- a row of another driver that would stay: accept runs of the whole\n"
            "  suite, or use --prune (3)\n"
            "- runs of several suites, GPU models, driver branches or L2 states, and a FILE\n"
            "  of another suite: --out=FILE writes elsewhere (3)\n"
            "- a run with an impossible time or impossible counters (3)\n"
            "- a run that is not finished, that shared the GPU without --allow-shared-gpu, or "
            "whose GPU\n  changed its speed (unfit in env.csv) (3)\n"
            "- a run of `solgate ab`, and a run without its batches, samples.csv (4)\n\n"
            "The modules that the runs measured are kept in a store (`solgate builds -h`), if they "
            "are still there.\n"
            "A module that cannot be kept is a warning, and the numbers are accepted.\n\n"
            "Examples:\n"
            "  solgate accept mon/ tue/ wed/ --reason='driver 590'\n"
            "  solgate accept night/ --variant='vec*' --dry-run",
        .exits = SG_EXITS_UNJUDGED,
    };
    struct command command = {.out = NULL};
    if (sg_options_parse(&table, &command, argc, argv, err))
        accept(&command, err);
    return 0;
}
