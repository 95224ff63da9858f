/*
 * gemm_scales.h - the scales that an e4m3 case is handed, each the pure function of a seed and of
 * where it is. Plain C and CUDA's host.
 *
 * From 1/4 to 4, with all bits of the mantissa drawn: a scale of another row or block is off by a
 * factor of two in the mean, one that was rounded on its way shows too. With integers they are
 * powers of two: a block's sums are integers of at most 512, so all of k is a sum of multiples of
 * 1/16 below 2^20 at k = 16384, which fp32 adds exactly in any order.
 * Invariant: scales are positive; what no kernel may read, the padding of SFB, is not a number.
 * How it is used: sg_family.fill of family.cpp, group_gemm/group_scales.h;
 * tests/unit/kernels/test_gemm_scales.c.
 */
#ifndef GEMM_SCALES_H
#define GEMM_SCALES_H

#include <math.h>

#include "gemm_layout.h"

/* Well mixed bits: neighbouring places and seeds have nothing in common. */
static inline uint64_t gemm_scale_bits(uint64_t seed, uint64_t place)
{
    uint64_t bits = (seed + 1) * UINT64_C(0x8cb92ba72f3d8dd7) + place;
    for (int i = 0; i < 3; i++)
        bits = (bits ^ bits >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return bits ^ bits >> 32;
}

static inline float gemm_scale_of(uint64_t bits, bool integers)
{
    if (integers)
        return ldexpf(1, (int)(bits % 5) - 2);
    return ldexpf(1 + ldexpf((float)(bits >> 41), -23), (int)(bits % 4) - 2);
}

/* Number `index` of a buffer. */
static inline float gemm_scale_at(const struct sg_fill_request *request, int buffer, int64_t index)
{
    const uint64_t place = (uint64_t)buffer << 56 | (uint64_t)index;
    return gemm_scale_of(gemm_scale_bits(request->seed, place), request->integers);
}

/* Both buffers of scales; of a uniform case all are number 0. */
static inline void gemm_fill_scales(const struct sg_fill_request *request)
{
    const int64_t *dim = request->c->dim;
    const int64_t depth = gemm_scales(dim[GEMM_K]), row = gemm_sfb_row(dim[GEMM_K]),
                  columns = gemm_scales(dim[GEMM_N]);
    const int64_t step = gemm_is_uniform(request->c) ? 0 : 1;
    float *a = (float *)request->host[GEMM_SFA], *b = (float *)request->host[GEMM_SFB];
    for (int64_t i = 0; i < depth * dim[GEMM_M]; i++)
        a[i] = gemm_scale_at(request, GEMM_SFA, i * step);
    for (int64_t i = 0; i < columns * row; i++)
        b[i] = i % row < depth ? gemm_scale_at(request, GEMM_SFB, i * step) : NAN;
}

#endif
