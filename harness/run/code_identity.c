/* Identity of the code that a run measures. Files are hashed at the beginning, compared before each
 * worker and at the end, and compared with what each worker loaded. */
#include <stdio.h>
#include <string.h>

#include "plan/built_difference.h"
#include "results/kernel_commit.h"
#include "run/execution_internal.h"
#include "util/digest.h"
#include "util/file.h"

static enum sg_code read_code(struct sg_code_file *file, struct sg_err *err)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    SG_SCOPED(sg_text) mark = {0};
    /* Takes the mark before reading: if the file is written meanwhile, the mark is outdated and
     * the file is read again. */
    if (sg_file_mark(file->path, &mark, err) == SG_SUCCESS)
        sg_digest_add_file(&digest, file->path, err);
    file->mark = sg_copy_string(sg_text_string(&mark));
    file->hash = sg_copy_string(sg_digest_word(&digest).text);
    return err->code;
}

static enum sg_code add_file(struct sg_execution *e, const struct sg_code_file *like,
                             const char *path, struct sg_err *err)
{
    struct sg_code_file *file = SG_APPEND(e->code, e->code_count, e->code_capacity);
    *file = *like;
    file->path = sg_copy_string(path);
    return read_code(file, err);
}

static void find_built(struct sg_code_file *file, const struct sg_listed_family *family)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    const char *commit = strcmp(family->commit, SG_COMMIT_UNKNOWN) == 0 ? "" : family->commit;
    /* A worker will report the reason of a failure. */
    if (sg_built_digest(file->path, commit, &digest, SG_IGNORED) == SG_SUCCESS)
        snprintf(file->built, sizeof(file->built), "%s", sg_digest_word(&digest).text);
}

/* Workers report a family's module by this key. */
static const char *key_of_build(enum sg_item_build build)
{
    return build == SG_BUILD_OTHER ? SG_ACCEPTED_CODE_KEY : SG_CODE_KEY;
}

static enum sg_code add_family(struct sg_execution *e, const struct sg_code_file *like,
                               struct sg_err *err)
{
    if (add_file(e, like, like->family->module, err) == SG_SUCCESS)
        find_built(&e->code[e->code_count - 1], like->family);
    return err->code;
}

/* Adds each family with items of that build once. Items of a family are adjacent. */
static enum sg_code add_families(struct sg_execution *e, enum sg_item_build build,
                                 struct sg_err *err)
{
    const struct sg_listed_family *last = NULL;
    for (size_t i = 0; i < e->plan->count && err->code == SG_SUCCESS; i++) {
        const struct sg_item *item = &e->plan->items[i];
        if (item->build != build || item->family == last || item->program)
            continue;
        last = item->family;
        add_family(
            e,
            &(struct sg_code_file){
                .key = key_of_build(build), .of = last->name, .family = last, .build = build},
            err);
    }
    return err->code;
}

enum sg_code sg_execution_find_code(struct sg_execution *e, struct sg_err *err)
{
    const struct sg_run_plan *plan = e->plan;
    for (size_t i = 0; i < plan->code_count && err->code == SG_SUCCESS; i++)
        add_family(e,
                   &(struct sg_code_file){.key = plan->code[i].key,
                                          .family = plan->code[i].family,
                                          .build = plan->code[i].build},
                   err);
    if (plan->code_count == 0 && add_families(e, SG_BUILD_OWN, err) == SG_SUCCESS)
        add_families(e, SG_BUILD_OTHER, err);
    if (err->code == SG_SUCCESS && plan->drift.length > 0)
        add_file(e, &(struct sg_code_file){.key = "drift_code"}, plan->drift.data, err);
    if (err->code == SG_SUCCESS)
        add_file(e, &(struct sg_code_file){.key = "worker_code"}, plan->modules->worker, err);
    return err->code;
}

static enum sg_code fail_other(const struct sg_execution *e, const struct sg_code_file *file,
                               const char *found, struct sg_err *err)
{
    return sg_fail(err, SG_NOT_COMPARABLE, file->path,
                   "this run was started with %s%s%s \"%s\", found \"%s\": restore that build, or "
                   "start another run with "
                   "another --out than %s",
                   file->key, file->of ? "." : "", file->of ? file->of : "", file->hash,
                   sg_show(found, strlen(found)).text, e->sink->path);
}

/* Only reads the file again if its mark has changed. */
static enum sg_code check_file(const struct sg_execution *e, struct sg_code_file *file,
                               struct sg_err *err)
{
    SG_SCOPED(sg_text) mark = {0};
    struct sg_code_file now = {.path = file->path};
    if (sg_file_mark(file->path, &mark, err) == SG_SUCCESS && strcmp(mark.data, file->mark) != 0 &&
        read_code(&now, err) == SG_SUCCESS) {
        if (strcmp(now.hash, file->hash) != 0)
            fail_other(e, file, now.hash, err);
        file->mark = now.mark;
    }
    return err->code;
}

enum sg_code sg_execution_check_code(struct sg_execution *e, struct sg_err *err)
{
    for (size_t i = 0; i < e->code_count && err->code == SG_SUCCESS; i++)
        check_file(e, &e->code[i], err);
    return err->code;
}

static bool is_reported_as(const struct sg_code_file *file, const char *key)
{
    const char *of_build = key_of_build(file->build);
    const size_t length = strlen(of_build);
    return file->family && strncmp(key, of_build, length) == 0 && key[length] == '.' &&
           strcmp(key + length + 1, file->family->name) == 0;
}

enum sg_code sg_execution_take_code(const struct sg_execution *e, const struct sg_message *message,
                                    struct sg_err *err)
{
    for (size_t i = 0; i < e->code_count; i++) {
        struct sg_code_file *file = &e->code[i];
        if (!is_reported_as(file, message->key))
            continue;
        /* The file may have been touched after the worker's start without a change of contents. */
        if (strcmp(file->mark, message->text) == 0 || check_file(e, file, err) != SG_SUCCESS ||
            strcmp(file->mark, message->text) == 0)
            return err->code;
        return fail_other(e, file, "another file", err);
    }
    /* The family belongs to the run, but has no items in this plan. */
    return SG_SUCCESS;
}

void sg_execution_set_code(const struct sg_execution *e, struct sg_env *env)
{
    for (size_t i = 0; i < e->code_count; i++) {
        const struct sg_code_file *file = &e->code[i];
        sg_fact_set(env, file->key, SG_OF(file->of), file->hash);
        if (file->of && file->build == SG_BUILD_OWN)
            sg_fact_set(env, SG_COMMIT_KEY, SG_OF(file->of), file->family->commit);
    }
}
