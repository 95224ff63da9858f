#include "results/accepted_build.h"

#include <string.h>

#include "util/digest.h"
#include "util/text.h"

#define UNKNOWN SG_COMMIT_UNKNOWN

const char *sg_accepted_build(const struct sg_env *env, const char *family, const char *case_,
                              const char *variant)
{
    const char *value =
        variant ? sg_fact_get(env, SG_CODE_KEY, SG_OF(family, case_, variant)) : NULL;
    if (!value)
        value = sg_fact_get(env, SG_CODE_KEY, SG_OF(family));
    return value && sg_is_digest(value) ? value : NULL;
}

/* The commit that the build's module recorded. NULL: the env predates such records. */
static const char *commit_of_module(const struct sg_env *env, const char *family,
                                    const char *digest)
{
    const char *own = sg_fact_get(env, SG_COMMIT_KEY, SG_OF(digest)),
               *last = sg_fact_get(env, SG_CODE_KEY, SG_OF(family));
    return own                                 ? own
           : last && strcmp(last, digest) == 0 ? sg_fact_get(env, SG_COMMIT_KEY, SG_OF(family))
                                               : NULL;
}

const char *sg_accepted_build_commit(const struct sg_env *env, const char *family,
                                     const char *digest)
{
    const char *own = commit_of_module(env, family, digest);
    return own ? own : sg_env_get(env, SG_COMMIT_KEY);
}

/* Records the commit of an older build, which would otherwise get the new run's commit. */
static void keep_commit(struct sg_env *env, const struct sg_env *old, const char *family,
                        const char *digest)
{
    const char *was = sg_accepted_build_commit(old, family, digest),
               *is = sg_accepted_build_commit(env, family, digest);
    if (!commit_of_module(env, family, digest) &&
        strcmp(was ? was : UNKNOWN, is ? is : UNKNOWN) != 0)
        sg_fact_set(env, SG_COMMIT_KEY, SG_OF(digest), was ? was : UNKNOWN);
}

void sg_accepted_build_keep(struct sg_env *env, const struct sg_env *old,
                            const struct sg_value *item)
{
    const char *was = sg_accepted_build(old, SG_NAMES(*item));
    const char *family_was = sg_fact_get(old, SG_CODE_KEY, SG_OF(item->family));
    if (family_was && !sg_fact_get(env, SG_CODE_KEY, SG_OF(item->family)))
        sg_fact_set(env, SG_CODE_KEY, SG_OF(item->family), family_was);
    const char *is = sg_accepted_build(env, item->family, NULL, NULL);
    if (strcmp(was ? was : "", is ? is : "") != 0)
        sg_fact_set(env, SG_CODE_KEY, SG_OF(SG_NAMES(*item)), was ? was : UNKNOWN);
    if (was)
        keep_commit(env, old, item->family, was);
}

static void add_modules(const struct sg_env *env, const struct sg_table *table,
                        struct sg_accepted_modules *modules)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct sg_value value = sg_value_of(table, &table->rows[i]);
        if (strcmp(value.metric, "status") != 0)
            continue;
        const char *digest = sg_accepted_build(env, SG_NAMES(value));
        if (digest && !SG_FIND(modules->items, modules->count, digest, digest))
            *SG_APPEND(modules->items, modules->count, modules->capacity) =
                (struct sg_accepted_module){.family = value.family, .digest = digest, .env = env};
    }
}

void sg_accepted_modules_of(const struct sg_accepted_file *files, size_t count,
                            struct sg_accepted_modules *modules)
{
    for (size_t i = 0; i < count; i++)
        add_modules(&files[i].env, &files[i].table, modules);
}
