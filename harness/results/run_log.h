/*
 * results/run_log.h - the folder of a run in progress, and resuming an unfinished run.
 *
 * Measurements go to RUN/run.log, one message per line (results/message.h), in groups: the rows
 * of one item, or the samples of one process of a pair. A group is one write that ends in a line
 * `whole`, so it survives the death of the process. It is on the disk, and survives a power
 * failure, about a second later or when the log is closed. Resuming reads the log and truncates it
 * after its last `whole`. The tables are also in memory. run.csv, samples.csv and processes.csv are
 * written from them when the run ends or is interrupted, each as a whole. env.csv has the facts of
 * the run and is replaced when they change. Invariant: a group that was added is found again; an
 * incomplete group is not.
 */
#pragma once

#include "results/env.h"
#include "results/process_log.h"
#include "results/samples.h"
#include "results/table.h"

#define SG_RUN_LOG_NAME "run.log"

struct sg_run_log {
    char *path;     /* owned; the folder; NULL: nothing is written, everything stays in memory */
    char *log_path; /* owned */
    char *env_path; /* owned */
    int lock; /* locked descriptor of the folder: one solgate at a time writes to it; -1: not open
               */
    int log;  /* descriptor; -1: not open */
    uint64_t whole_bytes;
    double synced_s; /* time of the last fsync of the log, monotonic clock */
    bool behind;     /* the log has data that no fsync covers */
    struct sg_env env;
    bool env_changed;     /* since it was written */
    struct sg_table rows; /* in order of arrival; for one item and metric the later row counts */
    struct sg_samples samples;
    struct sg_process_log processes;
};

/* Sets an empty state, safe to release. */
void sg_run_log_init(struct sg_run_log *run);

/* True if the folder is empty except for files of sg_run_log_create: of a run that was killed
 * before env.csv described it. */
bool sg_run_log_is_bare(const char *path);
/* Creates the folder and its parents, or takes a bare folder. SG_BAD_USAGE if it has other
 * files. */
enum sg_code sg_run_log_create(const char *path, struct sg_run_log *run, struct sg_err *err);
/* Opens an existing run and reads its facts. Changes nothing yet. */
enum sg_code sg_run_log_open(const char *path, struct sg_run_log *run, struct sg_err *err);
/* Reads the log of an opened run, so that the run can continue. SG_BAD_INPUT with file and line. */
enum sg_code sg_run_log_resume(struct sg_run_log *run, struct sg_err *err);

/* Adds rows and samples as one group; NULL: none. On SG_SYSTEM (disk full, file too large, ...) the
 * group is lost, and the message says how many bytes are kept. SIGXFSZ must not end the process, so
 * that a limit on file size is an error. */
enum sg_code sg_run_log_add(struct sg_run_log *run, const struct sg_table *rows,
                            const struct sg_samples *samples, struct sg_err *err);
/* Adds the row of a time pass worker at its begin, and replaces that row at its end. */
enum sg_code sg_run_log_put_process(struct sg_run_log *run, const struct sg_process *process,
                                    struct sg_err *err);
/* Discards the samples of a process for this reason. "": its worker did not end, so its row is
 * removed too. */
enum sg_code sg_run_log_drop_process(struct sg_run_log *run, unsigned process, const char *why,
                                     struct sg_err *err);

/* Sorts the rows and removes those that a later row replaces. */
void sg_run_log_sort(struct sg_run_log *run);
/* The status of a kernel that a program's file of results calls wrong or failed. */
bool sg_is_wrong_kernel(const struct sg_value *row);

enum sg_code sg_run_log_write_env(struct sg_run_log *run, struct sg_err *err);
enum sg_code sg_run_log_write_env_if_changed(struct sg_run_log *run, struct sg_err *err);
/* Writes the tables of an interrupted run. */
enum sg_code sg_run_log_write_tables(struct sg_run_log *run, struct sg_err *err);
/* Ends a run: writes its tables with the final rows and marks it as finished. */
enum sg_code sg_run_log_finish(struct sg_run_log *run, const struct sg_table *final,
                               struct sg_err *err);

/* Removes the files of sg_run_log_create, for a run that proved impossible before its first row. */
void sg_run_log_undo(const struct sg_run_log *run);
void sg_run_log_release(struct sg_run_log *run);
