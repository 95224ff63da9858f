/*
 * cli/command.h - the commands of solgate: one table (cli/command.c),
 * one file a command (cmd_NAME.c).
 *
 * A command parses its own options by a table (util/options.h), writes data to stdout, and returns
 * its exit code; it reports failures in err and prints nothing to stderr but progress. main prints
 * `solgate: what was attempted: why` and maps the code.
 */
#ifndef SG_CLI_COMMAND_H
#define SG_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"
#include "util/options.h"

/* What several commands take. */
#define SG_RUN_HELP "the folder of a run, or its run.csv"
#define SG_GPU_HELP "number of the GPU, as the driver counts"

/* Rows of a table of options: which items, into a struct sg_filters (results/item_filter.h). To
 * be released by sg_filters_release. */
#define SG_FILTER_OPTIONS(input, field, variant_help)                                                                \
    {.name = "family",                                                                                               \
     .arg = "PATTERN",                                                                                               \
     SG_INTO(input, field.families),                                                                                 \
     .repeats = true,                                                                                                \
     .help = "only families of this name, or that match a pattern such as 'gemm*'"},                                 \
        {.name = "case", .arg = "PATTERN", SG_INTO(input, field.cases), .repeats = true, .help = "only such cases"}, \
    {                                                                                                                \
        .name = "variant", .arg = "PATTERN", SG_INTO(input, field.variants), .repeats = true, .help = variant_help   \
    }

/* For --reason (util/options.h): the place is a string. SG_BAD_USAGE of one that is blank. */
enum sg_code sg_read_reason(void *place, const char *found, struct sg_err *err);

/* Row of a table of options. */
#define SG_BASELINES_OPTION                                                                                              \
    {                                                                                                                    \
        .name = "baselines", .arg = "DIR", .read = sg_read_baselines, .help = "folder of accepted numbers and ceilings", \
        .standard = "$SOLGATE_BASELINES, or ./baselines, or those that came with solgate"                                \
    }
/* Sets SOLGATE_BASELINES of this process (results/accepted_place.h). */
enum sg_code sg_read_baselines(void *place, const char *found, struct sg_err *err);

/* The same of the store of accepted builds (builds/store.h). */
#define SG_BUILDS_OPTION                                                                            \
    {                                                                                               \
        .name = "builds", .arg = "DIR", .read = sg_read_builds, .help = "store of accepted builds", \
        .standard = "$SOLGATE_BUILDS, $XDG_CACHE_HOME/solgate/builds or ~/.cache/solgate/builds"    \
    }
enum sg_code sg_read_builds(void *place, const char *found, struct sg_err *err);

struct sg_command {
    const char *name;
    const char *summary; /* one line of `solgate -h` */
    /* argv[0] is "solgate NAME". Returns the exit code of docs/method.md
     * 8 when err->code is SG_SUCCESS. */
    int (*run)(int argc, char **argv, struct sg_err *err);
};

/* A part of a command, such as `solgate baseline show`. */
struct sg_command_part {
    const char *name;
    int (*run)(int argc, char **argv, struct sg_err *err); /* as of a command; argv[0] is "solgate COMMAND NAME" */
};
/* Runs the part that argv[1] names, and returns its exit code; else the options of the
 * command itself, `-h` or an error. */
int sg_command_run_part(const struct sg_command_part *parts, size_t count, const struct sg_options *table, int argc, char **argv,
                        struct sg_err *err);

/* The table, in the order of `solgate -h`. */
const struct sg_command *sg_commands(size_t *count);

int sg_cmd_list(int argc, char **argv, struct sg_err *err);
int sg_cmd_doctor(int argc, char **argv, struct sg_err *err);
int sg_cmd_run(int argc, char **argv, struct sg_err *err);
int sg_cmd_ab(int argc, char **argv, struct sg_err *err);
int sg_cmd_bisect(int argc, char **argv, struct sg_err *err);
int sg_cmd_aa(int argc, char **argv, struct sg_err *err);
int sg_cmd_compare(int argc, char **argv, struct sg_err *err);
int sg_cmd_gap(int argc, char **argv, struct sg_err *err);
int sg_cmd_sol(int argc, char **argv, struct sg_err *err);
int sg_cmd_explain(int argc, char **argv, struct sg_err *err);
int sg_cmd_report(int argc, char **argv, struct sg_err *err);
int sg_cmd_import(int argc, char **argv, struct sg_err *err);
int sg_cmd_baseline(int argc, char **argv, struct sg_err *err);
int sg_cmd_history(int argc, char **argv, struct sg_err *err);
int sg_cmd_nightly(int argc, char **argv, struct sg_err *err);
int sg_cmd_builds(int argc, char **argv, struct sg_err *err);

#endif
