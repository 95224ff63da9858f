/*
 * cli/history_commits.h - the commits that a step lies between, by name.
 */
#ifndef SG_CLI_HISTORY_COMMITS_H
#define SG_CLI_HISTORY_COMMITS_H

#include "history/history.h"
#include "stats/change_point.h"
#include "util/text.h"

#define SG_COMMITS_MAX 20 /* lines of one step */

/* The hash of a commit, short or long, without `-dirty` behind it?
 * Only such a word is handed to git. */
bool sg_is_commit(const char *word);

/*
 * Appends a line a commit, from the night before the step's earliest place to its
 * latest one, as `git log` of the repository lists them, or one line that says why
 * not: no git, no such commit there.
 */
void sg_add_commits(struct sg_text *out, const char *repository, const struct sg_history *history, const struct sg_series_step *step);

#endif
