/*
 * results/kernel_commit.h - the commit that kernels were built from, according to the facts of a
 * run, a nightly run or accepted numbers.
 *
 * `commit.<family>` is the commit that the build of the family's module recorded. It belongs to the
 * git repository of the family's sources, which need not be solgate's. Older facts have only
 * `commit`: the commit of solgate, and of kernels in solgate's own tree.
 */
#pragma once

#include "results/env.h"

#define SG_COMMIT_KEY "commit" /* of solgate, of a family; in accepted numbers also of a build */
#define SG_COMMIT_UNKNOWN                                                  \
    "unknown" /* a module built outside git, or without solgate_add_family \
               */

bool sg_is_commit(const char *word); /* true for a commit hash, short or full, without `-dirty` */
/* Do two hashes, short or full, name the same commit? */
bool sg_is_same_commit(const char *a, const char *b);
bool sg_is_commit_stamp(const char *word); /* the same, with or without `-dirty` */

/* Placeholders in a printed command: the user fills in how to build another repository. */
#define SG_FOREIGN_BUILD " --repo=DIR --build=COMMAND --module=FILE"

/* The commit of a family's kernels, as a stamp or SG_COMMIT_UNKNOWN. If no family has one: the
 * commit of solgate. "": neither is known. Borrowed. */
const char *sg_kernel_commit(const struct sg_env *facts, const char *family);
/* True if the kernels come from another repository than solgate. */
bool sg_kernels_are_foreign(const struct sg_env *facts, const char *family);
