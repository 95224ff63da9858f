#include <string.h>
#include <unistd.h>

#include "cli/cmd_ab.h"
#include "cli/command.h"
#include "results/run_folder.h"
#include "util/file.h"

struct input {
    struct sg_ab_options options;
    struct sg_ab_commits commits;
    const char *const *program; /* the program after --, NULL-terminated; NULL: none */
};

/* The two sides: two variants, a family at two commits, two programs, or functions of a program. */
enum { VARIANTS, COMMITS, PROGRAMS, FUNCTIONS };

static unsigned usage_of(const void *input)
{
    const struct input *in = input;
    return in->program               ? FUNCTIONS
           : in->options.of_programs ? PROGRAMS
           : in->commits.commits     ? COMMITS
                                     : VARIANTS;
}

/* Which options go with which usage; an option without a mask goes with all. */
#define MODULES    (1u << VARIANTS | 1u << COMMITS)
#define MEASURED   (MODULES | 1u << FUNCTIONS) /* by workers */
#define OF_COMMITS (1u << COMMITS)
#define OF_EXEC    (1u << PROGRAMS | 1u << FUNCTIONS)

/* The options of the settings table, each preceded by a comma. */
#define X_NO(...)
#define X_AB(key, type, least, most, uses, help)                                           \
    , SG_SETTING_OPTION(key, type, least, most, help, struct input, options, .kept = true, \
                        .usages = (uses)&SG_IN_FAMILY ? 0 : MEASURED)

#define X(key, type, standard, least, most, uses, option, help) \
    X_##option(key, type, least, most, uses, help)

static const struct sg_option options[] = {
    SG_VALUE("case", "C", struct input, options.cases, .help = "only this case", .repeats = true,
             .standard = "all that both support", .usages = MEASURED, .kept = true) SG_SETTINGS(X),
    SG_VALUE("module", "FILE", struct input, options.modules,
             .help = "a kernel module that has the family, or the module that --build makes",
             .repeats = true, .usages = MODULES, .kept = true),
    SG_VALUE("commits", "BASE[..HEAD]", struct input, commits.commits,
             .help = "build FAMILY at two commits, and gate each variant whose build differs; "
                     "without HEAD: the working tree, with its uncommitted changes",
             .usages = OF_COMMITS),
    SG_VALUE("variant", "V", struct input, commits.variants, .help = "gate only this variant",
             .repeats = true, .usages = OF_COMMITS, .standard = "those that differ"),
    SG_VALUE("repo", "DIR", struct input, commits.repository,
             .help = "git repository with the commits", .usages = OF_COMMITS),
    SG_VALUE("build", "COMMAND", struct input, commits.build,
             .help = "builds a commit: sh runs it at the top of a clean checkout",
             .usages = OF_COMMITS, .standard = "as solgate builds kernels/FAMILY"),
    SG_VALUE("config", "FILE", struct input, options.config,
             .help = "a file of knobs (`solgate list knobs`) for both sides", .usages = MODULES,
             .kept = true),
    SG_VALUE("out", "DIR", struct input, options.out, .help = "folder of the run, new or empty",
             .standard = "out/ab-<date>"),
    SG_BASELINES_OPTION,
    SG_VALUE("seed", "N", struct input, options.seed,
             .help = "seed of inputs, orders and simulated times",
             .usages = MEASURED | 1u << PROGRAMS,
             .given = offsetof(struct input, options.seed_given)),
    SG_VALUE("gpu", "N", struct input, options.gpu, .help = SG_GPU_HELP, .most = SG_GPU_MAX,
             .usages = MEASURED, .kept = true),
    SG_FLAG("bisect", struct input, commits.is_bisect,
            .help = "exit codes of `git bisect run`: 125 for a commit that cannot be judged; with "
                    "--commits, --out keeps the build and the run of each commit"),
    SG_FORMAT_OPTION_OF_COMPARISON(struct input, options.format),
    SG_VALUE("inconclusive", "pass|fail", struct input, options.inconclusive_fails,
             .help = "whether a case that cannot be decided passes or fails"),
    SG_FLAG("exec", struct input, options.of_programs, .usages = OF_EXEC,
            .help = "gate programs: two commands, kernel by kernel; one command whose NVTX ranges "
                    "solgate:baseline and solgate:candidate "
                    "alternate (docs/exec.md); or, after --, a program whose functions "
                    "solgate.pair pairs (docs/triton.md)"),
    SG_SETTING_OPTION(deadline, SECONDS, 0, SG_DEADLINE_MAX_S, "with commands: limit for one start",
                      struct input, options, .usages = 1u << PROGRAMS, .standard = "10m"),
    SG_VALUE("range", "PATTERN", struct input, options.range, .usages = 1u << PROGRAMS,
             .kept = true, .help = "with commands: only launches in an NVTX range that matches"),
    SG_VALUE("kernel", "REGEX", struct input, options.kernel, .usages = 1u << PROGRAMS,
             .kept = true,
             .help = "with commands: only kernels whose symbol or readable name matches"),
    SG_VALUE("percentile", "P", struct input, options.percentile, .least = 50, .most = 99,
             .usages = 1u << PROGRAMS, .kept = true, .standard = "their mean",
             .help = "with commands: judge this percentile of a kernel's launches in each start"),
    SG_FLAG("allow-shared-gpu", struct input, options.shared_gpu_allowed, .usages = MEASURED,
            .kept = true, .help = "judge even if others use the GPU, or MIG or MPS is on",
            .standard = "invalid"),
    SG_FLAG("resume", struct input, options.resume, .usages = MEASURED | 1u << PROGRAMS,
            .help = "continue an unfinished run in --out: only missing items are measured",
            .needs = "out"),
};

