#define _GNU_SOURCE /* pipe2 */
#include "reports/charts/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/paths.h"
#include "util/start_process.h"

#define WITHOUT  "install gnuplot-nox, or ask for --tables-only"
#define TAIL_MAX 700 /* bytes of its stderr in an error message */

enum sg_code sg_plot_script(const char *script, struct sg_text *path, struct sg_err *err)
{
    SG_SCOPED(sg_text) home = {0}, relative = {0};
    sg_text_addf(&relative, "reports/plots/%s", script);
    if (sg_path_in_home(&home, relative.data, err) == SG_SUCCESS) {
        SG_FREED char *real = realpath(home.data, NULL);
        if (real)
            sg_text_add(path, real);
        else
            sg_fail(err, SG_SYSTEM, home.data, "the chart's script cannot be read: %s",
                    strerror(errno));
    }
    return err->code;
}

/* Reads to the end and keeps the last bytes, which have a script's error. */
static void drain(int descriptor, char tail[TAIL_MAX + 1])
{
    char chunk[512];
    size_t used = 0;
    for (ssize_t got; (got = read(descriptor, chunk, sizeof(chunk))) != 0;) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        size_t more = (size_t)got, keep = used + more > TAIL_MAX ? TAIL_MAX - more : used;
        memmove(tail, tail + used - keep, keep);
        memcpy(tail + keep, chunk, more);
        used = keep + more;
    }
    while (used > 0 && (tail[used - 1] == '\n' || tail[used - 1] == ' '))
        used--;
    tail[used] = '\0';
}

static enum sg_code start(const struct sg_gnuplot *run, const char *program, int output,
                          pid_t *child, struct sg_err *err)
{
    const char *argv[5 + SG_GNUPLOT_ARGUMENTS] = {program, "-d", "-c", run->script};
    memcpy(argv + 4, run->argument, run->count * sizeof(argv[0]));
    const struct sg_process_start start = {
        .argv = (char *const *)argv,
        .folder = run->folder,
        .descriptors = {SG_FROM_NOTHING, output, output, SG_FROM_CALLER},
        .group = SG_CALLERS_GROUP,
    };
    return sg_process_start(&start, child, err);
}

static enum sg_code wait_for(pid_t child, const char *tail, struct sg_err *err)
{
    const int status = sg_process_wait(child);
    if (status < 0)
        sg_fail(err, SG_SYSTEM, "gnuplot", "killed by signal %d; it printed: %s", -status, tail);
    else if (status != 0)
        sg_fail(err, SG_SYSTEM, "gnuplot", "left with status %d; it printed: %s", status, tail);
    return err->code;
}

enum sg_code sg_gnuplot_run(const struct sg_gnuplot *run, struct sg_err *err)
{
    int pipe_ends[2];
    char tail[TAIL_MAX + 1] = "";
    pid_t child = 0;
    SG_SCOPED(sg_text) program = {0};
    /* Searched here, because the child runs in a folder of charts, where a relative element of
     * PATH could lead to an untrusted program. */
    if (!sg_program_path(&program, "gnuplot"))
        return sg_fail(err, SG_SYSTEM, "gnuplot",
                       "cannot be started: no folder of PATH has it; " WITHOUT);
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
        return sg_fail(err, SG_SYSTEM, "gnuplot", "no pipe to hear it by: %s", strerror(errno));
    }
    start(run, program.data, pipe_ends[1], &child, err);
    close(pipe_ends[1]);
    if (err->code == SG_SUCCESS) {
        drain(pipe_ends[0], tail);
        wait_for(child, tail, err);
    }
    close(pipe_ends[0]);
    return err->code;
}
