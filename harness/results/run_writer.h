/*
 * results/run_writer.h - the folder of a run while it is being written, and taking
 * up one that was left unfinished.
 *
 * Rows and samples go in by groups, each in one write that ends with a sync: the rows of one item
 * of one pass. What makes a group whole can be seen in it (a status row; a count_passes row; all
 * batches of a process), so a torn one is dropped when the run is taken up again. Invariant: a
 * group that was added is found again, and one that was not added whole is not.
 */
#ifndef SG_RESULTS_RUN_WRITER_H
#define SG_RESULTS_RUN_WRITER_H

#include "results/env.h"
#include "results/journal.h"
#include "results/pair_samples.h"
#include "results/process_log.h"
#include "results/samples.h"
#include "results/table.h"

struct sg_run_writer {
    char *path; /* owned */
    char *rows_path, *samples_path, *processes_path, *env_path;
    struct sg_journal rows, samples, processes;
    struct sg_env env;
    int lock; /* descriptor of the folder, locked: one solgate at a time writes to it; -1: not open */
};

/* Nothing in it, safe to release. */
void sg_run_writer_init(struct sg_run_writer *folder);

/* Is it a folder with nothing in it but what sg_run_writer_create makes: of a run that was
 * killed before env.csv said what it is? */
bool sg_run_writer_is_bare(const char *path);
/* The same of one that is there, as an error: SG_BAD_USAGE names what is in it. */
enum sg_code sg_run_writer_check_bare(const char *path, struct sg_err *err);
/* A new folder, or a bare one. SG_BAD_USAGE when something is in it already. Parents are made. */
enum sg_code sg_run_writer_create(const char *path, struct sg_run_writer *folder, struct sg_err *err);
/* Asked once for the batches of each process of a pair that are
 * there: whether they are to be kept. */
struct sg_pair_samples_judge {
    void *context;
    bool (*keep)(void *context, const struct sg_samples *samples, const struct sg_pair_samples *batches);
};
/* One that is there. What is whole is in *table (sorted) and *samples, and nothing else is left in
 * the files. */
enum sg_code sg_run_writer_take_up(const char *path, const struct sg_pair_samples_judge *judge, struct sg_run_writer *folder,
                                   struct sg_table *table, struct sg_samples *samples, struct sg_err *err);
/* Its processes.csv, after that; a run that has none gets one. */
enum sg_code sg_run_writer_take_up_processes(struct sg_run_writer *folder, struct sg_process_log *processes, struct sg_err *err);
/* Reads env.csv of a folder that is there, without touching it. */
enum sg_code sg_run_writer_facts(const char *path, struct sg_env *env, struct sg_err *err);

enum sg_code sg_run_writer_add_rows(struct sg_run_writer *folder, const struct sg_table *group, struct sg_err *err);
enum sg_code sg_run_writer_add_samples(struct sg_run_writer *folder, const struct sg_samples *group, struct sg_err *err);
enum sg_code sg_run_writer_add_process(struct sg_run_writer *folder, const struct sg_process *process, struct sg_err *err);
/* All of them anew, instead of what the file holds. */
enum sg_code sg_run_writer_write_rows(struct sg_run_writer *folder, const struct sg_table *table, struct sg_err *err);
enum sg_code sg_run_writer_write_samples(struct sg_run_writer *folder, const struct sg_samples *samples, struct sg_err *err);
enum sg_code sg_run_writer_write_processes(struct sg_run_writer *folder, const struct sg_process_log *processes, struct sg_err *err);
enum sg_code sg_run_writer_write_env(struct sg_run_writer *folder, struct sg_err *err);

/*
 * Are the files what was written to them? Call it before they are read again, and while env.csv
 * says that the run is under way. If not, the code of sg_journal_check, and env.csv says that the
 * run has ended with other files: no command takes them, `--resume` neither.
 */
enum sg_code sg_run_writer_check(struct sg_run_writer *folder, struct sg_err *err);

/* Takes away what sg_run_writer_create made, for a run that turned out
 * impossible before its first row. */
void sg_run_writer_undo(struct sg_run_writer *folder);
void sg_run_writer_release(struct sg_run_writer *folder);

/* Is it a row of words, or a fact that a variant reports before it runs? What was
 * timed or counted says how often. */
bool sg_is_reported(const struct sg_row *row);
/* Is a row computed from the others when a run is finished (time, time_ratio, sm_clock, sol_*)? */
bool sg_is_computed_row(const struct sg_table *table, const struct sg_row *row);

#endif
