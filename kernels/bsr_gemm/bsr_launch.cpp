#include "bsr_launch.h"

#include <stdio.h>
#include <vector>

#include "blockscaled_gemm/gemm_maps.h"
#include "solgate_cuda.h"

struct launch_state {
    bsr_kernel *kernel;
    cudaLaunchConfig_t config;
    cudaLaunchAttribute cluster;
    struct bsr_arguments arguments;
    void *schedule; /* on the device: first[], then tiles[] */
};

/* What the dense family's rule for shared memory knows as a tile: B is not shared, A's rows
 * are a block's whatever the cluster. */
struct gemm_plan bsr_plan(const struct bsr_setup *setup)
{
    const struct gemm_tile tile = {
        .m = BSR_BLOCK * setup->ctas, .n = setup->columns, .ctas = setup->ctas, .dtype = SG_F16};
    const struct gemm_plan empty = gemm_plan_with(GEMM_HOPPER, tile, 1, 0, BSR_C_STAGES);
    const int stages = setup->stages ? setup->stages : empty.free_bytes / empty.ab_bytes;
    return gemm_plan_with(GEMM_HOPPER, tile, 1, stages, BSR_C_STAGES);
}

static enum sg_status make_maps(const struct sg_launch *l, const struct bsr_setup *setup,
                                struct bsr_arguments *g, struct sg_reason *why)
{
    const struct sg_case *c = l->c;
    struct bsr_counts counts;
    bsr_count(c, &counts);
    const int64_t blocks = counts.blocks > 0 ? counts.blocks : 1;
    const struct {
        struct gemm_map_request request;
        CUtensorMap *map;
    } maps[] = {
        {{l->buffer[BSR_A], SG_F16, blocks * BSR_BLOCK, BSR_BLOCK, BSR_BLOCK / setup->ctas,
          BSR_STEP, CU_TENSOR_MAP_SWIZZLE_128B},
         &g->a},
        {{l->buffer[BSR_B], SG_F16, c->dim[BSR_K], c->dim[BSR_N], BSR_STEP, BSR_BOX_COLUMNS,
          CU_TENSOR_MAP_SWIZZLE_128B},
         &g->b},
        {{l->buffer[BSR_D], SG_F16, c->dim[BSR_M], c->dim[BSR_N], GEMM_WARP_ROWS, GEMM_C_COLUMNS,
          CU_TENSOR_MAP_SWIZZLE_64B},
         &g->d},
    };
    enum sg_status status = SG_OK;
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]) && status == SG_OK; i++)
        status = gemm_make_map(&maps[i].request, maps[i].map, why);
    return status;
}

/* Clusters of the grid: one a row, or as many as are resident at
 * once, if there are tiles for so many. */
static enum sg_status choose_workers(const struct launch_state *state,
                                     const struct bsr_setup *setup, int rows, int tiles,
                                     int *workers, struct sg_reason *why)
{
    int resident = 0;
    if (cudaOccupancyMaxActiveClusters(&resident, (const void *)state->kernel, &state->config) !=
        cudaSuccess)
        return gemm_cuda_failed(why);
    if (resident == 0) {
        snprintf(why->text, sizeof(why->text),
                 "no room on this device for a cluster of %d blocks of %zu bytes of shared memory",
                 setup->ctas, state->config.dynamicSmemBytes);
        return SG_UNSUPPORTED;
    }
    resident = resident < BSR_WORKERS_MOST ? resident : BSR_WORKERS_MOST;
    *workers = setup->order == BSR_WORKER_A_ROW ? rows : resident < tiles ? resident : tiles;
    return SG_OK;
}

