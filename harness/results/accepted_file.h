/*
 * results/accepted_file.h - accepted numbers: baselines/<gpu>/<suite>.csv with .env.csv beside it
 * (docs/formats.md, baselines/README.md).
 *
 * In memory the rows of a run, each with what accepting it adds. The file is reviewed as a text
 * diff; its lines: results/accepted_lines.h. The env file carries a digest of both. Invariant:
 * whenever writing is cut short, what is read back is all of the old pair or all of the new one.
 */
#ifndef SG_RESULTS_ACCEPTED_FILE_H
#define SG_RESULTS_ACCEPTED_FILE_H

#include "catalogue/catalogue.h"
#include "results/env.h"
#include "results/table.h"

#define SG_BASELINE_HEADER_1 SG_RUN_HEADER_1 ",tolerance,gate,beta,f0,sd_process,sd_day,expect,reason" /* of schema 1 */
#define SG_BASELINE_HEADER   SG_BASELINE_HEADER_1 ",se,sd"

/* What a baseline row adds; same index as rows of `table`. NaN: not given. */
struct sg_accepted {
    double tolerance;  /* ratio */
    double beta;       /* clock sensitivity, 0..1: slope of ln time on ln clock, negated */
    double f0;         /* Hz: SM clock the time was taken at */
    double sd_process; /* ln, between processes */
    double sd_day;     /* ln, between accepted runs, or GPUs if several; of exact counters 0 */
    sg_id expect;      /* "", a status word or "regressed": what the row is accepted to be */
    sg_id reason;
    bool gate;
    bool of_model; /* came from the numbers of the GPU's model, where those of one GPU are added to them */
};

struct sg_accepted_file {
    struct sg_table table;
    struct sg_accepted *accepted; /* owned */
    struct sg_env env;
    char *path;
    struct sg_digest digest; /* of both files, as read */
    struct sg_env model_env; /* of the rows that are of_model; empty: there are none */
    char *model_path;        /* and where they come from */
    bool needs_model;        /* whole items are of the model */
};

/* What env.csv of accepted numbers has beside the facts of their run. */
#define SG_ACCEPTED_ITEMS_KEY "accepted_items" /* family/case/variant that the table has */
#define SG_ACCEPTED_PLAN_KEY  "accepted_plan"  /* whole: the table has every item of its suite; partial: of some it does not know */
#define SG_PLAN_WHOLE         "whole"
#define SG_PLAN_PARTIAL       "partial"

#define SG_WAIVER_DAYS 30 /* that a waiver lasts which names no day */
/* The last day of such a waiver of numbers that were measured as `env` has it. */
struct sg_shown sg_waiver_last_day(const struct sg_env *env);

/* Is either of the two files there? */
bool sg_accepted_file_is_there(const char *path);
/* SG_BAD_INPUT, with path and line; SG_NOT_COMPARABLE for another
 * schema. The digest is not looked at. */
enum sg_code sg_accepted_file_read(const char *path, struct sg_accepted_file *baseline, struct sg_err *err);
/* Are both files as they were written? SG_NOT_COMPARABLE says what is to be done about it. */
enum sg_code sg_accepted_file_check_seal(const struct sg_accepted_file *baseline, struct sg_err *err);
/* Writes both files and the digest: of the rows those that are judged, gate
 * or explain (results/row_kind.h). */
enum sg_code sg_accepted_file_write(const char *path, struct sg_accepted_file *baseline, const struct sg_catalogue *catalogue,
                                    struct sg_err *err);
void sg_accepted_file_release(struct sg_accepted_file *baseline);

/* How many family/case/variant the table has. */
size_t sg_accepted_file_count_items(const struct sg_table *table);
/* Does it have every item of its suite? */
bool sg_accepted_file_is_whole(const struct sg_accepted_file *baseline);
/* Does `model` have an item that `baseline`, of one GPU of that model, lacks? */
bool sg_accepted_file_lacks_items(const struct sg_accepted_file *baseline, const struct sg_accepted_file *model);
/* Adds the rows of `model` that `baseline` lacks, and of its waivers those of items that
 * `baseline` lacks. `model` is left empty. */
void sg_accepted_file_add_model(struct sg_accepted_file *baseline, struct sg_accepted_file *model);

#endif
