#include "run/measure.h"

enum sg_code sg_measure_take_kernel(struct measure *m, const struct sg_message *message,
                                    struct sg_err *err)
{
    const struct sg_execution *e = m->execution;
    const bool is_sample = message->kind == SG_MESSAGE_SAMPLE;
    if (sg_execution_program(e, message->name[0], message->name[1]) != m->current)
        return sg_fail(err, SG_INVALID, NULL, "expected a kernel of %s, found %s/%s/%s",
                       m->current->item->case_->name, message->name[0], message->name[1],
                       message->name[2]);
    if (!sg_names_match(&e->options->filters.variants, message->name[2]))
        return SG_SUCCESS;
    if (is_sample && message->sample.process != m->process)
        return sg_fail(err, SG_INVALID, NULL,
                       "sample: expected a sample of process %u, found one of process %u",
                       m->process, message->sample.process);
    if (is_sample)
        sg_take_sample(message, &m->samples);
    else
        sg_table_add(&m->rows, &message->value);
    return SG_SUCCESS;
}

enum sg_code sg_measure_keep_kernels(struct measure *m, struct sg_err *err)
{
    struct sg_step *step = m->current;
    sg_run_log_add(m->execution->sink, &m->rows, &m->samples, err);
    sg_step_take_batches(step, &(struct sg_pair_samples){m->samples.items, m->samples.count},
                         m->execution->seed);
    return err->code;
}
