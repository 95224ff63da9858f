#include "results/settings.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const struct sg_setting sg_setting_table[SG_SETTING_COUNT] = {
#define X(key_, type_, standard, least_, most_, uses_, option, help) \
    {.key = #key_,                                                   \
     .type = SG_SETTING_##type_,                                     \
     .place = offsetof(struct sg_settings, key_),                    \
     .given = offsetof(struct sg_settings_given, key_),              \
     .least = (least_),                                              \
     .most = (most_),                                                \
     .uses = (uses_)},
    SG_SETTINGS(X)
#undef X
};

struct sg_settings sg_settings_of_defaults(void)
{
#define X(key, type, standard, ...) .key = (standard),
    return (struct sg_settings){SG_SETTINGS(X)};
#undef X
}

static const void *value_of(const struct sg_setting *setting, const struct sg_settings *settings)
{
    return (const char *)settings + setting->place;
}

static size_t size_of(const struct sg_setting *setting)
{
#define X(type, c_type) sizeof(c_type),
    static const size_t sizes[] = {SG_SETTING_TYPES(X)};
#undef X
    return sizes[setting->type];
}

static bool is_default(const struct sg_setting *setting, const struct sg_settings *settings)
{
    const struct sg_settings standard = sg_settings_of_defaults();
    return memcmp(value_of(setting, settings), value_of(setting, &standard), size_of(setting)) == 0;
}

/* ---- texts of values ---- */

static enum sg_code parse_switch(const char *text, bool *is_on, struct sg_err *err)
{
    unsigned index = 0;
    if (sg_parse_choice("no|yes", text, &index, err) == SG_SUCCESS)
        *is_on = index == 1;
    return err->code;
}

static enum sg_code parse_seconds(const struct sg_setting *setting, const char *text,
                                  double *seconds, struct sg_err *err)
{
    if (sg_parse_duration(text, seconds, err) != SG_SUCCESS)
        return err->code;
    return *seconds > setting->least && *seconds <= setting->most
               ? SG_SUCCESS
               : sg_fail(err, SG_BAD_INPUT, NULL,
                         "expected a duration above 0 s and up to 1h, found '%s'",
                         sg_show_string(text).text);
}

static enum sg_code parse_whole(const struct sg_setting *setting, const char *text,
                                unsigned *number, struct sg_err *err)
{
    const bool may_be_auto = setting->type == SG_SETTING_WHOLE_OR_AUTO,
               is_even = setting->type == SG_SETTING_EVEN;
    uint64_t found;
    *number = SG_PROCESSES_AUTO;
    if (may_be_auto && strcmp(text, SG_AUTO) == 0)
        return SG_SUCCESS;
    if (!sg_parse_u64(text, &found) || (double)found < setting->least ||
        (double)found > setting->most || (is_even && found % 2 != 0))
        return sg_fail(err, SG_BAD_INPUT, NULL, "expected %s number from %g to %g%s, found '%s'",
                       is_even ? "an even" : "a whole", setting->least, setting->most,
                       may_be_auto ? ", or " SG_AUTO : "", sg_show_string(text).text);
    *number = (unsigned)found;
    return SG_SUCCESS;
}

enum sg_code sg_setting_parse(const struct sg_setting *setting, const char *text,
                              struct sg_settings *settings, struct sg_err *err)
{
    void *place = (char *)settings + setting->place;
    switch (setting->type) {
    case SG_SETTING_L2:
        return sg_l2_parse(text, place, err);
    case SG_SETTING_SWITCH:
        return parse_switch(text, place, err);
    case SG_SETTING_RATIO:
        return sg_parse_percent(text, place, err);
    case SG_SETTING_SECONDS:
        return parse_seconds(setting, text, place, err);
    default:
        return parse_whole(setting, text, place, err);
    }
}

enum sg_code sg_setting_parse_plain(const struct sg_setting *setting, const char *text,
                                    struct sg_settings *settings, struct sg_err *err)
{
    double *place = (void *)((char *)settings + setting->place);
    struct sg_setting plain = *setting;
    plain.least = 1;
    if (setting->type == SG_SETTING_EVEN)
        plain.type = SG_SETTING_WHOLE;
    if (setting->type != SG_SETTING_RATIO)
        return sg_setting_parse(&plain, text, settings, err);
    return sg_parse_double(text, false, place) && *place > 0 && *place < 1
               ? SG_SUCCESS
               : sg_fail(err, SG_BAD_INPUT, NULL,
                         "expected a ratio above 0 and below 1, found '%s'",
                         sg_show_string(text).text);
}

