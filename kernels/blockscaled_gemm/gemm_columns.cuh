/*
 * gemm_columns.cuh - tiles of varying width: a main loop for each, and with e4m3 the scales of columns that such tiles have.
 *
 * Rows of a tile are weights, of which 128 share a scale in each block of k; columns are tokens, each with a scale of its own. What a sum
 * of a block is multiplied by, the product of both, is the same for all warps of a warpgroup, and what they read it from, shared memory, is
 * what products read their operands from: so one warp, beside the one that copies, multiplies the scales of a stage and lays the factors
 * out as threads want them, 16 bytes at a time. A math warpgroup has block sums of gemm_part_columns by 64 rows at a time: it multiplies,
 * waits, scales, while the other one's products keep the tensor cores busy. With 128 rows it reads its factors once for both halves.
 * Invariant: a warp gives a stage back when it has read its factors, and its warpgroup's products are done.
 * How it is used: gemm_kernel.cuh calls make_factors, and multiply_columns in designs that vary.
 */
#ifndef GEMM_COLUMNS_CUH
#define GEMM_COLUMNS_CUH

#include "gemm_scaled.cuh"

static __device__ inline void store_shared(uint32_t address, float value)
{
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
}

static __device__ inline float4 load_shared_four(uint32_t address)
{
    float4 value;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w) : "r"(address));
    return value;
}

/*
 * The factors of a stage for a block of 128 rows, number 0 or 1. Of every eight columns a thread has two, those of its lane % 4: each of
 * the four finds its pairs next to each other, in a row of its own.
 */
template <gemm_design D> struct gemm_factor_rows {
    static constexpr int row_bytes = gemm_factor_row_bytes(D.columns);
    uint32_t first;

    static __device__ gemm_factor_rows of(const gemm_shared &shared, int stage, int block_of_rows)
    {
        return {shared.scales(stage) + D.columns * (int)sizeof(float) + GEMM_BOX_ROOM + block_of_rows * 4 * row_bytes};
    }
    __device__ uint32_t of_column(int column) const
    {
        return first + column / 2 % 4 * row_bytes + (column / 8 * 2 + column % 2) * (int)sizeof(float);
    }
};

/* A warp: for every stage that comes, the products of the columns' scales and the one that counts of the few of each 128 rows. */
template <gemm_design D, class ARGUMENTS> static __device__ inline void make_factors(const ARGUMENTS &g, const gemm_shared &shared)
{
    const int step = gridDim.x / D.ctas, lane = threadIdx.x % 32;
    gemm_ring ring = {.stages = shared.stages};
    for (int tile = blockIdx.x / D.ctas; tile < g.shape.tiles; tile += step)
        for (int block = 0; block < g.shape.blocks_k; block++, ring.next()) {
            const uint32_t scales = shared.scales(ring.stage), of_rows = scales + D.columns * (int)sizeof(float);
            mbarrier_wait(shared.full(ring.stage), ring.phase);
#pragma unroll
            for (int i = 0; i < D.rows / GEMM_SCALE_BLOCK; i++) {
                const auto factors = gemm_factor_rows<D>::of(shared, ring.stage, i);
                const float of_these = load_shared(of_rows + (i * GEMM_SCALE_BOX + block % GEMM_SCALE_BOX) * (int)sizeof(float));
#pragma unroll
                for (int k = 0; k < D.columns; k += 32)
                    store_shared(factors.of_column(k + lane), load_shared(scales + (k + lane) * (int)sizeof(float)) * of_these);
            }
            __syncwarp();
            if (lane == 0)
                mbarrier_arrive(shared.factors_ready(ring.stage), D.ctas > 1 ? cluster_rank() : 0);
        }
}

/* What one thread scales a part's sums of a block by. */
template <int COLUMNS> struct gemm_column_factors {
    float4 of[COLUMNS / 16];

    __device__ void read(uint32_t address)
    {
#pragma unroll
        for (int i = 0; i < COLUMNS / 16; i++)
            of[i] = load_shared_four(address + i * (int)sizeof(float4));
    }
    /* Of sum i of the part: sums 4 j to 4 j + 3 are two columns of row lane / 4, and the same of the row 8 below. */
    __device__ float get(int i) const
    {
        const float4 four = of[i / 8];
        return i / 4 % 2 == 0 ? (i % 2 == 0 ? four.x : four.y) : (i % 2 == 0 ? four.z : four.w);
    }
};

/* Scales the sums of a block and adds them to those from FIRST on. */
template <int FIRST, int SUMS, int BLOCK_SUMS>
static __device__ inline void promote(float (&sums)[SUMS], const float (&block_sums)[BLOCK_SUMS],
                                      const gemm_column_factors<2 * BLOCK_SUMS> &factors)
{
#pragma unroll
    for (int i = 0; i < BLOCK_SUMS; i++)
        sums[FIRST + i] += block_sums[i] * factors.get(i);
}

/*
 * One block of k, from column FIRST on. While the products of a part are in flight its factors are read, and behind the first `meanwhile`
 * is done.
 */
