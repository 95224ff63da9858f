/*
 * gemm_kernel.cuh - D[m][n] = A[m][k] B[n][k]^T: one warp copies, two warpgroups multiply, blocks stay for as many tiles as there are.
 *
 * A ring of stages lies between them. One thread of the first warpgroup fills it, with each block of a cluster fetching its own rows of A
 * and its part of B for all (multicast). The two math warpgroups take either half of the rows of each tile (cooperative: the results of a
 * tile leave while the next one is being multiplied) or every other tile (ping-pong: the results of one leave while the other multiplies).
 * Results go through shared memory in stages of 32 columns, from where the copy engine takes them.
 *
 * Invariant: a stage is overwritten only after every warpgroup that reads it, in every block that its bytes came to, has said that it is
 * done: `empty` counts those. A variant that breaks this does so by a field of struct gemm_design, and says so.
 * How it is used: gemm_launch.h; a variant names a design and this template becomes its kernel.
 */
#ifndef GEMM_KERNEL_CUH
#define GEMM_KERNEL_CUH

#include "gemm_results.cuh"
#include "gemm_wgmma.cuh"

/* A block's part of a stage of B: every box for one block, in a cluster every other one for both. */
template <gemm_design D> static __device__ inline void copy_b(uint32_t to, const gemm_work &at, int x, int columns, uint32_t full)
{
    constexpr int box = D.b_box();
    const int rank = D.ctas > 1 ? (int)cluster_rank() : 0;
    for (int row = rank * box; row < columns; row += D.ctas * box) {
        const uint32_t b = to + row * GEMM_ROW_BYTES;
        if constexpr (D.ctas > 1)
            tensor_load_shared<D.b_hint>(b, at.b, x, at.b_row + row, full, (1 << D.ctas) - 1);
        else
            tensor_load<D.b_hint>(b, at.b, x, at.b_row + row, full);
    }
}

/* The thread that fills the ring; others, if there are any, help with the maps. */
template <gemm_design D, class ARGUMENTS> static __device__ inline void copy_tiles(const ARGUMENTS &g, const gemm_shared &shared)
{
    gemm_ring ring = {.stages = shared.stages, .phase = 1}; /* before the first turn every stage is empty */
    const int first = blockIdx.x / D.ctas, step = gridDim.x / D.ctas;
    for (int tile = first; tile < g.shape.tiles; tile += step) {
        const gemm_work at = work_of<D>(g, tile);
        const int columns = D.varying ? columns_of<D>(g, tile) : D.columns;
        make_maps<D>(g, shared, at, tile == first ? -1 : tile - step);
        if (threadIdx.x > 0)
            continue;
        for (int block = 0; block < g.shape.blocks_k; block++, ring.next()) {
            const uint32_t full = shared.full(ring.stage);
            const uint32_t a = shared.operands(ring.stage);
            mbarrier_wait(shared.empty(ring.stage), ring.phase);
            mbarrier_expect(full, (D.rows + columns) * GEMM_ROW_BYTES + g.shape.extra_bytes);
            tensor_load<D.a_hint>(a, at.a, block * GEMM_BLOCK_K, at.a_row, full);
            copy_b<D>(a + D.rows * GEMM_ROW_BYTES, at, block * GEMM_BLOCK_K, columns, full);
        }
    }
}

/* The sums of so many columns, which are the first. */
template <int COLUMNS, int SUMS> static __device__ inline float (&first_of(float (&sums)[SUMS]))[COLUMNS / 2]
{
    static_assert(COLUMNS / 2 <= SUMS);
    return reinterpret_cast<float(&)[COLUMNS / 2]>(sums);
}

/* One stage, 64 of k, from descriptors of its first rows, by so many columns; `add`: to what is there. */
template <gemm_design D, int COLUMNS>
static __device__ inline void multiply(float (&sums)[D.group_rows() / 64][D.columns / 2], uint64_t a, uint64_t b, bool add)
{
    constexpr int step = 2 * GEMM_WGMMA_K / 16, part = 64 * GEMM_ROW_BYTES / 16; /* a descriptor counts in 16 bytes */
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < GEMM_BLOCK_K / GEMM_WGMMA_K; k++)
#pragma unroll
        for (int i = 0; i < D.group_rows() / 64; i++)
            wgmma<D.type>(first_of<COLUMNS>(sums[i]), a + i * part + k * step, b + k * step, add || k > 0);
    wgmma_commit();
}

