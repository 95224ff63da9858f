/* Which code a run measures: hashed when it is begun, held against what is there before each worker
 * and at the end, and against what each worker loaded. */
#include <stdlib.h>
#include <string.h>

#include "results/kernel_commit.h"
#include "run/pipeline_internal.h"
#include "util/digest.h"
#include "util/file.h"

static enum sg_code read_code(struct sg_code_file *file, struct sg_err *err)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    struct sg_text mark = {0};
    /* The mark first: of a file that is written to meanwhile it is the
     * older one, so that it is read again. */
    if (sg_file_mark(file->path, &mark, err) == SG_SUCCESS)
        sg_digest_add_file(&digest, file->path, err);
    file->mark = sg_copy_string(sg_text_string(&mark));
    file->hash = sg_copy_string(sg_digest_word(&digest).text);
    sg_text_release(&mark);
    return err->code;
}

enum sg_code sg_pipeline_add_code(struct sg_pipeline *p, const char *key, const char *reported_as, const char *path, struct sg_err *err)
{
    struct sg_code_file *file = SG_APPEND(p->code, p->code_count, p->code_capacity);
    *file = (struct sg_code_file){
        .key = sg_copy_string(key), .reported_as = reported_as ? sg_copy_string(reported_as) : NULL, .path = sg_copy_string(path)};
    return read_code(file, err);
}

/* Of accepted builds, as workers call them and as env.csv does. */
static enum sg_code add_accepted(struct sg_pipeline *p, struct sg_err *err)
{
    for (size_t i = 0; i < p->accepted.builds.count && err->code == SG_SUCCESS; i++) {
        const struct sg_listed_family *family = &p->accepted.builds.families[i];
        struct sg_text key = {0}, reported_as = {0};
        sg_text_addf(&key, SG_ACCEPTED_CODE_PREFIX "%s", family->name);
        sg_text_addf(&reported_as, SG_CODE_PREFIX "%s" SG_AGAINST_SUFFIX, family->name);
        sg_pipeline_add_code(p, key.data, reported_as.data, family->module, err);
        sg_text_release(&key);
        sg_text_release(&reported_as);
    }
    return err->code;
}

static enum sg_code add_family(struct sg_pipeline *p, const struct sg_listed_family *family, struct sg_err *err)
{
    struct sg_text key = {0};
    sg_text_addf(&key, SG_CODE_PREFIX "%s", family->name);
    bool known = false;
    for (size_t i = 0; i < p->code_count; i++)
        known |= strcmp(p->code[i].key, key.data) == 0;
    if (!known)
        sg_pipeline_add_code(p, key.data, key.data, family->module, err);
    sg_text_release(&key);
    return err->code;
}

enum sg_code sg_pipeline_find_code(struct sg_pipeline *p, struct sg_err *err)
{
    const bool has_own = p->code_count > 0;
    for (size_t i = 0; i < p->plan.count && !has_own && err->code == SG_SUCCESS; i++)
        add_family(p, p->plan.items[i].family, err);
    if (err->code == SG_SUCCESS && add_accepted(p, err) == SG_SUCCESS && p->drift.length > 0)
        sg_pipeline_add_code(p, "drift_code", NULL, p->drift.data, err);
    return err->code == SG_SUCCESS ? sg_pipeline_add_code(p, "worker_code", NULL, p->listing->worker, err) : err->code;
}

static enum sg_code fail_other(const struct sg_pipeline *p, const struct sg_code_file *file, const char *found, struct sg_err *err)
{
    return sg_fail(
        err, SG_NOT_COMPARABLE, file->path,
        "this run was begun with %s \"%s\", and here it is \"%s\": put that build back, or begin another run with another --out than %s",
        file->key, file->hash, sg_show(found, strlen(found)).text, p->folder.path);
}

/* What nobody touched since is not read again. */
static enum sg_code check_file(const struct sg_pipeline *p, struct sg_code_file *file, struct sg_err *err)
{
    struct sg_text mark = {0};
    struct sg_code_file now = {.path = file->path};
    if (sg_file_mark(file->path, &mark, err) == SG_SUCCESS && strcmp(mark.data, file->mark) != 0 && read_code(&now, err) == SG_SUCCESS) {
        if (strcmp(now.hash, file->hash) != 0)
            fail_other(p, file, now.hash, err);
        free(file->mark);
        file->mark = now.mark;
        now.mark = NULL;
    }
    free(now.mark);
    free(now.hash);
    sg_text_release(&mark);
    return err->code;
}

enum sg_code sg_pipeline_check_code(struct sg_pipeline *p, struct sg_err *err)
{
    for (size_t i = 0; i < p->code_count && err->code == SG_SUCCESS; i++)
        check_file(p, &p->code[i], err);
    return err->code;
}

enum sg_code sg_pipeline_take_code(const struct sg_pipeline *p, const struct sg_message *message, struct sg_err *err)
{
    for (size_t i = 0; i < p->code_count; i++) {
        struct sg_code_file *file = &p->code[i];
        if (!file->reported_as || strcmp(file->reported_as, message->field[0]) != 0)
            continue;
        /* Touched since the worker was started, perhaps, and the same all the same. */
        if (strcmp(file->mark, message->field[1]) == 0 || check_file(p, file, err) != SG_SUCCESS ||
            strcmp(file->mark, message->field[1]) == 0)
            return err->code;
        return fail_other(p, file, "another file", err);
    }
    /* A family of the run that has nothing in this plan. */
    return SG_SUCCESS;
}

static void set_commit(const struct sg_pipeline *p, const char *family, struct sg_env *env)
{
    const struct sg_listed_family *listed = sg_module_list_find(p->listing, family);
    struct sg_text key = {0};
    sg_text_addf(&key, SG_COMMIT_PREFIX "%s", family);
    if (listed)
        sg_env_set(env, key.data, listed->commit);
    sg_text_release(&key);
}

void sg_pipeline_set_code(const struct sg_pipeline *p, struct sg_env *env)
{
    for (size_t i = 0; i < p->code_count; i++) {
        sg_env_set(env, p->code[i].key, p->code[i].hash);
        if (strncmp(p->code[i].key, SG_CODE_PREFIX, strlen(SG_CODE_PREFIX)) == 0)
            set_commit(p, p->code[i].key + strlen(SG_CODE_PREFIX), env);
    }
}

void sg_pipeline_release_code(struct sg_pipeline *p)
{
    for (size_t i = 0; i < p->code_count; i++) {
        free(p->code[i].key);
        free(p->code[i].reported_as);
        free(p->code[i].path);
        free(p->code[i].hash);
        free(p->code[i].mark);
    }
    free(p->code);
    p->code = NULL;
    p->code_count = p->code_capacity = 0;
}
