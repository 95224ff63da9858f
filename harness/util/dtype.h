/*
 * util/dtype.h - the number formats of solgate_kernel.h on the host: reading,
 * rounding, and the poison of a buffer.
 *
 * Rounding is to the nearest, ties to even, straight from the double (rounding twice would be off
 * by one in rare cases). Above the largest number f16, bf16, tf32 and f32 become infinite, as in
 * hardware; e4m3, e2m1 and the integers saturate. e4m3 has no infinity: its one not-a-number is
 * 0x7F; e2m1 has neither. Invariant: encode(decode(code)) gives the code back for every code but
 * other spellings of not-a-number.
 */
#pragma once

#include "solgate_kernel.h"

/* Bits of one element, in the low bytes. x that is not a number becomes the format's own NaN;
 * integers make 0 of it, e2m1 its largest. */
uint64_t sg_dtype_encode(enum sg_dtype dtype, double x);
double sg_dtype_decode(enum sg_dtype dtype, uint64_t bits);

/* Bytes of an array of `count` elements; e2m1 is packed, the even
 * element in the low half of a byte. */
uint64_t sg_dtype_array_bytes(enum sg_dtype dtype, uint64_t count);

/* Element `index` of an array in memory. */
uint64_t sg_dtype_load(enum sg_dtype dtype, const void *base, uint64_t index);
void sg_dtype_store(enum sg_dtype dtype, void *base, uint64_t index, uint64_t bits);
double sg_dtype_get(enum sg_dtype dtype, const void *base, uint64_t index);
void sg_dtype_put(enum sg_dtype dtype, void *base, uint64_t index, double x);

/* The same of `count` elements from number `first` on, f32 and f64 at the speed of memory. */
void sg_dtype_get_array(enum sg_dtype dtype, const void *base, uint64_t first, uint64_t count, double *x);
/* The nearest numbers that the dtype has: decode(encode(x)). */
void sg_dtype_round_array(enum sg_dtype dtype, const double *x, uint64_t count, double *rounded);

/*
 * What an output holds before a launch, as 32 bits to repeat. Floats: a signalling NaN that
 * arithmetic never makes (hardware answers with quiet ones). Integers and e2m1 have no such value,
 * so their pattern differs between even and odd `turn`.
 */
uint32_t sg_dtype_poison(enum sg_dtype dtype, unsigned turn);
/* The same as bits of one element. */
uint64_t sg_dtype_poison_bits(enum sg_dtype dtype, unsigned turn);
