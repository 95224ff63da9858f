#define _GNU_SOURCE /* for realpath */
#include "builds/accepted.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "baseline/find.h"
#include "util/escape.h"
#include "util/file.h"
#include "util/paths.h"

#define REMEMBERED "accepted"

/* ---- files known to the store ---- */

/* Resolves the folder, so that each file has one name; the file itself may not exist yet. */
static void add_absolute(struct sg_text *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    SG_SCOPED(sg_text) folder = {0};
    if (slash)
        sg_text_add_bytes(&folder, path, slash == path ? 1 : (size_t)(slash - path));
    else
        sg_text_add(&folder, ".");
    SG_FREED char *real = realpath(folder.data, NULL);
    sg_text_addf(out, "%s/%s", real ? real : folder.data, slash ? slash + 1 : path);
}

static enum sg_code remember(const char *store, const char *accepted, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0}, name = {0};
    struct sg_digest digest = SG_DIGEST_EMPTY;
    add_absolute(&path, accepted);
    sg_digest_add_string(&digest, path.data);
    sg_text_addf(&name, "%s/" REMEMBERED, store);
    if (sg_make_folders(name.data, err) == SG_SUCCESS) {
        sg_text_addf(&name, "/%s", sg_digest_word(&digest).text);
        sg_write_file(name.data, path.data, path.length, err);
    }
    return err->code;
}

/* Adds existing paths to `files`, and the names of the other entries to `gone`. */
static enum sg_code read_remembered(const char *store, struct sg_names *files,
                                    struct sg_names *gone, struct sg_err *err)
{
    SG_SCOPED(sg_names) names = {0};
    SG_FORMATTED(folder, "%s/" REMEMBERED, store);
    if (sg_is_folder(folder.data))
        sg_list_files(folder.data, "", &names, err);
    for (size_t i = 0; i < names.count && err->code == SG_SUCCESS; i++) {
        SG_SCOPED(sg_text) name = {0}, path = {0};
        sg_text_addf(&name, "%s/%s", folder.data, names.items[i]);
        if (sg_read_text(name.data, &path, err) == SG_SUCCESS && path.length > 0 &&
            access(path.data, F_OK) == 0)
            sg_names_add(files, path.data);
        else
            sg_names_addf(gone, REMEMBERED "/%s", names.items[i]);
    }
    return err->code;
}

/* ---- references ---- */

static void add_file(struct sg_build_references *references, const char *path)
{
    struct sg_accepted_suite suite = {0};
    struct sg_accepted_modules modules = {0};
    struct sg_err err = {0};
    if (sg_accepted_suite_read(path, &suite, &err) == SG_SUCCESS)
        sg_accepted_modules_of(suite.items, suite.count, &modules);
    for (size_t i = 0; i < modules.count; i++)
        *SG_APPEND(references->items, references->count, references->capacity) =
            (struct sg_build_reference){.digest = sg_copy_string(modules.items[i].digest),
                                        .family = sg_copy_string(modules.items[i].family),
                                        .file = sg_copy_string(path)};
    if (references->fault.code == SG_SUCCESS)
        references->fault = err;
}

static int by_digest(const void *left, const void *right)
{
    const struct sg_build_reference *a = left, *b = right;
    const int order = strcmp(a->digest, b->digest);
    return order ? order : strcmp(a->file, b->file);
}

enum sg_code sg_builds_references(const char *store, struct sg_build_references *references,
                                  struct sg_err *err)
{
    SG_SCOPED(sg_names) files = {0}, found = {0};
    if (read_remembered(store, &files, &references->gone, err) == SG_SUCCESS)
        sg_accepted_files(&found, err);
    for (size_t i = 0; i < found.count; i++) {
        SG_SCOPED(sg_text) path = {0};
        add_absolute(&path, found.items[i]);
        if (!sg_names_have(&files, path.data))
            sg_names_add(&files, path.data);
    }
    for (size_t i = 0; i < files.count && err->code == SG_SUCCESS; i++)
        add_file(references, files.items[i]);
    if (references->count > 0)
        qsort(references->items, references->count, sizeof(*references->items), by_digest);
    return err->code;
}

bool sg_build_is_referred(const struct sg_build_references *references, const char *digest)
{
    return SG_FIND(references->items, references->count, digest, digest) != NULL;
}

/* ---- module of an accepted number ---- */

/* Replaces a build that is missing or unusable. Slow, because it reads all other builds. */
static enum sg_code use_rebuilt(const char *store, const struct sg_build *missing,
                                const char *family, struct sg_text *path, struct sg_err *err)
{
    struct sg_builds builds = {0};
    if (sg_builds_read(store, &builds, err) == SG_SUCCESS) {
        const struct sg_build *other = sg_builds_usable(&builds, missing->digest);
        if (other)
            sg_text_add(path, other->module);
        else
            sg_fail(
                err, SG_NOT_COMPARABLE, missing->fault.where,
                "the build %s of %s cannot be used: %s; `solgate builds rebuild %s` makes it again",
                missing->digest, family, missing->fault.message, missing->digest);
    }
    return err->code;
}

