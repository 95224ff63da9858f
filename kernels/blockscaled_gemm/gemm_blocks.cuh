/*
 * gemm_blocks.cuh - e4m3 tiles of one to three blocks of 64 rows, each row with a scale of its
 * own, by 128 columns that share one.
 *
 * A thread scales a block's sums by two factors, where columns with scales of their own would
 * want one for each. Columns come from far, and once; rows come again and again, from the L2:
 * so either has a ring, and blocks that a tile has no rows for cost neither copies nor
 * products. Of two or three blocks either math warpgroup has one to itself; of one or three
 * both have half the columns of the last one.
 * A tile may come in pieces of k, whose sums meet in memory (gemm_partials.cuh).
 * Invariant: products read a stage, and the slots that come with it, only after the stage's
 * barrier; each is given back when the products that read it are done.
 * How it is used: gemm_kernel.cuh calls gemm_in_blocks for designs that have slots. The type
 * of the kernel's parameter brings `partials`, block_work_of, next_turn, columns_map,
 * copied_rows, copy_block_rows, copy_block_scales, make_column_maps, make_row_map, results_map
 * and accept_map (group_tiles.cuh).
 */
#ifndef GEMM_BLOCKS_CUH
#define GEMM_BLOCKS_CUH

#include "gemm_partials.cuh"
#include "gemm_scaled.cuh"

#define GEMM_COPYING_WARPS 4
#define GEMM_SCALES_WARP   1  /* warp 0 copies columns, 2 and 3 copy rows */
#define GEMM_TURN_PLACES   16 /* for turns that are known; two more than a block has stages would do */
#define GEMM_TURN_AHEAD    3  /* blocks of k before a turn is copied the next one is looked up: as long as it takes to draw one */

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
    static constexpr int column_bytes = D.columns * GEMM_ROW_BYTES, row_scale_bytes = D.rows * (int)sizeof(float);
    static constexpr int slots_at = 512, turns_known_at = 896, slice_bytes = GEMM_WARP_ROWS * GEMM_C_COLUMNS * GEMM_C_BYTES;
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
        return results() + D.c_stages * GEMM_MATH_THREADS / 32 * slice_bytes + stage * GEMM_BOX_ROOM;
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
static __device__ inline void copy_columns_of(const ARGUMENTS &g, const gemm_block_shared<D> &shared, const gemm_block_work &at,
                                              gemm_ring *ring)
{
#pragma unroll 1
    for (int k = at.first_k; k < at.end_k; k++, ring->next()) {
        const uint32_t full = shared.full(ring->stage);
        if (!may_copy(shared.empty(ring->stage), ring->phase))
            continue;
        mbarrier_expect(full, shared.column_bytes + g.shape.extra_bytes);
        tensor_load<D.b_hint>(shared.columns(ring->stage), columns_map(g, at.group), k * D.block_k(), at.b_row, full);
    }
}
/* Rows of one block of a tile that has so many of them, and that are copied of the last. */
static __device__ inline int rows_of_block(int block, int blocks, int last)
{
    return block + 1 < blocks ? GEMM_BLOCK_ROWS : last;
}

template <gemm_design D, class ARGUMENTS>
static __device__ inline void copy_rows_of(const ARGUMENTS &g, const gemm_block_shared<D> &shared, const gemm_block_work &at,
                                           gemm_ring *ring, gemm_slot_ring<D> *slots, int odd)
{
    const int blocks = blocks_of(at.rows), last = copied_rows(g, at.rows - (blocks - 1) * GEMM_BLOCK_ROWS);
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
                copy_block_rows(g, at, odd, rows_of_block(block, blocks, last), k * D.block_k(), block * GEMM_BLOCK_ROWS,
                                shared.rows(slots->slot), full);
        }
    }
}

