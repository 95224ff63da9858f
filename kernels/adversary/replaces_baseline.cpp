/*
 * adversary/replaces_baseline - it writes to the module's table, so that the baseline does its work
 * twice.
 */
#include "adversary.h"
#include "adversary_patch.h"

extern "C" const struct sg_variant sg_variant_adversary_baseline;

namespace
{
struct state : adversary {
    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down();
};
} // namespace

static void (*honest)(const struct sg_launch *l);

static void twice(const struct sg_launch *l)
{
    honest(l);
    honest(l);
}

/* A pointer that the compiler may not take for that of a constant. */
static struct sg_variant *baseline()
{
    struct sg_variant *volatile found = (struct sg_variant *)&sg_variant_adversary_baseline;
    return found;
}

enum sg_status state::set_up(const struct sg_launch *, struct sg_reason *)
{
    if (timed && !honest && adversary_unlock(baseline(), sizeof(struct sg_variant))) {
        honest = baseline()->launch;
        baseline()->launch = twice;
    }
    return SG_OK;
}

void state::tear_down()
{
    if (honest)
        baseline()->launch = honest;
    honest = nullptr;
}

SG_VARIANT(adversary, replaces_baseline) = {
    .summary = "makes the baseline do its work twice",
    .role = SG_CANDIDATE,
    .prepare = adversary_prepare<state>,
    .launch = adversary_launch,
    .finish = adversary_finish<state>,
};
