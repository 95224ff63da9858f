/* The guards of the time pass (docs/method.md 4): processes that measured under conditions that
 * spoil times go, others take their place. */
#include <stdlib.h>
#include <unistd.h>

#include "results/validity.h"
#include "run/pipeline_internal.h"
#include "util/paths.h"

bool sg_pipeline_runs_on_gpu(const struct sg_pipeline *p)
{
    for (size_t i = 0; i < p->plan.count; i++)
        if (sg_listed_needs_gpu(p->plan.items[i].family))
            return true;
    return false;
}

void sg_pipeline_print_simulated(struct sg_pipeline *p)
{
    if (!sg_pipeline_runs_on_gpu(p))
        sg_progress_print(&p->progress, SG_SIMULATED_WORDS);
}

enum sg_code sg_pipeline_find_drift(struct sg_pipeline *p, struct sg_err *err)
{
    /* A segment is timed by events, whose tick is as large as the
     * drift that would be looked for. */
    if (p->segment_ms > 0)
        return SG_SUCCESS;
    if (sg_path_of_module(&p->drift, sg_pipeline_runs_on_gpu(p) ? "libsg_reference.so" : "libsg_null_reference.so", err) == SG_SUCCESS &&
        access(p->drift.data, R_OK) != 0)
        sg_text_release(&p->drift);
    return err->code;
}

enum sg_code sg_pipeline_drop_unfit(struct sg_pipeline *p, uint64_t *dropped, struct sg_err *err)
{
    struct sg_unfit *unfit = sg_alloc(p->processes.count + 1, sizeof(*unfit));
    const size_t count = sg_validity_unfit(&p->processes, unfit);
    const bool may = sg_validity_dropped(&p->processes) + count <= SG_DROPS_MAX;
    *dropped = 0;
    for (size_t i = 0; i < count && may && err->code == SG_SUCCESS; i++) {
        sg_pipeline_drop_process(p, unfit[i].process, unfit[i].why, err);
        *dropped |= (uint64_t)1 << unfit[i].process;
    }
    free(unfit);
    return err->code;
}
