/* Gates inside a Python program with solgate.pair: each gate gets a script that is used like a
 * module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/cmd_ab.h"
#include "plan/gate_script.h"
#include "process/worker_process.h"
#include "util/file.h"
#include "util/start_process.h"

#define GATES_FOLDER "gates" /* next to the runs, whose folders are named after gates */

/* Starts the program once: solgate.pair writes a script for each gate (plan/gate_script.h) and adds
 * a line to `list`. Forks of the program stay alive while the lifeline is open. */
static int start(const char *const *argv, const char *folder, const struct sg_lifeline *lifeline)
{
    struct stat pipe;
    SG_SCOPED(sg_names) words = {0};
    SG_FREED char *here = getcwd(NULL, 0);
    SG_FORMATTED(asked, SG_GATE_LIST SG_GATE_SEPARATOR "%s" SG_GATE_SEPARATOR "%llu", folder,
                 fstat(lifeline->reading, &pipe) == 0 ? (unsigned long long)pipe.st_ino : 0);
    sg_text_addf(&asked, SG_GATE_SEPARATOR "%s", here ? here : ".");
    for (size_t i = 0; argv[i]; i++) {
        sg_text_addf(&asked, SG_GATE_SEPARATOR "%s", argv[i]);
        sg_names_add(&words, argv[i]);
    }
    const struct sg_environment_change changes[] = {{SG_GATE_VARIABLE, asked.data}};
    return sg_child_run_with(&words,
                             &(struct sg_process_start){.changes = changes,
                                                        .change_count = 1,
                                                        .descriptors = {[3] = lifeline->reading}},
                             NULL);
}

static enum sg_code list_gates(const char *const *argv, const char *folder,
                               const struct sg_lifeline *lifeline, struct sg_text *lines,
                               struct sg_err *err)
{
    SG_FORMATTED(list, "%s/.list", folder);
    if (sg_gate_set_paths(err) != SG_SUCCESS || sg_write_file(list.data, "", 0, err) != SG_SUCCESS)
        return err->code;
    const int status = start(argv, folder, lifeline);
    if (status == SG_EXIT_INTERRUPTED)
        return sg_fail(err, SG_INTERRUPTED, argv[0], "stopped by a signal");
    if (status != 0)
        return sg_fail(err, SG_BAD_INPUT, argv[0], "%s",
                       status < 0 ? "cannot be run, or was killed"
                                  : "failed; its messages are above");
    if (sg_read_text(list.data, lines, err) == SG_SUCCESS && lines->length == 0)
        sg_fail(err, SG_BAD_INPUT, argv[0],
                "expected a program that calls solgate.pair, found one that ended without a call");
    return err->code;
}

/* A line is what follows `solgate ab` for the gate: BASELINE CANDIDATE, --tolerance if the gate has
 * its own, and --of with the commit of the baseline function. Without CANDIDATE the baseline is the
 * same code. */
static enum sg_code judge(char *line, const char *folder, const struct sg_ab_options *given,
                          struct sg_err *err)
{
    static const char option[] = " --tolerance=", commit[] = " --of=";
    SG_SCOPED(sg_text) script = {0}, out = {0}, title = {0};
    SG_SCOPED(sg_names) modules = {0};
    struct sg_ab_options options = *given;
    char *of = strstr(line, commit), *tolerance = strstr(line, option);
    if (of)
        *of = '\0';
    if (tolerance)
        *tolerance = '\0';
    /* A gate's own tolerance is of its time. */
    if (tolerance && !options.settings.energy &&
        sg_parse_percent(tolerance + strlen(option), &options.settings.tolerance, err) !=
            SG_SUCCESS)
        return err->code;
    options.of_programs = false;
    options.baseline = strsep(&line, " ");
    options.untimed = !line;
    options.candidate = line ? line : options.baseline;
    const int length = (int)strcspn(options.baseline, "/");
    sg_text_addf(&script, "%s/" GATES_FOLDER "/%.*s", folder, length, options.baseline);
    sg_text_addf(&out, "%s/%.*s", folder, length, options.baseline);
    if (of) {
        sg_text_addf(&title, "%.*s of %s", length, options.baseline, of + strlen(commit));
        options.base_title = title.data;
    }
    sg_names_add(&modules, script.data);
    options.modules = modules;
    options.out = out.data;
    options.resume &= access(out.data, F_OK) == 0; /* no folder: this gate was not begun */
    int found = SG_EXIT_DONE;
    return sg_ab_gate(&options, &found, err);
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
    SG_SCOPED(sg_text) folder = {0}, lines = {0}, gates = {0}, counts = {0}, program = {0};
    struct sg_ab_kept kept = {0};
    struct sg_ab_options each = *options;
    size_t count = 0;
    sg_text_add_command(&program, (char *const *)argv);
    each.program = program.data;
    each.kept = &kept;
    if (make_folder(options, &folder, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&gates, "%s/" GATES_FOLDER, folder.data);
    if (list_gates(argv, gates.data, lifeline, &lines, err) != SG_SUCCESS)
        return err->code;
    for (char *rest = lines.data, *line; (line = strsep(&rest, "\n")) && *line; count++)
        if (judge(line, folder.data, &each, err) != SG_SUCCESS)
            break;
    if (err->code != SG_SUCCESS)
        sg_headline_fail(&kept.headline, sg_exit_code(err->code), err->message);
    sg_text_addf(&counts, ", of %zu gate%s of the program", count, SG_PLURAL(count));
    *exit_code = kept.headline.exit_code;
    return sg_ab_print(&each, count != 1 || err->code ? counts.data : NULL, err);
}

enum sg_code sg_ab_functions_run(const char *const *argv, const struct sg_ab_options *options,
                                 int *exit_code, struct sg_err *err)
{
    struct sg_lifeline lifeline;
    if (sg_lifeline_open(&lifeline, err) != SG_SUCCESS)
        return err->code;
    judge_all(argv, options, &lifeline, exit_code, err);
    sg_lifeline_close(&lifeline);
    if (err->code == SG_NO_GPU)
        fprintf(stderr, "Without a GPU run `%s %s`; SOLGATE_GATE_SIMULATED=1 simulates times\n",
                argv[0], argv[1] ? argv[1] : "");
    return err->code;
}
