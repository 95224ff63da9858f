/* What the GPU was like while the processes of the time pass measured: kept beside the batches, and
 * batches let go with their process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/samples.h"
#include "results/throttle_reasons.h"
#include "run/execution_internal.h"

static void set_now(char text[24])
{
    snprintf(text, 24, "%.23s", sg_utc_now(SG_UTC_TIME).text);
}

enum sg_code sg_execution_begin_process(struct sg_execution *e, unsigned process, struct sg_process *row, struct sg_err *err)
{
    *row = sg_process_new(process, sg_process_log_attempt(&e->sink->processes, process));
    set_now(row->began);
    /* Before its first batch: a row without an end stands for batches whose worker was not seen to
     * end. */
    return sg_sink_add_process(e->sink, row, err);
}

enum sg_code sg_execution_end_process(struct sg_execution *e, struct sg_process *row, struct sg_err *err)
{
    set_now(row->ended);
    e->sink->processes.items[e->sink->processes.count - 1] = *row;
    return sg_sink_write_processes(e->sink, err);
}

enum sg_code sg_take_look(const struct sg_message *message, struct sg_process *row, struct sg_err *err)
{
    struct sg_err wrong = {0};
    uint64_t events = 0;
    if (message->kind == SG_MESSAGE_FIGURE &&
        sg_process_take(row, message->field[0], message->field[1], message->field[2], &wrong) != SG_SUCCESS)
        return sg_fail(err, SG_INVALID, NULL, "figure: %s", wrong.message);
    if (message->kind != SG_MESSAGE_EVENTS || !*message->field[1])
        return SG_SUCCESS;
    if (!sg_throttle_reasons_parse(message->field[1], &events))
        return sg_fail(err, SG_INVALID, NULL, "events: expected words of events, found \"%s\"", message->field[1]);
    row->events |= events;
    row->events_known = true;
    return SG_SUCCESS;
}

/* Lets go of the batches of these processes: bit p is process p. */
static enum sg_code forget_batches(struct sg_execution *e, uint64_t gone, struct sg_err *err)
{
    struct sg_samples *all = &e->sink->samples;
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].process >= SG_PROCESSES_MAX || !(gone >> all->items[i].process & 1))
            all->items[kept++] = all->items[i];
    all->count = kept;
    for (size_t i = 0; i < e->plan->count; i++)
        e->steps[i].processes &= ~gone;
    return sg_sink_write_samples(e->sink, err);
}

enum sg_code sg_execution_drop_process(struct sg_execution *e, unsigned process, const char *why, struct sg_err *err)
{
    sg_progress_print(&e->progress, "process %u is dropped: %s; another one takes its place", process, why);
    /* The batches first: killed in between, the process is measured
     * again and its row judged again. */
    if (forget_batches(e, (uint64_t)1 << process, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < e->sink->processes.count; i++) {
        struct sg_process *row = &e->sink->processes.items[i];
        if (row->process == process && !row->dropped[0])
            snprintf(row->dropped, sizeof(row->dropped), "%s", why);
    }
    return sg_sink_write_processes(e->sink, err);
}

enum sg_code sg_execution_take_up_processes(struct sg_execution *e, struct sg_err *err)
{
    uint64_t unseen = 0;
    if (sg_run_writer_take_up_processes(&e->sink->folder, &e->sink->processes, err) != SG_SUCCESS)
        return err->code;
    for (unsigned process = 0; process < SG_PROCESSES_MAX; process++)
        if (!sg_process_log_ended(&e->sink->processes, process))
            unseen |= (uint64_t)1 << process;
    /* The batches first: killed in between, the rows without an end still say which are to go. */
    if (forget_batches(e, unseen, err) != SG_SUCCESS)
        return err->code;
    sg_process_log_forget(&e->sink->processes, unseen);
    return sg_sink_write_processes(e->sink, err);
}
