#include "builds/keep.h"

#include <stdlib.h>
#include <string.h>

#include "util/escape.h"
#include "util/paths.h"

/* What build.csv takes over from the env of the accepted numbers. */
static const char *const taken_over[] = {"tool_version", "date", "suite", "gpu", "gpu_name", "chip", "cuda"};

static void warn(struct sg_text *warnings, const char *what, const struct sg_err *why)
{
    sg_text_add(warnings, what);
    sg_text_add(warnings, why->where[0] ? ": " : "");
    sg_add_terminal(warnings, why->where);
    sg_text_add(warnings, ": ");
    sg_add_terminal(warnings, why->message);
    sg_text_add(warnings, "\n");
}

static void set_facts(const struct sg_env *accepted, const struct sg_accepted_module *module, struct sg_env *facts)
{
    SG_SCOPED(sg_text) abi = {0};
    sg_text_addf(&abi, "%u", SG_ABI_VERSION);
    sg_env_set(facts, SG_BUILD_FAMILY_KEY, module->family);
    for (size_t i = 0; i < sizeof(taken_over) / sizeof(taken_over[0]); i++)
        if (sg_env_get(accepted, taken_over[i]))
            sg_env_set(facts, taken_over[i], sg_env_get(accepted, taken_over[i]));
    const char *commit = sg_accepted_build_commit(accepted, module->family, module->digest);
    if (commit)
        sg_env_set(facts, "commit", commit);
    sg_env_set(facts, SG_BUILD_ABI_KEY, abi.data);
}

/* The first of the files that has the digest; NULL: none has. */
static const char *find_module(const struct sg_names *files, const char *digest)
{
    for (size_t i = 0; i < files->count; i++) {
        struct sg_digest is = SG_DIGEST_EMPTY;
        if (sg_digest_add_file(&is, files->items[i], &(struct sg_err){0}) == SG_SUCCESS && strcmp(sg_digest_word(&is).text, digest) == 0)
            return files->items[i];
    }
    return NULL;
}

/* The files that are given, then the one beside solgate that bears the family's name. */
static void add_files(const struct sg_names *given, const char *family, struct sg_names *files)
{
    SG_SCOPED(sg_text) name = {0}, path = {0};
    for (size_t i = 0; i < given->count; i++)
        sg_names_add(files, given->items[i]);
    sg_text_addf(&name, "libsg_%s.so", family);
    if (sg_path_of_module(&path, name.data, &(struct sg_err){0}) == SG_SUCCESS)
        sg_names_add(files, path.data);
}

static void keep_module(const char *store, const struct sg_accepted_file *fresh, const struct sg_accepted_module *module,
                        const struct sg_names *given, struct sg_text *warnings)
{
    SG_SCOPED(sg_names) files = {0};
    SG_SCOPED(sg_env) facts = {0};
    struct sg_err err = {0};
    add_files(given, module->family, &files);
    const char *file = find_module(&files, module->digest);
    if (file) {
        set_facts(&fresh->env, module, &facts);
        sg_build_keep(store, file, module->digest, &facts, NULL, &err);
    } else if (!sg_build_is_kept(store, module->digest)) {
        sg_fail(&err, SG_NOT_COMPARABLE, NULL, "no module here has the digest %s: built anew since? --module=FILE names another",
                module->digest);
    }
    if (err.code != SG_SUCCESS) {
        SG_SCOPED(sg_text) what = {0};
        sg_text_addf(&what, "the build of %s is not kept", module->family);
        warn(warnings, what.data, &err);
    }
}

void sg_builds_keep_accepted(const struct sg_accepted_file *fresh, const char *path, const struct sg_names *modules, int *descriptor,
                             struct sg_text *warnings)
{
    struct sg_accepted_modules named = {0};
    SG_SCOPED(sg_text) store = {0};
    struct sg_err err = {0};
    sg_accepted_modules_of(&fresh->env, &fresh->table, &named);
    if (named.count > 0 && (sg_builds_place(&store, &err) != SG_SUCCESS || sg_builds_lock(store.data, descriptor, &err) != SG_SUCCESS ||
                            sg_builds_remember(store.data, path, &err) != SG_SUCCESS))
        warn(warnings, "the builds are not kept", &err);
    for (size_t i = 0; i < named.count && err.code == SG_SUCCESS; i++)
        keep_module(store.data, fresh, &named.items[i], modules, warnings);
    free(named.items);
}
