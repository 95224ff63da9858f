/*
 * blockscaled_gemm - D[m][n] = A[m][k] B[n][k]^T in bf16 or f16, sums in fp32.
 *
 * Bound by the tensor cores from k of about 400 on, and there by the power that they draw: 8192^3 at 700 W runs at 1.4 GHz. A case names
 * the tile that a cluster of blocks computes, because what the variants change depends on it: 256x128 leaves room for two tiles' sums in
 * registers, 256x256 for one. Shapes: those of the two reverted optimisations (8192x8192x1024, 2048x2048x512), one that is all main loop
 * (16384 of k), layers of transformers, and small ones for the edges: ragged ends, as many blocks of k as there are stages, one less, one
 * more.
 */
#include <math.h>

#include "gemm_layout.h"
#include "gemm_reference.h"
#include "solgate_cuda.h"

#define CASE(rows, columns, depth, tm, tn, blocks, word, type, why)                                                            \
    {                                                                                                                          \
        .name = "m" #rows "_n" #columns "_k" #depth "_t" #tm "x" #tn "_" #word, .dim = {rows, columns, depth, tm, tn, blocks}, \
        .dtype = type, .summary = why                                                                                          \
    }
#define WIDE(m, n, k, why)   CASE(m, n, k, 256, 256, 2, bf16, SG_BF16, why)
#define NARROW(m, n, k, why) CASE(m, n, k, 256, 128, 2, bf16, SG_BF16, why)
#define SINGLE(m, n, k, why) CASE(m, n, k, 128, 128, 1, bf16, SG_BF16, why)

static const struct sg_case cases[] = {
    NARROW(8192, 8192, 1024, "short k: what is not main loop shows"),
    WIDE(8192, 8192, 1024, "short k: one tile of sums at a time"),
    SINGLE(2048, 2048, 512, "10 us: launch, fill, two tiles a block"),
    NARROW(8192, 8192, 8192, "1.1 Tflop: power"),
    WIDE(8192, 8192, 8192, "1.1 Tflop: power"),
    NARROW(4096, 7168, 2048, "a projection of 4096 tokens"),
    WIDE(4096, 7168, 2048, "a projection of 4096 tokens"),
    NARROW(4096, 4096, 16384, "all main loop"),
    WIDE(4096, 4096, 16384, "all main loop"),
    NARROW(16384, 1536, 4096, "tall: a down-projection"),
    WIDE(16384, 1536, 4096, "tall: a down-projection"),
    CASE(8192, 8192, 1024, 256, 128, 2, f16, SG_F16, "the same in f16"),
    CASE(8192, 8192, 1024, 256, 256, 2, f16, SG_F16, "the same in f16"),
    CASE(2048, 2048, 512, 128, 128, 1, f16, SG_F16, "the same in f16"),
    CASE(8192, 8192, 8192, 256, 256, 2, f16, SG_F16, "the same in f16"),
    NARROW(256, 128, 64, "one tile, one block of k"),
    WIDE(256, 256, 64, "one tile, one block of k"),
    SINGLE(128, 128, 64, "one tile, one block of k"),
    SINGLE(1, 8, 8, "the least there is"),
    NARROW(4096, 2304, 64, "many tiles of one block of k"),
    WIDE(4096, 4352, 64, "many tiles of one block of k"),
    NARROW(4096, 2304, 320, "a block of k less than stages"),
    NARROW(4096, 2304, 384, "as many blocks of k as stages"),
    NARROW(4096, 2304, 448, "a block of k more than stages"),
    WIDE(4096, 4352, 192, "a block of k less than stages"),
    WIDE(4096, 4352, 256, "as many blocks of k as stages"),
    WIDE(4096, 4352, 320, "a block of k more than stages"),
    NARROW(4100, 3000, 1000, "ragged: m, n and k end inside of a tile"),
    WIDE(4100, 4504, 1000, "ragged: m, n and k end inside of a tile"),
    SINGLE(2100, 1992, 200, "ragged: m, n and k end inside of a tile"),
    NARROW(512, 508, 128, "rows of D that start anywhere: refused"),
    WIDE(512, 512, 100, "rows of A and B that start anywhere: refused"),
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t m = (uint64_t)c->dim[GEMM_M], n = (uint64_t)c->dim[GEMM_N], k = (uint64_t)c->dim[GEMM_K];
    out[GEMM_A] = {.name = "a", .dtype = c->dtype, .count = m * k, .row = k, .use = SG_INPUT, .fill = SG_NORMAL};
    out[GEMM_B] = {.name = "b", .dtype = c->dtype, .count = n * k, .row = k, .use = SG_INPUT, .fill = SG_NORMAL};
    out[GEMM_D] = {.name = "d", .dtype = gemm_output(c), .count = m * n, .row = n, .use = SG_OUTPUT};
    return gemm_buffer_count(c);
}

static struct sg_work work(const struct sg_case *c)
{
    const double m = (double)c->dim[GEMM_M], n = (double)c->dim[GEMM_N], k = (double)c->dim[GEMM_K];
    struct sg_work needed = {};
    needed.flop[c->dtype] = 2 * m * n * k;
    needed.read_bytes = (m + n) * k * sizeof(uint16_t);
    needed.write_bytes = m * n * sizeof(uint16_t);
    return needed;
}

/*
 * Products are exact in fp32, and its sums are far finer than the output: at k = 16384 their error is some 1e-5 of the result's rms. So
 * what differs is the rounding of the output: half a step at most, u = 2^-9 (bf16) or 2^-12 (f16) of the power of two above, and
 * 0.43 u in the mean of squares: 1.66e-3 and 2.1e-4 of the rms were measured. A block of k that is forgotten or used twice moves its
 * elements by sqrt(64 / k): 6 % at k = 16384.
 */
static struct sg_tolerance tolerance(const struct sg_case *c)
{
    const double half_step = ldexp(1, c->dtype == SG_BF16 ? -8 : -11);
    return {
        .rel_rms = c->dtype == SG_BF16 ? 2e-3 : 2.5e-4,
        .rel_max = 1.05 * half_step,
        .reason = "the output's rounding, half a step at most, and 5 % for fp32 sums; rms 1.2 times what rounding alone gives",
    };
}

SG_FAMILY(blockscaled_gemm) = {
    .summary = "matrix times matrix on Hopper's tensor cores: D[m][n] = A[m][k] B[n][k]^T, fp32 sums",
    .device = SG_CUDA,
    .dims = GEMM_DIMS,
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .reference = gemm_reference,
    .exact_integers = true,
    .last_error = sg_cuda_last_error,
};
