/*
 * run/sink.h - where an execution puts what it finds: into memory, and into the folder of a run if
 * there is one.
 *
 * Invariant: numbers in memory are as the files have them, so that a run that was taken up again
 * computes the same from them.
 */
#ifndef SG_RUN_SINK_H
#define SG_RUN_SINK_H

#include "results/run_writer.h"

struct sg_sink {
    struct sg_run_writer folder; /* its path is NULL where nothing is written; its env is used all the same */
    struct sg_table rows;        /* all that was found out, in the order in which it was */
    struct sg_samples samples;
    struct sg_process_log processes; /* of the time pass: what the GPU was like */
    bool env_changed;
};

void sg_sink_init(struct sg_sink *sink);
void sg_sink_release(struct sg_sink *sink);

enum sg_code sg_sink_add_rows(struct sg_sink *sink, const struct sg_table *group, struct sg_err *err);
enum sg_code sg_sink_add_samples(struct sg_sink *sink, const struct sg_samples *group, struct sg_err *err);
enum sg_code sg_sink_add_process(struct sg_sink *sink, const struct sg_process *row, struct sg_err *err);
/* The file anew, of what is in memory. */
enum sg_code sg_sink_write_samples(struct sg_sink *sink, struct sg_err *err);
enum sg_code sg_sink_write_processes(struct sg_sink *sink, struct sg_err *err);
enum sg_code sg_sink_write_env(struct sg_sink *sink, struct sg_err *err);
enum sg_code sg_sink_write_env_if_changed(struct sg_sink *sink, struct sg_err *err);
/* Are the files what was written to them? */
enum sg_code sg_sink_check(struct sg_sink *sink, struct sg_err *err);
/* The end of a run: its final rows, and facts that say that it is finished. */
enum sg_code sg_sink_finish(struct sg_sink *sink, const struct sg_table *final, struct sg_err *err);

#endif
