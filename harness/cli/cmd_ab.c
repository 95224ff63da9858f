#include <unistd.h>

#include "ab/programs.h"
#include "cli/cmd_ab.h"
#include "cli/command.h"
#include "results/run_folder.h"
#include "util/file.h"
#include "util/options.h"

struct input {
    struct sg_ab_options options;
    struct sg_ab_commits commits;
    bool exec;
};

/* The options of the table of settings, each behind a comma. */
#define X_NO(...)
#define X_AB(key, type, least, most, help) \
    , SG_SETTING_OPTION(key, type, least, most, help, struct input, options)

#define X(key, type, standard, least, most, uses, option, help) \
    X_##option(key, type, least, most, help)

static const struct sg_option options[] = {
    SG_VALUE("case", "C", struct input, options.cases, .help = "only this case", .repeats = true,
             .standard = "all that both support") SG_SETTINGS(X),
    SG_VALUE("module", "FILE", struct input, options.modules,
             .help = "a kernel module to look for the family in, or the one of --build",
             .repeats = true),
    SG_VALUE("commits", "BASE[..HEAD]", struct input, commits.commits,
             .help = "build FAMILY at two commits, and gate each variant that was not built the "
                     "same; without HEAD the working tree, with its "
                     "uncommitted changes"),
    SG_VALUE("variant", "V", struct input, commits.variants, .help = "gate only this variant",
             .repeats = true, .needs = "commits", .standard = "those that differ"),
    SG_VALUE("repo", "DIR", struct input, commits.repository,
             .help = "git repository with the commits", .needs = "commits"),
    SG_VALUE("build", "COMMAND", struct input, commits.build,
             .help = "builds a commit: sh runs it at the top of a clean checkout",
             .needs = "commits", .standard = "as solgate builds kernels/FAMILY"),
    SG_VALUE("config", "FILE", struct input, options.config,
             .help = "a file of knobs (`solgate list knobs`) that both sides are set by"),
    SG_VALUE("out", "DIR", struct input, options.out, .help = "folder of the run, new or empty",
             .standard = "out/ab-<date>"),
    SG_BASELINES_OPTION,
    SG_VALUE("seed", "N", struct input, options.seed,
             .help = "seed of inputs, orders and simulated times",
             .given = offsetof(struct input, options.seed_given)),
    SG_VALUE("gpu", "N", struct input, options.gpu, .help = SG_GPU_HELP, .most = SG_GPU_MAX),
    SG_FORMAT_OPTION_OF_COMPARISON(struct input, options.format),
    SG_VALUE("inconclusive", "pass|fail", struct input, options.inconclusive_fails,
             .help = "whether a case that cannot be decided passes or fails"),
    SG_FLAG("exec", struct input, exec,
            .help = "gate programs: two commands, kernel by kernel; one command whose NVTX ranges "
                    "solgate:baseline and solgate:candidate "
                    "alternate (docs/exec.md); or, behind --, a program whose functions "
                    "solgate.pair pairs (docs/python.md)"),
    SG_VALUE("range", "PATTERN", struct input, options.range,
             .help = "with commands: only launches in an NVTX range that matches", .needs = "exec"),
    SG_VALUE("kernel", "REGEX", struct input, options.kernel, .needs = "exec",
             .help = "with commands: only kernels whose symbol or readable name matches"),
    SG_FLAG("allow-shared-gpu", struct input, options.shared_gpu_allowed,
            .help = "judge even if others use the GPU, or MIG or MPS is on", .standard = "invalid"),
    SG_FLAG("resume", struct input, options.resume,
            .help = "go on with an unfinished run in --out: only what is missing is measured",
            .needs = "out"),
    {0},
};

static const struct sg_option arguments[] = {
    SG_ARGUMENT("BASELINE", struct input, options.baseline, .help = "[MODULE.so:]FAMILY/VARIANT",
                .optional = true),
    SG_ARGUMENT("CANDIDATE", struct input, options.candidate, .optional = true),
    {0},
};

