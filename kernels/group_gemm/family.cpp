/*
 * group_gemm - D_g[m_g][n] = A_g[m_g][k] B_g[n][k]^T for each group g, sums in fp32: the
 * experts of a mixture. In bf16, and in e4m3 with a scale for 128 of k in a row of A_g and for
 * 128x128 of B_g, which gives bf16.
 *
 * Bound by memory: a group has 40 to 400 rows (tokens), so its weights are read for little
 * work, and what counts is to read them once, at full speed, without a pause between groups.
 * A case's m list is sg_case.more. Shapes: the four that kernels for Blackwell with maps
 * made by each block were measured on (notes.md), one group, 64 equal ones, groups without
 * rows, and small ones for the edges.
 * Cases with guard rows between the groups of D show what is written behind a group; in the others
 * every element is poisoned first.
 */
#include "group_layout.h"
#include "group_reference.h"
#include "group_scales.h"
#include "solgate_cuda.h"

#define FEW_OUTPUTS 1024 /* below: their rms is not settled */

static constexpr struct group_sizes work_log_1 = {8, {80, 176, 128, 72, 64, 248, 96, 160}};
static constexpr struct group_sizes work_log_2 = {8, {40, 76, 168, 72, 164, 148, 196, 160}};
static constexpr struct group_sizes work_log_3 = {2, {192, 320}};
static constexpr struct group_sizes work_log_4 = {2, {128, 384}};
static constexpr struct group_sizes one = {1, {512}};
static constexpr struct group_sizes one_row = {1, {1}};
static constexpr struct group_sizes with_empty = {5, {0, 96, 0, 160, 0}};
static constexpr struct group_sizes ragged_with_empty = {6, {0, 70, 0, 0, 31, 0}};
static constexpr struct group_sizes edges = {7, {1, 63, 64, 65, 127, 128, 129}};
static constexpr struct group_sizes deep = {3, {300, 257, 700}};

static constexpr struct group_sizes equal(int count, int64_t m)
{
    struct group_sizes sizes = {.count = count, .m = {}};
    for (int g = 0; g < count; g++)
        sizes.m[g] = m;
    return sizes;
}
static constexpr struct group_sizes equal_64 = equal(64, 64);

#define CASE(word, type, sizes, columns, depth, rows, why)                                \
    {                                                                                     \
        .name = word,                                                                     \
        .dim = {sizes.count, group_first_row(&sizes, sizes.count), columns, depth, rows}, \
        .dtype = type, .summary = why, .more = &sizes                                     \
    }
#define BF16(word, sizes, n, k, guard, why) CASE(word "_bf16", SG_BF16, sizes, n, k, guard, why)
#define E4M3(word, sizes, n, k, guard, why) CASE(word "_e4m3", SG_E4M3, sizes, n, k, guard, why)

