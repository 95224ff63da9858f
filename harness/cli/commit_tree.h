/*
 * cli/commit_tree.h - commits of somebody's repository, built one after
 * the other in a clone of our own.
 *
 *     FOLDER/source               the clone, which shares the objects of the repository; made anew
 *                                 each time
 *     FOLDER/builds/<commit>/     the module of a commit
 *     FOLDER/builds/<commit>.log  what its build printed, once that has ended; without a module: it
 *                                 failed
 *
 * Invariants: nothing is written to the repository; a commit is built once, in the same place as
 * all others, for what compilers write of paths into device code. Of that place nothing is left
 * after a build: a module that needs more than itself must not find what another commit has there.
 */
#ifndef SG_CLI_COMMIT_TREE_H
#define SG_CLI_COMMIT_TREE_H

#include "util/text.h"

#define SG_SHORT_HASH 12 /* digits of a commit as it is shown */

struct sg_commit_tree {
    struct sg_text repository; /* absolute */
    struct sg_text build;      /* commands for sh, run in the clone */
    struct sg_text module;     /* what they leave, from there */
    struct sg_text folder;     /* absolute, exists; sg_commit_find needs none */
    int lock;                  /* of the folder: a build that outlives us holds it too; -1: none yet */
};

/* All but the folder. `build` and `module` NULL: those of kernels/FAMILY. */
void sg_commit_tree_init(struct sg_commit_tree *tree, const char *repository, const char *family, const char *build, const char *module);
/* Makes the folder and locks it. SG_SYSTEM. */
enum sg_code sg_commit_tree_place(struct sg_commit_tree *tree, const char *folder, struct sg_err *err);
void sg_commit_tree_release(struct sg_commit_tree *tree);

/* Appends the full hash of what somebody calls a commit of the
 * repository. SG_BAD_USAGE: it is none. */
enum sg_code sg_commit_find(const struct sg_commit_tree *tree, const char *name, struct sg_text *hash, struct sg_err *err);
/*
 * Appends the hash of a commit of the clone alone, which holds HEAD with what was changed in the
 * working tree and is new there, unless git ignores it; HEAD itself where nothing is. SG_SYSTEM.
 */
enum sg_code sg_commit_of_changes(const struct sg_commit_tree *tree, struct sg_text *hash, struct sg_err *err);
/* The output of `git ARGUMENTS` in the clone, without its last line end; its exit status is
 * returned. Its complaints go to stderr. */
int sg_commit_git(const struct sg_commit_tree *tree, struct sg_text *output, const char *arguments);
/* Makes the clone, in place of one that was left. SG_SYSTEM. */
enum sg_code sg_commit_tree_open(const struct sg_commit_tree *tree, struct sg_err *err);
/* Removes the clone. */
void sg_commit_tree_close(const struct sg_commit_tree *tree);

/* Appends "0123456789ab what it does". */
void sg_commit_add_title(const struct sg_commit_tree *tree, const char *commit, struct sg_text *out);

/* Appends the path of the module of a commit (its full hash). *is_built false: it does not build,
 * and `path` is of the log. SG_SYSTEM. */
enum sg_code sg_commit_build(const struct sg_commit_tree *tree, const char *commit, struct sg_text *path, bool *is_built,
                             struct sg_err *err);

#endif
