/*
 * device/launch_check.h by its definitions, element by element. On the null device, and on a GPU where
 * there is one.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"
#include "util/dtype.h"
#include "util/random.h"
#include "util/text.h"
#include "worker/output_check.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BEHIND       64u /* bytes behind an array, which nobody may write */

static struct sg_device *device; /* of the group that runs */
static struct sg_err err;

/* Elements: one, odd numbers, ends of words and vectors, more than a block of a GPU takes. */
static const uint64_t counts[] = {1, 2, 3, 5, 15, 16, 17, 31, 33, 255, 1000, 4099, 20001};

static void draw_bytes(uint64_t seed, void *memory, uint64_t bytes)
{
    unsigned char *to = memory;
    for (uint64_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)sg_random_next(&seed);
}

/* Memory of the device that holds the same bytes, and BEHIND more. */
static void *to_device(const void *host, uint64_t bytes)
{
    unsigned char behind[BEHIND];
    enum sg_status status = SG_OK;
    char *memory = device->ops->alloc(device, bytes + BEHIND, &status);
    assert_non_null(memory);
    memset(behind, 0xB7, sizeof(behind));
    assert_int_equal(device->ops->upload(device, memory, host, bytes, &err), SG_DONE);
    assert_int_equal(device->ops->upload(device, memory + bytes, behind, BEHIND, &err), SG_DONE);
    return memory;
}

/* And back; fails if what is behind was written. */
static void from_device(void *host, const void *memory, uint64_t bytes)
{
    unsigned char behind[BEHIND];
    assert_int_equal(device->ops->download(device, host, memory, bytes, &err), SG_DONE);
    assert_int_equal(device->ops->download(device, behind, (const char *)memory + bytes, BEHIND, &err), SG_DONE);
    for (size_t i = 0; i < BEHIND; i++)
        if (behind[i] != 0xB7)
            fail_msg("byte %zu behind an array of %llu was written", i, (unsigned long long)bytes);
}

static void let_go(void *memory)
{
    device->ops->release(device, memory);
}

/* ---- refill ---- */

static void refill(const struct sg_refill *request, void *host)
{
    struct sg_refill r = *request;
    void *to = to_device(host, r.bytes), *pool = to_device(r.pool, r.pool_bytes);
    r.to = to;
    r.pool = pool;
    assert_int_equal(device->ops->refill(device, &r, &err), SG_DONE);
    from_device(host, to, r.bytes);
    let_go(to);
    let_go(pool);
}

static bool is_piece(const char *piece, uint64_t bytes, const struct sg_refill *r, uint64_t start)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (piece[i] != ((const char *)r->pool)[(start + i) % r->pool_bytes])
            return false;
    return true;
}

/* The unit of the pool that a piece begins with; as many as there are if it is no piece of it. */
static uint64_t find_start(const char *piece, uint64_t bytes, const struct sg_refill *r)
{
    uint64_t start = 0;
    while (start < r->pool_bytes && !is_piece(piece, bytes, r, start))
        start += r->unit_bytes;
    return start / r->unit_bytes;
}

static void refilled_from_pieces_of_the_pool(void **state)
{
    (void)state;
    static const uint64_t pools[] = {1, 3, 4, 7, 100, 300, 5003}, units[] = {1, 5, 15, 16, 17, 255, 256, 257, 3000, 20001};
    uint64_t key = 1;
    for (unsigned unit = 1; unit <= 8; unit *= 2) {
        for (size_t k = 0; k < COUNT(pools) * COUNT(units); k++) {
            const uint64_t bytes = units[k / COUNT(pools)] * unit, pool_bytes = pools[k % COUNT(pools)] * unit,
                           piece = UINT64_C(256) * unit;
            char *pool = test_malloc(pool_bytes), *got = test_malloc(bytes);
            const struct sg_refill r = {.pool = pool, .bytes = bytes, .pool_bytes = pool_bytes, .unit_bytes = unit, .key = key++};
            draw_bytes(k, pool, pool_bytes);
            memset(got, 0x11, bytes);
            refill(&r, got);
            for (uint64_t at = 0; at < bytes; at += piece)
                if (find_start(got + at, bytes - at < piece ? bytes - at : piece, &r) == pool_bytes / unit)
                    fail_msg("%s: units of %u, a pool of %llu bytes: byte %llu of %llu begins no piece of the pool", device->name, unit,
                             (unsigned long long)pool_bytes, (unsigned long long)at, (unsigned long long)bytes);
            test_free(pool);
            test_free(got);
        }
    }
}

