/*
 * gemm_blocks.cuh - e4m3 tiles of one to four blocks of 64 rows, each row with a scale of its own, by 128 columns that share one.
 *
 * A thread scales a block's sums by two factors, where columns with scales of their own would want one for each. Columns come from far, and
 * once; rows come again and again, from the L2: so either has a ring and a warp that fills it, and blocks that a tile has no rows for cost
 * neither copies nor products. A math warpgroup has half of a tile's blocks, and of an odd number half of the last one's columns.
 * Invariant: products read a stage or a slot only after its barrier, and it is given back when the products that read it are done.
 * How it is used: gemm_kernel.cuh calls gemm_in_blocks for designs that have slots. The type of the kernel's parameter brings
 * block_work_of, is_turn, copied_rows, copy_block_rows, copy_block_scales, make_column_maps, make_row_map and accept_map (group_tiles.cuh).
 */
#ifndef GEMM_BLOCKS_CUH
#define GEMM_BLOCKS_CUH

#include "gemm_scaled.cuh"

#define GEMM_FIRST_STAGES 2 /* that a block asks for before the first has come: all of all blocks at once would come together, and late */

/* A tile: the maps that it is copied and stored by, and where in them it begins. */
struct gemm_block_work {
    const CUtensorMap *a, *b, *d;
    int a_row, b_row;
    int row, column; /* of D */
    int rows;        /* of the tile, 1 to GEMM_TILE_BLOCKS * 64 */
    int first_scale, scale_step, scale_row;
};

/* A position in the ring of slots. */
template <gemm_design D> struct gemm_slot_ring {
    int slot = 0;
    uint32_t phase = 0;

    /* So many slots on, at most all of them. */
    __device__ void skip(int count)
    {
        slot += count;
        if (slot >= D.slots) {
            slot -= D.slots;
            phase ^= 1;
        }
    }
    __device__ gemm_slot_ring ahead(int count) const
    {
        gemm_slot_ring there = *this;
        there.skip(count);
        return there;
    }
};

/* Shared memory of a block: barriers in the first 1024 bytes, stages of columns, slots of rows, stages of C, the scales of each stage. */
template <gemm_design D> struct gemm_block_shared {
    static constexpr int column_bytes = D.columns * GEMM_ROW_BYTES, row_scale_bytes = D.rows * (int)sizeof(float);
    static constexpr int slots_at = 512, slice_bytes = GEMM_WARP_ROWS * GEMM_C_COLUMNS * GEMM_C_BYTES;
    uint32_t base;
    int stages;

    __device__ uint32_t full(int stage) const
    {
        return base + 16 * stage;
    }
    __device__ uint32_t empty(int stage) const
    {
        return base + 16 * stage + 8;
    }
    __device__ uint32_t slot_full(int slot) const
    {
        return base + slots_at + 16 * slot;
    }
    __device__ uint32_t slot_empty(int slot) const
    {
        return base + slots_at + 16 * slot + 8;
    }
    __device__ uint32_t columns(int stage) const
    {
        return base + 1024 + stage * column_bytes;
    }
    __device__ uint32_t rows(int slot) const
    {
        return columns(stages) + slot * GEMM_SLOT_BYTES;
    }
    __device__ uint32_t results() const
    {
        return rows(D.slots);
    }
    __device__ uint32_t column_scales(int stage) const
    {
        return results() + D.c_stages * GEMM_MATH_THREADS / 32 * slice_bytes + stage * GEMM_BOX_ROOM;
    }
    __device__ uint32_t row_scales(int stage) const
    {
        return column_scales(stages) + stage * row_scale_bytes;
    }
};

static __device__ inline int blocks_of(int rows)
{
    return (rows + GEMM_BLOCK_ROWS - 1) / GEMM_BLOCK_ROWS;
}

/*
 * A warp that copies: its lanes walk along, and one copies. Where lanes part, the compiler takes the copies' operands for different ones,
 * and goes from lane to lane for each copy; and who fell behind by two turns of a ring would wait for ever.
 */
static __device__ inline bool may_copy(uint32_t empty, uint32_t phase)
{
    mbarrier_wait(empty, phase);
    __syncwarp();
    return threadIdx.x % 32 == 0;
}

