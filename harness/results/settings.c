#include "results/settings.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- values that no type of util/record.h fits ---- */

static enum sg_code take_l2(const struct sg_field *field, void *place,
                            const struct sg_ini_entry *entry, struct sg_err *err)
{
    (void)field;
    return sg_l2_parse(entry->value, place, err);
}

static void add_l2(struct sg_text *out, const void *place)
{
    sg_text_add(out, sg_l2_word(*(const enum sg_l2 *)place));
}

static enum sg_code take_percent(const struct sg_field *field, void *place,
                                 const struct sg_ini_entry *entry, struct sg_err *err)
{
    (void)field;
    return sg_parse_percent(entry->value, place, err);
}

static void add_duration(struct sg_text *out, double seconds)
{
    static const struct {
        double seconds;
        const char *unit;
    } units[] = {{3600, "h"}, {60, "m"}, {1, "s"}};
    if (seconds > 0 && seconds < 1) {
        sg_text_addf(out, "%gms", 1e3 * seconds);
        return;
    }
    size_t i = 0;
    while (i < 2 && (seconds < units[i].seconds || fmod(seconds, units[i].seconds) != 0))
        i++;
    sg_text_addf(out, "%g%s", seconds / units[i].seconds, units[i].unit);
}

static enum sg_code take_seconds(const struct sg_field *field, void *place,
                                 const struct sg_ini_entry *entry, struct sg_err *err)
{
    double *seconds = place;
    if (sg_parse_duration(entry->value, seconds, err) != SG_SUCCESS)
        return err->code;
    if (*seconds >= field->least && *seconds <= field->most)
        return SG_SUCCESS;
    SG_FORMATTED(expected, "a duration from ");
    add_duration(&expected, field->least);
    sg_text_add(&expected, " to ");
    add_duration(&expected, field->most);
    return sg_refuse_value(entry, expected.data, err);
}

static enum sg_code take_auto(const struct sg_field *field, void *place,
                              const struct sg_ini_entry *entry, struct sg_err *err)
{
    struct sg_field number = *field;
    SG_SCOPED(sg_text) expected = {0};
    number.take = NULL;
    *(unsigned *)place = SG_PROCESSES_AUTO;
    if (strcmp(entry->value, SG_AUTO) == 0)
        return SG_SUCCESS;
    sg_text_addf(&expected, "a whole number from %g to %g, or " SG_AUTO, field->least, field->most);
    number.expected = expected.data;
    return sg_field_read(&number, entry, (char *)place - field->offset, NULL, err);
}

static void add_auto(struct sg_text *out, const void *place)
{
    const unsigned number = *(const unsigned *)place;
    if (number == SG_PROCESSES_AUTO)
        sg_text_add(out, SG_AUTO);
    else
        sg_text_addf(out, "%u", number);
}

/* ---- the table ---- */

#define FIELD(kind, key, ...) SG_FIELD(kind, #key, struct sg_settings, key, __VA_ARGS__)

#define WRITTEN_L2(key, low, high)        FIELD(COUNT, key, .take = take_l2, .add = add_l2)
#define WRITTEN_SWITCH(key, low, high)    FIELD(YES, key)
#define WRITTEN_TOLERANCE(key, low, high) FIELD(REAL, key, .take = take_percent)
#define WRITTEN_SECONDS(key, low, high) \
    FIELD(REAL, key, .take = take_seconds, .least = (low), .most = (high))
#define WRITTEN_WHOLE(key, low, high) FIELD(COUNT, key, .least = (low), .most = (high))
#define WRITTEN_EVEN(key, low, high)  FIELD(COUNT, key, .least = (low), .most = (high), .step = 2)
#define WRITTEN_WHOLE_OR_AUTO(key, low, high) \
    FIELD(COUNT, key, .take = take_auto, .add = add_auto, .least = (low), .most = (high))

/* A program may choose smaller numbers than people may. */
#define PLAIN_L2     WRITTEN_L2
#define PLAIN_SWITCH WRITTEN_SWITCH
#define PLAIN_TOLERANCE(key, low, high)                                           \
    FIELD(REAL, key, .least = DBL_MIN, .most = 1 - DBL_EPSILON, .required = true, \
          .expected = "a ratio above 0 and below 1")
#define PLAIN_SECONDS(key, low, high)       FIELD(REAL, key, .required = true, .most = (high))
#define PLAIN_WHOLE(key, low, high)         WRITTEN_WHOLE(key, (low) < 1 ? (low) : 1, high)
#define PLAIN_EVEN                          PLAIN_WHOLE
#define PLAIN_WHOLE_OR_AUTO(key, low, high) WRITTEN_WHOLE_OR_AUTO(key, 1, high)

