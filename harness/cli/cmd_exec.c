#include "cli/command.h"

#include <stdio.h>

#include "exec/exec.h"

/* Returns a nonzero status of the program; solgate's own error then goes to stderr. */
static int conclude(int status, struct sg_err *err)
{
    if (status == 0 || err->code == SG_SUCCESS)
        return status;
    fprintf(stderr, "solgate: exec: %s: %s\n", err->where, err->message);
    *err = (struct sg_err){.code = SG_SUCCESS};
    return status;
}

static enum sg_code read_names(void *place, const char *found, struct sg_err *err)
{
    if (*found)
        sg_names_add_split(place, found, ',');
    return err->code;
}

int sg_cmd_exec(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_VALUE("range", "PATTERN", struct sg_exec_options, range,
                 .help = "only launches in an NVTX range that matches"),
        SG_VALUE("kernel", "REGEX", struct sg_exec_options, kernel,
                 .help = "only kernels whose symbol or readable name it matches"),
        SG_VALUE("metrics", "NAME,...", struct sg_exec_options, metrics,
                 .help = "count these groups and metrics too, in one more start; without a name: "
                         "the group quick, in one pass",
                 .given = offsetof(struct sg_exec_options, counts), .read = read_names,
                 .bare = true),
        SG_VALUE("skip", "N", struct sg_exec_options, skip,
                 .help = "count all launches after the first N", .needs = "metrics",
                 .given = offsetof(struct sg_exec_options, has_window)),
        SG_VALUE("count", "N", struct sg_exec_options, most, .help = "count N launches at most",
                 .standard = "of each kernel the first three, "
                             "and every 2^k-th",
                 .needs = "metrics", .given = offsetof(struct sg_exec_options, has_window)),
        SG_FLAG("count-range", struct sg_exec_options, of_ranges, .needs = "metrics",
                .help = "count NVTX ranges as a whole, with kernels side by side and in graphs; in "
                        "one pass"),
        SG_VALUE("processes", "N", struct sg_exec_options, processes,
                 .help = "how often the program is started", .least = 1, .most = 1000),
        SG_VALUE("out", "DIR", struct sg_exec_options, out,
                 .help = "folder of the run, new or empty, or of a run of exec, which is replaced",
                 .required = true),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .usage = "-- CMD ARG...",
        .summary = "Times the kernels of any program, unchanged: Python, C++, a shell script. "
                   "Nothing is preloaded; the program keeps its output and its exit status.",
        .notes =
            "The case is the NVTX range that the launch is in, or all; the variant is the "
            "kernel. If launches and records disagree, the run is invalid, and a message says "
            "why (docs/exec.md).\n\n"
            "Example: solgate exec --out=R -- python3 train.py\n"
            "         solgate exec --out=R --metrics=work -- python3 train.py && solgate gap R",
        .exits = {{SG_EXIT_DONE, "the program exited with 0, and all of its kernels were seen"},
                  {SG_EXIT_INVALID,
                   "something is missing, and a message says why; or the program's exit code"},
                  {SG_EXIT_USAGE,
                   "command line, or the program cannot be started; or the program's exit code"},
                  {SG_EXIT_NO_GPU, NULL},
                  {SG_EXIT_INTERRUPTED, "a signal stopped it before its last start"}},
    };
    struct sg_exec_options given = {.processes = 1, .most = UINT64_MAX};
    int status = 0;
    const int dashes = sg_find_program(argc, argv);
    if (!sg_options_parse(&table, &given, dashes, argv, err))
        return 0;
    given.argv = argv + dashes + 1;
    if (dashes + 1 >= argc)
        sg_fail(err, SG_BAD_USAGE, "exec",
                "expected -- and a program after the options, found none");
    else if (given.of_ranges && given.has_window)
        sg_fail(err, SG_BAD_USAGE, "exec",
                "--count-range counts each range as a whole: it cannot be combined with --skip and "
                "--count, which select launches");
    else
        sg_exec(&given, &status, err);
    return conclude(status, err);
}
