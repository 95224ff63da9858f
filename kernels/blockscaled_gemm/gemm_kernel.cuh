/*
 * gemm_kernel.cuh - D[m][n] = A[m][k] B[n][k]^T: one warp copies, two warpgroups multiply, blocks
 * stay for as many tiles as there are.
 *
 * A ring of stages lies between them. One thread of the first warpgroup fills it, with each block
 * of a cluster fetching its own rows of A and its part of B for all (multicast). The two math
 * warpgroups take either half of the rows of each tile (cooperative: the results of a tile leave
 * while the next one is being multiplied) or every other tile (ping-pong: the results of one leave
 * while the other multiplies). Results go through shared memory in stages of 32 columns, from
 * where the copy engine takes them.
 *
 * Invariant: a stage is overwritten only after every warpgroup that reads it, in every block that
 * its bytes came to, has said that it is done: `empty` counts those. A variant that breaks this
 * does so by a field of struct gemm_design, and says so.
 * How it is used: gemm_launch.h; a variant names a design and this template becomes its kernel.
 */
#ifndef GEMM_KERNEL_CUH
#define GEMM_KERNEL_CUH

#include "gemm_blocks.cuh"
#include "gemm_columns.cuh"

/* A block's part of a stage of B: every box for one block, in a
 * cluster every other one for both. */
template <gemm_design D>
static __device__ inline void copy_b(uint32_t to, const gemm_work &at, int x, int columns,
                                     uint32_t full)
{
    constexpr int box = D.b_box();
    const int rank = D.ctas > 1 ? (int)cluster_rank() : 0;
    for (int i = 0; i < columns; i += D.ctas * box) {
        const int row = i + rank * box;
        const uint32_t b = to + row * GEMM_ROW_BYTES;
        if (D.varying && row >= columns)
            return;
        if constexpr (D.ctas > 1)
            tensor_load_shared<D.b_hint>(b, at.b, x, at.b_row + row, full, (1 << D.ctas) - 1);
        else
            tensor_load<D.b_hint>(b, at.b, x, at.b_row + row, full);
    }
}

/*
 * The thread that fills the ring. Others of its warp, if there are any, help with the maps, and
 * walk beside it: where lanes part, the compiler takes the copies' operands for different ones, and
 * goes from lane to lane for each copy.
 */
template <gemm_design D, class ARGUMENTS>
static __device__ inline void copy_tiles(const ARGUMENTS &g, const gemm_shared &shared)
{
    gemm_ring ring = {.stages = shared.stages,
                      .phase = 1}; /* before the first turn every stage is empty */
    const int first = blockIdx.x / D.ctas, step = gridDim.x / D.ctas;
    for (int tile = first; tile < g.shape.tiles; tile += step) {
        const gemm_work at = work_of<D>(g, tile);
        const int columns = D.varying ? columns_of<D>(g, tile) : D.columns;
        make_maps<D>(g, shared, at, tile, tile == first ? -1 : tile - step);
        for (int block = 0; block < g.shape.blocks_k; block++, ring.next()) {
            const int begun = block + at.first_block,
                      k = D.varying && begun >= g.shape.blocks_k ? begun - g.shape.blocks_k : begun;
            const uint32_t full = shared.full(ring.stage);
            const uint32_t a = shared.operands(ring.stage);
            mbarrier_wait(shared.empty(ring.stage), ring.phase);
            if constexpr (ARGUMENTS::copying_threads > 1) {
                __syncwarp(); /* who fell behind by two turns of the ring would wait for ever */
                if (threadIdx.x > 0)
                    continue;
            }
            mbarrier_expect(full, (D.rows + columns) * GEMM_ROW_BYTES + D.copied_scale_bytes() +
                                      g.shape.extra_bytes);
            tensor_load<D.a_hint>(a, at.a, k * D.block_k(), at.a_row, full);
            copy_b<D>(a + D.rows * GEMM_ROW_BYTES, at, k * D.block_k(), columns, full);
            if constexpr (D.scaled())
                copy_scales<D>(g, shared, at, k, ring.stage);
            look_ahead<D>(g, at, k);
        }
    }
}

/* A math warpgroup: all its tiles, or its halves of all tiles. */
template <gemm_design D, class ARGUMENTS>
static __device__ inline void math_tiles(const ARGUMENTS &g, const gemm_shared &shared, int group)
{
    const int step = gridDim.x / D.ctas * (D.ping_pong ? 2 : 1);
    const int first = blockIdx.x / D.ctas + (D.ping_pong ? group * step / 2 : 0);
    const int rows_before = D.ping_pong ? 0 : group * D.group_rows();
    gemm_math<D> math = {.shared = shared,
                         .a = operand(shared.operands(0) + rows_before * GEMM_ROW_BYTES),
                         .b = operand(shared.operands(0) + D.rows * GEMM_ROW_BYTES),
                         .ring = {.stages = shared.stages},
                         .group = group};
    const int warp = threadIdx.x % GEMM_GROUP_THREADS / 32 + 4 * group;
    gemm_result<D, ARGUMENTS> result = {
        .g = g,
        .places = {shared.results() + warp * gemm_places<D>::count * gemm_places<D>::bytes},
        .rows_before = rows_before};
    gemm_turns<D> turns = {shared, group, group == 0};
    [[maybe_unused]] gemm_scaled_math<D> scaled = {
        .math = math, .row = rows_before + warp % 4 * GEMM_WARP_ROWS + (int)threadIdx.x % 32 / 4};
    [[maybe_unused]] float scale = 1;
    if constexpr (D.one_sum)
        scale = first_scale(g);
    float sums[D.group_rows() / 64][D.columns / 2];
    if (D.varying && first < g.shape.tiles)
        result.next_columns = columns_of<D>(g, first);
    if (D.ping_pong && group == 1)
        math.ring.skip(g.shape.blocks_k);
    if (D.scaled() && first < g.shape.tiles)
        scaled.wait(0);
    for (int tile = first; tile < g.shape.tiles; tile += step) {
        turns.wait();
        if constexpr (D.varying) {
            multiply_columns<D, D.columns>(&math, &result, tile, step);
        } else {
            if constexpr (D.scaled()) {
                scaled.add_tile(sums, g.shape.blocks_k, tile + step >= g.shape.tiles, &result,
                                tile != first);
            } else {
                multiply_tile<D>(sums, &math, g.shape.blocks_k, &result, tile != first);
                turns.pass();
                math.end_tile();
            }
            if constexpr (D.one_sum)
                scale_once<D>(sums, scale);
            result.held.take(sums);
        }
        result.tile = tile;
        if constexpr (D.store_at_once())
            result.store_all();
        if constexpr (D.ping_pong)
            math.ring.skip(g.shape.blocks_k);
    }
    if (!D.store_at_once() && first < g.shape.tiles)
        result.store_all();
    if (threadIdx.x % 32 == 0)
        tensor_store_wait<0>();
}

