/* Rows of the time pass's workers, and their samples. */
#include <stdio.h>

#include "run/execution_internal.h"

static void set_now(char text[24])
{
    snprintf(text, 24, "%.23s", sg_utc_now(SG_UTC_TIME).text);
}

enum sg_code sg_execution_begin_process(struct sg_execution *e, unsigned process,
                                        struct sg_process *row, struct sg_err *err)
{
    *row = sg_process_new(process, sg_process_log_attempt(&e->sink->processes, process));
    set_now(row->began);
    /* Written before the first sample: a row without an end means that the worker's end was not
     * seen. */
    return sg_run_log_put_process(e->sink, row, err);
}

enum sg_code sg_execution_end_process(struct sg_execution *e, struct sg_process *row,
                                      struct sg_err *err)
{
    set_now(row->ended);
    return sg_run_log_put_process(e->sink, row, err);
}

enum sg_code sg_execution_drop_process(struct sg_execution *e, unsigned process, const char *why,
                                       struct sg_err *err)
{
    sg_progress_print(&e->progress, "process %u is dropped: %s; another process replaces it",
                      process, why);
    for (size_t i = 0; i < e->plan->count; i++)
        e->steps[i].processes &= ~((uint64_t)1 << process);
    return sg_run_log_drop_process(e->sink, process, why, err);
}
