/* util/dtype.h: every code of the small formats there and back, rounding to the nearest even
 * straight from the double, and the poison. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "util/dtype.h"
#include "util/random.h"
#include "util/text.h"

TEST(codes_are_ordered)
{
    static const struct {
        enum sg_dtype dtype;
        uint64_t largest; /* code of the largest finite number */
    } rows[] = {{SG_F16, 0x7BFF}, {SG_BF16, 0x7F7F}, {SG_E4M3, 0x7E}, {SG_E2M1, 0x7}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (uint64_t code = 0; code < rows[i].largest; code++) {
            const double low = sg_dtype_decode(rows[i].dtype, code),
                         high = sg_dtype_decode(rows[i].dtype, code + 1);
            const double half = low + (high - low) / 2;
            const uint64_t even = code % 2 ? code + 1 : code;
            if (!(low < high) || sg_dtype_encode(rows[i].dtype, half) != even ||
                sg_dtype_encode(rows[i].dtype, nextafter(half, 0)) != code ||
                sg_dtype_encode(rows[i].dtype, nextafter(half, INFINITY)) != code + 1)
                fail_msg("%s: between codes %#llx and %#llx (%.17g and %.17g) rounding is not to "
                         "the nearest, ties to even",
                         sg_dtype_word(rows[i].dtype), (unsigned long long)code,
                         (unsigned long long)code + 1, low, high);
        }
    }
}

TEST(single_numbers)
{
    static const struct {
        const char *sentence;
        enum sg_dtype dtype;
        double x;
        uint64_t code;
    } rows[] = {
        {"one in f64", SG_F64, 1.0, UINT64_C(0x3FF0000000000000)},
        {"one in tf32 stands where f32 has it", SG_TF32, 1.0, 0x3F800000},
        {"tf32 has ten bits of mantissa", SG_TF32, 1.0 + 0x1p-10, 0x3F802000},
        {"a tie of tf32 goes to the even one below", SG_TF32, 1.0 + 0x1p-11, 0x3F800000},
        {"a tie of tf32 goes to the even one above", SG_TF32, 1.0 + 3 * 0x1p-11, 0x3F804000},
        {"minus zero keeps its sign", SG_F16, -0.0, 0x8000},
        {"the tie above the largest f16 is infinite", SG_F16, 65520, 0x7C00},
        {"half of the smallest f16 is a tie with zero", SG_F16, 0x1p-25, 0x0000},
        {"more than half of the smallest f16 is not", SG_F16, 0x1.8p-25, 0x0001},
        {"rounding up into the normal ones", SG_F16, 0x1p-14 - 0x1p-26, 0x0400},
        {"e4m3 saturates", SG_E4M3, 1e9, 0x7E},
        {"e4m3 has no infinity", SG_E4M3, -INFINITY, 0xFE},
        {"e4m3 has one not-a-number", SG_E4M3, NAN, 0x7F},
        {"e2m1 saturates at six", SG_E2M1, 100, 0x7},
        {"bf16 of f32's largest is infinite", SG_BF16, 3.4028234663852886e38, 0x7F80},
        {"rounding twice would lose the tie", SG_BF16, 1.0 + 0x1p-8 + 0x1p-40, 0x3F81},
        {"infinity in bf16", SG_BF16, INFINITY, 0x7F80},
        {"i32 rounds ties to even", SG_I32, 2.5, 2},
        {"i32 saturates", SG_I32, -1e18, 0x80000000},
        {"i8 is two's complement", SG_I8, -3, 0xFD},
        {"i8 saturates", SG_I8, 300, 0x7F},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const uint64_t code = sg_dtype_encode(rows[i].dtype, rows[i].x);
        if (code != rows[i].code)
            fail_msg("%s: %#llx, should be %#llx", rows[i].sentence, (unsigned long long)code,
                     (unsigned long long)rows[i].code);
    }
}

/* (-1)^sign * 2^(exponent - bias) * 1.mantissa, and what the ends of the exponent
 * mean: every code of a small float. */
static double small_float(int exponent_bits, int mantissa_bits, uint64_t code)
{
    const int exponent = (int)(code >> mantissa_bits) & ((1 << exponent_bits) - 1),
              bias = (1 << (exponent_bits - 1)) - 1;
    const double mantissa = ldexp((double)(code & ((1u << mantissa_bits) - 1)), -mantissa_bits);
    const double x = exponent ? ldexp(1 + mantissa, exponent - bias) : ldexp(mantissa, 1 - bias);
    return code >> (exponent_bits + mantissa_bits) & 1 ? -x : x;
}

static void must_be(enum sg_dtype dtype, uint64_t code, double should)
{
    const double is = sg_dtype_decode(dtype, code);
    if (isnan(should) ? !isnan(is) : is != should || !signbit(is) != !signbit(should))
        fail_msg("%s: code %#llx is %.17g, should be %.17g", sg_dtype_word(dtype),
                 (unsigned long long)code, is, should);
}

