#include "util/ini_fields.h"

#include <stdio.h>
#include <string.h>

#include "util/text.h"

static enum sg_code add_place(const struct sg_ini_entry *entry, const struct sg_err *bad,
                              struct sg_err *err)
{
    return sg_fail_at(err, bad->code, entry->path, entry->line, "[%s] %s: %s", entry->section,
                      entry->key, bad->message);
}

enum sg_code sg_refuse_entry(const struct sg_ini_entry *entry, const char *expected,
                             struct sg_err *err)
{
    struct sg_err bad = {0};
    sg_refuse_value(entry, expected, &bad);
    return add_place(entry, &bad, err);
}

/* ---- a section ---- */

void sg_fields_begin(struct sg_fields *fields, const struct sg_ini_entry *section)
{
    fields->line = section->line;
    fields->seen = 0;
}

static bool is_of(const struct sg_field *field, const char *key)
{
    const size_t length = strlen(field->name);
    return field->name[length - 1] == '.' ? strncmp(key, field->name, length) == 0
                                          : strcmp(key, field->name) == 0;
}

static enum sg_code refuse_key(const struct sg_fields *fields, const struct sg_ini_entry *entry,
                               struct sg_err *err)
{
    SG_SCOPED(sg_text) keys = {0};
    for (const struct sg_field *field = fields->field; field->name; field++)
        sg_text_addf(&keys, " %s", field->name);
    if (fields->other)
        sg_text_addf(&keys, " %s", fields->other);
    return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line,
                      "[%s]: unknown key '%s'; known:%s", entry->section,
                      sg_show_string(entry->key).text, keys.data);
}

enum sg_code sg_fields_set(struct sg_fields *fields, const struct sg_ini_entry *entry,
                           struct sg_err *err)
{
    struct sg_err bad = {0};
    size_t i = 0;
    while (fields->field[i].name && !is_of(&fields->field[i], entry->key))
        i++;
    const struct sg_field *field = &fields->field[i];
    if (!field->name)
        return refuse_key(fields, entry, err);
    if (!field->repeats && ((fields->seen >> i) & 1))
        sg_fail(&bad, SG_BAD_INPUT, NULL, "given twice, expected once");
    else
        sg_field_read(field, entry, fields->record, NULL, &bad);
    fields->seen |= UINT64_C(1) << i;
    return bad.code == SG_SUCCESS ? SG_SUCCESS : add_place(entry, &bad, err);
}

enum sg_code sg_fields_complete(const struct sg_fields *fields, const char *path,
                                struct sg_err *err)
{
    for (size_t i = 0; fields->field[i].name; i++)
        if (fields->field[i].required && !((fields->seen >> i) & 1))
            return sg_fail_at(err, SG_BAD_INPUT, path, fields->line,
                              "the key '%s' is missing from the section that begins here",
                              fields->field[i].name);
    return SG_SUCCESS;
}

/* ---- a file of one section ---- */

struct one_section {
    const char *name;
    struct sg_fields *fields;
};

static enum sg_code take_entry(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    const struct one_section *section = context;
    if (entry->key)
        return sg_fields_set(section->fields, entry, err);
    if (strcmp(entry->section, section->name) != 0)
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line,
                          "expected the section [%s], found [%s]", section->name,
                          sg_show_string(entry->section).text);
    sg_fields_begin(section->fields, entry);
    return SG_SUCCESS;
}

enum sg_code sg_fields_read(const char *path, const char *section, struct sg_fields *fields,
                            struct sg_err *err)
{
    struct one_section one = {section, fields};
    char missing[48];
    if (sg_ini_read(path, take_entry, &one, err) != SG_SUCCESS)
        return err->code;
    if (fields->line > 0)
        return sg_fields_complete(fields, path, err);
    snprintf(missing, sizeof(missing), "the section [%s]", section);
    return sg_ini_fail_missing(path, missing, err);
}