/* The lists of all workers to the device. */
static enum sg_status make_schedule(const struct sg_case *c, const struct bsr_setup *setup,
                                    struct launch_state *state, struct sg_reason *why)
{
    const int rows = bsr_block_rows(c), panels = state->arguments.panels, tiles = rows * panels;
    std::vector<int32_t> sequence(tiles), owner(tiles), lists;
    struct bsr_counts counts;
    int workers = 0;
    enum sg_status status = choose_workers(state, setup, rows, tiles, &workers, why);
    if (status != SG_OK)
        return status;
    bsr_count(c, &counts);
    int count = bsr_sequence(&counts, rows, panels, setup->order, sequence.data());
    if (setup->forgets_empty)
        count = bsr_forget_empty(&counts, panels, sequence.data(), count);
    lists.resize((size_t)workers + 1 + tiles);
    bsr_assign(&counts, panels, workers, setup->order, sequence.data(), count, owner.data());
    bsr_lists(sequence.data(), owner.data(), count, workers, lists.data(),
              lists.data() + workers + 1);
    const size_t bytes = lists.size() * sizeof(lists[0]);
    status = sg_cuda_allocate(&state->schedule, bytes, why);
    if (status == SG_OK &&
        cudaMemcpy(state->schedule, lists.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess)
        return gemm_cuda_failed(why);
    state->arguments.first = (const int32_t *)state->schedule;
    state->arguments.tiles = state->arguments.first + workers + 1;
    state->config.gridDim = dim3((unsigned)(workers * setup->ctas));
    return status;
}

static enum sg_status refuse(struct sg_reason *why, const char *text)
{
    snprintf(why->text, sizeof(why->text), "%s", text);
    return SG_UNSUPPORTED;
}

static enum sg_status set_up(const struct sg_launch *l, const struct bsr_setup *setup,
                             struct launch_state *state, struct sg_reason *why)
{
    if (!setup->kernel)
        return refuse(why, setup->why_not);
    const struct gemm_plan plan = bsr_plan(setup);
    if (plan.ab < 1 || plan.free_bytes < 0)
        return refuse(why, "more stages than fit into shared memory");
    state->kernel = setup->kernel;
    state->cluster = {.id = cudaLaunchAttributeClusterDimension};
    state->cluster.val.clusterDim.x = (unsigned)setup->ctas;
    state->cluster.val.clusterDim.y = state->cluster.val.clusterDim.z = 1;
    state->config = {.gridDim = dim3((unsigned)setup->ctas),
                     .blockDim = dim3(GEMM_THREADS),
                     .dynamicSmemBytes = (size_t)plan.smem_bytes,
                     .stream = (cudaStream_t)l->stream,
                     .attrs = &state->cluster,
                     .numAttrs = 1};
    state->arguments.row_ptr = (const int32_t *)l->buffer[BSR_ROW_PTR];
    state->arguments.col = (const int32_t *)l->buffer[BSR_COL];
    state->arguments.stages = plan.ab;
    state->arguments.panels = bsr_panels(l->c, setup->columns * setup->ctas);
    /* As much as there is, not what this plan needs: variants of the same kernel
     * and process would take it away. */
    if (cudaFuncSetAttribute((const void *)setup->kernel,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             gemm_chip_of(GEMM_HOPPER).smem_bytes) != cudaSuccess)
        return gemm_cuda_failed(why);
    const enum sg_status status = make_maps(l, setup, &state->arguments, why);
    return status == SG_OK ? make_schedule(l->c, setup, state, why) : status;
}

void bsr_finish(void *state)
{
    struct launch_state *s = (struct launch_state *)state;
    cudaFree(s->schedule);
    delete s;
}

enum sg_status bsr_prepare_setup(const struct sg_launch *l, const struct bsr_setup *setup,
                                 void **state, struct sg_reason *why)
{
    struct launch_state *made = new launch_state{};
    const enum sg_status status = set_up(l, setup, made, why);
    if (status == SG_OK)
        *state = made;
    else
        bsr_finish(made);
    return status;
}

void bsr_launch(const struct sg_launch *l)
{
    struct launch_state *state = (struct launch_state *)l->state;
    void *arguments[] = {&state->arguments};
    cudaLaunchKernelExC(&state->config, (const void *)state->kernel, arguments);
}