const struct sg_setting sg_setting_table[SG_SETTING_COUNT] = {
#define X(key_, type, standard, least, most, uses_, option, help) \
    {.key = #key_,                                                \
     .written = WRITTEN_##type(key_, least, most),                \
     .plain = PLAIN_##type(key_, least, most),                    \
     .given = offsetof(struct sg_settings_given, key_),           \
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

static bool is_default(const struct sg_setting *setting, const struct sg_settings *settings)
{
    const struct sg_settings standard = sg_settings_of_defaults();
    const size_t at = setting->plain.offset;
    return memcmp((const char *)settings + at, (const char *)&standard + at, setting->plain.size) ==
           0;
}

static enum sg_code read_field(const struct sg_field *field, const char *text,
                               struct sg_settings *settings, struct sg_err *err)
{
    const struct sg_ini_entry entry = {.key = field->name, .value = text};
    return sg_field_read(field, &entry, settings, NULL, err);
}

enum sg_code sg_setting_parse(const struct sg_setting *setting, const char *text,
                              struct sg_settings *settings, struct sg_err *err)
{
    return read_field(&setting->written, text, settings, err);
}

enum sg_code sg_setting_parse_plain(const struct sg_setting *setting, const char *text,
                                    struct sg_settings *settings, struct sg_err *err)
{
    return read_field(&setting->plain, text, settings, err);
}

void sg_setting_format(const struct sg_setting *setting, const struct sg_settings *settings,
                       struct sg_text *out)
{
    const struct sg_record one = {.fields = &setting->plain, .count = 1};
    sg_record_add(out, &one, settings, NULL);
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

#define X(key, type, standard, least, most, uses, ...)                \
    _Static_assert(!((uses)&SG_MUST_EQUAL) || !((uses)&SG_IN_FAMILY), \
                   #key ": a setting that must be equal cannot be a family's");
SG_SETTINGS(X)
#undef X

size_t sg_settings_keys(unsigned use, const char *keys[SG_SETTING_COUNT])
{
    size_t count = 0;
    for (size_t i = 0; i < SG_SETTING_COUNT; i++)
        if (sg_setting_table[i].uses & use)
            keys[count++] = sg_setting_table[i].key;
    return count;
}

static void set_value_of(const struct sg_setting *setting, const struct sg_env *env,
                         struct sg_text *out)
{
    const struct sg_settings standard = sg_settings_of_defaults();
    const char *value = sg_env_get(env, setting->key);
    out->length = 0;
    sg_text_add(out, value ? value : "");
    if (!value && setting->uses & SG_IF_SET)
        sg_setting_format(setting, &standard, out);
}

const struct sg_setting *sg_settings_unequal(const struct sg_env *a, const struct sg_env *b,
                                             struct sg_text *of_a, struct sg_text *of_b)
{
    for (size_t i = 0; i < SG_SETTING_COUNT; i++) {
        const struct sg_setting *setting = &sg_setting_table[i];
        if (!(setting->uses & SG_MUST_EQUAL))
            continue;
        set_value_of(setting, a, of_a);
        set_value_of(setting, b, of_b);
        if (strcmp(sg_text_string(of_a), sg_text_string(of_b)) != 0)
            return setting;
    }
    return NULL;
}

static enum sg_code check_fact(const struct sg_env *begun, const struct sg_env *here,
                               const char *key, const char *path, struct sg_err *err)
{
    const char *was = sg_env_word(begun, key), *is = sg_env_word(here, key);
    if (strcmp(was, is) != 0)
        sg_fail(err, SG_NOT_COMPARABLE, path,
                "this run was started with %s \"%s\", found \"%s\": start another run with "
                "another --out",
                key, was, is);
    return err->code;
}

enum sg_code sg_settings_check_resumed(const struct sg_env *begun, const struct sg_env *here,
                                       const char *path, struct sg_err *err)
{
    for (size_t i = 0; i < here->count && err->code == SG_SUCCESS; i++)
        check_fact(begun, here, here->key[i], path, err);
    for (size_t i = 0; i < begun->count && err->code == SG_SUCCESS; i++)
        if (sg_setting_of_env(begun->key[i]))
            check_fact(begun, here, begun->key[i], path, err);
    return err->code;
}

void sg_settings_override(struct sg_settings *into, const struct sg_settings *from,
                          const struct sg_settings_given *given, bool is_given)
{
    for (size_t i = 0; i < SG_SETTING_COUNT; i++) {
        const struct sg_setting *setting = &sg_setting_table[i];
        if (*(const bool *)((const char *)given + setting->given) == is_given)
            memcpy((char *)into + setting->plain.offset, (const char *)from + setting->plain.offset,
                   setting->plain.size);
    }
}

void sg_settings_to_env(const struct sg_settings *settings, const char *family, struct sg_env *env)
{
    for (size_t i = 0; i < SG_SETTING_COUNT; i++) {
        const struct sg_setting *setting = &sg_setting_table[i];
        SG_SCOPED(sg_text) value = {0};
        const bool is_here = family
                                 ? setting->uses & SG_IN_FAMILY
                                 : setting->uses & SG_IN_SUITE || !(setting->uses & SG_IN_FAMILY);
        if (!is_here || !(setting->uses & SG_IN_ENV) ||
            (setting->uses & SG_IF_SET && is_default(setting, settings)))
            continue;
        sg_setting_format(setting, settings, &value);
        sg_fact_set(env, setting->key, SG_OF(family), value.data);
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

enum sg_code sg_settings_take_argument(void *settings, const char *argument, struct sg_err *err)
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

/* An option without a value is a switch that is on. */
static enum sg_code read_into(const struct sg_setting *setting, char *place, const char *found,
                              struct sg_err *err)
{
    const bool is_flag = setting->written.type == SG_FIELD_YES && !*found;
    return sg_setting_parse(setting, is_flag ? "yes" : found,
                            (void *)(place - setting->written.offset), err);
}

#define X(key, ...)                                                                        \
    enum sg_code sg_setting_read_##key(void *place, const char *found, struct sg_err *err) \
    {                                                                                      \
        return read_into(&sg_setting_table[SG_SETTING_OF_##key], place, found, err);       \
    }
SG_SETTINGS(X)
