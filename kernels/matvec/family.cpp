/*
 * matvec - y = W x. W[rows][cols] and x[cols] in f32 or bf16, sums and y[rows] in f32.
 *
 * Bound by the bytes of W from the moment it exceeds the launch: 0.5 or 1 flop a byte. So cases are
 * chosen by size (from nothing to 14 times the L2 of an H200), by shape (few long rows, many short
 * ones) and by alignment (rows that start anywhere).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "matvec.h"
#include "matvec_plan.h"
#include "solgate_cuda.h"
#include "solgate_parallel.h"

#define FEW_ROWS       16 /* below: inputs of one sign, see layout() */
#define REFERENCE_ROWS 64 /* that a thread does at a time */
#define MOST_ROWS      (1 << 24)
#define MOST_COLS      (1 << 21)

#define CASE(r, c, word, type, why)                                                    \
    {                                                                                  \
        .name = "r" #r "_c" #c "_" #word, .dim = {r, c}, .dtype = type, .summary = why \
    }
#define F32(rows, cols, why)  CASE(rows, cols, f32, SG_F32, why)
#define BF16(rows, cols, why) CASE(rows, cols, bf16, SG_BF16, why)

static const struct sg_case cases[] = {
    F32(64, 64, "nothing but the launch"),
    BF16(64, 64, "nothing but the launch"),
    F32(256, 512, "launch-bound: 0.5 MB"),
    BF16(256, 512, "launch-bound: 0.25 MB"),
    F32(1024, 1024, "4 MB: one load of latency"),
    BF16(1024, 1024, "2 MB: one load of latency"),
    F32(2048, 2048, "17 MB: a few us"),
    BF16(4096, 4096, "34 MB: half of the L2"),
    F32(4096, 4096, "67 MB: about the L2"),
    BF16(8192, 4096, "67 MB: about the L2"),
    BF16(18432, 7168, "264 MB: a feed-forward layer"),
    F32(18432, 7168, "528 MB: the same in f32"),
    BF16(28672, 8192, "470 MB: a feed-forward layer"),
    BF16(57344, 7168, "822 MB: the largest"),
    F32(1000, 1003, "ragged: one row in four is aligned"),
    BF16(1000, 1003, "ragged: one row in eight is aligned"),
    F32(4097, 8191, "ragged and 134 MB"),
    BF16(4097, 8191, "ragged and 67 MB"),
    F32(2047, 4100, "aligned rows with a tail of one vector"),
    BF16(2047, 4104, "aligned rows with a tail of one vector"),
    F32(1, 1048576, "one row: the sum must be split"),
    BF16(1, 1048576, "one row: the sum must be split"),
    BF16(16, 131072, "few long rows: fewer than multiprocessors"),
    F32(65536, 1, "one column: a product of vectors"),
    BF16(65536, 1, "one column: a product of vectors"),
    F32(131072, 64, "many short rows: 256 bytes each"),
    BF16(131072, 64, "many short rows: 128 bytes each"),
};

/*
 * With fewer than 16 rows of mean-zero products the norm of the result can be arbitrarily
 * close to 0, and no relative bound could hold. Such cases get inputs of one sign: the result
 * is then never small against its terms.
 */
static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t rows = (uint64_t)c->dim[MATVEC_ROWS];
    const uint64_t cols = (uint64_t)c->dim[MATVEC_COLS];
    const enum sg_fill fill = rows < FEW_ROWS ? SG_CUSTOM : SG_NORMAL;
    out[MATVEC_W] = {.name = "w",
                     .dtype = c->dtype,
                     .count = rows * cols,
                     .row = cols,
                     .use = SG_INPUT,
                     .fill = fill};
    out[MATVEC_X] = {.name = "x", .dtype = c->dtype, .count = cols, .use = SG_INPUT, .fill = fill};
    out[MATVEC_Y] = {.name = "y", .dtype = SG_F32, .count = rows, .use = SG_OUTPUT};
    out[MATVEC_PARTIAL] = {
        .name = "partial", .dtype = SG_F32, .count = MATVEC_PARTIALS, .use = SG_SCRATCH};
    return MATVEC_BUFFERS;
}

static struct sg_work work(const struct sg_case *c)
{
    const double rows = (double)c->dim[MATVEC_ROWS];
    const double cols = (double)c->dim[MATVEC_COLS];
    struct sg_work needed = {};
    needed.flop[SG_F32] = 2 * rows * cols;
    needed.read_bytes = (rows * cols + cols) * (c->dtype == SG_F32 ? sizeof(float) : sizeof(bf16));
    needed.write_bytes = rows * sizeof(float);
    return needed;
}

