#include "results/accepted_build.h"

#include <string.h>

#include "util/digest.h"
#include "util/text.h"

#define UNKNOWN "unknown"

const char *sg_accepted_build(const struct sg_env *env, const char *family, const char *case_, const char *variant)
{
    const char *value = variant ? sg_env_getf(env, SG_CODE_PREFIX "%s.%s.%s", family, case_, variant) : NULL;
    if (!value)
        value = sg_env_getf(env, SG_CODE_PREFIX "%s", family);
    return value && sg_is_digest(value) ? value : NULL;
}

const char *sg_accepted_build_commit(const struct sg_env *env, const char *digest)
{
    const char *own = sg_env_getf(env, "commit.%s", digest);
    return own ? own : sg_env_get(env, "commit");
}

static void keep_commit(struct sg_env *env, const struct sg_env *old, const char *digest)
{
    const char *was = sg_accepted_build_commit(old, digest), *is = sg_accepted_build_commit(env, digest);
    struct sg_text key = {0};
    sg_text_addf(&key, "commit.%s", digest);
    if (was && (!is || strcmp(was, is) != 0))
        sg_env_set(env, key.data, was);
    sg_text_release(&key);
}

void sg_accepted_build_keep(struct sg_env *env, const struct sg_env *old, const struct sg_value *item)
{
    const char *was = sg_accepted_build(old, item->family, item->case_, item->variant);
    const char *family_was = sg_env_getf(old, SG_CODE_PREFIX "%s", item->family);
    struct sg_text key = {0};
    sg_text_addf(&key, SG_CODE_PREFIX "%s", item->family);
    if (family_was && !sg_env_get(env, key.data))
        sg_env_set(env, key.data, family_was);
    const char *is = sg_accepted_build(env, item->family, NULL, NULL);
    sg_text_addf(&key, ".%s.%s", item->case_, item->variant);
    if (strcmp(was ? was : "", is ? is : "") != 0)
        sg_env_set(env, key.data, was ? was : UNKNOWN);
    if (was)
        keep_commit(env, old, was);
    sg_text_release(&key);
}

static bool has_digest(const struct sg_accepted_modules *modules, const char *digest)
{
    for (size_t i = 0; i < modules->count; i++)
        if (strcmp(modules->items[i].digest, digest) == 0)
            return true;
    return false;
}

void sg_accepted_modules_of(const struct sg_env *env, const struct sg_table *table, struct sg_accepted_modules *modules)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_value value = sg_value_of(table, &table->rows[i]);
        if (strcmp(value.metric, "status") != 0)
            continue;
        const char *digest = sg_accepted_build(env, value.family, value.case_, value.variant);
        if (digest && !has_digest(modules, digest))
            *SG_APPEND(modules->items, modules->count, modules->capacity) =
                (struct sg_accepted_module){.family = value.family, .digest = digest};
    }
}
