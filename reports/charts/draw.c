/*
 * Writes a chart's files: its data, then one gnuplot run per drawing.
 */
#include <stdlib.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "reports/charts/charts.h"
#include "reports/charts/gnuplot.h"
#include "util/escape.h"
#include "util/file.h"

#define LINE_PIXELS 17.0

/* A kind of drawing. In the narrow drawing, for phones, names and words are above the marks of a
 * row. The words are right of the name if they fit, otherwise below it. */
struct drawing {
    const char *terminal, *ending;
    double character; /* pixels per character of the caption, slightly more than average */
    bool is_narrow;
};
static const struct drawing drawings[] = {
    {"png", ".png", 8.2, false},
    {"svg", ".svg", 8.2, false},
    {"svg", "_narrow.svg", 6.9, true},
};
#define NARROW           376.0 /* fits a window of 400 pixels */
#define NARROW_SIDE      14.0
#define NARROW_AXIS      84.0  /* for the numbers of a vertical axis */
#define NARROW_LINE      21.0  /* height of names, of words, or of marks */
#define NARROW_PLOT      300.0 /* height of a plot without rows */
#define NARROW_KEY       21.0  /* per line of the key */
#define NARROW_UPRIGHT   1.42  /* height of upright column names over their height at 45 degrees */
#define NARROW_CHARACTER 7.1

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

/* The chart in narrow proportions; *lines: lines per row. */
static struct sg_chart narrow_of(const struct sg_chart *chart, int *lines)
{
    struct sg_chart narrow = *chart;
    const bool has_rows = !(chart->y_high > chart->y_low);
    *lines = NARROW_CHARACTER * (double)chart->pair < NARROW - 2 * NARROW_SIDE ? 2 : 3;
    narrow.left = has_rows ? NARROW_SIDE : NARROW_AXIS;
    narrow.right = NARROW_SIDE;
    narrow.width = NARROW - narrow.left - narrow.right;
    narrow.height =
        has_rows ? chart->height / SG_ROW_PIXELS * *lines * NARROW_LINE : NARROW_PLOT + chart->head;
    narrow.top = fmax(16 + NARROW_UPRIGHT * (chart->top - SG_TITLE_PIXELS), 12);
    narrow.bottom += NARROW_KEY * chart->key - 18;
    return narrow;
}

/* The numbers that scripts read word by word: width height left right top bottom x_low x_high
 * x_log y_low y_high caption_y lines head. `lines` is per row in a narrow drawing, otherwise 0.
 * Ranges always have a decimal point, because gnuplot reads 6e+13 as the integer 6 with a
 * suffix. */
static void add_numbers(const struct sg_chart *chart, size_t caption_lines, int lines,
                        struct sg_text *out)
{
    const double caption = LINE_PIXELS * (double)caption_lines, bottom = chart->bottom + caption;
    sg_text_addf(out, "%.0f %.0f %.0f %.0f %.0f %.0f %#.9g %#.9g %d %#.9g %#.9g %.0f %d %.0f",
                 chart->left + chart->width + chart->right, chart->top + chart->height + bottom,
                 chart->left, chart->right, chart->top, bottom, chart->x_low, chart->x_high,
                 chart->x_log, chart->y_low, chart->y_high, lines > 0 ? caption : bottom - 84,
                 lines, chart->head);
}

/* Draws in the folder of `like`, and moves the result to `folder`. */
static enum sg_code draw_as(const struct sg_chart *chart, const struct drawing *as,
                            const char *caption, const struct sg_gnuplot *like, const char *folder,
                            struct sg_err *err)
{
    int row_lines = 0;
    struct sg_gnuplot run = *like;
    SG_SCOPED(sg_text) output = {0}, drawn = {0}, place = {0}, lines = {0}, numbers = {0};
    const struct sg_chart shape = as->is_narrow ? narrow_of(chart, &row_lines) : *chart;
    const double width = shape.left + shape.width + shape.right;
    add_numbers(&shape, wrap(caption, (size_t)((width - 32) / as->character), &lines), row_lines,
                &numbers);
    sg_text_addf(&output, "%s%s", chart->name, as->ending);
    sg_text_addf(&drawn, "%s/%s", run.folder, output.data);
    sg_text_addf(&place, "%s/%s", folder, output.data);
    run.argument[0] = as->terminal;
    run.argument[1] = output.data;
    run.argument[3] = numbers.data;
    run.argument[6] = sg_text_string(&lines);
    if (sg_gnuplot_run(&run, err) == SG_SUCCESS)
        sg_move_file(drawn.data, place.data, err);
    unlink(drawn.data);
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

enum sg_code sg_chart_draw(const struct sg_chart *chart, const char *folder, const char *caption,
                           struct sg_err *err)
{
    SG_SCOPED(sg_text) script = {0}, path = {0}, table = {0}, data = {0}, private = {0};
    sg_text_addf(&data, "../%s.tsv", chart->name);
    sg_text_addf(&path, "%s/%s.tsv", folder, chart->name);
    sg_text_addf(&table, "%s\n", sg_text_string(&chart->data));
    if (sg_write_file(path.data, table.data, table.length, err) != SG_SUCCESS ||
        sg_plot_script(chart->script, &script, err) != SG_SUCCESS ||
        make_private(folder, &private, err) != SG_SUCCESS)
        return err->code;
    const struct sg_gnuplot run = {
        .script = script.data,
        .folder = private.data,
        .argument = {[2] = data.data,
                     [4] = chart->title,
                     [5] = chart->axis,
                     [7] = sg_text_string(&chart->legend)},
        .count = 8,
    };
    for (size_t i = 0; i < sizeof(drawings) / sizeof(drawings[0]) && err->code == SG_SUCCESS; i++)
        draw_as(chart, &drawings[i], caption, &run, folder, err);
    rmdir(private.data);
    return err->code;
}
