/*
 * saxpy - z = 2.5 x + y on a GPU: 12 bytes for each 2 flop, so DRAM is the only limit.
 */
#include <stdio.h>

#include "saxpy.h"
#include "solgate_cuda.h"

static const struct sg_case cases[] = {
    {.name = "n1000003",
     .dim = {1000003},
     .dtype = SG_F32,
     .summary = "12 MB, and a prime: no multiple of anything"},
    {.name = "n16777216", .dim = {16777216}, .dtype = SG_F32, .summary = "201 MB: DRAM"},
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t n = (uint64_t)c->dim[SAXPY_N];
    out[SAXPY_X] = {.name = "x", .dtype = SG_F32, .count = n, .use = SG_INPUT};
    out[SAXPY_Y] = {.name = "y", .dtype = SG_F32, .count = n, .use = SG_INPUT};
    out[SAXPY_Z] = {.name = "z", .dtype = SG_F32, .count = n, .use = SG_OUTPUT};
    return SAXPY_BUFFERS;
}

static struct sg_work work(const struct sg_case *c)
{
    const double n = (double)c->dim[SAXPY_N];
    struct sg_work needed = {};
    needed.flop[SG_F32] = 2 * n;
    needed.read_bytes = 8 * n;
    needed.write_bytes = 4 * n;
    return needed;
}

static struct sg_tolerance tolerance(const struct sg_case *)
{
    return {.rel_rms = 1e-6,
            .rel_max = 1e-6,
            .reason = "one product and one sum, rounded at most once each to fp32"};
}

static void reference(const struct sg_reference_request *request)
{
    const float *x = (const float *)request->host[SAXPY_X];
    const float *y = (const float *)request->host[SAXPY_Y];
    for (int64_t i = 0; i < request->c->dim[SAXPY_N]; i++)
        request->expected[SAXPY_Z][i] = (double)SAXPY_FACTOR * x[i] + y[i];
}

/* A suite may ask for `case = n=5000`. */
SG_TAKE_CASE(c, why)
{
    snprintf(why->text, sizeof(why->text), "expected n in f32");
    return c->dim[SAXPY_N] > 0 && c->dtype == SG_F32;
}

SG_FAMILY(saxpy) = {
    .summary = "z = 2.5 x + y on a GPU: a family of your own",
    .device = SG_CUDA,
    .dims = "n",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .exact_integers = true,
    .last_error = sg_cuda_last_error,
};
