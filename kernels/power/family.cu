/*
 * power - does solgate see a candidate that costs no cycle more, but power?
 *
 * Blocks that fill the GPU with matrix multiply-adds of the mma.sync kind and fused multiply-adds
 * beside them. The variant zeros multiplies zeros and stays far below the power cap of an H200;
 * random multiplies random numbers, reaches it, and takes the clock down for all others on the
 * GPU: in turns both sides pay, launched on end the one that draws it.
 */
#include "power.cuh"
#include "solgate_cuda.h"

#define POWER_BLOCKS \
    264 /* two a multiprocessor of an H200: 16 warps keep both kinds of unit busy */

static const struct sg_case cases[] = {
    {.name = "mma_2ms",
     .dim = {POWER_BLOCKS * POWER_THREADS, 17500, 0},
     .dtype = SG_BF16,
     .summary = "matrix multiply-adds alone; zeros run at the highest clock, and random numbers "
                "take tenths of a second to bring it down"},
    {.name = "mma_fma_3ms",
     .dim = {POWER_BLOCKS * POWER_THREADS, 16500, POWER_CHAINS_MOST},
     .dtype = SG_BF16,
     .summary = "with fused multiply-adds; the clock is lower for both, and follows what runs "
                "within milliseconds"},
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t elements = (uint64_t)c->dim[POWER_ELEMENTS];
    out[POWER_IN] = {.name = "in", .dtype = SG_F32, .count = elements, .use = SG_INPUT};
    out[POWER_OUT] = {.name = "out", .dtype = SG_F32, .count = elements, .use = SG_OUTPUT};
    return POWER_BUFFERS;
}

static struct sg_work work(const struct sg_case *c)
{
    const double elements = (double)c->dim[POWER_ELEMENTS],
                 steps = (double)c->dim[POWER_TURNS] * POWER_ACCUMULATORS;
    struct sg_work needed = {};
    needed.flop[SG_BF16] = elements / 32 * steps * POWER_MMA_FLOP;
    needed.flop[SG_F32] = elements * steps * (double)c->dim[POWER_CHAINS] * 2;
    needed.read_bytes = elements * sizeof(float);
    needed.write_bytes = elements * sizeof(float);
    return needed;
}

static struct sg_tolerance tolerance(const struct sg_case *)
{
    return {.reason = "what comes out is what went in"};
}

static void reference(const struct sg_reference_request *request)
{
    const float *in = (const float *)request->host[POWER_IN];
    for (int64_t i = 0; i < request->c->dim[POWER_ELEMENTS]; i++)
        request->expected[POWER_OUT][i] = in[i];
}

SG_FAMILY(power) = {
    .summary = "the same instructions on zeros and on random numbers: equal cycles, another power",
    .device = SG_CUDA,
    .dims = "elements,turns,chains",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .exact_integers = true,
    .last_error = sg_cuda_last_error,
};