/*
 * Products of bf16 are exact in fp32, those of f32 are fused with the addition, so every error is a
 * rounding of a partial sum. The n roundings of a sum of mean-zero terms add up like a random walk:
 * sd of about 0.3 u sqrt(n) of the result's rms, u = 2^-24, and n is at most cols (one thread adds
 * a whole row). 8 u sqrt(cols) is more than 20 such sd; a forgotten element moves its row by 1 /
 * sqrt(cols), which is more than that as long as cols < 2^21.
 */
static struct sg_tolerance tolerance(const struct sg_case *c)
{
    return {
        .rel_rms = 1e-5,
        .rel_max = 8 * ldexp(sqrt((double)c->dim[MATVEC_COLS]), -24),
        .reason = "fp32 sums: rms 1e-5; each row 8 u sqrt(cols), u = 2^-24, twenty sd of the "
                  "random walk of a sequential sum's roundings",
    };
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* [0.5, 1.5) in steps of 1/128, which bf16 holds; or 0, 1, 2, of which a million
 * products still sum up to less than 2^24. */
static float positive(uint64_t *state, bool integers)
{
    const uint64_t bits = next_random(state) >> 40;
    return integers ? (float)(bits % 3) : (float)(64 + bits % 128) / 128;
}

static void fill(const struct sg_fill_request *request)
{
    struct sg_buffer buffers[SG_MAX_BUFFERS] = {};
    uint64_t state = (request->seed * 2 + 1) * 0x9e3779b97f4a7c15u;
    layout(request->c, buffers);
    for (int b = MATVEC_W; b <= MATVEC_X && buffers[b].fill == SG_CUSTOM; b++) {
        for (uint64_t i = 0; i < buffers[b].count; i++) {
            const float value = positive(&state, request->integers);
            uint32_t bits;
            memcpy(&bits, &value, sizeof(bits));
            if (buffers[b].dtype == SG_F32)
                ((float *)request->host[b])[i] = value;
            else
                ((uint16_t *)request->host[b])[i] = (uint16_t)(bits >> 16);
        }
    }
}

static double exact(float value)
{
    return value;
}

static double exact(uint16_t bf16_bits)
{
    const uint32_t bits = (uint32_t)bf16_bits << 16;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Eight sums side by side: one would wait for each addition before the next, and
 * 400 M of them would take seconds. */
template <typename T> static double reference_row(const T *w, const double *x, int64_t cols)
{
    double sum[8] = {};
    int64_t k = 0;
    for (; k + 8 <= cols; k += 8)
        for (int i = 0; i < 8; i++)
            sum[i] += exact(w[k + i]) * x[k + i];
    for (; k < cols; k++)
        sum[0] += exact(w[k]) * x[k];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

template <typename T> struct reference_job {
    const T *w;
    const double *x;
    double *y;
    int64_t rows, cols;
};

template <typename T> static void reference_piece(void *context, uint64_t piece)
{
    const reference_job<T> *job = (const reference_job<T> *)context;
    const int64_t first = (int64_t)piece * REFERENCE_ROWS;
    for (int64_t row = first; row < job->rows && row < first + REFERENCE_ROWS; row++)
        job->y[row] = reference_row(job->w + row * job->cols, job->x, job->cols);
}

template <typename T> static void reference_rows(const struct sg_reference_request *request)
{
    const int64_t rows = request->c->dim[MATVEC_ROWS];
    const int64_t cols = request->c->dim[MATVEC_COLS];
    const T *narrow = (const T *)request->host[MATVEC_X];
    double *x = new double[cols];
    for (int64_t k = 0; k < cols; k++)
        x[k] = exact(narrow[k]);
    reference_job<T> job = {(const T *)request->host[MATVEC_W], x, request->expected[MATVEC_Y],
                            rows, cols};
    sg_parallel(0, (uint64_t)(rows + REFERENCE_ROWS - 1) / REFERENCE_ROWS, reference_piece<T>,
                &job);
    delete[] x;
}

static void reference(const struct sg_reference_request *request)
{
    if (request->c->dtype == SG_F32)
        reference_rows<float>(request);
    else
        reference_rows<uint16_t>(request);
}

/* Of columns as many as the tolerance was reasoned for. */
SG_TAKE_CASE(c, why)
{
    const int64_t rows = c->dim[MATVEC_ROWS], cols = c->dim[MATVEC_COLS];
    if (rows >= 1 && rows < MOST_ROWS && cols >= 1 && cols < MOST_COLS &&
        (c->dtype == SG_F32 || c->dtype == SG_BF16))
        return true;
    snprintf(why->text, sizeof(why->text),
             "expected rows below %d and cols below %d, of f32 or bf16", MOST_ROWS, MOST_COLS);
    return false;
}

SG_FAMILY(matvec) = {
    .summary = "matrix times vector: y[rows] = W[rows][cols] x[cols], fp32 sums",
    .device = SG_CUDA,
    .dims = "rows,cols",
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
