#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* `path` is what was given, `folder` the one that it names or lies in. */
static enum sg_code check_there(const char *folder, const char *path, struct sg_err *err)
{
    struct sg_text env = {0};
    sg_text_addf(&env, "%s/env.csv", folder);
    if (access(env.data, F_OK) != 0)
        sg_fail(err, SG_BAD_INPUT, path, "expected the folder of a run, or its run.csv; its env.csv: %s", strerror(errno));
    sg_text_release(&env);
    return err->code;
}

/* A folder is a run; so is a file, which stands for the folder that it is in. */
static enum sg_code find_files(const char *path, struct sg_text *folder, struct sg_text *table, struct sg_err *err)
{
    if (!*path)
        return sg_fail(err, SG_BAD_USAGE, NULL, "expected the folder of a run, or its run.csv, found an empty name");
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

static enum sg_code check_finished(const struct sg_env *env, const char *folder, const char *path, struct sg_err *err)
{
    const char *state = sg_env_get(env, "state");
    const char *suite = sg_env_get(env, "suite") ? sg_env_get(env, "suite") : "SUITE", *command = sg_env_get(env, "command");
    if (!state)
        return sg_fail(err, SG_BAD_INPUT, path, "the key 'state' is missing");
    if (strcmp(state, "running") == 0)
        return sg_fail(err, SG_INVALID, folder, "this run is not finished; go on with: solgate %s%s --out=%s --resume",
                       command ? "" : "run ", command ? command : suite, folder);
    if (strcmp(state, "finished") != 0)
        return sg_fail(err, SG_BAD_INPUT, path, "state: expected running or finished, found '%s'", sg_show(state, strlen(state)).text);
    return SG_DONE;
}

enum sg_code sg_run_read_env(const char *path, struct sg_env *env, struct sg_err *err)
{
    struct sg_text folder = {0}, table = {0}, file = {0};
    if (find_files(path, &folder, &table, err) == SG_DONE) {
        sg_text_addf(&file, "%s/env.csv", folder.data);
        if (sg_env_read(file.data, env, err) == SG_DONE)
            check_finished(env, folder.data, file.data, err);
    }
    sg_text_release(&folder);
    sg_text_release(&table);
    sg_text_release(&file);
    return err->code;
}

enum sg_code sg_run_read(const char *path, struct sg_run *run, struct sg_err *err)
{
    struct sg_text folder = {0}, table = {0}, env = {0};
    *run = (struct sg_run){0};
    if (find_files(path, &folder, &table, err) != SG_DONE)
        goto out;
    sg_text_addf(&env, "%s/env.csv", folder.data);
    run->folder = sg_copy_string(folder.data);
    if (sg_env_read(env.data, &run->env, err) == SG_DONE && sg_env_check(&run->env, env.data, err) == SG_DONE &&
        check_finished(&run->env, folder.data, env.data, err) == SG_DONE)
        sg_table_read(table.data, &run->table, err);
out:
    sg_text_release(&folder);
    sg_text_release(&table);
    sg_text_release(&env);
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