static const struct sg_case cases[] = {
    BF16("g8_m1024_n4096_k7168", work_log_1, 4096, 7168, 0,
         "470 MB of weights: 110 us at the speed of a copy"),
    BF16("g8_m1024_n7168_k2048", work_log_2, 7168, 2048, 0, "235 MB of weights, short k"),
    BF16("g2_m512_n3072_k4096", work_log_3, 3072, 4096, 0, "13 us: fits into the L2"),
    BF16("g2_m512_n4096_k1536", work_log_4, 4096, 1536, 0, "7 us: launch, maps, fill"),
    BF16("g1_m512_n4096_k4096", one, 4096, 4096, 0, "one group: a plain product"),
    BF16("g64_m4096_n1024_k1024", equal_64, 1024, 1024, 0, "64 groups of 64 rows"),
    BF16("g5_m256_n512_k512_empty", with_empty, 512, 512, 0,
         "groups without rows first, between and last"),
    BF16("g6_m101_n512_k200_empty_guard", ragged_with_empty, 512, 200, 8,
         "the same, ragged, with guard rows"),
    BF16("g7_m577_n512_k512_edges", edges, 512, 512, 0,
         "one row to 129, around the sizes of tiles"),
    BF16("g7_m577_n1000_k200_edges_guard", edges, 1000, 200, 8,
         "the same; n and k end inside of a tile; guard rows"),
    BF16("g3_m1257_n520_k320_deep_guard", deep, 520, 320, 16,
         "groups of several tiles; guard rows"),
    BF16("g1_m1_n8_k8", one_row, 8, 8, 0, "the least there is"),
    BF16("g7_m577_n500_k512_refused", edges, 500, 512, 0, "rows of D that start anywhere: refused"),
    BF16("g7_m577_n512_k100_refused", edges, 512, 100, 0,
         "rows of A and B that start anywhere: refused"),
    BF16("g2_m512_n4096_k512", work_log_4, 4096, 512, 0,
         "with k1536 above a series in k alone: a tile a block, one choice of tiles"),
    BF16("g2_m512_n4096_k768", work_log_4, 4096, 768, 0, "the same"),
    BF16("g2_m512_n4096_k1024", work_log_4, 4096, 1024, 0, "the same"),
    BF16("g2_m512_n4096_k1280", work_log_4, 4096, 1280, 0, "the same"),
    BF16("g2_m512_n4096_k1792", work_log_4, 4096, 1792, 0, "the same"),
    BF16("g2_m512_n4096_k2048", work_log_4, 4096, 2048, 0, "the same"),
    E4M3("g8_m1024_n4096_k7168", work_log_1, 4096, 7168, 0,
         "235 MB of weights: 60 us at the speed of a copy"),
    E4M3("g8_m1024_n7168_k2048", work_log_2, 7168, 2048, 0, "117 MB of weights, short k"),
    E4M3("g2_m512_n3072_k4096", work_log_3, 3072, 4096, 0, "7 us: fits into the L2"),
    E4M3("g2_m512_n4096_k1536", work_log_4, 4096, 1536, 0, "4 us: launch, maps, fill"),
    E4M3("g1_m512_n4096_k4096", one, 4096, 4096, 0, "one group: a plain product"),
    E4M3("g64_m4096_n1024_k1024", equal_64, 1024, 1024, 0, "64 groups of 64 rows"),
    E4M3("g5_m256_n512_k512_empty", with_empty, 512, 512, 0,
         "groups without rows first, between and last"),
    E4M3("g6_m101_n512_k208_empty_guard", ragged_with_empty, 512, 208, 8,
         "the same, ragged, with guard rows"),
    E4M3("g7_m577_n512_k512_edges", edges, 512, 512, 0,
         "one row to 129: rows of A's scales padded by up to three"),
    E4M3("g7_m577_n1000_k208_edges_guard", edges, 1000, 208, 8,
         "the same; n and k end inside of a tile and of a scale's block; guard rows"),
    E4M3("g3_m1257_n520_k656_deep_guard", deep, 520, 656, 16,
         "groups of several tiles, six blocks of k; guard rows"),
    E4M3("g1_m1_n8_k16", one_row, 8, 16, 0, "the least there is"),
    E4M3("g7_m577_n500_k512_refused", edges, 500, 512, 0, "rows of D that start anywhere: refused"),
    E4M3("g7_m577_n512_k136_refused", edges, 512, 136, 0,
         "rows of A and B that start anywhere: refused"),
};

/* Guard rows must stay as they were, so D has contents before a launch
 * then, which are restored before each. */
static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const uint64_t m = (uint64_t)c->dim[GROUP_M], n = (uint64_t)c->dim[GROUP_N],
                   k = (uint64_t)c->dim[GROUP_K];
    const uint64_t groups = (uint64_t)c->dim[GROUP_GROUPS];
    out[GROUP_A] = {.name = "a",
                    .dtype = c->dtype,
                    .count = m * k,
                    .row = k,
                    .use = SG_INPUT,
                    .fill = SG_NORMAL};
    out[GROUP_B] = {.name = "b",
                    .dtype = c->dtype,
                    .count = groups * n * k,
                    .row = k,
                    .use = SG_INPUT,
                    .fill = SG_NORMAL};
    out[GROUP_D] = {.name = "d",
                    .dtype = SG_BF16,
                    .count = (uint64_t)group_rows_of_d(c) * n,
                    .row = n,
                    .use = c->dim[GROUP_GUARD] > 0 ? SG_INOUT : SG_OUTPUT,
                    .fill = SG_NORMAL};
    if (!gemm_has_scales(c))
        return GROUP_SFA;
    const struct group_sizes *sizes = group_sizes_of(c);
    const uint64_t of_a =
        (uint64_t)group_first_scale(sizes, sizes->count, gemm_scales(c->dim[GROUP_K]));
    const uint64_t row = (uint64_t)gemm_sfb_row(c->dim[GROUP_K]),
                   rows = groups * (uint64_t)gemm_scales(c->dim[GROUP_N]);
    out[GROUP_SFA] = {
        .name = "sfa", .dtype = SG_F32, .count = of_a, .use = SG_INPUT, .fill = SG_CUSTOM};
    out[GROUP_SFB] = {.name = "sfb",
                      .dtype = SG_F32,
                      .count = rows * row,
                      .row = row,
                      .use = SG_INPUT,
                      .fill = SG_CUSTOM};
    return GROUP_BUFFERS;
}

