/*
 * gemm_ptx.cuh - the instructions of sm_90a that C++ has no words for: mbarriers, bulk tensor
 * copies, clusters, register budgets, stmatrix.
 *
 * One function an instruction; addresses of shared memory are the 32 bits that the instructions
 * take. Invariant: what orders memory says so to the compiler too, by a "memory" clobber.
 * How it is used: gemm_kernel.cuh and what it includes know in which
 * order these are called, and why.
 */
#ifndef GEMM_PTX_CUH
#define GEMM_PTX_CUH

#include <cuda.h>
#include <stdint.h>

#include "gemm_design.h"

static __device__ inline uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ inline uint32_t cluster_rank()
{
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

/* Every thread of the cluster arrives, whatever its warp's other lanes do, and
 * sees what the others wrote before. */
static __device__ inline void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release;\n"
                 "barrier.cluster.wait.acquire;" ::
                     : "memory");
}

template <int REGISTERS> static __device__ inline void registers_grow()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

template <int REGISTERS> static __device__ inline void registers_shrink()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

static __device__ inline void mbarrier_init(uint32_t barrier, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals)
                 : "memory");
}

/* Makes initialised barriers known to the copy engine and to the other blocks of the cluster. */
static __device__ inline void mbarrier_publish()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/* Arrives, and makes the phase wait for so many bytes of copies. */
static __device__ inline void mbarrier_expect(uint32_t barrier, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}

/* Arrives at the barrier that block `rank` of the cluster has at the same address. */
static __device__ inline void mbarrier_arrive(uint32_t barrier, uint32_t rank)
{
    asm volatile("{\n"
                 ".reg .b32 remote;\n"
                 "mapa.shared::cluster.u32 remote, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
                 "}" ::"r"(barrier),
                 "r"(rank)
                 : "memory");
}

/* The same at this block's own. */
static __device__ inline void mbarrier_arrive_here(uint32_t barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Waits until the phase of this parity is complete. */
static __device__ inline void mbarrier_wait(uint32_t barrier, uint32_t parity)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra out;\n"
                 "bra again;\n"
                 "out:\n"
                 "}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

static __device__ inline void tensor_map_prefetch(const CUtensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* A policy of the L2 for what a copy reads; not for GEMM_NO_HINT. */
template <gemm_hint HINT> static __device__ inline uint64_t policy()
{
    uint64_t made;
    if constexpr (HINT == GEMM_EVICT_FIRST)
        asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(made));
    else if constexpr (HINT == GEMM_EVICT_LAST)
        asm("createpolicy.fractional.L2::evict_last.b64 %0;" : "=l"(made));
    else
        asm("createpolicy.fractional.L2::evict_normal.b64 %0;" : "=l"(made));
    return made;
}

/* A box of the tensor at (x, y) to shared memory of this block; outside of the
 * tensor it is zero, and counts too. */
template <gemm_hint HINT>
static __device__ inline void tensor_load(uint32_t to, const CUtensorMap *map, int x, int y,
                                          uint32_t barrier)
{
    if constexpr (HINT == GEMM_NO_HINT)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                     "l"(map), "r"(x), "r"(y), "r"(barrier)
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes."
                     "L2::cache_hint "
                     "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                     "l"(map), "r"(x), "r"(y), "r"(barrier), "l"(policy<HINT>())
                     : "memory");
}

/* A load to the same address of each block in `mask`, and to their barriers. */
template <gemm_hint HINT>
static __device__ inline void tensor_load_shared(uint32_t to, const CUtensorMap *map, int x, int y,
                                                 uint32_t barrier, uint16_t mask)
{
    if constexpr (HINT == GEMM_NO_HINT)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes."
                     "multicast::cluster "
                     "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
                     "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(mask)
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes."
                     "multicast::cluster.L2::cache_hint "
                     "[%0], [%1, {%2, %3}], [%4], %5, %6;" ::"r"(to),
                     "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(mask), "l"(policy<HINT>())
                     : "memory");
}

/* So many bytes to the L2, a multiple of 16, as the address is. */
static __device__ inline void memory_fetch(const void *from, uint32_t bytes)
{
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}

/* A box of the tensor to the L2. */
static __device__ inline void tensor_fetch(const CUtensorMap *map, int x, int y)
{
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map),
                 "r"(x), "r"(y)
                 : "memory");
}

/* A box from shared memory; what is outside of the tensor is not written. */
static __device__ inline void tensor_store(const CUtensorMap *map, int x, int y, uint32_t from)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
        "r"(x), "r"(y), "r"(from)
        : "memory");
}

/* The stores of this thread since the last commit are a group. */
static __device__ inline void tensor_store_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Until all but the last PENDING of this thread's groups of
 * stores have read their shared memory. */
template <int PENDING> static __device__ inline void tensor_store_wait()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

/* What this thread wrote to shared memory is there for the copy engine. */
static __device__ inline void async_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Four 8x8 matrices of 16-bit elements: lanes 8 i to 8 i + 7 have the addresses of the rows, or
 * TRANSPOSED the columns, of the i-th. */
template <bool TRANSPOSED>
static __device__ inline void store_matrices(uint32_t to, const uint32_t (&part)[4])
{
    if constexpr (TRANSPOSED)
        asm volatile(
            "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
            "r"(part[0]), "r"(part[1]), "r"(part[2]), "r"(part[3])
            : "memory");
    else
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                     "r"(part[0]), "r"(part[1]), "r"(part[2]), "r"(part[3])
                     : "memory");
}

#endif
