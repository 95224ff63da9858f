/*
 * util/dtype.h - the number formats of solgate_kernel.h on the host: reading, rounding, and the
 * poison of a buffer.
 *
 * Rounds to nearest, ties to even, directly from the double; rounding twice would be off by one in
 * rare cases. Above the largest number f16, bf16, tf32 and f32 become infinite, as in hardware. The
 * formats e4m3, e2m1 and the integers saturate. There is one NaN in e4m3, 0x7F, and no infinity;
 * e2m1 has neither. Invariant: encode(decode(code)) returns the code, except for alternative codes
 * of NaN.
 */
#pragma once

#include "solgate_kernel.h"

/* Bits of one element, in the low bytes. A NaN becomes the format's NaN, 0 for integers, and the
 * largest number for e2m1. */
uint64_t sg_dtype_encode(enum sg_dtype dtype, double x);
double sg_dtype_decode(enum sg_dtype dtype, uint64_t bits);

/* Bytes of an array of `count` elements. e2m1 is packed, the even element in a byte's low half. */
uint64_t sg_dtype_array_bytes(enum sg_dtype dtype, uint64_t count);

/* Access to element `index` of an array in memory. */
uint64_t sg_dtype_load(enum sg_dtype dtype, const void *base, uint64_t index);
void sg_dtype_store(enum sg_dtype dtype, void *base, uint64_t index, uint64_t bits);
double sg_dtype_get(enum sg_dtype dtype, const void *base, uint64_t index);
void sg_dtype_put(enum sg_dtype dtype, void *base, uint64_t index, double x);

/* Decodes `count` elements from index `first` on; f32 and f64 at memory bandwidth. */
void sg_dtype_get_array(enum sg_dtype dtype, const void *base, uint64_t first, uint64_t count,
                        double *x);
/* Rounds to the dtype: decode(encode(x)). */
void sg_dtype_round_array(enum sg_dtype dtype, const double *x, uint64_t count, double *rounded);

/* The 32-bit pattern that fills an output before a launch. Floats get a signalling NaN, which
 * arithmetic never produces (hardware returns quiet ones). Integers and e2m1 have no such value,
 * so their pattern differs between even and odd `turn`. */
uint32_t sg_dtype_poison(enum sg_dtype dtype, unsigned turn);
/* The poison as the bits of one element. */
uint64_t sg_dtype_poison_bits(enum sg_dtype dtype, unsigned turn);
