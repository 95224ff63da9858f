#include <string.h>

#include "baseline/load.h"
#include "cli/command.h"
#include "results/accepted_place.h"
#include "schedule/gpus.h"
#include "schedule/run_on_gpus.h"
#include "sweep/sweep.h"

struct input {
    struct sg_run_options options;
    const char *swept; /* FAMILY/VARIANT; "": all variants with knobs; NULL: no sweep */
};

/* Reads names separated by commas. */
static enum sg_code read_names(void *place, const char *list, struct sg_err *err)
{
    if (!*list)
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected NAME,..., found ''");
    sg_names_add_split(place, list, ',');
    return SG_SUCCESS;
}

static const struct sg_option options[] = {
    SG_VALUE("out", "DIR", struct input, options.out, .help = "folder of the run, new or empty",
             .standard = "out/<suite>-<date>"),
    SG_FILTER_OPTIONS(struct input, options.filters,
                      "only these variants, and the baseline that they are compared with"),
    SG_VALUE("shard", "I/N", struct input, options.filters.shards,
             .help = "only part I of N of the suite, I from 0: whole cases. `solgate merge` joins "
                     "the parts",
             .read = sg_shards_read, .standard = "", .without = "sweep"),
    SG_VALUE("metrics", "NAME,...", struct input, options.metrics,
             .help = "groups or metrics to count, in place of the suite's; cupti:NAME is a counter "
                     "by its name in CUPTI",
             .read = read_names, .repeats = true, .without = "sweep"),
    SG_VALUE("config", "FILE", struct input, options.config,
             .help = "a file of knobs (`solgate list knobs`), in place of the suite's",
             .without = "sweep"),
    SG_VALUE("module", "FILE", struct input, options.modules,
             .help = "a kernel module: adds its family, or replaces the one built with solgate",
             .repeats = true),
    SG_GPUS_OPTION(struct input, options, .without = "sweep"),
    SG_VALUE("seed", "N", struct input, options.seed,
             .help = "seed of inputs, orders and simulated times",
             .given = offsetof(struct input, options.seed_given)),
    SG_VALUE(
        "jobs", "N", struct input, options.jobs,
        .help =
            "verifications at a time; also how many processes are started ahead while one measures",
        .least = 1, .most = SG_JOBS_MAX),
    SG_VALUE("timed-since", "HISTORY", struct input, options.timed_since,
             .help = "time only rows that changed since they were accepted, and a few to see "
                     "drift, as `nightly` does",
             .without = "sweep", .standard = "all rows", .bare = true),
    SG_VALUE("more", "FAMILY/CASE/VARIANT", struct input, options.more,
             .help = "time this row again, with up to 20 processes", .repeats = true,
             .needs = "resume"),
    SG_VALUE("budget", "TIME", struct input, options.deadline_s,
             .help = "40m, 600s: no step starts that would end later", .read = sg_budget_read,
             .standard = "none"),
    SG_FLAG("energy", struct input, options.energy,
            .help = "also measure the energy of a launch: 4 s more for each pair in each process",
            .standard = "the suite's"),
    SG_FLAG("allow-shared-gpu", struct input, options.shared_gpu_allowed,
            .help = "let times count even if others use the GPU, or MIG or MPS is on",
            .standard = "`solgate compare` calls them invalid"),
    SG_FLAG("against-accepted", struct input, options.against_accepted,
            .help = "time each variant also against the build that its accepted numbers come from, "
                    "where the store has it",
            .without = "sweep"),
    SG_BUILDS_OPTION,
    SG_BASELINES_OPTION,
    SG_VALUE("sweep", "FAMILY/VARIANT", struct input, swept,
             .help = "try the grid of this variant's knobs, case by case, against its default; "
                     "without a name: every variant with knobs",
             .bare = true),
    SG_FLAG("resume", struct input, options.resume,
            .help = "continue an unfinished run in --out: only missing items are run",
            .needs = "out"),
};

/* Without a suite, runs everything in the modules. */
static enum sg_code choose_suite(struct sg_run_options *asked, struct sg_err *err)
{
    if (!asked->suite && asked->modules.count == 0)
        return sg_fail(
            err, SG_BAD_USAGE, "run",
            "SUITE is missing: a name of `solgate list suites`, or the path of a .suite file");
    if (!asked->suite)
        asked->suite = SG_SUITE_OF_MODULES;
    return SG_SUCCESS;
}

