/*
 * stream - how many bytes a second DRAM gives and takes: a copy of buffers that no L2
 * holds a part of worth speaking of.
 *
 * 512 MiB read and 512 MiB written: with a cold L2 the launch begins by writing back what lies in
 * there and ends with as much of its own left behind, so that what DRAM moves is what is counted.
 * Measured for `solgate doctor --ceilings`; the family reference, whose kernels are pinned, has a
 * smaller copy that shows drift. The smaller cases are what a kernel of as many bytes is held
 * against, with the same L2 (kernels/suites/floor.suite); no ceiling is taken from them, for an L2
 * holds back what the end of such a copy has written.
 */
#include "solgate_cuda.h"
#include "solgate_parallel.h"
#include "stream.cuh"

static const struct sg_case cases[] = {
    {.name = "copy_134mb",
     .dim = {1024 * STREAM_TILE_MAX},
     .dtype = SG_F32,
     .summary = "as many bytes as the second grouped shape in e4m3"},
    {.name = "copy_251mb",
     .dim = {1912 * STREAM_TILE_MAX},
     .dtype = SG_F32,
     .summary = "as the first in e4m3, the second in bf16"},
    {.name = "copy_493mb",
     .dim = {3760 * STREAM_TILE_MAX},
     .dtype = SG_F32,
     .summary = "as the first in bf16"},
    {.name = "copy_1gib",
     .dim = {8192 * STREAM_TILE_MAX},
     .dtype = SG_F32,
     .summary = "so long that what a launch costs does not show"},
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t elements = (uint64_t)c->dim[STREAM_ELEMENTS];
    out[STREAM_IN] = {
        .name = "in", .dtype = SG_F32, .count = elements, .use = SG_INPUT, .fill = SG_UNIFORM};
    out[STREAM_OUT] = {.name = "out", .dtype = SG_F32, .count = elements, .use = SG_OUTPUT};
    return STREAM_BUFFERS;
}

static struct sg_work work(const struct sg_case *c)
{
    const double bytes = (double)c->dim[STREAM_ELEMENTS] * sizeof(float);
    return {.read_bytes = bytes, .write_bytes = bytes};
}

static struct sg_tolerance tolerance(const struct sg_case *)
{
    return {.reason = "a copy is bitwise"};
}

static void reference(const struct sg_reference_request *request)
{
    sg_parallel_copy_f32((const float *)request->host[STREAM_IN], request->expected[STREAM_OUT],
                         (uint64_t)request->c->dim[STREAM_ELEMENTS]);
}

SG_FAMILY(stream) = {
    .summary = "a copy in DRAM, as fast as it gets: the ceiling of what is bound by memory",
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
