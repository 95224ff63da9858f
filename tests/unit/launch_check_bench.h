/*
 * launch_check_bench.h - requests of launch_check.h made of a device, and what should come of them
 * by their definitions. Included behind cmocka.h.
 *
 *     static int run_all(const char *name) { ... return cmocka_run_group_tests_name(name, tests,
 *     NULL, NULL); } int main(void) { return on_each_device(run_all); }
 */
#pragma once

#include <float.h>
#include <math.h>
#include <string.h>

#include "check.h"
#include "device/device.h"
#include "stats/abba.h"
#include "util/dtype.h"
#include "util/random.h"

#define BEHIND 64u /* bytes behind an array, which nobody may write */

static struct sg_device *device; /* of the group that runs */
static struct sg_err err;

/* Elements: one, odd numbers, ends of words and vectors, more than a block of a GPU takes. */
static const uint64_t counts[] = {1, 2, 3, 5, 15, 16, 17, 31, 33, 255, 1000, 4099, 20001};

static inline void draw_bytes(uint64_t seed, void *memory, uint64_t bytes)
{
    unsigned char *to = memory;
    for (uint64_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)sg_random_next(&seed);
}

/* Memory of the device that holds the same bytes, and BEHIND more. */
static inline void *to_device(const void *host, uint64_t bytes)
{
    unsigned char behind[BEHIND];
    enum sg_status status = SG_OK;
    char *memory = device->ops->alloc(device, bytes + BEHIND, &status);
    assert_non_null(memory);
    memset(behind, 0xB7, sizeof(behind));
    assert_int_equal(device->ops->upload(device, memory, host, bytes, &err), SG_SUCCESS);
    assert_int_equal(device->ops->upload(device, memory + bytes, behind, BEHIND, &err), SG_SUCCESS);
    return memory;
}

/* And back; fails if what is behind was written. */
static inline void from_device(void *host, const void *memory, uint64_t bytes)
{
    unsigned char behind[BEHIND];
    assert_int_equal(device->ops->download(device, host, memory, bytes, &err), SG_SUCCESS);
    assert_int_equal(
        device->ops->download(device, behind, (const char *)memory + bytes, BEHIND, &err),
        SG_SUCCESS);
    for (size_t i = 0; i < BEHIND; i++)
        if (behind[i] != 0xB7)
            fail_msg("byte %zu behind an array of %llu was written", i, (unsigned long long)bytes);
}

static inline void let_go(void *memory)
{
    device->ops->release(device, memory);
}

static inline void refill(const struct sg_refill *request, void *host)
{
    struct sg_refill r = *request;
    void *to = to_device(host, r.bytes), *pool = to_device(r.pool, r.pool_bytes);
    r.to = to;
    r.pool = pool;
    assert_int_equal(sg_device_refill(device, &r, 1, &err), SG_SUCCESS);
    from_device(host, to, r.bytes);
    let_go(to);
    let_go(pool);
}

static inline void scramble(const struct sg_scramble *request, void *host)
{
    const uint64_t bytes = request->count * request->unit_bytes;
    struct sg_scramble s = *request;
    s.memory = to_device(host, bytes);
    assert_int_equal(sg_device_scramble(device, &s, 1, &err), SG_SUCCESS);
    from_device(host, s.memory, bytes);
    let_go(s.memory);
}

/* An output under test: what is kept of it, and what it is later. */
struct output {
    enum sg_dtype dtype;
    uint64_t count, bytes, key;
    unsigned char *before, *after; /* host */
};

static inline struct output output_of(enum sg_dtype dtype, uint64_t count, uint64_t key)
{
    struct output o = {
        .dtype = dtype, .count = count, .bytes = sg_dtype_array_bytes(dtype, count), .key = key};
    o.before = test_malloc(o.bytes);
    o.after = test_malloc(o.bytes);
    return o;
}

static inline void free_output(struct output *o)
{
    test_free(o->before);
    test_free(o->after);
}

/* Keeps `before`, compares `after`; kept: what the device holds then, o->bytes, may be NULL. */
static inline struct sg_mismatch compare(const struct output *o, double rel_max, bool exact,
                                         void *kept, double *squares)
{
    const struct sg_mismatch junk = {
        .error_squares = 5, .rel_max = 9, .wrong = 7, .nan = 3, .first = 1, .got = 4, .want = 2};
    const double other_junk = NAN;
    struct sg_mismatch found;
    struct sg_keep k = {.count = o->count, .dtype = o->dtype, .key = o->key};
    void *from = to_device(o->before, o->bytes), *got = to_device(o->after, o->bytes);
    k.from = from;
    k.to = to_device(o->after, o->bytes);
    k.squares = to_device(&other_junk, sizeof(*squares));
    struct sg_match m = {.got = got,
                         .kept = k.to,
                         .count = o->count,
                         .dtype = o->dtype,
                         .key = o->key,
                         .squares = k.squares};
    m.rel_max = rel_max;
    m.exact = exact;
    m.out = to_device(&junk, sizeof(junk));
    assert_int_equal(sg_device_keep(device, &k, 1, &err), SG_SUCCESS);
    assert_int_equal(sg_device_match(device, &m, 1, &err), SG_SUCCESS);
    from_device(&found, m.out, sizeof(found));
    from_device(squares, k.squares, sizeof(*squares));
    if (kept)
        from_device(kept, k.to, o->bytes);
    let_go(from);
    let_go(got);
    let_go(k.to);
    let_go(k.squares);
    let_go(m.out);
    return found;
}

