/*
 * launch - how long a launch takes that has next to no work: one warp
 * writes a number a lane and ends.
 *
 * A kernel that writes nothing could not be checked, and every right kernel writes something, so
 * this is the shortest launch that counts. `solgate doctor --ceilings` keeps its time as the launch
 * floor of the GPU, and no limit of a gap table is below it. With no inputs there is no trip to
 * DRAM before the end, whatever the L2 holds.
 */
#include "solgate_cuda.h"
#include "launch.cuh"

static const struct sg_case cases[] = {
    {.name = "one_warp",
     .dim = {LAUNCH_LANES},
     .dtype = SG_F32,
     .summary = "128 bytes written, nothing read"},
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    out[LAUNCH_OUT] = {.name = "out",
                       .dtype = SG_F32,
                       .count = (uint64_t)c->dim[LAUNCH_ELEMENTS],
                       .use = SG_OUTPUT};
    return LAUNCH_BUFFERS;
}

static struct sg_work work(const struct sg_case *c)
{
    return {.write_bytes = (double)c->dim[LAUNCH_ELEMENTS] * sizeof(float)};
}

static struct sg_tolerance tolerance(const struct sg_case *)
{
    return {.reason = "small whole numbers are exact"};
}

static void reference(const struct sg_reference_request *request)
{
    for (int64_t i = 0; i < request->c->dim[LAUNCH_ELEMENTS]; i++)
        request->expected[LAUNCH_OUT][i] = (double)(i + 1);
}

SG_FAMILY(launch) = {
    .summary = "a launch without work to speak of: the floor of every time",
    .device = SG_CUDA,
    .dims = "elements",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .exact_integers = true,
    .last_error = sg_cuda_last_error,
};
