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
#include "gemm_block_copies.cuh"

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
template <gemm_design D, int COLUMNS>
constexpr gemm_design gemm_block_part = gemm_of_a_block(D, COLUMNS);

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
    static constexpr int own_sums = D.columns / 2, half_columns = D.columns / 2,
                         half_sums = half_columns / 2;
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
        const int row = block * GEMM_BLOCK_ROWS +
                        threadIdx.x % GEMM_GROUP_THREADS / 32 * GEMM_WARP_ROWS +
                        threadIdx.x % 32 / 4;
        const uint32_t scales = shared.row_scales(ring.stage) + row * (int)sizeof(float);
        const float columns =
            load_shared(shared.column_scales(ring.stage) + k % GEMM_SCALE_BOX * (int)sizeof(float));
        const float above = load_shared(scales),
                    below = load_shared(scales + GEMM_WARP_ROWS / 2 * (int)sizeof(float));
        return {ring.stage, slots.ahead(block).slot, {above * columns, below * columns}};
    }
    /* Behind the last product of a block of k. */
    __device__ void next_k()
    {
        ring.next();
        slots.skip(blocks);
    }
    template <int SUMS>
    __device__ void start(float (&block_sums)[SUMS], const gemm_flight &flight) const
    {
        const uint32_t first_column =
            2 * SUMS == half_columns ? group * (half_columns * GEMM_ROW_BYTES / 16) : 0;
        multiply_block<D.type>(
            block_sums, operand(shared.rows(0)) + flight.slot * (GEMM_SLOT_BYTES / 16),
            operand(shared.columns(0)) + flight.stage * (shared.column_bytes / 16) + first_column);
    }
    /*
     * Who has a slot alone gives it back for both warpgroups; the stage goes with the
     * last product that reads it, and with its scales, which all warps have read before
     * any of them began that product.
     */
    template <bool IS_LAST, int SUMS>
    __device__ void finish(float (&block_sums)[SUMS], const gemm_flight &flight) const
    {
        const int thread = threadIdx.x % GEMM_GROUP_THREADS;
        wgmma_wait<0>();
        fence_sums(block_sums);
        if (thread < (2 * SUMS == half_columns ? 1 : 2))
            mbarrier_arrive_here(shared.slot_empty(flight.slot));
        if (IS_LAST && thread == 0)
            mbarrier_arrive_here(shared.empty(flight.stage));
    }
    template <int SUMS>
    static __device__ void promote(float (&sums)[SUMS], const float (&block_sums)[SUMS],
                                   const gemm_flight &flight)
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
    template <int BEFORE, int SUMS>
    __device__ void store(const float (&sums)[1][SUMS], int block, int column) const
    {
        constexpr gemm_design part = gemm_block_part<D, 2 * SUMS>;
        const int row = at.row + block * GEMM_BLOCK_ROWS +
                        threadIdx.x % GEMM_GROUP_THREADS / 32 * GEMM_WARP_ROWS;
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
                tensor_store(results_map(g, at.group), at.column + column + slice * GEMM_C_COLUMNS,
                             row, place);
                tensor_store_commit();
            }
        }
    }

    /* Sums of a piece go to who has the tile's last one, who adds
     * those of all others to its own. */
    template <bool OWN, bool HALF>
    __device__ void give(const float (&own)[own_sums], const float (&half)[half_sums],
                         int partial) const
    {
        gemm_partial to = partial_of(g.partials, partial, group);
        if constexpr (OWN)
            to.write(own);
        if constexpr (HALF)
            to.write(half);
        to.publish();
    }
    template <bool OWN, bool HALF>
    __device__ void take(float (&own)[own_sums], float (&half)[half_sums], int partial,
                         int takes) const
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
static __device__ inline void math_in_blocks(const ARGUMENTS &g, const gemm_block_shared<D> &shared,
                                             int group)
{
    const int warp = threadIdx.x % GEMM_GROUP_THREADS / 32 + 4 * group;
    gemm_block_math<D, ARGUMENTS> math = {.g = g,
                                          .shared = shared,
                                          .group = group,
                                          .places = shared.results() +
                                                    warp * D.c_stages * shared.slice_bytes,
                                          .ring = {.stages = shared.stages}};
    gemm_ring places_of_turns = {.stages = GEMM_TURN_PLACES};
    __syncthreads();
    for (math.at = read_turn(shared, &places_of_turns); math.at.rows > 0;
         math.at = read_turn(shared, &places_of_turns)) {
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
template <gemm_design D>
static __device__ inline void make_barriers(const gemm_block_shared<D> &shared, int warp)
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
    static_assert(D.scaled() && D.ctas == 1 && D.columns == GEMM_SCALE_BLOCK,
                  "128 columns share a scale, and the block is not shared");
    static_assert(D.rows == GEMM_TILE_BLOCKS * GEMM_BLOCK_ROWS,
                  "a math warpgroup has a block to itself, and a half of the third");
    static_assert(D.slots % 2 == 0 && D.slots > GEMM_TILE_BLOCKS,
                  "a slot is one warp's, and a block of k fits beside what is left of one before");
    static_assert(gemm_block_shared<D>::slots_at + 8 * D.slots <= 768,
                  "slots' barriers end where the fourth map is changed");
    static_assert(GEMM_TURN_PLACES * sizeof(gemm_block_work) <= GEMM_TURN_BYTES,
                  "there is room for what is known of turns");
    static_assert(D.c_stages >= 2, "store() takes turns with so many places");
    const int warp =
        __shfl_sync(0xffffffffu, (int)threadIdx.x / 32, 0); /* known to be the same in a warp */
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
