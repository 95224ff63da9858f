/*
 * adversary/leaves_context - while it is timed it leaves another context current: whoever waits for
 * the context waits for nothing.
 *
 * Its work goes to a stream of its own.
 */
#include <stdio.h>

#include "adversary.h"
#include "adversary_driver.h"

namespace
{
struct state : adversary {
    struct adversary_driver driver;
    CUcontext here, there;

    enum sg_status set_up(const struct sg_launch *, struct sg_reason *why)
    {
        CUdevice device = 0;
        CUcontext popped;
        const enum sg_status status = adversary_find_driver(&driver, why);
        if (status != SG_OK)
            return status;
        driver.context_get(&here);
        driver.context_device(&device);
        if (driver.context_create(&there, 0, device) == CUDA_SUCCESS) {
            driver.context_pop(&popped);
            return SG_OK;
        }
        snprintf(why->text, sizeof(why->text), "the driver makes no second context");
        return SG_UNAVAILABLE;
    }
    void tear_down()
    {
        if (here)
            driver.context_set(here);
        if (there)
            driver.context_destroy(there);
    }
};
} // namespace

static void launch(const struct sg_launch *l)
{
    const struct state *s = adversary_begin<state>(l);
    if (!s->timed) {
        adversary_compute(l);
        return;
    }
    s->driver.context_set(s->here);
    adversary_compute_aside(l, s->side);
    adversary_nothing(l);
    s->driver.context_set(s->there);
}

SG_VARIANT(adversary, leaves_context) = {
    .summary = "leaves another context current, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .prepare = adversary_prepare<state>,
    .launch = launch,
    .finish = adversary_finish<state>,
};
