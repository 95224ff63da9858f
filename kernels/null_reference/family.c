/*
 * null_reference - the two kernels of the family reference, on the simulated GPU: is it in this
 * process what it was in the others?
 *
 * What is launched copies a few numbers; the times are made up, with the size and the
 * clock's exponent of the real ones.
 */
#include <string.h>

#include "solgate_kernel.h"

enum { ELEMENTS, NS };
enum { IN, OUT };

static const struct sg_case cases[] = {
    {.name = "fma_chain_50us",
     .dim = {256, 51400},
     .dtype = SG_F32,
     .summary = "simulated: time follows the SM clock"},
    {.name = "stream_copy_256mib",
     .dim = {256, 67600},
     .dtype = SG_F32,
     .summary = "simulated: time follows DRAM"},
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t count = (uint64_t)c->dim[ELEMENTS];
    out[IN] = (struct sg_buffer){.name = "in", .dtype = SG_F32, .count = count, .use = SG_INPUT};
    out[OUT] = (struct sg_buffer){.name = "out", .dtype = SG_F32, .count = count, .use = SG_OUTPUT};
    return 2;
}

static struct sg_work work(const struct sg_case *c)
{
    const double bytes = (double)c->dim[ELEMENTS] * sizeof(float);
    return (struct sg_work){.read_bytes = bytes, .write_bytes = bytes};
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.reason = "a copy is bitwise"};
}

static void reference(const struct sg_reference_request *request)
{
    const float *in = request->host[IN];
    for (int64_t i = 0; i < request->c->dim[ELEMENTS]; i++)
        request->expected[OUT][i] = in[i];
}

static struct sg_simulation simulate(const struct sg_case *c, const char *variant,
                                     const int64_t *knob)
{
    (void)knob;
    (void)variant;
    return (struct sg_simulation){.time_ns = (double)c->dim[NS],
                                  .clock_exponent = strncmp(c->name, "fma", 3) == 0 ? 0.97 : 0.04};
}

SG_FAMILY(null_reference) = {
    .summary = "the pinned kernels of the simulated GPU",
    .device = SG_HOST,
    .dims = "elements,ns",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .exact_integers = true,
    .simulate = simulate,
};
