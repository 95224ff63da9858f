/*
 * Runs gnuplot: one run per drawing of a chart.
 *
 * gnuplot is started with an argument vector, from an absolute folder of PATH: no shell, no user
 * initialisation file, no standard input.
 */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reports/charts/charts.h"
#include "util/escape.h"
#include "util/file.h"
#include "util/paths.h"
#include "util/start_process.h"

#define WITHOUT       "install gnuplot-nox, or use --tables-only"
#define TAIL_MAX      700 /* bytes of its stderr in an error message */
#define ARGUMENTS_MAX 9   /* gnuplot passes no more arguments to a script */

/* ---- gnuplot ---- */

/* The real path of reports/plots/SCRIPT, because gnuplot runs in another folder. */
static enum sg_code find_script(const char *script, struct sg_text *path, struct sg_err *err)
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

/* The program is searched here, because the child runs in a folder of charts, where a relative
 * element of PATH could lead to an untrusted program. `arguments` ends with NULL. */
static enum sg_code start(const char *folder, const char *script, const char *const *arguments,
                          int output, pid_t *child, struct sg_err *err)
{
    const char *argv[5 + ARGUMENTS_MAX] = {NULL, "-d", "-c"};
    SG_SCOPED(sg_text) program = {0}, path = {0};
    if (!sg_program_path(&program, "gnuplot"))
        return sg_fail(err, SG_SYSTEM, "gnuplot",
                       "cannot be started: no folder of PATH has it; " WITHOUT);
    if (find_script(script, &path, err) != SG_SUCCESS)
        return err->code;
    argv[0] = program.data;
    argv[3] = path.data;
    for (size_t i = 0; arguments[i]; i++)
        argv[4 + i] = arguments[i];
    const struct sg_process_start start = {
        .argv = (char *const *)argv,
        .folder = folder,
        .descriptors = {SG_FROM_NOTHING, output, output, SG_FROM_CALLER},
        .group = SG_CALLERS_GROUP,
    };
    return sg_process_start(&start, child, err);
}

/* Runs a script in a folder. SG_SYSTEM: gnuplot is missing, or exited with an error; the message
 * ends with gnuplot's last output, which has a script's error. */
static enum sg_code run_gnuplot(const char *folder, const char *script,
                                const char *const *arguments, struct sg_err *err)
{
    char tail[TAIL_MAX + 1] = "";
    pid_t child = 0;
    const int printed = memfd_create("gnuplot", MFD_CLOEXEC);
    if (printed < 0)
        return sg_fail(err, SG_SYSTEM, "gnuplot", "cannot make a file for its messages: %s",
                       strerror(errno));
    if (start(folder, script, arguments, printed, &child, err) == SG_SUCCESS) {
        const int status = sg_process_wait(child);
        const off_t end = lseek(printed, 0, SEEK_END);
        ssize_t length = pread(printed, tail, TAIL_MAX, end > TAIL_MAX ? end - TAIL_MAX : 0);
        while (length > 0 && (tail[length - 1] == '\n' || tail[length - 1] == ' '))
            tail[--length] = '\0';
        if (status != 0)
            sg_fail(err, SG_SYSTEM, "gnuplot", "%s %d; it printed: %s",
                    status < 0 ? "killed by signal" : "left with status", abs(status), tail);
    }
    close(printed);
    return err->code;
}

/* Makes a new folder inside `folder`: gnuplot opens its output by name and would follow a link
 * there. */
static enum sg_code make_private(const char *folder, struct sg_text *private, struct sg_err *err)
{
    sg_text_addf(private, "%s/.drawing.XXXXXX", folder);
    if (!mkdtemp(private->data))
        return sg_fail(err, SG_SYSTEM, folder, "cannot make a folder to draw in: %s",
                       strerror(errno));
    return SG_SUCCESS;
}

/* Moves a drawing to `folder`, or removes it after a failure. */
static void move_from(const char *private, const char *folder, const char *name, struct sg_err *err)
{
    SG_FORMATTED(drawn, "%s/%s", private, name);
    SG_FORMATTED(place, "%s/%s", folder, name);
    if (err->code == SG_SUCCESS)
        sg_move_file(drawn.data, place.data, err);
    unlink(drawn.data);
}