static struct input default_input(void)
{
    return (struct input){.options = {.seed = SG_SEED_DEFAULT,
                                      .settings = sg_settings_of_defaults(),
                                      .format = sg_format_find("text"),
                                      .inconclusive_fails = true},
                          .commits = {.repository = "."}};
}

enum sg_code sg_ab_make_folder(const struct sg_ab_options *given, struct sg_text *folder,
                               struct sg_err *err)
{
    sg_choose_folder(given->out, "out/ab-", folder, err);
    if (given->out && !given->resume && access(given->out, F_OK) == 0)
        sg_run_folder_check(given->out, NULL, err);
    return err->code;
}

enum sg_code sg_ab_gate(const struct sg_ab_options *given, int *exit_code, struct sg_err *err)
{
    const struct input in = {.options = *given}, defaults = default_input();
    struct sg_ab_options gate = *given;
    SG_FORMATTED(command, "%s", given->of_programs ? "ab --exec " : "ab ");
    sg_text_add_word(&command, given->baseline);
    sg_text_add(&command, given->candidate ? " " : "");
    if (given->candidate)
        sg_text_add_word(&command, given->candidate);
    sg_options_add_kept(&command, options, sizeof(options) / sizeof(options[0]), &in, &defaults);
    gate.command = command.data;
    return sg_ab_run(&gate, exit_code, err);
}

/* Compares the commands in a folder that exists: their traces are written there. */
static enum sg_code gate_programs(const struct sg_ab_options *given, int *exit_code,
                                  struct sg_err *err)
{
    struct sg_ab_options gate = *given;
    SG_SCOPED(sg_text) folder = {0};
    if (sg_ab_make_folder(given, &folder, err) != SG_SUCCESS)
        return err->code;
    gate.out = folder.data;
    return sg_ab_gate(&gate, exit_code, err);
}

