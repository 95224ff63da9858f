/* env.csv (results/table.h). */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/env.h"
#include "results/settings.h"
#include "results/units.h"
#include "util/record.h"
#include "util/csv_reader.h"
#include "util/escape.h"

#define ENV_HEADER "key,value"
#define TOLERANCE  "tolerance"

void sg_env_release(struct sg_env *env)
{
    for (size_t i = 0; i < env->count; i++)
        free(env->value[i]);
    free(env->key);
    free(env->value);
    free(env->line);
    free(env->place);
    free(env->path);
    sg_intern_pool_free(env->names);
    *env = (struct sg_env){0};
}

/* Returns env->count if the key is absent. */
static size_t find_key(const struct sg_env *env, const char *key)
{
    const sg_id id = sg_intern_pool_find(env->names, key);
    return id < env->place_count && env->place[id] > 0 ? env->place[id] - 1 : env->count;
}

/* The index of a key, which is added if absent. */
static size_t place_of(struct sg_env *env, const char *key)
{
    const size_t i = find_key(env, key);
    if (i < env->count)
        return i;
    const sg_id id = sg_intern(&env->names, key);
    env->place = sg_grow(env->place, &env->place_capacity, id + (size_t)1, sizeof(*env->place));
    while (env->place_count <= id)
        env->place[env->place_count++] = 0;
    env->place[id] = i + 1;
    size_t capacity = env->capacity;
    env->key = sg_grow(env->key, &capacity, i + 1, sizeof(*env->key));
    capacity = env->capacity;
    env->line = sg_grow(env->line, &capacity, i + 1, sizeof(*env->line));
    env->value = sg_grow(env->value, &env->capacity, i + 1, sizeof(*env->value));
    env->key[i] = sg_intern_pool_string(env->names, id);
    env->value[i] = NULL;
    env->count++;
    return i;
}

/* Stores the value as the file will hold it, so that the digests of memory and file are equal. */
void sg_env_set(struct sg_env *env, const char *key, const char *value)
{
    SG_SCOPED(sg_text) shown = {0};
    sg_add_cell(&shown, value); /* first, because `value` may belong to this env */
    const size_t i = place_of(env, key);
    free(env->value[i]);
    env->value[i] = sg_copy_string(sg_text_string(&shown));
    env->line[i] = 0;
}

void sg_env_setf(struct sg_env *env, const char *key, const char *format, ...)
{
    SG_SCOPED(sg_text) value = {0};
    va_list args;
    va_start(args, format);
    sg_text_addv(&value, format, args);
    va_end(args);
    sg_env_set(env, key, sg_text_string(&value));
}

void sg_env_unset(struct sg_env *env, const char *key)
{
    const size_t i = find_key(env, key);
    if (i == env->count)
        return;
    free(env->value[i]);
    env->count--;
    env->place[sg_intern_pool_find(env->names, key)] = 0;
    for (size_t k = i; k < env->count; k++) {
        env->place[sg_intern_pool_find(env->names, env->key[k + 1])] = k + 1;
        env->key[k] = env->key[k + 1];
        env->value[k] = env->value[k + 1];
        env->line[k] = env->line[k + 1];
    }
}

const char *sg_env_get(const struct sg_env *env, const char *key)
{
    const size_t i = find_key(env, key);
    return i < env->count ? env->value[i] : NULL;
}

const char *sg_env_word(const struct sg_env *env, const char *key)
{
    const char *value = sg_env_get(env, key);
    return value ? value : "";
}

static bool has_source(const struct sg_env *env, const char *word)
{
    return strcmp(sg_env_word(env, "time_source"), word) == 0;
}

bool sg_env_is_imported(const struct sg_env *env)
{
    return has_source(env, "imported");
}

bool sg_env_is_quoted(const struct sg_env *env)
{
    return has_source(env, "quoted") || sg_env_is_imported(env);
}

static void add_name(struct sg_text *name, const char *key, const char *const of[3])
{
    sg_text_add(name, key);
    for (size_t i = 0; i < 3 && of[i]; i++)
        sg_text_addf(name, ".%s", of[i]);
}

const char *sg_fact_get(const struct sg_env *env, const char *key, const char *const of[3])
{
    SG_SCOPED(sg_text) name = {0};
    add_name(&name, key, of);
    const char *value = sg_env_get(env, name.data);
    return value;
}

void sg_fact_set(struct sg_env *env, const char *key, const char *const of[3], const char *value)
{
    SG_SCOPED(sg_text) name = {0};
    add_name(&name, key, of);
    sg_env_set(env, name.data, value);
}

