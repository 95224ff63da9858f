/*
 * history/history.h - nightly runs of a GPU model and a suite, in memory and as files
 * (docs/formats.md).
 *
 * A history is a folder DIR with a folder <gpu>/<suite>/, its group, for each GPU model and suite.
 * A group has one file per nightly run, <date>-<unit>-<run>.csv, and in steps/ one file per
 * decision about a step. Files are only ever added. A file's name follows from its content. So two
 * machines never write the same file, and git merges their files without conflict. Nothing is
 * cached. Invariants: a file that exists is complete; a run always gets the same file name. Loading
 * returns every nightly run of the group whose date can be true, by date, or those that a scan can
 * use, and all decisions, by the time of decision. Runs with an impossible date are listed.
 */
#pragma once

#include <math.h>

#include "catalogue/catalogue.h"
#include "results/run_reader.h"
#include "results/units.h"
#include "stats/replicates.h"
#include "util/names.h"

/* Facts of a nightly run that the code uses; other facts are for people. */
#define SG_NIGHT_DATE  "date"
#define SG_NIGHT_UNIT  "gpu_uuid_hash"
#define SG_NIGHT_RUN   "run"   /* identifies a run: 16 digits */
#define SG_NIGHT_UNFIT "unfit" /* why no time can be trusted; then the run has no times */

#define SG_NIGHT_RATIO_MAX 1e9 /* largest ratio; its inverse is the smallest */
#define SG_NIGHT_SE_MAX    100 /* largest standard error, ln */

/* One item of a nightly run; its strings are in the pool of the history. Missing numbers are
 * NaN. */
struct sg_night_row {
    sg_id name;   /* FAMILY/CASE/VARIANT */
    sg_id status; /* a status word */
    /* exact counters, "grid=132 registers=40", sorted by name; "": none */
    sg_id counters;
    /* digest of the accepted build that `build_ratio` is relative to, or, without a ratio, of the
     * identical build that made timing unnecessary; "": none */
    sg_id build;
    sg_id code; /* digest of the module that was measured; "": not known */
    sg_id unit; /* its GPU; "": that of the nightly run */
    /* item / the same item of the accepted build, paired; candidate / its baseline; ns */
    double build_ratio, ratio, time;
    double sm_clock;                         /* Hz */
    float build_ratio_se, ratio_se, time_se; /* standard errors, ln */
    float beta;                              /* clock sensitivity, 0..1 */
    /* spread of the processes of build_ratio, or of ratio without one; files lack `outer` */
    struct sg_spread_night spread;
};
/* A row without any number. */
#define SG_NIGHT_ROW_EMPTY                        \
    ((struct sg_night_row){.build_ratio = NAN,    \
                           .build_ratio_se = NAN, \
                           .ratio = NAN,          \
                           .ratio_se = NAN,       \
                           .time = NAN,           \
                           .time_se = NAN,        \
                           .sm_clock = NAN,       \
                           .beta = NAN,           \
                           .spread = SG_SPREAD_UNKNOWN})

static inline bool sg_night_is_untimed(const struct sg_night_row *row)
{
    return row->build != 0 && isnan(row->build_ratio);
}

struct sg_night {
    struct sg_env facts;
    size_t from, to;         /* its rows: [from, to) */
    size_t gpu_from, gpu_to; /* its GPUs */
};

/* Decisions about a step: constant, word, meaning. Of two decisions in the same second, the later
 * row of this table wins. */
#define SG_DECISION_TABLE(X)                                                                    \
    X(SG_STEP_CONFIRMED, "confirmed", "an A/B of the commits finds the step")                   \
    X(SG_STEP_REFUTED, "refuted", "an A/B of the commits finds no change: the machine changed") \
    X(SG_STEP_ACCEPTED, "accepted", "an accepted step")

enum sg_step_decision { SG_DECISION_TABLE(SG_CONSTANT) SG_STEP_DECISION_COUNT };
const char *sg_step_decision_word(enum sg_step_decision decision);

/* The strings of a loaded decision are in the pool of the history. */
struct sg_decision_row {
    /* date of the first nightly run after the step, as in that run's file, or only its day */
    const char *night;
    const char *series; /* an item's name, or an fnmatch pattern of names */
    enum sg_step_decision decision;
    const char *reason, *date; /* why and when */
    const char *source;        /* digest of the run of `solgate ab`; "": none */
};

