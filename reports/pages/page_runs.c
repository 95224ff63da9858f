/* Several runs side by side. */
#include <math.h>
#include <stdio.h>

#include "reports/pages/page.h"
#include "util/csv_reader.h"

static double value_in(const struct sg_table *table, const struct sg_table *names, const struct sg_row *like)
{
    const struct sg_row *row = sg_table_find(table, sg_table_string(names, like->family), sg_table_string(names, like->case_),
                                             sg_table_string(names, like->variant), sg_table_string(names, like->metric));
    return row && (row->has & SG_HAS_VALUE) ? row->value : NAN;
}

static const struct sg_column grid_column[] = {
    {.title = "case", .meaning = "family and case", .key = true},
    {.title = "variant", .meaning = "the kernel that was measured", .key = true},
    {.title = "first run", .meaning = "time in the run that this report is about", .right = true},
    {.title = "other run", .meaning = "time in the run it is shown beside", .right = true},
    {.title = "change", .meaning = "first run over the other, -1; not in pairs: clocks and days are in it", .right = true, .key = true},
    {.title = "which", .meaning = "the other run", .key = true},
};
#define GRID_COLUMNS (sizeof(grid_column) / sizeof(grid_column[0]))

static void add_cell(struct sg_sheet *grid, struct sg_text *cell)
{
    sg_sheet_cell(grid, sg_text_string(cell));
    sg_text_release(cell);
}

static void add_row(struct sg_sheet *grid, const struct sg_report *report, size_t part, const struct sg_row *row)
{
    const struct sg_table *run = report->parts[0].input.run;
    double other = value_in(report->parts[part].input.run, run, row);
    struct sg_text cell = {0};
    sg_sheet_row(grid, SG_ASIDE);
    sg_text_addf(&cell, "%s/%s", sg_table_string(run, row->family), sg_table_string(run, row->case_));
    add_cell(grid, &cell);
    sg_sheet_cell(grid, sg_table_string(run, row->variant));
    sg_add_time(&cell, row->value);
    add_cell(grid, &cell);
    sg_add_time(&cell, other);
    add_cell(grid, &cell);
    sg_add_change(&cell, row->value / other - 1);
    add_cell(grid, &cell);
    sg_sheet_cell(grid, report->parts[part].path);
}

size_t sg_runs_grid(struct sg_sheet *grid, const struct sg_report *report, size_t most)
{
    const struct sg_table *run = report->parts[0].input.run;
    const sg_id time = sg_table_find_id(run, "time");
    size_t rows = 0;
    sg_sheet_init(grid, grid_column, GRID_COLUMNS);
    for (size_t i = 0; i < run->count; i++)
        for (size_t part = 1; part < report->part_count; part++)
            if (run->rows[i].metric == time && (run->rows[i].has & SG_HAS_VALUE) && rows++ < most)
                add_row(grid, report, part, &run->rows[i]);
    return rows;
}

void sg_runs_csv(const struct sg_report *report, struct sg_text *out)
{
    const struct sg_table *run = report->parts[0].input.run;
    const sg_id time = sg_table_find_id(run, "time"), ratio = sg_table_find_id(run, "time_ratio");
    sg_text_add(out, "family,case,variant,metric,unit");
    for (size_t part = 0; part < report->part_count; part++) {
        sg_text_add(out, ",");
        sg_csv_add_field(out, report->parts[part].path);
    }
    sg_text_add(out, "\n");
    for (size_t i = 0; i < run->count; i++) {
        const struct sg_row *row = &run->rows[i];
        if (row->metric != time && row->metric != ratio)
            continue;
        const sg_id names[] = {row->family, row->case_, row->variant, row->metric, row->unit};
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
            sg_text_add(out, k > 0 ? "," : "");
            sg_csv_add_field(out, sg_table_string(run, names[k]));
        }
        for (size_t part = 0; part < report->part_count; part++) {
            double value = part == 0 && (row->has & SG_HAS_VALUE) ? row->value : value_in(report->parts[part].input.run, run, row);
            sg_text_add(out, ",");
            sg_add_exactly(out, value);
        }
        sg_text_add(out, "\n");
    }
}
