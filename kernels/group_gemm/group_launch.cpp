#include "group_launch.h"

#include <stdio.h>
#include <stdlib.h>

#include "blockscaled_gemm/gemm_maps.h"
#include "blockscaled_gemm/gemm_raster.h"
#include "solgate_cuda.h"

struct one_launch {
    cudaLaunchConfig_t config;
    cudaLaunchAttribute cluster;
    group_arguments arguments;
};

struct launch_state {
    const void *kernel;
    int count;
    struct one_launch launch[GROUP_MOST];
    void *made, *partials; /* on the device; may be NULL */
};

/* What set-up needs to know at once. */
struct preparation {
    const struct sg_launch *l;
    const struct group_setup *setup;
    struct launch_state *state;
    struct sg_reason *why;
};

struct group_tile group_tile_of(const struct group_setup &setup)
{
    const struct gemm_design &design = setup.kernel.design;
    if (design.in_blocks())
        return {
            .rows = setup.tokens, .columns = design.columns * design.ctas, .step = GEMM_BLOCK_ROWS};
    const int along = design.rows * design.ctas;
    if (design.transposed)
        return {.rows = design.columns,
                .columns = along,
                .step = design.varying ? GEMM_NARROW : design.columns};
    return {.rows = along, .columns = design.columns, .step = along};
}

/* Stages of results are the design's; those of operands fill what is
 * left, unless their number is given. */
struct gemm_plan group_plan(const struct group_setup *setup)
{
    const struct gemm_design &design = setup->kernel.design;
    const struct gemm_tile tile = design.tile();
    const int acc = design.ping_pong ? 2 : 1, c = design.stages_of_c();
    const struct gemm_plan empty = gemm_plan_with(GEMM_HOPPER, tile, acc, 0, c);
    const int fit = empty.free_bytes / empty.ab_bytes;
    return gemm_plan_with(GEMM_HOPPER, tile, acc,
                          setup->stages        ? setup->stages
                          : fit < GROUP_STAGES ? fit
                                               : GROUP_STAGES,
                          c);
}

bool group_supports(const struct sg_case *c, struct sg_reason *why)
{
    if (!group_check(c, why))
        return false;
    if (c->dim[GROUP_K] % (16 / gemm_element_bytes(c->dtype)) == 0 &&
        c->dim[GROUP_N] % (16 / GEMM_C_BYTES) == 0)
        return true;
    snprintf(
        why->text, sizeof(why->text),
        "k = %lld and n = %lld: the copy engine wants rows that start at multiples of 16 bytes",
        (long long)c->dim[GROUP_K], (long long)c->dim[GROUP_N]);
    return false;
}

bool group_supports_bf16(const struct sg_case *c, struct sg_reason *why)
{
    if (!group_supports(c, why))
        return false;
    if (c->dtype == SG_BF16)
        return true;
    snprintf(
        why->text, sizeof(why->text),
        "for bf16: of e4m3 there are the baseline's kernels alone, by as many clusters as fit");
    return false;
}

static bool has_ragged_group(const struct sg_case *c)
{
    bool ragged = false;
    for (int g = 0; g < group_sizes_of(c)->count; g++)
        ragged = ragged || group_sizes_of(c)->m[g] % GEMM_NARROW > 0;
    return ragged;
}

bool group_supports_guarded(const struct sg_case *c, struct sg_reason *why)
{
    if (!group_supports(c, why))
        return false;
    if (c->dim[GROUP_GUARD] > 0 && has_ragged_group(c))
        return true;
    snprintf(why->text, sizeof(why->text),
             "no guard rows behind a group that ends inside of 32: what is written there is "
             "written again");
    return false;
}

bool group_supports_ragged(const struct sg_case *c, struct sg_reason *why)
{
    if (!group_supports(c, why))
        return false;
    if (c->dim[GROUP_GUARD] == 0 && has_ragged_group(c))
        return true;
    snprintf(why->text, sizeof(why->text),
             "for cases without guard rows, whose poison shows, where a group ends inside of 32");
    return false;
}