struct sg_night_rows {
    struct sg_night_row *items; /* owned */
    size_t count, capacity;
};

/* Files that are read if only those that a scan can use are: it looks at SG_SCAN_NIGHTS runs. */
#define SG_NIGHTS_LAST  200
#define SG_NIGHTS_FIRST 40
struct sg_history {
    bool is_recent;              /* set before loading: read only the files that a scan can use */
    size_t unread;               /* files that were not read */
    char *folder;                /* folder of the group; NULL: not loaded */
    struct sg_intern_pool *pool; /* all strings */
    struct sg_night_rows rows;
    struct sg_units gpus;    /* of all nightly runs */
    struct sg_night *nights; /* by date, then GPU, then run */
    /* files of nightly runs whose date cannot be true, each with the reason; not in `nights` */
    struct sg_names misdated;
    size_t count, capacity;
    struct sg_decision_row *decisions; /* by time of decision */
    size_t decision_count, decision_capacity;
};

/* Adds the groups "<gpu>/<suite>" of DIR with at least one nightly run, sorted. SG_BAD_INPUT if the
 * folder does not exist or has no group. */
enum sg_code sg_history_groups(const char *folder, struct sg_names *groups, struct sg_err *err);
/* Adds all nightly runs of a group. SG_BAD_INPUT for a file in the wrong folder. */
enum sg_code sg_history_load(const char *folder, const char *group, struct sg_history *history,
                             struct sg_err *err);

/*
 * Writes the last nightly run into DIR, completely or not at all. *path: its file. *is_new: false
 * if the run is there already; then nothing is written. SG_BAD_INPUT for a number out of range;
 * SG_NOT_COMPARABLE for a date that cannot be true; SG_SYSTEM.
 */
enum sg_code sg_history_add(const char *folder, const struct sg_history *history,
                            struct sg_text *path, bool *is_new, struct sg_err *err);
/* Writes one decision as a new file into steps/ of a loaded group. The date comes from the clock,
 * but is never before earlier decisions, because the last decision counts. */
enum sg_code sg_history_decide(const struct sg_history *history, struct sg_decision_row row,
                               struct sg_err *err);

/* ---- nightly runs ---- */

/* Appends a nightly run without facts and rows. */
struct sg_night *sg_history_begin_night(struct sg_history *history);
/* Adds a row, or a GPU, to the last nightly run. */
void sg_history_add_row(struct sg_history *history, const struct sg_night_row *row);
void sg_history_add_gpu(struct sg_history *history, const struct sg_unit *gpu);

/*
 * Adds a finished run as a nightly run. It keeps the catalogue's exact counters and the facts of
 * the build. SG_NOT_COMPARABLE for a gate of `solgate ab`; SG_BAD_INPUT for a run without a date, a
 * GPU or a suite.
 */
enum sg_code sg_night_of_run(const struct sg_run *run, const struct sg_catalogue *catalogue,
                             struct sg_history *history, struct sg_err *err);
/* Appends the folder of a nightly run below DIR, "<gpu>/<suite>", and its file name there. */
void sg_night_add_group(const struct sg_night *night, struct sg_text *path);
void sg_night_add_file(const struct sg_night *night, struct sg_text *name);
void sg_night_add_date(const char *date, struct sg_text *name); /* as file names begin */

/* Formats the file of the last nightly run; the last line is a digest of the lines before it. */
void sg_night_format(const struct sg_history *history, struct sg_text *text);
/* Adds the nightly run of a file. SG_BAD_INPUT with path and line; SG_NOT_COMPARABLE if the digest
 * line is missing or does not match. */
enum sg_code sg_night_read(const char *path, struct sg_history *history, struct sg_err *err);
/* Checks the ranges of the row's numbers. SG_BAD_INPUT. */
enum sg_code sg_night_check_row(const struct sg_night_row *row, struct sg_err *err);

/* Is this a date as in the files: 2026-11-20, or 2026-11-20T23:40:34Z? */
bool sg_night_is_date(const char *date);
/* Why the date of the run cannot be true at the time `latest`; NULL: it can. */
const char *sg_night_why_misdated(const struct sg_night *night, const char *latest);
/* Is this a name FAMILY/CASE/VARIANT? Other programs' names may have one or two parts. */
bool sg_night_is_name(const char *name);