static void add_compare(const struct sg_run_options *asked, const char *folder, struct sg_text *out)
{
    struct sg_filters filters = asked->filters;
    filters.shards = (struct sg_shards){0}; /* compare finds them in the run */
    sg_text_addf(out, "Next: solgate compare %s", folder);
    sg_filters_add_to(out, &filters);
    sg_accepted_place_add_option(out);
    sg_text_add(out, "\n");
}

/* Suggests accepting only if every variant is as its source declares. */
static void add_accept(const struct sg_run_options *asked, const char *folder, int exit_code,
                       struct sg_text *out)
{
    sg_text_addf(out, "Next: solgate gap %s\n", folder);
    if (exit_code != SG_EXIT_DONE)
        return;
    sg_text_addf(out, "      solgate accept %s", folder);
    for (size_t i = 0; i < asked->modules.count; i++)
        sg_text_add_option(out, "module", asked->modules.items[i]);
    sg_accepted_place_add_option(out);
    sg_text_add(out, "    then `solgate compare` holds later runs against it\n");
}

/* Suggests compare only if numbers of the run's GPU are accepted. A run whose GPU is not known has
 * none. */
static void print_next(const struct sg_run_options *asked, const char *path, int exit_code,
                       struct sg_err *err)
{
    SG_SCOPED(sg_text) out = {0}, folder = {0};
    struct sg_err unknown = {0};
    struct sg_accepted_file accepted;
    SG_SCOPED(sg_env) env = {0};
    sg_text_add_word(&folder, path);
    if (sg_run_read_env(path, &env, &unknown) == SG_SUCCESS &&
        sg_accepted_load(&env, path, &accepted, &unknown) == SG_SUCCESS)
        add_compare(asked, folder.data, &out);
    else
        add_accept(asked, folder.data, exit_code, &out);
    sg_print(&out, err);
}

static void run(const struct sg_run_options *asked, int *exit_code, struct sg_err *err)
{
    struct sg_run_outcome outcome = {.exit_code = SG_EXIT_DONE};
    if (sg_run_on_gpus(asked, &outcome, err) == SG_SUCCESS &&
        sg_print(&outcome.summary, err) == SG_SUCCESS && !outcome.is_empty)
        print_next(asked, outcome.folder.data, outcome.exit_code, err);
    *exit_code = outcome.exit_code;
}

int sg_cmd_run(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT(
            "SUITE", struct input, options.suite,
            .help = "a name of `solgate list suites`, or the path of a .suite file",
            .optional = true)},
        .summary = "Check, time and count the variants of a suite, each in a separate process. "
                   "SUITE is a name of "
                   "`solgate list suites`, or the path of a .suite file; it may be left out where "
                   "a --module is named.",
        .notes = "Examples:\n"
                 "  solgate run smoke --out=R && solgate compare R\n"
                 "  solgate run null --sweep=null/tuned --case=tiny --out=S     the best knobs, in "
                 "S/null.config",
        .exits = {{SG_EXIT_DONE, "every variant is as its source declares it and is measured"},
                  {SG_EXIT_INVALID, "something was not measured or is invalid, or the run could "
                                    "not finish (its results so far are kept)"},
                  {SG_EXIT_USAGE, NULL},
                  {SG_EXIT_UNDECLARED, NULL},
                  {SG_EXIT_NO_GPU, NULL},
                  {SG_EXIT_INTERRUPTED, NULL}},
    };
    struct input in = {.options = {.seed = SG_SEED_DEFAULT, .jobs = SG_JOBS_DEFAULT}};
    struct sg_run_options *o = &in.options;
    int exit_code = SG_EXIT_DONE;
    if (sg_options_parse(&table, &in, argc, argv, err) && choose_suite(o, err) == SG_SUCCESS) {
        if (o->deadline_s > 0)
            o->deadline_s += sg_monotonic_s();
        if (in.swept)
            sg_sweep_run(o, *in.swept ? in.swept : NULL, &exit_code, err);
        else
            run(o, &exit_code, err);
    }
    return exit_code;
}
