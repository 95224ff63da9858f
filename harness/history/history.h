/*
 * history/history.h - nights of a GPU model and a suite, in memory and as files (docs/formats.md).
 *
 * A history is a folder DIR with a folder <gpu>/<suite>/ for each GPU model and suite, its group: a
 * file <date>-<unit>-<run>.csv a night, and in steps/ the files of what was decided about steps.
 * Files are only ever added. The name of each follows from what it holds, so that machines never
 * write to the same file and git merges what they add without a conflict. Nothing is cached.
 * Invariants: a file that is there is whole; the same run always has the same name. What is loaded
 * is every night of the group whose date can be true, by date, and all that was decided, by when it
 * was. The other nights are named.
 */
#pragma once

#include <math.h>

#include "catalogue/catalogue.h"
#include "results/run_reader.h"
#include "util/names.h"

/* Facts of a night that something is decided by; the others are for people. */
#define SG_NIGHT_DATE  "date"
#define SG_NIGHT_UNIT  "gpu_uuid_hash"
#define SG_NIGHT_RUN   "run"   /* identifies a run: 16 digits */
#define SG_NIGHT_UNFIT "unfit" /* why none of its times may be believed; then it has none */

#define SG_NIGHT_RATIO_MAX 1e9 /* of a ratio; its inverse is the least */
#define SG_NIGHT_SE_MAX    100 /* of the logarithm */

/* One item of a night; its strings are in the pool of the history. Numbers that are not there are
 * NaN. */
struct sg_night_row {
    sg_id name;                         /* FAMILY/CASE/VARIANT */
    sg_id status;                       /* a status word */
    sg_id counters;                     /* exact ones, "grid=132 registers=40", sorted by name; "": none */
    sg_id build;                        /* digest of the accepted build that `build_ratio` is against, or, without one, that the item is
                                           identical to and was not timed for; "": none */
    sg_id code;                         /* digest of the module that was measured; "": not known */
    double build_ratio, build_ratio_se; /* the item / the same item of the accepted build, paired; standard error of its logarithm */
    double ratio, ratio_se;             /* candidate / its baseline, the same */
    double time, time_se;               /* ns; the same */
    double sm_clock;                    /* Hz */
    double beta;                        /* clock sensitivity, 0..1 */
    double sd, processes;               /* of build_ratio, else of ratio: between processes, ln; how many */
};
/* A row without a number. */
#define SG_NIGHT_ROW_EMPTY                        \
    ((struct sg_night_row){.build_ratio = NAN,    \
                           .build_ratio_se = NAN, \
                           .ratio = NAN,          \
                           .ratio_se = NAN,       \
                           .time = NAN,           \
                           .time_se = NAN,        \
                           .sm_clock = NAN,       \
                           .beta = NAN,           \
                           .sd = NAN,             \
                           .processes = NAN})

static inline bool sg_night_is_untimed(const struct sg_night_row *row)
{
    return row->build != 0 && isnan(row->build_ratio);
}

struct sg_night {
    struct sg_env facts;
    size_t from, to; /* its rows */
};

/* What was decided about a step: word, what it means. Of two at the same second the later one here
 * counts. */
#define SG_DECISION_TABLE(X)                                                              \
    X(SG_STEP_CONFIRMED, "confirmed", "an A/B of the commits finds it")                   \
    X(SG_STEP_REFUTED, "refuted", "an A/B of the commits finds no change: the machine's") \
    X(SG_STEP_ACCEPTED, "accepted", "a step to live with")

enum sg_step_decision { SG_DECISION_TABLE(SG_CONSTANT) SG_STEP_DECISION_COUNT };
const char *sg_step_decision_word(enum sg_step_decision decision);

/* Of one that was loaded, strings are in the pool. */
struct sg_decision_row {
    const char *night;  /* date of the first night after the step, as that night has it, or its day */
    const char *series; /* an item's name, or a pattern of names as fnmatch has them */
    enum sg_step_decision decision;
    const char *reason, *date; /* why and when */
    const char *source;        /* digest of the A/B's run; "": none */
};

struct sg_night_rows {
    struct sg_night_row *items; /* owned */
    size_t count, capacity;
};

struct sg_history {
    char *folder;                /* of the group; NULL: not loaded */
    struct sg_intern_pool *pool; /* all strings */
    struct sg_night_rows rows;
    struct sg_night *nights;  /* by date, then run */
    struct sg_names misdated; /* files of nights whose date cannot be true, each with why; they are not among the nights */
    size_t count, capacity;
    struct sg_decision_row *decisions; /* by when they were decided */
    size_t decision_count, decision_capacity;
};
void sg_history_release(struct sg_history *history);

/* Adds the groups of DIR that have a night, "<gpu>/<suite>", sorted. SG_BAD_INPUT where there is no
 * such folder, or none in it. */
enum sg_code sg_history_groups(const char *folder, struct sg_names *groups, struct sg_err *err);
/* Adds all nights of a group. SG_BAD_INPUT for a night that is not where it belongs. */
enum sg_code sg_history_load(const char *folder, const char *group, struct sg_history *history, struct sg_err *err);

/*
 * Writes the last night into DIR, whole or not at all. *path: its file. *is_new: false when its run
 * is there already, and nothing was written. SG_BAD_INPUT for a number that no night may have;
 * SG_NOT_COMPARABLE for a date that cannot be true; SG_SYSTEM.
 */
enum sg_code sg_history_add(const char *folder, const struct sg_history *history, struct sg_text *path, bool *is_new, struct sg_err *err);
/* Writes one decision as a file of its own into the steps/ of a group that was loaded. Dated by the
 * clock, but never before what was decided until now: the last decision counts. */
enum sg_code sg_history_decide(const struct sg_history *history, struct sg_decision_row row, struct sg_err *err);

/* ---- nights ---- */

/* Adds a night without facts and rows, the last one. */
struct sg_night *sg_history_begin_night(struct sg_history *history);
/* Adds a row to the last night. */
void sg_history_add_row(struct sg_history *history, const struct sg_night_row *row);

/*
 * Adds a finished run as a night. Exact counters are those of the catalogue, and facts of the
 * build. SG_NOT_COMPARABLE for a gate of `solgate ab`; SG_BAD_INPUT for a run without a date, a GPU
 * or a suite.
 */
enum sg_code sg_night_of_run(const struct sg_run *run, const struct sg_catalogue *catalogue, struct sg_history *history,
                             struct sg_err *err);
/* Where a night belongs below DIR: "<gpu>/<suite>", and the name of its file in there. */
void sg_night_add_group(const struct sg_night *night, struct sg_text *path);
void sg_night_add_file(const struct sg_night *night, struct sg_text *name);

/* The whole file of the last night; its last line is a digest of those before it. */
void sg_night_format(const struct sg_history *history, struct sg_text *text);
/* Adds the night of a file. SG_BAD_INPUT with path and line; SG_NOT_COMPARABLE where the last line
 * is missing or is not that of the lines before it. */
enum sg_code sg_night_read(const char *path, struct sg_history *history, struct sg_err *err);
/* Are its numbers such as a file may have? SG_BAD_INPUT. */
enum sg_code sg_night_check_row(const struct sg_night_row *row, struct sg_err *err);

/* A date as files have it: 2026-11-20, or 2026-11-20T23:40:34Z? */
bool sg_night_is_date(const char *date);
/* Why its date cannot be true at the time `latest`; NULL: it can. */
const char *sg_night_why_misdated(const struct sg_night *night, const char *latest);
/* FAMILY/CASE/VARIANT; one or two parts do, too, of another program. */
bool sg_night_is_name(const char *name);
