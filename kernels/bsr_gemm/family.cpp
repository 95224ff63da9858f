/*
 * bsr_gemm - D[m][n] = A[m][k] B[k][n] with A in block-sparse rows of 128x128, f16, fp32 sums: a
 * pruned layer, block-sparse attention.
 *
 * With half of the blocks there it is bound by the tensor cores as the dense product is, at a share
 * of its work; what a kernel can lose is the indirection of its k loop, and that rows differ in
 * length. Patterns: the same number of blocks in each row, a band, rows by a power law, half of the
 * rows empty, one dense row, none and all (bsr_layout.h). Small cases for the edges: m, n and k
 * that end inside of a block, one block, rows without any. Columns of blocks differ between inputs.
 */
#include <math.h>

#include "bsr_pattern.h"
#include "bsr_reference.h"
#include "solgate_cuda.h"

#define FEW_OUTPUTS 1024 /* below: their rms is not settled */

#define CASE(rows, columns, depth, word, pattern, share, why)                          \
    {                                                                                  \
        .name = "m" #rows "_n" #columns "_k" #depth "_" word,                          \
        .dim = {rows, columns, depth, pattern, share}, .dtype = SG_F16, .summary = why \
    }
#define LARGE(word, pattern, share, why) CASE(8192, 8192, 8192, word, pattern, share, why)

static const struct sg_case cases[] = {
    LARGE("uniform50", BSR_UNIFORM, 500, "half of the blocks: 550 Gflop"),
    LARGE("uniform25", BSR_UNIFORM, 250, "a quarter"),
    LARGE("uniform10", BSR_UNIFORM, 100, "a tenth: 6 or 7 blocks in a row"),
    LARGE("uniform5", BSR_UNIFORM, 50, "a twentieth: what is not main loop shows"),
    LARGE("all", BSR_UNIFORM, 1000, "all blocks: the dense product by indirection"),
    LARGE("band8", BSR_BANDED, 8, "8 blocks around the diagonal: neighbours use the same of B"),
    LARGE("power25", BSR_POWER_LAW, 250,
          "a quarter, rows by a power law: the longest first, or some multiprocessor ends late"),
    LARGE("gaps25", BSR_GAPS, 500, "half of the rows empty, half of the blocks in the others"),
    LARGE("dense_row5", BSR_DENSE_ROW, 50,
          "one full row beside rows of 3: as long as twenty of them"),
    CASE(4096, 4096, 4096, "uniform50", BSR_UNIFORM, 500, "half of the blocks, 69 Gflop"),
    CASE(2048, 512, 2048, "uniform25", BSR_UNIFORM, 250,
         "few us: fewer tiles than multiprocessors"),
    CASE(1024, 512, 1024, "none", BSR_UNIFORM, 0, "no block at all: zeros"),
    CASE(1024, 512, 1024, "all", BSR_UNIFORM, 1000, "all blocks, small"),
    CASE(1024, 512, 1024, "gaps", BSR_GAPS, 500, "rows without blocks between others"),
    CASE(1024, 512, 1024, "dense_row", BSR_DENSE_ROW, 0, "one full row, the others empty"),
    CASE(128, 128, 128, "all", BSR_UNIFORM, 1000, "one block"),
    CASE(1, 8, 1, "all", BSR_UNIFORM, 1000, "the least there is"),
    CASE(1000, 520, 1000, "uniform50", BSR_UNIFORM, 500,
         "ragged: m, n and k end inside of a block"),
    CASE(1000, 520, 1000, "all", BSR_UNIFORM, 1000, "ragged, all blocks"),
    CASE(129, 136, 129, "all", BSR_UNIFORM, 1000, "one more than a block each way"),
    CASE(2100, 1992, 1900, "power", BSR_POWER_LAW, 300, "ragged, rows by a power law"),
    CASE(512, 508, 512, "uniform50", BSR_UNIFORM, 500,
         "rows of B and D that start anywhere: refused"),
};

