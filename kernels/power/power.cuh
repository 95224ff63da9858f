/*
 * power.cuh - one kernel at two powers: matrix and fused multiply-adds on registers full
 * of random bits, or full of zeros.
 *
 * Invariant: both variants run the same machine code for the same number of turns, so cycles and
 * every count of instructions are equal; `bits` alone differs, a mask over the operands. What
 * toggles draws power, and power takes the clock down: that is all that may show.
 *
 *     SG_VARIANT(power, random) = { ..., .launch = power_launch<~0u> };
 */
#ifndef POWER_CUH
#define POWER_CUH

#include <cuda_runtime.h>

#include "solgate_kernel.h"

enum { POWER_IN, POWER_OUT, POWER_BUFFERS };
enum { POWER_ELEMENTS, POWER_TURNS, POWER_CHAINS };

#define POWER_THREADS   256
#define POWER_FRAGMENTS 4 /* different operands of the matrix multiply-adds */
#define POWER_ACCUMULATORS                                                 \
    8 /* of 16x8 numbers a warp: so many in flight hide the latency of one \
       */
#define POWER_CHAINS_MOST                                                                        \
    4 /* chains of fused multiply-adds beside them, where the matrix unit leaves issue slots: so \
         many or none */

#define POWER_MMA_FLOP (2.0 * 16 * 8 * 16)

static __device__ inline unsigned power_random(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Two bf16 between 0.5 and 2 in size, of either sign: random mantissas, and
 * nothing that grows without bounds. */
static __device__ inline unsigned power_pair(unsigned seed, unsigned bits)
{
    return ((power_random(seed) & 0x80ff80ffu) | 0x3f003f00u) & bits;
}

static __device__ inline void power_mma(float (&c)[4], const unsigned (&a)[4],
                                        const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Returns its input: the sums are looked at, so that the compiler
 * has to make them, but never seen. */
template <int chains>
static __global__ void __launch_bounds__(POWER_THREADS)
    power_kernel(const float *in, float *out, int turns, unsigned bits)
{
    const unsigned i = blockIdx.x * POWER_THREADS + threadIdx.x;
    unsigned a[POWER_FRAGMENTS][4], b[POWER_FRAGMENTS][2];
    float c[POWER_ACCUMULATORS][4] = {}, x[POWER_CHAINS_MOST] = {};
    for (unsigned f = 0; f < POWER_FRAGMENTS; f++) {
        for (unsigned k = 0; k < 4; k++)
            a[f][k] = power_pair((i * POWER_FRAGMENTS + f) * 8 + k, bits);
        for (unsigned k = 0; k < 2; k++)
            b[f][k] = power_pair((i * POWER_FRAGMENTS + f) * 8 + 4 + k, bits);
    }
    /* x -> 1.57 - x: every step another mantissa, and it never grows. */
    const float factor = __uint_as_float(0xbf800000u & bits),
                shift = __uint_as_float(0x3fc90fdbu & bits);
    for (int k = 0; k < chains; k++)
        x[k] = __uint_as_float(
            (power_random(~i * POWER_CHAINS_MOST + (unsigned)k) >> 9 | 0x3f800000u) & bits);
#pragma unroll 1
    for (int turn = 0; turn < turns; turn++)
#pragma unroll
        for (int k = 0; k < POWER_ACCUMULATORS; k++) {
            power_mma(c[k], a[k % POWER_FRAGMENTS], b[(k + k / POWER_FRAGMENTS) % POWER_FRAGMENTS]);
#pragma unroll
            for (int chain = 0; chain < chains; chain++)
                x[chain] = fmaf(factor, x[chain], shift);
        }
    float sum = 0;
    for (int k = 0; k < POWER_ACCUMULATORS; k++)
        sum += c[k][0] + c[k][1] + c[k][2] + c[k][3];
    for (int k = 0; k < chains; k++)
        sum += x[k];
    out[i] = isnan(sum) ? sum : in[i];
}

template <unsigned bits> static void power_launch(const struct sg_launch *l)
{
    const unsigned blocks = (unsigned)(l->c->dim[POWER_ELEMENTS] / POWER_THREADS);
    const auto kernel =
        l->c->dim[POWER_CHAINS] > 0 ? power_kernel<POWER_CHAINS_MOST> : power_kernel<0>;
    kernel<<<blocks, POWER_THREADS, 0, (cudaStream_t)l->stream>>>(
        (const float *)l->buffer[POWER_IN], (float *)l->buffer[POWER_OUT],
        (int)l->c->dim[POWER_TURNS], bits);
}

#endif