/* The columns of a tile's blocks of k, and its scales. */
template <gemm_design D, class ARGUMENTS>
static __device__ inline void copy_columns_of(const ARGUMENTS &g, const gemm_block_shared<D> &shared, const gemm_block_work &at,
                                              gemm_ring *ring, bool is_first)
{
    const int blocks = blocks_of(at.rows);
    const int bytes = shared.column_bytes + (GEMM_SCALE_BOX + blocks * GEMM_BLOCK_ROWS) * (int)sizeof(float);
#pragma unroll 1
    for (int k = 0; k < g.shape.blocks_k; k++, ring->next()) {
        const uint32_t full = shared.full(ring->stage);
        if (is_first && k == GEMM_FIRST_STAGES)
            mbarrier_wait(shared.full(0), 0);
        if (!may_copy(shared.empty(ring->stage), ring->phase))
            continue;
        mbarrier_expect(full, bytes + g.shape.extra_bytes);
        tensor_load<D.b_hint>(shared.columns(ring->stage), at.b, k * D.block_k(), at.b_row, full);
        copy_block_scales(g, at, k, blocks, shared.row_scales(ring->stage), shared.column_scales(ring->stage), full);
    }
}

/* The rows of a tile's blocks of k, a slot for each 64. */
template <gemm_design D, class ARGUMENTS>
static __device__ inline void copy_rows_of(const ARGUMENTS &g, const gemm_block_shared<D> &shared, const gemm_block_work &at,
                                           gemm_slot_ring<D> *ring, bool is_first)
{
#pragma unroll 1
    for (int k = 0; k < g.shape.blocks_k; k++) {
        if (is_first && k == GEMM_FIRST_STAGES)
            mbarrier_wait(shared.slot_full(0), 0);
#pragma unroll 1
        for (int row = 0; row < at.rows; row += GEMM_BLOCK_ROWS, ring->skip(1)) {
            const uint32_t full = shared.slot_full(ring->slot);
            const int rows = copied_rows(g, at.rows - row);
            if (!may_copy(shared.slot_empty(ring->slot), ring->phase))
                continue;
            mbarrier_expect(full, rows * GEMM_ROW_BYTES);
            copy_block_rows(g, at, rows, k * D.block_k(), row, shared.rows(ring->slot), full);
        }
    }
}

/* The first warp. Its first tile is looked up, in a parameter that comes from far, while another warp makes the barriers. */
template <gemm_design D, class ARGUMENTS> static __device__ inline void copy_columns(const ARGUMENTS &g, const gemm_block_shared<D> &shared)
{
    gemm_ring ring = {.stages = shared.stages, .phase = 1}; /* before the first turn every stage is empty */
    const int first = blockIdx.x;
    gemm_block_work at = block_work_of<D>(g, first);
    __syncthreads();
    for (int tile = first;;) {
        make_column_maps(g, shared.base, at, tile, tile == first ? -1 : tile - (int)gridDim.x);
        copy_columns_of(g, shared, at, &ring, tile == first);
        tile += gridDim.x;
        if (!is_turn(g, tile))
            return;
        at = block_work_of<D>(g, tile);
    }
}

/* The second warp. */
template <gemm_design D, class ARGUMENTS> static __device__ inline void copy_rows(const ARGUMENTS &g, const gemm_block_shared<D> &shared)
{
    gemm_slot_ring<D> ring = {.phase = 1};
    const int first = blockIdx.x;
    gemm_block_work at = block_work_of<D>(g, first);
    __syncthreads();
    for (int tile = first;;) {
        make_row_map(g, shared.base, tile, tile == first ? -1 : tile - (int)gridDim.x);
        copy_rows_of(g, shared, at, &ring, tile == first);
        tile += gridDim.x;
        if (!is_turn(g, tile))
            return;
        at = block_work_of<D>(g, tile);
    }
}

/* A tile's blocks: all, and those of a math warpgroup alone; of an odd number it has half of the last one's columns too. */
struct gemm_share {
    int blocks, first, own;
    bool half;

    static __device__ gemm_share of(int rows, int group)
    {
        const int blocks = blocks_of(rows);
        return {blocks, group * (blocks / 2), blocks / 2, blocks % 2 > 0};
    }
};

/* What one thread scales a block's sums by: those of its row lane / 4 of 16, and of the row 8 below. */
struct gemm_row_factors {
    float above, below;
};

/* So many columns of a block of rows as they leave. */
constexpr gemm_design gemm_of_a_block(gemm_design design, int columns)
{
    design.rows = 2 * GEMM_BLOCK_ROWS;
    design.columns = columns;
    return design;
}
template <gemm_design D, int COLUMNS> constexpr gemm_design gemm_block_part = gemm_of_a_block(D, COLUMNS);

