/*
 * cli/history_commits.h - the commits that a step lies between, by name.
 */
#ifndef SG_CLI_HISTORY_COMMITS_H
#define SG_CLI_HISTORY_COMMITS_H

#include "history/series.h"
#include "util/text.h"

/* Of the family's kernels, as the nights on both sides of a step have them; "": not known.
 * Borrowed. */
struct sg_step_commits {
    const char *before, *after;
    bool are_known;   /* two commits, of sources without changes */
    bool are_foreign; /* of another repository than solgate's */
};
struct sg_step_commits sg_step_commits_of(const struct sg_history *history, const struct sg_history_series *series,
                                          const struct sg_series_step *step);
/* The last night before the step that has the item; SG_NO_NIGHT: none. A night without the item is
 * none that the item changed after. */
#define SG_NO_NIGHT SIZE_MAX
size_t sg_step_night_before(const struct sg_history_series *series, const struct sg_series_step *step);
/* Of the series on one night. */
const char *sg_series_commit(const struct sg_history *history, const struct sg_history_series *series, size_t night);

/* Appends "; commits abc1234..def5678"; nothing where a night has none. */
void sg_add_step_commits(struct sg_text *out, const struct sg_step_commits *commits);

/*
 * Appends a line a commit, at most 20, from the night before the step's earliest place to its
 * latest, as `git log` lists them in the repository; why not, where it cannot: no git, no such
 * commit there, sources that differed from their commit.
 */
void sg_add_commits(struct sg_text *out, const char *repository, const struct sg_step_commits *commits);

#endif