/* A pool of numbered units tells where each piece began. */
static void pieces_begin_all_over_the_pool(void **state)
{
    (void)state;
    enum { POOL = 1000, PIECES = 400, UNITS = PIECES * 256 };
    static uint32_t pool[POOL], got[UNITS], again[UNITS], other[UNITS];
    unsigned tenth[10] = {0};
    for (uint32_t i = 0; i < POOL; i++)
        pool[i] = i;
    struct sg_refill r = {.pool = pool, .bytes = sizeof(got), .pool_bytes = sizeof(pool), .unit_bytes = 4, .key = 77};
    refill(&r, got);
    refill(&r, again);
    r.key = 78;
    refill(&r, other);
    assert_memory_equal(got, again, sizeof(got));
    unsigned same = 0;
    for (size_t i = 0; i < UNITS; i += 256) {
        tenth[got[i] * 10 / POOL]++;
        same += got[i] == other[i];
    }
    assert_in_range(same, 0, 5);
    for (size_t i = 0; i < 10; i++)
        assert_in_range(tenth[i], 15, 75); /* 40 expected */
}

/* ---- scramble ---- */

static void scramble(const struct sg_scramble *request, void *host)
{
    const uint64_t bytes = request->count * request->unit_bytes;
    struct sg_scramble s = *request;
    s.memory = to_device(host, bytes);
    assert_int_equal(device->ops->scramble(device, &s, &err), SG_DONE);
    from_device(host, s.memory, bytes);
    let_go(s.memory);
}

/* Is unit i what unit (c - i) mod count was? */
static bool is_turned(const char *is, const char *was, const struct sg_scramble *s, uint64_t c)
{
    for (uint64_t i = 0; i < s->count; i++) {
        const uint64_t partner = (c + s->count - i) % s->count;
        if (memcmp(is + i * s->unit_bytes, was + partner * s->unit_bytes, s->unit_bytes) != 0)
            return false;
    }
    return true;
}

static void scrambled_about_one_place(void **state)
{
    (void)state;
    uint64_t key = 9;
    for (unsigned unit = 1; unit <= 8; unit *= 2) {
        for (size_t k = 0; k < COUNT(counts); k++) {
            const struct sg_scramble s = {.count = counts[k], .unit_bytes = unit, .key = key++};
            const uint64_t bytes = s.count * unit;
            char *was = test_malloc(bytes), *is = test_malloc(bytes);
            uint64_t c = 0;
            draw_bytes(k, was, bytes);
            memcpy(is, was, bytes);
            scramble(&s, is);
            while (c < s.count && !is_turned(is, was, &s, c))
                c++;
            if (c == s.count)
                fail_msg("%s: %llu units of %u: turned about no place", device->name, (unsigned long long)s.count, unit);
            scramble(&s, is);
            assert_memory_equal(is, was, bytes);
            test_free(was);
            test_free(is);
        }
    }
}

static void every_key_scrambles_otherwise(void **state)
{
    (void)state;
    enum { UNITS = 1000, KEYS = 20 };
    uint16_t first[KEYS];
    for (uint64_t key = 0; key < KEYS; key++) {
        uint16_t memory[UNITS];
        unsigned stayed = 0;
        for (unsigned i = 0; i < UNITS; i++)
            memory[i] = (uint16_t)i;
        scramble(&(struct sg_scramble){.count = UNITS, .unit_bytes = 2, .key = key}, memory);
        for (unsigned i = 0; i < UNITS; i++)
            stayed += memory[i] == i;
        assert_in_range(stayed, 0, 2); /* i = c - i has no more answers */
        first[key] = memory[0];
        for (uint64_t k = 0; k < key; k++)
            assert_int_not_equal(first[k], first[key]);
    }
}

/* ---- keep and match ---- */

/* An output under test: what is kept of it, and what it is later. */
struct output {
    enum sg_dtype dtype;
    uint64_t count, bytes, key;
    unsigned char *before, *after; /* host */
};

static struct output output_of(enum sg_dtype dtype, uint64_t count, uint64_t key)
{
    struct output o = {.dtype = dtype, .count = count, .bytes = sg_dtype_array_bytes(dtype, count), .key = key};
    o.before = test_malloc(o.bytes);
    o.after = test_malloc(o.bytes);
    return o;
}

