/*
 * results/accepted_file.h - accepted numbers: one file a suite, baselines/<suite>.csv, whose rows
 * are keyed by GPU: a model (h200) or the gpu_uuid_hash of one card (docs/formats.md).
 *
 * In memory the numbers of a key are the rows of a run, each with the fields that accepting adds,
 * and the facts of the newest accepted run. The file is reviewed as a text diff. Its last line is a
 * digest of all others. Invariant: reading returns what was written, numbers to nine digits and
 * spreads of counters to three.
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
    sg_id origin; /* of a time or a ratio: its runs and their GPUs, "RUNS:GPU+GPU" */
    bool gate;
    bool of_model; /* the row comes from the numbers of the GPU's model, not from those of this GPU
                    */
};

/* The numbers of one card, or of all GPUs of a model. */
struct sg_accepted_file {
    struct sg_table table;
    struct sg_accepted *accepted; /* owned */
    size_t capacity;              /* of `accepted` */
    struct sg_env env;
    char *path, *gpu;        /* owned; the file, and the key of its rows; NULL: a run */
    struct sg_env model_env; /* env of the rows with of_model; empty: none */
    bool needs_model;        /* some items exist only in the model's numbers */
};

/* The numbers of a whole file. */
struct sg_accepted_suite {
    struct sg_accepted_file *items; /* owned; by GPU */
    size_t count, capacity;
    struct sg_digest digest; /* of all lines but the last, as read */
    char *path, *sealed;     /* owned; sealed: the digest in the last line; NULL: none */
};

/* Keys that the facts of accepted numbers have in addition to those of their run. */
#define SG_ACCEPTED_ITEMS_KEY "accepted_items" /* number of family/case/variant in the table */
#define SG_ACCEPTED_PLAN_KEY \
    "accepted_plan" /* whole: the table has every item of its suite; partial: some are unknown */
#define SG_PLAN_WHOLE   "whole"
#define SG_PLAN_PARTIAL "partial"

/* SG_BAD_INPUT with path and line, or SG_NOT_COMPARABLE for another schema. Does not check the
 * digest. */
enum sg_code sg_accepted_suite_read(const char *path, struct sg_accepted_suite *suite,
                                    struct sg_err *err);
/* Checks that the file matches its digest. SG_NOT_COMPARABLE says how to accept a manual
 * change. */
enum sg_code sg_accepted_suite_check_seal(const struct sg_accepted_suite *suite,
                                          struct sg_err *err);
/* The numbers with this key; NULL: none. */
struct sg_accepted_file *sg_accepted_suite_find(const struct sg_accepted_suite *suite,
                                                const char *gpu);
/* The same; adds empty numbers if there are none. */
struct sg_accepted_file *sg_accepted_suite_of(struct sg_accepted_suite *suite, const char *gpu);
/* Writes the file with its digest. Rows must be sorted. */
enum sg_code sg_accepted_suite_write(const char *path, struct sg_accepted_suite *suite,
                                     struct sg_err *err);

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
/* True if the numbers have every item of their suite. */
bool sg_accepted_file_is_whole(const struct sg_accepted_file *file);
/* True if `model` has an item that `file`, of one GPU of that model, lacks. */
bool sg_accepted_file_lacks_items(const struct sg_accepted_file *file,
                                  const struct sg_accepted_file *model);
/* Adds the rows of `model` that `file` lacks, and the waivers of `model` for items that `file`
 * lacks. Leaves `model` empty. */
void sg_accepted_file_add_model(struct sg_accepted_file *file, struct sg_accepted_file *model);
