/*
 * reference - two kernels that are never improved: is this GPU today the GPU that it was?
 *
 * fma_chain: 132 blocks of 8 warps, each thread a chain of dependent fused multiply-adds, measured at 5.5 cycles each: 51 us at 1.98 GHz,
 * and longer exactly as the clock is lower. stream_copy: 128 MiB read and 128 MiB written, more than four times the L2 of an H200 together.
 */
#include "reference.cuh"
#include "solgate_cuda.h"

static const struct sg_case cases[] = {
    {.name = "fma_chain_50us", .dim = {132 * REFERENCE_THREADS, 18400}, .dtype = SG_F32, .summary = "time follows the SM clock"},
    {.name = "stream_copy_256mib", .dim = {8200 * REFERENCE_TILE, 0}, .dtype = SG_F32, .summary = "time follows DRAM"},
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t elements = (uint64_t)c->dim[REFERENCE_ELEMENTS];
    out[REFERENCE_IN] = {.name = "in", .dtype = SG_F32, .count = elements, .use = SG_INPUT, .fill = SG_CUSTOM};
    out[REFERENCE_OUT] = {.name = "out", .dtype = SG_F32, .count = elements, .use = SG_OUTPUT};
    return REFERENCE_BUFFERS;
}

static struct sg_work work(const struct sg_case *c)
{
    const double elements = (double)c->dim[REFERENCE_ELEMENTS];
    struct sg_work needed = {};
    needed.flop[SG_F32] = 2 * elements * (double)c->dim[REFERENCE_ITERATIONS];
    needed.read_bytes = elements * sizeof(float);
    needed.write_bytes = elements * sizeof(float);
    return needed;
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    if (c->dim[REFERENCE_ITERATIONS] == 0)
        return {.reason = "a copy is bitwise"};
    return {
        .rel_rms = 1e-6,
        .rel_max = 4e-6,
        .reason = "x -> 1.5 - x rounds in its first two steps at most: |x| < 8, so by 2.4e-7 each; from then on it is exact",
    };
}

/*
 * Four bytes of a random word added up are nearly normal: mean 0, sd 1, and 67 million of them take 0.1 s, not 2 s. Like normal data
 * they toggle the bits that real data toggle, which constants do not.
 */
static void fill(const struct sg_fill_request *request)
{
    const uint64_t elements = (uint64_t)request->c->dim[REFERENCE_ELEMENTS];
    float *in = (float *)request->host[REFERENCE_IN];
    uint64_t state = (request->seed * 2 + 1) * 0x9e3779b97f4a7c15u;
    for (uint64_t i = 0; i < elements; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint32_t bits = (uint32_t)(state >> 32);
        const int sum = (int)(bits >> 24) + (int)(bits >> 16 & 255) + (int)(bits >> 8 & 255) + (int)(bits & 255) - 510;
        in[i] = request->integers ? (float)(sum % 8) : (float)sum / 147.8f;
    }
}

static void reference(const struct sg_reference_request *request)
{
    const uint64_t elements = (uint64_t)request->c->dim[REFERENCE_ELEMENTS];
    const float *in = (const float *)request->host[REFERENCE_IN];
    for (uint64_t i = 0; i < elements; i++)
        request->expected[REFERENCE_OUT][i] = in[i];
}

SG_FAMILY(reference) = {
    .summary = "pinned kernels that show drift of the GPU: a chain of FMAs and a streaming copy",
    .device = SG_CUDA,
    .dims = "elements,iterations",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .fill = fill,
    .reference = reference,
    .exact_integers = true,
    .last_error = sg_cuda_last_error,
};
