/*
 * What e4m3 on Hopper's tensor cores loses, in a model of them, against the tolerances of
 * blockscaled_gemm/family.cpp: with the sums taken over by fp32 at every block of k, and
 * in one accumulator over all of k.
 *
 * The model: 32 products and the sum so far are cut off below 2^-13 of the largest of
 * them, and so is what they add up to.
 */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "blockscaled_gemm/gemm_scales.h"
#include "util/dtype.h"
#include "device/launch_check.h"
#include "worker/random_fill.h"

enum { STEP = 32, MOST_K = 16384, WORK = 1 << 22 }; /* products of a row of the table */

static double cut(double x, int exponent)
{
    const double step = ldexp(1, exponent);
    return trunc(x / step) * step;
}

static int exponent_of(double x)
{
    return x == 0 ? -1000 : ilogb(x);
}

/* What a tensor core adds to `sum` at a time. */
static double add_step(double sum, const double *a, const double *b, int bits)
{
    int largest = exponent_of(sum);
    for (int i = 0; i < STEP; i++) {
        const int exponent = exponent_of(a[i]) + exponent_of(b[i]);
        largest = exponent > largest ? exponent : largest;
    }
    double total = cut(sum, largest - bits);
    for (int i = 0; i < STEP; i++)
        total += cut(a[i] * b[i], largest - bits);
    return cut(total, exponent_of(total) - bits);
}

/* Both ways of adding up one output, unscaled or by the scales of its blocks, and what is right. */
struct sums {
    double right, one;
    float promoted;
};

static struct sums add_up(const double *a, const double *b, const float *scale, int k, int bits)
{
    struct sums s = {0};
    for (int block = 0; block < k; block += GEMM_SCALE_BLOCK) {
        const float by = scale ? scale[block / GEMM_SCALE_BLOCK] : 1;
        double sum = 0;
        for (int i = block; i < block + GEMM_SCALE_BLOCK; i++)
            s.right += a[i] * b[i] * by;
        for (int i = block; i < block + GEMM_SCALE_BLOCK; i += STEP) {
            sum = add_step(sum, a + i, b + i, bits);
            s.one = add_step(s.one, a + i, b + i, bits);
        }
        s.promoted = fmaf((float)sum, by, s.promoted);
    }
    return s;
}

static void draw(double *to, uint64_t count, uint64_t seed, bool integers)
{
    const uint64_t drawn = count < SG_FILL_PERIOD ? count : SG_FILL_PERIOD;
    unsigned char *e4m3 = malloc(count), *pool = malloc(drawn);
    assert_non_null(e4m3);
    assert_non_null(pool);
    sg_fill(&(struct sg_fill_plan){.dtype = SG_E4M3, .count = drawn, .kind = SG_NORMAL, .integers = integers, .seed = seed}, pool);
    sg_host_refill(&(struct sg_refill){
        .to = e4m3, .pool = pool, .bytes = count, .pool_bytes = drawn, .unit_bytes = 1, .key = seed, .in_order = count == drawn});
    free(pool);
    sg_dtype_get_array(SG_E4M3, e4m3, 0, count, to);
    free(e4m3);
}

struct errors {
    double promoted, one; /* of the rms of what is right */
};

static struct errors measure(int k, int bits)
{
    double *a = malloc(WORK * sizeof(*a)), *b = malloc(WORK * sizeof(*b));
    double squares = 0, promoted = 0, one = 0;
    assert_non_null(a);
    assert_non_null(b);
    draw(a, WORK, 1, false);
    draw(b, WORK, 2, false);
    for (int i = 0; i < WORK; i += k) {
        const struct sums s = add_up(a + i, b + i, NULL, k, bits);
        squares += s.right * s.right;
        promoted += (s.promoted - s.right) * (s.promoted - s.right);
        one += (s.one - s.right) * (s.one - s.right);
    }
    free(a);
    free(b);
    return (struct errors){sqrt(promoted / squares), sqrt(one / squares)};
}

#define ROUNDING 1.66e-3 /* of the output, measured */
#define ALLOWED  2e-3    /* family.cpp, tolerance() */
#define LOOSE    1e-2

static const struct {
    const char *sentence;
    int k, bits;
    double promoted, one; /* as family.cpp tells them, within 15 % */
} rows[] = {
    {"one block: there is nothing to promote", 128, 13, 1.3e-4, 1.3e-4},
    {"k = 512", 512, 13, 1.3e-4, 3.3e-4},
    {"k = 4096: promoted as good as ever, one accumulator ten times worse", 4096, 13, 1.3e-4, 1.35e-3},
    {"k = 8192", 8192, 13, 1.3e-4, 2.2e-3},
    {"k = 16384", 16384, 13, 1.3e-4, 3.0e-3},
    {"with a bit less", 4096, 12, 3.2e-4, 2.9e-3},
};

TEST(promotion_keeps_the_error_of_a_block)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct errors e = measure(rows[i].k, rows[i].bits);
        if (!(fabs(e.promoted / rows[i].promoted - 1) < 0.15) || !(fabs(e.one / rows[i].one - 1) < 0.15))
            fail_msg("%s: expected %g promoted and %g in one accumulator, found %g and %g", rows[i].sentence, rows[i].promoted, rows[i].one,
                     e.promoted, e.one);
        if (!(hypot(ROUNDING, e.promoted) < ALLOWED))
            fail_msg("%s: promoted is refused: %g", rows[i].sentence, hypot(ROUNDING, e.promoted));
        if (rows[i].bits == 13 && (hypot(ROUNDING, e.one) > ALLOWED) != (rows[i].k >= 4096))
            fail_msg("%s: in one accumulator: %g", rows[i].sentence, hypot(ROUNDING, e.one));
        if (!(hypot(ROUNDING, e.one) < LOOSE))
            fail_msg("%s: loose cases refuse it: %g", rows[i].sentence, hypot(ROUNDING, e.one));
    }
}

/* Whoever adds up in another order, or in one accumulator, gets the same bits. */
TEST(integers_are_exact)
{
    static double a[MOST_K], b[MOST_K];
    float scale[MOST_K / GEMM_SCALE_BLOCK];
    for (uint64_t seed = 0; seed < 20; seed++) {
        draw(a, MOST_K, 2 * seed + 1, true);
        draw(b, MOST_K, 2 * seed + 2, true);
        for (uint64_t i = 0; i < COUNT(scale); i++)
            scale[i] = gemm_scale_of(gemm_scale_bits(seed, i), true) * gemm_scale_of(gemm_scale_bits(~seed, i), true);
        const struct sums scaled = add_up(a, b, scale, MOST_K, 13), plain = add_up(a, b, NULL, MOST_K, 13);
        assert_true(scaled.right == scaled.promoted);
        assert_true(plain.right == plain.promoted && plain.right == plain.one);
    }
}

/* The worst that integers can do: all products 4, all scales 4. */
TEST(the_largest_integers_are_exact_too)
{
    static double a[MOST_K], b[MOST_K];
    float scale[MOST_K / GEMM_SCALE_BLOCK];
    for (int i = 0; i < MOST_K; i++)
        a[i] = b[i] = 2;
    for (size_t i = 0; i < COUNT(scale); i++)
        scale[i] = i % 2 ? 16 : 0.0625f;
    const struct sums s = add_up(a, b, scale, MOST_K, 13);
    assert_true(s.right == s.promoted);
}
