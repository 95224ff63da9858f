#include "plan/gate_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/paths.h"
#include "util/text.h"

bool sg_is_gate_file(const char *path)
{
    char head[sizeof(SG_GATE_MAGIC) - 1];
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is =
        descriptor >= 0 && read(descriptor, head, sizeof(head)) == (ssize_t)sizeof(head) && memcmp(head, SG_GATE_MAGIC, sizeof(head)) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return is;
}

enum sg_code sg_gate_file_write(const char *path, const char *family, const char *const *argv, struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    SG_FREED char *folder = getcwd(NULL, 0);
    if (!folder)
        return sg_fail(err, SG_SYSTEM, NULL, "the working folder has no name: %s", strerror(errno));
    sg_text_addf(&text, SG_GATE_MAGIC "%s\n%s\n", family, folder);
    for (size_t i = 0; argv[i]; i++) {
        if (strchr(argv[i], '\n'))
            return sg_fail(err, SG_BAD_USAGE, argv[0], "expected arguments of one line each, found '%s'", sg_show_string(argv[i]).text);
        sg_text_addf(&text, "%s\n", argv[i]);
    }
    return sg_write_file(path, text.data, text.length, err);
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
    SG_SCOPED(sg_text) text = {0}, library = {0}, arguments = {0}, home = {0};
    SG_SCOPED(sg_names) lines = {0};
    bool is_installed = false;
    if (sg_home(&home, &is_installed, err) != SG_SUCCESS || sg_read_text(path, &text, err) != SG_SUCCESS ||
        sg_path_of_module(&library, SG_GATE_LIBRARY, err) != SG_SUCCESS || sg_gate_set_path(err) != SG_SUCCESS)
        return err->code;
    if (text.length > 0 && text.data[text.length - 1] == '\n')
        text.data[text.length - 1] = '\0';
    sg_names_add_split(&lines, text.data, '\n');
    if (lines.count < 4)
        return sg_fail(err, SG_BAD_INPUT, path, "expected a family, a folder and a program, found %zu lines", lines.count);
    for (int i = 0; i < argc; i++)
        sg_text_addf(&arguments, "%s" SG_GATE_SEPARATOR, argv[i]);
    setenv(SG_GATE_ARGUMENTS_VARIABLE, sg_text_string(&arguments), 1);
    setenv(SG_GATE_LIBRARY_VARIABLE, library.data, 1);
    setenv(SG_HOME_VARIABLE, home.data, 1); /* the program is in another folder */
    if (chdir(lines.items[2]) != 0)
        return sg_fail(err, SG_SYSTEM, lines.items[2], "%s", strerror(errno));
    sg_names_add(&lines, ""); /* room for the end of the list */
    free(lines.items[lines.count - 1]);
    lines.items[--lines.count] = NULL;
    execvp(lines.items[3], &lines.items[3]);
    return sg_fail(err, SG_SYSTEM, lines.items[3], "cannot be started: %s", strerror(errno));
}
