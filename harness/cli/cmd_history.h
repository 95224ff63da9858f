/* cli/cmd_history.h - shared by the subcommands of `solgate history`. */
#pragma once

#include "cli/command.h"
#include "history/judge.h"
#include "compare/night_items.h"
#include "reports/sheet.h"
#include "stats/headline.h"

#define SG_HISTORY_VARIABLE "SOLGATE_HISTORY"
#define SG_HISTORY_FOLDER   "history"
const char *sg_history_folder(void); /* default of --history */

/* Options of all subcommands. */
#define SG_HISTORY_OPTION(input, field)                                       \
    SG_VALUE("history", "DIR", input, field, .help = "folder of the history", \
             .standard = "$" SG_HISTORY_VARIABLE ", or " SG_HISTORY_FOLDER)
#define SG_GROUP_OPTION(input)                                                               \
    SG_VALUE("group", "GPU/SUITE", input, group, .help = "of this GPU model and suite only", \
             .standard = "all groups")

/* Options of subcommands that judge. */
#define SG_HISTORY_RULE_OPTIONS(input, field)                      \
    SG_VALUE("tolerance", "PERCENT", input, field.tolerance,       \
             .help = "smaller steps are not listed"),              \
        SG_VALUE("alarms", "few|usual", input, field.usual_alarms, \
                 .help = "usual: small steps are found sooner, with more false ones")

/* Loads each group, or only the one wanted, and calls fn for it. SG_BAD_INPUT if there is none. */
struct sg_history_wanted {
    const char *folder, *group; /* group NULL: all */
    bool all;                   /* also the runs that a scan cannot use */
};
typedef enum sg_code sg_history_fn(void *context, const char *group,
                                   const struct sg_history *history, struct sg_err *err);
enum sg_code sg_history_each(const struct sg_history_wanted *wanted, sg_history_fn *fn,
                             void *context, struct sg_err *err);
/* FAMILY/CASE/VARIANT of a series. */
const char *sg_history_item(const struct sg_judgement *judgement, size_t series);
/* Smaller correlations are not shown. */
#define SG_CORRELATION_SHOWN 0.05
#define SG_CORRELATION_NOTE \
    "nightly runs correlate with the ones before by r = %.2f: limits and intervals are wider"
/* Appends the change of a step: "+1.02 % [+0.90, +1.14]". */
void sg_add_step_change(struct sg_text *out, const struct sg_series_step *step);

/* Commits of the family's kernels before and after the step; "": not known. Borrowed. */
struct sg_step_commits {
    const char *before, *after;
    bool are_known;   /* both are commits, of unmodified sources */
    bool are_foreign; /* of another repository than solgate's */
};
struct sg_step_commits sg_step_commits_of(const struct sg_history *history,
                                          const struct sg_history_series *series,
                                          const struct sg_series_step *step);
/* Appends "; commits abc1234..def5678"; nothing if a side is not known. */
void sg_add_step_commits(struct sg_text *out, const struct sg_step_commits *commits);
/* The last nightly run before the step that has the item; SG_NO_NIGHT: none. */
size_t sg_step_night_before(const struct sg_history_series *series,
                            const struct sg_series_step *step);
/* The commit of the series in one nightly run. */
const char *sg_series_commit(const struct sg_history *history,
                             const struct sg_history_series *series, size_t night);

struct sg_history_query {
    const char *folder;
    struct sg_history_rule rule;
};
/* Adds a finished run to the history, appends a line about that to `out`, and its group to
 * `group`. */
enum sg_code sg_history_add_run(const struct sg_history_query *in, const char *path,
                                struct sg_text *group, struct sg_text *out, struct sg_err *err);
/* Judges the items of a run that is not added yet by the history. Empty if the history lacks its
 * group or cannot be read. */
void sg_history_find_items(const struct sg_history_query *in, const char *path,
                           struct sg_night_items *items);
/* Context of sg_history_check_one: collects findings still open after the last nightly run of each
 * group. */
struct sg_history_checked {
    const struct sg_history_query *in;
    struct sg_document document;
    struct sg_sheet *sheet;
    const char *group;           /* the current one */
    size_t series, nights;       /* of all groups */
    struct sg_headline headline; /* owned */
    /* Called for each judged group; NULL: none. Findings have series numbers. */
    void (*also)(void *context, const char *group, const struct sg_judgement *judgement);
    void *context;
};
void sg_history_check_begin(const struct sg_history_query *in, struct sg_history_checked *f);
enum sg_code sg_history_check_one(void *context, const char *group,
                                  const struct sg_history *history, struct sg_err *err);
/* Does the series have a finding? */
bool sg_history_is_found(const struct sg_judgement *judgement, size_t series);
/* Adds the headline, the counts and the next command at the top. */
void sg_history_check_lead(struct sg_history_checked *f);
const char *sg_history_outcome(int exit_code); /* in words */