/* A thread for each block of the cluster: their copies come into this block too, and ours into theirs. */
template <gemm_design D> static __device__ inline void release(const gemm_shared &shared, int stage)
{
    const int thread = threadIdx.x % GEMM_GROUP_THREADS;
    if (thread < D.ctas)
        mbarrier_arrive(shared.empty(stage), thread);
}

/*
 * In ping-pong a warpgroup multiplies when the other has seen the last stage of its tile. Not for order's sake, which the ring keeps: a
 * barrier tells one turn of the ring from the next only, and who waits two turns ahead takes old data for new.
 */
template <gemm_design D> struct gemm_turns {
    const gemm_shared &shared;
    int group;
    uint32_t phase;

    __device__ void wait()
    {
        if constexpr (D.ping_pong)
            mbarrier_wait(shared.turn(group), phase);
        phase ^= 1;
    }
    __device__ void pass() const
    {
        if (D.ping_pong && threadIdx.x % GEMM_GROUP_THREADS == 0)
            mbarrier_arrive(shared.turn(1 - group), D.ctas > 1 ? cluster_rank() : 0);
    }
};

/* The math of one warpgroup: where it is in the ring, and the descriptors of its rows in stage 0. */
template <gemm_design D> struct gemm_math {
    const gemm_shared &shared;
    uint64_t a, b;
    gemm_ring ring;
    int last; /* stage whose multiplication is in flight */

    template <int COLUMNS> __device__ void begin_block(float (&sums)[D.group_rows() / 64][D.columns / 2], bool add)
    {
        constexpr uint32_t stride = D.stage_bytes() / 16;
        mbarrier_wait(shared.full(ring.stage), ring.phase);
        multiply<D, COLUMNS>(sums, a + ring.stage * stride, b + ring.stage * stride, add);
        if constexpr (D.early_release)
            release<D>(shared, ring.stage);
    }
    /* Gives back the stage before, whose multiplication is done when only the last is in flight. */
    __device__ void end_block(bool first)
    {
        if (!first) {
            wgmma_wait<1>();
            if constexpr (!D.early_release)
                release<D>(shared, last);
        }
        last = ring.stage;
        ring.next();
    }
    __device__ void end_tile()
    {
        wgmma_wait<0>();
        if constexpr (!D.early_release)
            release<D>(shared, last);
    }
};

/*
 * The sums of one tile, stage by stage; one multiplication is always in flight while the next stage is waited for. In a cooperative design
 * the tile before, if there is one, leaves meanwhile, a slice behind each of the first multiplications: all at once would take longer
 * than the tensor cores have work for.
 */
template <gemm_design D, int COLUMNS, class RESULT>
static __device__ inline void multiply_tile(float (&sums)[D.group_rows() / 64][D.columns / 2], gemm_math<D> *math, int blocks,
                                            RESULT *before, bool has_before)
{
    constexpr int slices = D.ping_pong ? 1 : RESULT::slices;
#pragma unroll
    for (int i = 0; i < slices; i++) {
        if (i < blocks)
            math->template begin_block<COLUMNS>(sums, i > 0);
        if (!D.ping_pong && has_before)
            before->store(i);
        if (i < blocks)
            math->end_block(i == 0);
    }
    for (int block = slices; block < blocks; block++) {
        math->template begin_block<COLUMNS>(sums, true);
        math->end_block(false);
    }
}