enum sg_code sg_build_of_accepted(const char *store, const struct sg_env *accepted,
                                  const struct sg_build_item *item, struct sg_text *path,
                                  struct sg_err *err)
{
    const char *digest = sg_accepted_build(accepted, SG_NAMES(*item));
    struct sg_build build = {0};
    if (!digest)
        return sg_fail(err, SG_NOT_COMPARABLE, accepted->path ? accepted->path : store,
                       "names no build of %s%s%s: accept a run of this version of solgate",
                       item->family, item->variant ? "/" : "", item->variant ? item->variant : "");
    sg_build_read(store, digest, &build);
    const char *family = sg_env_get(&build.facts, SG_BUILD_FAMILY_KEY);
    if (build.fault.code != SG_SUCCESS)
        use_rebuilt(store, &build, item->family, path, err);
    else if (strcmp(family, item->family) != 0)
        sg_fail(err, SG_NOT_COMPARABLE, build.module, "expected the family %s, found %s",
                item->family, family);
    else
        sg_text_add(path, build.module);
    return err->code;
}

/* ---- keeping modules ---- */

static const char *const copied_keys[] = {"tool_version", "date", "suite", "gpu",
                                          "gpu_name",     "chip", "cuda"};

static void warn(struct sg_text *warnings, const char *what, const struct sg_err *why)
{
    sg_text_addf(warnings, "%s: ", what);
    sg_add_terminal_failure(warnings, why);
    sg_text_add(warnings, "\n");
}

static void set_facts(const struct sg_env *accepted, const struct sg_accepted_module *module,
                      struct sg_env *facts)
{
    SG_FORMATTED(abi, "%u", SG_ABI_VERSION);
    sg_env_set(facts, SG_BUILD_FAMILY_KEY, module->family);
    for (size_t i = 0; i < sizeof(copied_keys) / sizeof(copied_keys[0]); i++)
        if (sg_env_get(accepted, copied_keys[i]))
            sg_env_set(facts, copied_keys[i], sg_env_get(accepted, copied_keys[i]));
    const char *commit = sg_accepted_build_commit(accepted, module->family, module->digest);
    if (commit)
        sg_env_set(facts, "commit", commit);
    sg_env_set(facts, SG_BUILD_ABI_KEY, abi.data);
}

static bool is_module(const char *file, const char *digest)
{
    struct sg_digest is = SG_DIGEST_EMPTY;
    return sg_digest_add_file(&is, file, &(struct sg_err){0}) == SG_SUCCESS &&
           strcmp(sg_digest_word(&is).text, digest) == 0;
}

/* Appends the path of the first of the given files, and of the file next to solgate with the
 * family's name, that has the digest; nothing if none has. */
static void find_module(const struct sg_names *given, const struct sg_accepted_module *module,
                        struct sg_text *path)
{
    for (size_t i = 0; i < given->count && path->length == 0; i++)
        if (is_module(given->items[i], module->digest))
            sg_text_add(path, given->items[i]);
    SG_FORMATTED(name, "libsg_%s.so", module->family);
    if (path->length == 0 &&
        (sg_path_of_module(path, name.data, &(struct sg_err){0}) != SG_SUCCESS ||
         !is_module(path->data, module->digest)))
        sg_text_release(path);
}

static void keep_module(const char *store, const struct sg_accepted_file *fresh,
                        const struct sg_accepted_module *module, const struct sg_names *given,
                        struct sg_text *warnings)
{
    SG_SCOPED(sg_text) file = {0};
    SG_SCOPED(sg_env) facts = {0};
    struct sg_err err = {0};
    find_module(given, module, &file);
    if (file.length > 0) {
        set_facts(&fresh->env, module, &facts);
        sg_build_keep(store, file.data, module->digest, &facts, &err);
    } else if (!sg_build_is_kept(store, module->digest)) {
        sg_fail(
            &err, SG_NOT_COMPARABLE, NULL,
            "no module here has the digest %s: was it rebuilt? Name the module with --module=FILE",
            module->digest);
    }
    if (err.code != SG_SUCCESS) {
        SG_FORMATTED(what, "the build of %s is not kept", module->family);
        warn(warnings, what.data, &err);
    }
}

void sg_builds_keep_accepted(const struct sg_accepted_file *fresh, const char *path,
                             const struct sg_names *modules, int *descriptor,
                             struct sg_text *warnings)
{
    struct sg_accepted_modules named = {0};
    SG_SCOPED(sg_text) store = {0};
    struct sg_err err = {0};
    sg_accepted_modules_of(fresh, 1, &named);
    if (named.count > 0 && (sg_builds_place(&store, &err) != SG_SUCCESS ||
                            sg_builds_lock(store.data, descriptor, &err) != SG_SUCCESS ||
                            remember(store.data, path, &err) != SG_SUCCESS))
        warn(warnings, "the builds are not kept", &err);
    for (size_t i = 0; i < named.count && err.code == SG_SUCCESS; i++)
        keep_module(store.data, fresh, &named.items[i], modules, warnings);
}
