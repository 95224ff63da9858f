#include "plan/knob_file.h"

#include <stdio.h>

#include "util/ini_reader.h"

struct reader {
    struct sg_settings *settings;
    char family[64], variant[64]; /* of the section */
};

static enum sg_code begin_section(struct reader *reader, const struct sg_ini_entry *entry, struct sg_err *err)
{
    int length = 0;
    const int found = sscanf(entry->section, "%63[a-z0-9_]/%63[a-z0-9_]%n", reader->family, reader->variant, &length);
    if (found == 2 && entry->section[length] == '\0')
        return SG_SUCCESS;
    return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "expected a section [FAMILY/VARIANT], found '%s'",
                      sg_show_string(entry->section).text);
}

static enum sg_code on_entry(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct reader *reader = context;
    if (!entry->key)
        return begin_section(reader, entry, err);
    if (!sg_is_name(entry->key))
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "expected the name of a case, of [a-z0-9_], found '%s'",
                          sg_show_string(entry->key).text);
    if (sg_settings_find(reader->settings, reader->family, entry->key, reader->variant))
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "expected each case once in [%s], found %s again", entry->section,
                          entry->key);
    const struct sg_setting_of of = {.family = reader->family, .case_ = entry->key, .name = reader->variant, .variant = reader->variant};
    struct sg_setting *setting = sg_settings_add(reader->settings, &of);
    struct sg_err bad = {0};
    setting->line = entry->line;
    if (sg_setting_set_all(setting, entry->value, &bad) != SG_SUCCESS)
        return sg_fail_at(err, bad.code, entry->path, entry->line, "%s: %s", entry->key, bad.message);
    if (setting->count == 0)
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line, "%s: expected KNOB=VALUE, found nothing", entry->key);
    return SG_SUCCESS;
}

enum sg_code sg_knob_file_read(const char *path, struct sg_settings *settings, struct sg_err *err)
{
    struct reader reader = {.settings = settings};
    if (sg_ini_read(path, on_entry, &reader, err) == SG_SUCCESS && !*reader.variant)
        sg_ini_fail_missing(path, "a section [FAMILY/VARIANT]", err);
    return err->code;
}