/* The math of one warpgroup: where it is in both rings. */
template <gemm_design D, class ARGUMENTS> struct gemm_block_math {
    static constexpr int half_columns = D.columns / 2, slice_bytes = gemm_block_shared<D>::slice_bytes;

    const ARGUMENTS &g;
    const gemm_block_shared<D> &shared;
    int group;
    uint32_t places; /* of this warp's results */
    gemm_ring ring;
    gemm_slot_ring<D> slots;
    gemm_block_work at, next;

    __device__ void wait_columns() const
    {
        mbarrier_wait(shared.full(ring.stage), ring.phase);
    }
    /*
     * Waits for a slot; with what scales its product with a stage that is there. First until the copy before has been used: a barrier tells
     * one turn from the next only, and this slot's was the other warpgroup's, which may be far behind.
     */
    __device__ gemm_row_factors wait_rows(int block, int stage, int k) const
    {
        const gemm_slot_ring<D> in = slots.ahead(block);
        const int row = block * GEMM_BLOCK_ROWS + threadIdx.x % GEMM_GROUP_THREADS / 32 * GEMM_WARP_ROWS + threadIdx.x % 32 / 4;
        const uint32_t scales = shared.row_scales(stage) + row * (int)sizeof(float);
        const float columns = load_shared(shared.column_scales(stage) + k % GEMM_SCALE_BOX * (int)sizeof(float));
        mbarrier_wait(shared.slot_empty(in.slot), in.phase ^ 1);
        mbarrier_wait(shared.slot_full(in.slot), in.phase);
        return {load_shared(scales) * columns, load_shared(scales + GEMM_WARP_ROWS / 2 * (int)sizeof(float)) * columns};
    }
    /* Who has a slot alone gives it back for both warpgroups. */
    __device__ void release_slot(int slot, int groups) const
    {
        if (threadIdx.x % GEMM_GROUP_THREADS < groups)
            mbarrier_arrive(shared.slot_empty(slot), 0);
    }
    __device__ void release_columns(int stage) const
    {
        if (threadIdx.x % GEMM_GROUP_THREADS == 0)
            mbarrier_arrive(shared.empty(stage), 0);
    }
    static __device__ int block_of(const gemm_share &share, int i, int own)
    {
        return i < own ? share.first + i : share.blocks - 1;
    }

    /*
     * Product I of OWN and perhaps a half in one block of k. What comes next is waited for, and its scales are read, while it is in
     * flight; behind the first of a tile the next tile is looked up.
     */
    template <int I, int OWN, bool HALF, int SUMS>
    __device__ void add(float (&sums)[SUMS], const gemm_share &share, int k, gemm_row_factors *then, int next_tile)
    {
        constexpr int products = OWN + HALF;
        const int stage = ring.stage, slot = slots.ahead(block_of(share, I, OWN)).slot;
        const uint32_t before = I < OWN ? 0 : group * (half_columns * GEMM_ROW_BYTES / 16);
        const gemm_row_factors factors = *then;
        float block_sums[SUMS];
        multiply_block<D.type>(block_sums, operand(shared.rows(0)) + slot * (GEMM_SLOT_BYTES / 16),
                               operand(shared.columns(0)) + stage * (shared.column_bytes / 16) + before);
        if (I == 0 && k == 0 && is_turn(g, next_tile))
            next = block_work_of<D>(g, next_tile);
        if constexpr (I + 1 < products) {
            *then = wait_rows(block_of(share, I + 1, OWN), stage, k);
        } else {
            ring.next();
            slots.skip(share.blocks);
            if (k + 1 < g.shape.blocks_k) {
                wait_columns();
                *then = wait_rows(block_of(share, 0, OWN), ring.stage, k + 1);
            }
        }
        wgmma_wait<0>();
        release_slot(slot, I < OWN ? 2 : 1);
        if constexpr (I + 1 == products)
            release_columns(stage);
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            sums[i] += block_sums[i] * (i % 4 < 2 ? factors.above : factors.below);
    }

    /*
     * A block's results leave in slices of a warp's 16 rows by 32 columns, of which one is written while the copy engine has the other.
     * Lanes that store 16 bytes each, without the copy engine, were 4 % slower.
     */
    template <int SUMS> __device__ void store(const float (&sums)[1][SUMS], int block, int column)
    {
        constexpr gemm_design part = gemm_block_part<D, 2 * SUMS>;
        const int row = at.row + block * GEMM_BLOCK_ROWS + threadIdx.x % GEMM_GROUP_THREADS / 32 * GEMM_WARP_ROWS;
        const bool sends = threadIdx.x % 32 == 0;
        gemm_held<part> held;
        held.take(sums);
#pragma unroll
        for (int slice = 0; slice < 2 * SUMS / GEMM_C_COLUMNS; slice++) {
            const uint32_t place = places + slice % 2 * slice_bytes;
            if (sends)
                tensor_store_wait<1>();
            __syncwarp();
            write_matrices<part>(held, slice, place);
            async_fence();
            __syncwarp();
            if (sends) {
                tensor_store(at.d, at.column + column + slice * GEMM_C_COLUMNS, row, place);
                tensor_store_commit();
            }
        }
    }

    /* A tile, and its results. */
    template <int OWN, bool HALF> __device__ void multiply(const gemm_share &share, int next_tile)
    {
        float own[OWN > 0 ? OWN : 1][1][D.columns / 2] = {}, half[1][half_columns / 2] = {};
        wait_columns();
        gemm_row_factors then = wait_rows(block_of(share, 0, OWN), ring.stage, 0);
        for (int k = 0; k < g.shape.blocks_k; k++) {
            if constexpr (OWN > 0)
                add<0, OWN, HALF>(own[0][0], share, k, &then, next_tile);
            if constexpr (OWN > 1)
                add<1, OWN, HALF>(own[1][0], share, k, &then, next_tile);
            if constexpr (HALF)
                add<OWN, OWN, HALF>(half[0], share, k, &then, next_tile);
        }
        accept_map(g, at);
#pragma unroll
        for (int i = 0; i < OWN; i++)
            store(own[i], share.first + i, 0);
        if constexpr (HALF)
            store(half, share.blocks - 1, group * half_columns);
    }
};

