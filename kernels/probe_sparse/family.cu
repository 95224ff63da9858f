/*
 * probe_sparse - y = A x with a sparse A, whose loads get narrower: what `explain` is tried with,
 * like the family probe.
 */
#include "solgate_cuda.h"
#include "sparse.cuh"

#define KIND(kind, rows, columns, summary_)                                                   \
    {.name = kind "_1", .dim = {rows, columns, 1}, .dtype = SG_F32, .summary = summary_},     \
        {.name = kind "_2", .dim = {rows, columns, 2}, .dtype = SG_F32, .summary = summary_}, \
    {                                                                                         \
        .name = kind "_3", .dim = {rows, columns, 3}, .dtype = SG_F32, .summary = summary_    \
    }

static const struct sg_case cases[] = {
    KIND("near", 1 << 17, 1 << 12, "what is gathered is in L1"),
    KIND("far", 1 << 17, 1 << 21, "what is gathered is in L2"),
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t rows = (uint64_t)c->dim[SPARSE_ROWS];
    out[SPARSE_COLUMN] = {.name = "column",
                          .dtype = SG_I32,
                          .count = rows * SPARSE_EACH,
                          .use = SG_INPUT,
                          .fill = SG_CUSTOM};
    out[SPARSE_VALUE] = {
        .name = "value", .dtype = SG_F32, .count = rows * SPARSE_EACH, .use = SG_INPUT};
    out[SPARSE_X] = {
        .name = "x", .dtype = SG_F32, .count = (uint64_t)c->dim[SPARSE_COLUMNS], .use = SG_INPUT};
    out[SPARSE_Y] = {.name = "y", .dtype = SG_F32, .count = rows, .use = SG_OUTPUT};
    return SPARSE_BUFFERS;
}

static void fill(const struct sg_fill_request *request)
{
    uint64_t state = request->seed * 2 + 1;
    int32_t *column = (int32_t *)request->host[SPARSE_COLUMN];
    for (int64_t i = 0; i < request->c->dim[SPARSE_ROWS] * SPARSE_EACH; i++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        column[i] = (int32_t)((state >> 33) % (uint64_t)request->c->dim[SPARSE_COLUMNS]);
    }
}

static struct sg_work work(const struct sg_case *c)
{
    const double rows = (double)c->dim[SPARSE_ROWS];
    struct sg_work needed = {};
    needed.flop[SG_F32] = 2 * rows * (double)SPARSE_EACH;
    needed.read_bytes = rows * (double)SPARSE_EACH * 8 + (double)c->dim[SPARSE_COLUMNS] * 4;
    needed.write_bytes = rows * 4;
    return needed;
}

static struct sg_tolerance tolerance(const struct sg_case *)
{
    return {.rel_rms = 1e-6, .rel_max = 8e-6, .reason = "a sum of 64 products in f32"};
}

static void reference(const struct sg_reference_request *request)
{
    const int32_t *column = (const int32_t *)request->host[SPARSE_COLUMN];
    const float *value = (const float *)request->host[SPARSE_VALUE],
                *x = (const float *)request->host[SPARSE_X];
    for (int64_t row = 0; row < request->c->dim[SPARSE_ROWS]; row++) {
        double sum = 0;
        for (int64_t i = row * SPARSE_EACH; i < (row + 1) * SPARSE_EACH; i++)
            sum += (double)value[i] * x[column[i]];
        request->expected[SPARSE_Y][row] = sum;
    }
}

SG_FAMILY(probe_sparse) = {
    .summary = "y = A x with a sparse A, by loads that get narrower",
    .device = SG_CUDA,
    .dims = "rows,columns,strength",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .fill = fill,
    .reference = reference,
    .last_error = sg_cuda_last_error,
};
