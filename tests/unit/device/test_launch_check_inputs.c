/*
 * launch_check.h by its definitions: fresh inputs (refill), and outputs that look done and are not
 * (scramble).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "launch_check_bench.h"

/* ---- refill ---- */

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

TEST(refilled_from_pieces_of_the_pool)
{
    static const uint64_t pools[] = {1, 3, 4, 7, 100, 300, 5003},
                          units[] = {1, 5, 15, 16, 17, 255, 256, 257, 3000, 20001};
    uint64_t key = 1;
    for (unsigned unit = 1; unit <= 8; unit *= 2) {
        for (size_t k = 0; k < COUNT(pools) * COUNT(units); k++) {
            const uint64_t bytes = units[k / COUNT(pools)] * unit,
                           pool_bytes = pools[k % COUNT(pools)] * unit,
                           piece = UINT64_C(256) * unit;
            char *pool = test_malloc(pool_bytes), *got = test_malloc(bytes);
            const struct sg_refill r = {.pool = pool,
                                        .bytes = bytes,
                                        .pool_bytes = pool_bytes,
                                        .unit_bytes = unit,
                                        .key = key++};
            draw_bytes(k, pool, pool_bytes);
            memset(got, 0x11, bytes);
            refill(&r, got);
            for (uint64_t at = 0; at < bytes; at += piece)
                if (find_start(got + at, bytes - at < piece ? bytes - at : piece, &r) ==
                    pool_bytes / unit)
                    fail_msg("%s: units of %u, a pool of %llu bytes: byte %llu of %llu begins no "
                             "piece of the pool",
                             device->name, unit, (unsigned long long)pool_bytes,
                             (unsigned long long)at, (unsigned long long)bytes);
            test_free(pool);
            test_free(got);
        }
    }
}

/* A pool of numbered units tells where each piece began. */
TEST(pieces_begin_all_over_the_pool)
{
    enum { POOL = 1000, PIECES = 400, UNITS = PIECES * 256 };
    static uint32_t pool[POOL], got[UNITS], again[UNITS], other[UNITS];
    unsigned tenth[10] = {0};
    for (uint32_t i = 0; i < POOL; i++)
        pool[i] = i;
    struct sg_refill r = {
        .pool = pool, .bytes = sizeof(got), .pool_bytes = sizeof(pool), .unit_bytes = 4, .key = 77};
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

TEST(scrambled_about_one_place)
{
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
                fail_msg("%s: %llu units of %u: turned about no place", device->name,
                         (unsigned long long)s.count, unit);
            scramble(&s, is);
            assert_memory_equal(is, was, bytes);
            test_free(was);
            test_free(is);
        }
    }
}

static int run_all(const char *name)
{
    return check_run(name, NULL, NULL);
}

int main(void)
{
    return on_each_device(run_all);
}
