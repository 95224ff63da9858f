/* Finds the commit that made a variant slower; scripts/commits/bisect.sh does the search. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "baseline/find.h"
#include "cli/child.h"
#include "cli/command.h"
#include "results/l2_state.h"
#include "stats/run_limits.h"
#include "util/paths.h"

struct input {
    const char *good, *bad, *item;
    const char *repository, *build, *module, *out;
    double tolerance;
    enum sg_l2 l2;
    uint64_t gpu;
    bool shared_gpu_allowed;
};

/* Replaces this process by the script, so that signals reach the script. */
static enum sg_code search(const struct input *in, struct sg_err *err)
{
    const struct sg_commit_builder builder = {.repository = in->repository,
                                              .folder = in->out ? in->out : "",
                                              .family = in->item,
                                              .build = in->build,
                                              .module = in->module};
    SG_SCOPED(sg_text) program = {0};
    SG_SCOPED(sg_names) argv = {0};
    if (sg_path_next_to_program(&program, "solgate", err) == SG_SUCCESS &&
        sg_commits_begin(&builder, "bisect", &argv, err) == SG_SUCCESS) {
        sg_names_add(&argv, program.data);
        sg_names_add(&argv, in->good);
        sg_names_add(&argv, in->bad);
        sg_names_addf(&argv, "%g", 100 * in->tolerance);
        sg_names_addf(&argv, "--gpu=%u", (unsigned)in->gpu);
        sg_names_addf(&argv, "--l2=%s", sg_l2_word(in->l2));
        if (in->shared_gpu_allowed)
            sg_names_add(&argv, "--allow-shared-gpu");
        execvp(argv.items[0], argv.items);
        sg_fail(err, SG_SYSTEM, argv.items[0], "cannot be run: %s", strerror(errno));
    }
    return err->code;
}

int sg_cmd_bisect(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_VALUE("repo", "DIR", struct input, repository,
                 .help = "git repository with the commits"),
        SG_VALUE("build", "COMMAND", struct input, build,
                 .help = "builds a commit: sh runs it at the top of a clean checkout",
                 .needs = "module", .standard = "as solgate builds kernels/FAMILY"),
        SG_VALUE("module", "FILE", struct input, module,
                 .help = "the module that it leaves, from there", .needs = "build"),
        SG_VALUE("tolerance", "PERCENT", struct input, tolerance,
                 .help = "BAD must be slower than GOOD by more"),
        SG_VALUE("out", "DIR", struct input, out,
                 .help = "where builds and runs are kept; the same command goes on there",
                 .standard =
                     "a folder in $XDG_CACHE_HOME/solgate/bisect or ~/.cache/solgate/bisect"),
        SG_VALUE("gpu", "N", struct input, gpu, .help = SG_GPU_HELP, .most = SG_GPU_MAX),
        SG_VALUE("l2", SG_L2_CHOICES, struct input, l2, .help = "the L2 cache before each launch"),
        SG_FLAG("allow-shared-gpu", struct input, shared_gpu_allowed,
                .help = "judge even if others use the GPU, or MIG or MPS is on",
                .standard = "invalid"),
        {0},
    };
    static const struct sg_option arguments[] = {
        SG_ARGUMENT("GOOD", struct input, good, .help = "a commit before the slowdown"),
        SG_ARGUMENT("BAD", struct input, bad, .help = "a commit after it"),
        SG_ARGUMENT("FAMILY/CASE/VARIANT", struct input, item, .help = "what got slower"),
        {0},
    };
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary = "Which commit made a variant slower? Measures BAD against GOOD, then commits "
                   "that `git bisect` chooses, each against GOOD "
                   "by an interleaved A/B, and at last the first bad one against its parent.",
        .notes = "A commit is bad if it is slower than GOOD by more than half of the slowdown of "
                 "BAD. One that does not build, whose variant is "
                 "not right, or that 20 processes do not decide is skipped.\n\n"
                 "Commits are built in a clone that shares the objects of the repository, to which "
                 "nothing is written. After an end by a "
                 "signal, even kill -9, the same command goes on: what "
                 "was built and measured is not done again. bisect.log in its folder is the log of "
                 "git bisect.\n\n"
                 "It ends with 3 if GOOD or BAD does not build, or BAD is not slower than GOOD.\n\n"
                 "Examples:\n"
                 "  solgate bisect v1.0 HEAD matvec/r64_c64_f32/vec16_rows\n"
                 "  solgate bisect v1 HEAD saxpy/n1m/grid --module=b/saxpy/libsg_saxpy.so \\\n"
                 "    --build='cmake -S . -B b && cmake --build b'",
        .exits = {{SG_EXIT_DONE, "the first bad commit is found"},
                  {SG_EXIT_INCONCLUSIVE, "several may be it, or it is not slower than its parent"},
                  {SG_EXIT_INVALID, "refused, or an A/B is invalid"},
                  {SG_EXIT_USAGE, NULL}},
    };
    struct input in = {.repository = ".", .tolerance = SG_TOLERANCE_DEFAULT};
    if (!sg_options_parse(&table, &in, argc, argv, err))
        return 0;
    if (sg_count_names(in.item) != 3)
        sg_fail(err, SG_BAD_USAGE, NULL, "expected FAMILY/CASE/VARIANT, found '%s'",
                sg_show_string(in.item).text);
    else
        search(&in, err);
    return 0;
}
