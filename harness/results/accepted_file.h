/*
 * results/accepted_file.h - accepted numbers: baselines/<gpu>/<suite>.csv with .counters.csv and
 * .env.csv beside it (docs/formats.md, baselines/README.md).
 *
 * In memory the rows of a run, each with what accepting it adds. The files are reviewed as a text
 * diff; their lines: results/accepted_lines.h. The env file carries a digest of all three.
 * Invariant: whenever writing is cut short, what is read back is all of the old numbers or all of
 * the new ones.
 */
#pragma once

#include "results/env.h"
#include "results/table.h"

/* What is accepted of a row; same index as rows of `table`. NaN: not given. */
struct sg_accepted {
    double tolerance;  /* ratio */
    double beta;       /* clock sensitivity, 0..1: slope of ln time on ln clock, negated */
    double f0;         /* Hz: SM clock the time was taken at */
    double sd_process; /* ln, between processes */
    double sd_day;     /* ln, between accepted runs, or GPUs if several; of a counter relative */
    sg_id expect;      /* "", a status word or "regressed": what the row is accepted to be */
    sg_id reason;
    bool gate;
    bool of_model; /* came from the numbers of the GPU's model, where those of one GPU are added to them */
};

struct sg_accepted_file {
    struct sg_table table;
    struct sg_accepted *accepted; /* owned */
    size_t capacity;              /* of accepted */
    struct sg_env env;
    char *path, *counters_path; /* owned */
    struct sg_digest digest;    /* of all files, as read */
    struct sg_env model_env;    /* of the rows that are of_model; empty: there are none */
    char *model_path;           /* and where they come from */
    bool needs_model;           /* whole items are of the model */
};

/* What env.csv of accepted numbers has beside the facts of their run. */
#define SG_ACCEPTED_ITEMS_KEY "accepted_items" /* family/case/variant that the table has */
#define SG_ACCEPTED_PLAN_KEY  "accepted_plan"  /* whole: the table has every item of its suite; partial: of some it does not know */
#define SG_PLAN_WHOLE         "whole"
#define SG_PLAN_PARTIAL       "partial"

/* Is the table or its env file there? */
bool sg_accepted_file_is_there(const char *path);
/* SG_BAD_INPUT, with path and line; SG_NOT_COMPARABLE for another schema. The digest is not
 * checked. Whatever comes of it, the file is to be released. */
enum sg_code sg_accepted_file_read(const char *path, struct sg_accepted_file *file, struct sg_err *err);
/* Are all files as they were written? SG_NOT_COMPARABLE says what is to be done about it. */
enum sg_code sg_accepted_file_check_seal(const struct sg_accepted_file *file, struct sg_err *err);
/* Writes all files and the digest. The table is sorted. */
enum sg_code sg_accepted_file_write(const char *path, struct sg_accepted_file *file, struct sg_err *err);
void sg_accepted_file_release(struct sg_accepted_file *file);

/* After a row was added to the table: what is accepted of it, which is nothing yet. */
struct sg_accepted *sg_accepted_add(struct sg_accepted_file *file);
/* Adds a copy of row `index` of another file. */
struct sg_accepted *sg_accepted_add_copy(struct sg_accepted_file *file, const struct sg_accepted_file *from, size_t index);
/* Sorts the rows with what is accepted of them. SG_BAD_INPUT: a row is there twice; `path`, which
 * may be NULL, is where. */
enum sg_code sg_accepted_sort(struct sg_accepted_file *file, const char *path, struct sg_err *err);

/* How many family/case/variant the table has. */
size_t sg_accepted_file_count_items(const struct sg_table *table);
/* Does it have every item of its suite? */
bool sg_accepted_file_is_whole(const struct sg_accepted_file *file);
/* Does `model` have an item that `file`, of one GPU of that model, lacks? */
bool sg_accepted_file_lacks_items(const struct sg_accepted_file *file, const struct sg_accepted_file *model);
/* Adds the rows of `model` that `file` lacks, and of its waivers those of items that `file` lacks.
 * `model` is left empty. */
void sg_accepted_file_add_model(struct sg_accepted_file *file, struct sg_accepted_file *model);
