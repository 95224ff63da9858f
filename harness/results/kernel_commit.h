/*
 * results/kernel_commit.h - which commit kernels were built from, by the facts of a run, of a night
 * or of accepted numbers.
 *
 * `commit.<family>` is what the build of the family's module recorded: of the git repository
 * that holds its sources, which need not be that of solgate. Facts of before that key have `commit`
 * alone, which is solgate's; kernels of solgate's own tree have the same.
 */
#pragma once

#include "results/env.h"

#define SG_COMMIT_KEY     "commit"
#define SG_COMMIT_PREFIX  "commit." /* before a family; beside accepted numbers also before the digest of a build */
#define SG_COMMIT_UNKNOWN "unknown" /* a module that was built outside of git, or by other means than solgate_add_family */

bool sg_is_commit(const char *word);       /* the hash of a commit, short or long, without `-dirty` behind it? */
bool sg_is_commit_stamp(const char *word); /* the same, or with it? */

/* The place in a command for how to build another repository: its user fills it in. */
#define SG_FOREIGN_BUILD " --repo=DIR --build=COMMAND --module=FILE"

/* Of a family's kernels, as a stamp or SG_COMMIT_UNKNOWN; "": the facts have neither it nor,
 * without such a key of any family, solgate's. Borrowed. */
const char *sg_kernel_commit(const struct sg_env *facts, const char *family);
/* Do the kernels come from another repository than solgate? */
bool sg_kernels_are_foreign(const struct sg_env *facts, const char *family);