bool sg_fact_at(const struct sg_env *env, size_t index, const char *key, struct sg_text *names,
                const char *of[3])
{
    const size_t length = strlen(key);
    if (strncmp(env->key[index], key, length) != 0 || env->key[index][length] != '.')
        return false;
    sg_text_release(names);
    sg_text_add(names, env->key[index] + length + 1);
    char *rest = names->data;
    for (size_t i = 0; i < 3; i++)
        of[i] = rest ? strsep(&rest, ".") : NULL;
    return true;
}

/* Length up to the next blank outside quotes. */
static size_t word_length(const char *at)
{
    size_t length = 0;
    for (bool quoted = false; at[length] && (quoted || at[length] != ' '); length++)
        quoted ^= at[length] == '\'';
    return length;
}

void sg_env_add_modules(const struct sg_env *env, struct sg_text *out)
{
    static const char option[] = "--module=";
    const char *at = sg_env_get(env, "command");
    for (size_t length; at && *at; at += length + (at[length] == ' ')) {
        length = word_length(at);
        if (strncmp(at, option, strlen(option)) == 0) {
            sg_text_add(out, " ");
            sg_text_add_bytes(out, at, length);
        }
    }
}

long sg_env_line(const struct sg_env *env, const char *key)
{
    const size_t i = find_key(env, key);
    return i < env->count && env->line[i] > 0 ? env->line[i] : 1;
}

enum sg_code sg_env_fail(struct sg_err *err, const struct sg_env *env, const char *key,
                         const char *format, ...)
{
    char complaint[sizeof(err->message)];
    va_list args;
    va_start(args, format);
    vsnprintf(complaint, sizeof(complaint), format, args);
    va_end(args);
    if (!env->path)
        return sg_fail(err, SG_BAD_INPUT, "env.csv", "%s: %s", key, complaint);
    return sg_fail_at(err, SG_BAD_INPUT, env->path, sg_env_line(env, key), "%s: %s", key,
                      complaint);
}

const char *sg_env_why_invalid(const struct sg_env *env)
{
    const char *neighbours = sg_env_get(env, "neighbours");
    return neighbours ? neighbours : sg_env_get(env, "unfit");
}

bool sg_env_is_simulated(const struct sg_env *env)
{
    const char *gpu = sg_env_get(env, "gpu"), *source = sg_env_get(env, "time_source");
    return (gpu && strcmp(gpu, SG_NULL_GPU) == 0) || (source && strcmp(source, "simulated") == 0);
}

bool sg_env_is_key(const char *string)
{
    return *string && string[strspn(string, "abcdefghijklmnopqrstuvwxyz0123456789_.")] == '\0';
}

enum sg_code sg_env_take(struct sg_env *env, const char *key, const char *value, long line,
                         struct sg_err *err)
{
    if (!sg_env_is_key(key))
        return sg_field_fail("key", "a key of [a-z0-9_.]", key, err);
    if (sg_env_get(env, key))
        return sg_field_fail("key", "each key once", key, err);
    sg_env_set(env, key, value);
    env->line[env->count - 1] = line;
    return SG_SUCCESS;
}

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    if (row->line == 1)
        return sg_csv_check_header(row, ENV_HEADER, err);
    sg_env_take(context, row->field[0], row->field[1], row->line, err);
    return sg_fail_here(err, row->path, row->line);
}

enum sg_code sg_env_read(const char *path, struct sg_env *env, struct sg_err *err)
{
    free(env->path);
    env->path = sg_copy_string(path);
    return sg_csv_read(path, on_row, env, err);
}

void sg_env_digest(const struct sg_env *env, struct sg_digest *digest)
{
    for (size_t i = 0; i < env->count; i++) {
        if (strcmp(env->key[i], SG_DIGEST_KEY) == 0)
            continue;
        sg_digest_add_string(digest, env->key[i]);
        sg_digest_add_string(digest, env->value[i]);
    }
}

enum sg_code sg_env_write(const char *path, const struct sg_env *env, struct sg_err *err)
{
    SG_FORMATTED(text, "%s\n", ENV_HEADER);
    for (size_t i = 0; i < env->count; i++) {
        sg_csv_add_field(&text, env->key[i]);
        sg_text_add(&text, ",");
        sg_csv_add_field(&text, env->value[i]);
        sg_text_add(&text, "\n");
    }
    return sg_write_file(path, text.data, text.length, err);
}

double sg_env_tolerance(const struct sg_env *env, const char *family)
{
    double tolerance = NAN;
    const char *own = sg_fact_get(env, TOLERANCE, SG_OF(family)),
               *value = own ? own : sg_env_get(env, TOLERANCE);
    if (value && !sg_parse_double(value, false, &tolerance))
        tolerance = NAN;
    return tolerance;
}

double sg_env_tolerance_max(const struct sg_env *env)
{
    const char *value = sg_env_get(env, SG_TOLERANCE_MAX_KEY);
    double most = NAN;
    return value && sg_parse_double(value, false, &most) && most > 0 && most < 1 ? most
                                                                                 : SG_TOLERANCE_MAX;
}

