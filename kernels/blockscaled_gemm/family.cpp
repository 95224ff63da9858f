/*
 * blockscaled_gemm - D[m][n] = A[m][k] B[n][k]^T with fp32 sums: bf16 and f16, and e4m3 with a
 * scale for 128 of k in a row of A and for 128x128 of B, which gives bf16.
 *
 * Bound by the tensor cores from k of about 220 on (e4m3: 440; 8192x8192, by the peaks of the GPU's
 * spec), and there by the power that they draw, which holds the clock down (docs/trust.md). A
 * case names the tile that a cluster of blocks computes, because what the variants change depends
 * on it: 256x128 leaves room for two tiles' sums in registers, 256x256 for one. Shapes: those of
 * the two reverted optimisations (8192x8192x1024, 2048x2048x512), one that is all main loop (16384
 * of k), layers of transformers, and small ones for the edges: ragged ends, as many blocks of k as
 * there are stages, one less, one more. Those called uniform have one scale for all of A and one
 * for all of B (gemm_layout.h says what for).
 */
#include <math.h>
#include <stdio.h>

#include "gemm_reference.h"
#include "gemm_scales.h"
#include "solgate_cuda.h"

#define FEW_OUTPUTS 1024  /* below: their rms is not settled */
#define MOST        65536 /* of m, n and k that a suite asks for */

#define CASE(rows, columns, depth, tm, tn, blocks, word, type, sort, why)                  \
    {                                                                                      \
        .name = "m" #rows "_n" #columns "_k" #depth "_t" #tm "x" #tn "_" #word,            \
        .dim = {rows, columns, depth, tm, tn, blocks, sort}, .dtype = type, .summary = why \
    }
#define WIDE(m, n, k, why)    CASE(m, n, k, 256, 256, 2, bf16, SG_BF16, GEMM_BLOCKS, why)
#define NARROW(m, n, k, why)  CASE(m, n, k, 256, 128, 2, bf16, SG_BF16, GEMM_BLOCKS, why)
#define SINGLE(m, n, k, why)  CASE(m, n, k, 128, 128, 1, bf16, SG_BF16, GEMM_BLOCKS, why)
#define WIDE8(m, n, k, why)   CASE(m, n, k, 256, 256, 2, e4m3, SG_E4M3, GEMM_BLOCKS, why)
#define NARROW8(m, n, k, why) CASE(m, n, k, 256, 128, 2, e4m3, SG_E4M3, GEMM_BLOCKS, why)
#define SINGLE8(m, n, k, why) CASE(m, n, k, 128, 128, 1, e4m3, SG_E4M3, GEMM_BLOCKS, why)
#define UNIFORM(m, n, k, tn, why) \
    CASE(m, n, k, 256, tn, 2, e4m3_uniform, SG_E4M3, GEMM_UNIFORM, why)
