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
 * all others, for what compilers write of paths into device code.
 */
#ifndef SG_CLI_COMMIT_TREE_H
#define SG_CLI_COMMIT_TREE_H

#include "util/text.h"

struct sg_commit_tree {
    const char *folder;     /* absolute, exists; sg_commit_find needs none */
    const char *repository; /* absolute */
    const char *build;      /* commands for sh, run in the clone */
    const char *module;     /* what they leave, from there */
    int lock;               /* of the folder: a build that outlives us holds it too */
};

/* Appends the full hash of what somebody calls a commit of the
 * repository. SG_BAD_USAGE: it is none. */
enum sg_code sg_commit_find(const struct sg_commit_tree *tree, const char *name, struct sg_text *hash, struct sg_err *err);
/* The output of `git ARGUMENTS` in the clone, without its last line end; its exit status is
 * returned. Its complaints go to stderr. */
int sg_commit_git(const struct sg_commit_tree *tree, struct sg_text *output, const char *arguments);
/* Makes the clone, in place of one that was left. SG_SYSTEM. */
enum sg_code sg_commit_tree_open(const struct sg_commit_tree *tree, struct sg_err *err);
/* Removes the clone. */
void sg_commit_tree_close(const struct sg_commit_tree *tree);

/* Appends the path of the module of a commit (its full hash). *is_built false: it does not build,
 * and `path` is of the log. SG_SYSTEM. */
enum sg_code sg_commit_build(const struct sg_commit_tree *tree, const char *commit, struct sg_text *path, bool *is_built,
                             struct sg_err *err);

#endif
