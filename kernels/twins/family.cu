/*
 * twins - A/A pairs that are no copies of one file: two instantiations of the same template, with
 * other symbols and at other addresses. What their pairs read beside 0 is an error of the method.
 */
#include <math.h>
#include <string.h>

#include "solgate_cuda.h"
#include "twins.cuh"

static const struct sg_case cases[] = {
    {.name = "rms_vector",
     .dim = {TWINS_RMS_VECTOR, 1023, TWINS_COLUMNS},
     .dtype = SG_BF16,
     .summary = "RMSNorm, 16 bytes a load"},
    {.name = "rms_scalar",
     .dim = {TWINS_RMS_SCALAR, 1023, TWINS_COLUMNS},
     .dtype = SG_BF16,
     .summary = "RMSNorm, 2 bytes a load"},
    {.name = "rms_twice",
     .dim = {TWINS_RMS_TWICE, 1023, TWINS_COLUMNS},
     .dtype = SG_BF16,
     .summary = "RMSNorm that reads twice"},
    {.name = "softmax",
     .dim = {TWINS_SOFTMAX, 1023, TWINS_COLUMNS},
     .dtype = SG_BF16,
     .summary = "softmax without its maximum"},
    {.name = "code",
     .dim = {TWINS_CODE, 264, TWINS_CODE_THREADS},
     .dtype = SG_BF16,
     .summary = "a chain of FMAs without a loop"},
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t columns = (uint64_t)c->dim[TWINS_COLUMNS_DIM],
                   elements = (uint64_t)c->dim[TWINS_ROWS] * columns;
    out[TWINS_X] = {
        .name = "x", .dtype = SG_BF16, .count = elements, .use = SG_INPUT, .fill = SG_NORMAL};
    out[TWINS_Y] = {.name = "y", .dtype = SG_BF16, .count = elements, .use = SG_OUTPUT};
    out[TWINS_WEIGHT] = {
        .name = "weight", .dtype = SG_BF16, .count = columns, .use = SG_INPUT, .fill = SG_NORMAL};
    return TWINS_BUFFERS;
}

static struct sg_work work(const struct sg_case *c)
{
    const double bytes = 2.0 * (double)(c->dim[TWINS_ROWS] * c->dim[TWINS_COLUMNS_DIM]);
    return {.read_bytes = bytes, .write_bytes = bytes};
}

static struct sg_tolerance tolerance(const struct sg_case *)
{
    return {.rel_rms = 4e-3,
            .rel_max = 1e-2,
            .reason = "the result is rounded to bf16, by 2^-9 at most"};
}

static double wide(uint16_t bits)
{
    const uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof(value));
    return value;
}

static double chain(double value)
{
    for (int step = 0; step < TWINS_CODE_STEPS; step++)
        value = value * TWINS_CODE_FACTOR(step) + TWINS_CODE_TERM(step);
    return value;
}

static double term(int64_t kind, double x)
{
    return kind == TWINS_SOFTMAX ? exp(x) : x * x;
}

static void reference_row(int64_t kind, int64_t columns, const uint16_t *x, const uint16_t *weight,
                          double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < columns; i++)
        sum += term(kind, wide(x[i]));
    const double rms = 1 / sqrt(sum / (double)columns + TWINS_EPSILON);
    for (int64_t i = 0; i < columns; i++) {
        const double in = wide(x[i]);
        y[i] = kind == TWINS_CODE      ? chain(in)
               : kind == TWINS_SOFTMAX ? exp(in) / sum
                                       : in * rms * wide(weight[i]);
    }
}

static void reference(const struct sg_reference_request *request)
{
    const int64_t *dim = request->c->dim, columns = dim[TWINS_COLUMNS_DIM];
    const uint16_t *x = (const uint16_t *)request->host[TWINS_X],
                   *weight = (const uint16_t *)request->host[TWINS_WEIGHT];
    for (int64_t row = 0; row < dim[TWINS_ROWS]; row++)
        reference_row(dim[TWINS_KIND], columns, x + row * columns, weight,
                      request->expected[TWINS_Y] + row * columns);
}

SG_FAMILY(twins) = {
    .summary =
        "the same work by kernels of other names, at other addresses: A/A pairs that are no copies",
    .device = SG_CUDA,
    .dims = "kind,rows,columns",
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = reference,
    .last_error = sg_cuda_last_error,
};
