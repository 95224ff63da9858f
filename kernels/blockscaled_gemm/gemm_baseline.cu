/* The kernels of the baseline, compiled once for all variants that differ from it in numbers only. */
#include "gemm_kernel.cuh"

#include <stdio.h>

#include "gemm_raster.h"

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
    return {.m = (int)c->dim[GEMM_TILE_M], .n = (int)c->dim[GEMM_TILE_N], .ctas = (int)c->dim[GEMM_CTAS], .dtype = c->dtype};
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

bool gemm_supports(const struct sg_case *c, struct sg_why *why)
{
    const struct gemm_tile tile = gemm_tile_of(c);
    if (!kernel_of_case(c)) {
        snprintf(why->text, sizeof(why->text), "no kernel for elements of type %d and tiles of %dx%d by %d blocks", (int)c->dtype, tile.m,
                 tile.n, tile.ctas);
        return false;
    }
    const bool scaled = gemm_has_scales(c);
    if (c->dim[GEMM_K] % (scaled ? 16 : 8) == 0 && c->dim[GEMM_N] % 8 == 0 && (!scaled || c->dim[GEMM_M] % 4 == 0))
        return true;
    snprintf(why->text, sizeof(why->text), "k = %lld, n = %lld%s: the copy engine wants rows%s that start at multiples of 16 bytes",
             (long long)c->dim[GEMM_K], (long long)c->dim[GEMM_N], scaled ? ", or m" : "", scaled ? ", of scales too," : "");
    return false;
}

bool gemm_supports_bf16(const struct sg_case *c, struct sg_why *why)
{
    if (c->dtype == SG_BF16)
        return gemm_supports(c, why);
    snprintf(why->text, sizeof(why->text), "for bf16 only");
    return false;
}

bool gemm_supports_but_f16(const struct sg_case *c, struct sg_why *why)
{
    if (c->dtype != SG_F16)
        return gemm_supports(c, why);
    snprintf(why->text, sizeof(why->text), "not for f16: it would say the same as bf16");
    return false;
}

bool gemm_supports_tiles(const struct sg_case *c, int columns, struct sg_why *why)
{
    if (gemm_tile_of(c).n == columns)
        return gemm_supports_but_f16(c, why);
    snprintf(why->text, sizeof(why->text), "only tiles of %d columns differ here, those of the case have %d", columns, gemm_tile_of(c).n);
    return false;
}

bool gemm_supports_deep(const struct sg_case *c, struct sg_why *why)
{
    const int64_t four_stages = 4 * GEMM_ROW_BYTES / (gemm_has_scales(c) ? 1 : 2);
    if (c->dim[GEMM_K] > four_stages)
        return gemm_supports_tiles(c, 256, why);
    snprintf(why->text, sizeof(why->text), "k = %lld is no more than four stages: nothing goes wrong", (long long)c->dim[GEMM_K]);
    return false;
}

bool gemm_supports_group_of(const struct sg_case *c, int group, struct sg_why *why)
{
    if (gemm_baseline(c).group != group)
        return gemm_supports(c, why);
    snprintf(why->text, sizeof(why->text), "the baseline walks this case's tiles in groups of %d rows itself", group);
    return false;
}

bool gemm_supports_hang(const struct sg_case *c, struct sg_why *why)
{
    if (c->dim[GEMM_CTAS] == 1 && c->dim[GEMM_K] >= 512)
        return gemm_supports_bf16(c, why);
    snprintf(why->text, sizeof(why->text), "hangs anywhere: one case, of one block to a cluster and k of 512 or more, is enough");
    return false;
}
