/*
 * gemm_wgmma.cuh - the tensor cores: a warpgroup adds A[64][32 bytes] B[N][32
 * bytes]^T to its fp32 sums: 16 of k in bf16 and f16, 32 in e4m3; N = 128 or 256, in
 * e4m3 64 too, in bf16 32 to 256 by 32.
 *
 * Operands are in shared memory, rows of 128 bytes of k with the 128-byte swizzle that the copy
 * engine writes; sums are registers. Invariant: between wgmma_commit and the wgmma_wait that covers
 * it the sums and the shared memory of the operands are not touched.
 *
 *     wgmma_fence();
 *     wgmma<SG_BF16>(sums, operand(a), operand(b), false);   first of a tile: the
 *         sums' old values do not count
 *     wgmma_commit();
 *     wgmma_wait<0>();
 */
#ifndef GEMM_WGMMA_CUH
#define GEMM_WGMMA_CUH

#include <stdint.h>

#include "solgate_kernel.h"

#define GEMM_WGMMA_BYTES 32 /* of k, of one instruction */

/* Descriptor of an operand: rows of 128 bytes, 8 of them to a swizzled group, the groups
 * 1024 bytes apart. Steps of 16 bytes. */
static __device__ inline uint64_t operand(uint32_t address)
{
    const uint64_t swizzle_128 = 1ull << 62, group_stride = (uint64_t)(1024 >> 4) << 32,
                   unused = 1ull << 16;
    return swizzle_128 | group_stride | unused | ((address & 0x3ffff) >> 4);
}

static __device__ inline void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ inline void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Until all but the last PENDING commits are done. */
template <int PENDING> static __device__ inline void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

#define GEMM_NAMES_64                                                                  \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define GEMM_NAMES_128                                                                       \
    GEMM_NAMES_64                                                                            \
    ", "                                                                                     \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "       \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "       \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, " \
    "%111, "                                                                                 \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, "   \
    "%126, %127"
#define GEMM_SUMS_8(d, i)                                                                       \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
        "+f"(d[i + 6]), "+f"(d[i + 7])
#define GEMM_SUMS_32(d, i) \
    GEMM_SUMS_8(d, i), GEMM_SUMS_8(d, i + 8), GEMM_SUMS_8(d, i + 16), GEMM_SUMS_8(d, i + 24)
#define GEMM_SUMS_64(d)  GEMM_SUMS_32(d, 0), GEMM_SUMS_32(d, 32)
#define GEMM_SUMS_128(d) GEMM_SUMS_64(d), GEMM_SUMS_32(d, 64), GEMM_SUMS_32(d, 96)

/* `next`, `after`, `last`: the names of the operands behind the sums; `order`: that neither operand
 * is transposed, where that can be said. */
#define GEMM_WGMMA(shape, type, order, names, next, after, last, sums)                             \
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, " last ", 0;\n"                             \
                 "wgmma.mma_async.sync.aligned." shape ".f32." type "." type " {" names "}, " next \
                 ", " after ", add, 1, 1" order ";\n}"                                             \
                 : sums                                                                            \
                 : "l"(a), "l"(b), "r"((int)add))
#define GEMM_WGMMA_128(shape, type, order) \
    GEMM_WGMMA(shape, type, order, GEMM_NAMES_64, "%64", "%65", "%66", GEMM_SUMS_64(d))
#define GEMM_WGMMA_256(shape, type, order) \
    GEMM_WGMMA(shape, type, order, GEMM_NAMES_128, "%128", "%129", "%130", GEMM_SUMS_128(d))

template <enum sg_dtype TYPE>
static __device__ inline void wgmma(float (&d)[64], uint64_t a, uint64_t b, bool add)
{
    if constexpr (TYPE == SG_BF16)
        GEMM_WGMMA_128("m64n128k16", "bf16", ", 0, 0");
    else if constexpr (TYPE == SG_F16)
        GEMM_WGMMA_128("m64n128k16", "f16", ", 0, 0");
    else
        GEMM_WGMMA_128("m64n128k32", "e4m3", "");
}

template <enum sg_dtype TYPE>
static __device__ inline void wgmma(float (&d)[128], uint64_t a, uint64_t b, bool add)
{
    if constexpr (TYPE == SG_BF16)
        GEMM_WGMMA_256("m64n256k16", "bf16", ", 0, 0");
    else if constexpr (TYPE == SG_F16)
        GEMM_WGMMA_256("m64n256k16", "f16", ", 0, 0");
    else
        GEMM_WGMMA_256("m64n256k32", "e4m3", "");
}

