#include "plan/gate_script.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/paths.h"

#define SHELL     "/bin/sh"
#define AT_COMMIT "@" /* between the path of a script and the commit that its copy stands for */

bool sg_is_gate_script(const char *path)
{
    char head[2];
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is = descriptor >= 0 && read(descriptor, head, sizeof(head)) == sizeof(head) &&
                    memcmp(head, "#!", sizeof(head)) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return is;
}

enum sg_code sg_gate_script_at(const char *path, const char *commit, struct sg_text *copy,
                               struct sg_err *err)
{
    SG_SCOPED(sg_text) text = {0};
    if (sg_read_text(path, &text, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&text, "# at %s\n", commit); /* other code has another digest */
    sg_text_addf(copy, "%s" AT_COMMIT "%s", path, commit);
    return sg_write_file(copy->data, text.data, text.length, err);
}

const char *sg_gate_script_commit(const char *path)
{
    const char *slash = strrchr(path, '/'), *at = strstr(slash ? slash : path, AT_COMMIT);
    return at ? at + strlen(AT_COMMIT) : "";
}

enum sg_code sg_gate_set_paths(struct sg_err *err)
{
    SG_SCOPED(sg_text) home = {0}, path = {0};
    const char *before = getenv("PYTHONPATH");
    bool is_installed;
    if (sg_home(&home, &is_installed, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&path, "%s/python%s%s", home.data, before && *before ? ":" : "",
                 before ? before : "");
    setenv("PYTHONPATH", path.data, 1);
    setenv(SG_HOME_VARIABLE, home.data, 1); /* a Python process is not in solgate's folder */
    return SG_SUCCESS;
}

enum sg_code sg_gate_script_become(const char *path, int argc, char **argv, struct sg_err *err)
{
    SG_SCOPED(sg_text) words = {0};
    if (sg_path_of_module(&words, "libsolgate_gate.so", err) != SG_SUCCESS ||
        sg_gate_set_paths(err) != SG_SUCCESS)
        return err->code;
    for (int i = 0; i < argc; i++)
        sg_text_addf(&words, SG_GATE_SEPARATOR "%s", argv[i]);
    setenv(SG_GATE_VARIABLE, words.data, 1);
    execl(SHELL, SHELL, path, (char *)NULL);
    return sg_fail(err, SG_SYSTEM, SHELL, "cannot be started: %s", strerror(errno));
}
