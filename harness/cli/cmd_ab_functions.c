/* Gates inside a program, such as a Python program with solgate.pair: each becomes a gate file,
 * which is used like a module. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/cmd_ab.h"
#include "plan/gate_file.h"
#include "plan/gate_fork.h"
#include "process/group_reaper.h"
#include "util/file.h"
#include "util/options.h"
#include "util/start_process.h"

#define GATES_FOLDER "gates" /* next to the runs, whose folders are named after gates */

/* A line of the program's list of gates. */
struct listed {
    struct sg_gate_file file; /* its command is empty */
    double tolerance;         /* 0: not given */
    bool is_pair, is_identical;
};

static enum sg_code read_listed(char *line, struct listed *gate, struct sg_err *err)
{
    const char *name = strsep(&line, "\t"), *tolerance = line ? strsep(&line, "\t") : "",
               *sides = line ? strsep(&line, "\t") : "";
    *gate = (struct listed){
        .file = {.family = sg_copy_string(name), .sides = strcmp(sides, "one") == 0 ? 1 : 2},
        .is_pair = strcmp(sides, "one") != 0,
        .is_identical = strcmp(sides, "identical") == 0};
    while (line) {
        char *shape = strsep(&line, "\t");
        sg_names_add(&gate->file.cases, strsep(&shape, " "));
        sg_names_add(&gate->file.shapes, shape ? shape : "");
    }
    if (!sg_is_name(name) || gate->file.cases.count == 0 ||
        (*tolerance && !sg_parse_double(tolerance, false, &gate->tolerance)))
        return sg_fail(err, SG_BAD_INPUT, "the list of gates",
                       "expected a name, a tolerance, what its sides are, and cases, found '%s'",
                       sg_show_string(name).text);
    return SG_SUCCESS;
}

/* Starts the program once to list its gates; the program measures nothing. Forks of the program may
 * stay alive while the lifeline is open (plan/gate_fork.h). */
static enum sg_code ask(const char *const *argv, const char *folder,
                        const struct sg_lifeline *lifeline, struct sg_text *lines,
                        struct sg_err *err)
{
    struct stat pipe;
    SG_SCOPED(sg_text) list = {0}, inode = {0};
    SG_SCOPED(sg_names) words = {0};
    sg_text_addf(&list, "%s/list", folder);
    sg_text_addf(&inode, "%llu",
                 fstat(lifeline->reading, &pipe) == 0 ? (unsigned long long)pipe.st_ino : 0);
    for (size_t i = 0; argv[i]; i++)
        sg_names_add(&words, argv[i]);
    if (sg_gate_set_path(err) != SG_SUCCESS || sg_write_file(list.data, "", 0, err) != SG_SUCCESS)
        return err->code;
    const struct sg_environment_change changes[] = {{SG_GATE_NAMES_VARIABLE, list.data},
                                                    {SG_GATE_LIFELINE_VARIABLE, inode.data}};
    const int status = sg_child_run_with(
        &words,
        &(struct sg_process_start){.changes = changes,
                                   .change_count = 2,
                                   .descriptors = {[SG_GATE_LIFELINE_FD] = lifeline->reading}},
        NULL);
    if (status == SG_EXIT_INTERRUPTED)
        return sg_fail(err, SG_INTERRUPTED, argv[0], "stopped by a signal");
    if (status != 0)
        return sg_fail(err, SG_BAD_INPUT, argv[0], "%s",
                       status < 0 ? "cannot be run, or was killed"
                                  : "failed; what it says is above");
    if (sg_read_text(list.data, lines, err) == SG_SUCCESS && lines->length == 0)
        sg_fail(err, SG_BAD_INPUT, argv[0],
                "expected a program that calls solgate.pair, found one that ended without");
    return err->code;
}

static enum sg_code write_file(const char *path, struct listed *gate, const char *const *argv,
                               struct sg_err *err)
{
    SG_FREED char *here = getcwd(NULL, 0);
    if (!here)
        return sg_fail(err, SG_SYSTEM, NULL, "the working folder has no name: %s", strerror(errno));
    sg_names_add(&gate->file.command, here);
    for (size_t i = 0; argv[i]; i++)
        sg_names_add(&gate->file.command, argv[i]);
    return sg_gate_file_write(path, &gate->file, err);
}

static enum sg_code judge(struct listed *gate, const char *const *argv, const char *folder,
                          const struct sg_ab_options *given, int *exit_code, struct sg_err *err)
{
    SG_SCOPED(sg_text) file = {0}, out = {0}, baseline = {0}, candidate = {0};
    SG_SCOPED(sg_names) modules = {0};
    struct sg_ab_options options = *given;
    const char *name = gate->file.family;
    sg_text_addf(&file, "%s/" GATES_FOLDER "/%s", folder, name);
    sg_text_addf(&out, "%s/%s", folder, name);
    sg_text_addf(&baseline, "%s/baseline", name);
    sg_text_addf(&candidate, "%s/%s", name, gate->is_identical ? "baseline" : "candidate");
    if (write_file(file.data, gate, argv, err) != SG_SUCCESS || !gate->is_pair)
        return err->code;
    sg_names_add(&modules, file.data);
    options.of_programs = false;
    options.baseline = baseline.data;
    options.candidate = candidate.data;
    options.modules = modules;
    options.out = out.data;
    if (gate->tolerance > 0)
        options.tolerance = gate->tolerance;
    int found = SG_EXIT_DONE;
    if (sg_ab_gate(&options, &found, err) == SG_SUCCESS)
        *exit_code = sg_worse_exit(*exit_code, found);
    return err->code;
}

/* Makes the path absolute, because programs are started in other folders. */
static enum sg_code make_folder(const struct sg_ab_options *options, struct sg_text *folder,
                                struct sg_err *err)
{
    SG_SCOPED(sg_text) given = {0}, gates = {0};
    if (sg_ab_make_folder(options, &given, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&gates, "%s/" GATES_FOLDER, given.data);
    if (sg_make_folders(gates.data, err) != SG_SUCCESS)
        return err->code;
    SG_FREED char *path = realpath(given.data, NULL);
    sg_text_add(folder, path ? path : given.data);
    return SG_SUCCESS;
}

static enum sg_code judge_all(const char *const *argv, const struct sg_ab_options *options,
                              const struct sg_lifeline *lifeline, int *exit_code,
                              struct sg_err *err)
{
    SG_SCOPED(sg_text) folder = {0}, lines = {0}, gates = {0};
    if (make_folder(options, &folder, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&gates, "%s/" GATES_FOLDER, folder.data);
    if (ask(argv, gates.data, lifeline, &lines, err) != SG_SUCCESS)
        return err->code;
    char *rest = lines.data, *line = NULL;
    while (err->code == SG_SUCCESS && (line = strsep(&rest, "\n")) && *line) {
        struct listed gate;
        if (read_listed(line, &gate, err) == SG_SUCCESS)
            judge(&gate, argv, folder.data, options, exit_code, err);
        sg_gate_file_release(&gate.file);
    }
    return err->code;
}

enum sg_code sg_ab_functions_run(const char *const *argv, const struct sg_ab_options *options,
                                 int *exit_code, struct sg_err *err)
{
    struct sg_lifeline lifeline;
    if (sg_lifeline_open(&lifeline, err) != SG_SUCCESS)
        return err->code;
    judge_all(argv, options, &lifeline, exit_code, err);
    sg_lifeline_close(&lifeline);
    return err->code;
}
