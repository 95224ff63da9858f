/*
 * launch_check.h: requests that follow each other, and what two devices make of the same ones.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "launch_check_bench.h"
#include "util/dtype.h"

/* One after the other without a wait: each sees what the one before it wrote. */
TEST(requests_come_in_their_order)
{
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
    struct sg_mismatch *out = to_device(&none, sizeof(none)),
                       *out_later = to_device(&none, sizeof(none));
    const struct sg_refill r = {
        .to = y, .pool = pool, .bytes = bytes, .pool_bytes = bytes, .unit_bytes = 4, .key = 1};
    const struct sg_keep k = {
        .to = kept, .from = y, .count = MANY, .dtype = SG_F32, .key = 2, .squares = squares};
    const struct sg_scramble s = {.memory = y, .count = MANY, .unit_bytes = 4, .key = 3};
    struct sg_match m = {.got = y,
                         .kept = kept,
                         .count = MANY,
                         .dtype = SG_F32,
                         .key = 2,
                         .squares = squares,
                         .exact = true};
    sg_device_refill(device, &r, 1, &err);
    sg_device_keep(device, &k, 1, &err);
    sg_device_scramble(device, &s, 1, &err);
    m.out = out;
    sg_device_match(device, &m, 1, &err);
    sg_device_scramble(device, &s, 1, &err);
    m.out = out_later;
    sg_device_match(device, &m, 1, &err);
    assert_int_equal(err.code, SG_SUCCESS);
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
TEST(the_device_does_as_the_host)
{
    enum { MANY = 10000001 };
    if (strcmp(device->name, "null") == 0)
        skip(); /* is the host */
    const uint64_t bytes = MANY * sizeof(float), pool_bytes = 5003 * sizeof(float);
    float *pool = test_malloc(pool_bytes), *by_host = test_malloc(bytes),
          *by_device = test_calloc(MANY, sizeof(float));
    struct output o = output_of(SG_F32, MANY, 6);
    double squares = 0, host_squares = 0;
    for (uint64_t i = 0; i < 5003; i++)
        pool[i] = (float)sin((double)i);
    struct sg_refill r = {.to = by_host,
                          .pool = pool,
                          .bytes = bytes,
                          .pool_bytes = pool_bytes,
                          .unit_bytes = 4,
                          .key = 1};
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
    sg_host_keep(&(struct sg_keep){.to = by_host,
                                   .from = o.before,
                                   .count = MANY,
                                   .dtype = SG_F32,
                                   .key = 6,
                                   .squares = &host_squares});
    expect_mismatch(&o, &found, &should);
    assert_memory_equal(by_device, by_host, bytes);
    free_output(&o);
    test_free(pool);
    test_free(by_host);
    test_free(by_device);
}

/* Requests of different sizes and types at once: each comes to what it comes to by
 * itself, as often as it is asked. */
TEST(requests_of_an_array_do_not_meet)
{
    enum { TIMES = 3 };
    static const struct {
        enum sg_dtype dtype;
        uint64_t count, wrong; /* elements; the one that is */
    } rows[] = {{SG_F32, 3, 1}, {SG_BF16, 700001, 700000}, {SG_F64, 70001, 0}, {SG_E4M3, 1, 0}};
    struct output o[COUNT(rows)];
    struct sg_keep keeps[COUNT(rows)];
    struct sg_match matches[COUNT(rows)];
    for (size_t i = 0; i < COUNT(rows); i++) {
        const double squares = 0;
        const struct sg_mismatch none = {0};
        o[i] = output_of(rows[i].dtype, rows[i].count, i);
        for (uint64_t k = 0; k < rows[i].count; k++)
            sg_dtype_put(rows[i].dtype, o[i].before, k, (double)(k % 7) + 1);
        memcpy(o[i].after, o[i].before, o[i].bytes);
        sg_dtype_put(rows[i].dtype, o[i].after, rows[i].wrong, 12);
        keeps[i] = (struct sg_keep){.count = rows[i].count, .dtype = rows[i].dtype, .key = i};
        keeps[i].from = to_device(o[i].before, o[i].bytes);
        keeps[i].to = to_device(o[i].after, o[i].bytes);
        keeps[i].squares = to_device(&squares, sizeof(squares));
        matches[i] = (struct sg_match){
            .count = rows[i].count, .dtype = rows[i].dtype, .key = i, .rel_max = 0.1};
        matches[i].kept = keeps[i].to;
        matches[i].squares = keeps[i].squares;
        matches[i].got = to_device(o[i].after, o[i].bytes);
        matches[i].out = to_device(&none, sizeof(none));
    }
    for (unsigned time = 0; time < TIMES; time++) {
        assert_int_equal(sg_device_keep(device, keeps, COUNT(rows), &err), SG_SUCCESS);
        assert_int_equal(sg_device_match(device, matches, COUNT(rows), &err), SG_SUCCESS);
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct sg_mismatch found;
            const struct sg_mismatch should = by_definition(&o[i], 0.1, false);
            from_device(&found, matches[i].out, sizeof(found));
            assert_int_equal(found.first, rows[i].wrong);
            expect_mismatch(&o[i], &found, &should);
        }
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        void *const all[] = {(void *)(uintptr_t)keeps[i].from, keeps[i].to, keeps[i].squares,
                             (void *)(uintptr_t)matches[i].got, matches[i].out};
        for (size_t k = 0; k < COUNT(all); k++)
            let_go(all[k]);
        free_output(&o[i]);
    }
}

