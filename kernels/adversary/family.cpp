/*
 * adversary - tricks by which a kernel games a harness, each a variant: does solgate refuse it?
 *
 * y = W x in f32, whose output is small beside its inputs, so that giving out an old result pays.
 * `small` is as short as a launch that moves what it should, and fits into an L2; `middle` does
 * not.
 */
#include <math.h>

#include "adversary.h"
#include "solgate_cuda.h"
#include "solgate_parallel.h"

#define REFERENCE_ROWS 16 /* that a thread does at a time */

static const struct sg_case cases[] = {
    {.name = "small",
     .dim = {1024, 6144},
     .dtype = SG_F32,
     .summary = "25 MB, about 10 us: it fits into an L2"},
    {.name = "middle",
     .dim = {8192, 9216},
     .dtype = SG_F32,
     .summary = "302 MB, about 80 us: DRAM is all of it"},
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t rows = (uint64_t)c->dim[MATVEC_ROWS];
    const uint64_t cols = (uint64_t)c->dim[MATVEC_COLS];
    out[MATVEC_W] = {
        .name = "w", .dtype = SG_F32, .count = rows * cols, .row = cols, .use = SG_INPUT};
    out[MATVEC_X] = {.name = "x", .dtype = SG_F32, .count = cols, .use = SG_INPUT};
    out[MATVEC_Y] = {.name = "y", .dtype = SG_F32, .count = rows, .use = SG_OUTPUT};
    out[MATVEC_PARTIAL] = {
        .name = "partial", .dtype = SG_F32, .count = 2 * rows, .use = SG_SCRATCH};
    return MATVEC_BUFFERS;
}

static struct sg_work work(const struct sg_case *c)
{
    const double rows = (double)c->dim[MATVEC_ROWS];
    const double cols = (double)c->dim[MATVEC_COLS];
    struct sg_work needed = {};
    needed.flop[SG_F32] = 2 * rows * cols;
    needed.read_bytes = (rows * cols + cols) * sizeof(float);
    needed.write_bytes = rows * sizeof(float);
    return needed;
}

/* As in kernels/matvec: roundings add up like a random walk, and a column left out is more. */
static struct sg_tolerance tolerance(const struct sg_case *c)
{
    return {
        .rel_rms = 1e-5,
        .rel_max = 8 * ldexp(sqrt((double)c->dim[MATVEC_COLS]), -24),
        .reason = "fp32 sums: rms 1e-5; each row 8 u sqrt(cols), u = 2^-24, as in matvec",
    };
}

static void reference_piece(void *context, uint64_t piece)
{
    const struct sg_reference_request *request = (const struct sg_reference_request *)context;
    const int64_t rows = request->c->dim[MATVEC_ROWS], cols = request->c->dim[MATVEC_COLS];
    const float *x = (const float *)request->host[MATVEC_X];
    const int64_t first = (int64_t)piece * REFERENCE_ROWS;
    for (int64_t row = first; row < rows && row < first + REFERENCE_ROWS; row++) {
        const float *w = (const float *)request->host[MATVEC_W] + row * cols;
        double sum[4] = {}; /* side by side, or each addition would wait for the one before */
        for (int64_t k = 0; k < cols; k++)
            sum[k % 4] += (double)w[k] * x[k];
        request->expected[MATVEC_Y][row] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

static void reference(const struct sg_reference_request *request)
{
    const uint64_t pieces =
        (uint64_t)(request->c->dim[MATVEC_ROWS] + REFERENCE_ROWS - 1) / REFERENCE_ROWS;
    sg_parallel(0, pieces, reference_piece, (void *)request);
}

SG_FAMILY(adversary) = {
    .summary = "tricks by which a kernel games a harness, on y[rows] = W[rows][cols] x[cols]",
    .device = SG_CUDA,
    .dims = "rows,cols",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .exact_integers = true,
    .last_error = sg_cuda_last_error,
};
