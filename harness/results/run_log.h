/*
 * results/run_log.h - the folder of a run while it is under way, and taking up one that was left
 * unfinished.
 *
 * What is measured goes to RUN/log.jsonl, a message a line (results/message.h), by groups: the rows
 * of one item, the samples of one process of a pair. A group goes out in one write with a line
 * `whole` behind it, so no death of a process takes it back; it is on the disk, where no loss of
 * power does, a second later or when the log is closed. To resume is to read the log again: what
 * stands behind its last `whole` is cut off. The tables are in memory, too. run.csv, samples.csv
 * and processes.csv are written from them when the run ends or is interrupted, each as a whole.
 * env.csv has the facts of the run, and is replaced when they change.
 * Invariant: a group that was added is found again, and one that was not added whole is not.
 */
#pragma once

#include "results/env.h"
#include "results/process_log.h"
#include "results/samples.h"
#include "results/table.h"

#define SG_RUN_LOG_NAME "log.jsonl"

struct sg_run_log {
    char *path;     /* owned; of the folder; NULL: nothing is written, and all of it is in memory alone */
    char *log_path; /* owned */
    char *env_path; /* owned */
    int lock;       /* descriptor of the folder, locked: one solgate at a time writes to it; -1: not open */
    int log;        /* descriptor; -1: not open */
    uint64_t whole_bytes;
    double synced_s; /* when all of the log was on the disk, on the monotonic clock */
    bool behind;     /* some of it is not */
    struct sg_env env;
    bool env_changed;     /* since it was written */
    struct sg_table rows; /* as they came; of two of one item and metric the later one counts */
    struct sg_samples samples;
    struct sg_process_log processes;
};

/* Nothing in it, safe to release. */
void sg_run_log_init(struct sg_run_log *run);

/* Is it a folder with nothing in it but what sg_run_log_create makes: of a run that was
 * killed before env.csv said what it is? */
bool sg_run_log_is_bare(const char *path);
/* A new folder, or a bare one. SG_BAD_USAGE when something is in it already. Parents are made. */
enum sg_code sg_run_log_create(const char *path, struct sg_run_log *run, struct sg_err *err);
/* One that is there: its facts. Nothing of it is changed yet. */
enum sg_code sg_run_log_open(const char *path, struct sg_run_log *run, struct sg_err *err);
/* After that what its log has, and it goes on. SG_BAD_INPUT with file and line. */
enum sg_code sg_run_log_resume(struct sg_run_log *run, struct sg_err *err);

/* A group. SG_SYSTEM (disk full, file too large, ...) says how many bytes are kept; the group is
 * not. SIGXFSZ must be ignored for a limit on file size to come out as an error. */
enum sg_code sg_run_log_add_rows(struct sg_run_log *run, const struct sg_table *group, struct sg_err *err);
enum sg_code sg_run_log_add_samples(struct sg_run_log *run, const struct sg_samples *group, struct sg_err *err);
/* The row of a worker of the time pass: when it begins, and in its place when it ended. */
enum sg_code sg_run_log_put_process(struct sg_run_log *run, const struct sg_process *process, struct sg_err *err);
/* Its samples count no more, for this reason; "": its worker did not end, and its row goes, too. */
enum sg_code sg_run_log_drop_process(struct sg_run_log *run, unsigned process, const char *why, struct sg_err *err);

/* Sorts the rows, and leaves those that count. */
void sg_run_log_sort(struct sg_run_log *run);

enum sg_code sg_run_log_write_env(struct sg_run_log *run, struct sg_err *err);
enum sg_code sg_run_log_write_env_if_changed(struct sg_run_log *run, struct sg_err *err);
/* Of a run that is interrupted: the tables of what it has. */
enum sg_code sg_run_log_write_tables(struct sg_run_log *run, struct sg_err *err);
/* The end of a run: tables with its final rows, and facts that say that it is finished. */
enum sg_code sg_run_log_finish(struct sg_run_log *run, const struct sg_table *final, struct sg_err *err);

/* Takes away what sg_run_log_create made, for a run that turned out
 * impossible before its first row. */
void sg_run_log_undo(const struct sg_run_log *run);
void sg_run_log_release(struct sg_run_log *run);
