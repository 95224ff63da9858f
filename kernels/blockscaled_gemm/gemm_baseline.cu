/* The kernels of the baseline, compiled once for all variants that
 * differ from it in numbers only. */
#include "gemm_kernel.cuh"

#include <stdio.h>

#include "gemm_maps.h"
#include "gemm_raster.h"

#define MOST_TILES (1 << 28)

static constexpr gemm_design unchanged(gemm_design design)
{
    return design;
}

static gemm_kernel *kernel_of_case(const struct sg_case *c)
{
    if (c->dtype == SG_BF16)
        return gemm_kernel_of<SG_BF16, unchanged>(gemm_tile_of(c));
    if (c->dtype == SG_F16)
        return gemm_kernel_of<SG_F16, unchanged>(gemm_tile_of(c));
    return c->dtype == SG_E4M3 ? gemm_kernel_of<SG_E4M3, unchanged>(gemm_tile_of(c)) : nullptr;
}

struct gemm_tile gemm_tile_of(const struct sg_case *c)
{
    return {.m = (int)c->dim[GEMM_TILE_M],
            .n = (int)c->dim[GEMM_TILE_N],
            .ctas = (int)c->dim[GEMM_CTAS],
            .dtype = c->dtype};
}

struct gemm_setup gemm_baseline(const struct sg_case *c)
{
    const struct gemm_tile tile = gemm_tile_of(c);
    return {
        .kernel = kernel_of_case(c),
        .tile = tile,
        .plan = gemm_plan_of(GEMM_HOPPER, tile, GEMM_GREEDY),
        .group = gemm_group(c->dim[GEMM_N], c->dim[GEMM_K]),
    };
}

int gemm_tiles(const struct sg_case *c, struct gemm_tile tile)
{
    return (int)((c->dim[GEMM_M] + tile.m - 1) / tile.m * ((c->dim[GEMM_N] + tile.n - 1) / tile.n));
}

/* Kernels count elements and tiles in 32 bits, and a tile's number plus
 * the step to the next must fit too. */
static bool check_sizes(const struct sg_case *c, struct gemm_tile tile, struct sg_reason *why)
{
    static const char *const names[] = {"m", "n", "k"};
    for (int i = GEMM_M; i <= GEMM_K; i++)
        if (c->dim[i] < 1 || c->dim[i] > INT32_MAX) {
            snprintf(why->text, sizeof(why->text), "%s is %lld, expected 1 to 2^31 - 1", names[i],
                     (long long)c->dim[i]);
            return false;
        }
    const int64_t tiles =
        (c->dim[GEMM_M] + tile.m - 1) / tile.m * ((c->dim[GEMM_N] + tile.n - 1) / tile.n);
    if (tiles <= MOST_TILES)
        return true;
    snprintf(why->text, sizeof(why->text),
             "m = %lld by n = %lld are %lld tiles, expected at most %d", (long long)c->dim[GEMM_M],
             (long long)c->dim[GEMM_N], (long long)tiles, MOST_TILES);
    return false;
}

/* Rows of A and B, of D, and of A's scales. */
static bool check_rows(const struct sg_case *c, struct sg_reason *why)
{
    const struct {
        const char *name;
        int dim, multiple;
    } rows[] = {
        {"k", GEMM_K, 16 / gemm_element_bytes(c->dtype)},
        {"n", GEMM_N, 16 / GEMM_C_BYTES},
        {"m", GEMM_M, gemm_has_scales(c) ? 16 / (int)sizeof(float) : 1},
    };
    for (const auto &row : rows)
        if (c->dim[row.dim] % row.multiple != 0) {
            snprintf(why->text, sizeof(why->text),
                     "%s is %lld, expected a multiple of %d: the copy engine wants rows that start "
                     "at multiples of 16 bytes",
                     row.name, (long long)c->dim[row.dim], row.multiple);
            return false;
        }
    return true;
}

bool gemm_supports(const struct sg_case *c, struct sg_reason *why)
{
    const struct gemm_tile tile = gemm_tile_of(c);
    if (kernel_of_case(c))
        return check_sizes(c, tile, why) && check_rows(c, why);
    snprintf(why->text, sizeof(why->text),
             "no kernel for elements of type %d and tiles of %dx%d by %d blocks", (int)c->dtype,
             tile.m, tile.n, tile.ctas);
    return false;
}

bool gemm_supports_bf16(const struct sg_case *c, struct sg_reason *why)
{
    if (c->dtype == SG_BF16)
        return gemm_supports(c, why);
    snprintf(why->text, sizeof(why->text), "for bf16 only");
    return false;
}

bool gemm_supports_but_f16(const struct sg_case *c, struct sg_reason *why)
{
    if (c->dtype != SG_F16)
        return gemm_supports(c, why);
    snprintf(why->text, sizeof(why->text), "not for f16: it would say the same as bf16");
    return false;
}

bool gemm_supports_tiles(const struct sg_case *c, int columns, struct sg_reason *why)
{
    if (gemm_tile_of(c).n == columns)
        return gemm_supports_but_f16(c, why);
    snprintf(why->text, sizeof(why->text),
             "only tiles of %d columns differ here, those of the case have %d", columns,
             gemm_tile_of(c).n);
    return false;
}

bool gemm_supports_deep(const struct sg_case *c, struct sg_reason *why)
{
    const int64_t four_stages = 4 * GEMM_ROW_BYTES / (gemm_has_scales(c) ? 1 : 2);
    if (c->dim[GEMM_K] > four_stages)
        return gemm_supports_tiles(c, 256, why);
    snprintf(why->text, sizeof(why->text),
             "k = %lld is no more than four stages: nothing goes wrong", (long long)c->dim[GEMM_K]);
    return false;
}

bool gemm_supports_group_of(const struct sg_case *c, int group, struct sg_reason *why)
{
    if (!gemm_supports(c, why))
        return false;
    if (gemm_baseline(c).group != group)
        return true;
    snprintf(why->text, sizeof(why->text),
             "the baseline walks this case's tiles in groups of %d rows itself", group);
    return false;
}

bool gemm_supports_hang(const struct sg_case *c, struct sg_reason *why)
{
    if (c->dim[GEMM_CTAS] == 1 && c->dim[GEMM_K] >= 512)
        return gemm_supports_bf16(c, why);
    snprintf(why->text, sizeof(why->text),
             "hangs anywhere: one case, of one block to a cluster and k of 512 or more, is enough");
    return false;
}