/* A matrix without blocks has a block that is not to be read, for a buffer has elements. */
static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t m = (uint64_t)c->dim[BSR_M], n = (uint64_t)c->dim[BSR_N],
                   k = (uint64_t)c->dim[BSR_K];
    struct bsr_counts counts;
    bsr_count(c, &counts);
    const uint64_t blocks = counts.blocks > 0 ? (uint64_t)counts.blocks : 1;
    out[BSR_A] = {.name = "a",
                  .dtype = SG_F16,
                  .count = blocks * BSR_BLOCK * BSR_BLOCK,
                  .row = BSR_BLOCK,
                  .use = SG_INPUT,
                  .fill = SG_NORMAL};
    out[BSR_ROW_PTR] = {.name = "row_ptr",
                        .dtype = SG_I32,
                        .count = (uint64_t)bsr_block_rows(c) + 1,
                        .row = 0,
                        .use = SG_INPUT,
                        .fill = SG_CUSTOM};
    out[BSR_COL] = {.name = "col",
                    .dtype = SG_I32,
                    .count = blocks,
                    .row = 0,
                    .use = SG_INPUT,
                    .fill = SG_CUSTOM};
    out[BSR_B] = {
        .name = "b", .dtype = SG_F16, .count = k * n, .row = n, .use = SG_INPUT, .fill = SG_NORMAL};
    out[BSR_D] = {.name = "d", .dtype = SG_F16, .count = m * n, .row = n, .use = SG_OUTPUT};
    return BSR_BUFFERS;
}

/* The column of the block that is none is one that a kernel which reads it runs out of B with. */
static void fill(const struct sg_fill_request *request)
{
    int32_t *col = (int32_t *)request->host[BSR_COL];
    col[0] = INT32_MAX / BSR_BLOCK;
    bsr_fill(request->c, request->seed, (int32_t *)request->host[BSR_ROW_PTR], col);
}

/* Of the blocks that are there, inside of the matrix; and of B the rows that some block needs. */
static struct sg_work work(const struct sg_case *c)
{
    const double m = (double)c->dim[BSR_M], n = (double)c->dim[BSR_N];
    const struct bsr_needs needs = bsr_needs_of(c);
    struct bsr_counts counts;
    bsr_count(c, &counts);
    struct sg_work needed = {};
    needed.flop[SG_F16] = 2 * needs.elements_a * n;
    needed.read_bytes = (needs.elements_a + needs.rows_b * n) * sizeof(uint16_t) +
                        (double)(counts.blocks + bsr_block_rows(c) + 1) * sizeof(int32_t);
    needed.write_bytes = m * n * sizeof(uint16_t);
    return needed;
}

/* As of the dense family in f16 (kernels/blockscaled_gemm/family.cpp): what
 * differs is the rounding of the output. */
static struct sg_tolerance tolerance(const struct sg_case *c)
{
    const double most = 1.05 * ldexp(1, -11);
    if (c->dim[BSR_M] * c->dim[BSR_N] < FEW_OUTPUTS)
        return {.rel_rms = most,
                .rel_max = most,
                .reason = "the output's rounding, half a step at most: too few of them for a mean"};
    return {
        .rel_rms = 2.5e-4,
        .rel_max = most,
        .reason = "the output's rounding, half a step at most, and 5 % for the sums; rms 1.2 times "
                  "what rounding alone gives",
    };
}

/* Half of the blocks in each row, where nothing else is asked for. */
SG_TAKE_CASE(c, why)
{
    if (c->dim[BSR_PATTERN] == BSR_UNIFORM && c->dim[BSR_SHARE] == 0)
        c->dim[BSR_SHARE] = 500;
    return bsr_check(c, why) && (c->dtype == SG_F16 || bsr_refuse(why, "dtype", c->dtype, "f16"));
}

SG_FAMILY(bsr_gemm) = {
    .summary = "block-sparse rows of 128x128 times a dense matrix: D[m][n] = A[m][k] B[k][n], f16, "
               "fp32 sums",
    .device = SG_CUDA,
    .dims = BSR_DIMS,
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .fill = fill,
    .reference = bsr_reference,
    .exact_integers = true,
    .last_error = sg_cuda_last_error,
};
