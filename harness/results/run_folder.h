/*
 * results/run_folder.h - the folder of a run: whether it is free, and runs that are written as a
 * whole.
 *
 * A measured run (results/run_log.h) starts in an empty folder and grows there. A run that is
 * written when all of it is known goes to a draft next to its folder, PATH.unfinished. One rename
 * puts the finished draft in the folder's place. Invariant: whenever the process dies, PATH has all
 * of the old run or all of the new one.
 *
 *     if (sg_run_draft_begin(path, "exec", &draft, err) == SG_SUCCESS &&
 *         write(draft.folder.data, err) == SG_SUCCESS)
 *         sg_run_draft_finish(&draft, err);
 *     sg_run_draft_release(&draft);
 */
#pragma once

#include "util/err.h"
#include "util/text.h"

#define SG_ANY_MERGED ""       /* in place of a suite: a merged run may be replaced */
#define SG_AA_FILE    "aa.csv" /* A/A pairs of a gate; in accepted numbers: of many gates */

/* Checks that a run may be written to this folder. The folder must be empty, or hold only the files
 * of a run that was killed before its first row. With `suite`, the folder may also hold a run of
 * that suite that was written as a whole; that run may be replaced. SG_BAD_USAGE names the file in
 * the way. */
enum sg_code sg_run_folder_check(const char *path, const char *suite, struct sg_err *err);

#define SG_RESUME_WORDS "results are kept, resume with"
/* Appends to a failure the command that resumes a run. `words` lead to it; `command`: the run's
 * command line without --out. */
void sg_run_add_resume(struct sg_err *err, const char *words, const char *command,
                       const char *path);

/* Locks a folder until the caller closes *lock. SG_BAD_USAGE: another solgate is writing to it. */
enum sg_code sg_run_folder_lock(const char *path, int *lock, struct sg_err *err);

struct sg_run_draft {
    struct sg_text path,
        folder; /* owned; the run's folder, and the folder for its files until it is finished */
    const char *suite; /* borrowed */
    int lock;          /* descriptor of `folder`; -1: not open */
};
/* Locks and empties the draft's folder, which a killed process may have left. */
enum sg_code sg_run_draft_begin(const char *path, const char *suite, struct sg_run_draft *draft,
                                struct sg_err *err);
/* SG_SYSTEM: the rename failed. SG_BAD_USAGE: the program has written to `path`. The draft
 * stays. */
enum sg_code sg_run_draft_finish(struct sg_run_draft *draft, struct sg_err *err);
/* Removes the draft; after `finish` the old run, which has taken the draft's place. */
void sg_run_draft_release(struct sg_run_draft *draft);
