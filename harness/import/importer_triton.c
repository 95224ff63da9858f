/* CSV of triton.testing.perf_report: a row per point, with its axes and then a column per line. Its
 * values are what the benchmark returned: times, or rates, which are read as the time of one GB or
 * Tflop. The unit is in the column's name, "Triton (GB/s)". */
#include <math.h>
#include <string.h>

#include "import/importer.h"

/* For a rate: the unit of work that the time is for. */
static const struct {
    const char *unit, *work;
} units[] = {{"ms", NULL},   {"us", NULL},        {"ns", NULL},         {"GB/s", "GB"},
             {"TB/s", "TB"}, {"TFLOPS", "Tflop"}, {"TFLOP/s", "Tflop"}, {"GFLOPS", "Gflop"}};
#define UNITS (sizeof(units) / sizeof(units[0]))

static size_t unit_of(const char *word)
{
    size_t i = 0;
    while (i < UNITS && strcmp(units[i].unit, word) != 0)
        i++;
    return i;
}

static enum sg_code take_line(struct sg_gathering *g, const char *axes, size_t unit,
                              const char *line, const char *found, struct sg_err *err)
{
    struct sg_tool_number figure;
    const char *work = units[unit].work;
    SG_FORMATTED(what, "%s %s%s%s", line, axes, work ? ": time of one " : "", work ? work : "");
    SG_FORMATTED(name, "%s%s%s", line, work ? " per " : "", work ? work : "");
    const size_t item = sg_gather_item(g, axes, name.data, what.data);
    if (sg_number_of_tool(found, &figure, err) != SG_SUCCESS)
        return err->code;
    if (figure.status != SG_OK)
        sg_gather_words(g, item, SG_TIME_METRIC, figure.status, found);
    else if (isnan(figure.value) || !(figure.value > 0))
        sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected a number above 0, found '%s'", line,
                sg_show_string(found).text);
    else
        sg_gather(g, item, SG_TIME_METRIC, work ? "s" : units[unit].unit,
                  work ? 1 / figure.value : figure.value, err);
    return err->code;
}

static enum sg_code on_row(struct sg_gathering *g, const struct sg_csv_table *row,
                           struct sg_err *err)
{
    SG_SCOPED(sg_text) axes = {0};
    double number;
    bool has_line = false;
    for (size_t i = 0; i < row->fields.count && err->code == SG_SUCCESS; i++) {
        const char *name = row->names.items[i], *found = row->fields.items[i];
        const size_t unit = unit_of(row->units.items[i]);
        const bool is_axis = unit == UNITS && !has_line;
        has_line |= unit < UNITS;
        if (unit < UNITS && !sg_ends_in(name, "-min") && !sg_ends_in(name, "-max"))
            take_line(g, axes.length > 0 ? axes.data : "all", unit, name, found, err);
        if (is_axis)
            sg_text_addf(&axes, "%s%s=", axes.length > 0 ? " " : "", name);
        if (is_axis && sg_parse_double(found, false, &number))
            sg_text_addf(&axes, "%.9g", number);
        else if (is_axis)
            sg_text_add(&axes, found);
    }
    return err->code;
}

/* The unit at the end of a column of a header; UNITS: none. */
static size_t unit_at_end(const char *column)
{
    const char *from = strrchr(column, '(');
    SG_SCOPED(sg_text) word = {0};
    if (from && sg_ends_in(column, ")"))
        sg_text_add_bytes(&word, from + 1, strlen(from) - 2);
    return unit_of(sg_text_string(&word));
}

/* A header names the axes, which have no unit, and then the lines, which all have the same unit.
 * With two lines it may also have the column "Diff". */
static bool is_header(const char *line)
{
    SG_SCOPED(sg_names) columns = {0};
    size_t unit = UNITS;
    sg_names_add_split(&columns, line, ',');
    bool fits = columns.count > 1;
    for (size_t i = 0; i < columns.count && fits; i++) {
        const char *column = columns.items[i];
        const size_t own = unit_at_end(column);
        fits = unit == UNITS ? !sg_ends_in(column, ")") || (own < UNITS && i > 0)
                             : own == unit || strcmp(column, "Diff") == 0;
        unit = unit == UNITS ? own : unit;
    }
    return fits && unit < UNITS;
}

const struct sg_importer sg_importer_triton = {
    .name = "triton",
    .what = "CSV of triton.testing.perf_report, with the unit in the names of its lines",
    .is_header = is_header,
    .on_row = on_row};
