#include "results/run_reader.h"
#include "results/run_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* `path` is the argument of the user, `folder` the folder that it names or is in. */
static enum sg_code check_there(const char *folder, const char *path, struct sg_err *err)
{
    SG_FORMATTED(env, "%s/env.csv", folder);
    if (access(path, F_OK) != 0)
        sg_fail(err, SG_BAD_INPUT, path, "expected the folder of a run, or its run.csv: %s",
                strerror(errno));
    else if (access(env.data, F_OK) != 0)
        sg_fail(err, SG_BAD_INPUT, path,
                "expected the folder of a run, or its run.csv; its env.csv: %s", strerror(errno));
    return err->code;
}

/* A path is the folder of a run, or a file in that folder. */
static enum sg_code find_files(const char *path, struct sg_text *folder, struct sg_text *table,
                               struct sg_err *err)
{
    if (!*path)
        return sg_fail(err, SG_BAD_USAGE, NULL,
                       "expected the folder of a run, or its run.csv, found an empty name");
    struct stat facts;
    if (stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode)) {
        const char *slash = strrchr(path, '/');
        sg_text_add_bytes(folder, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
        if (slash == path)
            sg_text_add(folder, "/");
        sg_text_add(table, path);
        return check_there(folder->data, path, err);
    }
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    sg_text_add_bytes(folder, path, length);
    sg_text_addf(table, "%s/run.csv", folder->data);
    return check_there(folder->data, path, err);
}

static enum sg_code check_finished(const struct sg_env *env, const char *folder, const char *path,
                                   struct sg_err *err)
{
    const char *state = sg_env_get(env, "state");
    SG_SCOPED(sg_text) command = {0};
    if (!state)
        return sg_fail_at(err, SG_BAD_INPUT, path, 1, "the key 'state' is missing");
    if (strcmp(state, "running") == 0) {
        sg_text_addf(&command, "run %s",
                     *sg_env_word(env, "suite") ? sg_env_word(env, "suite") : "SUITE");
        sg_fail(err, SG_INVALID, folder, "this run is not finished");
        sg_run_add_resume(err, "go on with",
                          sg_env_get(env, "command") ? sg_env_get(env, "command") : command.data,
                          folder);
        return err->code;
    }
    if (strcmp(state, "finished") != 0)
        return sg_fail_at(err, SG_BAD_INPUT, path, sg_env_line(env, "state"),
                          "state: expected running or finished, found '%s'",
                          sg_show_string(state).text);
    return SG_SUCCESS;
}

enum sg_code sg_run_read_env(const char *path, struct sg_env *env, struct sg_err *err)
{
    SG_SCOPED(sg_text) folder = {0}, table = {0}, file = {0};
    if (find_files(path, &folder, &table, err) == SG_SUCCESS) {
        sg_text_addf(&file, "%s/env.csv", folder.data);
        if (sg_env_read(file.data, env, err) == SG_SUCCESS)
            check_finished(env, folder.data, file.data, err);
    }
    return err->code;
}

void sg_run_unseal(struct sg_env *env)
{
    sg_env_unset(env, SG_DIGEST_KEY);
}

enum sg_code sg_run_seal(const char *folder, struct sg_env *env, struct sg_err *err)
{
    struct sg_digest digest = SG_DIGEST_EMPTY;
    SG_FORMATTED(path, "%s/run.csv", folder);
    sg_env_unset(env, SG_DIGEST_KEY);
    if (sg_digest_add_text_file(&digest, path.data, err) == SG_SUCCESS) {
        sg_env_digest(env, &digest);
        sg_env_set(env, SG_DIGEST_KEY, sg_digest_word(&digest).text);
    }
    return err->code;
}

static enum sg_code check_seal(struct sg_run *run, struct sg_digest *digest, const char *path,
                               struct sg_err *err)
{
    run->is_readable = true;
    const char *expected = sg_env_get(&run->env, SG_DIGEST_KEY);
    if (!expected)
        return SG_SUCCESS;
    sg_env_digest(&run->env, digest);
    if (strcmp(sg_digest_word(digest).text, expected) == 0)
        return SG_SUCCESS;
    SG_SCOPED(sg_text) word = {0};
    sg_text_add_word(&word, run->folder);
    return sg_fail(err, SG_NOT_COMPARABLE, path,
                   "run.csv or env.csv was changed after the run had ended (expected the digest "
                   "%s, found %s); if that is intended: solgate accepted seal %s --reason=TEXT",
                   sg_show_string(expected).text, sg_digest_word(digest).text, word.data);
}

enum sg_code sg_run_read(const char *path, struct sg_run *run, struct sg_err *err)
{
    SG_SCOPED(sg_text) folder = {0}, table = {0}, env = {0};
    struct sg_digest digest = SG_DIGEST_EMPTY;
    *run = (struct sg_run){0};
    if (find_files(path, &folder, &table, err) != SG_SUCCESS)
        return err->code;
    sg_text_addf(&env, "%s/env.csv", folder.data);
    run->folder = sg_copy_string(folder.data);
    if (sg_env_read(env.data, &run->env, err) == SG_SUCCESS &&
        sg_env_check(&run->env, env.data, SG_SCHEMA, err) == SG_SUCCESS &&
        check_finished(&run->env, folder.data, env.data, err) == SG_SUCCESS &&
        sg_table_read(table.data, &run->table, &digest, err) == SG_SUCCESS)
        check_seal(run, &digest, env.data, err);
    return err->code;
}

bool sg_run_is_gate(const struct sg_env *env)
{
    return sg_env_get(env, "candidate_code") != NULL;
}

void sg_run_release(struct sg_run *run)
{
    free(run->folder);
    sg_table_release(&run->table);
    sg_env_release(&run->env);
    *run = (struct sg_run){0};
}
