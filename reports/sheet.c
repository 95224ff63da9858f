#include "reports/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "util/number_format.h"

const char *sg_class_word(enum sg_class class_)
{
    static const char *const word[SG_CLASS_COUNT] = {
        [SG_RED] = "red",   [SG_YELLOW] = "yellow",   [SG_NEWS] = "news",   [SG_GREEN] = "green",
        [SG_OPEN] = "open", [SG_COUNTER] = "counter", [SG_ASIDE] = "aside",
    };
    return word[class_];
}

void sg_sheet_init(struct sg_sheet *sheet, const struct sg_column *columns, size_t count)
{
    *sheet = (struct sg_sheet){.columns = columns, .column_count = count};
}

void sg_sheet_release(struct sg_sheet *sheet)
{
    sg_text_release(&sheet->bytes);
    free(sheet->cell);
    free(sheet->row);
    free(sheet->line);
    *sheet = (struct sg_sheet){0};
}

/* Keeps a string; returns where. */
static size_t keep(struct sg_sheet *sheet, const char *text)
{
    size_t start = sheet->bytes.length;
    sg_text_add_bytes(&sheet->bytes, text, strlen(text) + 1);
    return start;
}

void sg_sheet_row(struct sg_sheet *sheet, enum sg_class class_)
{
    *SG_APPEND(sheet->row, sheet->row_count, sheet->row_capacity) = class_;
}

void sg_sheet_cell(struct sg_sheet *sheet, const char *text)
{
    *SG_APPEND(sheet->cell, sheet->cell_count, sheet->cell_capacity) = keep(sheet, text ? text : "");
}

void sg_sheet_take(struct sg_sheet *sheet, struct sg_text *text)
{
    sg_sheet_cell(sheet, sg_text_string(text));
    sg_text_release(text);
}

void sg_sheet_number(struct sg_sheet *sheet, double value)
{
    *SG_APPEND(sheet->cell, sheet->cell_count, sheet->cell_capacity) = sheet->bytes.length;
    sg_add_exactly(&sheet->bytes, value);
    sg_text_add_bytes(&sheet->bytes, "", 1);
}

void sg_sheet_below(struct sg_sheet *sheet, const char *text)
{
    *SG_APPEND(sheet->line, sheet->line_count, sheet->line_capacity) =
        (struct sg_sheet_line){.row = sheet->row_count - 1, .start = keep(sheet, text)};
}

const char *sg_sheet_at(const struct sg_sheet *sheet, size_t row, size_t column)
{
    return sheet->bytes.data + sheet->cell[row * sheet->column_count + column];
}

bool sg_sheet_is_right(const struct sg_sheet *sheet, size_t column)
{
    return sheet->columns[column].right || sheet->columns[column].number;
}

bool sg_sheet_has_words(const struct sg_sheet *sheet, size_t column)
{
    for (size_t row = 0; row < sheet->row_count; row++) {
        const char *cell = sg_sheet_at(sheet, row, column);
        if (*cell && strcmp(cell, "-") != 0)
            return true;
    }
    return sheet->row_count == 0;
}

static struct sg_document_part *add_part(struct sg_document *document, enum sg_readers readers)
{
    struct sg_document_part *part = sg_alloc(1, sizeof(*part));
    *SG_APPEND(document->part, document->count, document->capacity) = part;
    part->readers = readers;
    part->class_ = SG_ASIDE;
    return part;
}

struct sg_sheet *sg_document_sheet(struct sg_document *document, const char *name, const struct sg_column *columns, size_t count,
                                   enum sg_readers readers)
{
    struct sg_sheet *sheet = &add_part(document, readers)->sheet;
    sg_sheet_init(sheet, columns, count);
    sheet->name = name;
    return sheet;
}

void sg_document_note(struct sg_document *document, enum sg_readers readers, const char *words)
{
    if (*words)
        add_part(document, readers)->note = sg_copy_string(words);
}

void sg_document_notef(struct sg_document *document, enum sg_readers readers, const char *format, ...)
{
    struct sg_text words = {0};
    va_list args;
    va_start(args, format);
    sg_text_addv(&words, format, args);
    va_end(args);
    sg_document_note(document, readers, sg_text_string(&words));
    sg_text_release(&words);
}

void sg_document_fold(struct sg_document *document, const char *title)
{
    document->part[document->count - 1]->fold = sg_copy_string(title);
}

void sg_document_paint(struct sg_document *document, enum sg_class class_)
{
    document->part[document->count - 1]->class_ = class_;
}

void sg_document_release(struct sg_document *document)
{
    for (size_t i = 0; i < document->count; i++) {
        sg_sheet_release(&document->part[i]->sheet);
        free(document->part[i]->note);
        free(document->part[i]->fold);
        free(document->part[i]);
    }
    free(document->part);
    *document = (struct sg_document){0};
}
