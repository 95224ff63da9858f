/* Prints the first sheet for programs. */
#include "reports/report.h"
#include "util/csv_reader.h"

static void add_sheet(const struct sg_sheet *sheet, struct sg_text *out)
{
    for (size_t i = 0; i < sheet->column_count; i++) {
        sg_text_add(out, i > 0 ? "," : "");
        sg_csv_add_field(out, sg_column_name(&sheet->columns[i]));
    }
    for (size_t row = 0; row < sheet->row_count; row++)
        for (size_t i = 0; i < sheet->column_count; i++) {
            sg_text_add(out, i > 0 ? "," : "\n");
            sg_csv_add_field(out, sg_sheet_exact(sheet, row, i));
        }
    sg_text_add(out, "\n");
}

static void document(const struct sg_document *document, bool colour, struct sg_text *out)
{
    (void)colour;
    for (size_t i = 0; i < document->count; i++)
        if (document->part[i]->kind == SG_PART_SHEET &&
            sg_part_is_shown(document->part[i], SG_FOR_PROGRAMS)) {
            add_sheet(&document->part[i]->sheet, out);
            return;
        }
}

const struct sg_format sg_format_csv = {.name = "csv", .document = document};
