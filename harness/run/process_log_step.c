/* What the GPU was like while the processes of the time pass measured: kept beside the batches, and
 * batches let go with their process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/samples.h"
#include "results/throttle_reasons.h"
#include "run/pipeline_internal.h"

static void set_now(char text[24])
{
    snprintf(text, 24, "%.23s", sg_utc_now(SG_UTC_TIME).text);
}

enum sg_code sg_pipeline_begin_process(struct sg_pipeline *p, unsigned process, struct sg_process *row, struct sg_err *err)
{
    *row = sg_process_new(process, sg_process_log_attempt(&p->processes, process));
    set_now(row->began);
    /* Before its first batch: a row without an end tells of batches whose worker nobody saw end. */
    sg_process_log_add(&p->processes, row);
    return sg_run_writer_add_process(&p->folder, row, err);
}

enum sg_code sg_pipeline_end_process(struct sg_pipeline *p, struct sg_process *row, struct sg_err *err)
{
    set_now(row->ended);
    p->processes.items[p->processes.count - 1] = *row;
    return sg_run_writer_write_processes(&p->folder, &p->processes, err);
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
static enum sg_code forget_batches(struct sg_pipeline *p, struct sg_samples *all, uint64_t gone, struct sg_err *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].process >= SG_PROCESSES_MAX || !(gone >> all->items[i].process & 1))
            all->items[kept++] = all->items[i];
    all->count = kept;
    for (size_t i = 0; i < p->plan.count; i++)
        p->steps[i].processes &= ~gone;
    return sg_run_writer_write_samples(&p->folder, all, err);
}

enum sg_code sg_pipeline_drop_process(struct sg_pipeline *p, unsigned process, const char *why, struct sg_err *err)
{
    sg_progress_print(&p->progress, "process %u is dropped: %s; another one takes its place", process, why);
    /* The batches first: killed in between, the process is measured
     * again and its row judged again. */
    if (forget_batches(p, p->batches, (uint64_t)1 << process, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < p->processes.count; i++) {
        struct sg_process *row = &p->processes.items[i];
        if (row->process == process && !row->dropped[0])
            snprintf(row->dropped, sizeof(row->dropped), "%s", why);
    }
    return sg_run_writer_write_processes(&p->folder, &p->processes, err);
}

enum sg_code sg_pipeline_take_up_processes(struct sg_pipeline *p, struct sg_samples *batches, struct sg_err *err)
{
    uint64_t unseen = 0;
    if (sg_run_writer_take_up_processes(&p->folder, &p->processes, err) != SG_SUCCESS)
        return err->code;
    for (unsigned process = 0; process < SG_PROCESSES_MAX; process++)
        if (!sg_process_log_ended(&p->processes, process))
            unseen |= (uint64_t)1 << process;
    /* The batches first: killed in between, the rows without an end still say which are to go. */
    if (forget_batches(p, batches, unseen, err) != SG_SUCCESS)
        return err->code;
    sg_process_log_forget(&p->processes, unseen);
    return sg_run_writer_write_processes(&p->folder, &p->processes, err);
}