static void free_output(struct output *o)
{
    test_free(o->before);
    test_free(o->after);
}

/* Keeps `before`, compares `after`; kept: what the device holds then, o->bytes, may be NULL. */
static struct sg_mismatch compare(const struct output *o, double rel_max, bool exact, void *kept, double *squares)
{
    const struct sg_mismatch junk = {.error_squares = 5, .rel_max = 9, .wrong = 7, .nan = 3, .first = 1, .got = 4, .want = 2};
    const double other_junk = NAN;
    struct sg_mismatch found;
    struct sg_keep k = {.count = o->count, .dtype = o->dtype, .key = o->key};
    void *from = to_device(o->before, o->bytes), *got = to_device(o->after, o->bytes);
    k.from = from;
    k.to = to_device(o->after, o->bytes);
    k.squares = to_device(&other_junk, sizeof(*squares));
    struct sg_match m = {.got = got, .kept = k.to, .count = o->count, .dtype = o->dtype, .key = o->key, .squares = k.squares};
    m.rel_max = rel_max;
    m.exact = exact;
    m.out = to_device(&junk, sizeof(junk));
    assert_int_equal(device->ops->keep(device, &k, &err), SG_DONE);
    assert_int_equal(device->ops->match(device, &m, &err), SG_DONE);
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

static double squares_of(const struct output *o)
{
    double sum = 0;
    for (uint64_t i = 0; i < o->count; i++) {
        const double x = sg_dtype_get(o->dtype, o->before, i);
        sum += isfinite(x) ? x * x : 0;
    }
    return sum;
}

static void found_here(struct sg_mismatch *m, uint64_t i, double got, double want)
{
    if (m->wrong + m->nan == 0) {
        m->first = i;
        m->got = got;
        m->want = want;
    }
}

/* The definition, one element after the other. */
static struct sg_mismatch by_definition(const struct output *o, double rel_max, bool exact)
{
    struct sg_mismatch m = {.reference_squares = squares_of(o), .first = o->count};
    const double rms = sqrt(m.reference_squares / (double)o->count);
    for (uint64_t i = 0; i < o->count; i++) {
        const double got = sg_dtype_get(o->dtype, o->after, i), want = sg_dtype_get(o->dtype, o->before, i);
        if (got == want || (isnan(got) && isnan(want)))
            continue;
        if (isnan(got) || isnan(want)) {
            found_here(&m, i, got, want);
            m.nan++;
            continue;
        }
        const double error = fabs(got - want);
        const double relative = isinf(got) || isinf(want) || fabs(want) + rms == 0 ? INFINITY : error / (fabs(want) + rms);
        m.error_squares += error * error;
        m.rel_max = fmax(m.rel_max, relative);
        if (exact || relative > rel_max) {
            found_here(&m, i, got, want);
            m.wrong++;
        }
    }
    return m;
}

/* Sums are added up in another order on each device. */
static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-12 * fabs(b);
}

static void expect_mismatch(const struct output *o, const struct sg_mismatch *is, const struct sg_mismatch *should)
{
    if (is_same(is->error_squares, should->error_squares) && is_same(is->reference_squares, should->reference_squares) &&
        is_same(is->rel_max, should->rel_max) && is->wrong == should->wrong && is->nan == should->nan && is->first == should->first &&
        is_same(is->got, should->got) && is_same(is->want, should->want))
        return;
    fail_msg("%s: %llu %s: errors %g of %g, rel_max %g, %llu wrong, %llu nan, first %llu: %g for %g; should be %g of %g, %g, %llu, "
             "%llu, %llu: %g for %g",
             device->name, (unsigned long long)o->count, sg_dtype_word(o->dtype), is->error_squares, is->reference_squares, is->rel_max,
             (unsigned long long)is->wrong, (unsigned long long)is->nan, (unsigned long long)is->first, is->got, is->want,
             should->error_squares, should->reference_squares, should->rel_max, (unsigned long long)should->wrong,
             (unsigned long long)should->nan, (unsigned long long)should->first, should->got, should->want);
}

static uint64_t equal_bytes(const unsigned char *a, const unsigned char *b, uint64_t bytes)
{
    uint64_t equal = 0;
    for (uint64_t i = 0; i < bytes; i++)
        equal += a[i] == b[i];
    return equal;
}

