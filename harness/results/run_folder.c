#define _GNU_SOURCE /* renameat2 */
#include "results/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/env.h"
#include "results/run_log.h"
#include "util/file.h"
#include "util/paths.h"

#define LOCK_MOST_MS 2000
#define TRACES       "traces." /* folder of `exec`, gone unless it was killed */

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* The log is made before env.csv says what the run is, and groups come after that. The dot is of
 * the temporary file of sg_write_file, of a process that was killed. */
static bool is_bare(const char *folder, const char *name)
{
    struct stat facts;
    SG_SCOPED(sg_text) path = {0};
    sg_text_addf(&path, "%s/%s", folder, name);
    return begins(name, "env.csv.") || (strcmp(name, SG_RUN_LOG_NAME) == 0 && stat(path.data, &facts) == 0 && facts.st_size == 0);
}

/* What a run has that is written as a whole, or was to be. */
static bool is_of_draft(const char *name)
{
    static const char *const files[] = {"run.csv", "env.csv", "kernels.txt"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (begins(name, files[i]) && strchr(".", name[strlen(files[i])]))
            return true;
    return begins(name, TRACES);
}

static enum sg_code check_names(const char *path, bool with_draft, struct sg_err *err)
{
    DIR *dir = opendir(path);
    if (!dir)
        return sg_fail(err, sg_code_of_errno(errno, SG_BAD_USAGE), path, "cannot be read as a folder: %s", strerror(errno));
    for (const struct dirent *entry; err->code == SG_SUCCESS && (entry = readdir(dir));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && !is_bare(path, name) && !(with_draft && is_of_draft(name)))
            sg_fail(err, SG_BAD_USAGE, path, "the folder is not empty (%s is in it); --resume goes on with an unfinished run", name);
    }
    closedir(dir);
    return err->code;
}

/* A run without env.csv was made by hand. */
static bool is_whole_of(const char *path, const char *suite)
{
    SG_SCOPED(sg_env) env = {.count = 0};
    SG_SCOPED(sg_text) file = {0};
    struct sg_err none = {0};
    sg_text_addf(&file, "%s/env.csv", path);
    return sg_env_read(file.data, &env, &none) == SG_SUCCESS && sg_env_is_imported(&env) && strcmp(sg_env_word(&env, "suite"), suite) == 0;
}

enum sg_code sg_run_folder_check(const char *path, const char *suite, struct sg_err *err)
{
    return check_names(path, suite && is_whole_of(path, suite), err);
}

enum sg_code sg_run_folder_lock(const char *path, int *lock, struct sg_err *err)
{
    *lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return sg_fail(err, sg_code_of_errno(errno, SG_BAD_USAGE), path, "cannot be opened as a folder: %s", strerror(errno));
    /* The guards of a solgate that was just killed hold its lock a moment longer than it does. */
    if (sg_hold_folder(*lock, LOCK_MOST_MS))
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_USAGE, path, "another solgate is writing to this run");
}

/* ---- a run that is written as a whole ---- */

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *at)
{
    (void)facts;
    (void)type;
    return at->level == 0 ? 0 : remove(path);
}

/* In one rename, which a mount point and the folder that a shell is in do not survive. */
static enum sg_code check_place(const struct sg_run_draft *draft, struct sg_err *err)
{
    const char *path = draft->path.data;
    struct stat of, above;
    SG_SCOPED(sg_text) parent = {0};
    sg_text_addf(&parent, "%s/..", path);
    if (stat(path, &of) != 0)
        return SG_SUCCESS;
    if (sg_is_same_file(path, ".") || (stat(parent.data, &above) == 0 && above.st_dev != of.st_dev))
        return sg_fail(err, SG_BAD_USAGE, path, "expected a folder that can be replaced, found %s: name a folder in it",
                       sg_is_same_file(path, ".") ? "the working folder" : "a mount point");
    return sg_run_folder_check(path, draft->suite, err);
}

/* Another process may have finished the draft while this one waited for its lock. */
static enum sg_code lock_draft(struct sg_run_draft *draft, struct sg_err *err)
{
    struct stat locked, there;
    if (sg_make_folders(draft->folder.data, err) != SG_SUCCESS || sg_run_folder_lock(draft->folder.data, &draft->lock, err) != SG_SUCCESS)
        return err->code;
    if (fstat(draft->lock, &locked) != 0 || stat(draft->folder.data, &there) != 0 || locked.st_ino != there.st_ino) {
        close(draft->lock);
        draft->lock = -1;
        return sg_fail(err, SG_BAD_USAGE, draft->path.data, "another solgate is writing to this run");
    }
    return SG_SUCCESS;
}

enum sg_code sg_run_draft_begin(const char *path, const char *suite, struct sg_run_draft *draft, struct sg_err *err)
{
    SG_FREED char *linked = realpath(path, NULL); /* NULL: nothing is there */
    size_t length = strlen(path);
    *draft = (struct sg_run_draft){.suite = suite, .lock = -1};
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (linked)
        sg_text_add(&draft->path, linked);
    else
        sg_text_add_bytes(&draft->path, path, length);
    sg_text_addf(&draft->folder, "%s.unfinished", draft->path.data);
    if (check_place(draft, err) != SG_SUCCESS || lock_draft(draft, err) != SG_SUCCESS ||
        check_names(draft->folder.data, true, err) != SG_SUCCESS)
        return err->code;
    nftw(draft->folder.data, remove_one, 4, FTW_DEPTH | FTW_PHYS);
    return err->code;
}

enum sg_code sg_run_draft_finish(struct sg_run_draft *draft, struct sg_err *err)
{
    const char *from = draft->folder.data, *to = draft->path.data;
    if (check_place(draft, err) != SG_SUCCESS)
        return err->code;
    if (rename(from, to) != 0 && renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) != 0)
        sg_fail(err, SG_SYSTEM, to, "cannot be replaced: %s; the new run is in %s", strerror(errno), from);
    draft->is_kept = err->code != SG_SUCCESS;
    return err->code;
}

void sg_run_draft_release(struct sg_run_draft *draft)
{
    struct sg_err foreign = {0};
    if (draft->lock >= 0 && !draft->is_kept && check_names(draft->folder.data, true, &foreign) == SG_SUCCESS) {
        nftw(draft->folder.data, remove_one, 4, FTW_DEPTH | FTW_PHYS);
        rmdir(draft->folder.data);
    }
    if (draft->lock >= 0)
        close(draft->lock);
    sg_text_release(&draft->path);
    sg_text_release(&draft->folder);
}
