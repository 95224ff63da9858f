#include "gemm_launch.h"

#include <stdio.h>

#include "gemm_maps.h"
#include "gemm_raster.h"

struct launch_state {
    gemm_kernel *kernel;
    cudaLaunchConfig_t config;
    cudaLaunchAttribute cluster;
    struct gemm_arguments arguments;
};

static enum sg_status make_maps(const struct sg_launch *l, const struct gemm_setup *setup,
                                struct gemm_arguments *g, struct sg_reason *why)
{
    const struct sg_case *c = l->c;
    const int64_t m = c->dim[GEMM_M], n = c->dim[GEMM_N], k = c->dim[GEMM_K];
    const int block_rows = setup->tile.m / setup->tile.ctas,
              block_k = GEMM_ROW_BYTES / gemm_element_bytes(c->dtype);
    const struct {
        struct gemm_map_request request;
        CUtensorMap *map;
    } maps[] = {
        {{l->buffer[GEMM_A], c->dtype, m, k, block_rows, block_k, CU_TENSOR_MAP_SWIZZLE_128B},
         &g->a},
        {{l->buffer[GEMM_B], c->dtype, n, k, setup->tile.n / setup->tile.ctas, block_k,
          CU_TENSOR_MAP_SWIZZLE_128B},
         &g->b},
        {{l->buffer[GEMM_D], gemm_output(c), m, n, GEMM_WARP_ROWS, GEMM_C_COLUMNS,
          CU_TENSOR_MAP_SWIZZLE_64B},
         &g->d},
        {{l->buffer[GEMM_SFA], SG_F32, gemm_scales(k), m, 1, block_rows,
          CU_TENSOR_MAP_SWIZZLE_NONE},
         &g->row_scales},
        {{l->buffer[GEMM_SFB], SG_F32, gemm_scales(n), gemm_sfb_row(k),
          (int)gemm_scales(setup->tile.n), GEMM_SCALE_BOX, CU_TENSOR_MAP_SWIZZLE_NONE},
         &g->column_scales},
    };
    const size_t count = gemm_has_scales(c) ? 5 : 3;
    enum sg_status status = SG_OK;
    for (size_t i = 0; i < count && status == SG_OK; i++)
        status = gemm_make_map(&maps[i].request, maps[i].map, why);
    return status;
}

static int parts(int64_t whole, int part)
{
    return (int)((whole + part - 1) / part);
}

static struct gemm_shape shape_of(const struct sg_case *c, const struct gemm_setup *setup)
{
    struct gemm_shape shape = {
        .m = (int)c->dim[GEMM_M],
        .n = (int)c->dim[GEMM_N],
        .tiles_m = parts(c->dim[GEMM_M], setup->tile.m),
        .tiles_n = parts(c->dim[GEMM_N], setup->tile.n),
        .group = setup->group,
        .blocks_k = parts(c->dim[GEMM_K], GEMM_ROW_BYTES / gemm_element_bytes(c->dtype)),
        .stages = setup->plan.ab,
        .extra_bytes = setup->extra_bytes,
    };
    shape.tiles = shape.tiles_m * shape.tiles_n;
    return shape;
}

static enum sg_status choose_grid(struct launch_state *state, const struct gemm_setup *setup,
                                  struct sg_reason *why)
{
    int clusters = setup->clusters;
    if (clusters == 0) {
        int resident = 0;
        if (cudaOccupancyMaxActiveClusters(&resident, (const void *)setup->kernel,
                                           &state->config) != cudaSuccess)
            return gemm_cuda_failed(why);
        if (resident == 0) {
            snprintf(
                why->text, sizeof(why->text),
                "no room on this device for a cluster of %d blocks of %zu bytes of shared memory",
                setup->tile.ctas, state->config.dynamicSmemBytes);
            return SG_UNSUPPORTED;
        }
        clusters = gemm_clusters(state->arguments.shape.tiles, resident);
    }
    state->config.gridDim = dim3((unsigned)(clusters * setup->tile.ctas));
    return SG_OK;
}

static bool has_room_for_scales(const struct sg_case *c, const struct gemm_setup *setup,
                                struct sg_reason *why)
{
    if (!gemm_has_scales(c) || setup->plan.ab <= GEMM_SCALED_STAGES)
        return true;
    snprintf(why->text, sizeof(why->text),
             "%d stages of A and B: there is room for the scales of %d", setup->plan.ab,
             GEMM_SCALED_STAGES);
    return false;
}

static enum sg_status set_up(const struct sg_launch *l, const struct gemm_setup *setup,
                             struct launch_state *state, struct sg_reason *why)
{
    const int most = gemm_chip_of(GEMM_HOPPER).smem_bytes;
    const int shared =
        setup->clamp_shared && setup->plan.smem_bytes > most ? most : setup->plan.smem_bytes;
    const int allowed =
        shared > most
            ? shared
            : most; /* not `shared`: variants of the same kernel and process would take it away */
    const void *kernel = (const void *)setup->kernel;
    if (!has_room_for_scales(l->c, setup, why))
        return SG_UNSUPPORTED;
    state->kernel = setup->kernel;
    state->cluster = {.id = cudaLaunchAttributeClusterDimension};
    state->cluster.val.clusterDim.x = (unsigned)setup->tile.ctas;
    state->cluster.val.clusterDim.y = state->cluster.val.clusterDim.z = 1;
    state->config = {.gridDim = dim3((unsigned)setup->tile.ctas),
                     .blockDim = dim3(GEMM_THREADS),
                     .dynamicSmemBytes = (size_t)shared,
                     .stream = (cudaStream_t)l->stream,
                     .attrs = &state->cluster,
                     .numAttrs = 1};
    state->arguments.shape = shape_of(l->c, setup);
    state->arguments.plain = l->buffer[GEMM_D];
    if (gemm_has_scales(l->c)) {
        state->arguments.plain_row_scales = (const float *)l->buffer[GEMM_SFA];
        state->arguments.plain_column_scales = (const float *)l->buffer[GEMM_SFB];
    }
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, allowed) !=
        cudaSuccess)
        return gemm_cuda_failed(why);
    const enum sg_status status = make_maps(l, setup, &state->arguments, why);
    return status == SG_OK ? choose_grid(state, setup, why) : status;
}

enum sg_status gemm_prepare_setup(const struct sg_launch *l, const struct gemm_setup *setup,
                                  void **state, struct sg_reason *why)
{
    struct launch_state *made = new launch_state{};
    const enum sg_status status = set_up(l, setup, made, why);
    if (status == SG_OK)
        *state = made;
    else
        delete made;
    return status;
}

void gemm_launch(const struct sg_launch *l)
{
    struct launch_state *state = (struct launch_state *)l->state;
    void *arguments[] = {&state->arguments};
    cudaLaunchKernelExC(&state->config, (const void *)state->kernel, arguments);
}

void gemm_finish(void *state)
{
    delete (struct launch_state *)state;
}