/* ---- values that decisions depend on: an unreadable one must not become the default ---- */

static bool is_list_of_units(const char *value)
{
    return *value && value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789_+")] == '\0';
}

/* Checks the characters of a date such as 2026-11-23; a suffix must begin with T. Dates are
 * compared as strings. */
static bool is_date(const char *value)
{
    static const char like[] = "0000-00-00";
    for (size_t i = 0; i < sizeof(like) - 1; i++)
        if (like[i] == '0' ? value[i] < '0' || value[i] > '9' : value[i] != like[i])
            return false;
    const char *rest = value + sizeof(like) - 1;
    return *rest == '\0' || (*rest == 'T' && rest[strspn(rest, "T0123456789:.+-Z")] == '\0');
}

static const char *const states[] = {"running", "finished", NULL};
static const char *const choices[] = {SG_CHOICE_ALL, SG_CHOICE_CHANGED, NULL};
static const char *const l2_states[] = {"cold", "clean", "warm", "unknown", NULL};
static const char *const time_sources[] = {"cupti_activity", "cuda_event", "simulated",
                                           "quoted",         "imported",   NULL};

/* The values are only checked. */
#define KEY(kind, key, ...)                                                           \
    {                                                                                 \
        .name = (key), .type = SG_FIELD_##kind, .size = sizeof(uint64_t), __VA_ARGS__ \
    }
#define NAME_KEY(key)   KEY(TEXT, key, .is = sg_is_name, .expected = "a name of [a-z0-9_]")
#define NUMBER_KEY(key) KEY(REAL, key, .least = -DBL_MAX, .required = true)
static const struct sg_field keys[] = {
    KEY(WORD, "state", .words = states, .expected = "running or finished"),
    KEY(WORD, "l2", .words = l2_states, .expected = "cold, clean, warm or unknown"),
    KEY(WORD, "time_source", .words = time_sources,
        .expected = "cupti_activity, cuda_event, simulated, quoted or imported"),
    KEY(WORD, SG_CHOICE_KEY, .words = choices,
        .expected = "all or changed (scripts/convert.py converts runs of earlier versions)"),
    KEY(TEXT, "date", .is = is_date,
        .expected = "a date such as 2026-11-20, or 2026-11-20T23:40:34Z"),
    NAME_KEY("gpu"),
    NAME_KEY("suite"),
    NAME_KEY("gpu_uuid_hash"),
    KEY(COUNT, "seed", .expected = "a whole number"),
    NUMBER_KEY("l2_bytes"),
    NUMBER_KEY("power_w"),
    NUMBER_KEY("lambda"),
    KEY(COUNT, SG_ACCEPTED_RUNS_KEY, .least = 1, .expected = "a whole number of 1 or more"),
    KEY(TEXT, SG_UNITS_KEY, .is = is_list_of_units,
        .expected = "GPUs, each a name of [a-z0-9_], joined by +"),
    KEY(TEXT, SG_ACCEPTED_UNITS_KEY, .is = is_list_of_units,
        .expected = "GPUs, each a name of [a-z0-9_], joined by +"),
};

static enum sg_code check_value(const char *key, const char *value, struct sg_err *err)
{
    const struct sg_ini_entry entry = {.key = key, .value = value};
    const struct sg_setting *setting = sg_setting_of_env(key);
    const struct sg_field *field = SG_FIND(keys, sizeof(keys) / sizeof(keys[0]), name, key);
    struct sg_settings settings;
    union {
        uint64_t count;
        double real;
        const char *text;
        int word;
    } ignored;
    struct sg_err why = {0};
    if (field)
        sg_field_read(field, &entry, &ignored, NULL, &why);
    else if (setting)
        sg_setting_parse_plain(setting, value, &settings, &why);
    return why.code == SG_SUCCESS ? SG_SUCCESS
                                  : sg_fail(err, SG_BAD_INPUT, NULL, "%s: %s", key, why.message);
}

enum sg_code sg_env_check(const struct sg_env *env, const char *path, const char *newest,
                          struct sg_err *err)
{
    const char *schema = sg_env_get(env, "schema");
    if (!schema)
        return sg_fail_at(err, SG_BAD_INPUT, path, 1, "the key 'schema' is missing");
    if (strlen(schema) != 1 || *schema < '1' || *schema > *newest)
        return sg_fail_at(
            err, SG_NOT_COMPARABLE, path, sg_env_line(env, "schema"),
            "expected a schema from 1 to %s, found '%s': written by another version of solgate",
            newest, sg_show_string(schema).text);
    for (size_t i = 0; i < env->count && err->code == SG_SUCCESS; i++)
        if (check_value(env->key[i], env->value[i], err) != SG_SUCCESS)
            sg_fail_here(err, path, sg_env_line(env, env->key[i]));
    return err->code;
}