/* The other widths that a tile of varying width can have. */
#define GEMM_NAMES_16 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define GEMM_NAMES_32                                                                             \
    GEMM_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, " \
                  "%31"
#define GEMM_NAMES_48                                                                             \
    GEMM_NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, " \
                  "%47"
#define GEMM_NAMES_80                                                                             \
    GEMM_NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, " \
                  "%79"
#define GEMM_NAMES_96                                                                             \
    GEMM_NAMES_80 ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, " \
                  "%95"
#define GEMM_NAMES_112                                                                           \
    GEMM_NAMES_96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, " \
                  "%109, %110, %111"
#define GEMM_SUMS_16(d, i) GEMM_SUMS_8(d, i), GEMM_SUMS_8(d, i + 8)
#define GEMM_SUMS_48(d)    GEMM_SUMS_32(d, 0), GEMM_SUMS_16(d, 32)
#define GEMM_SUMS_80(d)    GEMM_SUMS_64(d), GEMM_SUMS_16(d, 64)
#define GEMM_SUMS_96(d)    GEMM_SUMS_64(d), GEMM_SUMS_32(d, 64)
#define GEMM_SUMS_112(d)   GEMM_SUMS_64(d), GEMM_SUMS_32(d, 64), GEMM_SUMS_16(d, 96)
#define GEMM_WGMMA_32(shape, type, order) \
    GEMM_WGMMA(shape, type, order, GEMM_NAMES_16, "%16", "%17", "%18", GEMM_SUMS_16(d, 0))
#define GEMM_WGMMA_64(shape, type, order) \
    GEMM_WGMMA(shape, type, order, GEMM_NAMES_32, "%32", "%33", "%34", GEMM_SUMS_32(d, 0))
#define GEMM_WGMMA_96(shape, type, order) \
    GEMM_WGMMA(shape, type, order, GEMM_NAMES_48, "%48", "%49", "%50", GEMM_SUMS_48(d))
#define GEMM_WGMMA_160(shape, type, order) \
    GEMM_WGMMA(shape, type, order, GEMM_NAMES_80, "%80", "%81", "%82", GEMM_SUMS_80(d))
#define GEMM_WGMMA_192(shape, type, order) \
    GEMM_WGMMA(shape, type, order, GEMM_NAMES_96, "%96", "%97", "%98", GEMM_SUMS_96(d))
#define GEMM_WGMMA_224(shape, type, order) \
    GEMM_WGMMA(shape, type, order, GEMM_NAMES_112, "%112", "%113", "%114", GEMM_SUMS_112(d))
#define GEMM_WGMMA_NARROW(columns)                                                   \
    static_assert(TYPE == SG_BF16, "of other formats there are no tiles so narrow"); \
    GEMM_WGMMA_##columns("m64n" #columns "k16", "bf16", ", 0, 0")

template <enum sg_dtype TYPE>
static __device__ inline void wgmma(float (&d)[16], uint64_t a, uint64_t b, bool add)
{
    GEMM_WGMMA_NARROW(32);
}

template <enum sg_dtype TYPE>
static __device__ inline void wgmma(float (&d)[32], uint64_t a, uint64_t b, bool add)
{
    static_assert(TYPE == SG_BF16 || TYPE == SG_E4M3, "of f16 there are no tiles so narrow");
    if constexpr (TYPE == SG_BF16)
        GEMM_WGMMA_64("m64n64k16", "bf16", ", 0, 0");
    else
        GEMM_WGMMA_64("m64n64k32", "e4m3", "");
}

template <enum sg_dtype TYPE>
static __device__ inline void wgmma(float (&d)[48], uint64_t a, uint64_t b, bool add)
{
    GEMM_WGMMA_NARROW(96);
}

template <enum sg_dtype TYPE>
static __device__ inline void wgmma(float (&d)[80], uint64_t a, uint64_t b, bool add)
{
    GEMM_WGMMA_NARROW(160);
}

template <enum sg_dtype TYPE>
static __device__ inline void wgmma(float (&d)[96], uint64_t a, uint64_t b, bool add)
{
    GEMM_WGMMA_NARROW(192);
}

template <enum sg_dtype TYPE>
static __device__ inline void wgmma(float (&d)[112], uint64_t a, uint64_t b, bool add)
{
    GEMM_WGMMA_NARROW(224);
}

#endif
