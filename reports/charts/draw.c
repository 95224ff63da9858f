/* A chart to files: its data, then gnuplot once a terminal. */
#include <stdlib.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "reports/charts/charts.h"
#include "reports/charts/gnuplot.h"
#include "util/escape.h"
#include "util/file.h"

#define CHARACTER_PIXELS 8.2 /* of the caption, a little more than it has on average */
#define LINE_PIXELS      17.0

/* Breaks a caption at blanks; returns how many lines it has. */
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

/*
 * What a script reads word by word: width height left right top bottom x_low x_high x_log
 * y_low y_high. The ranges with a point in any case: gnuplot takes 6e+13 for the whole
 * number 6 with something behind it.
 */
static void add_numbers(const struct sg_chart *chart, size_t caption_lines, struct sg_text *out)
{
    double bottom = chart->bottom + LINE_PIXELS * (double)caption_lines;
    sg_text_addf(out, "%.0f %.0f %.0f %.0f %.0f %.0f %#.9g %#.9g %d %#.9g %#.9g", chart->left + chart->width + chart->right,
                 chart->top + chart->height + bottom, chart->left, chart->right, chart->top, bottom, chart->x_low, chart->x_high,
                 chart->x_log, chart->y_low, chart->y_high);
}

/* Draws in `like`'s folder, and moves what came of it to where it belongs. */
static enum sg_code draw_as(const struct sg_chart *chart, const char *terminal, const struct sg_gnuplot *like, const char *folder,
                            struct sg_err *err)
{
    struct sg_gnuplot run = *like;
    SG_SCOPED(sg_text) output = {0}, drawn = {0}, place = {0};
    sg_text_addf(&output, "%s.%s", chart->name, terminal);
    sg_text_addf(&drawn, "%s/%s", run.folder, output.data);
    sg_text_addf(&place, "%s/%s", folder, output.data);
    run.argument[0] = terminal;
    run.argument[1] = output.data;
    if (sg_gnuplot_run(&run, err) == SG_SUCCESS)
        sg_move_file(drawn.data, place.data, err);
    unlink(drawn.data);
    return err->code;
}

/* A new folder inside of `folder`: gnuplot opens its output by name, and would follow a
 * link there. */
static enum sg_code make_private(const char *folder, struct sg_text *private, struct sg_err *err)
{
    sg_text_addf(private, "%s/.drawing.XXXXXX", folder);
    if (!mkdtemp(private->data))
        return sg_fail(err, SG_SYSTEM, folder, "cannot make a folder to draw in: %s", strerror(errno));
    return SG_SUCCESS;
}

enum sg_code sg_chart_draw(const struct sg_chart *chart, const char *folder, const char *caption, struct sg_err *err)
{
    SG_SCOPED(sg_text) script = {0}, path = {0}, table = {0}, data = {0}, lines = {0}, numbers = {0}, private = {0};
    sg_text_addf(&data, "../%s.tsv", chart->name);
    sg_text_addf(&path, "%s/%s.tsv", folder, chart->name);
    const double width = chart->left + chart->width + chart->right;
    add_numbers(chart, wrap(caption, (size_t)((width - 32) / CHARACTER_PIXELS), &lines), &numbers);
    sg_text_addf(&table, "%s\n", sg_text_string(&chart->data));
    if (sg_write_file(path.data, table.data, table.length, err) != SG_SUCCESS ||
        sg_plot_script(chart->script, &script, err) != SG_SUCCESS || make_private(folder, &private, err) != SG_SUCCESS)
        return err->code;
    const struct sg_gnuplot run = {
        .script = script.data,
        .folder = private.data,
        .argument = {[2] = data.data,
                     [3] = numbers.data,
                     [4] = chart->title,
                     [5] = chart->axis,
                     [6] = sg_text_string(&lines),
                     [7] = sg_text_string(&chart->legend)},
        .count = 8,
    };
    if (draw_as(chart, "png", &run, folder, err) == SG_SUCCESS)
        draw_as(chart, "svg", &run, folder, err);
    rmdir(private.data);
    return err->code;
}
