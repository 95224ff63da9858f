/*
 * {"command": "list cases", "notes": ["..."], "SHEET": {"columns": [...], "rows": [{...}]}, ...},
 * see docs/formats.md. One row per line.
 */
#include <jansson.h>

#include "reports/report.h"
#include "util/escape.h"

/* Releases the value. */
static void add_value(struct sg_text *out, json_t *value)
{
    SG_FREED char *text =
        json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
    sg_text_add(out, text ? text : "null");
    json_decref(value);
}

static json_t *string_of(const char *text)
{
    SG_SCOPED(sg_text) printable = {0};
    sg_add_escaped(&printable, SG_JSON, text);
    json_t *value = json_string(sg_text_string(&printable));
    return value;
}

/* An empty cell is null. */
static json_t *value_of(const struct sg_column *column, const char *cell)
{
    double number = 0;
    uint64_t whole = 0;
    if (!*cell)
        return json_null();
    if (column->number && sg_parse_u64(cell, &whole) && whole <= INT64_MAX)
        return json_integer((json_int_t)whole);
    if (column->number && sg_parse_double(cell, false, &number))
        return json_real(number);
    return string_of(cell);
}

static void add_columns(const struct sg_sheet *sheet, struct sg_text *out)
{
    for (size_t i = 0; i < sheet->column_count; i++) {
        const struct sg_column *column = &sheet->columns[i];
        sg_text_add(out, i > 0 ? ",\n   " : "\n   ");
        add_value(out, json_pack("{s:s, s:s?, s:s?}", "name", sg_column_name(column), "unit",
                                 column->unit, "meaning", column->meaning));
    }
}

static void add_row(const struct sg_sheet *sheet, size_t row, struct sg_text *out)
{
    json_t *object = json_object();
    for (size_t i = 0; i < sheet->column_count; i++)
        json_object_set_new(object, sg_column_name(&sheet->columns[i]),
                            value_of(&sheet->columns[i], sg_sheet_exact(sheet, row, i)));
    add_value(out, object);
}

static void add_sheet(const struct sg_document_part *part, struct sg_text *out)
{
    const struct sg_sheet *sheet = &part->sheet;
    sg_text_addf(out, ",\n \"%s\": {\n  \"columns\": [", sheet->name);
    add_columns(sheet, out);
    sg_text_add(out, "\n  ],\n  \"rows\": [");
    for (size_t row = 0; row < sheet->row_count; row++) {
        sg_text_add(out, row > 0 ? ",\n   " : "\n   ");
        add_row(sheet, row, out);
    }
    sg_text_add(out, "\n  ]\n }");
}

static void document(const struct sg_document *document, bool colour, struct sg_text *out)
{
    json_t *notes = json_array();
    (void)colour;
    sg_text_add(out, "{\"command\": ");
    add_value(out, string_of(document->name));
    for (size_t i = 0; i < document->count; i++) {
        const struct sg_document_part *part = document->part[i];
        if (part->kind == SG_PART_NOTE && sg_part_is_shown(part, SG_FOR_PROGRAMS))
            json_array_append_new(notes, string_of(part->words));
    }
    sg_text_add(out, ",\n \"notes\": ");
    add_value(out, notes);
    for (size_t i = 0; i < document->count; i++)
        if (document->part[i]->kind == SG_PART_SHEET &&
            sg_part_is_shown(document->part[i], SG_FOR_PROGRAMS))
            add_sheet(document->part[i], out);
    sg_text_add(out, "}\n");
}

const struct sg_format sg_format_json = {.name = "json", .document = document};