/* As multiply_tile, by as many columns as the tile has: a main loop for each width. */
template <gemm_design D, int COLUMNS, class RESULT>
static __device__ inline void multiply_columns(float (&sums)[D.group_rows() / 64][D.columns / 2], gemm_math<D> *math, int blocks,
                                               RESULT *before, bool has_before, int columns)
{
    if constexpr (COLUMNS > GEMM_NARROW)
        if (columns < COLUMNS) {
            multiply_columns<D, COLUMNS - GEMM_NARROW>(sums, math, blocks, before, has_before, columns);
            return;
        }
    multiply_tile<D, COLUMNS>(sums, math, blocks, before, has_before);
    math->end_tile();
}

/* A math warpgroup: all its tiles, or its halves of all tiles. */
template <gemm_design D, class ARGUMENTS> static __device__ inline void math_tiles(const ARGUMENTS &g, const gemm_shared &shared, int group)
{
    const int step = gridDim.x / D.ctas * (D.ping_pong ? 2 : 1);
    const int first = blockIdx.x / D.ctas + (D.ping_pong ? group * step / 2 : 0);
    const int rows_before = D.ping_pong ? 0 : group * D.group_rows();
    gemm_math<D> math = {.shared = shared,
                         .a = operand(shared.operands(0) + rows_before * GEMM_ROW_BYTES),
                         .b = operand(shared.operands(0) + D.rows * GEMM_ROW_BYTES),
                         .ring = {.stages = shared.stages}};
    const int warp = threadIdx.x % GEMM_GROUP_THREADS / 32 + 4 * group;
    gemm_result<D, ARGUMENTS> result = {
        .g = g, .places = {shared.results() + warp * gemm_places<D>::count * gemm_places<D>::bytes}, .rows_before = rows_before};
    gemm_turns<D> turns = {shared, group, group == 0};
    float sums[D.group_rows() / 64][D.columns / 2];
    if (D.ping_pong && group == 1)
        math.ring.skip(g.shape.blocks_k);
    for (int tile = first; tile < g.shape.tiles; tile += step) {
        turns.wait();
        if constexpr (D.varying) {
            multiply_columns<D, D.columns>(sums, &math, g.shape.blocks_k, &result, tile != first, columns_of<D>(g, tile));
        } else {
            multiply_tile<D, D.columns>(sums, &math, g.shape.blocks_k, &result, tile != first);
            turns.pass();
            math.end_tile();
        }
        result.held.take(sums);
        result.tile = tile;
        if constexpr (D.ping_pong) {
            result.store_all();
            math.ring.skip(g.shape.blocks_k);
        }
    }
    if (!D.ping_pong && first < g.shape.tiles)
        result.store_all();
    if (threadIdx.x % 32 == 0)
        tensor_store_wait<0>();
}

template <gemm_design D, class ARGUMENTS> static __device__ inline void begin(const ARGUMENTS &g, const gemm_shared &shared)
{
    if (threadIdx.x == 0) {
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

template <gemm_design D, class ARGUMENTS = gemm_arguments>
__global__ void __launch_bounds__(GEMM_THREADS, 1) gemm(const __grid_constant__ ARGUMENTS g)
{
    static_assert(!D.varying || !D.ping_pong, "turns of two warpgroups are told apart by stages, of which all tiles have as many");
    extern __shared__ __align__(1024) unsigned char memory[];
    const gemm_shared shared = {.base = shared_address(memory), .stages = g.shape.stages, .stage_bytes = D.stage_bytes()};
    begin<D>(g, shared);
    const int group = __shfl_sync(0xffffffffu, (int)threadIdx.x / GEMM_GROUP_THREADS, 0) - 1; /* known to be the same in a warp */
    if (group < 0) {
        registers_shrink<D.copy_registers>();
        if (threadIdx.x < copying_threads(g))
            copy_tiles<D>(g, shared);
    } else {
        registers_grow<D.math_registers>();
        math_tiles<D>(g, shared, group);
    }
    /* The other block's arrivals and copies still come here: nobody leaves before all are done. */
    if constexpr (D.ctas > 1)
        cluster_sync();
}

/* The kernel for one of the baseline's tiles with what `CHANGE` makes of its design; NULL for another tile. */
template <enum sg_dtype TYPE, gemm_design (*CHANGE)(gemm_design)> static gemm_kernel *gemm_kernel_of(struct gemm_tile tile)
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
