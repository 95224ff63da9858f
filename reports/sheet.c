#include "reports/sheet.h"

#include <string.h>

#include "util/number_format.h"

void sg_sheet_init(struct sg_sheet *sheet, const struct sg_column *columns, size_t count)
{
    *sheet = (struct sg_sheet){.columns = columns, .column_count = count};
}

/* Start of the next string, after the terminator of the previous one. */
static size_t begin_string(struct sg_sheet *sheet)
{
    if (sheet->bytes.length > 0 || sheet->cell_count > 0)
        sg_text_add_bytes(&sheet->bytes, "", 1);
    else
        sg_text_add(&sheet->bytes, "");
    return sheet->bytes.length;
}

void sg_sheet_row(struct sg_sheet *sheet, enum sg_class class_)
{
    *SG_APPEND(sheet->row, sheet->row_count, sheet->row_capacity) = class_;
}

struct sg_text *sg_sheet_open(struct sg_sheet *sheet)
{
    const size_t start = begin_string(sheet);
    sheet->exact =
        sg_grow(sheet->exact, &sheet->exact_capacity, sheet->cell_count + 1, sizeof(*sheet->exact));
    sheet->exact[sheet->cell_count] = 0;
    *SG_APPEND(sheet->cell, sheet->cell_count, sheet->cell_capacity) = start;
    return &sheet->bytes;
}

struct sg_text *sg_sheet_exactly(struct sg_sheet *sheet)
{
    const size_t last = sheet->cell_count - 1;
    sheet->exact[last] = (uint16_t)(begin_string(sheet) - sheet->cell[last]);
    return &sheet->bytes;
}

void sg_sheet_cell(struct sg_sheet *sheet, const char *text)
{
    sg_text_add(sg_sheet_open(sheet), text ? text : "");
}

void sg_sheet_add_cells(struct sg_sheet *sheet, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sg_sheet_cell(sheet, texts[i]);
}

void sg_sheet_cellf(struct sg_sheet *sheet, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sg_text_addv(sg_sheet_open(sheet), format, args);
    va_end(args);
}

void sg_sheet_take(struct sg_sheet *sheet, struct sg_text *text)
{
    sg_sheet_cell(sheet, sg_text_string(text));
    sg_text_release(text);
}

void sg_sheet_number(struct sg_sheet *sheet, double value)
{
    sg_add_exactly(sg_sheet_open(sheet), value);
}

void sg_sheet_add_numbers(struct sg_sheet *sheet, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sg_sheet_number(sheet, values[i]);
}

void sg_sheet_value(struct sg_sheet *sheet, double value, const char *unit)
{
    sg_sheet_scaled(sheet, value, 1, unit);
}

void sg_sheet_scaled(struct sg_sheet *sheet, double value, double factor, const char *unit)
{
    sg_add_value(sg_sheet_open(sheet), value * factor, unit);
    sg_add_exactly(sg_sheet_exactly(sheet), value);
}

void sg_sheet_below(struct sg_sheet *sheet, const char *text)
{
    if (!*text)
        return;
    const size_t start = begin_string(sheet);
    *SG_APPEND(sheet->line, sheet->line_count, sheet->line_capacity) =
        (struct sg_sheet_line){.row = sheet->row_count - 1, .start = start};
    sg_text_add(&sheet->bytes, text);
}

void sg_sheet_take_below(struct sg_sheet *sheet, struct sg_text *text)
{
    sg_sheet_below(sheet, sg_text_string(text));
    sg_text_release(text);
}

const char *sg_sheet_at(const struct sg_sheet *sheet, size_t row, size_t column)
{
    return sheet->bytes.data + sheet->cell[row * sheet->column_count + column];
}

const char *sg_sheet_exact(const struct sg_sheet *sheet, size_t row, size_t column)
{
    return sg_sheet_at(sheet, row, column) + sheet->exact[row * sheet->column_count + column];
}

bool sg_sheet_is_right(const struct sg_sheet *sheet, size_t column)
{
    return sheet->columns[column].right || sheet->columns[column].number;
}

const char *sg_column_name(const struct sg_column *column)
{
    return column->name ? column->name : column->title;
}

static bool has_words(const struct sg_sheet *sheet, size_t column)
{
    for (size_t row = 0; row < sheet->row_count; row++) {
        const char *cell = sg_sheet_at(sheet, row, column);
        if (*cell && strcmp(cell, "-") != 0)
            return true;
    }
    return sheet->row_count == 0;
}