bool group_supports_several(const struct sg_case *c, struct sg_reason *why)
{
    if (!group_supports(c, why))
        return false;
    const struct group_list list =
        group_list_of(group_sizes_of(c), group_sizes_of(c),
                      {.rows = 256, .columns = 256, .step = GEMM_NARROW}, c->dim[GROUP_N]);
    if (group_tiles(&list) > 80 && group_busy(group_sizes_of(c)) > 2)
        return true;
    snprintf(why->text, sizeof(why->text), "%d tiles of %d groups: a block may have one only",
             group_tiles(&list), group_busy(group_sizes_of(c)));
    return false;
}

bool group_supports_empty(const struct sg_case *c, struct sg_reason *why)
{
    if (!group_supports(c, why))
        return false;
    const struct group_sizes *sizes = group_sizes_of(c);
    int last = sizes->count - 1;
    while (sizes->m[last] == 0)
        last--;
    if (group_busy(sizes) <= last && c->dim[GROUP_GUARD] == 0)
        return true;
    snprintf(
        why->text, sizeof(why->text),
        "hangs at an empty group: one case with such a group and without guard rows is enough");
    return false;
}

struct named_map {
    struct gemm_map_request request;
    CUtensorMap *map;
};

static enum sg_status make_each(const struct named_map *maps, int count, struct sg_reason *why)
{
    enum sg_status status = SG_OK;
    for (int i = 0; i < count && status == SG_OK; i++)
        status = gemm_make_map(&maps[i].request, maps[i].map, why);
    return status;
}

/* What kernels of e4m3 need beside: tokens in boxes of each height, scales of each number of blocks
 * of tokens, and those of weights. */
static enum sg_status make_block_maps(const struct preparation *p, group_arguments *g)
{
    const struct sg_case *c = p->l->c;
    const struct group_sizes *sizes = group_sizes_of(c);
    const int64_t n = c->dim[GROUP_N], k = c->dim[GROUP_K],
                  scales = group_first_scale(sizes, sizes->count, gemm_scales(k));
    const struct gemm_map_request of_weights = {
        p->l->buffer[GROUP_SFB],   SG_F32, sizes->count * gemm_scales(n),
        gemm_sfb_row(k),           1,      GEMM_SCALE_BOX,
        CU_TENSOR_MAP_SWIZZLE_NONE};
    enum sg_status status = gemm_make_map(&of_weights, &g->weights_scales, p->why);
    for (int i = 0; i < GEMM_TILE_BLOCKS && status == SG_OK; i++) {
        const struct gemm_map_request of_tokens = {
            p->l->buffer[GROUP_SFA],   SG_F32, 1, scales, 1, (i + 1) * GEMM_BLOCK_ROWS,
            CU_TENSOR_MAP_SWIZZLE_NONE};
        status = gemm_make_map(&of_tokens, &g->tokens_scales[i], p->why);
    }
    for (int i = 0; i < GEMM_BLOCK_ROWS / GROUP_BOX_STEP && status == SG_OK; i++) {
        const struct gemm_map_request tokens = {p->l->buffer[GROUP_A],
                                                c->dtype,
                                                c->dim[GROUP_M],
                                                k,
                                                (i + 1) * GROUP_BOX_STEP,
                                                GEMM_ROW_BYTES,
                                                CU_TENSOR_MAP_SWIZZLE_128B,
                                                true};
        status = gemm_make_map(&tokens, &g->tokens_by[i], p->why);
    }
    return status;
}