static enum sg_code gate(const struct input *in, int *exit_code, struct sg_err *err)
{
    const struct sg_ab_options *o = &in->options;
    if (in->program && !o->of_programs)
        return sg_fail(err, SG_BAD_USAGE, "ab", "a program after -- needs --exec");
    if (o->settings.sustained && o->settings.energy)
        return sg_fail(err, SG_BAD_USAGE, "ab",
                       "--sustained judges time, --energy judges energy: give one of them");
    if (o->settings.sustained && o->given.l2 && o->settings.l2 != SG_L2_WARM)
        return sg_fail(err, SG_BAD_USAGE, "ab",
                       "--sustained launches back to back, so the L2 is warm: --sustained cannot "
                       "be combined with --l2=%s",
                       sg_l2_word(o->settings.l2));
    switch (usage_of(in)) {
    case COMMITS:
        return sg_ab_commits_run(&in->commits, o, exit_code, err);
    case PROGRAMS:
        return gate_programs(o, exit_code, err);
    case FUNCTIONS:
        return sg_ab_functions_run(in->program, o, exit_code, err);
    default:
        return sg_ab_gate(o, exit_code, err);
    }
}

/* A wrong command line, a missing GPU and a signal would recur at each commit. */
static int bisect_code(int exit_code, const struct sg_err *err)
{
    const int code = err->code == SG_SUCCESS ? exit_code : sg_exit_code(err->code);
    if (code <= SG_EXIT_REGRESSED || code == SG_EXIT_INTERRUPTED)
        return code;
    return code == SG_EXIT_USAGE || err->code == SG_NO_GPU ? SG_BISECT_STOP : SG_BISECT_SKIP;
}

int sg_cmd_ab(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("BASELINE", struct input, options.baseline,
                                  .help = "[MODULE.so:]FAMILY/VARIANT", .optional = true),
                      SG_ARGUMENT("CANDIDATE", struct input, options.candidate, .optional = true)},
        .summary = "May CANDIDATE be merged? Checks both variants, times them interleaved and the "
                   "baseline against itself, in as "
                   "many processes as it takes to decide (5 to 20), and reports which cases got "
                   "slower by more than the tolerance, and "
                   "why. BASELINE "
                   "and CANDIDATE are [MODULE.so:]FAMILY/VARIANT: two variants, one variant of two "
                   "builds, or the same thing twice.",
        .usages = {[VARIANTS] = {"BASELINE CANDIDATE", 2, 2},
                   [COMMITS] = {"--commits=BASE[..HEAD] FAMILY", 1, 1},
                   [PROGRAMS] = {"--exec 'CMD A' ['CMD B']", 1, 2},
                   [FUNCTIONS] = {"--exec -- PROGRAM ARGUMENT...", 0, 0}},
        .usage_of = usage_of,
        .notes = "With --commits, solgate builds the modules of both commits in a clone and keeps "
                 "them in --out, with one run per variant; the repository is not changed. A "
                 "variant that BASE lacks is "
                 "gated against BASE's baseline; one that HEAD "
                 "lacks is not_measured (3). If a commit does not build, the exit code is 3.\n\n"
                 "Examples:\n"
                 "  solgate ab matvec/vec16_rows matvec/warp_per_row\n"
                 "  solgate ab old.so:matvec/a new.so:matvec/a --tolerance=0.25%\n"
                 "  solgate ab --commits=main..HEAD matvec\n"
                 "  solgate ab --exec 'python3 old.py' 'python3 new.py' --tolerance=2%\n"
                 "  git bisect run solgate ab --bisect --commits=v1..BISECT_HEAD matvec\n"
                 "  solgate ab --commits=main saxpy --module=b/saxpy/libsg_saxpy.so \\\n"
                 "    --build='cmake -S . -B b && cmake --build b'",
        .exits = SG_EXITS_GATED,
    };
    struct input in = default_input();
    int exit_code = SG_EXIT_DONE;
    const int dashes = sg_find_program(argc, argv);
    if (dashes + 1 < argc)
        in.program = (const char *const *)argv + dashes + 1;
    if (sg_options_parse(&table, &in, dashes, argv, err)) {
        if (in.options.settings.energy && !in.options.given.tolerance)
            in.options.settings.tolerance = SG_TOLERANCE_ENERGY;
        gate(&in, &exit_code, err);
    }
    /* Options that cannot be read end with 255, too: exit code 4 would make the commit bad. */
    for (int i = 1; i < dashes; i++)
        in.commits.is_bisect |= strcmp(argv[i], "--bisect") == 0;
    return in.commits.is_bisect ? bisect_code(exit_code, err) : exit_code;
}