/* Of the device, which must be the host's. */
static uint64_t code_of(enum sg_dtype dtype, const void *host, uint64_t count, uint64_t key)
{
    uint64_t code = 0, by_host = 0;
    struct sg_seal seal = {
        .from = host, .count = count, .dtype = dtype, .key = key, .code = &by_host};
    sg_host_seal(&seal);
    void *from = to_device(host, sg_dtype_array_bytes(dtype, count));
    seal.from = from;
    seal.code = to_device(&code, sizeof(code));
    assert_int_equal(sg_device_seal(device, &seal, 1, &err), SG_SUCCESS);
    from_device(&code, seal.code, sizeof(code));
    assert_true(code == by_host);
    let_go(from);
    let_go(seal.code);
    return code;
}

TEST(codes_are_of_values_and_places)
{
    enum { MOST = 70001 };
    static const enum sg_dtype dtypes[] = {SG_F32, SG_F16, SG_BF16, SG_I32, SG_I8};
    static const uint64_t sizes[] = {1, 5, MOST};
    static double values[MOST];
    unsigned char *array = test_malloc(sizeof(values));
    for (size_t d = 0; d < COUNT(dtypes); d++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            const enum sg_dtype dtype = dtypes[d];
            const uint64_t count = sizes[s], last = count - 1;
            const bool is_float = dtype != SG_I32 && dtype != SG_I8;
            for (uint64_t i = 0; i < count; i++)
                sg_dtype_put(dtype, array, i, (double)(i % 100));
            const uint64_t code = code_of(dtype, array, count, 1);
            assert_true(code_of(dtype, array, count, 1) == code);
            assert_true(code_of(dtype, array, count, 2) != code);
            /* One value, and two that change places. */
            sg_dtype_put(dtype, array, last, 101);
            assert_true(code_of(dtype, array, count, 1) != code);
            sg_dtype_put(dtype, array, last, (double)(last % 100));
            assert_true(code_of(dtype, array, count, 1) == code);
            if (count > 1) {
                sg_dtype_put(dtype, array, 0, 1);
                sg_dtype_put(dtype, array, 1, 0);
                assert_true(code_of(dtype, array, count, 1) != code);
                sg_dtype_put(dtype, array, 1, 1);
            }
            sg_dtype_put(dtype, array, 0, -0.0);
            assert_true(code_of(dtype, array, count, 1) == code);
            sg_dtype_put(dtype, array, 0, is_float ? NAN : 7);
            const uint64_t other = code_of(dtype, array, count, 1);
            assert_true(other != code);
            sg_dtype_put(dtype, array, 0, is_float ? -NAN : 7);
            assert_true(code_of(dtype, array, count, 1) == other);
            sg_dtype_put(dtype, array, 0, is_float ? INFINITY : 8);
            assert_true(code_of(dtype, array, count, 1) != other);
        }
    assert_true(sg_can_seal(SG_F32) && !sg_can_seal(SG_E2M1) && !sg_can_seal(SG_TF32));
    test_free(array);
}

static int run_all(const char *name)
{
    return check_run(name, NULL, NULL);
}

int main(void)
{
    return on_each_device(run_all);
}