static inline double squares_of(const struct output *o)
{
    double sum = 0;
    for (uint64_t i = 0; i < o->count; i++) {
        const double x = sg_dtype_get(o->dtype, o->before, i);
        sum += isfinite(x) ? x * x : 0;
    }
    return sum;
}

static inline void found_here(struct sg_mismatch *m, uint64_t i, double got, double want)
{
    if (m->wrong + m->nan == 0) {
        m->first = i;
        m->got = got;
        m->want = want;
    }
}

/* The definition, one element after the other. */
static inline struct sg_mismatch by_definition(const struct output *o, double rel_max, bool exact)
{
    struct sg_mismatch m = {.reference_squares = squares_of(o), .first = o->count};
    const double rms = sqrt(m.reference_squares / (double)o->count);
    for (uint64_t i = 0; i < o->count; i++) {
        const double got = sg_dtype_get(o->dtype, o->after, i),
                     want = sg_dtype_get(o->dtype, o->before, i);
        if (got == want || (isnan(got) && isnan(want)))
            continue;
        if (isnan(got) || isnan(want)) {
            found_here(&m, i, got, want);
            m.nan++;
            continue;
        }
        const double error = fabs(got - want);
        const double relative = isinf(got) || isinf(want) || fabs(want) + rms == 0
                                    ? INFINITY
                                    : error / (fabs(want) + rms);
        m.error_squares += error * error;
        m.rel_max = fmax(m.rel_max, relative);
        if (exact || relative > rel_max) {
            found_here(&m, i, got, want);
            m.wrong++;
        }
    }
    return m;
}

static inline bool is_near(double a, double b, double share)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= share * fabs(b);
}

static inline bool is_same(double a, double b)
{
    return is_near(a, b, 1e-12);
}

/* Sums of `count` squares, and what is divided by them: each device adds in an order of its
 * own, and each sum rounds as often. */
static inline bool is_same_sum(uint64_t count, double a, double b)
{
    return is_near(a, b, fmax(1e-12, 2 * (double)count * DBL_EPSILON));
}

static inline void expect_mismatch(const struct output *o, const struct sg_mismatch *is,
                                   const struct sg_mismatch *should)
{
    if (is_same_sum(o->count, is->error_squares, should->error_squares) &&
        is_same_sum(o->count, is->reference_squares, should->reference_squares) &&
        is_same_sum(o->count, is->rel_max, should->rel_max) && is->wrong == should->wrong &&
        is->nan == should->nan && is->first == should->first && is_same(is->got, should->got) &&
        is_same(is->want, should->want))
        return;
    fail_msg("%s: %llu %s: errors %g of %g, rel_max %g, %llu wrong, %llu nan, first %llu: %g for "
             "%g; should be %g of %g, %g, %llu, "
             "%llu, %llu: %g for %g",
             device->name, (unsigned long long)o->count, sg_dtype_word(o->dtype), is->error_squares,
             is->reference_squares, is->rel_max, (unsigned long long)is->wrong,
             (unsigned long long)is->nan, (unsigned long long)is->first, is->got, is->want,
             should->error_squares, should->reference_squares, should->rel_max,
             (unsigned long long)should->wrong, (unsigned long long)should->nan,
             (unsigned long long)should->first, should->got, should->want);
}

/* All tests on the null device, and on a GPU where there is one. */
static inline int on_each_device(int (*run_all)(const char *name))
{
    if (sg_device_open_null(0, &device, &err) != SG_SUCCESS)
        return 1;
    int failed = run_all("the null device");
    device->ops->close(device);
#ifdef SOLGATE_HAVE_CUDA
    const enum sg_code opened = sg_device_open_cuda(0, &device, &err);
    if (opened == SG_SUCCESS) {
        failed += run_all("a GPU");
        device->ops->close(device);
    } else {
        print_message("no GPU: %s\n", err.message);
    }
    failed += opened != SG_SUCCESS && opened != SG_NO_GPU;
#endif
    return failed;
}
