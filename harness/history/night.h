/*
 * history/night.h - one night of a history: a file
 * DIR/<gpu>/<suite>/<date>-<unit>-<run>.csv (docs/formats.md).
 *
 * Each night is a file of its own whose name follows from the run, so that machines that add nights
 * never write to the same file, and git merges them without a conflict. Invariant: a file that is
 * there is whole; the same run always has the same name.
 * Files are written in schema 3; those of schema 2 know no spread, those of schema 1 no builds
 * either.
 */
#ifndef SG_HISTORY_NIGHT_H
#define SG_HISTORY_NIGHT_H

#include "catalogue/catalogue.h"
#include "results/run_reader.h"

#define SG_NIGHT_HEADER_1 "record,name,text,ratio,ratio_se,time,time_se,sm_clock,beta,counters" /* of schema 1, which is read too */
#define SG_NIGHT_HEADER_2 SG_NIGHT_HEADER_1 ",build_ratio,build_ratio_se,build,code"
#define SG_NIGHT_HEADER   SG_NIGHT_HEADER_2 ",sd,processes"
#define SG_NIGHT_SCHEMA   "3"

/* Facts of a night that something is decided by; the others are for people. */
#define SG_NIGHT_DATE   "date"
#define SG_NIGHT_UNIT   "gpu_uuid_hash"
#define SG_NIGHT_RUN    "run"      /* what tells runs apart: 16 digits */
#define SG_NIGHT_UNFIT  "unfit"    /* why none of its times may be believed; then it has none */
#define SG_NIGHT_IMPORT "imported" /* the file that its numbers were read from; not there: it is of a run */

/* No night is from before: of a run, and of numbers of other programs. */
#define SG_NIGHT_FIRST_DAY  "2026-01-01"
#define SG_IMPORT_FIRST_DAY "2007-01-01"

#define SG_NIGHT_RATIO_MAX 1e9 /* of a ratio; its inverse is the least */
#define SG_NIGHT_SE_MAX    100 /* of the logarithm */

/* One item of a night. Numbers that there are not are NaN. */
struct sg_night_row {
    sg_id name;                         /* FAMILY/CASE/VARIANT; in the pool of whoever reads */
    sg_id status;                       /* a status word */
    sg_id counters;                     /* exact ones, "grid=132 registers=40", sorted by name; "": none */
    sg_id build;                        /* digest of the accepted build that `build_ratio` is against; "": none */
    sg_id code;                         /* digest of the module that was measured; "": not known */
    double build_ratio, build_ratio_se; /* the item / the same item of the accepted build, paired; standard error of its logarithm */
    double ratio, ratio_se;             /* candidate / its baseline, the same */
    double time, time_se;               /* ns; the same */
    double sm_clock;                    /* Hz */
    double beta;                        /* clock sensitivity, 0..1 */
    double sd, processes;               /* of build_ratio, else of ratio: between processes, ln; how many */
};

struct sg_night_rows {
    struct sg_night_row *items; /* owned */
    size_t count, capacity;
};

/* A night in memory. */
struct sg_night {
    struct sg_env facts;
    size_t from, to; /* its rows, of the list that they are in */
};
void sg_night_release(struct sg_night *night);

/*
 * A finished run as a night; its rows are added to `rows`, their strings to the pool. Exact
 * counters are those of the catalogue, and facts of the build. SG_NOT_COMPARABLE for a gate of
 * `solgate ab`; SG_BAD_INPUT for a run without a date, a GPU or a suite.
 */
struct sg_night_context {
    const struct sg_catalogue *catalogue;
    struct sg_intern_pool **pool;
    struct sg_night_rows *rows;
};
enum sg_code sg_night_of_run(const struct sg_run *run, const struct sg_night_context *to, struct sg_night *night, struct sg_err *err);

/* Where a night belongs below a history's folder: "<gpu>/<suite>",
 * and the name of its file in there. */
void sg_night_add_group(const struct sg_night *night, struct sg_text *path);
void sg_night_add_file(const struct sg_night *night, struct sg_text *name);

/* The whole file; its last line is a digest of those before it. */
void sg_night_format(const struct sg_night *night, const struct sg_intern_pool *pool, const struct sg_night_rows *rows,
                     struct sg_text *text);
/*
 * Reads a file; of its rows those of the item `only`, or all if that is NULL.
 * SG_BAD_INPUT with path and line; SG_NOT_COMPARABLE where the last line is missing or is
 * not that of the lines before it.
 */
enum sg_code sg_night_read(const char *path, const char *only, struct sg_intern_pool **pool, struct sg_night_rows *rows,
                           struct sg_night *night, struct sg_err *err);

/* Are its numbers such as a file may have? SG_BAD_INPUT. */
enum sg_code sg_night_check_row(const struct sg_night_row *row, struct sg_err *err);

/* A date as files have it: 2026-11-20, or 2026-11-20T23:40:34Z? */
bool sg_night_is_date(const char *date);
/* Why its date cannot be true at the time `latest`; NULL: it can. */
const char *sg_night_why_misdated(const struct sg_night *night, const char *latest);
/* FAMILY/CASE/VARIANT; one or two parts do, too, for what was imported. */
bool sg_night_is_name(const char *name);

#endif
