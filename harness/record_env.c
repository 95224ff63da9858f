/* env.csv (record.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "fields.h"
#include "l2.h"
#include "record.h"

#define ENV_HEADER "key,value"
#define TOLERANCE  "tolerance"

void sg_env_release(struct sg_env *env)
{
    for (size_t i = 0; i < env->count; i++) {
        free(env->key[i]);
        free(env->value[i]);
    }
    free(env->key);
    free(env->value);
    *env = (struct sg_env){0};
}

static size_t find_key(const struct sg_env *env, const char *key)
{
    size_t i = 0;
    while (i < env->count && strcmp(env->key[i], key) != 0)
        i++;
    return i;
}

void sg_env_set(struct sg_env *env, const char *key, const char *value)
{
    size_t i = find_key(env, key);
    char *fresh = sg_copy_string(value);
    if (i < env->count) {
        free(env->value[i]);
    } else {
        size_t keys = env->capacity;
        env->key = sg_grow(env->key, &keys, env->count + 1, sizeof(*env->key));
        env->value = sg_grow(env->value, &env->capacity, env->count + 1, sizeof(*env->value));
        env->key[env->count++] = sg_copy_string(key);
    }
    env->value[i] = fresh;
}

void sg_env_unset(struct sg_env *env, const char *key)
{
    const size_t i = find_key(env, key);
    if (i == env->count)
        return;
    free(env->key[i]);
    free(env->value[i]);
    env->count--;
    for (size_t k = i; k < env->count; k++) {
        env->key[k] = env->key[k + 1];
        env->value[k] = env->value[k + 1];
    }
}

const char *sg_env_get(const struct sg_env *env, const char *key)
{
    size_t i = find_key(env, key);
    return i < env->count ? env->value[i] : NULL;
}

const char *sg_env_why_invalid(const struct sg_env *env)
{
    const char *neighbours = sg_env_get(env, "neighbours");
    return neighbours ? neighbours : sg_env_get(env, "unfit");
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
    if (!sg_env_is_key(key))
        sg_field_fail("key", "a key of [a-z0-9_.]", key, err);
    else if (sg_env_get(env, key))
        sg_field_fail("key", "each key once", key, err);
    else
        sg_env_set(env, key, row->field[1]);
    return sg_fail_here(err, row->path, row->line);
}

enum sg_code sg_env_read(const char *path, struct sg_env *env, struct sg_err *err)
{
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
    struct sg_text text = {0};
    sg_text_add(&text, ENV_HEADER "\n");
    for (size_t i = 0; i < env->count; i++) {
        sg_csv_add_field(&text, env->key[i]);
        sg_text_add(&text, ",");
        sg_csv_add_field(&text, env->value[i]);
        sg_text_add(&text, "\n");
    }
    sg_write_file(path, text.data, text.length, err);
    sg_text_release(&text);
    return err->code;
}

double sg_env_tolerance(const struct sg_env *env, const char *family)
{
    struct sg_text key = {0};
    double tolerance = NAN;
    sg_text_addf(&key, TOLERANCE ".%s", family);
    const char *own = sg_env_get(env, key.data), *value = own ? own : sg_env_get(env, TOLERANCE);
    if (value && !sg_parse_double(value, false, &tolerance))
        tolerance = NAN;
    sg_text_release(&key);
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

/* One that cannot be read must not be taken for the default. */
static enum sg_code check_tolerances(const struct sg_env *env, const char *path, struct sg_err *err)
{
    double ratio;
    for (size_t i = 0; i < env->count; i++)
        if (is_tolerance(env->key[i]) && !(sg_parse_double(env->value[i], false, &ratio) && ratio > 0 && ratio < 1))
            return sg_fail(err, SG_BAD_INPUT, path, "%s: expected a ratio above 0 and below 1, found '%s'", env->key[i],
                           sg_show(env->value[i], strlen(env->value[i])).text);
    return SG_DONE;
}

bool sg_env_l2_is_warm(const struct sg_env *env)
{
    const char *l2 = sg_env_get(env, "l2");
    return l2 && strcmp(l2, sg_l2_word(SG_L2_WARM)) == 0;
}

enum sg_code sg_env_check(const struct sg_env *env, const char *path, struct sg_err *err)
{
    const char *schema = sg_env_get(env, "schema");
    if (!schema)
        return sg_fail(err, SG_BAD_INPUT, path, "the key 'schema' is missing");
    if (strcmp(schema, SG_SCHEMA) != 0)
        return sg_fail(err, SG_NOT_COMPARABLE, path, "expected schema " SG_SCHEMA ", found '%s': written by another version of solgate",
                       sg_show(schema, strlen(schema)).text);
    return check_tolerances(env, path, err);
}
