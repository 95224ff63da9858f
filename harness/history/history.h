/*
 * history/history.h - the nights of a history in memory, and adding to them (docs/formats.md).
 *
 * A history is a folder DIR with a folder <gpu>/<suite>/ for each GPU model and suite, its group:
 * files of nights (history/night.h), and in steps/ the files of what was decided about steps. Files
 * are only ever added, each under a name of its own. Nothing is cached. Invariant: what is loaded
 * is every night of the group whose date can be true, by date, and all that was decided, by when
 * it was. The other nights are named.
 */
#ifndef SG_HISTORY_HISTORY_H
#define SG_HISTORY_HISTORY_H

#include "history/night.h"
#include "util/names.h"

#define SG_DECISION_HEADER "night,series,decision,reason,date,source"

/* What was decided about a step: word, what it means. Of two at the same
 * second the later one here counts. */
#define SG_DECISION_TABLE(X)                                                              \
    X(SG_STEP_CONFIRMED, "confirmed", "an A/B of the commits finds it")                   \
    X(SG_STEP_REFUTED, "refuted", "an A/B of the commits finds no change: the machine's") \
    X(SG_STEP_ACCEPTED, "accepted", "a step to live with")

enum sg_step_decision {
#define X(constant, word, meaning) constant,
    SG_DECISION_TABLE(X)
#undef X
        SG_STEP_DECISION_COUNT
};
const char *sg_step_decision_word(enum sg_step_decision decision);

/* Strings of what was loaded are owned. */
struct sg_decision_row {
    const char *night;  /* date of the first night after the step, as that night has it, or its day */
    const char *series; /* an item's name, or a pattern of names as fnmatch has them */
    enum sg_step_decision decision;
    const char *reason, *date; /* why and when */
    const char *source;        /* digest of the A/B's run; "": none */
};

struct sg_history {
    char *folder;                /* of the group */
    struct sg_intern_pool *pool; /* names, statuses, counters of all nights */
    struct sg_night_rows rows;
    struct sg_night *nights;  /* by date, then run */
    struct sg_names misdated; /* files of nights whose date cannot be true, each with why; they are not among the nights */
    size_t count, capacity;
    struct sg_decision_row *decisions; /* by when they were decided */
    size_t decision_count, decision_capacity;
};

/* Adds the groups of DIR that have a night, "<gpu>/<suite>", sorted. SG_BAD_INPUT where there
 * is no such folder, or none in it. */
enum sg_code sg_history_groups(const char *folder, struct sg_names *groups, struct sg_err *err);
/*
 * All nights of a group; of their rows those of the item `only`, or all if that is NULL.
 * SG_BAD_INPUT for a night that is not where it belongs.
 */
enum sg_code sg_history_load(const char *folder, const char *group, const char *only, struct sg_history *history, struct sg_err *err);
void sg_history_release(struct sg_history *history);

struct sg_night_source {
    const struct sg_night *night;
    const struct sg_intern_pool *pool;
    const struct sg_night_rows *rows;
};
/*
 * The day of the newest night of any group of DIR, by the names of files; "": none. A night that
 * lies more than SG_NIGHTS_APART days behind all others, and in the future, is not believed.
 */
#define SG_NIGHTS_APART 31
struct sg_shown sg_history_newest_day(const char *folder);

/*
 * Writes a night into DIR, whole or not at all. *path: its file. *is_new: false
 * when its run is there already, and nothing was written. SG_BAD_INPUT for a number
 * that no night may have; SG_NOT_COMPARABLE for a date that cannot be true; SG_SYSTEM.
 */
enum sg_code sg_history_add(const char *folder, const struct sg_night_source *source, struct sg_text *path, bool *is_new,
                            struct sg_err *err);

/* Writes one decision as a file of its own into the steps/ of a group that was loaded. Dated by the
 * clock, but never before what was decided until now: the last decision counts. */
enum sg_code sg_history_decide(const struct sg_history *history, struct sg_decision_row row, struct sg_err *err);

/*
 * Somebody else's numbers: a CSV with the header date,series,value,se (se: of the value, in its
 * unit; may be empty), one night a date. They are added as nights of the GPU `gpu` and the suite
 * `suite`; values are times in ns, or ratios. SG_BAD_INPUT with path and line.
 */
struct sg_import {
    const char *path, *gpu, *suite;
    bool is_ratio;
};
struct sg_import_count {
    size_t nights, values, known; /* known: nights that were there already */
};
enum sg_code sg_history_import(const char *folder, const struct sg_import *import, struct sg_import_count *count, struct sg_err *err);

#endif
