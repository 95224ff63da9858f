#include "model/physics.h"

#include <math.h>

#include "model/l2_check.h"
#include "util/number_format.h"

const char *sg_pipe_metric(enum sg_pipe pipe)
{
    static const char *const name[SG_PIPES] = {SG_PIPE_TABLE(SG_WORD)};
    return name[pipe];
}

const char *sg_physics_words(enum sg_physics_finding finding)
{
    static const char *const text[SG_PHYSICS_FINDINGS] = {SG_PHYSICS_TABLE(SG_WORD)};
    return text[finding];
}

enum sg_dtype sg_physics_lacks(const struct sg_work *work, const struct sg_gpu_spec *spec)
{
    int d = 0;
    while (d < SG_DTYPE_COUNT && !(work->flop[d] > 0 && !(spec->flop_per_s[d] > 0)))
        d++;
    return (enum sg_dtype)d;
}

/* ---- times ---- */

/* A lower limit of the time for some work. */
struct limit {
    enum sg_bound bound;
    double ns, rate;
    double share; /* a time below this share of ns is refused */
    bool clock_known;
};

/* Keeps the limit with the higher threshold of refusal, share * ns. */
static void take_limit(struct limit *longest, const struct limit *limit)
{
    if (limit->share * limit->ns > longest->share * longest->ns)
        *longest = *limit;
}

static void take_arithmetic(const struct sg_evidence *e, const struct sg_gpu_spec *spec,
                            struct limit *longest)
{
    for (int d = 0; d < SG_DTYPE_COUNT; d++) {
        const double stated =
            spec->flop_clock_hz[d] > 0 ? spec->flop_clock_hz[d] : spec->sm_clock_hz;
        const bool known = e->sm_clock_hz > 0;
        const double clock = known ? e->sm_clock_hz : stated,
                     peak = spec->flop_per_s[d] * (clock / stated);
        if (peak > 0)
            take_limit(longest, &(struct limit){.bound = SG_BOUND_ARITHMETIC,
                                                .ns = e->work.flop[d] / peak * 1e9,
                                                .rate = clock,
                                                .share = SG_PEAK_SHARE,
                                                .clock_known = known});
    }
}

/* The part of the work that DRAM must transfer before the launch ends. */
static struct sg_work work_of_dram(const struct sg_evidence *e, const struct sg_limits *limits)
{
    /* of NaN and a number, fmax returns the number */
    const double l2_bytes = fmax(limits->spec->l2_bytes, limits->l2_bytes);
    const double held = limits->l2_declared && limits->l2 == SG_L2_WARM ? l2_bytes : 0;
    const double left = limits->l2_declared && limits->l2 != SG_L2_COLD ? l2_bytes : 0;
    return (struct sg_work){.read_bytes = fmax(0, e->work.read_bytes - held),
                            .write_bytes = fmax(0, e->work.write_bytes - left)};
}

/* With a clean L2 DRAM has no other traffic, so no other state has a higher ceiling. */
static bool has_ceiling(const struct sg_limits *limits)
{
    const struct sg_ceilings *ceilings = limits->ceilings;
    return ceilings->dram_bytes_per_s > 0 &&
           (ceilings->l2 == SG_L2_CLEAN || (limits->l2_declared && ceilings->l2 == limits->l2));
}

static void take_memory(const struct sg_evidence *e, const struct sg_limits *limits,
                        struct limit *longest)
{
    const struct sg_work work = work_of_dram(e, limits);
    const double peak = limits->spec->dram_bytes_per_s,
                 ceiling = limits->ceilings->dram_bytes_per_s;
    const double bytes = work.read_bytes + work.write_bytes,
                 as_a_copy = work.read_bytes + fmin(work.read_bytes, work.write_bytes);
    take_limit(longest,
               &(struct limit){SG_BOUND_DRAM_PEAK, bytes / peak * 1e9, peak, SG_PEAK_SHARE, false});
    if (has_ceiling(limits))
        take_limit(longest, &(struct limit){SG_BOUND_DRAM_CEILING, as_a_copy / ceiling * 1e9,
                                            ceiling, SG_CEILING_SHARE, false});
}

static bool is_too_fast(const struct sg_evidence *e, const struct sg_limits *limits,
                        struct sg_physics *physics)
{
    struct limit longest = {.share = 1};
    if (!limits->spec)
        return false;
    take_arithmetic(e, limits->spec, &longest);
    take_memory(e, limits, &longest);
    if (!(e->time_ns < longest.share * longest.ns))
        return false;
    *physics = (struct sg_physics){.finding = SG_TOO_FAST,
                                   .found = e->time_ns,
                                   .needed = longest.ns,
                                   .bound = longest.bound,
                                   .rate = longest.rate,
                                   .clock_known = longest.clock_known};
    return true;
}

/* ---- counters ---- */

static bool is_other_l2(const struct sg_evidence *e, const struct sg_limits *limits,
                        struct sg_physics *physics)
{
    const struct sg_l2_evidence evidence = {
        .declared = limits->l2,
        .dram_read_bytes = e->dram_read_bytes,
        .read_bytes = e->work.read_bytes,
        .write_bytes = e->work.write_bytes,
        .l2_bytes = limits->l2_bytes,
    };
    double share;
    if (!limits->l2_declared || sg_l2_judge(&evidence, &share) != SG_L2_CONTRADICTED)
        return false;
    *physics = (struct sg_physics){.finding = SG_OTHER_L2,
                                   .found = e->dram_read_bytes,
                                   .needed = e->work.read_bytes,
                                   .declared = limits->l2};
    return true;
}

/* Any format may be computed on any pipe, but every kernel that computes uses one, at least for
 * addresses. */
static bool is_idle(const struct sg_evidence *e, struct sg_physics *physics)
{
    static const bool needed[SG_PIPES] = {
#define X(constant, metric, is_needed) [constant] = is_needed,
        SG_PIPE_TABLE(X)
#undef X
    };
    double flop = 0;
    for (int d = 0; d < SG_DTYPE_COUNT; d++)
        flop += e->work.flop[d];
    bool idle = flop > 0 && (!(e->work.flop[SG_F64] > 0) || !isnan(e->pipe[SG_PIPE_FP64]));
    for (int pipe = 0; pipe < SG_PIPES; pipe++)
        idle &= isnan(e->pipe[pipe]) ? !needed[pipe] : e->pipe[pipe] == 0;
    if (idle)
        *physics = (struct sg_physics){.finding = SG_IDLE_PIPES, .needed = flop};
    return idle;
}

struct sg_physics sg_physics_judge(const struct sg_evidence *e, const struct sg_limits *limits)
{
    struct sg_physics physics = {.finding = SG_POSSIBLE};
    if (!isnan(e->time_ns) && !is_too_fast(e, limits, &physics) &&
        !is_other_l2(e, limits, &physics))
        is_idle(e, &physics);
    return physics;
}

/* ---- in words ---- */

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