template <gemm_design D, class ARGUMENTS>
static __device__ inline void math_in_blocks(const ARGUMENTS &g, const gemm_block_shared<D> &shared, int group)
{
    const int warp = threadIdx.x % GEMM_GROUP_THREADS / 32 + 4 * group, first = blockIdx.x;
    gemm_block_math<D, ARGUMENTS> math = {.g = g,
                                          .shared = shared,
                                          .group = group,
                                          .places = shared.results() + warp * D.c_stages * shared.slice_bytes,
                                          .ring = {.stages = shared.stages}};
    math.next = block_work_of<D>(g, first);
    __syncthreads();
    for (int tile = first; is_turn(g, tile); tile += gridDim.x) {
        math.at = math.next;
        const gemm_share share = gemm_share::of(math.at.rows, group);
        if (share.own == 2)
            math.template multiply<2, false>(share, tile + gridDim.x);
        else if (share.own == 1 && share.half)
            math.template multiply<1, true>(share, tile + gridDim.x);
        else if (share.own == 1)
            math.template multiply<1, false>(share, tile + gridDim.x);
        else
            math.template multiply<0, true>(share, tile + gridDim.x);
    }
    if (threadIdx.x % 32 == 0)
        tensor_store_wait<0>();
}

template <gemm_design D> static __device__ inline void make_barriers(const gemm_block_shared<D> &shared)
{
    for (int stage = 0; stage < shared.stages; stage++) {
        mbarrier_init(shared.full(stage), 1);
        mbarrier_init(shared.empty(stage), 2);
    }
    for (int slot = 0; slot < D.slots; slot++) {
        mbarrier_init(shared.slot_full(slot), 1);
        mbarrier_init(shared.slot_empty(slot), 2);
    }
    mbarrier_publish();
}

/* A warp for the columns, one for the rows, one that makes the barriers, one that prefetches the maps; and two warpgroups that multiply. */
template <gemm_design D, class ARGUMENTS>
static __device__ inline void gemm_in_blocks(const ARGUMENTS &g, const gemm_block_shared<D> &shared)
{
    static_assert(D.scaled() && D.ctas == 1 && D.columns == GEMM_SCALE_BLOCK, "128 columns share a scale, and nobody shares the block");
    static_assert(D.rows == GEMM_TILE_BLOCKS * GEMM_BLOCK_ROWS && D.slots >= GEMM_TILE_BLOCKS && D.slots <= 16,
                  "slots' barriers end below 1008");
    static_assert(GEMM_FIRST_STAGES * GEMM_TILE_BLOCKS < D.slots, "the first slot is not filled again before it is waited for");
    static_assert(D.c_stages == 2, "store() takes turns with two places, and a block leaves in an even number of slices");
    const int warp = __shfl_sync(0xffffffffu, (int)threadIdx.x / 32, 0); /* known to be the same in a warp */
    if (warp >= GEMM_GROUP_THREADS / 32) {
        registers_grow<D.math_registers>();
        math_in_blocks<D>(g, shared, warp / 4 - 1);
        return;
    }
    registers_shrink<D.copy_registers>();
    if (warp == 0) {
        copy_columns<D>(g, shared);
    } else if (warp == 1) {
        copy_rows<D>(g, shared);
    } else {
        if (threadIdx.x == 64)
            make_barriers<D>(shared);
        if (threadIdx.x == 96)
            prefetch_block_maps(g);
        __syncwarp();
        __syncthreads();
    }
}

#endif
