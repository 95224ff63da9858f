/*
 * cli/cmd_history.h - what the parts of `solgate history` share.
 */
#pragma once

#include "cli/command.h"
#include "history/judge.h"
#include "nightly/decide.h"
#include "reports/sheet.h"

#define SG_HISTORY_VARIABLE "SOLGATE_HISTORY"
#define SG_HISTORY_FOLDER   "history"
const char *sg_history_folder(void); /* where nights are kept unless --history names another folder */

/* What all parts take: a row of their table of options. */
#define SG_HISTORY_OPTION(input, field) \
    SG_VALUE("history", "DIR", input, field, .help = "folder of the nights", .standard = "$" SG_HISTORY_VARIABLE ", or " SG_HISTORY_FOLDER)
#define SG_GROUP_OPTION(input) \
    SG_VALUE("group", "GPU/SUITE", input, group, .help = "of this GPU model and suite only", .standard = "all there are")

/* Of the parts that judge by a rule. */
#define SG_HISTORY_RULE_OPTIONS(input, field)                                                         \
    SG_VALUE("tolerance", "PERCENT", input, field.tolerance, .help = "smaller steps are not listed"), \
        SG_VALUE("alarms", "few|usual", input, field.usual_alarms, .help = "usual: small steps are found sooner, with more false ones")

/* Loads one group after the other, or the one that is wanted, and hands each on. SG_BAD_INPUT where
 * there is none. */
struct sg_history_wanted {
    const char *folder, *group; /* group NULL: all */
};
typedef enum sg_code sg_history_fn(void *context, const char *group, const struct sg_history *history, struct sg_err *err);
enum sg_code sg_history_each(const struct sg_history_wanted *wanted, sg_history_fn *fn, void *context, struct sg_err *err);
/* FAMILY/CASE/VARIANT of a series of a judgement. */
const char *sg_history_item(const struct sg_judgement *judgement, size_t series);
/* Of nights that correlate by so much that it matters. */
#define SG_CORRELATION_SHOWN 0.05
#define SG_CORRELATION_NOTE  "nights correlate with the ones before by r = %.2f: limits and intervals are wider"
/* "+1.02 % [+0.90, +1.14]" of a step. */
void sg_add_step_change(struct sg_text *out, const struct sg_series_step *step);

/* The commits of the family's kernels on both sides of a step; "": not known. Borrowed. */
struct sg_step_commits {
    const char *before, *after;
    bool are_known;   /* two commits, of sources without changes */
    bool are_foreign; /* of another repository than solgate's */
};
struct sg_step_commits sg_step_commits_of(const struct sg_history *history, const struct sg_history_series *series,
                                          const struct sg_series_step *step);
/* Appends "; commits abc1234..def5678"; nothing where a side is not known. */
void sg_add_step_commits(struct sg_text *out, const struct sg_step_commits *commits);
/* The last night before the step that has the item; SIZE_MAX: none. */
size_t sg_step_night_before(const struct sg_history_series *series, const struct sg_series_step *step);
/* Of the series on one night. */
const char *sg_series_commit(const struct sg_history *history, const struct sg_history_series *series, size_t night);

/* Adds a finished run as a night, and a line about that; appends its group. */
struct sg_history_addition {
    const char *folder;
    const struct sg_catalogue *catalogue;
};
enum sg_code sg_history_add_run(const struct sg_history_addition *in, const char *path, struct sg_text *group, struct sg_text *out,
                                struct sg_err *err);
/* What the history shows of the spread of a run that is not added yet; nothing where it has no
 * such group, or cannot be read. */
void sg_history_find_spreads(const struct sg_history_addition *in, const char *path, struct sg_nightly_spreads *spreads);

struct sg_history_look {
    const char *folder;
    struct sg_history_rule rule;
};
/* What is open on the last night of each group that sg_history_each hands to sg_history_check_one,
 * whose context this is. */
struct sg_history_checked {
    const struct sg_history_look *in;
    struct sg_document document;
    struct sg_sheet *sheet;
    const char *group; /* the one at hand */
    int exit_code;     /* the worst of all */
    /* NULL, or what more is made of a group that is judged; findings are numbers of series. */
    void (*also)(void *context, const char *group, const struct sg_judgement *judgement);
    void *context;
};
void sg_history_check_begin(const struct sg_history_look *in, struct sg_history_checked *f);
enum sg_code sg_history_check_one(void *context, const char *group, const struct sg_history *history, struct sg_err *err);
/* Is anything found of the series? */
bool sg_history_is_found(const struct sg_judgement *judgement, size_t series);
/* Adds "PASS (exit 0): history: nothing is open" above the rest. */
void sg_history_check_lead(struct sg_history_checked *f);
const char *sg_history_outcome(int exit_code); /* in words */
