/*
 * adversary/works_in_prepare - the work is done in `prepare`, which is not timed; a launch copies
 * the result.
 */
#include "adversary.h"

namespace
{
struct state : adversary {
    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *)
    {
        adversary_compute_to(l, kept);
        return SG_OK;
    }
};
} // namespace

static void launch(const struct sg_launch *l)
{
    if (adversary_begin(l)->timed)
        adversary_give(l);
    else
        adversary_compute(l);
}

ADVERSARY(works_in_prepare, SG_WRONG, state, "its work is done before it is timed");