/* What a turn is becomes known to the block, or that there is none; by a warp. */
template <gemm_design D>
static __device__ inline void publish_turn(const gemm_block_shared<D> &shared, gemm_ring *places, const gemm_block_work &at)
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
template <gemm_design D> static __device__ inline gemm_block_work read_turn(const gemm_block_shared<D> &shared, gemm_ring *places)
{
    const uint32_t from = shared.turn(places->stage);
    mbarrier_wait(shared.turn_known(places->stage), places->phase);
    places->next();
    const int4 k = load_shared4(from), rows = load_shared4(from + 16), scales = load_shared4(from + 32), sums = load_shared4(from + 48);
    return {same_in_warp(k.x), same_in_warp(k.y), same_in_warp(k.z), k.w,      rows.x, rows.y, rows.z, rows.w,
            scales.x,          scales.y,          scales.z,          scales.w, sums.x, sums.y};
}

/*
 * The warp that copies scales, which are few, finds out for all others what the block's turns
 * are. What a kernel is told comes from far the first time, and where each warp had the code for
 * that, in each of its loops, the kernel had 84 KB, and waited for its instructions. The first
 * turn is looked up while other warps make the barriers, a later one shortly before the turn
 * before is copied: who comes first draws.
 */
template <gemm_design D, class ARGUMENTS>
static __device__ inline void find_turns(const ARGUMENTS &g, const gemm_block_shared<D> &shared, gemm_ring *ring)
{
    gemm_ring places = {.stages = GEMM_TURN_PLACES};
    gemm_block_work next = block_work_of<D>(g, blockIdx.x);
    __syncthreads();
    publish_turn(shared, &places, next);
    for (;;) {
        const gemm_block_work at = next;
        const int first = same_in_warp(at.first_k), end = same_in_warp(at.end_k);
        const int blocks = blocks_of(at.rows), bytes = (GEMM_SCALE_BOX + blocks * GEMM_BLOCK_ROWS) * (int)sizeof(float);
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
            copy_block_scales(g, at, k, blocks, shared.row_scales(ring->stage), shared.column_scales(ring->stage), full);
        }
    }
}

