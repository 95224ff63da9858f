#include "builds/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/paths.h"

#define FACTS_FILE "build.csv"
#define SCHEMA     "1"

enum sg_code sg_builds_place(struct sg_text *store, struct sg_err *err)
{
    const char *own = getenv(SG_BUILDS_VARIABLE);
    if (!own || !*own)
        return sg_cache_folder(store, "builds", err);
    sg_text_add(store, own);
    return SG_SUCCESS;
}

enum sg_code sg_builds_lock(const char *store, int *descriptor, struct sg_err *err)
{
    *descriptor = -1;
    SG_FORMATTED(inside, "%s/", store);
    if (sg_make_folders(store, err) == SG_SUCCESS)
        sg_lock_folder_of(inside.data, descriptor, err);
    return err->code;
}

/* ---- reading ---- */

static enum sg_code check_module(struct sg_build *build, struct sg_err *err)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    struct stat facts;
    if (sg_digest_add_file(&digest, build->module, err) != SG_SUCCESS)
        return err->code;
    if (stat(build->module, &facts) == 0)
        build->bytes = (uint64_t)facts.st_size;
    if (strcmp(sg_digest_word(&digest).text, build->digest) != 0)
        sg_fail(err, SG_NOT_COMPARABLE, build->module,
                "expected the digest %s, found %s: the file was changed", build->digest,
                sg_digest_word(&digest).text);
    return err->code;
}

void sg_build_read(const char *store, const char *digest, struct sg_build *build)
{
    *build = (struct sg_build){.digest = sg_copy_string(digest)};
    SG_FORMATTED(path, "%s/%s/" FACTS_FILE, store, digest);
    if (sg_env_read(path.data, &build->facts, &build->fault) == SG_SUCCESS) {
        const char *family = sg_env_get(&build->facts, SG_BUILD_FAMILY_KEY);
        SG_SCOPED(sg_text) module = {0};
        if (!family || !sg_is_name(family)) {
            sg_fail(&build->fault, SG_BAD_INPUT, path.data,
                    SG_BUILD_FAMILY_KEY ": expected a name of [a-z0-9_], found '%s'",
                    family ? sg_show_string(family).text : "");
        } else {
            sg_text_addf(&module, "%s/%s/libsg_%s.so", store, digest, family);
            build->module = sg_copy_string(module.data);
            check_module(build, &build->fault);
        }
    }
}

static int newest_first(const void *left, const void *right)
{
    const struct sg_build *a = left, *b = right;
    const int by_date = strcmp(sg_env_word(&b->facts, "date"), sg_env_word(&a->facts, "date"));
    return by_date ? by_date : strcmp(a->digest, b->digest);
}

enum sg_code sg_builds_read(const char *store, struct sg_builds *builds, struct sg_err *err)
{
    DIR *folder = opendir(store);
    if (!folder)
        return errno == ENOENT
                   ? SG_SUCCESS
                   : sg_fail(err, SG_SYSTEM, store, "cannot be listed: %s", strerror(errno));
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (sg_is_digest(entry->d_name))
            sg_build_read(store, entry->d_name,
                          SG_APPEND(builds->items, builds->count, builds->capacity));
    closedir(folder);
    if (builds->count > 0)
        qsort(builds->items, builds->count, sizeof(*builds->items), newest_first);
    return SG_SUCCESS;
}

const struct sg_build *sg_builds_find(const struct sg_builds *builds, const char *digest)
{
    return SG_FIND(builds->items, builds->count, digest, digest);
}

const struct sg_build *sg_builds_usable(const struct sg_builds *builds, const char *digest)
{
    for (size_t i = 0; i < builds->count; i++)
        if (builds->items[i].fault.code == SG_SUCCESS &&
            strcmp(sg_build_replaced_digest(&builds->items[i]), digest) == 0)
            return &builds->items[i];
    return NULL;
}

const char *sg_build_replaced_digest(const struct sg_build *build)
{
    const char *other = sg_env_get(&build->facts, SG_BUILD_REPLACES_KEY);
    return other ? other : build->digest;
}

/* ---- writing ---- */

/* The folder has only files, like all folders of the store. */
enum sg_code sg_build_remove(const char *store, const char *digest, struct sg_err *err)
{
    SG_SCOPED(sg_names) files = {0};
    SG_FORMATTED(path, "%s/%s", store, digest);
    sg_list_files(path.data, "", &files, err);
    for (size_t i = 0; i < files.count && err->code == SG_SUCCESS; i++) {
        SG_FORMATTED(file, "%s/%s", path.data, files.items[i]);
        if (unlink(file.data) != 0)
            sg_fail(err, SG_SYSTEM, file.data, "cannot be removed: %s", strerror(errno));
    }
    if (err->code == SG_SUCCESS && rmdir(path.data) != 0)
        sg_fail(err, SG_SYSTEM, path.data, "cannot be removed: %s", strerror(errno));
    return err->code;
}

/* Writes the facts last: without facts the folder is not a build. */
static enum sg_code write_build(const char *store, const char *digest, const struct sg_text *bytes,
                                const struct sg_env *from, struct sg_err *err)
{
    SG_SCOPED(sg_env) facts = {0};
    SG_SCOPED(sg_text) folder = {0}, module = {0}, table = {0};
    sg_env_set(&facts, "schema", SCHEMA);
    for (size_t i = 0; i < from->count; i++)
        sg_env_set(&facts, from->key[i], from->value[i]);
    sg_text_addf(&folder, "%s/%s", store, digest);
    sg_text_addf(&module, "%s/libsg_%s.so", folder.data, sg_env_get(&facts, SG_BUILD_FAMILY_KEY));
    sg_text_addf(&table, "%s/" FACTS_FILE, folder.data);
    if (sg_make_folders(folder.data, err) == SG_SUCCESS &&
        sg_write_file(module.data, bytes->data, bytes->length, err) == SG_SUCCESS)
        sg_env_write(table.data, &facts, err);
    return err->code;
}

bool sg_build_is_kept(const char *store, const char *digest)
{
    struct sg_build build = {0};
    sg_build_read(store, digest, &build);
    return build.fault.code == SG_SUCCESS;
}

enum sg_code sg_build_keep(const char *store, const char *module, const char *digest,
                           const struct sg_env *facts, struct sg_err *err)
{
    SG_SCOPED(sg_text) bytes = {0};
    struct sg_digest of_bytes = SG_DIGEST_EMPTY;
    if (sg_read_file(module, &bytes, err) == SG_SUCCESS) {
        sg_digest_add(&of_bytes, sg_text_string(&bytes), bytes.length);
        const struct sg_digest_word is = sg_digest_word(&of_bytes);
        if (strcmp(is.text, digest) != 0)
            sg_fail(err, SG_NOT_COMPARABLE, module,
                    "expected the digest %s, found %s: another build", digest, is.text);
        else if (!sg_build_is_kept(store, is.text))
            write_build(store, is.text, &bytes, facts, err);
    }
    return err->code;
}