/* Maps of tokens and weights as a whole. */
static enum sg_status make_maps(const struct preparation *p, group_arguments *g)
{
    const struct sg_case *c = p->l->c;
    const struct gemm_design &design = p->setup->kernel.design;
    const int64_t n = c->dim[GROUP_N], k = c->dim[GROUP_K];
    const int block_k = design.block_k(), tokens_box = design.in_blocks()  ? GEMM_BLOCK_ROWS
                                                       : design.transposed ? design.b_box()
                                                                           : design.rows;
    const int weights_box = design.in_blocks()  ? design.columns
                            : design.transposed ? design.rows
                                                : design.b_box();
    const bool exact =
        design.in_blocks(); /* for weights, which leave first; of tokens it makes no difference */
    const struct named_map maps[] = {
        {{p->l->buffer[GROUP_A], c->dtype, c->dim[GROUP_M], k, tokens_box, block_k,
          CU_TENSOR_MAP_SWIZZLE_128B, exact},
         &g->tokens},
        {{p->l->buffer[GROUP_B], c->dtype, c->dim[GROUP_GROUPS] * n, k, weights_box, block_k,
          CU_TENSOR_MAP_SWIZZLE_128B, exact},
         &g->weights},
        {{p->l->buffer[GROUP_B], c->dtype, c->dim[GROUP_GROUPS] * n, k, weights_box,
          GROUP_AHEAD_BLOCKS * block_k, CU_TENSOR_MAP_SWIZZLE_NONE},
         &g->weights_ahead},
    };
    const enum sg_status status = make_each(maps, p->setup->ahead > 0 ? 3 : 2, p->why);
    return status == SG_OK && design.in_blocks() ? make_block_maps(p, g) : status;
}

/* A warp's part of a slice: 16 rows by 32 columns, which transposed
 * are 16 columns of D by 32 rows. */
static enum sg_status make_results_map(const struct preparation *p, void *memory, int64_t rows,
                                       CUtensorMap *map)
{
    const bool transposed = p->setup->kernel.design.transposed;
    const struct gemm_map_request request = {
        .memory = memory,
        .type = SG_BF16,
        .rows = rows,
        .columns = p->l->c->dim[GROUP_N],
        .box_rows = transposed ? GEMM_C_COLUMNS : GEMM_WARP_ROWS,
        .box_columns = transposed ? GEMM_WARP_ROWS : GEMM_C_COLUMNS,
        .swizzle = transposed ? CU_TENSOR_MAP_SWIZZLE_32B : CU_TENSOR_MAP_SWIZZLE_64B,
    };
    return gemm_make_map(&request, map, p->why);
}

/* Rows of D before those of group g. */
static int64_t row_of_d(const struct sg_case *c, int g)
{
    return group_first_row(group_sizes_of(c), g) + g * c->dim[GROUP_GUARD];
}

/* A map of the results of each group. One without rows gets one row: a map of none
 * is refused, and it is never used. */
static enum sg_status make_group_maps(const struct preparation *p, CUtensorMap *maps)
{
    const struct sg_case *c = p->l->c;
    enum sg_status status = SG_OK;
    for (int g = 0; g < group_sizes_of(c)->count && status == SG_OK; g++) {
        const int64_t first = row_of_d(c, g), own = group_sizes_of(c)->m[g];
        const int64_t rows =
            p->setup->fault == GROUP_TAIL_OVERWRITE ? group_rows_of_d(c) - first : own;
        char *memory = (char *)p->l->buffer[GROUP_D] + first * c->dim[GROUP_N] * GEMM_C_BYTES;
        status = make_results_map(p, own > 0 ? memory : p->l->buffer[GROUP_D], own > 0 ? rows : 1,
                                  &maps[g]);
    }
    return status;
}

/* The groups that a launch has tiles of: one, or all (-1); and of tiles of whole steps of rows
 * only, where the tails are forgotten. */
static struct group_sizes sizes_counted(const struct preparation *p, int only)
{
    struct group_sizes counted = *group_sizes_of(p->l->c);
    const int step = group_tile_of(*p->setup).step;
    for (int g = 0; g < counted.count; g++) {
        if (only >= 0 && g != only)
            counted.m[g] = 0;
        if (p->setup->fault == GROUP_TAIL_MISSING)
            counted.m[g] -= counted.m[g] % step;
    }
    return counted;
}

static struct group_list list_of(const struct preparation *p, int only)
{
    const struct group_sizes counted = sizes_counted(p, only);
    struct group_list list = group_list_of(group_sizes_of(p->l->c), &counted,
                                           group_tile_of(*p->setup), p->l->c->dim[GROUP_N]);
    if (p->setup->order != GROUP_IN_ORDER)
        group_sort(&list);
    return list;
}

