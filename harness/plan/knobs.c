#include "plan/knobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/ini_reader.h"

#define NAME "%63[a-z0-9_]" /* for scanf */

struct sg_knob_setting *sg_knob_settings_add(struct sg_knob_settings *settings,
                                             const struct sg_knob_setting_of *of)
{
    settings->items = sg_grow(settings->items, &settings->capacity, settings->count + 1,
                              sizeof(*settings->items));
    settings->items[settings->count] = (struct sg_knob_setting){
        .family = sg_copy_string(of->family),
        .case_ = sg_copy_string(of->case_),
        .name = sg_copy_string(of->name),
        .variant = sg_copy_string(of->variant),
    };
    return &settings->items[settings->count++];
}

static enum sg_code set_knob(struct sg_knob_setting *setting, const char *knob, int64_t value,
                             struct sg_err *err)
{
    if (!sg_is_name(knob))
        return sg_fail(err, SG_BAD_INPUT, NULL, "expected a knob's name of [a-z0-9_], found '%s'",
                       sg_show_string(knob).text);
    for (size_t i = 0; i < setting->count; i++)
        if (strcmp(setting->knob[i].name, knob) == 0)
            return sg_fail(err, SG_BAD_INPUT, NULL, "expected each knob once, found %s again",
                           knob);
    if (setting->count == SG_MAX_KNOBS)
        return sg_fail(err, SG_BAD_INPUT, NULL, "expected at most %d knobs, found one more: %s",
                       SG_MAX_KNOBS, knob);
    setting->knob[setting->count++] =
        (struct sg_knob_value){.name = sg_copy_string(knob), .value = value};
    return SG_SUCCESS;
}

/* Sets one KNOB=VALUE. Modifies `word`. */
static enum sg_code set_word(struct sg_knob_setting *setting, char *word, struct sg_err *err)
{
    char *value = strchr(word, '=');
    uint64_t number = 0;
    if (!value)
        return sg_fail(err, SG_BAD_INPUT, NULL, "expected KNOB=VALUE, found '%s'",
                       sg_show_string(word).text);
    *value++ = '\0';
    if (!sg_parse_u64(value, &number) || number > INT64_MAX)
        return sg_fail(err, SG_BAD_INPUT, NULL,
                       "%s: expected a whole number, 0 for the variant's default, found '%s'",
                       sg_show_string(word).text, sg_show_string(value).text);
    return set_knob(setting, word, (int64_t)number, err);
}

enum sg_code sg_knob_setting_set_all(struct sg_knob_setting *setting, const char *knobs,
                                     struct sg_err *err)
{
    static const char blanks[] = " \t";
    for (const char *at = knobs + strspn(knobs, blanks); *at && err->code == SG_SUCCESS;
         at += strspn(at, blanks)) {
        const size_t length = strcspn(at, blanks);
        SG_SCOPED(sg_text) word = {0};
        sg_text_add_bytes(&word, at, length);
        set_word(setting, word.data, err);
        at += length;
    }
    return err->code;
}

enum sg_code sg_knob_setting_copy_knobs(const struct sg_knob_setting *from,
                                        struct sg_knob_setting *to, struct sg_err *err)
{
    for (size_t i = 0; i < from->count; i++)
        set_knob(to, from->knob[i].name, from->knob[i].value, err);
    return err->code;
}

const struct sg_knob_setting *sg_knob_settings_find(const struct sg_knob_settings *settings,
                                                    const char *family, const char *case_,
                                                    const char *name)
{
    for (size_t i = 0; settings && i < settings->count; i++) {
        const struct sg_knob_setting *setting = &settings->items[i];
        if (strcmp(setting->name, name) == 0 && strcmp(setting->case_, case_) == 0 &&
            strcmp(setting->family, family) == 0)
            return setting;
    }
    return NULL;
}

void sg_knob_setting_add_knobs(const struct sg_knob_setting *setting, struct sg_text *out)
{
    for (size_t i = 0; i < setting->count; i++)
        sg_text_addf(out, "%s%s=%" PRId64, i ? " " : "", setting->knob[i].name,
                     setting->knob[i].value);
}

void sg_knob_setting_format(const struct sg_knob_setting *setting, struct sg_text *out)
{
    sg_text_addf(out, "%s/%s/%s:%s:", setting->family, setting->case_, setting->name,
                 setting->variant);
    sg_knob_setting_add_knobs(setting, out);
}

enum sg_code sg_knob_setting_parse(void *settings, const char *text, struct sg_err *err)
{
    char family[64], case_[64], name[64], variant[64];
    int length = 0;
    struct sg_err bad = {0};
    const int found =
        sscanf(text, NAME "/" NAME "/" NAME ":" NAME ":%n", family, case_, name, variant, &length);
    if (found != 4 || length == 0)
        sg_fail(&bad, SG_BAD_USAGE, NULL, "expected FAMILY/CASE/NAME:VARIANT:KNOB=VALUE ...");
    else
        sg_knob_setting_set_all(
            sg_knob_settings_add(settings,
                                 &(struct sg_knob_setting_of){family, case_, name, variant}),
            text + length, &bad);
    if (bad.code != SG_SUCCESS)
        sg_fail(err, SG_BAD_USAGE, NULL, "%s: %s", sg_show_string(text).text, bad.message);
    return err->code;
}

/* ---- of a file ---- */

struct reader {
    struct sg_knob_settings *settings;
    char family[64], variant[64]; /* the current section's */
};

static enum sg_code begin_section(struct reader *reader, const struct sg_ini_entry *entry,
                                  struct sg_err *err)
{
    int length = 0;
    const int found = sscanf(entry->section, "%63[a-z0-9_]/%63[a-z0-9_]%n", reader->family,
                             reader->variant, &length);
    if (found == 2 && entry->section[length] == '\0')
        return SG_SUCCESS;
    return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line,
                      "expected a section [FAMILY/VARIANT], found '%s'",
                      sg_show_string(entry->section).text);
}

static enum sg_code on_entry(void *context, const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct reader *reader = context;
    if (!entry->key)
        return begin_section(reader, entry, err);
    if (!sg_is_name(entry->key))
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line,
                          "expected the name of a case, of [a-z0-9_], found '%s'",
                          sg_show_string(entry->key).text);
    if (sg_knob_settings_find(reader->settings, reader->family, entry->key, reader->variant))
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line,
                          "expected each case once in [%s], found %s again", entry->section,
                          entry->key);
    const struct sg_knob_setting_of of = {.family = reader->family,
                                          .case_ = entry->key,
                                          .name = reader->variant,
                                          .variant = reader->variant};
    struct sg_knob_setting *setting = sg_knob_settings_add(reader->settings, &of);
    struct sg_err bad = {0};
    setting->line = entry->line;
    if (sg_knob_setting_set_all(setting, entry->value, &bad) != SG_SUCCESS)
        return sg_fail_at(err, bad.code, entry->path, entry->line, "%s: %s", entry->key,
                          bad.message);
    if (setting->count == 0)
        return sg_fail_at(err, SG_BAD_INPUT, entry->path, entry->line,
                          "%s: expected KNOB=VALUE, found nothing", entry->key);
    return SG_SUCCESS;
}

enum sg_code sg_knob_file_read(const char *path, struct sg_knob_settings *settings,
                               struct sg_err *err)
{
    struct reader reader = {.settings = settings};
    if (sg_ini_read(path, on_entry, &reader, err) == SG_SUCCESS && !*reader.variant)
        sg_ini_fail_missing(path, "a section [FAMILY/VARIANT]", err);
    return err->code;
}
