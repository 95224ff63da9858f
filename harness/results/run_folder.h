/*
 * results/run_folder.h - the folder that a run is written to: is it free, and a run that is
 * written as a whole.
 *
 * A run that is measured (results/run_log.h) starts in an empty folder and grows there. A run that
 * is written when all of it is known goes to a draft next to its folder, PATH.unfinished, and the
 * finished draft takes the folder's place in one rename. Invariant: whenever the process dies,
 * PATH has the old run or the new one, whole.
 *
 *     if (sg_run_draft_begin(path, "exec", &draft, err) == SG_SUCCESS &&
 *         write(draft.folder.data, err) == SG_SUCCESS)
 *         sg_run_draft_finish(&draft, err);
 *     sg_run_draft_release(&draft);
 */
#pragma once

#include "util/err.h"
#include "util/text.h"

/*
 * May a run be written to this folder? Yes if it is empty, or has only what a run leaves that was
 * killed before its first row. With `suite` also if it has a run of that suite that was written as
 * a whole, which may be replaced. SG_BAD_USAGE names the file that is in the way.
 */
enum sg_code sg_run_folder_check(const char *path, const char *suite, struct sg_err *err);

/* Locks a folder until its descriptor is closed. SG_BAD_USAGE: another solgate writes to it. */
enum sg_code sg_run_folder_lock(const char *path, int *lock, struct sg_err *err);

struct sg_run_draft {
    struct sg_text path, folder; /* owned; of the run, and where its files go until it is finished */
    const char *suite;           /* borrowed */
    int lock;                    /* of `folder`; -1: not open */
};
/* Locks and empties the draft's folder, which may be left of a process that was killed. */
enum sg_code sg_run_draft_begin(const char *path, const char *suite, struct sg_run_draft *draft, struct sg_err *err);
/* SG_SYSTEM: the rename failed. SG_BAD_USAGE: the program has written to `path`. The draft stays. */
enum sg_code sg_run_draft_finish(struct sg_run_draft *draft, struct sg_err *err);
/* Removes the draft, and after `finish` the old run, which is in the draft's place then. */
void sg_run_draft_release(struct sg_run_draft *draft);