static group_arguments arguments_of(const struct preparation *p)
{
    const struct sg_case *c = p->l->c;
    const struct gemm_design &design = p->setup->kernel.design;
    const int element_bytes = gemm_element_bytes(c->dtype);
    group_arguments g = {};
    g.memory = {p->l->buffer[GROUP_A], p->l->buffer[GROUP_B], p->l->buffer[GROUP_D]};
    g.tokens_row_bytes = c->dim[GROUP_K] * element_bytes;
    g.results_row_bytes = c->dim[GROUP_N] * GEMM_C_BYTES;
    g.weights_bytes = c->dim[GROUP_N] * g.tokens_row_bytes;
    g.tokens_bytes = c->dim[GROUP_M] * g.tokens_row_bytes;
    g.guard = c->dim[GROUP_GUARD];
    g.shape = {.n = (int)c->dim[GROUP_N],
               .blocks_k = group_parts(c->dim[GROUP_K], design.block_k()),
               .stages = group_plan(p->setup).ab};
    const int across = group_parts(c->dim[GROUP_N], group_tile_of(*p->setup).columns);
    if (p->setup->walks_apart)
        g.turn = g.shape.blocks_k > across ? g.shape.blocks_k / across : 1;
    g.ahead = p->setup->ahead;
    g.overwrites = p->setup->fault == GROUP_TAIL_OVERWRITE;
    return g;
}

/*
 * Whose turn it is, of so many clusters at most; returns how many of them there are something to do
 * for. Tiles are cut only where all clusters are resident, for some wait for what others give.
 */
static int choose_turns(const struct preparation *p, group_arguments *g, int resident)
{
    const int tiles = g->shape.tiles, all = tiles < resident ? tiles : resident;
    const bool cuts = p->setup->grid == GROUP_PERSISTENT;
    if (p->setup->order == GROUP_PLANNED) {
        const struct group_costs costs = group_costs_of_blocks();
        group_plan_tiles(&g->list, &costs, g->shape.blocks_k, cuts ? resident : all, cuts);
        if (g->list.turns > 0) {
            g->shape.tiles = g->list.turns;
            return g->list.round;
        }
    }
    const int clusters = p->setup->all_clusters ? all : gemm_clusters(tiles, resident);
    g->list.round =
        p->setup->order == GROUP_IN_ORDER ? 0 : clusters; /* of too many tiles for a plan too */
    group_write_turns(&g->list);
    return clusters;
}

/* Clusters of a launch that the device holds at once. */
static cudaError_t count_resident(const struct preparation *p, const struct one_launch *launch,
                                  int *clusters)
{
    if (p->setup->kernel.design.ctas > 1)
        return cudaOccupancyMaxActiveClusters(clusters, p->state->kernel, &launch->config);
    int of_an_sm = 0;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &of_an_sm, p->state->kernel, GEMM_THREADS, launch->config.dynamicSmemBytes);
    *clusters = of_an_sm * p->l->sm_count;
    return error;
}

/* What each of so many blocks fetches of the tokens, in whole lines: all of them, or
 * of more than they may the first. */
static uint32_t bytes_to_fetch(int64_t tokens_bytes, int blocks)
{
    const int64_t line = 128, share = (tokens_bytes + blocks - 1) / blocks,
                  whole = (share + line - 1) / line * line;
    return (uint32_t)(whole < GROUP_FETCHED_BYTES ? whole : GROUP_FETCHED_BYTES);
}

static enum sg_status choose_grid(const struct preparation *p, struct one_launch *launch)
{
    int resident = launch->arguments.shape.tiles;
    if (p->setup->grid != GROUP_BLOCK_A_TILE &&
        (count_resident(p, launch, &resident) != cudaSuccess || resident == 0))
        return gemm_cuda_failed(p->why);
    const int blocks = choose_turns(p, &launch->arguments, resident) * p->setup->kernel.design.ctas;
    if (p->setup->grid ==
        GROUP_PERSISTENT) /* else blocks come too late, or each launch would fetch for all */
        launch->arguments.fetched_tokens = bytes_to_fetch(launch->arguments.tokens_bytes, blocks);
    launch->config.gridDim = dim3((unsigned)blocks);
    return SG_OK;
}

