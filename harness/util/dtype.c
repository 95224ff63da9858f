#include "util/dtype.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"
#include "util/text.h"

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

SG_COPIED uint64_t shift_to_even(uint64_t value, int shift)
{
    if (shift <= 0)
        return value << -shift;
    if (shift > 63)
        return 0;
    const uint64_t rest = value & sg_low_ones(shift);
    const uint64_t half = UINT64_C(1) << (shift - 1);
    const uint64_t kept = value >> shift;
    return kept + (rest > half || (rest == half && (kept & 1)));
}

/* Codes without sign of the largest number, of values above it, and of NaN. */
SG_COPIED uint64_t largest(const struct sg_bit_format *f)
{
    const uint64_t all = sg_low_ones(f->exponent_bits + f->mantissa_bits);
    return f->top == SG_TOP_NUMBERS   ? all
           : f->top == SG_TOP_ONE_NAN ? all - 1
                                      : (sg_low_ones(f->exponent_bits) << f->mantissa_bits) - 1;
}

SG_COPIED uint64_t above_largest(const struct sg_bit_format *f)
{
    return f->top == SG_TOP_IEEE ? largest(f) + 1 : largest(f);
}

SG_COPIED uint64_t not_a_number(const struct sg_bit_format *f)
{
    return f->top == SG_TOP_IEEE ? (largest(f) + 1) | UINT64_C(1) << (f->mantissa_bits - 1)
                                 : sg_low_ones(f->exponent_bits + f->mantissa_bits);
}

SG_COPIED uint64_t encode_float(const struct sg_bit_format *f, double x)
{
    const uint64_t in = bits_of(x);
    const uint64_t sign = (in >> 63) << (f->exponent_bits + f->mantissa_bits);
    if (isnan(x))
        return not_a_number(f) << f->shift;
    if (isinf(x))
        return (sign | above_largest(f)) << f->shift;
    const int raw = (int)(in >> SG_F64_MANTISSA & 0x7FF);
    const int bias = (1 << (f->exponent_bits - 1)) - 1;
    const int exponent = (raw ? raw : 1) - SG_F64_BIAS + bias;
    uint64_t mantissa = in & sg_low_ones(SG_F64_MANTISSA);
    if (raw)
        mantissa |= UINT64_C(1) << SG_F64_MANTISSA;
    /* Adds the implicit leading bit to the exponent field, so that a carry out of the mantissa
     * moves to the next binade. */
    const int drop = SG_F64_MANTISSA - f->mantissa_bits;
    uint64_t code;
    if (exponent >= 1)
        code = shift_to_even(mantissa, drop) + ((uint64_t)(exponent - 1) << f->mantissa_bits);
    else
        code = shift_to_even(mantissa, drop + 1 - exponent);
    return (sign | (code > largest(f) ? above_largest(f) : code)) << f->shift;
}

static uint64_t encode_integer(double x, double low, double high)
{
    if (isnan(x))
        return 0;
    const double held = x < low ? low : x > high ? high : x;
    return (uint64_t)(int64_t)nearbyint(held);
}

uint64_t sg_dtype_encode(enum sg_dtype dtype, double x)
{
    switch (dtype) {
    case SG_F64:
        return isnan(x) ? SG_F64_QUIET : bits_of(x);
    case SG_I32:
        return encode_integer(x, INT32_MIN, INT32_MAX) & UINT32_MAX;
    case SG_I8:
        return encode_integer(x, INT8_MIN, INT8_MAX) & UINT8_MAX;
    default:
        break;
    }
    const struct sg_bit_format format = sg_bit_format_of(dtype);
    return encode_float(&format, x);
}

double sg_dtype_decode(enum sg_dtype dtype, uint64_t bits)
{
    return sg_element_value(dtype, bits);
}

uint64_t sg_dtype_array_bytes(enum sg_dtype dtype, uint64_t count)
{
    return sg_bytes_of(dtype, count);
}

/* Both functions copy the low bytes of the code, which come first in memory: every host of CUDA
 * is little-endian. */