template <gemm_design D, int FIRST, int SUMS, class MEANWHILE>
static __device__ inline void add_column_block(float (&sums)[1][SUMS], gemm_math<D> *math, MEANWHILE meanwhile)
{
    constexpr int left = 2 * SUMS - FIRST, most = gemm_part_columns(2 * SUMS), columns = left < most ? left : most;
    constexpr uint32_t stride = D.stage_bytes() / 16, before = FIRST * GEMM_ROW_BYTES / 16;
    const int stage = math->ring.stage;
    gemm_column_factors<columns> factors;
    float block_sums[columns / 2];
    multiply_block<D.type>(block_sums, math->a + stage * stride, math->b + stage * stride + before);
    if constexpr (FIRST == 0)
        mbarrier_wait(math->shared.factors_ready(stage), math->ring.phase);
    factors.read(gemm_factor_rows<D>::of(math->shared, stage, 0).of_column(FIRST + threadIdx.x % 4 * 2));
    if constexpr (FIRST == 0)
        meanwhile();
    wgmma_wait<0>();
    if constexpr (columns == left) {
        __syncwarp();
        release<D>(math->shared, stage);
    }
    promote<FIRST / 2>(sums[0], block_sums, factors);
    if constexpr (columns < left)
        add_column_block<D, FIRST + columns>(sums, math, meanwhile);
}

/* The same of 128 rows: 64 of them, then those below, by the same factors. */
template <gemm_design D, int SUMS, class MEANWHILE>
static __device__ inline void add_column_halves(float (&sums)[2][SUMS], gemm_math<D> *math, MEANWHILE meanwhile)
{
    constexpr uint32_t stride = D.stage_bytes() / 16, below = 64 * GEMM_ROW_BYTES / 16;
    const int stage = math->ring.stage;
    const uint64_t a = math->a + stage * stride, b = math->b + stage * stride;
    gemm_column_factors<2 * SUMS> factors;
    float block_sums[SUMS];
    multiply_block<D.type>(block_sums, a, b);
    mbarrier_wait(math->shared.factors_ready(stage), math->ring.phase);
    factors.read(gemm_factor_rows<D>::of(math->shared, stage, math->group).of_column(threadIdx.x % 4 * 2));
    meanwhile();
    wgmma_wait<0>();
    promote<0>(sums[0], block_sums, factors);
    multiply_block<D.type>(block_sums, a + below, b);
    wgmma_wait<0>();
    __syncwarp();
    release<D>(math->shared, stage);
    promote<0>(sums[1], block_sums, factors);
}

/* The sums of one e4m3 tile; the one before leaves meanwhile, a slice behind each of the first blocks, where registers hold it. */
template <gemm_design D, int SUMS, class RESULT>
static __device__ inline void add_column_tile(float (&sums)[D.group_rows() / 64][SUMS], gemm_math<D> *math, int blocks, RESULT *before,
                                              bool has_before)
{
    constexpr int slices = D.store_at_once() ? 0 : RESULT::slices;
    const auto add = [&](auto meanwhile) {
        mbarrier_wait(math->shared.full(math->ring.stage), math->ring.phase);
        if constexpr (D.group_rows() == 64)
            add_column_block<D, 0>(sums, math, meanwhile);
        else
            add_column_halves(sums, math, meanwhile);
        math->ring.next();
    };
#pragma unroll
    for (int i = 0; i < slices; i++) {
        const auto store = [&] {
            if (has_before)
                before->store(i);
        };
        if (i < blocks)
            add(store);
        else
            store();
    }
    for (int block = slices; block < blocks; block++)
        add([] {});
}

/*
 * As multiply_tile, by as many columns as the tile has: a main loop for each width, with sums of its own. Of sums that all widths share
 * the compiler said that products are serialised; those that are not set to zero here it keeps alive from tile to tile, and spills.
 */
template <gemm_design D, int COLUMNS, class RESULT>
static __device__ inline void multiply_columns(gemm_math<D> *math, RESULT *result, int tile, int step)
{
    if constexpr (COLUMNS > GEMM_NARROW)
        if (result->next_columns < COLUMNS) {
            multiply_columns<D, COLUMNS - GEMM_NARROW>(math, result, tile, step);
            return;
        }
    const gemm_shape &shape = result->g.shape;
    float sums[D.group_rows() / 64][COLUMNS / 2] = {};
    if constexpr (D.scaled())
        add_column_tile<D>(sums, math, shape.blocks_k, result, tile >= step);
    else
        multiply_tile<D>(sums, math, shape.blocks_k, result, tile >= step);
    /* While the last products are in flight there is time to look for the next tile. */
    if (tile + step < shape.tiles)
        result->next_columns = columns_of<D>(result->g, tile + step);
    if constexpr (!D.scaled())
        math->end_tile();
    if constexpr (D.store_at_once())
        result->held = {}; /* what a narrower tile leaves of it would stay alive, in registers that the next tile's sums need */
    result->held.take(sums);
    result->columns = COLUMNS;
}

#endif