/* Weights of groups without rows need not be read, nor their scales. Multiplications by scales are
 * left out, as in the dense family. */
static struct sg_work work(const struct sg_case *c)
{
    const double m = (double)c->dim[GROUP_M], n = (double)c->dim[GROUP_N],
                 k = (double)c->dim[GROUP_K];
    const double busy = group_busy(group_sizes_of(c));
    struct sg_work needed = {};
    needed.flop[c->dtype] = 2 * m * n * k;
    needed.read_bytes =
        (m + busy * n) * k * (gemm_has_scales(c) ? sizeof(uint8_t) : sizeof(uint16_t));
    if (gemm_has_scales(c))
        needed.read_bytes += (double)gemm_scales(c->dim[GROUP_K]) *
                             (m + busy * (double)gemm_scales(c->dim[GROUP_N])) * sizeof(float);
    needed.write_bytes = m * n * sizeof(uint16_t);
    return needed;
}

/*
 * As of the dense family, which gives bf16 from e4m3 too: what differs is the rounding of the
 * output, because scales are multiplied in, and sums taken over by fp32, at every 128 of k
 * (kernels/blockscaled_gemm/notes.md).
 */
static struct sg_tolerance tolerance(const struct sg_case *c)
{
    const double most = 1.05 / 256;
    if (c->dim[GROUP_M] * c->dim[GROUP_N] < FEW_OUTPUTS)
        return {.rel_rms = most,
                .rel_max = most,
                .reason = "the output's rounding, half a step at most: too few of them for a mean"};
    return {
        .rel_rms = 2e-3,
        .rel_max = most,
        .reason = "the output's rounding, half a step at most, and 5 % for fp32 sums; rms 1.2 "
                  "times what rounding alone gives",
    };
}

/* m is that of all groups, each of which has as many rows, but for the last. */
SG_TAKE_CASE(c, why)
{
    const int64_t groups = c->dim[GROUP_GROUPS], m = c->dim[GROUP_M];
    if (groups < 1 || groups > GROUP_MOST || m < 1 ||
        (c->dtype != SG_BF16 && c->dtype != SG_E4M3)) {
        snprintf(why->text, sizeof(why->text),
                 "expected groups from 1 to %d, m for all of them, and bf16 or e4m3", GROUP_MOST);
        return false;
    }
    struct group_sizes *sizes =
        new group_sizes{.count = (int)groups, .m = {}}; /* for as long as the process is there */
    const int64_t each = (m + groups - 1) / groups;
    for (int64_t g = 0, left = m; g < groups; left -= sizes->m[g++])
        sizes->m[g] = left < each ? left : each;
    c->more = sizes;
    return group_check(c, why);
}

SG_FAMILY(group_gemm) = {
    .summary = "a matrix product for each group of rows: D_g[m_g][n] = A_g[m_g][k] B_g[n][k]^T, "
               "fp32 sums, e4m3 with scales of blocks",
    .device = SG_CUDA,
    .dims = GROUP_DIMS,
    .cases = cases,
    .case_count = sizeof(cases) / sizeof(cases[0]),
    .layout = layout,
    .work = work,
    .tolerance = tolerance,
    .fill = group_fill_scales,
    .reference = group_reference,
    .exact_integers = true,
    .last_error = sg_cuda_last_error,
};
