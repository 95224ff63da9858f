/*
 * results/accepted_file.h - accepted numbers: baselines/<gpu>/<suite>.csv with .counters.csv and
 * .env.csv next to it (docs/formats.md, baselines/README.md).
 *
 * In memory these are the rows of a run, each with the fields that accepting adds. The files are
 * reviewed as a text diff; results/accepted_lines.h defines their lines. The env file carries a
 * digest of all three. Invariant: after an interrupted write, a reader gets all of the old numbers
 * or all of the new ones.
 */
#pragma once

#include "results/env.h"
#include "results/table.h"

/* The accepted fields of a row; same index as rows of `table`. NaN: not given. */
struct sg_accepted {
    double tolerance;  /* ratio */
    double beta;       /* clock sensitivity, 0..1: slope of ln time on ln clock, negated */
    double f0;         /* Hz: SM clock at which the time was measured */
    double sd_process; /* ln, between processes */
    double
        sd_day; /* ln, between accepted runs, or between GPUs if several; relative for a counter */
    sg_id expect; /* expected outcome: "", a status word or "regressed" */
    sg_id reason;
    bool gate;
    bool of_model; /* the row comes from the numbers of the GPU's model, not from those of this GPU
                    */
};

struct sg_accepted_file {
    struct sg_table table;
    struct sg_accepted *accepted; /* owned */
    size_t capacity;              /* of `accepted` */
    struct sg_env env;
    char *path, *counters_path; /* owned */
    struct sg_digest digest;    /* of all files, as read */
    struct sg_env model_env;    /* env of the rows with of_model; empty: none */
    char *model_path;           /* path of the model's numbers */
    bool needs_model;           /* some items exist only in the model's numbers */
};

/* Keys that env.csv of accepted numbers has in addition to the facts of their run. */
#define SG_ACCEPTED_ITEMS_KEY "accepted_items" /* number of family/case/variant in the table */
#define SG_ACCEPTED_PLAN_KEY \
    "accepted_plan" /* whole: the table has every item of its suite; partial: some are unknown */
#define SG_PLAN_WHOLE   "whole"
#define SG_PLAN_PARTIAL "partial"

/* True if the table or its env file exists. */
bool sg_accepted_file_is_there(const char *path);
/* SG_BAD_INPUT with path and line, or SG_NOT_COMPARABLE for another schema. Does not check the
 * digest. The caller releases the file, also after an error. */
enum sg_code sg_accepted_file_read(const char *path, struct sg_accepted_file *file,
                                   struct sg_err *err);
/* Checks that the files match their digest. SG_NOT_COMPARABLE says how to accept a manual
 * change. */
enum sg_code sg_accepted_file_check_seal(const struct sg_accepted_file *file, struct sg_err *err);
/* Writes all files and the digest. The table must be sorted. */
enum sg_code sg_accepted_file_write(const char *path, struct sg_accepted_file *file,
                                    struct sg_err *err);
void sg_accepted_file_release(struct sg_accepted_file *file);

/* Call this after adding a row to the table. Returns the accepted fields of the row, all unset. */
struct sg_accepted *sg_accepted_add(struct sg_accepted_file *file);
/* Adds a copy of row `index` of another file. */
struct sg_accepted *sg_accepted_add_copy(struct sg_accepted_file *file,
                                         const struct sg_accepted_file *from, size_t index);
/* Sorts the rows together with their accepted fields. SG_BAD_INPUT: a row occurs twice; `path`,
 * which may be NULL, names the file in the message. */
enum sg_code sg_accepted_sort(struct sg_accepted_file *file, const char *path, struct sg_err *err);

/* Number of family/case/variant in the table. */
size_t sg_accepted_file_count_items(const struct sg_table *table);
/* True if the file has every item of its suite. */
bool sg_accepted_file_is_whole(const struct sg_accepted_file *file);
/* True if `model` has an item that `file`, of one GPU of that model, lacks. */
bool sg_accepted_file_lacks_items(const struct sg_accepted_file *file,
                                  const struct sg_accepted_file *model);
/* Adds the rows of `model` that `file` lacks, and the waivers of `model` for items that `file`
 * lacks. Leaves `model` empty. */
void sg_accepted_file_add_model(struct sg_accepted_file *file, struct sg_accepted_file *model);