/* A copying warp's way through its block's turns. */
template <gemm_design D, class COPY> static __device__ inline void copy_turns_of(const gemm_block_shared<D> &shared, COPY copy)
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
static __device__ inline void copy_in_blocks(const ARGUMENTS &g, const gemm_block_shared<D> &shared, int warp)
{
    gemm_ring ring = {.stages = shared.stages, .phase = 1}; /* before the first turn every stage is empty */
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

/* What one thread scales a block's sums by: those of its row lane /
 * 4 of 16, and of the row 8 below. */
struct gemm_row_factors {
    float above, below;
};

/* A product that is under way: what it reads, and what its sums will be scaled by. */
struct gemm_flight {
    int stage, slot;
    gemm_row_factors factors;
};

/* So many columns of a block of rows as they leave. */
constexpr gemm_design gemm_of_a_block(gemm_design design, int columns)
{
    design.rows = 2 * GEMM_BLOCK_ROWS;
    design.columns = columns;
    return design;
}
template <gemm_design D, int COLUMNS> constexpr gemm_design gemm_block_part = gemm_of_a_block(D, COLUMNS);

/* The compiler has no other way to know that products in flight have written these. */
template <int SUMS> static __device__ inline void fence_sums(float (&sums)[SUMS])
{
#pragma unroll
    for (int i = 0; i < SUMS; i++)
        asm volatile("" : "+f"(sums[i])::"memory");
}

/*
 * The math of one warpgroup, and where it is in both rings. OWN: it has a block to itself; HALF:
 * half the columns of the last one. While a product's sums are scaled the next product is under
 * way; none is across a turn of a loop, which the compiler would not believe.
 */
template <gemm_design D, class ARGUMENTS> struct gemm_block_math {
    static constexpr int own_sums = D.columns / 2, half_columns = D.columns / 2, half_sums = half_columns / 2;
    static constexpr int slice_bytes = gemm_block_shared<D>::slice_bytes;

    const ARGUMENTS &g;
    const gemm_block_shared<D> &shared;
    int group;
    uint32_t places; /* of this warp's results */
    gemm_ring ring;
    gemm_slot_ring<D> slots;
    gemm_block_work at;
    int blocks; /* of the turn */

    /* Until all that products of the next block of k read is there. */
    __device__ void wait() const
    {
        mbarrier_wait(shared.full(ring.stage), ring.phase);
    }
    /* A product of so many columns of that block, k of the tile's, and
     * what its sums will be scaled by. */
    template <int COLUMNS> __device__ gemm_flight product(int k) const
    {
        const int block = COLUMNS == half_columns ? blocks - 1 : group;
        const int row = block * GEMM_BLOCK_ROWS + threadIdx.x % GEMM_GROUP_THREADS / 32 * GEMM_WARP_ROWS + threadIdx.x % 32 / 4;
        const uint32_t scales = shared.row_scales(ring.stage) + row * (int)sizeof(float);
        const float columns = load_shared(shared.column_scales(ring.stage) + k % GEMM_SCALE_BOX * (int)sizeof(float));
        const float above = load_shared(scales), below = load_shared(scales + GEMM_WARP_ROWS / 2 * (int)sizeof(float));
        return {ring.stage, slots.ahead(block).slot, {above * columns, below * columns}};
    }
    /* Behind the last product of a block of k. */
    __device__ void next_k()
    {
        ring.next();
        slots.skip(blocks);
    }
    template <int SUMS> __device__ void start(float (&block_sums)[SUMS], const gemm_flight &flight) const
    {
        const uint32_t first_column = 2 * SUMS == half_columns ? group * (half_columns * GEMM_ROW_BYTES / 16) : 0;
        multiply_block<D.type>(block_sums, operand(shared.rows(0)) + flight.slot * (GEMM_SLOT_BYTES / 16),
                               operand(shared.columns(0)) + flight.stage * (shared.column_bytes / 16) + first_column);
    }
    /*
     * Who has a slot alone gives it back for both warpgroups; the stage goes with the
     * last product that reads it, and with its scales, which all warps have read before
     * any of them began that product.
     */
    template <bool IS_LAST, int SUMS> __device__ void finish(float (&block_sums)[SUMS], const gemm_flight &flight) const
    {
        const int thread = threadIdx.x % GEMM_GROUP_THREADS;
        wgmma_wait<0>();
        fence_sums(block_sums);
        if (thread < (2 * SUMS == half_columns ? 1 : 2))
            mbarrier_arrive_here(shared.slot_empty(flight.slot));
        if (IS_LAST && thread == 0)
            mbarrier_arrive_here(shared.empty(flight.stage));
    }
    template <int SUMS> static __device__ void promote(float (&sums)[SUMS], const float (&block_sums)[SUMS], const gemm_flight &flight)
    {
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            sums[i] += block_sums[i] * (i % 4 < 2 ? flight.factors.above : flight.factors.below);
    }

    template <int SUMS> __device__ gemm_flight ready_alone(int k)
    {
        wait();
        const gemm_flight flight = product<2 * SUMS>(k);
        next_k();
        return flight;
    }
    /* All blocks of k, a product each. */
    template <int SUMS> __device__ void add_one_each(float (&sums)[SUMS])
    {
        float even[SUMS], odd[SUMS];
        gemm_flight first = ready_alone<SUMS>(at.first_k), second = first;
        start(even, first);
        if (at.first_k + 1 < at.end_k)
            second = ready_alone<SUMS>(at.first_k + 1);
        finish<true>(even, first);
#pragma unroll 1
        for (int k = at.first_k + 1; k < at.end_k; k += 2) {
            start(odd, second);
            promote(sums, even, first);
            if (k + 1 < at.end_k)
                first = ready_alone<SUMS>(k + 1);
            finish<true>(odd, second);
            if (k + 1 == at.end_k) {
                promote(sums, odd, second);
                return;
            }
            start(even, first);
            promote(sums, odd, second);
            if (k + 2 < at.end_k)
                second = ready_alone<SUMS>(k + 2);
            finish<true>(even, first);
        }
        promote(sums, even, first);
    }
    /* All blocks of k, two products each. */
    __device__ void add_two_each(float (&own)[own_sums], float (&half)[half_sums])
    {
        float own_block[own_sums], half_block[half_sums];
        wait();
        gemm_flight first = product<2 * own_sums>(at.first_k);
        start(own_block, first);
        gemm_flight second = product<2 * half_sums>(at.first_k);
        next_k();
        finish<false>(own_block, first);
#pragma unroll 1
        for (int k = at.first_k + 1; k < at.end_k; k++) {
            start(half_block, second);
            promote(own, own_block, first);
            wait();
            first = product<2 * own_sums>(k);
            finish<true>(half_block, second);
            start(own_block, first);
            promote(half, half_block, second);
            second = product<2 * half_sums>(k);
            next_k();
            finish<false>(own_block, first);
        }
        start(half_block, second);
        promote(own, own_block, first);
        finish<true>(half_block, second);
        promote(half, half_block, second);
    }

    /*
     * A block's results leave in slices of a warp's 16 rows by 32 columns, of which some
     * are written while the copy engine has the others. A place is written again when the
     * copy engine has read what was there: `BEHIND` another block of 128 columns it was
     * four slices ago, else it may have been two. Lanes that store 16 bytes each, without
     * the copy engine, were 4 % slower.
     */
    template <int BEFORE, int SUMS> __device__ void store(const float (&sums)[1][SUMS], int block, int column) const
    {
        constexpr gemm_design part = gemm_block_part<D, 2 * SUMS>;
        const int row = at.row + block * GEMM_BLOCK_ROWS + threadIdx.x % GEMM_GROUP_THREADS / 32 * GEMM_WARP_ROWS;
        const bool sends = threadIdx.x % 32 == 0;
        gemm_held<part> held;
        held.take(sums);
#pragma unroll
        for (int slice = 0; slice < 2 * SUMS / GEMM_C_COLUMNS; slice++) {
            constexpr int last = D.c_stages - 1;
            const uint32_t place = places + (BEFORE + slice) % D.c_stages * slice_bytes;
            if (sends && BEFORE + slice == 0)
                tensor_store_wait<0>();
            else if (sends)
                tensor_store_wait<last>();
            __syncwarp();
            write_matrices<part>(held, slice, place);
            async_fence();
            __syncwarp();
            if (sends) {
                tensor_store(results_map(g, at.group), at.column + column + slice * GEMM_C_COLUMNS, row, place);
                tensor_store_commit();
            }
        }
    }

    /* Sums of a piece go to who has the tile's last one, who adds
     * those of all others to its own. */
    template <bool OWN, bool HALF> __device__ void give(const float (&own)[own_sums], const float (&half)[half_sums], int partial) const
    {
        gemm_partial to = partial_of(g.partials, partial, group);
        if constexpr (OWN)
            to.write(own);
        if constexpr (HALF)
            to.write(half);
        to.publish();
    }
    template <bool OWN, bool HALF> __device__ void take(float (&own)[own_sums], float (&half)[half_sums], int partial, int takes) const
    {
        for (int i = 0; i < takes; i++) {
            gemm_partial from = partial_of(g.partials, partial + i, group);
            from.wait();
            if constexpr (OWN)
                from.add_to(own);
            if constexpr (HALF)
                from.add_to(half);
        }
    }

    /* A tile, and its results. */
    template <bool OWN, bool HALF> __device__ void multiply()
    {
        float own[1][own_sums] = {}, half[1][half_sums] = {};
        if constexpr (OWN && HALF)
            add_two_each(own[0], half[0]);
        else if constexpr (OWN)
            add_one_each(own[0]);
        else
            add_one_each(half[0]);
        const int partial = same_in_warp(at.partial), takes = same_in_warp(at.takes);
        if (partial >= 0 && takes == 0) {
            give<OWN, HALF>(own[0], half[0], partial);
            return;
        }
        take<OWN, HALF>(own[0], half[0], partial, takes);
        accept_map(g, at.group);
        if constexpr (OWN)
            store<0>(own, group, 0);
        if constexpr (HALF)
            store<OWN ? 2 * own_sums / GEMM_C_COLUMNS : 0>(half, blocks - 1, group * half_columns);
    }
};

template <gemm_design D, class ARGUMENTS>
static __device__ inline void math_in_blocks(const ARGUMENTS &g, const gemm_block_shared<D> &shared, int group)
{
    const int warp = threadIdx.x % GEMM_GROUP_THREADS / 32 + 4 * group;
    gemm_block_math<D, ARGUMENTS> math = {.g = g,
                                          .shared = shared,
                                          .group = group,
                                          .places = shared.results() + warp * D.c_stages * shared.slice_bytes,
                                          .ring = {.stages = shared.stages}};
    gemm_ring places_of_turns = {.stages = GEMM_TURN_PLACES};
    __syncthreads();
    for (math.at = read_turn(shared, &places_of_turns); math.at.rows > 0; math.at = read_turn(shared, &places_of_turns)) {
        math.blocks = blocks_of(math.at.rows);
        if (math.blocks == 3)
            math.template multiply<true, true>();
        else if (math.blocks == 2)
            math.template multiply<true, false>();
        else
            math.template multiply<false, true>();
    }
    if (threadIdx.x % 32 == 0)
        tensor_store_wait<0>();
}

/*
 * Some of the barriers, 16 at most, by one thread of each warp that copies and does
 * not look up the first turn: 24 after each other took 0.3 us, and lanes side by side
 * take their turns, which was slower.
 */
template <gemm_design D> static __device__ inline void make_barriers(const gemm_block_shared<D> &shared, int warp)
{
    for (int stage = 0; warp == 0 && stage < shared.stages; stage++) {
        mbarrier_init(shared.full(stage), GEMM_COPYING_WARPS);
        mbarrier_init(shared.empty(stage), 2);
    }
    for (int slot = 0; warp == 2 && slot < D.slots; slot++)
        mbarrier_init(shared.slot_empty(slot), 2);
    for (int place = 0; warp == 3 && place < GEMM_TURN_PLACES; place++)
        mbarrier_init(shared.turn_known(place), 1);
    mbarrier_publish();
}

/* Four warps that copy, and two warpgroups that multiply. */
template <gemm_design D, class ARGUMENTS>
static __device__ inline void gemm_in_blocks(const ARGUMENTS &g, const gemm_block_shared<D> &shared)
{
    static_assert(D.scaled() && D.ctas == 1 && D.columns == GEMM_SCALE_BLOCK, "128 columns share a scale, and nobody shares the block");
    static_assert(D.rows == GEMM_TILE_BLOCKS * GEMM_BLOCK_ROWS, "a math warpgroup has a block to itself, and a half of the third");
    static_assert(D.slots % 2 == 0 && D.slots > GEMM_TILE_BLOCKS,
                  "a slot is one warp's, and a block of k fits beside what is left of one before");
    static_assert(gemm_block_shared<D>::slots_at + 8 * D.slots <= 768, "slots' barriers end where the fourth map is changed");
    static_assert(GEMM_TURN_PLACES * sizeof(gemm_block_work) <= GEMM_TURN_BYTES, "there is room for what is known of turns");
    static_assert(D.c_stages >= 2, "store() takes turns with so many places");
    const int warp = __shfl_sync(0xffffffffu, (int)threadIdx.x / 32, 0); /* known to be the same in a warp */
    if (warp >= GEMM_GROUP_THREADS / 32) {
        registers_grow<D.math_registers>();
        math_in_blocks<D>(g, shared, warp / 4 - 1);
    } else {
        registers_shrink<D.copy_registers>();
        if (threadIdx.x % 32 == 0 && warp != GEMM_SCALES_WARP) {
            prefetch_block_maps(g, warp);
            make_barriers<D>(shared, warp);
        }
        __syncwarp();
        copy_in_blocks<D>(g, shared, warp);
    }
}

#endif