/* Every bit pattern may come: not-a-number, infinities, both zeros. */
static void what_was_kept_is_hidden_and_found_again(void **state)
{
    (void)state;
    for (int dtype = 0; dtype < SG_DTYPE_COUNT; dtype++) {
        for (size_t k = 0; k < COUNT(counts); k++) {
            struct output o = output_of((enum sg_dtype)dtype, counts[k], 100 + k);
            unsigned char *kept = test_malloc(o.bytes), *otherwise = test_malloc(o.bytes);
            double squares = 0;
            draw_bytes(k, o.before, o.bytes);
            memcpy(o.after, o.before, o.bytes);
            const struct sg_mismatch found = compare(&o, 0, true, kept, &squares);
            const struct sg_mismatch none = {.reference_squares = squares_of(&o), .first = o.count};
            expect_mismatch(&o, &found, &none);
            assert_true(is_same(squares, none.reference_squares));
            o.key++;
            compare(&o, 0, true, otherwise, &squares);
            /* One byte of 256 is what it was, by chance. */
            assert_in_range(equal_bytes(kept, o.before, o.bytes), 0, o.bytes / 128 + 2);
            assert_in_range(equal_bytes(kept, otherwise, o.bytes), 0, o.bytes / 128 + 2);
            test_free(kept);
            test_free(otherwise);
            free_output(&o);
        }
    }
}

/* All zero: the same mask everywhere would show as the same bytes everywhere. */
static void the_mask_is_another_one_at_every_place(void **state)
{
    (void)state;
    enum { ELEMENTS = 4096 };
    struct output o = output_of(SG_F32, ELEMENTS, 3);
    static uint32_t kept[ELEMENTS];
    double squares = 0;
    memset(o.before, 0, o.bytes);
    memset(o.after, 0, o.bytes);
    compare(&o, 0, true, kept, &squares);
    for (size_t i = 1; i < ELEMENTS; i++)
        for (size_t k = i < 16 ? 0 : i - 16; k < i; k++)
            assert_int_not_equal(kept[i], kept[k]);
    free_output(&o);
}

/* One bit somewhere, a few, or most of the bytes. */
static void change(struct output *o, unsigned how, uint64_t *random)
{
    const uint64_t bits = how == 0 ? 1 : how == 1 ? 5 : 0;
    memcpy(o->after, o->before, o->bytes);
    for (uint64_t i = 0; i < bits; i++)
        o->after[sg_random_next(random) % o->bytes] ^= (unsigned char)(1u << sg_random_next(random) % 8);
    for (uint64_t i = 0; how == 2 && i < o->bytes; i++)
        if (sg_random_next(random) % 3)
            o->after[i] ^= (unsigned char)sg_random_next(random);
}

static void every_difference_is_found(void **state)
{
    (void)state;
    static const double allowed[] = {0, 1e-6, 0.3};
    uint64_t random = 4;
    for (int dtype = 0; dtype < SG_DTYPE_COUNT; dtype++) {
        for (size_t k = 0; k < COUNT(counts); k++) {
            struct output o = output_of((enum sg_dtype)dtype, counts[k], sg_random_next(&random));
            draw_bytes(k + 50, o.before, o.bytes);
            for (unsigned how = 0; how < COUNT(allowed) * 3; how++) {
                double squares = 0;
                change(&o, how / COUNT(allowed), &random);
                const bool exact = how % 2;
                const struct sg_mismatch found = compare(&o, allowed[how % COUNT(allowed)], exact, NULL, &squares);
                const struct sg_mismatch should = by_definition(&o, allowed[how % COUNT(allowed)], exact);
                expect_mismatch(&o, &found, &should);
            }
            free_output(&o);
        }
    }
}

#define ELEMENTS 4