/* A launch of one group's tiles, or of all (-1). */
static enum sg_status add_launch(const struct preparation *p, const group_arguments *arguments,
                                 int only)
{
    struct one_launch *launch = &p->state->launch[p->state->count];
    const int ctas = p->setup->kernel.design.ctas;
    launch->arguments = *arguments;
    launch->arguments.list = list_of(p, only);
    launch->arguments.shape.tiles = group_tiles(&launch->arguments.list);
    if (launch->arguments.shape.tiles == 0)
        return SG_OK;
    p->state->count++;
    launch->cluster = {.id = cudaLaunchAttributeClusterDimension};
    launch->cluster.val.clusterDim.x = (unsigned)ctas;
    launch->cluster.val.clusterDim.y = launch->cluster.val.clusterDim.z = 1;
    launch->config = {
        .gridDim = dim3((unsigned)ctas),
        .blockDim = dim3(GEMM_THREADS),
        .dynamicSmemBytes = (size_t)group_plan(p->setup).smem_bytes,
        .stream = (cudaStream_t)p->l->stream,
        .attrs = &launch->cluster,
        .numAttrs =
            ctas >
            1}; /* without, neighbours are on one TPC, and what both read comes from the L2 once */
    return choose_grid(p, launch);
}

static enum sg_status add_launches(const struct preparation *p, const group_arguments *arguments)
{
    enum sg_status status = SG_OK;
    if (p->setup->grid != GROUP_LAUNCH_A_GROUP)
        return add_launch(p, arguments, -1);
    for (int g = 0; g < group_sizes_of(p->l->c)->count && status == SG_OK; g++)
        status = add_launch(p, arguments, g);
    return status;
}

/* Maps that blocks make have a place for each block that can be and each group: a copy of one that
 * changes belongs to its block only. */
static enum sg_status make_room_for_maps(const struct preparation *p)
{
    const struct group_list list = list_of(p, -1);
    const size_t blocks = (size_t)(p->setup->grid == GROUP_BLOCK_A_TILE
                                       ? group_tiles(&list) * p->setup->kernel.design.ctas
                                       : p->l->sm_count);
    if (p->setup->kernel.maps == GROUP_HOST_MAPS)
        return SG_OK;
    return sg_cuda_allocate(&p->state->made,
                            blocks * (size_t)list.count * GROUP_MADE_MAPS * sizeof(CUtensorMap),
                            p->why);
}

/*
 * Launches follow each other in one stream, so they can have the same places for sums of pieces;
 * behind them all are their flags, and the number of turns that were drawn.
 */
static enum sg_status make_room_for_partials(const struct preparation *p)
{
    struct launch_state *state = p->state;
    size_t places = 0;
    for (int i = 0; i < state->count; i++)
        places = (size_t)state->launch[i].arguments.list.partials > places
                     ? (size_t)state->launch[i].arguments.list.partials
                     : places;
    const size_t flags_at = places * GEMM_PARTIAL_BYTES,
                 flag_bytes = (places * GEMM_PARTIAL_FLAGS + 1) * sizeof(uint32_t);
    const enum sg_status status = sg_cuda_allocate(&state->partials, flags_at + flag_bytes, p->why);
    if (status != SG_OK)
        return status;
    uint32_t *flags = (uint32_t *)((char *)state->partials + flags_at);
    if (cudaMemsetAsync(flags, 0, flag_bytes, (cudaStream_t)p->l->stream) != cudaSuccess)
        return gemm_cuda_failed(p->why);
    for (int i = 0; i < state->count; i++)
        state->launch[i].arguments.partials = {(float4 *)state->partials, flags,
                                               flags + places * GEMM_PARTIAL_FLAGS};
    return SG_OK;
}

