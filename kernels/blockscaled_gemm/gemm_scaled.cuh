/*
 * gemm_scaled.cuh - sums on two levels, for e4m3 with scales: the tensor cores add up one block of
 * 128 of k, FMAs scale that and add it to fp32 sums.
 *
 * The tensor cores keep some 14 bits of an e4m3 sum, so a sum of more than one block would lose
 * them; and scales change from block to block. A warpgroup has one set of block sums, for 64x128 at
 * a time: while it scales them, the other one multiplies.
 * Invariant: scales are read before a block's first multiplication is issued: the compiler
 * moves nothing into what is in flight.
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

/* Four words at a multiple of 16 bytes. */
static __device__ inline int4 load_shared4(uint32_t address)
{
    int4 value;
    asm volatile("ld.shared.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "r"(address));
    return value;
}
static __device__ inline void store_shared(uint32_t address, int4 value)
{
    asm volatile("st.shared.v4.s32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value.x),
                 "r"(value.y), "r"(value.z), "r"(value.w)
                 : "memory");
}

/* What one thread scales the sums of a block by: those of its row lane /
 * 4 of 16, and of the row 8 below. */
template <gemm_design D> struct gemm_factors {
    static constexpr int parts = (int)gemm_scales(D.columns);
    float above[parts], below[parts];

    __device__ void read(const gemm_shared &shared, int stage, int row, int block)
    {
        const uint32_t at = shared.scales(stage) + row * (int)sizeof(float);
        const float a = load_shared(at),
                    b = load_shared(at + GEMM_WARP_ROWS / 2 * (int)sizeof(float));
#pragma unroll
        for (int i = 0; i < parts; i++) {
            const float column =
                load_shared(shared.column_scales(stage) +
                            (i * GEMM_SCALE_BOX + block % GEMM_SCALE_BOX) * (int)sizeof(float));
            above[i] = a * column;
            below[i] = b * column;
        }
    }
};

/* What all of A and B are scaled by, where scales are uniform. */
template <class ARGUMENTS> static __device__ inline float first_scale(const ARGUMENTS &g)
{
    return __ldg(g.plain_row_scales) * __ldg(g.plain_column_scales);
}

template <gemm_design D>
static __device__ inline void scale_once(float (&sums)[D.group_rows() / 64][D.columns / 2],
                                         float scale)
{
#pragma unroll
    for (int part = 0; part < D.group_rows() / 64; part++)
#pragma unroll
        for (int i = 0; i < D.columns / 2; i++)
            sums[part][i] *= scale;
}

/* Block sums of 64 rows of one stage: four products, the first of which forgets what was there. */
template <enum sg_dtype TYPE, int SUMS>
static __device__ inline void multiply_block(float (&sums)[SUMS], uint64_t a, uint64_t b)
{
    constexpr int step = GEMM_WGMMA_BYTES / 16;
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < GEMM_ROW_BYTES / GEMM_WGMMA_BYTES; k++)
        wgmma<TYPE>(sums, a + k * step, b + k * step, k > 0);
    wgmma_commit();
}

/*
 * A math warpgroup's products and scales. The next stage is waited for, and its scales are read,
 * while a product is in flight, the next tile's first stage too: a warpgroup that asked afterwards
 * left the tensor cores idle meanwhile (notes.md, "What was tried").
 */
template <gemm_design D> struct gemm_scaled_math {
    gemm_math<D> &math;
    int row; /* of the tile: this thread's first */
    gemm_factors<D> next;

    /* For the stage of that block of k. */
    __device__ void wait(int block)
    {
        mbarrier_wait(math.shared.full(math.ring.stage), math.ring.phase);
        next.read(math.shared, math.ring.stage, row, block);
    }

    /* One block, behind whose first product `meanwhile` is done; `after`: the block of the stage
     * after it, below 0: there is none. */
    template <class MEANWHILE>
    __device__ void add_block(float (&sums)[D.group_rows() / 64][D.columns / 2], int after,
                              MEANWHILE meanwhile)
    {
        constexpr int scale_sums = GEMM_SCALE_BLOCK / 2,
                      part_scales = D.whole_block ? gemm_factors<D>::parts : 1;
        constexpr int parts = gemm_factors<D>::parts / part_scales,
                      part_sums = part_scales * scale_sums;
        constexpr uint32_t stride = D.stage_bytes() / 16,
                           part_rows = part_scales * GEMM_SCALE_BLOCK * GEMM_ROW_BYTES / 16;
        const int stage = math.ring.stage;
        const gemm_factors<D> factors = next;
        float block_sums[part_sums];
#pragma unroll
        for (int part = 0; part < parts; part++) {
            multiply_block<D.type>(block_sums, math.a + stage * stride,
                                   math.b + stage * stride + part * part_rows);
            if (part == 0)
                meanwhile();
            if (part == parts - 1) {
                math.ring.next();
                if (after >= 0)
                    wait(after);
            }
            wgmma_wait<0>();
            if (part == parts - 1)
                release<D>(math.shared, stage);
#pragma unroll
            for (int i = 0; i < part_sums; i++) {
                const int scale = part * part_scales + i / scale_sums;
                sums[0][part * part_sums + i] +=
                    block_sums[i] * (i % 4 < 2 ? factors.above[scale] : factors.below[scale]);
            }
        }
    }

    /* A tile of so many blocks; the one before leaves meanwhile, a slice behind each of the first
     * products, where registers hold it. */
    template <class RESULT>
    __device__ void add_tile(float (&sums)[D.group_rows() / 64][D.columns / 2], int blocks,
                             bool is_last, RESULT *before, bool has_before)
    {
        constexpr int slices = D.store_at_once() ? 0 : RESULT::slices;
        const int after_last = is_last ? -1 : 0;
#pragma unroll
        for (int i = 0; i < D.columns / 2; i++)
            sums[0][i] = 0;
#pragma unroll
        for (int i = 0; i < slices; i++) {
            const auto store = [&] {
                if (has_before)
                    before->store(i);
            };
            if (i < blocks)
                add_block(sums, i + 1 < blocks ? i + 1 : after_last, store);
            else
                store();
        }
        for (int block = slices; block < blocks; block++)
            add_block(sums, block + 1 < blocks ? block + 1 : after_last, [] {});
    }
};

#endif