void sg_setting_format(const struct sg_setting *setting, const struct sg_settings *settings,
                       struct sg_text *out)
{
    const void *place = value_of(setting, settings);
    switch (setting->type) {
    case SG_SETTING_L2:
        sg_text_add(out, sg_l2_word(*(const enum sg_l2 *)place));
        break;
    case SG_SETTING_SWITCH:
        sg_text_add(out, *(const bool *)place ? "yes" : "no");
        break;
    case SG_SETTING_RATIO:
    case SG_SETTING_SECONDS:
        sg_text_addf(out, "%.9g", *(const double *)place);
        break;
    default:
        if (setting->type == SG_SETTING_WHOLE_OR_AUTO &&
            *(const unsigned *)place == SG_PROCESSES_AUTO)
            sg_text_add(out, SG_AUTO);
        else
            sg_text_addf(out, "%u", *(const unsigned *)place);
    }
}

static const struct sg_setting *find(const char *key, size_t length)
{
    for (size_t i = 0; i < SG_SETTING_COUNT; i++)
        if (strncmp(sg_setting_table[i].key, key, length) == 0 &&
            sg_setting_table[i].key[length] == '\0')
            return &sg_setting_table[i];
    return NULL;
}

const struct sg_setting *sg_setting_find(const char *key)
{
    return find(key, strlen(key));
}

const struct sg_setting *sg_setting_of_env(const char *key)
{
    const size_t length = strcspn(key, ".");
    const struct sg_setting *setting = find(key, length);
    const unsigned needed = SG_IN_ENV | (key[length] == '.' ? SG_IN_FAMILY : 0);
    return setting && (setting->uses & needed) == needed ? setting : NULL;
}

/* ---- all settings ---- */

void sg_settings_override(struct sg_settings *into, const struct sg_settings *from,
                          const struct sg_settings_given *given, bool is_given)
{
    for (size_t i = 0; i < SG_SETTING_COUNT; i++) {
        const struct sg_setting *setting = &sg_setting_table[i];
        if (*(const bool *)((const char *)given + setting->given) == is_given)
            memcpy((char *)into + setting->place, value_of(setting, from), size_of(setting));
    }
}

void sg_settings_to_env(const struct sg_settings *settings, const char *family, struct sg_env *env)
{
    for (size_t i = 0; i < SG_SETTING_COUNT; i++) {
        const struct sg_setting *setting = &sg_setting_table[i];
        SG_SCOPED(sg_text) key = {0}, value = {0};
        const bool is_here = family
                                 ? setting->uses & SG_IN_FAMILY
                                 : setting->uses & SG_IN_SUITE || !(setting->uses & SG_IN_FAMILY);
        if (!is_here || !(setting->uses & SG_IN_ENV) ||
            (setting->uses & SG_IF_SET && is_default(setting, settings)))
            continue;
        sg_text_addf(&key, "%s%s%s", setting->key, family ? "." : "", family ? family : "");
        sg_setting_format(setting, settings, &value);
        sg_env_set(env, key.data, value.data);
    }
}

void sg_settings_add_arguments(const struct sg_settings *settings, struct sg_names *arguments)
{
    for (size_t i = 0; i < SG_SETTING_COUNT; i++) {
        const struct sg_setting *setting = &sg_setting_table[i];
        SG_SCOPED(sg_text) value = {0};
        if (!(setting->uses & SG_TO_WORKER))
            continue;
        sg_setting_format(setting, settings, &value);
        sg_names_addf(arguments, "--set=%s=%s", setting->key, value.data);
    }
}

enum sg_code sg_settings_take_argument(struct sg_settings *settings, const char *argument,
                                       struct sg_err *err)
{
    const size_t length = strcspn(argument, "=");
    const struct sg_setting *setting = find(argument, length);
    struct sg_err why = {0};
    if (!setting || !(setting->uses & SG_TO_WORKER) || argument[length] != '=')
        return sg_fail(err, SG_BAD_USAGE, NULL,
                       "expected KEY=VALUE of a worker's setting, found '%s'",
                       sg_show_string(argument).text);
    return sg_setting_parse_plain(setting, argument + length + 1, settings, &why) == SG_SUCCESS
               ? SG_SUCCESS
               : sg_fail(err, SG_BAD_USAGE, NULL, "%s: %s", setting->key, why.message);
}

static enum sg_code read_into(const struct sg_setting *setting, char *place, const char *found,
                              struct sg_err *err)
{
    const bool is_flag = setting->type == SG_SETTING_SWITCH && !*found;
    return sg_setting_parse(setting, is_flag ? "yes" : found, (void *)(place - setting->place),
                            err);
}

#define X(key, ...)                                                                        \
    enum sg_code sg_setting_read_##key(void *place, const char *found, struct sg_err *err) \
    {                                                                                      \
        return read_into(&sg_setting_table[SG_SETTING_OF_##key], place, found, err);       \
    }
SG_SETTINGS(X)