static void single_verdicts(void **state)
{
    (void)state;
    static const struct {
        const char *sentence;
        enum sg_dtype dtype;
        double before[ELEMENTS], after[ELEMENTS];
        double allowed;
        bool exact;
        uint64_t wrong, nan, first;
        double rel_max;
    } rows[] = {
        {"equal", SG_F32, {1, 2, 3, 4}, {1, 2, 3, 4}, 0, true, 0, 0, 4, 0},
        {"0 and -0 are equal", SG_F32, {0, -0.0, 3, 4}, {-0.0, 0, 3, 4}, 0, true, 0, 0, 4, 0},
        {"as much as is allowed", SG_F32, {1, -1, 1, 1}, {1, -1, 1.5, 1}, 0.25, false, 0, 0, 4, 0.25},
        {"a little less is allowed", SG_F32, {1, -1, 1, 1}, {1, -1, 1.5, 1}, 0.25 - 0x1p-54, false, 1, 0, 2, 0.25},
        {"nothing is allowed where equality is asked for", SG_F32, {1, -1, 1, 1}, {1, -1, 1.5, 1}, 0.25, true, 1, 0, 2, 0.25},
        {"the first of two, the worst of two", SG_F32, {1, -1, 1, 1}, {1, 0, 1, 3}, 0.25, false, 2, 0, 1, 1},
        {"the first is of the wrong ones", SG_F32, {1, -1, 1, 1}, {1.25, 0, 1, 3}, 0.25, false, 2, 0, 1, 1},
        {"not a number", SG_F32, {1, 2, 3, 4}, {1, NAN, 3, 4}, 9, false, 0, 1, 1, 0},
        {"not a number before", SG_F32, {1, 2, 3, NAN}, {1, 2, 3, 4}, 9, false, 0, 1, 3, 0},
        {"not a number twice", SG_F32, {NAN, 2, 3, 4}, {-NAN, 2, 3, 4}, 0, true, 0, 0, 4, 0},
        {"not a number behind a wrong one", SG_F32, {1, 1, 1, 1}, {1, 3, 1, NAN}, 0.25, false, 1, 1, 1, 1},
        {"a wrong one behind not a number", SG_F32, {1, 1, 1, 1}, {NAN, 1, 1, 3}, 0.25, false, 1, 1, 0, 1},
        {"infinity", SG_F32, {1, 2, 3, 4}, {1, 2, INFINITY, 4}, 9, false, 1, 0, 2, INFINITY},
        {"infinity before", SG_F32, {1, 2, INFINITY, 4}, {1, 2, 3, 4}, 9, false, 1, 0, 2, INFINITY},
        {"infinity twice", SG_F32, {1, INFINITY, 3, 4}, {1, INFINITY, 3, 4}, 0, true, 0, 0, 4, 0},
        {"infinity of the other sign", SG_F32, {1, INFINITY, 3, 4}, {1, -INFINITY, 3, 4}, 9, false, 1, 0, 1, INFINITY},
        {"anything against all zero", SG_F32, {0, 0, 0, 0}, {0, 0, 0, 0x1p-100}, 9, false, 1, 0, 3, INFINITY},
        {"infinity does not count in the rms", SG_F64, {2, INFINITY, 0, 0}, {2, INFINITY, 1, 0}, 1, false, 0, 0, 4, 1},
        {"e4m3", SG_E4M3, {1, 1, 1, -1}, {1, 1, NAN, 1}, 0.5, false, 1, 1, 2, 1},
        {"e2m1", SG_E2M1, {1, 1, 1, -1}, {1, 1, 1, 1}, 0.5, false, 1, 0, 3, 1},
        {"i8", SG_I8, {-128, 0, 0, 0}, {-128, 0, 127, 0}, 0.5, false, 1, 0, 2, 127 / 64.0},
        {"i32", SG_I32, {-2147483648.0, 0, 0, 0}, {2147483647.0, 0, 0, 0}, 9, true, 1, 0, 0, 4294967295.0 / 3221225472.0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct output o = output_of(rows[i].dtype, ELEMENTS, i);
        double squares = 0;
        for (uint64_t k = 0; k < ELEMENTS; k++) {
            sg_dtype_put(o.dtype, o.before, k, rows[i].before[k]);
            sg_dtype_put(o.dtype, o.after, k, rows[i].after[k]);
        }
        const struct sg_mismatch found = compare(&o, rows[i].allowed, rows[i].exact, NULL, &squares);
        const uint64_t first = rows[i].first;
        const double got = first < ELEMENTS ? rows[i].after[first] : 0, want = first < ELEMENTS ? rows[i].before[first] : 0;
        if (found.wrong != rows[i].wrong || found.nan != rows[i].nan || found.first != first || !is_same(found.rel_max, rows[i].rel_max) ||
            !is_same(found.got, got) || !is_same(found.want, want))
            fail_msg("%s: %s: %llu wrong, %llu nan, first %llu, %g for %g, rel_max %.17g", device->name, rows[i].sentence,
                     (unsigned long long)found.wrong, (unsigned long long)found.nan, (unsigned long long)found.first, found.got, found.want,
                     found.rel_max);
        free_output(&o);
    }
}

static void the_spare_half_byte_is_nothing(void **state)
{
    (void)state;
    static const uint64_t odd[] = {1, 3, 15, 17, 31, 33, 255};
    for (size_t i = 0; i < COUNT(odd); i++) {
        struct output o = output_of(SG_E2M1, odd[i], i);
        double squares = 0;
        memset(o.before, 0x22, o.bytes);
        memset(o.after, 0x22, o.bytes);
        o.before[o.bytes - 1] = 0x52;
        o.after[o.bytes - 1] = 0x72;
        struct sg_mismatch found = compare(&o, 0, true, NULL, &squares);
        assert_int_equal(found.wrong + found.nan, 0);
        assert_int_equal(found.first, odd[i]);
        assert_true(squares == (double)odd[i]);
        o.after[o.bytes - 1] = 0x57;
        found = compare(&o, 0, true, NULL, &squares);
        assert_int_equal(found.first, odd[i] - 1);
        assert_true(found.got == 6 && found.want == 1);
        free_output(&o);
    }
}

/* worker/output_check.h compares with a reference in doubles; here that is what was kept. */
static void measured_as_a_check_measures(void **state)
{
    (void)state;
    enum { MANY = 20001 };
    static const enum sg_dtype dtypes[] = {SG_F64, SG_F32, SG_BF16, SG_E4M3, SG_I32};
    static double expected[MANY];
    uint64_t random = 8;
    for (size_t d = 0; d < COUNT(dtypes); d++) {
        struct output o = output_of(dtypes[d], MANY, d);
        double squares = 0;
        for (uint64_t i = 0; i < MANY; i++) {
            const double x = 9 * sg_random_normal(&random), error = 1 + 0.2 * sg_random_normal(&random);
            sg_dtype_put(o.dtype, o.before, i, x);
            sg_dtype_put(o.dtype, o.after, i, i % 3 ? x : x * error);
        }
        sg_dtype_put(o.dtype, o.after, 700, NAN);
        sg_dtype_get_array(o.dtype, o.before, 0, MANY, expected);
        const struct sg_tolerance tolerance = {.rel_rms = 1, .rel_max = 0.05, .reason = "test"};
        const struct sg_buffer buffer = {.name = "y", .dtype = o.dtype, .count = MANY, .use = SG_OUTPUT};
        struct sg_difference difference;
        sg_check_measure(&(struct sg_check){.buffer = &buffer, .got = o.after, .expected = expected, .tolerance = tolerance}, &difference);
        const struct sg_mismatch found = compare(&o, tolerance.rel_max, false, NULL, &squares);
        assert_true(difference.wrong > 10);
        assert_int_equal(found.wrong, difference.wrong);
        assert_int_equal(found.nan, difference.nan);
        assert_true(is_same(found.rel_max, difference.rel_max));
        assert_true(is_same(sqrt(found.error_squares / found.reference_squares), difference.rel_rms));
        free_output(&o);
    }
}

/* One after the other without a wait: each sees what the one before it wrote. */
static void requests_come_in_their_order(void **state)
{
    (void)state;
    enum { MANY = 300001 };
    static float was[MANY], is[MANY];
    const uint64_t bytes = sizeof(was);
    const double nothing = 0;
    const struct sg_mismatch none = {0};
    struct sg_mismatch found, later;
    for (uint64_t i = 0; i < MANY; i++)
        was[i] = (float)i + 1;
    void *pool = to_device(was, bytes), *y = to_device(is, bytes), *kept = to_device(is, bytes);
    double *squares = to_device(&nothing, sizeof(nothing));
    struct sg_mismatch *out = to_device(&none, sizeof(none)), *out_later = to_device(&none, sizeof(none));
    const struct sg_refill r = {.to = y, .pool = pool, .bytes = bytes, .pool_bytes = bytes, .unit_bytes = 4, .key = 1};
    const struct sg_keep k = {.to = kept, .from = y, .count = MANY, .dtype = SG_F32, .key = 2, .squares = squares};
    const struct sg_scramble s = {.memory = y, .count = MANY, .unit_bytes = 4, .key = 3};
    struct sg_match m = {.got = y, .kept = kept, .count = MANY, .dtype = SG_F32, .key = 2, .squares = squares, .exact = true};
    const struct sg_device_ops *ops = device->ops;
    ops->refill(device, &r, &err);
    ops->keep(device, &k, &err);
    ops->scramble(device, &s, &err);
    m.out = out;
    ops->match(device, &m, &err);
    ops->scramble(device, &s, &err);
    m.out = out_later;
    ops->match(device, &m, &err);
    assert_int_equal(err.code, SG_DONE);
    from_device(&found, out, sizeof(found));
    from_device(&later, out_later, sizeof(later));
    assert_in_range(found.wrong, MANY - 2000, MANY); /* a few pieces overlap in the pool */
    assert_int_equal(found.nan, 0);
    assert_int_equal(later.wrong + later.nan, 0);
    assert_int_equal(later.first, MANY);
    void *const all[] = {pool, y, kept, squares, out, out_later};
    for (size_t i = 0; i < COUNT(all); i++)
        let_go(all[i]);
}

/* More than the largest grid of a GPU takes in one go; a GPU must make of it what the host does. */
static void the_device_does_as_the_host(void **state)
{
    (void)state;
    enum { MANY = 10000001 };
    if (strcmp(device->name, "null") == 0)
        skip(); /* is the host */
    const uint64_t bytes = MANY * sizeof(float), pool_bytes = 5003 * sizeof(float);
    float *pool = test_malloc(pool_bytes), *by_host = test_malloc(bytes), *by_device = test_calloc(MANY, sizeof(float));
    struct output o = output_of(SG_F32, MANY, 6);
    double squares = 0, host_squares = 0;
    for (uint64_t i = 0; i < 5003; i++)
        pool[i] = (float)sin((double)i);
    struct sg_refill r = {.to = by_host, .pool = pool, .bytes = bytes, .pool_bytes = pool_bytes, .unit_bytes = 4, .key = 1};
    sg_host_refill(&r);
    refill(&r, by_device);
    assert_memory_equal(by_device, by_host, bytes);
    const struct sg_scramble s = {.memory = by_host, .count = MANY, .unit_bytes = 4, .key = 2};
    sg_host_scramble(&s);
    scramble(&s, by_device);
    assert_memory_equal(by_device, by_host, bytes);
    memcpy(o.before, by_host, bytes);
    memcpy(o.after, by_host, bytes);
    ((float *)o.after)[MANY - 2] += 1;
    const struct sg_mismatch found = compare(&o, 1e-3, false, by_device, &squares);
    const struct sg_mismatch should = by_definition(&o, 1e-3, false);
    sg_host_keep(&(struct sg_keep){.to = by_host, .from = o.before, .count = MANY, .dtype = SG_F32, .key = 6, .squares = &host_squares});
    expect_mismatch(&o, &found, &should);
    assert_memory_equal(by_device, by_host, bytes);
    free_output(&o);
    test_free(pool);
    test_free(by_host);
    test_free(by_device);
}

static int run_all(const char *name)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refilled_from_pieces_of_the_pool),
        cmocka_unit_test(pieces_begin_all_over_the_pool),
        cmocka_unit_test(scrambled_about_one_place),
        cmocka_unit_test(every_key_scrambles_otherwise),
        cmocka_unit_test(what_was_kept_is_hidden_and_found_again),
        cmocka_unit_test(the_mask_is_another_one_at_every_place),
        cmocka_unit_test(every_difference_is_found),
        cmocka_unit_test(single_verdicts),
        cmocka_unit_test(the_spare_half_byte_is_nothing),
        cmocka_unit_test(measured_as_a_check_measures),
        cmocka_unit_test(requests_come_in_their_order),
        cmocka_unit_test(the_device_does_as_the_host),
    };
    const int failed = cmocka_run_group_tests_name(name, tests, NULL, NULL);
    device->ops->close(device);
    return failed;
}

int main(void)
{
    if (sg_device_open_null(&device, &err) != SG_DONE)
        return 1;
    int failed = run_all("the null device");
#ifdef SOLGATE_HAVE_CUDA
    const enum sg_code opened = sg_device_open_cuda(0, &device, &err);
    if (opened == SG_DONE)
        failed += run_all("a GPU");
    else
        print_message("no GPU: %s\n", err.message);
    failed += opened != SG_DONE && opened != SG_NO_GPU;
#endif
    return failed;
}
