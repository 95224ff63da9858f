/*
 * gemm_scaled.cuh - sums on two levels, for e4m3 with scales: the tensor cores add up one block of 128 of k, FMAs scale that and add it to
 * fp32 sums.
 *
 * The tensor cores keep some 14 bits of an e4m3 sum, so a sum of more than one block would lose them; and scales change from block to
 * block. A warpgroup has one set of block sums, for 64x128 at a time: while it scales them, the other one multiplies.
 * Invariant: scales are read before a block's first multiplication is issued: the compiler moves nothing into what is in flight.
 */
#ifndef GEMM_SCALED_CUH
#define GEMM_SCALED_CUH

#include "gemm_math.cuh"

static __device__ inline float load_shared(uint32_t address)
{
    float value;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(address));
    return value;
}

/* Where the scales of a tile are, for one thread: of its rows lane / 4 and 8 further in stage 0, and of the tile's columns in memory. */
template <gemm_design D> struct gemm_scales_at {
    static constexpr int parts = D.columns / GEMM_SCALE_BLOCK;
    uint32_t rows;
    const float *columns[parts];
    const float *misread[D.misread_scales ? 2 : 1]; /* of the same rows in memory, as a variant takes them to be there */
};

template <gemm_design D, class ARGUMENTS>
static __device__ inline gemm_scales_at<D> gemm_scales_of(const ARGUMENTS &g, const gemm_shared &shared, int tile, int rows_before)
{
    const int thread = threadIdx.x % GEMM_GROUP_THREADS, row = rows_before + thread / 32 * GEMM_WARP_ROWS + thread % 32 / 4;
    const int last = (g.shape.n - 1) / GEMM_SCALE_BLOCK; /* a tile may begin its second half beyond the matrix */
    const gemm_work tile_at = work_of<D>(g, tile);
    gemm_scales_at<D> at = {.rows = shared.scales(0) + row * (int)sizeof(float)};
#pragma unroll
    for (int i = 0; i < at.parts; i++)
        at.columns[i] = tile_at.column_scales + min(tile_at.column / GEMM_SCALE_BLOCK + i, last) * g.shape.column_scales_row;
    if constexpr (D.misread_scales)
        for (int i = 0; i < 2; i++)
            at.misread[i] = g.plain_row_scales + min(tile_at.row + row + 8 * i, g.shape.m - 1) * g.shape.blocks_k;
    return at;
}

/* What all of A and B are scaled by, where scales are uniform. */
template <class ARGUMENTS> static __device__ inline float first_scale(const ARGUMENTS &g)
{
    return __ldg(g.plain_row_scales) * __ldg(g.column_scales);
}

template <gemm_design D> static __device__ inline void scale_once(float (&sums)[D.group_rows() / 64][D.columns / 2], float scale)
{
#pragma unroll
    for (int part = 0; part < D.group_rows() / 64; part++)
#pragma unroll
        for (int i = 0; i < D.columns / 2; i++)
            sums[part][i] *= scale;
}

/* Block sums of 64 rows of one stage: four products, the first of which forgets what was there. */
template <enum sg_dtype TYPE, int SUMS> static __device__ inline void multiply_block(float (&sums)[SUMS], uint64_t a, uint64_t b)
{
    constexpr int step = GEMM_WGMMA_BYTES / 16;
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < GEMM_ROW_BYTES / GEMM_WGMMA_BYTES; k++)
        wgmma<TYPE>(sums, a + k * step, b + k * step, k > 0);
    wgmma_commit();
}

/* The sums of a tile of e4m3; the tile before leaves meanwhile, a slice behind each of the first products, where registers hold it. */
template <gemm_design D, class RESULT>
static __device__ inline void add_tile(float (&sums)[D.group_rows() / 64][D.columns / 2], gemm_math<D> *math, const gemm_scales_at<D> &at,
                                       int blocks, RESULT *before, bool has_before)
{
    constexpr int scales = gemm_scales_at<D>::parts, part_scales = D.whole_block ? scales : 1, parts = scales / part_scales;
    constexpr int slices = D.store_at_once() ? 0 : RESULT::slices;
    constexpr int scale_sums = GEMM_SCALE_BLOCK / 2, part_sums = part_scales * scale_sums;
    constexpr int part_rows = part_scales * GEMM_SCALE_BLOCK * GEMM_ROW_BYTES / 16;
    constexpr uint32_t stride = D.stage_bytes() / 16;
    float next[scales], block_sums[part_sums];
#pragma unroll
    for (int i = 0; i < D.columns / 2; i++)
        sums[0][i] = 0;
#pragma unroll
    for (int i = 0; i < scales; i++)
        next[i] = __ldg(at.columns[i]);
    auto add_block = [&](int block, int slice) {
        const int stage = math->ring.stage;
        mbarrier_wait(math->shared.full(stage), math->ring.phase);
        float above = load_shared(at.rows + stage * D.scale_bytes()), below = load_shared(at.rows + stage * D.scale_bytes() + 32);
        if constexpr (D.misread_scales) {
            above = __ldg(at.misread[0] + block);
            below = __ldg(at.misread[1] + block);
        }
#pragma unroll
        for (int part = 0; part < parts; part++) {
            float scale[part_scales];
#pragma unroll
            for (int i = 0; i < part_scales; i++) {
                scale[i] = next[part * part_scales + i];
                next[part * part_scales + i] = __ldg(at.columns[part * part_scales + i] + min(block + 1, blocks - 1));
            }
            multiply_block<D.type>(block_sums, math->a + stage * stride, math->b + stage * stride + part * part_rows);
            if (part == 0 && slice < slices && has_before)
                before->store(slice);
            wgmma_wait<0>();
            if (part == parts - 1)
                release<D>(math->shared, stage);
#pragma unroll
            for (int i = 0; i < part_sums; i++)
                sums[0][part * part_sums + i] += block_sums[i] * ((i % 4 < 2 ? above : below) * scale[i / scale_sums]);
        }
        math->ring.next();
    };
#pragma unroll
    for (int i = 0; i < slices; i++) {
        if (i < blocks)
            add_block(i, i);
        else if (has_before)
            before->store(i);
    }
    for (int block = slices; block < blocks; block++)
        add_block(block, slices);
}

#endif
