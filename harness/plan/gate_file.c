#include "plan/gate_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/gate_fork.h"
#include "util/file.h"
#include "util/paths.h"
#include "util/start_process.h"
#include "util/text.h"

bool sg_is_gate_file(const char *path)
{
    char head[sizeof(SG_GATE_MAGIC) - 1];
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is = descriptor >= 0 &&
                    read(descriptor, head, sizeof(head)) == (ssize_t)sizeof(head) &&
                    memcmp(head, SG_GATE_MAGIC, sizeof(head)) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return is;
}

/* Reads lines up to an empty line or the end. */
static void take_cases(char **rest, struct sg_gate_file *gate)
{
    for (char *line = NULL; (line = strsep(rest, "\n")) && *line;) {
        const char *name = strsep(&line, " ");
        sg_names_add(&gate->cases, name);
        sg_names_add(&gate->shapes, line ? line : "");
    }
}

enum sg_code sg_gate_file_read(const char *path, struct sg_gate_file *gate, struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    *gate = (struct sg_gate_file){.sides = 0, .commit = sg_copy_string("")};
    if (sg_read_text(path, &text, err) != SG_SUCCESS)
        return err->code;
    char *rest = text.data;
    strsep(&rest, "\n"); /* skips the magic line */
    char none[] = "", *family = rest ? strsep(&rest, "\n") : none,
         *sides = rest ? strsep(&rest, "\n") : none;
    char *commit = strchr(sides, ' ');
    if (commit) {
        *commit = '\0';
        free(gate->commit);
        gate->commit = sg_copy_string(commit + 1);
    }
    gate->family = sg_copy_string(family);
    gate->sides = strcmp(sides, "2") == 0 ? 2 : strcmp(sides, "1") == 0 ? 1 : 0;
    take_cases(&rest, gate);
    for (char *line = NULL; rest && (line = strsep(&rest, "\n")) && (*line || rest);)
        sg_names_add(&gate->command, line);
    if (!sg_is_name(family) || gate->sides == 0 || gate->cases.count == 0 ||
        gate->command.count < 2)
        sg_fail(err, SG_BAD_INPUT, path,
                "expected a family, 1 or 2 variants, cases, a folder and a program, found family "
                "'%s', variants '%s', %zu cases, %zu lines "
                "behind them",
                sg_show_string(family).text, sg_show_string(sides).text, gate->cases.count,
                gate->command.count);
    return err->code;
}

enum sg_code sg_gate_file_write(const char *path, const struct sg_gate_file *gate,
                                struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    const bool is_of_commit = gate->commit && *gate->commit;
    sg_text_addf(&text, SG_GATE_MAGIC "%s\n%u%s%s\n", gate->family, gate->sides,
                 is_of_commit ? " " : "", is_of_commit ? gate->commit : "");
    for (size_t i = 0; i < gate->cases.count; i++)
        sg_text_addf(&text, "%s %s\n", gate->cases.items[i], gate->shapes.items[i]);
    sg_text_add(&text, "\n");
    for (size_t i = 0; i < gate->command.count; i++) {
        if (strchr(gate->command.items[i], '\n'))
            return sg_fail(err, SG_BAD_USAGE, "--exec",
                           "expected arguments of one line each, found '%s'",
                           sg_show_string(gate->command.items[i]).text);
        sg_text_addf(&text, "%s\n", gate->command.items[i]);
    }
    return sg_write_file(path, text.data, text.length, err);
}

void sg_gate_commit(const struct sg_gate_file *gate, struct sg_text *commit)
{
    /* git sets these in a hook's environment, for the hook's repository. */
    static const struct sg_environment_change unset[] = {
        {"GIT_DIR", NULL}, {"GIT_WORK_TREE", NULL}, {"GIT_INDEX_FILE", NULL}, {"GIT_PREFIX", NULL}};
    char *const argv[] = {"git",         "describe",    "--always", "--dirty",
                          "--abbrev=12", "--exclude=*", NULL};
    const struct sg_process_start start = {
        .argv = argv,
        .folder = gate->command.items[0],
        .changes = unset,
        .change_count = sizeof(unset) / sizeof(unset[0]),
        .descriptors = {SG_FROM_NOTHING, SG_FROM_NOTHING, SG_FROM_NOTHING, SG_FROM_NOTHING},
        .group = SG_CALLERS_GROUP,
    };
    struct sg_err unused = {0};
    char line[64] = "";
    pid_t process = 0;
    FILE *git = sg_process_open(start, &process, &unused);
    if (!git)
        return;
    if (fgets(line, sizeof(line), git))
        line[strcspn(line, "\n")] = '\0';
    fclose(git);
    if (sg_process_wait(process) == 0)
        sg_text_add(commit, line);
}

void sg_gate_file_release(struct sg_gate_file *gate)
{
    free(gate->family);
    free(gate->commit);
    sg_names_release(&gate->cases);
    sg_names_release(&gate->shapes);
    sg_names_release(&gate->command);
}

enum sg_code sg_gate_set_path(struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    const char *before = getenv("PYTHONPATH");
    if (sg_path_in_home(&path, SG_GATE_PYTHON, err) != SG_SUCCESS)
        return err->code;
    if (before && *before)
        sg_text_addf(&path, ":%s", before);
    setenv("PYTHONPATH", path.data, 1);
    return SG_SUCCESS;
}

enum sg_code sg_gate_become(const char *path, int argc, char **argv, struct sg_err *err)
{
    SG_SCOPED(sg_text) library = {0}, arguments = {0}, home = {0}, settings = {0};
    SG_SCOPED(sg_gate_file) gate = {0};
    bool is_installed = false;
    if (sg_home(&home, &is_installed, err) != SG_SUCCESS ||
        sg_gate_file_read(path, &gate, err) != SG_SUCCESS ||
        sg_path_of_module(&library, SG_GATE_LIBRARY, err) != SG_SUCCESS ||
        sg_gate_set_path(err) != SG_SUCCESS)
        return err->code;
    for (int i = 0; i < argc; i++)
        sg_text_addf(&arguments, "%s" SG_GATE_SEPARATOR, argv[i]);
    const struct {
        const char *name, *value;
    } given[] = {
        {SG_GATE_ARGUMENTS_VARIABLE, sg_text_string(&arguments)},
        {SG_GATE_LIBRARY_VARIABLE, library.data},
        {SG_HOME_VARIABLE, home.data}, /* the program cannot find solgate's files by its own path */
    };
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        setenv(given[i].name, given[i].value, 1);
        sg_text_addf(&settings, "%s%s=%s", i > 0 ? SG_GATE_FORK_SEPARATOR : "", given[i].name,
                     given[i].value);
    }
    const int code = sg_gate_fork(path, &settings);
    if (code >= 0)
        _exit(code);
    const char *folder = gate.command.count > 0 ? gate.command.items[0] : "";
    if (chdir(folder) != 0)
        return sg_fail(err, SG_SYSTEM, folder, "%s", strerror(errno));
    *SG_APPEND(gate.command.items, gate.command.count, gate.command.capacity) = NULL;
    execvp(gate.command.items[1], &gate.command.items[1]);
    return sg_fail(err, SG_SYSTEM, gate.command.items[1], "cannot be started: %s", strerror(errno));
}
