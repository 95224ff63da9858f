#include "catalogue/ini_schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

static void *place(const struct sg_fields *fields, const struct sg_field *field)
{
    return (char *)fields->record + field->offset;
}

static bool is_text(const struct sg_field *field)
{
    return field->kind == SG_FIELD_TEXT || field->kind == SG_FIELD_LINES;
}

void sg_fields_init(const struct sg_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct sg_field *field = &fields->field[i];
        if (is_text(field))
            *(char **)place(fields, field) = NULL;
        else if (field->kind == SG_FIELD_NUMBER)
            *(double *)place(fields, field) = NAN;
        else
            *(int *)place(fields, field) = -1;
    }
}

void sg_fields_release(const struct sg_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        if (!is_text(&fields->field[i]))
            continue;
        char **text = place(fields, &fields->field[i]);
        free(*text);
        *text = NULL;
    }
}

static bool is_set(const struct sg_fields *fields, const struct sg_field *field)
{
    if (is_text(field))
        return *(char **)place(fields, field) != NULL;
    if (field->kind == SG_FIELD_NUMBER)
        return !isnan(*(double *)place(fields, field));
    return *(int *)place(fields, field) >= 0;
}

enum sg_code sg_entry_refuse(const struct sg_ini_entry *entry, const char *expected, struct sg_err *err)
{
    return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "[%s] %s: expected %s, found '%s'", entry->section, entry->key, expected,
                      sg_show_string(entry->value).text);
}

enum sg_code sg_entry_number(const struct sg_ini_entry *entry, double *number, struct sg_err *err)
{
    if (!sg_parse_double(entry->value, false, number) || *number < 0)
        return sg_entry_refuse(entry, "a number that is not negative", err);
    return SG_SUCCESS;
}

static enum sg_code entry_word(const struct sg_ini_entry *entry, const char *const *words, int *index, struct sg_err *err)
{
    SG_SCOPED(sg_text) expected = {0};
    sg_text_add(&expected, "one of");
    for (int i = 0; words[i]; i++) {
        if (strcmp(entry->value, words[i]) == 0) {
            *index = i;
            return err->code;
        }
        sg_text_addf(&expected, " %s", words[i]);
    }
    sg_entry_refuse(entry, sg_text_string(&expected), err);
    return err->code;
}

static enum sg_code set_text(const struct sg_field *field, char **text, const struct sg_ini_entry *entry, struct sg_err *err)
{
    if (entry->value[0] == '\0' && !field->may_be_empty)
        return sg_entry_refuse(entry, "a text", err);
    struct sg_text joined = {0};
    if (*text)
        sg_text_addf(&joined, "%s ", *text);
    sg_text_add(&joined, entry->value);
    free(*text);
    *text = joined.data;
    return SG_SUCCESS;
}

static enum sg_code refuse_key(const struct sg_fields *fields, const struct sg_ini_entry *entry, struct sg_err *err)
{
    SG_SCOPED(sg_text) keys = {0};
    for (size_t i = 0; i < fields->count; i++)
        sg_text_addf(&keys, " %s", fields->field[i].key);
    if (fields->other)
        sg_text_addf(&keys, " %s", fields->other);
    return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "[%s]: unknown key '%s'; known are:%s", entry->section,
                      sg_show_string(entry->key).text, sg_text_string(&keys));
}

enum sg_code sg_fields_set(const struct sg_fields *fields, const struct sg_ini_entry *entry, struct sg_err *err)
{
    const struct sg_field *field = NULL;
    for (size_t i = 0; i < fields->count && !field; i++) {
        if (strcmp(fields->field[i].key, entry->key) == 0)
            field = &fields->field[i];
    }
    if (!field)
        return refuse_key(fields, entry, err);
    if (field->kind != SG_FIELD_LINES && is_set(fields, field))
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "[%s] %s: given twice, expected once", entry->section, entry->key);
    if (is_text(field))
        return set_text(field, place(fields, field), entry, err);
    if (field->kind == SG_FIELD_NUMBER)
        return sg_entry_number(entry, place(fields, field), err);
    return entry_word(entry, field->words, place(fields, field), err);
}

enum sg_code sg_fields_complete(const struct sg_fields *fields, const char *path, long line, struct sg_err *err)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct sg_field *field = &fields->field[i];
        if (field->required && !is_set(fields, field))
            return sg_fail_at(err, SG_BAD_INPUT, path, line, "the key '%s' is missing from the section that begins here", field->key);
    }
    return SG_SUCCESS;
}
