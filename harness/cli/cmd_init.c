#include "cli/child.h"
#include "cli/command.h"

#include "util/paths.h"

struct init_options {
    const char *folder; /* NULL: `slurm`, or the current one */
    bool python, slurm;
};

/* scripts/init.sh copies the files, and says what to type next. Returns its exit code. */
static int init(const struct init_options *in, struct sg_err *err)
{
    SG_SCOPED(sg_text) script = {0}, template = {0}, bin = {0}, module = {0}, out = {0};
    SG_SCOPED(sg_names) argv = {0};
    if (sg_path_in_home(&script, "scripts/init.sh", err) != SG_SUCCESS ||
        sg_path_in_home(&template,
                        in->slurm    ? "slurm"
                        : in->python ? "examples/python"
                                     : "examples/project",
                        err) != SG_SUCCESS ||
        sg_path_in_home(&module, "python", err) != SG_SUCCESS ||
        sg_path_next_to_program(&bin, "", err) != SG_SUCCESS)
        return 0;
    const char *folder = in->folder ? in->folder : in->slurm ? "slurm" : ".";
    const char *const words[] = {"sh",   script.data, template.data,
                                 folder, bin.data,    in->python ? module.data : ""};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        sg_names_add(&argv, words[i]);
    const int exit_code = sg_child_run(&argv, &out);
    if (exit_code < 0)
        sg_fail(err, SG_SYSTEM, script.data, "cannot be run by sh, or was killed");
    else
        sg_print(&out, err);
    return exit_code;
}

int sg_cmd_init(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_FLAG("python", struct init_options, python,
                .help = "for kernels that Python calls: gate.py, a suite for nightly runs, and a "
                        "job for GitHub",
                .standard = "for CUDA C++, built by CMake", .without = "slurm"),
        SG_FLAG("slurm", struct init_options, slurm,
                .help = "scripts for a nightly run on many GPUs by Slurm; DIR is `slurm` where "
                        "none is given"),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("DIR", struct init_options, folder,
                                  .help = "the folder of the project", .optional = true)},
        .summary = "A project of your own that works at once: kernels for the host and for CUDA, "
                   "suites, and jobs for GitHub, GitLab and systemd; or a gate in Python; or "
                   "scripts for Slurm.",
        .notes = "Without DIR the files go into the current folder. No file is replaced: where one "
                 "of them is there already, none is written. In a git work tree the job for GitHub "
                 "goes to .github/workflows at its top.\n\n"
                 "Examples:\n"
                 "  solgate init mine\n"
                 "  solgate init --python mine && cd mine && python3 gate.py\n"
                 "  solgate init --slurm && slurm/night.sh out/night 16 -- SUITE",
        .exits = {{SG_EXIT_DONE, "written"},
                  {SG_EXIT_INVALID, "not written"},
                  {SG_EXIT_USAGE, NULL}},
    };
    struct init_options given = {.folder = NULL};
    return sg_options_parse(&table, &given, argc, argv, err) ? init(&given, err) : 0;
}
