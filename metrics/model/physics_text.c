/*
 * Explains in one sentence with numbers why a measurement is impossible (model/physics.h).
 */
#include "model/physics.h"

#include "util/number_format.h"

static void add_too_fast(struct sg_text *out, const struct sg_physics *physics)
{
    sg_add_time(out, physics->found);
    sg_text_add(out, " for work that takes ");
    sg_add_time(out, physics->needed);
    sg_text_add(out, " at ");
    switch (physics->bound) {
    case SG_BOUND_ARITHMETIC:
        sg_text_addf(out, "%.4g GHz%s", 1e-9 * physics->rate,
                     physics->clock_known ? "" : ", the clock of the peaks, as none was measured");
        break;
    case SG_BOUND_DRAM_PEAK:
        sg_add_rate(out, physics->rate, "B/s");
        sg_text_add(out, ", the peak of DRAM");
        break;
    case SG_BOUND_DRAM_CEILING:
        sg_add_rate(out, physics->rate, "B/s");
        sg_text_add(out, ", the measured ceiling of DRAM");
        break;
    }
    sg_text_add(out, ": the kernel skips work, or the work, the peaks or the time are wrong");
}

static void add_other_l2(struct sg_text *out, const struct sg_physics *physics)
{
    sg_text_add(out, "read ");
    sg_add_value(out, physics->found, "B");
    sg_text_add(out, " from DRAM, and its inputs are ");
    sg_add_value(out, physics->needed, "B");
    if (physics->declared == SG_L2_WARM)
        sg_text_add(out, ": the L2 did not hold them, though it is declared warm");
    else
        sg_text_addf(out, ": the kernel skips work, or the L2 held them, though it is declared %s",
                     sg_l2_word(physics->declared));
}

static void add_idle(struct sg_text *out, const struct sg_physics *physics)
{
    sg_text_add(out, "no operation was counted on any pipe that can compute, and the work is ");
    sg_add_value(out, physics->needed, "flop");
    sg_text_add(out, ": the kernel skips work, or the declared work is wrong");
}

void sg_add_physics(struct sg_text *out, const struct sg_physics *physics)
{
    if (physics->finding == SG_TOO_FAST)
        add_too_fast(out, physics);
    else if (physics->finding == SG_OTHER_L2)
        add_other_l2(out, physics);
    else if (physics->finding == SG_IDLE_PIPES)
        add_idle(out, physics);
}