#define LOOSE(k, tn)                                                 \
    CASE(4096, 4096, k, 256, tn, 2, e4m3_loose, SG_E4M3, GEMM_LOOSE, \
         "what one accumulator saves and loses")

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
    CASE(8192, 8192, 1024, 256, 128, 2, f16, SG_F16, GEMM_BLOCKS, "the same in f16"),
    CASE(8192, 8192, 1024, 256, 256, 2, f16, SG_F16, GEMM_BLOCKS, "the same in f16"),
    CASE(2048, 2048, 512, 128, 128, 1, f16, SG_F16, GEMM_BLOCKS, "the same in f16"),
    CASE(8192, 8192, 8192, 256, 256, 2, f16, SG_F16, GEMM_BLOCKS, "the same in f16"),
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
    NARROW8(8192, 8192, 1024, "short k: what is not main loop shows"),
    WIDE8(8192, 8192, 1024, "short k: one tile of sums at a time"),
    SINGLE8(2048, 2048, 512, "a few us: launch, fill, two tiles a block"),
    NARROW8(8192, 8192, 8192, "1.1 Tflop: power"),
    WIDE8(8192, 8192, 8192, "1.1 Tflop: power"),
    NARROW8(4096, 7168, 2048, "a projection of 4096 tokens"),
    WIDE8(4096, 7168, 2048, "a projection of 4096 tokens"),
    NARROW8(4096, 4096, 16384, "all main loop"),
    WIDE8(4096, 4096, 16384, "all main loop"),
    NARROW8(16384, 1536, 4096, "tall: a down-projection"),
    WIDE8(16384, 1536, 4096, "tall: a down-projection"),
    NARROW8(256, 128, 128, "one tile, one block of k"),
    WIDE8(256, 256, 128, "one tile, one block of k"),
    SINGLE8(128, 128, 128, "one tile, one block of k"),
    SINGLE8(4, 8, 16, "the least whose scales' rows are aligned"),
    NARROW8(4096, 2304, 128, "many tiles of one block of k"),
    WIDE8(4096, 4352, 128, "many tiles of one block of k"),
    NARROW8(4096, 2304, 640, "a block of k less than stages"),
    NARROW8(4096, 2304, 768, "as many blocks of k as stages"),
    NARROW8(4096, 2304, 896, "a block of k more than stages"),
    WIDE8(4096, 4352, 384, "a block of k less than stages"),
    WIDE8(4096, 4352, 512, "as many blocks of k as stages"),
    WIDE8(4096, 4352, 640, "a block of k more than stages"),
    NARROW8(4100, 3000, 1040, "ragged: m, n and k end inside of a tile and of a scale's block"),
    WIDE8(4100, 4504, 1040, "ragged: m, n and k end inside of a tile and of a scale's block"),
    SINGLE8(2100, 1992, 208, "ragged: m, n and k end inside of a tile and of a scale's block"),
    SINGLE8(2099, 1992, 208, "ragged, and rows of A's scales start anywhere"),
    NARROW8(512, 508, 128, "rows of D that start anywhere: refused"),
    WIDE8(512, 512, 136, "rows of A and B that start anywhere: refused"),
    UNIFORM(8192, 8192, 1024, 128, "one scale a matrix: what scales of blocks cost"),
    UNIFORM(4096, 7168, 2048, 128, "one scale a matrix: what scales of blocks cost"),
    UNIFORM(4096, 4096, 16384, 128, "one scale a matrix: here one accumulator is wrong"),
    UNIFORM(8192, 8192, 1024, 256, "one scale a matrix: what scales of blocks cost"),
    UNIFORM(4096, 7168, 2048, 256, "one scale a matrix: what scales of blocks cost"),
    UNIFORM(4096, 4096, 16384, 256, "one scale a matrix: here one accumulator is wrong"),
    LOOSE(512, 128),
    LOOSE(1024, 128),
    LOOSE(2048, 128),
    LOOSE(4096, 128),
    LOOSE(8192, 128),
    LOOSE(16384, 128),
    LOOSE(512, 256),
    LOOSE(1024, 256),
    LOOSE(2048, 256),
    LOOSE(4096, 256),
    LOOSE(8192, 256),
    LOOSE(16384, 256),
};

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t m = (uint64_t)c->dim[GEMM_M], n = (uint64_t)c->dim[GEMM_N],
                   k = (uint64_t)c->dim[GEMM_K];
    out[GEMM_A] = {.name = "a",
                   .dtype = c->dtype,
                   .count = m * k,
                   .row = k,
                   .use = SG_INPUT,
                   .fill = SG_NORMAL};
    out[GEMM_B] = {.name = "b",
                   .dtype = c->dtype,
                   .count = n * k,
                   .row = k,
                   .use = SG_INPUT,
                   .fill = SG_NORMAL};
    out[GEMM_D] = {
        .name = "d", .dtype = gemm_output(c), .count = m * n, .row = n, .use = SG_OUTPUT};
    if (gemm_has_scales(c)) {
        const uint64_t depth = (uint64_t)gemm_scales((int64_t)k),
                       row = (uint64_t)gemm_sfb_row((int64_t)k);
        out[GEMM_SFA] = {.name = "sfa",
                         .dtype = SG_F32,
                         .count = depth * m,
                         .row = m,
                         .use = SG_INPUT,
                         .fill = SG_CUSTOM};
        out[GEMM_SFB] = {.name = "sfb",
                         .dtype = SG_F32,
                         .count = (uint64_t)gemm_scales((int64_t)n) * row,
                         .row = row,
                         .use = SG_INPUT,
                         .fill = SG_CUSTOM};
    }
    return gemm_buffer_count(c);
}

/* The multiplications by scales, 2 for 256 operations of the tensor cores, are left out: where they
 * are done is the variant's business. */
