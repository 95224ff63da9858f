/* Several runs side by side. */
#include <math.h>

#include "reports/page.h"
#include "util/csv_reader.h"

static double value_in(const struct sg_table *table, const struct sg_table *names, const struct sg_row *like)
{
    const struct sg_row *row = sg_table_find(table, sg_table_string(names, like->family), sg_table_string(names, like->case_),
                                             sg_table_string(names, like->variant), sg_table_string(names, like->metric));
    return row && (row->has & SG_HAS_VALUE) ? row->value : NAN;
}

static const struct sg_column run_columns[] = {
    {.title = "case", .meaning = "family and case", .key = true},
    {.title = "variant", .meaning = "the kernel that was measured", .key = true},
    {.title = "first run", .meaning = "time in the run that this report is about", .right = true},
    {.title = "other run", .meaning = "time in the run it is shown beside", .right = true},
    {.title = "change", .meaning = "first run over the other, -1; not in pairs: clocks and days are in it", .right = true, .key = true},
    {.title = "which", .meaning = "the other run", .key = true},
};

static void add_row(struct sg_sheet *sheet, const struct sg_table *run, const struct sg_row *row, const struct sg_report_part *other)
{
    const double then = value_in(other->input.run, run, row);
    sg_sheet_row(sheet, SG_ASIDE);
    sg_sheet_cellf(sheet, "%s/%s", sg_table_string(run, row->family), sg_table_string(run, row->case_));
    sg_sheet_cell(sheet, sg_table_string(run, row->variant));
    sg_add_time(sg_sheet_open(sheet), row->value);
    sg_add_time(sg_sheet_open(sheet), then);
    sg_add_change(sg_sheet_open(sheet), row->value / then - 1);
    sg_sheet_cell(sheet, other->path);
}

static void add_verdict(struct sg_document *document, const struct sg_report_part *part)
{
    struct sg_text words = {0};
    sg_text_addf(&words, "%s: ", part->path);
    sg_add_caption(&words, part->input.env, NULL);
    sg_text_add(&words, ": ");
    if (part->input.comparison)
        sg_add_sentence(&words, &part->input);
    else
        sg_text_add(&words, part->why_not ? part->why_not : "not judged");
    sg_document_take_note(document, SG_FOR_PAGES, &words);
}

void sg_add_other_runs(struct sg_document *document, const struct sg_report *report)
{
    const struct sg_table *run = report->parts[0].input.run;
    const sg_id time = sg_table_find_id(run, "time");
    if (report->part_count < 2)
        return;
    sg_document_heading(document, SG_FOR_PAGES, "runs", "Other runs");
    for (size_t part = 1; part < report->part_count; part++)
        add_verdict(document, &report->parts[part]);
    struct sg_sheet *sheet = sg_document_sheet(document, "runs", SG_COLUMNS(run_columns), SG_FOR_PAGES);
    for (size_t i = 0; i < run->count; i++)
        for (size_t part = 1; part < report->part_count; part++)
            if (run->rows[i].metric == time && (run->rows[i].has & SG_HAS_VALUE))
                add_row(sheet, run, &run->rows[i], &report->parts[part]);
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
            sg_text_add(out, ",");
            sg_add_exactly(out, value_in(report->parts[part].input.run, run, row));
        }
        sg_text_add(out, "\n");
    }
}
