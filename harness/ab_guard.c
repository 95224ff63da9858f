/* The guards of `solgate ab`: processes that measured under conditions that spoil times go, and what is left must be fit to judge by. */
#include <stdlib.h>
#include <unistd.h>

#include "ab_parts.h"
#include "home.h"

enum sg_code sg_ab_find_drift(struct sg_ab *ab, struct sg_err *err)
{
    /* A segment is timed by events, whose tick is as large as the drift that would be looked for. */
    if (ab->options->sustained)
        return SG_DONE;
    const bool gpu = sg_listed_needs_gpu(ab->baseline.listed);
    if (sg_beside_path(&ab->drift, gpu ? "libsg_reference.so" : "libsg_null_reference.so", err) != SG_DONE)
        return err->code;
    /* Without them the report says that drift is not known. */
    ab->pipeline.drift = access(ab->drift.data, R_OK) == 0 ? ab->drift.data : NULL;
    return SG_DONE;
}

/* The values from this process on are taken anew; those of before stay as they are. */
static void go_back_to(struct sg_ab *ab, unsigned process)
{
    for (size_t i = 0; i < ab->engine.count; i++) {
        struct sg_engine_pair *pair = &ab->engine.pairs[i];
        if (pair->dead || pair->n <= process)
            continue;
        pair->n = process;
        pair->decided = false;
    }
}

enum sg_code sg_ab_drop_unfit(struct sg_ab *ab, bool *dropped, struct sg_err *err)
{
    const struct sg_processes *all = &ab->pipeline.processes;
    struct sg_unfit *unfit = sg_alloc(all->count + 1, sizeof(*unfit));
    const size_t count = sg_conditions_unfit(all, unfit);
    *dropped = count > 0 && sg_conditions_dropped(all) + count <= SG_DROPS_MAX;
    for (size_t i = 0; i < count && *dropped && err->code == SG_DONE; i++) {
        sg_pipeline_drop_process(&ab->pipeline, unfit[i].process, unfit[i].why, err);
        go_back_to(ab, unfit[i].process);
    }
    free(unfit);
    return err->code;
}
