/*
 * probe - one mechanism each that makes a kernel slower, in three strengths, on a base of three
 * kinds.
 *
 * stream waits for DRAM, math for its own arithmetic, tile for shared memory. What `solgate
 * explain` names first for each pair is held against the mechanism
 * (studies/probe_causes.sh).
 */
#include "probe.cuh"
#include "solgate_cuda.h"

#define KIND(kind, tiles, steps, exchanges, summary_)                            \
    {.name = kind "_1",                                                          \
     .dim = {tiles, steps, exchanges, 1},                                        \
     .dtype = SG_F32,                                                            \
     .summary = summary_},                                                       \
        {.name = kind "_2",                                                      \
         .dim = {tiles, steps, exchanges, 2},                                    \
         .dtype = SG_F32,                                                        \
         .summary = summary_},                                                   \
    {                                                                            \
        .name = kind "_3", .dim = {tiles, steps, exchanges, 3}, .dtype = SG_F32, \
        .summary = summary_                                                      \
    }

static const struct sg_case cases[] = {
    KIND("stream", 528 * 32, 8, 2, "waits for DRAM"),
    KIND("math", 528 * 2, 1000, 8, "waits for its own arithmetic"),
    KIND("tile", 528 * 2, 8, 400, "waits for shared memory"),
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t elements = (uint64_t)c->dim[PROBE_TILES] * PROBE_TILE;
    out[PROBE_IN] = {.name = "in", .dtype = SG_F32, .count = elements, .use = SG_INPUT};
    out[PROBE_OUT] = {.name = "out", .dtype = SG_F32, .count = elements, .use = SG_OUTPUT};
    out[PROBE_SCRATCH] = {.name = "scratch", .dtype = SG_F32, .count = 1 << 20, .use = SG_SCRATCH};
    return PROBE_BUFFERS;
}

static struct sg_work work(const struct sg_case *c)
{
    const double elements = (double)c->dim[PROBE_TILES] * PROBE_TILE;
    struct sg_work needed = {};
    needed.flop[SG_F32] = 2 * elements * (double)c->dim[PROBE_STEPS];
    needed.read_bytes = needed.write_bytes = elements * sizeof(float);
    return needed;
}

static struct sg_tolerance tolerance(const struct sg_case *)
{
    return {.rel_rms = 1e-6,
            .rel_max = 4e-6,
            .reason = "x -> 1.5 - x rounds in its first steps at most, and is exact from then on"};
}

static void reference(const struct sg_reference_request *request)
{
    const uint64_t elements = (uint64_t)request->c->dim[PROBE_TILES] * PROBE_TILE;
    const float *in = (const float *)request->host[PROBE_IN];
    for (uint64_t i = 0; i < elements; i++)
        request->expected[PROBE_OUT][i] = in[i];
}

SG_FAMILY(probe) = {
    .summary =
        "mechanisms that make a kernel slower, one a variant, in three strengths on three kinds",
    .device = SG_CUDA,
    .dims = "tiles,steps,exchanges,strength",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .last_error = sg_cuda_last_error,
};
