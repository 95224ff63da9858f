#define _GNU_SOURCE /* renameat2 */
#include "results/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/env.h"
#include "results/parts.h"
#include "results/run_log.h"
#include "results/units.h"
#include "util/file.h"
#include "util/paths.h"

/* True for an empty log, which is created before env.csv and before any group. */
static bool is_bare(const char *folder, const char *name)
{
    struct stat facts;
    SG_FORMATTED(path, "%s/%s", folder, name);
    return strcmp(name, SG_RUN_LOG_NAME) == 0 && stat(path.data, &facts) == 0 && facts.st_size == 0;
}

/* True for a file that a killed run leaves. With `is_whole` also true for a file of a run that is
 * written in one step at its end. */
static bool is_known(const char *name, bool is_whole)
{
    static const char *const patterns[] = {
        ".",           "..",     "env.csv.*.tmp", "run.csv",     "env.csv",
        "*.csv.*.tmp", "traces", "kernels.txt",   SG_PARTS_FILE, SG_UNITS_FILE};
    for (size_t i = 0; i < (is_whole ? sizeof(patterns) / sizeof(patterns[0]) : 3); i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return false;
}

#define TO_REPLACE "--out=DIR names another folder"

static enum sg_code check_names(const char *path, bool is_whole, const char *instead,
                                struct sg_err *err)
{
    DIR *dir = opendir(path);
    if (!dir)
        return sg_fail(err, sg_code_of_errno(errno, SG_BAD_USAGE), path,
                       "cannot be read as a folder: %s", strerror(errno));
    for (const struct dirent *entry; err->code == SG_SUCCESS && (entry = readdir(dir));)
        if (!is_bare(path, entry->d_name) && !is_known(entry->d_name, is_whole))
            sg_fail(err, SG_BAD_USAGE, path, "the folder is not empty (%s is in it); %s",
                    entry->d_name, instead);
    closedir(dir);
    return err->code;
}

enum sg_code sg_run_folder_check(const char *path, const char *suite, struct sg_err *err)
{
    SG_SCOPED(sg_env) env = {.count = 0};
    SG_FORMATTED(file, "%s/env.csv", path);
    SG_FORMATTED(parts, "%s/" SG_PARTS_FILE, path);
    const bool has_env = suite && sg_env_read(file.data, &env, SG_IGNORED) == SG_SUCCESS,
               is_like_it = has_env && *suite ? sg_env_is_imported(&env) &&
                                                    strcmp(sg_env_word(&env, "suite"), suite) == 0
                                              : has_env && access(parts.data, F_OK) == 0;
    return check_names(path, is_like_it,
                       suite ? TO_REPLACE : "--resume goes on with an unfinished run", err);
}

void sg_run_add_resume(struct sg_err *err, const char *words, const char *command, const char *path)
{
    const size_t length = strlen(err->message);
    SG_SCOPED(sg_text) out = {0};
    sg_text_add_option(&out, "out", path);
    snprintf(err->message + length, sizeof(err->message) - length, "; %s: solgate %s%s --resume",
             words, command, out.data);
}

enum sg_code sg_run_folder_lock(const char *path, int *lock, struct sg_err *err)
{
    return sg_lock(path, O_DIRECTORY, "another solgate is writing to this run", lock, err);
}

/* ---- a run that is written as a whole ---- */

static int remove_one(const char *path, const struct stat *facts, int type, struct FTW *at)
{
    (void)facts;
    (void)type;
    return at->level == 0 ? 0 : remove(path);
}

/* A rename cannot replace a mount point, and would remove the working folder of a shell. */
static enum sg_code check_place(const struct sg_run_draft *draft, struct sg_err *err)
{
    const char *path = draft->path.data;
    struct stat of, above;
    SG_FORMATTED(parent, "%s/..", path);
    const bool is_here = sg_is_same_file(path, ".");
    if (is_here ||
        (stat(path, &of) == 0 && stat(parent.data, &above) == 0 && above.st_dev != of.st_dev))
        return sg_fail(err, SG_BAD_USAGE, path,
                       "expected a folder that can be replaced, found %s: name a folder in it",
                       is_here ? "the working folder" : "a mount point");
    return sg_run_folder_check(path, draft->suite, err);
}

enum sg_code sg_run_draft_begin(const char *path, const char *suite, struct sg_run_draft *draft,
                                struct sg_err *err)
{
    *draft = (struct sg_run_draft){.suite = suite, .lock = -1};
    if (sg_make_folders(path, err) != SG_SUCCESS)
        return err->code;
    SG_FREED char *place = realpath(path, NULL);
    sg_text_add(&draft->path, place ? place : path);
    sg_text_addf(&draft->folder, "%s.unfinished", draft->path.data);
    if (check_place(draft, err) == SG_SUCCESS &&
        sg_make_folders(draft->folder.data, err) == SG_SUCCESS &&
        sg_run_folder_lock(draft->folder.data, &draft->lock, err) == SG_SUCCESS &&
        check_names(draft->folder.data, true, TO_REPLACE, err) == SG_SUCCESS)
        nftw(draft->folder.data, remove_one, 4, FTW_DEPTH | FTW_PHYS);
    return err->code;
}

enum sg_code sg_run_draft_finish(struct sg_run_draft *draft, struct sg_err *err)
{
    const char *from = draft->folder.data, *to = draft->path.data;
    struct sg_err why = {0};
    if (check_place(draft, &why) == SG_SUCCESS) {
        if (rename(from, to) == 0 || renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
            return err->code;
        sg_fail(&why, SG_SYSTEM, to, "cannot be replaced: %s", strerror(errno));
    }
    close(draft->lock);
    draft->lock = -1;
    return sg_fail(err, why.code, to, "%s; the new run is in %s", why.message, from);
}

void sg_run_draft_release(struct sg_run_draft *draft)
{
    if (draft->lock >= 0 &&
        check_names(draft->folder.data, true, TO_REPLACE, SG_IGNORED) == SG_SUCCESS) {
        nftw(draft->folder.data, remove_one, 4, FTW_DEPTH | FTW_PHYS);
        rmdir(draft->folder.data);
        rmdir(draft->path.data); /* empty if nothing was written */
    }
    if (draft->lock >= 0)
        close(draft->lock);
    sg_text_release(&draft->path);
    sg_text_release(&draft->folder);
}
