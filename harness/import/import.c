/* Finds out whose file it is, and hands the importer its rows or elements. */
#include <math.h>
#include <string.h>

#include "import/import_file.h"
#include "import/importer.h"

struct reading {
    const struct sg_importer *importer; /* NULL: not known so far */
    struct sg_gathering gathering;
    struct sg_csv_table table;
    bool in_table;  /* of CSV, behind a header */
    bool is_second; /* the line behind the header, which may have the units */
};

/* A file is of one tool. */
static enum sg_code choose(struct reading *reading, const struct sg_importer *importer, struct sg_err *err)
{
    if (reading->importer && reading->importer != importer)
        return sg_fail(err, SG_BAD_INPUT, NULL, "expected more of %s as before, found what is of %s", reading->importer->name,
                       importer->name);
    reading->importer = importer;
    reading->gathering.family = importer->name;
    return SG_SUCCESS;
}

/* ---- CSV ---- */

/* Behind the opening quote; returns what stands behind the closing one, NULL: there is none. */
static const char *take_quoted(const char *at, struct sg_text *field)
{
    size_t length;
    while (at[length = strcspn(at, "\"")] && at[length + 1] == '"') {
        sg_text_add_bytes(field, at, length + 1);
        at += length + 2;
    }
    sg_text_add_bytes(field, at, length);
    return at[length] ? at + length + 1 : NULL;
}

static enum sg_code split(const char *at, struct sg_names *fields, struct sg_err *err)
{
    SG_SCOPED(sg_text) field = {0};
    sg_names_release(fields);
    for (; at; at++) {
        const size_t plain = strcspn(at, ",");
        const bool is_quoted = *at == '"';
        field.length = 0;
        if (!is_quoted)
            sg_text_add_bytes(&field, at, plain);
        at = is_quoted ? take_quoted(at + 1, &field) : at + plain;
        sg_names_add(fields, sg_text_string(&field));
        if (!at || (*at && *at != ','))
            sg_fail(err, SG_BAD_INPUT, NULL, "field %zu: expected its closing quote and then a comma, found '%s'", fields->count,
                    at ? sg_show_string(at).text : "the end of the line");
        if (!at || *at != ',')
            break;
    }
    return err->code;
}

static void take_units(struct sg_csv_table *table)
{
    sg_names_release(&table->units);
    for (size_t i = 0; i < table->names.count; i++) {
        char *unit = strstr(table->names.items[i], " (");
        const bool has_unit = unit && unit[2] && unit[strlen(unit) - 1] == ')';
        sg_names_addf(&table->units, "%.*s", has_unit ? (int)strlen(unit) - 3 : 0, has_unit ? unit + 2 : "");
        if (has_unit)
            *unit = '\0';
    }
}

static const char *in_column(const struct sg_csv_table *table, const struct sg_names *row, const char *name)
{
    for (size_t i = 0; i < table->names.count && i < row->count; i++)
        if (strcmp(table->names.items[i], name) == 0)
            return row->items[i];
    return "";
}

const char *sg_csv_value(const struct sg_csv_table *table, const char *name)
{
    return in_column(table, &table->fields, name);
}

const char *sg_csv_unit(const struct sg_csv_table *table, const char *name)
{
    return in_column(table, &table->units, name);
}

static void release_table(struct sg_csv_table *table)
{
    sg_names_release(&table->names);
    sg_names_release(&table->units);
    sg_names_release(&table->fields);
}

/* Where it is a header of an importer the table begins behind it. */
static enum sg_code take_header(struct reading *reading, const char *text, struct sg_err *err)
{
    const struct sg_importer *found = NULL;
    size_t count = 0;
    const struct sg_importer *const *importers = sg_importers(&count);
    for (size_t i = 0; i < count; i++)
        found = importers[i]->header && strncmp(text, importers[i]->header, strlen(importers[i]->header)) == 0 ? importers[i] : found;
    if (!found || choose(reading, found, err) != SG_SUCCESS || split(text, &reading->table.names, err) != SG_SUCCESS)
        return err->code;
    take_units(&reading->table);
    reading->in_table = reading->is_second = true;
    return SG_SUCCESS;
}