TEST(codes_are_what_the_formats_say)
{
    for (uint64_t code = 0; code < 65536; code++) {
        const double end = code & 0x3FF ? NAN : code & 0x8000 ? -INFINITY : INFINITY;
        must_be(SG_F16, code, (code & 0x7C00) == 0x7C00 ? end : small_float(5, 10, code));
        const double bf16_end = code & 0x7F ? NAN : code & 0x8000 ? -INFINITY : INFINITY;
        must_be(SG_BF16, code, (code & 0x7F80) == 0x7F80 ? bf16_end : small_float(8, 7, code));
    }
    for (uint64_t code = 0; code < 256; code++) {
        must_be(SG_E4M3, code, (code & 0x7F) == 0x7F ? NAN : small_float(4, 3, code));
        must_be(SG_I8, code, code < 128 ? (double)code : (double)code - 256);
    }
    for (uint64_t code = 0; code < 16; code++)
        must_be(SG_E2M1, code, small_float(2, 1, code));
}

TEST(elements_stand_apart)
{
    for (int dtype = 0; dtype < SG_DTYPE_COUNT; dtype++) {
        const enum sg_dtype d = (enum sg_dtype)dtype;
        unsigned char memory[9 * 8];
        memset(memory, 0xFF, sizeof(memory));
        for (uint64_t i = 0; i < 9; i++)
            sg_dtype_put(d, memory, i, (double)(i % 3));
        sg_dtype_put(d, memory, 4, 3);
        for (uint64_t i = 0; i < 9; i++)
            if (sg_dtype_get(d, memory, i) != (i == 4 ? 3 : (double)(i % 3)))
                fail_msg("%s: element %llu is %g", sg_dtype_word(d), (unsigned long long)i,
                         sg_dtype_get(d, memory, i));
    }
    assert_int_equal(sg_dtype_array_bytes(SG_E2M1, 9), 5);
    assert_int_equal(sg_dtype_array_bytes(SG_BF16, 9), 18);
}

/* Also what a compiler's conversion could treat differently: subnormal, too large, not a number. */
TEST(arrays_are_their_elements)
{
    static const double numbers[] = {
        0,        -0.0,      1,      -1.0 / 3, 1e-40,  -1e-46, 1.1754943e-38, 3.4028236e38,
        -3.5e38,  16777217,  1e-310, 449,      0.0009, -7,     1e300,         NAN,
        INFINITY, -INFINITY, 5,      127.5};
    for (int dtype = 0; dtype < SG_DTYPE_COUNT; dtype++) {
        double memory[COUNT(numbers)] = {0}, rounded[COUNT(numbers)], got[COUNT(numbers)];
        for (size_t i = 0; i < COUNT(numbers); i++)
            sg_dtype_put((enum sg_dtype)dtype, memory, i, numbers[i]);
        sg_dtype_round_array((enum sg_dtype)dtype, numbers, COUNT(numbers), rounded);
        sg_dtype_get_array((enum sg_dtype)dtype, memory, 3, COUNT(numbers) - 3, got + 3);
        for (size_t i = 3; i < COUNT(numbers); i++) {
            const double x = sg_dtype_get((enum sg_dtype)dtype, memory, i);
            if (isnan(x) ? !isnan(got[i]) || !isnan(rounded[i]) : got[i] != x || rounded[i] != x)
                fail_msg("%s: %g is %g alone, %g in an array, %g rounded",
                         sg_dtype_word((enum sg_dtype)dtype), numbers[i], x, got[i], rounded[i]);
        }
    }
}

TEST(poison_is_recognised)
{
    for (int dtype = 0; dtype < SG_DTYPE_COUNT; dtype++) {
        const enum sg_dtype d = (enum sg_dtype)dtype;
        const uint32_t word = sg_dtype_poison(d, 1);
        const uint32_t memory[2] = {word, word};
        for (uint64_t i = 0; i < 64 / sg_dtype_bits(d); i++)
            assert_int_equal(sg_dtype_load(d, memory, i), sg_dtype_poison_bits(d, 1));
        const bool number = !isnan(sg_dtype_decode(d, sg_dtype_poison_bits(d, 0)));
        /* Where every pattern is a number, two turns must differ; elsewhere the format's own
         * not-a-number must be another one. */
        if (number ? sg_dtype_poison_bits(d, 0) == sg_dtype_poison_bits(d, 1)
                   : sg_dtype_poison_bits(d, 0) == sg_dtype_encode(d, NAN))
            fail_msg("%s: poison %#llx could be an answer", sg_dtype_word(d),
                     (unsigned long long)sg_dtype_poison_bits(d, 0));
    }
}