/* ---- letters ---- */

/* Reads a drawing and removes it. */
static enum sg_code take_drawing(const char *folder, const char *name, struct sg_text *drawing,
                                 struct sg_err *err)
{
    SG_FORMATTED(path, "%s/%s", folder, name);
    if (err->code == SG_SUCCESS)
        sg_read_file(path.data, drawing, err);
    unlink(path.data);
    return err->code;
}

/* Without an installed font gnuplot draws charts without text and exits with 0. */
enum sg_code sg_gnuplot_check_letters(struct sg_err *err)
{
    const char *folder = getenv("TMPDIR");
    SG_SCOPED(sg_text) private = {0}, narrow = {0}, wide = {0};
    if (make_private(folder && *folder ? folder : "/tmp", &private, err) != SG_SUCCESS)
        return err->code;
    run_gnuplot(private.data, "letters.gp", (const char *const[]){NULL}, err);
    take_drawing(private.data, "iii", &narrow, err);
    take_drawing(private.data, "WWW", &wide, err);
    rmdir(private.data);
    if (err->code == SG_SUCCESS && narrow.length == wide.length &&
        memcmp(sg_text_string(&narrow), sg_text_string(&wide), wide.length) == 0)
        sg_fail(err, SG_SYSTEM, "gnuplot",
                "finds no font, so charts would have no text: install fonts-dejavu-core, or use "
                "--tables-only");
    return err->code;
}

/* ---- a chart ---- */

/* A kind of drawing, and the characters per line of its caption. */
static const struct drawing {
    const char *ending;
    size_t characters;
} drawings[] = {{".png", 120}, {".svg", 120}, {"_narrow.svg", 50}};

/* Breaks a caption at blanks. Returns the number of lines. */
static size_t wrap(const char *caption, size_t most, struct sg_text *out)
{
    SG_SCOPED(sg_text) clean = {0};
    size_t lines = 1, used = 0;
    sg_add_plot(&clean, caption);
    char *rest = NULL;
    for (char *word = strtok_r(clean.data, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        size_t width = sg_width(word);
        bool fits = used + 1 + width <= most;
        if (used > 0)
            sg_text_add(out, fits ? " " : "\n");
        lines += used > 0 && !fits;
        used = used > 0 && fits ? used + 1 + width : width;
        sg_text_add(out, word);
    }
    return lines;
}

/* Draws in a private folder, and moves the result to `folder`. Numbers always have a decimal point,
 * because gnuplot reads 6e+13 as the integer 6 with a suffix. */
static enum sg_code draw_as(const struct sg_chart *chart, const struct drawing *as,
                            const char *caption, const char *private, const char *folder,
                            struct sg_err *err)
{
    SG_SCOPED(sg_text) output = {0}, data = {0}, lines = {0}, numbers = {0};
    const size_t line_count = wrap(caption, as->characters, &lines);
    sg_text_addf(&output, "%s%s", chart->name, as->ending);
    sg_text_addf(&data, "../%s.tsv", chart->name);
    sg_text_addf(&numbers, "%#.9g %#.9g %d %zu", chart->x_low, chart->x_high, chart->x_log,
                 line_count);
    const char *const arguments[] = {chart->script,
                                     output.data,
                                     data.data,
                                     chart->title,
                                     chart->axis,
                                     sg_text_string(&lines),
                                     sg_text_string(&chart->legend),
                                     numbers.data,
                                     NULL};
    run_gnuplot(private, "style.gp", arguments, err);
    move_from(private, folder, output.data, err);
    return err->code;
}

enum sg_code sg_chart_draw(const struct sg_chart *chart, const char *folder, const char *caption,
                           struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0}, table = {0}, private = {0};
    sg_text_addf(&path, "%s/%s.tsv", folder, chart->name);
    sg_text_addf(&table, "%s\n", sg_text_string(&chart->data));
    if (sg_write_file(path.data, table.data, table.length, err) != SG_SUCCESS ||
        make_private(folder, &private, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < sizeof(drawings) / sizeof(drawings[0]) && err->code == SG_SUCCESS; i++)
        draw_as(chart, &drawings[i], caption, private.data, folder, err);
    rmdir(private.data);
    return err->code;
}