/* Rows of ncu may lack the last fields, and end with a comma all the same. */
static enum sg_code take_row(struct reading *reading, const char *text, struct sg_err *err)
{
    struct sg_csv_table *table = &reading->table;
    const bool is_strict = !reading->importer->is_mixed, has_units = reading->is_second && !is_strict && strncmp(text, "\"\",", 3) == 0;
    if (split(text, has_units ? &table->units : &table->fields, err) != SG_SUCCESS)
        return err->code;
    reading->is_second = false;
    if (has_units)
        return SG_SUCCESS;
    if (is_strict ? table->fields.count != table->names.count : table->fields.count > table->names.count + 1)
        return sg_fail(err, SG_BAD_INPUT, NULL, "expected %s%zu fields as in the header, found %zu", is_strict ? "" : "at most ",
                       table->names.count, table->fields.count);
    return reading->importer->on_row(&reading->gathering, table, err);
}

static enum sg_code take_line(struct reading *reading, const char *text, struct sg_err *err)
{
    const bool begins_row = text[0] == '"' && text[1] && strchr("0123456789\"", text[1]);
    if (!reading->in_table || (reading->importer->is_mixed && !begins_row))
        return take_header(reading, text, err);
    reading->in_table = *text != '\0';
    return *text ? take_row(reading, text, err) : SG_SUCCESS;
}

static enum sg_code read_lines(struct reading *reading, struct sg_import_file *file, struct sg_err *err)
{
    SG_SCOPED(sg_text) line = {0};
    for (long number = 1; sg_import_file_line(file, &line, err); number++)
        if (take_line(reading, sg_text_string(&line), err) != SG_SUCCESS) {
            sg_fail_here(err, file->path, number);
            break;
        }
    return err->code;
}

/* ---- JSON ---- */

bool sg_json_is_number(const json_t *value, double *number)
{
    *number = json_is_number(value) ? json_number_value(value) : NAN;
    return json_is_number(value) || (json_is_string(value) && sg_parse_double(json_string_value(value), false, number));
}

enum sg_code sg_json_number(const json_t *object, const char *name, double *value, struct sg_err *err)
{
    const json_t *found = json_object_get(object, name);
    return sg_json_is_number(found, value) ? SG_SUCCESS
                                           : sg_fail(err, SG_BAD_INPUT, NULL, "%s: expected a number, found '%s'", name,
                                                     found ? sg_show_string(sg_json_words(object, name, "no number")).text : "");
}

const char *sg_json_words(const json_t *object, const char *name, const char *otherwise)
{
    const char *words = json_string_value(json_object_get(object, name));
    return words ? words : otherwise;
}

/* Trace events are also written without the document around them. */
static enum sg_code take_element(void *context, const char *key, const json_t *element, struct sg_err *err)
{
    struct reading *reading = context;
    const struct sg_importer *found = NULL;
    size_t count = 0, of_array = 0;
    const struct sg_importer *const *importers = sg_importers(&count);
    for (size_t i = 0; i < count; i++)
        if (importers[i]->array && strcmp(importers[i]->array, *key ? key : "traceEvents") == 0) {
            of_array++;
            found = json_object_get(element, importers[i]->member) ? importers[i] : found;
        }
    if (strcmp(key, "devices") == 0 || strcmp(key, "deviceProperties") == 0)
        sg_gather_gpu(&reading->gathering, sg_json_words(element, "name", ""));
    if (of_array > 0 && !found)
        return sg_fail(err, SG_BAD_INPUT, NULL, "expected an element of '%s' of a tool that can be imported, found another one", key);
    return found && choose(reading, found, err) == SG_SUCCESS ? found->on_element(&reading->gathering, element, err) : err->code;
}

/* ---- either ---- */

enum sg_code sg_import_read(const char *path, const struct sg_catalogue *catalogue, struct sg_table *run, struct sg_imported *imported,
                            struct sg_err *err)
{
    struct reading reading = {.gathering = {.catalogue = catalogue, .path = path}};
    struct sg_import_file file;
    if (sg_import_file_open(&file, path, err) == SG_SUCCESS && file.is_json)
        sg_import_file_elements(&file, take_element, &reading, err);
    else if (err->code == SG_SUCCESS)
        read_lines(&reading, &file, err);
    if (sg_import_file_close(&file, err) == SG_SUCCESS && !reading.importer)
        sg_fail_at(err, SG_BAD_INPUT, path, 1,
                   "expected a file of a tool that `solgate import -h` lists, found none of their headers or arrays");
    else if (err->code == SG_SUCCESS && sg_gather_rows(&reading.gathering, run, err) != SG_SUCCESS)
        sg_fail_here(err, path, file.line);
    *imported = (struct sg_imported){reading.importer, reading.gathering.gpu_name};
    reading.gathering.gpu_name = NULL;
    sg_gathering_release(&reading.gathering);
    release_table(&reading.table);
    return err->code;
}
