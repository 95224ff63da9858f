/*
 * axpy - y = 2.5 x + y on the host.
 *
 * The smallest family there is: what a problem must say about itself before anybody
 * can solve it. Its launches really run and are checked; its times are simulated, as
 * those of every family without a GPU.
 */
#include <stdio.h>
#include <string.h>

#include "axpy.h"

static const struct sg_case cases[] = {
    {.name = "n1021",
     .dim = {1021},
     .dtype = SG_F32,
     .summary = "a prime: no multiple of anything"},
    {.name = "n65536", .dim = {65536}, .dtype = SG_F32, .summary = "a round number"},
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t n = (uint64_t)c->dim[AXPY_N];
    out[AXPY_X] = (struct sg_buffer){.name = "x", .dtype = SG_F32, .count = n, .use = SG_INPUT};
    out[AXPY_Y] = (struct sg_buffer){.name = "y", .dtype = SG_F32, .count = n, .use = SG_INOUT};
    return AXPY_BUFFERS;
}

static struct sg_work work(const struct sg_case *c)
{
    const double n = (double)c->dim[AXPY_N];
    return (struct sg_work){.flop[SG_F32] = 2 * n, .read_bytes = 8 * n, .write_bytes = 4 * n};
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.rel_rms = 1e-6,
                                 .rel_max = 1e-6,
                                 .reason = "one product and one sum, each rounded once to fp32"};
}

static void reference(const struct sg_reference_request *request)
{
    const float *x = request->host[AXPY_X];
    const float *y = request->host[AXPY_Y];
    for (int64_t i = 0; i < request->c->dim[AXPY_N]; i++)
        request->expected[AXPY_Y][i] = (double)AXPY_FACTOR * x[i] + y[i];
}

static struct sg_simulation simulate(const struct sg_case *c, const char *variant,
                                     const int64_t *knob)
{
    (void)knob;
    const double time_ns = 2000 + (double)c->dim[AXPY_N];
    return (struct sg_simulation){.time_ns =
                                      strcmp(variant, "backwards") == 0 ? 1.05 * time_ns : time_ns};
}

/* A suite may ask for `case = n=5000`. */
SG_TAKE_CASE(c, why)
{
    snprintf(why->text, sizeof(why->text), "expected n in f32");
    return c->dim[AXPY_N] > 0 && c->dtype == SG_F32;
}

SG_FAMILY(axpy) = {
    .summary = "y = 2.5 x + y on the host: a family of your own",
    .device = SG_HOST,
    .dims = "n",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .exact_integers = true,
    .simulate = simulate,
};
