/*
 * injected - slowdowns of known size: does solgate read what is true?
 *
 * fma_*: a chain of dependent fused multiply-adds, 132 blocks of 8 warps, whose time follows the SM
 * clock. copy_*: tiles that stream from DRAM to DRAM. The exact variant and its slower ones return
 * the same; injected_plan.h says how much longer each of them takes.
 */
#include "injected.cuh"
#include "injected_cases.h"
#include "solgate_cuda.h"
#include "solgate_parallel.h"

/* Inputs even between -2 and 2: random bits in every mantissa, as real data has them. */
static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t elements = (uint64_t)c->dim[INJECTED_ELEMENTS];
    const uint64_t spare = (uint64_t)injected_spare_floats(c);
    out[INJECTED_IN] = {.name = "in",
                        .dtype = SG_F32,
                        .count = elements,
                        .use = SG_INPUT,
                        .fill = SG_UNIFORM,
                        .scale = 2};
    out[INJECTED_OUT] = {.name = "out", .dtype = SG_F32, .count = elements, .use = SG_OUTPUT};
    if (injected_is_chain(c))
        return INJECTED_CHAIN_BUFFERS;
    out[INJECTED_SPARE_IN] = {.name = "spare_in",
                              .dtype = SG_F32,
                              .count = spare,
                              .use = SG_INPUT,
                              .fill = SG_UNIFORM,
                              .scale = 2};
    out[INJECTED_SPARE_OUT] = {
        .name = "spare_out", .dtype = SG_F32, .count = spare, .use = SG_SCRATCH};
    return INJECTED_BUFFERS;
}

static struct sg_work work(const struct sg_case *c)
{
    const double elements = (double)c->dim[INJECTED_ELEMENTS];
    const double times = injected_is_chain(c) ? 1 : (double)c->dim[INJECTED_PASSES];
    struct sg_work needed = {};
    needed.flop[SG_F32] = 2 * elements * (double)c->dim[INJECTED_TURNS] * INJECTED_TURN_FMAS;
    needed.read_bytes = times * elements * sizeof(float);
    needed.write_bytes = times * elements * sizeof(float);
    return needed;
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    if (!injected_is_chain(c))
        return {.reason = "a copy is bitwise"};
    return {.rel_rms = 1e-6,
            .rel_max = 2e-6,
            .reason =
                "x -> 1.5 - x rounds in its first two steps at most, |x| < 4, so by 1.2e-7 each"};
}

static void reference(const struct sg_reference_request *request)
{
    sg_parallel_copy_f32((const float *)request->host[INJECTED_IN], request->expected[INJECTED_OUT],
                         (uint64_t)request->c->dim[INJECTED_ELEMENTS]);
}

SG_FAMILY(injected) = {
    .summary = "slowdowns of known size: more work, or time spun away, in a chain of FMAs and in a "
               "streaming copy",
    .device = SG_CUDA,
    .dims = "elements,turns,passes",
    .cases = injected_cases,
    .case_count = sizeof(injected_cases) / sizeof(injected_cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .exact_integers = true,
    .last_error = sg_cuda_last_error,
};
