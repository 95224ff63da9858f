/* env.csv (results/table.h). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/env.h"
#include "results/l2_state.h"
#include "results/table.h"
#include "stats/run_limits.h"
#include "util/csv_fields.h"
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

/* env->count: it has no such key. */
static size_t find_key(const struct sg_env *env, const char *key)
{
    const sg_id id = sg_intern_pool_find(env->names, key);
    return id < env->place_count && env->place[id] > 0 ? env->place[id] - 1 : env->count;
}

/* Where a key is, or is now. */
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

/* As the file has it: a digest of what is in memory
 * computes that of what is read back. */
void sg_env_set(struct sg_env *env, const char *key, const char *value)
{
    struct sg_text shown = {0};
    sg_add_cell(&shown, value); /* first: it may be a value of this env */
    const size_t i = place_of(env, key);
    free(env->value[i]);
    env->value[i] = sg_copy_string(sg_text_string(&shown));
    env->line[i] = 0;
    sg_text_release(&shown);
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

const char *sg_env_getf(const struct sg_env *env, const char *format, ...)
{
    struct sg_text key = {0};
    va_list args;
    va_start(args, format);
    sg_text_addv(&key, format, args);
    va_end(args);
    const char *value = sg_env_get(env, sg_text_string(&key));
    sg_text_release(&key);
    return value;
}

/* Up to the next blank that stands in no quotes. */
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

enum sg_code sg_env_fail(struct sg_err *err, const struct sg_env *env, const char *key, const char *format, ...)
{
    char complaint[sizeof(err->message)];
    va_list args;
    va_start(args, format);
    vsnprintf(complaint, sizeof(complaint), format, args);
    va_end(args);
    if (!env->path)
        return sg_fail(err, SG_BAD_INPUT, "env.csv", "%s: %s", key, complaint);
    return sg_fail_at(err, SG_BAD_INPUT, env->path, sg_env_line(env, key), "%s: %s", key, complaint);
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

static enum sg_code on_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_env *env = context;
    if (row->line == 1)
        return sg_csv_check_header(row, ENV_HEADER, err);
    const char *key = row->field[0];
    if (!sg_env_is_key(key)) {
        sg_field_fail("key", "a key of [a-z0-9_.]", key, err);
    } else if (sg_env_get(env, key)) {
        sg_field_fail("key", "each key once", key, err);
    } else {
        sg_env_set(env, key, row->field[1]);
        env->line[env->count - 1] = row->line;
    }
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

void sg_env_format(struct sg_text *out, const struct sg_env *env)
{
    sg_text_add(out, ENV_HEADER "\n");
    for (size_t i = 0; i < env->count; i++) {
        sg_csv_add_field(out, env->key[i]);
        sg_text_add(out, ",");
        sg_csv_add_field(out, env->value[i]);
        sg_text_add(out, "\n");
    }
}

enum sg_code sg_env_write(const char *path, const struct sg_env *env, struct sg_err *err)
{
    struct sg_text text = {0};
    sg_env_format(&text, env);
    sg_write_file(path, text.data, text.length, err);
    sg_text_release(&text);
    return err->code;
}

double sg_env_tolerance(const struct sg_env *env, const char *family)
{
    double tolerance = NAN;
    const char *own = sg_env_getf(env, TOLERANCE ".%s", family), *value = own ? own : sg_env_get(env, TOLERANCE);
    if (value && !sg_parse_double(value, false, &tolerance))
        tolerance = NAN;
    return tolerance;
}

double sg_env_tolerance_max(const struct sg_env *env)
{
    const char *value = sg_env_get(env, SG_TOLERANCE_MAX_KEY);
    double most = NAN;
    return value && sg_parse_double(value, false, &most) && most > 0 && most < 1 ? most : SG_TOLERANCE_MAX;
}

static bool is_tolerance(const char *key)
{
    const size_t length = strlen(TOLERANCE);
    return (strncmp(key, TOLERANCE, length) == 0 && (key[length] == '\0' || key[length] == '.')) || strcmp(key, SG_TOLERANCE_MAX_KEY) == 0;
}

/* ---- values that something is decided by: one that cannot be read must
 * not be taken for the default ---- */

static bool is_ratio(const char *value)
{
    double ratio;
    return sg_parse_double(value, false, &ratio) && ratio > 0 && ratio < 1;
}

static bool is_number(const char *value)
{
    uint64_t number;
    return sg_parse_u64(value, &number);
}

static bool is_quantity(const char *value)
{
    double quantity;
    return sg_parse_double(value, false, &quantity);
}

static bool is_count_or_auto(const char *value)
{
    uint64_t count;
    return strcmp(value, "auto") == 0 || (sg_parse_u64(value, &count) && count > 0);
}

static bool is_time_source(const char *value)
{
    static const char *const words[] = {"cupti_activity", "cuda_event", "simulated", "quoted"};
    bool found = false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        found |= strcmp(value, words[i]) == 0;
    return found;
}

static bool is_count(const char *value)
{
    uint64_t number;
    return sg_parse_u64(value, &number) && number > 0;
}

static bool is_state(const char *value)
{
    return strcmp(value, "running") == 0 || strcmp(value, "finished") == 0;
}

static bool is_l2(const char *value)
{
    enum sg_l2 l2;
    return strcmp(value, "unknown") == 0 || sg_l2_parse(value, &l2, &(struct sg_err){0}) == SG_SUCCESS;
}

/* By characters: 2026-11-23, and what may stand behind it begins with
 * T. Dates are compared as strings. */
static bool is_date(const char *value)
{
    static const char like[] = "0000-00-00";
    for (size_t i = 0; i < sizeof(like) - 1; i++)
        if (like[i] == '0' ? value[i] < '0' || value[i] > '9' : value[i] != like[i])
            return false;
    const char *rest = value + sizeof(like) - 1;
    return *rest == '\0' || (*rest == 'T' && rest[strspn(rest, "T0123456789:.+-Z")] == '\0');
}

/* How many different names there are between the signs; 0: one of
 * them is none, or is there twice. */
static size_t count_names(const char *value)
{
    char *names = sg_copy_string(value), *rest = names;
    struct sg_env seen = {0};
    bool valid = true;
    for (const char *name; (name = strsep(&rest, "+")) != NULL;) {
        valid &= sg_is_name(name) && !sg_env_get(&seen, name);
        sg_env_set(&seen, name, "");
    }
    const size_t count = valid ? seen.count : 0;
    sg_env_release(&seen);
    free(names);
    return count;
}

static bool is_list_of_units(const char *value)
{
    return count_names(value) > 0;
}

/* "3:a+b": a run is made on one GPU, so there are at most as many of them as runs. */
static bool is_origin(const char *value)
{
    const size_t digits = strcspn(value, ":");
    uint64_t runs = 0;
    char *count = sg_copy_string(value);
    count[digits] = '\0';
    const bool is_valid = value[digits] == ':' && sg_parse_u64(count, &runs) && is_list_of_units(value + digits + 1) &&
                          count_names(value + digits + 1) <= runs;
    free(count);
    return is_valid;
}

static enum sg_code fail_value(const struct sg_env *env, size_t i, const char *path, const char *expected, struct sg_err *err)
{
    sg_field_fail(env->key[i], expected, env->value[i], err);
    return sg_fail_here(err, path, sg_env_line(env, env->key[i]));
}

static enum sg_code check_value(const struct sg_env *env, size_t i, const char *path, struct sg_err *err)
{
    static const struct {
        const char *key, *expected;
        bool (*is_valid)(const char *value);
    } keys[] = {
        {"state", "running or finished", is_state},
        {"l2", SG_L2_CHOICE ", or unknown", is_l2},
        {"date", "a date such as 2026-11-20, or 2026-11-20T23:40:34Z", is_date},
        {"gpu", "a name of [a-z0-9_]", sg_is_name},
        {"suite", "a name of [a-z0-9_]", sg_is_name},
        {"gpu_uuid_hash", "a name of [a-z0-9_]", sg_is_name},
        {"time_source", "cupti_activity, cuda_event, simulated or quoted", is_time_source},
        {"seed", "a whole number", is_number},
        {"processes", "a whole number of 1 or more, or auto", is_count_or_auto},
        {"blocks", "a whole number of 1 or more", is_count},
        {"launches", "a whole number of 1 or more", is_count},
        {"repeats", "a whole number of 1 or more", is_count},
        {"sm_count", "a number", is_quantity},
        {"l2_bytes", "a number", is_quantity},
        {"sm_clock_max_hz", "a number", is_quantity},
        {"mem_clock_hz", "a number", is_quantity},
        {"power_cap_w", "a number", is_quantity},
        {"power_w", "a number", is_quantity},
        {"temperature_c", "a number", is_quantity},
        {"lambda", "a number", is_quantity},
        {SG_ACCEPTED_RUNS_KEY, "a whole number of 1 or more", is_count},
        {SG_ACCEPTED_UNITS_KEY, "GPUs, each a name of [a-z0-9_], joined by +, each once", is_list_of_units},
    };
    if (is_tolerance(env->key[i]) && !is_ratio(env->value[i]))
        return fail_value(env, i, path, "a ratio above 0 and below 1", err);
    if (strncmp(env->key[i], SG_ACCEPTED_ITEM_PREFIX, strlen(SG_ACCEPTED_ITEM_PREFIX)) == 0 && !is_origin(env->value[i]))
        return fail_value(env, i, path, "RUNS:GPU+GPU, at most as many GPUs as runs", err);
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
        if (strcmp(env->key[i], keys[k].key) == 0 && !keys[k].is_valid(env->value[i]))
            return fail_value(env, i, path, keys[k].expected, err);
    return SG_SUCCESS;
}

/* A run is made on one GPU, so there are at most as many of them as runs. */
static enum sg_code check_origin(const struct sg_env *env, const char *path, struct sg_err *err)
{
    const char *count = sg_env_get(env, SG_ACCEPTED_RUNS_KEY), *units = sg_env_get(env, SG_ACCEPTED_UNITS_KEY);
    uint64_t runs = 0;
    if (!count || !units || !sg_parse_u64(count, &runs) || count_names(units) <= runs)
        return SG_SUCCESS;
    return sg_fail_at(err, SG_BAD_INPUT, path, sg_env_line(env, SG_ACCEPTED_UNITS_KEY),
                      SG_ACCEPTED_UNITS_KEY ": expected at most as many GPUs as " SG_ACCEPTED_RUNS_KEY ", which is %s, found %zu", count,
                      count_names(units));
}

enum sg_code sg_env_check(const struct sg_env *env, const char *path, const char *newest, struct sg_err *err)
{
    const char *schema = sg_env_get(env, "schema");
    if (!schema)
        return sg_fail_at(err, SG_BAD_INPUT, path, 1, "the key 'schema' is missing");
    if (strlen(schema) != 1 || *schema < '1' || *schema > *newest)
        return sg_fail_at(err, SG_NOT_COMPARABLE, path, sg_env_line(env, "schema"),
                          "expected a schema from 1 to %s, found '%s': written by another version of solgate", newest,
                          sg_show(schema, strlen(schema)).text);
    for (size_t i = 0; i < env->count; i++)
        if (check_value(env, i, path, err) != SG_SUCCESS)
            return err->code;
    return check_origin(env, path, err);
}