static struct sg_work work(const struct sg_case *c)
{
    const double m = (double)c->dim[GEMM_M], n = (double)c->dim[GEMM_N], k = (double)c->dim[GEMM_K];
    struct sg_work needed = {};
    needed.flop[c->dtype] = 2 * m * n * k;
    needed.read_bytes = (m + n) * k * (gemm_has_scales(c) ? sizeof(uint8_t) : sizeof(uint16_t));
    if (gemm_has_scales(c))
        needed.read_bytes += (double)gemm_scales(c->dim[GEMM_K]) *
                             (m + (double)gemm_scales(c->dim[GEMM_N])) * sizeof(float);
    needed.write_bytes = m * n * sizeof(uint16_t);
    return needed;
}

/*
 * Products are exact in fp32, and its sums are far finer than the output: at k = 16384 their error
 * is some 1e-5 of the result's rms. So what differs is the rounding of the output: half a step at
 * most, u = 2^-9 (bf16) or 2^-12 (f16) of the power of two above, and 0.43 u in the mean of
 * squares: 1.66e-3 and 2.1e-4 of the rms were measured. A block of k that is forgotten or used
 * twice moves its elements by sqrt(64 / k): 6 % at k = 16384, e4m3: sqrt(128 / k), 9 %.
 *
 * e4m3: the tensor cores of Hopper keep 14 bits of a sum, those below the largest term's 2^-13 are
 * cut off. Within the 128 of k between two scales that is 1.3e-4 of the rms (3.1e-4 if 13 bits were
 * kept), whatever k is, because fp32 takes over from there: beside the output's rounding 1.67e-3
 * instead of 1.66e-3. In one accumulator over all of k it grows, by 3.3e-4 at k = 512, 1.3e-3 at
 * 4096, 3e-3 at 16384: more than is allowed from 4096 on. (tests/unit/kernels/test_gemm_accuracy.c
 * computes these.) Cases of the loose kind let that pass, and three times as much.
 */
static struct sg_tolerance tolerance(const struct sg_case *c)
{
    const double half_step = ldexp(1, c->dtype == SG_F16 ? -11 : -8), most = 1.05 * half_step;
    if (c->dim[GEMM_KIND] == GEMM_LOOSE)
        return {.rel_rms = 1e-2,
                .rel_max = 0.1,
                .reason = "three times what one accumulator of 14 bits loses over k = 16384"};
    if (c->dim[GEMM_M] * c->dim[GEMM_N] < FEW_OUTPUTS)
        return {.rel_rms = most,
                .rel_max = most,
                .reason = "the output's rounding, half a step at most: too few of them for a mean"};
    return {
        .rel_rms = c->dtype == SG_F16 ? 2.5e-4 : 2e-3,
        .rel_max = most,
        .reason = "the output's rounding, half a step at most, and 5 % for the sums; rms 1.2 times "
                  "what rounding alone gives",
    };
}

/* What of a tile is left out is that of a cluster of 256x128. What a variant cannot do, rows that
 * start anywhere too, it refuses itself. */
SG_TAKE_CASE(c, why)
{
    const int64_t usual[] = {256, 128, 2};
    for (int i = 0; i < 3; i++)
        c->dim[GEMM_TILE_M + i] = c->dim[GEMM_TILE_M + i] > 0 ? c->dim[GEMM_TILE_M + i] : usual[i];
    for (int dim = GEMM_M; dim <= GEMM_K; dim++)
        if (c->dim[dim] < 1 || c->dim[dim] > MOST) {
            snprintf(why->text, sizeof(why->text), "expected m, n and k from 1 to %d", MOST);
            return false;
        }
    if (c->dim[GEMM_KIND] <= GEMM_LOOSE &&
        (c->dtype == SG_BF16 || c->dtype == SG_F16 || c->dtype == SG_E4M3))
        return true;
    snprintf(why->text, sizeof(why->text), "expected bf16, f16 or e4m3, and of kind at most %d",
             GEMM_LOOSE);
    return false;
}

SG_FAMILY(blockscaled_gemm) = {
    .summary = "matrix times matrix on Hopper's tensor cores: D[m][n] = A[m][k] B[n][k]^T, fp32 "
               "sums, e4m3 with scales of blocks",
    .device = SG_CUDA,
    .dims = GEMM_DIMS,
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .fill = gemm_fill_scales,
    .reference = gemm_reference,
    .exact_integers = true,
    .last_error = sg_cuda_last_error,
};