bool *sg_sheet_shown(const struct sg_sheet *sheet, enum sg_readers readers)
{
    bool *shown = sg_alloc(sheet->column_count, sizeof(*shown));
    for (size_t i = 0; i < sheet->column_count; i++) {
        const struct sg_column *column = &sheet->columns[i];
        const bool is_out = column->programs || (readers == SG_FOR_TERMINAL && column->spare) ||
                            (readers != SG_FOR_BROWSERS && column->cells >= SG_SPARKS);
        shown[i] = !is_out && has_words(sheet, i);
    }
    return shown;
}

/* ---- documents ---- */

static struct sg_document_part *add_part(struct sg_document *document, enum sg_part_kind kind,
                                         enum sg_readers readers, const char *words)
{
    struct sg_document_part *part = sg_alloc(1, sizeof(*part));
    *SG_APPEND(document->part, document->count, document->capacity) = part;
    part->kind = kind;
    part->readers = readers;
    part->class_ = SG_ASIDE;
    part->words = words ? sg_copy_string(words) : NULL;
    return part;
}

struct sg_sheet *sg_document_sheet(struct sg_document *document, const char *name,
                                   const struct sg_column *columns, size_t count,
                                   enum sg_readers readers)
{
    struct sg_sheet *sheet = &add_part(document, SG_PART_SHEET, readers, NULL)->sheet;
    sg_sheet_init(sheet, columns, count);
    sheet->name = name;
    return sheet;
}

void sg_document_note(struct sg_document *document, enum sg_readers readers, const char *words)
{
    if (*words)
        add_part(document, SG_PART_NOTE, readers, words);
}

void sg_document_notef(struct sg_document *document, enum sg_readers readers, const char *format,
                       ...)
{
    struct sg_text words = {0};
    va_list args;
    va_start(args, format);
    sg_text_addv(&words, format, args);
    va_end(args);
    sg_document_take_note(document, readers, &words);
}

void sg_document_take_note(struct sg_document *document, enum sg_readers readers,
                           struct sg_text *words)
{
    sg_document_note(document, readers, sg_text_string(words));
    sg_text_release(words);
}

void sg_document_take_line(struct sg_document *document, enum sg_readers readers,
                           struct sg_text *words)
{
    const size_t count = document->count;
    sg_document_take_note(document, readers, words);
    if (document->count > count)
        document->part[count]->is_line = true;
}

void sg_document_lead(struct sg_document *document)
{
    struct sg_document_part *last = document->part[document->count - 1];
    memmove(document->part + 1, document->part, (document->count - 1) * sizeof(*document->part));
    document->part[0] = last;
}

void sg_document_heading(struct sg_document *document, enum sg_readers readers, const char *name,
                         const char *title)
{
    add_part(document, SG_PART_HEADING, readers, title)->name = sg_copy_string(name);
}

void sg_document_figure(struct sg_document *document, const char *name, const char *title,
                        const char *below)
{
    struct sg_document_part *part = add_part(document, SG_PART_FIGURE, SG_FOR_PAGES, title);
    part->name = sg_copy_string(name);
    part->below = sg_copy_string(below);
}

void sg_document_fold(struct sg_document *document, const char *title)
{
    document->part[document->count - 1]->fold = sg_copy_string(title);
}

void sg_document_paint(struct sg_document *document, enum sg_class class_)
{
    document->part[document->count - 1]->class_ = class_;
}

void sg_document_take(struct sg_document *document, struct sg_document *from)
{
    for (size_t i = 0; i < from->count; i++)
        *SG_APPEND(document->part, document->count, document->capacity) = from->part[i];
    from->count = 0;
}

bool sg_part_is_shown(const struct sg_document_part *part, enum sg_readers readers)
{
    const bool is_empty = part->kind == SG_PART_SHEET && part->sheet.row_count == 0;
    const bool is_hidden =
        (is_empty && readers != SG_FOR_PROGRAMS) || (part->fold && readers == SG_FOR_TERMINAL);
    return (part->readers & readers) != 0 && !is_hidden;
}

void sg_document_print(const struct sg_document *document, enum sg_readers readers,
                       sg_part_fn *const print[SG_PART_KINDS], struct sg_text *out)
{
    for (size_t i = 0; i < document->count; i++)
        if (sg_part_is_shown(document->part[i], readers))
            print[document->part[i]->kind](document->part[i], out);
}