static enum sg_status set_up(const struct preparation *p)
{
    const int most = gemm_chip_of(GEMM_HOPPER).smem_bytes;
    group_arguments arguments = arguments_of(p);
    enum sg_status status = make_group_maps(p, arguments.d);
    const bool is_few = p->setup->kernel.of_few && group_sizes_of(p->l->c)->count <= GROUP_FEW;
    p->state->kernel = is_few ? p->setup->kernel.of_few : p->setup->kernel.function;
    if (status == SG_OK)
        status = make_maps(p, &arguments);
    if (status == SG_OK)
        status = make_results_map(p, p->l->buffer[GROUP_D], group_rows_of_d(p->l->c),
                                  &arguments.results);
    if (status == SG_OK)
        status = make_room_for_maps(p);
    arguments.made = (CUtensorMap *)p->state->made;
    if (status == SG_OK &&
        cudaFuncSetAttribute(p->state->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most) !=
            cudaSuccess)
        return gemm_cuda_failed(p->why);
    if (status == SG_OK)
        status = add_launches(p, &arguments);
    return status == SG_OK ? make_room_for_partials(p) : status;
}

/* What knobs ask for need not exist, nor fit. */
static enum sg_status check_setup(const struct group_setup *setup, struct sg_reason *why)
{
    if (!setup->kernel.function) {
        snprintf(why->text, sizeof(why->text), "%s",
                 setup->why_not ? setup->why_not : "no kernel for the tiles that suit this case");
        return SG_UNSUPPORTED;
    }
    const struct gemm_plan plan = group_plan(setup);
    if (setup->kernel.design.in_blocks() && setup->tokens > setup->kernel.design.rows) {
        snprintf(why->text, sizeof(why->text),
                 "tiles of %d tokens: expected at most the kernel's %d", setup->tokens,
                 setup->kernel.design.rows);
        return SG_UNSUPPORTED;
    }
    if (setup->stages == 1) {
        snprintf(why->text, sizeof(why->text),
                 "1 stage: expected 2 or more, for one is given back when the next has come");
        return SG_UNSUPPORTED;
    }
    if (plan.free_bytes >= 0 && plan.ab > 1)
        return SG_OK;
    snprintf(why->text, sizeof(why->text),
             "%d stages of %d bytes and %d of %d take %d bytes more than a block can have", plan.ab,
             plan.ab_bytes, plan.c, plan.c_bytes, -plan.free_bytes);
    return SG_UNSUPPORTED;
}

void group_finish(void *state)
{
    struct launch_state *made = (struct launch_state *)state;
    cudaFree(made->made);
    cudaFree(made->partials);
    delete made;
}

/* Are there clusters with more than one tile? */
static bool takes_turns(const struct launch_state *state, int ctas)
{
    bool turns = false;
    for (int i = 0; i < state->count; i++)
        turns = turns || state->launch[i].config.gridDim.x <
                             (unsigned)(state->launch[i].arguments.shape.tiles * ctas);
    return turns;
}

static enum sg_status prepare_kernel(const struct sg_launch *l, const struct group_setup *setup,
                                     struct launch_state **state, struct sg_reason *why)
{
    struct launch_state *made = new launch_state{};
    const struct preparation p = {.l = l, .setup = setup, .state = made, .why = why};
    const enum sg_status status = set_up(&p);
    if (status == SG_OK)
        *state = made;
    else
        group_finish(made);
    return status;
}

enum sg_status group_prepare_setup(const struct sg_launch *l, const struct group_setup *setup,
                                   void **state, struct sg_reason *why)
{
    struct launch_state *made = nullptr;
    enum sg_status status = check_setup(setup, why);
    if (status == SG_OK)
        status = prepare_kernel(l, setup, &made, why);
    if (status == SG_OK && setup->smaller.function &&
        takes_turns(made, setup->kernel.design.ctas)) {
        struct group_setup fits = *setup;
        fits.kernel = setup->smaller;
        group_finish(made);
        made = nullptr;
        status = prepare_kernel(l, &fits, &made, why);
    }
    *state = made;
    return status;
}

void group_launch(const struct sg_launch *l)
{
    struct launch_state *state = (struct launch_state *)l->state;
    for (int i = 0; i < state->count; i++) {
        void *arguments[] = {&state->launch[i].arguments};
        cudaLaunchKernelExC(&state->launch[i].config, state->kernel, arguments);
    }
}
