/*
 * util/bits.h - the bits of numbers, for C and for CUDA: the value of an element's code as a
 * double, and pseudo-random bits. The host and the device compile the same text, so a kernel that
 * checks an output cannot decode it differently from the host.
 *
 * Pure. Rounding, which the device never needs, is in util/dtype.c.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#include "solgate_kernel.h"

/* Always inlined, so that a constant dtype reduces to a few instructions. */
#define SG_COPIED static inline __attribute__((always_inline))

#ifdef __CUDACC__
#define SG_BOTH __host__ __device__ static inline
#else
#define SG_BOTH SG_COPIED
#endif

#define SG_F64_MANTISSA 52
#define SG_F64_BIAS     1023
#define SG_F64_QUIET    UINT64_C(0x7FF8000000000000)

/* Meaning of a format's highest exponent. */
enum sg_top {
    SG_TOP_IEEE,    /* infinities and NaNs */
    SG_TOP_ONE_NAN, /* numbers; all ones is NaN */
    SG_TOP_NUMBERS, /* numbers only */
};

/* A binary float format narrower than double. The low `shift` bits of the storage stay zero. */
struct sg_bit_format {
    int exponent_bits, mantissa_bits, shift;
    enum sg_top top;
};

/* For float dtypes other than f64; the result for f64 and integers is meaningless. */
SG_BOTH struct sg_bit_format sg_bit_format_of(enum sg_dtype dtype)
{
    const struct sg_bit_format f32 = {8, 23, 0, SG_TOP_IEEE}, tf32 = {8, 10, 13, SG_TOP_IEEE};
    const struct sg_bit_format f16 = {5, 10, 0, SG_TOP_IEEE}, bf16 = {8, 7, 0, SG_TOP_IEEE};
    const struct sg_bit_format e4m3 = {4, 3, 0, SG_TOP_ONE_NAN}, e2m1 = {2, 1, 0, SG_TOP_NUMBERS};
    switch (dtype) {
    case SG_TF32:
        return tf32;
    case SG_F16:
        return f16;
    case SG_BF16:
        return bf16;
    case SG_E4M3:
        return e4m3;
    case SG_E2M1:
        return e2m1;
    default:
        return f32;
    }
}

/* Bits of one element: 4 to 64. */
SG_BOTH int sg_element_bits(enum sg_dtype dtype)
{
    int found = 8;
#define X(constant, word, bits) found = dtype == constant ? bits : found;
    SG_DTYPE_TABLE(X)
#undef X
    return found;
}

/* Bytes of an array of `count` elements. e2m1 is packed, the even element in a byte's low half. */
SG_BOTH uint64_t sg_bytes_of(enum sg_dtype dtype, uint64_t count)
{
    return (count * (uint64_t)sg_element_bits(dtype) + 7) / 8;
}

/* `count`: 1 to 64. */
SG_BOTH uint64_t sg_low_ones(int count)
{
    return UINT64_MAX >> (64 - count);
}

SG_BOTH double sg_double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

SG_BOTH double sg_f32_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Needs a format with shift 0. */
SG_BOTH double sg_small_float_of(struct sg_bit_format f, uint64_t bits)
{
    const uint64_t top = sg_low_ones(f.exponent_bits);
    const int bias = (1 << (f.exponent_bits - 1)) - 1;
    const uint64_t mantissa = bits & sg_low_ones(f.mantissa_bits);
    const uint64_t exponent = bits >> f.mantissa_bits & top;
    const uint64_t sign = (bits >> (f.exponent_bits + f.mantissa_bits) & 1) << 63;
    if (f.top == SG_TOP_IEEE && exponent == top)
        return sg_double_of(sign | (mantissa ? SG_F64_QUIET : (uint64_t)0x7FF << SG_F64_MANTISSA));
    if (f.top == SG_TOP_ONE_NAN && exponent == top && mantissa == sg_low_ones(f.mantissa_bits))
        return sg_double_of(sign | SG_F64_QUIET);
    if (exponent == 0) {
        const double step =
            sg_double_of((uint64_t)(1 - bias - f.mantissa_bits + SG_F64_BIAS) << SG_F64_MANTISSA);
        return sign ? -(double)mantissa * step : (double)mantissa * step;
    }
    return sg_double_of(sign | (exponent + (uint64_t)(SG_F64_BIAS - bias)) << SG_F64_MANTISSA |
                        mantissa << (SG_F64_MANTISSA - f.mantissa_bits));
}

/* The value of one element's code. Bits above the dtype's bits are ignored. */
SG_BOTH double sg_element_value(enum sg_dtype dtype, uint64_t bits)
{
    switch (dtype) {
    case SG_F64:
        return sg_double_of(bits);
    case SG_F32:
        return sg_f32_of((uint32_t)bits);
    case SG_TF32: /* an f32 without its low bits */
        return sg_f32_of((uint32_t)(bits & ~sg_low_ones(13)));
    case SG_BF16: /* the upper half of an f32 */
        return sg_f32_of((uint32_t)bits << 16);
    case SG_I32:
        return (double)(int32_t)(uint32_t)bits;
    case SG_I8:
        return (double)(int8_t)(uint8_t)bits;
    default:
        return sg_small_float_of(sg_bit_format_of(dtype), bits);
    }
}

/* splitmix64: every bit of the result depends on every bit of z. */
#define SG_MIX_STEP UINT64_C(0x9e3779b97f4a7c15)

SG_BOTH uint64_t sg_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
