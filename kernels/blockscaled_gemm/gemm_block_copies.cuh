/*
 * gemm_block_copies.cuh - the copying half of gemm_blocks.cuh: the turns of a block, the ring of
 * slots, shared memory, and the warps that copy columns and rows and look turns up.
 */
#ifndef GEMM_BLOCK_COPIES_CUH
#define GEMM_BLOCK_COPIES_CUH

#include "gemm_scaled.cuh"

#define GEMM_COPYING_WARPS 4
#define GEMM_SCALES_WARP   1 /* warp 0 copies columns, 2 and 3 copy rows */
#define GEMM_TURN_PLACES \
    16 /* for turns that are known; two more than a block has stages would do */
#define GEMM_TURN_AHEAD                                                                        \
    3 /* blocks of k before a turn is copied the next one is looked up: as long as it takes to \
         draw one */

/* A tile, or a piece of one: where it begins in the maps that it is copied and stored by. */
struct alignas(16) gemm_block_work {
    int rows;           /* of the tile, 1 to GEMM_TILE_BLOCKS * 64; 0: there is no such turn */
    int first_k, end_k; /* blocks of k */
    int group;          /* whose maps those of rows and results are */
    int a_row, b_row;
    int row, column; /* of D */
    int first_scale, scale_step, scale_row;
    int turn;    /* its number */
    int partial; /* the place of its sums, or of the first that it takes; -1: of a whole tile */
    int takes;   /* sums of other pieces, from there on; 0: it gives its own */
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

/* Shared memory of a block: barriers in the first 1024 bytes, stages of columns, slots of rows,
 * stages of C, the scales of each stage. */
template <gemm_design D> struct gemm_block_shared {
    static constexpr int column_bytes = D.columns * GEMM_ROW_BYTES,
                         row_scale_bytes = D.rows * (int)sizeof(float);
    static constexpr int slots_at = 512, turns_known_at = 896,
                         slice_bytes = GEMM_WARP_ROWS * GEMM_C_COLUMNS * GEMM_C_BYTES;
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
    __device__ uint32_t slot_empty(int slot) const
    {
        return base + slots_at + 8 * slot;
    }
    /* Where it says what a turn is, and the barrier that is passed when it does. */
    __device__ uint32_t turn_known(int place) const
    {
        return base + turns_known_at + 8 * place;
    }
    __device__ uint32_t turn(int place) const
    {
        return row_scales(stages) + place * (int)sizeof(gemm_block_work);
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
        return results() + D.c_stages * GEMM_MATH_THREADS / 32 * slice_bytes +
               stage * GEMM_BOX_ROOM;
    }
    __device__ uint32_t row_scales(int stage) const
    {
        return column_scales(stages) + stage * row_scale_bytes;
    }
};

/*
 * The compiler may know then that loops have as many turns for all lanes, and keeps what they walk
 * through in uniform registers; without that the kernel took a fifth longer.
 */
static __device__ inline int same_in_warp(int value)
{
    return __reduce_max_sync(0xffffffffu, value);
}

static __device__ inline int blocks_of(int rows)
{
    return (rows + GEMM_BLOCK_ROWS - 1) / GEMM_BLOCK_ROWS;
}

/*
 * A warp that copies: its lanes walk along, and one copies. Where lanes part, the compiler takes
 * the copies' operands for different ones, and goes from lane to lane for each copy; and who fell
 * behind by two turns of a ring would wait for ever.
 */
static __device__ inline bool may_copy(uint32_t empty, uint32_t phase)
{
    mbarrier_wait(empty, phase);
    __syncwarp();
    return threadIdx.x % 32 == 0;
}

/*
 * What a warp copies of a tile's blocks of k. From one copy to the next it takes a warp hundreds of
 * cycles, for waits and addresses follow each other, so four warps share them: columns, scales, and
 * rows for the even slots and for the odd ones. A slot is one warp's: who came to it every other
 * turn could not tell whether the turn between has been. All four say to the same barrier, that of
 * the stage, what they bring for a block of k, be it nothing: the warps that multiply are who the
 * kernel waits for, and each wait of theirs is 100 cycles.
 */
template <gemm_design D, class ARGUMENTS>
static __device__ inline void copy_columns_of(const ARGUMENTS &g,
                                              const gemm_block_shared<D> &shared,
                                              const gemm_block_work &at, gemm_ring *ring)
{
#pragma unroll 1
    for (int k = at.first_k; k < at.end_k; k++, ring->next()) {
        const uint32_t full = shared.full(ring->stage);
        if (!may_copy(shared.empty(ring->stage), ring->phase))
            continue;
        mbarrier_expect(full, shared.column_bytes + g.shape.extra_bytes);
        tensor_load<D.b_hint>(shared.columns(ring->stage), columns_map(g, at.group),
                              k * D.block_k(), at.b_row, full);
    }
}
/* Rows of one block of a tile that has so many of them, and that are copied of the last. */
static __device__ inline int rows_of_block(int block, int blocks, int last)
{
    return block + 1 < blocks ? GEMM_BLOCK_ROWS : last;
}

template <gemm_design D, class ARGUMENTS>
static __device__ inline void copy_rows_of(const ARGUMENTS &g, const gemm_block_shared<D> &shared,
                                           const gemm_block_work &at, gemm_ring *ring,
                                           gemm_slot_ring<D> *slots, int odd)
{
    const int blocks = blocks_of(at.rows),
              last = copied_rows(g, at.rows - (blocks - 1) * GEMM_BLOCK_ROWS);
#pragma unroll 1
    for (int k = at.first_k; k < at.end_k; k++, ring->next()) {
        const uint32_t full = shared.full(ring->stage);
        int rows = 0;
#pragma unroll
        for (int block = 0; block < GEMM_TILE_BLOCKS; block++)
            if (block < blocks && (slots->slot + block) % 2 == odd)
                rows += rows_of_block(block, blocks, last);
        if (may_copy(shared.empty(ring->stage), ring->phase))
            mbarrier_expect(full, rows * GEMM_ROW_BYTES);
#pragma unroll
        for (int block = 0; block < GEMM_TILE_BLOCKS; block++, slots->skip(1)) {
            if (block == blocks)
                break;
            if (slots->slot % 2 == odd && may_copy(shared.slot_empty(slots->slot), slots->phase))
                copy_block_rows(g, at, odd, rows_of_block(block, blocks, last), k * D.block_k(),
                                block * GEMM_BLOCK_ROWS, shared.rows(slots->slot), full);
        }
    }
}

/* What a turn is becomes known to the block, or that there is none; by a warp. */
template <gemm_design D>
static __device__ inline void publish_turn(const gemm_block_shared<D> &shared, gemm_ring *places,
                                           const gemm_block_work &at)
{
    const uint32_t to = shared.turn(places->stage);
    if (threadIdx.x % 32 == 0) {
        store_shared(to, {at.rows, at.first_k, at.end_k, at.group});
        store_shared(to + 16, {at.a_row, at.b_row, at.row, at.column});
        store_shared(to + 32, {at.first_scale, at.scale_step, at.scale_row, at.turn});
        store_shared(to + 48, {at.partial, at.takes, 0, 0});
        mbarrier_arrive_here(shared.turn_known(places->stage));
    }
    places->next();
}

/*
 * The next turn, once it is known. Who finds turns is no more than all stages ahead of who reads
 * last, and a turn has one at least: a place is written again long after it has been read.
 */
template <gemm_design D>
static __device__ inline gemm_block_work read_turn(const gemm_block_shared<D> &shared,
                                                   gemm_ring *places)
{
    const uint32_t from = shared.turn(places->stage);
    mbarrier_wait(shared.turn_known(places->stage), places->phase);
    places->next();
    const int4 k = load_shared4(from), rows = load_shared4(from + 16),
               scales = load_shared4(from + 32), sums = load_shared4(from + 48);
    return {same_in_warp(k.x),
            same_in_warp(k.y),
            same_in_warp(k.z),
            k.w,
            rows.x,
            rows.y,
            rows.z,
            rows.w,
            scales.x,
            scales.y,
            scales.z,
            scales.w,
            sums.x,
            sums.y};
}

/*
 * The warp that copies scales, which are few, finds out for all others what the block's turns
 * are. What a kernel is told comes from far the first time, and where each warp had the code for
 * that, in each of its loops, the kernel had 84 KB, and waited for its instructions. The first
 * turn is looked up while other warps make the barriers, a later one shortly before the turn
 * before is copied: who comes first draws.
 */
template <gemm_design D, class ARGUMENTS>
static __device__ inline void find_turns(const ARGUMENTS &g, const gemm_block_shared<D> &shared,
                                         gemm_ring *ring)
{
    gemm_ring places = {.stages = GEMM_TURN_PLACES};
    gemm_block_work next = block_work_of<D>(g, blockIdx.x);
    __syncthreads();
    publish_turn(shared, &places, next);
    for (;;) {
        const gemm_block_work at = next;
        const int first = same_in_warp(at.first_k), end = same_in_warp(at.end_k);
        const int blocks = blocks_of(at.rows),
                  bytes = (GEMM_SCALE_BOX + blocks * GEMM_BLOCK_ROWS) * (int)sizeof(float);
        const int soon = end - GEMM_TURN_AHEAD, look_up_at = soon > first ? soon : first;
        if (at.rows == 0)
            return;
#pragma unroll 1
        for (int k = first; k < end; k++, ring->next()) {
            if (k == look_up_at) {
                const int turn = next_turn(g, at.turn);
                next = {};
                if (turn >= 0)
                    next = block_work_of<D>(g, turn);
                publish_turn(shared, &places, next);
            }
            const uint32_t full = shared.full(ring->stage);
            if (!may_copy(shared.empty(ring->stage), ring->phase))
                continue;
            mbarrier_expect(full, bytes);
            copy_block_scales(g, at, k, blocks, shared.row_scales(ring->stage),
                              shared.column_scales(ring->stage), full);
        }
    }
}

/* A copying warp's way through its block's turns. */
template <gemm_design D, class COPY>
static __device__ inline void copy_turns_of(const gemm_block_shared<D> &shared, COPY copy)
{
    gemm_ring places = {.stages = GEMM_TURN_PLACES};
    for (int before = -1;;) {
        const gemm_block_work at = read_turn(shared, &places);
        if (at.rows == 0)
            return;
        copy(at, before);
        before = at.group;
    }
}

template <gemm_design D, class ARGUMENTS>
static __device__ inline void copy_in_blocks(const ARGUMENTS &g, const gemm_block_shared<D> &shared,
                                             int warp)
{
    gemm_ring ring = {.stages = shared.stages,
                      .phase = 1}; /* before the first turn every stage is empty */
    gemm_slot_ring<D> slots = {.phase = 1};
    if (warp == GEMM_SCALES_WARP) {
        find_turns(g, shared, &ring);
        return;
    }
    __syncthreads();
    if (warp == 0)
        copy_turns_of(shared, [&](const gemm_block_work &at, int before) {
            make_column_maps(g, shared.base, at, before);
            copy_columns_of(g, shared, at, &ring);
        });
    else
        copy_turns_of(shared, [&](const gemm_block_work &at, int before) {
            make_row_map(g, shared.base, at, before, warp % 2);
            copy_rows_of(g, shared, at, &ring, &slots, warp % 2);
        });
}

#endif
