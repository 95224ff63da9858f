/* The first sheet that is for programs. */
#include "reports/report.h"
#include "util/csv_reader.h"

static void add_line(const struct sg_sheet *sheet, size_t row, struct sg_text *out)
{
    for (size_t i = 0; i < sheet->column_count; i++) {
        const struct sg_column *column = &sheet->columns[i];
        sg_text_add(out, i > 0 ? "," : "");
        if (row < sheet->row_count)
            sg_csv_add_field(out, sg_sheet_at(sheet, row, i));
        else
            sg_csv_add_field(out, column->name ? column->name : column->title);
    }
    sg_text_add(out, "\n");
}

static void document(const struct sg_document *document, bool colour, struct sg_text *out)
{
    (void)colour;
    for (size_t i = 0; i < document->count; i++) {
        const struct sg_document_part *part = document->part[i];
        if (part->note || (part->readers != SG_FOR_ALL && part->readers != SG_FOR_PROGRAMS))
            continue;
        add_line(&part->sheet, part->sheet.row_count, out);
        for (size_t row = 0; row < part->sheet.row_count; row++)
            add_line(&part->sheet, row, out);
        return;
    }
}

const struct sg_format sg_format_csv = {.name = "csv", .document = document};