template <gemm_design D, class ARGUMENTS>
static __device__ inline void begin(const ARGUMENTS &g, const gemm_shared &shared)
{
    if (threadIdx.x == (ARGUMENTS::looks_first ? GEMM_GROUP_THREADS - 32 : 0)) {
        prefetch_maps(g);
        for (int stage = 0; stage < shared.stages; stage++) {
            mbarrier_init(shared.full(stage), 1);
            mbarrier_init(shared.empty(stage), D.readers());
        }
        mbarrier_init(shared.turn(0), 1);
        mbarrier_init(shared.turn(1), 1);
        mbarrier_publish();
    }
    if constexpr (D.ctas > 1)
        cluster_sync();
    else
        __syncthreads();
}

/*
 * What the copying warp needs to know of its first tile, while another makes the barriers: the
 * kernel's parameter comes from far the first time, one line after the other.
 */
template <gemm_design D, class ARGUMENTS>
static __device__ inline void look_up(const ARGUMENTS &g, int tile)
{
    if (threadIdx.x >= 32)
        return;
    const gemm_work first = work_of<D>(g, tile);
    asm volatile("" ::"r"(first.a_row), "r"(first.b_row));
}

template <gemm_design D, class ARGUMENTS = gemm_arguments>
__global__ void __launch_bounds__(GEMM_THREADS, 1) gemm(const __grid_constant__ ARGUMENTS g)
{
    static_assert(!D.scaled() || (!D.varying && !D.transposed),
                  "scales are those of rows, and one for 128 columns");
    static_assert(
        !D.varying || !D.ping_pong,
        "turns of two warpgroups are told apart by stages, of which all tiles have as many");
    extern __shared__ __align__(1024) unsigned char memory[];
    const gemm_shared shared = {.base = shared_address(memory),
                                .stages = g.shape.stages,
                                .stage_bytes = D.stage_bytes(),
                                .scale_bytes = D.scale_bytes()};
    if constexpr (ARGUMENTS::looks_first)
        look_up<D>(g, blockIdx.x / D.ctas);
    begin<D>(g, shared);
    const int group = __shfl_sync(0xffffffffu, (int)threadIdx.x / GEMM_GROUP_THREADS, 0) -
                      1; /* known to be the same in a warp */
    if (group < 0) {
        registers_shrink<D.copy_registers>();
        if (threadIdx.x < ARGUMENTS::copying_threads)
            copy_tiles<D>(g, shared);
    } else {
        registers_grow<D.math_registers>();
        math_tiles<D>(g, shared, group);
    }
    /* The other block's arrivals and copies still come here: no block leaves before all are
     * done. */
    if constexpr (D.ctas > 1)
        cluster_sync();
}

/* The same for designs whose rows come in slots. */
template <gemm_design D, class ARGUMENTS>
__global__ void __launch_bounds__(GEMM_THREADS, 1)
    gemm_of_blocks(const __grid_constant__ ARGUMENTS g)
{
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_in_blocks<D>(
        g, gemm_block_shared<D>{.base = shared_address(memory), .stages = g.shape.stages});
}

/* The kernel for one of the baseline's tiles with what `CHANGE` makes of
 * its design; NULL for another tile. */
template <enum sg_dtype TYPE, gemm_design (*CHANGE)(gemm_design)>
static gemm_kernel *gemm_kernel_of(struct gemm_tile tile)
{
    constexpr gemm_tile wide = {.m = 256, .n = 256, .ctas = 2, .dtype = TYPE};
    constexpr gemm_tile narrow = {.m = 256, .n = 128, .ctas = 2, .dtype = TYPE};
    constexpr gemm_tile single = {.m = 128, .n = 128, .ctas = 1, .dtype = TYPE};
    if (tile.m == wide.m && tile.n == wide.n && tile.ctas == wide.ctas)
        return gemm<CHANGE(gemm_design_of(TYPE, wide))>;
    if (tile.m == narrow.m && tile.n == narrow.n && tile.ctas == narrow.ctas)
        return gemm<CHANGE(gemm_design_of(TYPE, narrow))>;
    if (tile.m == single.m && tile.n == single.n && tile.ctas == single.ctas)
        return gemm<CHANGE(gemm_design_of(TYPE, single))>;
    return nullptr;
}

#endif