/* Gates two commands. Refuses options that only a worker obeys. */
static enum sg_code run_programs(const struct input *in, int *exit_code, struct sg_err *err)
{
    struct sg_ab_options given = in->options;
    SG_SCOPED(sg_text) folder = {0};
    if (!given.baseline)
        return sg_fail(err, SG_BAD_USAGE, "ab",
                       "expected two commands, or -- and a program, behind --exec, found none");
    if (in->options.given.l2 || in->commits.commits || given.settings.sustained || given.resume ||
        given.config || given.seed_given || given.gpu > 0 || given.modules.count > 0 ||
        given.cases.count > 0)
        return sg_fail(err, SG_BAD_USAGE, "ab",
                       "--exec with commands goes with --range, --kernel, --tolerance, "
                       "--inconclusive, --format and --out");
    if (given.out && access(given.out, F_OK) == 0 &&
        sg_run_folder_check(given.out, NULL, err) != SG_SUCCESS)
        return err->code;
    if (!given.out && sg_make_dated_folder("out/ab-", &folder, err) != SG_SUCCESS)
        return err->code;
    given.out = given.out ? given.out : folder.data;
    return sg_ab_programs_run(&given, exit_code, err);
}

int sg_cmd_ab(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_options table = {
        .options = options,
        .arguments = arguments,
        .summary = "May CANDIDATE be merged? Checks both variants, times them interleaved and the "
                   "baseline against itself, in as "
                   "many processes as it takes to decide (5 to 20), and reports which cases got "
                   "slower by more than the tolerance, and "
                   "why. BASELINE "
                   "and CANDIDATE are [MODULE.so:]FAMILY/VARIANT: two variants, one variant of two "
                   "builds, or the same thing twice.",
        .usage = "BASELINE CANDIDATE\n--commits=BASE[..HEAD] FAMILY\n--exec 'CMD A' ['CMD "
                 "B']\n--exec -- PROGRAM ARGUMENT...",
        .notes = "With --commits the modules of both commits are built in one place, in a clone, "
                 "and kept in --out with a run a "
                 "variant; nothing is written to the repository. A variant that BASE lacks is "
                 "gated against BASE's baseline; one that HEAD "
                 "lacks is not_measured (3). A commit that does not build ends with 3.\n\n"
                 "Examples:\n"
                 "  solgate ab matvec/vec16_rows matvec/warp_per_row\n"
                 "  solgate ab old.so:matvec/a new.so:matvec/a --tolerance=0.25%\n"
                 "  solgate ab --commits=main..HEAD matvec\n"
                 "  solgate ab --exec 'python3 old.py' 'python3 new.py' --tolerance=2%\n"
                 "  solgate ab --commits=main saxpy --module=b/saxpy/libsg_saxpy.so \\\n"
                 "    --build='cmake -S . -B b && cmake --build b'",
        .exits = SG_EXITS_JUDGED,
    };
    struct input in = {
        .options = {.seed = SG_SEED_DEFAULT,
                    .settings = sg_settings_of_defaults(),
                    .format = sg_format_find("text"),
                    .inconclusive_fails = true},
        .commits = {.repository = "."},
    };
    struct sg_ab_options *o = &in.options;
    int exit_code = SG_EXIT_DONE;
    const int dashes = sg_find_program(argc, argv);
    if (!sg_options_parse(&table, &in, dashes, argv, err))
        goto out;
    if (o->settings.sustained && o->given.l2 && o->settings.l2 != SG_L2_WARM)
        sg_fail(err, SG_BAD_USAGE, "ab",
                "--sustained launches on end, so L2 is warm: it cannot go with --l2=%s",
                sg_l2_word(o->settings.l2));
    else if (!in.exec && dashes + 1 < argc)
        sg_fail(err, SG_BAD_USAGE, "ab", "a program behind -- needs --exec");
    else if (in.exec && dashes + 1 >= argc)
        run_programs(&in, &exit_code, err);
    else if (in.exec)
        sg_ab_exec_run((const char *const *)argv + dashes + 1, o, &exit_code, err);
    else if (!o->baseline)
        sg_fail(err, SG_BAD_USAGE, "ab", "BASELINE is missing: [MODULE.so:]FAMILY/VARIANT");
    else if (in.commits.commits)
        sg_ab_commits_run(&in.commits, o, &exit_code, err);
    else if (!o->candidate)
        sg_fail(
            err, SG_BAD_USAGE, "ab",
            "CANDIDATE is missing: [MODULE.so:]FAMILY/VARIANT; only a family goes with --commits");
    else
        sg_ab_run(o, &exit_code, err);
out:
    sg_names_release(&in.commits.variants);
    sg_names_release(&o->cases);
    sg_names_release(&o->modules);
    return exit_code;
}
