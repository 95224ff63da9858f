/*
 * probe_tiles - C = A B in f32 by tiles that get smaller: what `explain` is tried with, like the
 * family probe.
 */
#include "solgate_cuda.h"
#include "tiles.cuh"

static const struct sg_case cases[] = {
    {.name = "square_1", .dim = {1024, 512, 1}, .dtype = SG_F32, .summary = "a half"},
    {.name = "square_2", .dim = {1024, 512, 2}, .dtype = SG_F32, .summary = "a quarter"},
    {.name = "square_3", .dim = {1024, 512, 3}, .dtype = SG_F32, .summary = "an eighth"},
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t n = (uint64_t)c->dim[TILES_N], k = (uint64_t)c->dim[TILES_K];
    out[TILES_A] = {.name = "a", .dtype = SG_F32, .count = n * k, .row = k, .use = SG_INPUT};
    out[TILES_B] = {.name = "b", .dtype = SG_F32, .count = k * n, .row = n, .use = SG_INPUT};
    out[TILES_C] = {.name = "c", .dtype = SG_F32, .count = n * n, .row = n, .use = SG_OUTPUT};
    return TILES_BUFFERS;
}

static struct sg_work work(const struct sg_case *c)
{
    const double n = (double)c->dim[TILES_N], k = (double)c->dim[TILES_K];
    struct sg_work needed = {};
    needed.flop[SG_F32] = 2 * n * n * k;
    needed.read_bytes = 8 * n * k;
    needed.write_bytes = 4 * n * n;
    return needed;
}

static struct sg_tolerance tolerance(const struct sg_case *)
{
    return {.rel_rms = 1e-5, .rel_max = 1e-4, .reason = "a sum of 512 products in f32"};
}

static void reference(const struct sg_reference_request *request)
{
    const int64_t n = request->c->dim[TILES_N], depth = request->c->dim[TILES_K];
    const float *a = (const float *)request->host[TILES_A],
                *b = (const float *)request->host[TILES_B];
    for (int64_t i = 0; i < n; i++) {
        double *row = request->expected[TILES_C] + i * n;
        for (int64_t j = 0; j < n; j++)
            row[j] = 0;
        for (int64_t k = 0; k < depth; k++)
            for (int64_t j = 0; j < n; j++)
                row[j] += (double)a[i * depth + k] * b[k * n + j];
    }
}

SG_FAMILY(probe_tiles) = {
    .summary = "C = A B in f32 by tiles that get smaller",
    .device = SG_CUDA,
    .dims = "n,k,strength",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .last_error = sg_cuda_last_error,
};