uint64_t sg_dtype_load(enum sg_dtype dtype, const void *base, uint64_t index)
{
    const unsigned char *bytes = base;
    const size_t size = sg_dtype_bytes(dtype);
    uint64_t bits = 0;
    if (dtype == SG_E2M1)
        return bytes[index / 2] >> (index % 2 * 4) & 0xF;
    memcpy(&bits, bytes + index * size, size);
    return bits;
}

void sg_dtype_store(enum sg_dtype dtype, void *base, uint64_t index, uint64_t bits)
{
    unsigned char *bytes = base;
    const size_t size = sg_dtype_bytes(dtype);
    if (dtype == SG_E2M1)
        bytes[index / 2] = (unsigned char)((bytes[index / 2] & 0xF0 >> (index % 2 * 4)) |
                                           (bits & 0xF) << (index % 2 * 4));
    else
        memcpy(bytes + index * size, &bits, size);
}

double sg_dtype_get(enum sg_dtype dtype, const void *base, uint64_t index)
{
    return sg_dtype_decode(dtype, sg_dtype_load(dtype, base, index));
}

void sg_dtype_put(enum sg_dtype dtype, void *base, uint64_t index, double x)
{
    sg_dtype_store(dtype, base, index, sg_dtype_encode(dtype, x));
}

void sg_dtype_get_array(enum sg_dtype dtype, const void *base, uint64_t first, uint64_t count,
                        double *x)
{
    if (dtype == SG_F64) {
        memcpy(x, (const double *)base + first, count * sizeof(*x));
    } else if (dtype == SG_F32) {
        const float *from = (const float *)base + first;
        for (uint64_t i = 0; i < count; i++)
            x[i] = from[i];
    } else if (dtype == SG_BF16) {
        const uint16_t *from = (const uint16_t *)base + first;
        for (uint64_t i = 0; i < count; i++)
            x[i] = sg_element_value(SG_BF16, from[i]);
    } else {
        for (uint64_t i = 0; i < count; i++)
            x[i] = sg_dtype_get(dtype, base, first + i);
    }
}

void sg_dtype_round_array(enum sg_dtype dtype, const double *x, uint64_t count, double *rounded)
{
    if (dtype == SG_F64) {
        memcpy(rounded, x, count * sizeof(*x));
    } else if (dtype == SG_F32) {
        for (uint64_t i = 0; i < count; i++)
            rounded[i] = (float)x[i];
    } else if (dtype == SG_BF16) {
        const struct sg_bit_format format = sg_bit_format_of(SG_BF16);
        for (uint64_t i = 0; i < count; i++)
            rounded[i] = sg_element_value(SG_BF16, encode_float(&format, x[i]));
    } else {
        for (uint64_t i = 0; i < count; i++)
            rounded[i] = sg_dtype_decode(dtype, sg_dtype_encode(dtype, x[i]));
    }
}

uint32_t sg_dtype_poison(enum sg_dtype dtype, unsigned turn)
{
    static const uint32_t pattern[SG_DTYPE_COUNT] = {
        [SG_F64] = 0x7FF5A3C5,  [SG_F32] = 0x7FA5C3D1,  [SG_TF32] = 0x7FA5C3D1,
        [SG_F16] = 0x7D5A7D5A,  [SG_BF16] = 0x7FA57FA5, [SG_E4M3] = 0xFFFFFFFF,
        [SG_E2M1] = 0xDDDDDDDD, [SG_I32] = 0xA5C3D1E7,  [SG_I8] = 0xA5A5A5A5,
    };
    const bool any_is_a_number = dtype == SG_I32 || dtype == SG_I8 || dtype == SG_E2M1;
    return any_is_a_number && turn % 2 ? ~pattern[dtype] : pattern[dtype];
}

uint64_t sg_dtype_poison_bits(enum sg_dtype dtype, unsigned turn)
{
    const uint64_t word = sg_dtype_poison(dtype, turn);
    return dtype == SG_F64 ? word << 32 | word : word & sg_low_ones((int)sg_dtype_bits(dtype));
}
