/* A run that is to end by some time: what is still begun, and what is left out. */
#include <stdlib.h>

#include "run/pipeline_internal.h"
#include "stats/run_limits.h"

bool sg_pipeline_is_late(const struct sg_pipeline *p)
{
    return p->options->deadline_s > 0 && sg_monotonic_s() >= p->options->deadline_s;
}

size_t sg_pipeline_afford(const struct sg_pipeline *p, size_t count, double process_s, unsigned processes)
{
    const double spare_s = p->options->deadline_s - sg_monotonic_s(), needed_s = process_s * processes;
    if (p->options->deadline_s <= 0 || needed_s <= spare_s)
        return count;
    return spare_s > 0 ? (size_t)((double)count * spare_s / needed_s) : 0;
}

void sg_pipeline_leave_out(struct sg_pipeline *p)
{
    for (size_t i = 0; i < p->plan.count && p->options->deadline_s > 0; i++) {
        struct sg_step *step = &p->steps[i];
        const unsigned timed = (unsigned)__builtin_popcountll(step->processes);
        if (!step->passed || step->status != SG_OK || !step->baseline || timed >= SG_PROCESSES_MIN)
            continue;
        struct sg_text why = {0};
        sg_text_addf(&why, "the budget of the night was over after %u of its processes; %d are needed", timed, SG_PROCESSES_MIN);
        step->status = SG_SKIPPED;
        free(step->message);
        step->message = why.data;
    }
}
