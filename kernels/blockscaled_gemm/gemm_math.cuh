/*
 * gemm_math.cuh - a math warpgroup at the ring: waits for a stage, multiplies it, gives it back.
 *
 * Invariant: a stage is given back when the multiplication that reads it is done, and one
 * multiplication is in flight while the next stage is waited for.
 * How it is used: gemm_kernel.cuh calls multiply_tile for each tile; gemm_scaled.cuh has what e4m3
 * needs instead, gemm_columns.cuh calls it for tiles of varying width.
 */
#ifndef GEMM_MATH_CUH
#define GEMM_MATH_CUH

#include "gemm_results.cuh"
#include "gemm_wgmma.cuh"

/* One stage, 128 bytes of k, from descriptors of its first rows, as many columns as there are
 * sums for; `add`: to what is there. */
template <gemm_design D, int SUMS>
static __device__ inline void multiply(float (&sums)[D.group_rows() / 64][SUMS], uint64_t a,
                                       uint64_t b, bool add)
{
    constexpr int step = GEMM_WGMMA_BYTES / 16,
                  part = 64 * GEMM_ROW_BYTES / 16; /* a descriptor counts in 16 bytes */
    wgmma_fence();
#pragma unroll
    for (int k = 0; k < GEMM_ROW_BYTES / GEMM_WGMMA_BYTES; k++)
#pragma unroll
        for (int i = 0; i < D.group_rows() / 64; i++)
            wgmma<D.type>(sums[i], a + i * part + k * step, b + k * step, add || k > 0);
    wgmma_commit();
}

/* A thread for each block of the cluster: their copies come into this
 * block too, and ours into theirs. */
template <gemm_design D> static __device__ inline void release(const gemm_shared &shared, int stage)
{
    const int thread = threadIdx.x % GEMM_GROUP_THREADS;
    if (thread < D.ctas)
        mbarrier_arrive(shared.empty(stage), thread);
}

/*
 * In ping-pong a warpgroup multiplies when the other has seen the last stage of its tile. Not for
 * order's sake, which the ring keeps: a barrier tells one turn of the ring from the next only, and
 * who waits two turns ahead takes old data for new.
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

/* The math of one warpgroup: where it is in the ring, and the
 * descriptors of its rows in stage 0. */
template <gemm_design D> struct gemm_math {
    const gemm_shared &shared;
    uint64_t a, b;
    gemm_ring ring;
    int group;
    int last; /* stage whose multiplication is in flight */

    template <int SUMS>
    __device__ void begin_block(float (&sums)[D.group_rows() / 64][SUMS], bool add)
    {
        constexpr uint32_t stride = D.stage_bytes() / 16;
        mbarrier_wait(shared.full(ring.stage), ring.phase);
        multiply<D>(sums, a + ring.stage * stride, b + ring.stage * stride, add);
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
 * The sums of one tile, stage by stage; one multiplication is always in flight while the next
 * stage is waited for. In a cooperative design the tile before, if there is one, leaves
 * meanwhile, a slice behind each of the first multiplications: all at once would take longer
 * than the tensor cores have work for.
 */
template <gemm_design D, int SUMS, class RESULT>
static __device__ inline void multiply_tile(float (&sums)[D.group_rows() / 64][SUMS],
                                            gemm_math<D> *math, int blocks, RESULT *before,
                                            bool has_before)
{
    constexpr int slices = D.ping_pong ? 1 : RESULT::slices;
#pragma unroll
    for (int i = 0; i < slices; i++) {
        if (i < blocks)
            math->begin_block(sums, i > 0);
        if (!D.ping_pong && has_before)
            before->store(i);
        if (i < blocks)
            math->end_block(i == 0);
    }
    for (int block = slices; block < blocks; block++) {
        math->begin_block(sums, true);
        math->end_block(false);
    }
}

#endif
