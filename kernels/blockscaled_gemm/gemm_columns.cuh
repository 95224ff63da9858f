/*
 * gemm_columns.cuh - tiles of varying width: a main loop for each, and with e4m3 the scales of columns that such tiles have.
 *
 * Rows of a tile are weights, which share a scale in each block of k; columns are tokens, each with a scale of its own. A warpgroup has
 * block sums of gemm_part_columns at a time: it multiplies, waits, scales, while the other warpgroup's products keep the tensor cores busy.
 * Invariant: a warp gives a stage back when it has read its scales, and its warpgroup's products are done.
 * How it is used: math_tiles in gemm_kernel.cuh calls multiply_columns in designs that vary.
 */
#ifndef GEMM_COLUMNS_CUH
#define GEMM_COLUMNS_CUH

#include "gemm_scaled.cuh"

static __device__ inline float2 load_shared_pair(uint32_t address)
{
    float2 value;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(value.x), "=f"(value.y) : "r"(address));
    return value;
}

/* What one thread scales a part's sums of a block by: of every eight columns it has two next to each other. */
template <int COLUMNS> struct gemm_column_factors {
    float2 of[COLUMNS / 8];

    __device__ void read(uint32_t scales, float of_rows)
    {
#pragma unroll
        for (int i = 0; i < COLUMNS / 8; i++) {
            const float2 own = load_shared_pair(scales + (i * 8 + threadIdx.x % 4 * 2) * (int)sizeof(float));
            of[i] = make_float2(own.x * of_rows, own.y * of_rows);
        }
    }
    /* Of sum i of the part. */
    __device__ float get(int i) const
    {
        return i % 2 == 0 ? of[i / 4].x : of[i / 4].y;
    }
};

/*
 * One block of k, from column FIRST on. While the products of a part are in flight its scales are read, and behind the first `meanwhile` is
 * done.
 */
template <gemm_design D, int FIRST, int SUMS, class MEANWHILE>
static __device__ inline void add_column_block(float (&sums)[1][SUMS], gemm_math<D> *math, int block, MEANWHILE meanwhile)
{
    constexpr int left = 2 * SUMS - FIRST, most = gemm_part_columns(2 * SUMS), columns = left < most ? left : most;
    constexpr uint32_t stride = D.stage_bytes() / 16, before = FIRST * GEMM_ROW_BYTES / 16;
    const int stage = math->ring.stage;
    const uint32_t scales = math->shared.scales(stage), of_rows = scales + (D.columns + block % GEMM_SCALE_BOX) * (int)sizeof(float);
    gemm_column_factors<columns> factors;
    float block_sums[columns / 2];
    multiply_block<D.type>(block_sums, math->a + stage * stride, math->b + stage * stride + before);
    factors.read(scales + FIRST * (int)sizeof(float), load_shared(of_rows));
    if constexpr (FIRST == 0)
        meanwhile();
    wgmma_wait<0>();
    if constexpr (columns == left) {
        __syncwarp();
        release<D>(math->shared, stage);
    }
#pragma unroll
    for (int i = 0; i < columns / 2; i++)
        sums[0][FIRST / 2 + i] += block_sums[i] * factors.get(i);
    if constexpr (columns < left)
        add_column_block<D, FIRST + columns>(sums, math, block, meanwhile);
}

/* The sums of one e4m3 tile; the one before leaves meanwhile, a slice behind each of the first blocks, where registers hold it. */
template <gemm_design D, int SUMS, class RESULT>
static __device__ inline void add_column_tile(float (&sums)[1][SUMS], gemm_math<D> *math, int blocks, RESULT *before, bool has_before)
{
    constexpr int slices = D.store_at_once() ? 0 : RESULT::slices;
    const auto add = [&](int block, auto meanwhile) {
        mbarrier_wait(math->shared.full(math->ring.stage), math->ring.phase);
        add_column_block<D, 0>(sums, math, block, meanwhile);
        math->ring.next();
    };
#pragma unroll
    for (int i = 0; i < slices; i++) {
        const auto store = [&] {
            if (has_before)
                before->store(i);
        };
        if (i < blocks)
            add(i, store);
        else
            store();
    }
    for (int block = slices; block < blocks; block++)
        add(block, [] {});
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
    result->held.take(sums);
    result->columns = COLUMNS;
}

#endif
