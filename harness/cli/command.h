/*
 * cli/command.h - the commands of solgate: one table, and one file per command (cmd_NAME.c).
 *
 * A command parses its options by a table (util/options.h), writes data to stdout, and returns its
 * exit code. A command reports failures in err and prints only progress to stderr. main prints
 * `solgate: what was attempted: why` and maps the code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"
#include "util/options.h"

/* Help texts shared by several commands. */
#define SG_RUN_HELP "the folder of a run, or its run.csv"
#define SG_GPU_HELP "number of the GPU, as the driver counts"
#define SG_GPUS_OPTION(input, field, ...)                                                         \
    SG_VALUE("gpu", "N,...", input, field,                                                        \
             .help = SG_GPU_HELP "; several, or all: each measures a part", .read = sg_gpus_read, \
             .standard = "0", __VA_ARGS__)
#define SG_SPEC_HELP "the GPU's peaks: a key of `solgate list gpus`, or a FILE.gpu"

/* Option rows that select items into a struct sg_filters (results/item_filter.h). */
#define SG_FILTER_OPTIONS(input, field, variant_help)                                       \
    SG_VALUE("family", "PATTERN", input, field.families,                                    \
             .help = "only families of this name, or that match a pattern such as 'gemm*'", \
             .repeats = true),                                                              \
        SG_VALUE("case", "PATTERN", input, field.cases, .help = "only cases that match",    \
                 .repeats = true),                                                          \
        SG_VALUE("variant", "PATTERN", input, field.variants, .help = variant_help,         \
                 .repeats = true)

/* Reads --budget, a time above 0, in seconds. */
enum sg_code sg_budget_read(void *place, const char *found, struct sg_err *err);
/* Reads --reason (util/options.h) into a string. SG_BAD_USAGE if the reason is blank. */
enum sg_code sg_read_reason(void *place, const char *found, struct sg_err *err);

/* Option row of --baselines. */
#define SG_BASELINES_OPTION                                                               \
    {                                                                                     \
        .name = "baselines", .arg = "DIR", .read = sg_read_accepted_folder,               \
        .help = "folder of accepted numbers and ceilings",                                \
        .standard = "$SOLGATE_BASELINES, or ./baselines, or those that came with solgate" \
    }
/* Sets SOLGATE_BASELINES in this process (results/accepted_place.h). */
enum sg_code sg_read_accepted_folder(void *place, const char *found, struct sg_err *err);

/* Option row for the store of accepted builds (builds/store.h). */
#define SG_BUILDS_OPTION                                                                         \
    {                                                                                            \
        .name = "builds", .arg = "DIR", .read = sg_read_builds,                                  \
        .help = "store of accepted builds",                                                      \
        .standard = "$SOLGATE_BUILDS, $XDG_CACHE_HOME/solgate/builds or ~/.cache/solgate/builds" \
    }
enum sg_code sg_read_builds(void *place, const char *found, struct sg_err *err);

/* Exit codes for `git bisect run`: skip this commit, stop. They override the exit code of a
 * command's error. */
enum { SG_BISECT_SKIP = 125, SG_BISECT_STOP = 255 };

struct sg_command {
    const char *name;
    const char *summary; /* one line of `solgate -h` */
    /* argv[0] is "solgate NAME". Returns the exit code of docs/method.md 8 if err->code is
     * SG_SUCCESS. */
    int (*run)(int argc, char **argv, struct sg_err *err);
};

/* All commands, in the order of `solgate -h`: name, summary. */
#define SG_COMMAND_TABLE(X)                                                              \
    X(init, "a project of your own: kernels, suites, and jobs for CI, to start from")    \
    X(list, "families, cases, variants, metrics, groups, gpus, suites")                  \
    X(doctor, "what can be measured here, and what prevents the rest")                   \
    X(run, "check, time and count the variants of a suite, each in a separate process")  \
    X(ab, "may a candidate be merged? Times it with its baseline until that is decided") \
    X(bisect, "the first commit, or version of a package, that is slower or wrong")      \
    X(exec, "time the kernels of any program, unchanged: Python, C++, a shell script")   \
    X(compare, "a run against accepted numbers: what regressed, by how much, why")       \
    X(gap, "how far each variant is from the speed of light")                            \
    X(sol, "the speed of light of a product of matrices, from its shapes alone")         \
    X(explain, "why one variant is slower than another: causes, places, counters")       \
    X(merge, "parts of a suite, measured on several GPUs, as one run")                   \
    X(report, "every table and chart of a run, and an index.html")                       \
    X(import, "another tool's results as a run")                                         \
    X(accept, "take the numbers of runs as accepted")                                    \
    X(accepted, "show, verify or seal accepted numbers")                                 \
    X(nightly, "run, compare, re-measure undecided rows, history, report; one verdict")  \
    X(history, "nightly runs as plain files: steps, slow creep, trends")                 \
    X(fleet, "GPUs that are slow, unsteady or lost, beside their siblings")              \
    X(builds, "the store of accepted builds: list, show, prune, rebuild")

/* Subcommands, such as `solgate accepted show`: each a command in cmd_COMMAND_PART.c. argv[0] is
 * "solgate COMMAND PART". */
#define SG_PART_TABLE(X) \
    X(accepted, show)    \
    X(accepted, verify)  \
    X(accepted, seal)    \
    X(builds, list)      \
    X(builds, show)      \
    X(builds, prune)     \
    X(builds, rebuild)   \
    X(history, add)      \
    X(history, show)     \
    X(history, check)    \
    X(history, confirm)  \
    X(history, accept)   \
    X(history, report)

#define X(name, summary) int sg_cmd_##name(int argc, char **argv, struct sg_err *err);
SG_COMMAND_TABLE(X)
#undef X
#define X(name, part) int sg_cmd_##name##_##part(int argc, char **argv, struct sg_err *err);
SG_PART_TABLE(X)
#undef X
const struct sg_command *sg_commands(size_t *count);
/* Runs the subcommand that argv[1] names, and returns its exit code. Otherwise parses the command's
 * own options by `table`, which must not have arguments: prints help for `-h`, or fails. */
int sg_command_run_part(const struct sg_options *table, int argc, char **argv, struct sg_err *err);
#define SG_BASELINE_FORMS "FILE|SUITE|GPU/SUITE" /* forms to name accepted numbers */
