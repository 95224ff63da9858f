/*
 * launch_check.h: requests that follow each other, and what two devices make of the same ones.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "launch_check_bench.h"

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
        cmocka_unit_test(requests_come_in_their_order),
        cmocka_unit_test(the_device_does_as_the_host),
    };
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void)
{
    return on_each_device(run_all);
}
