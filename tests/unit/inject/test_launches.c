/* inject/launches.h and inject/map.h: launch calls whose records are to come; a map. */
#include <stdlib.h>

#include "check.h"
#include "inject/launches.h"
#include "inject/map.h"

#define CALLS 3000

TEST(map_is_a_list_of_pairs)
{
    static uint64_t expected[CALLS]; /* 0: not there */
    struct sg_map map = {.count = 0};
    uint64_t random = 1, found;
    for (unsigned i = 0; i < 20 * CALLS; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
        const uint64_t key =
            2 + (random >> 33) %
                    (CALLS - 2); /* neither a handle nor a digest is 0 or 1, which are one */
        if (random >> 63) {
            assert_true(sg_map_put(&map, key, i + 1));
            expected[key] = i + 1;
        } else {
            assert_int_equal(sg_map_take(&map, key, &found), expected[key] != 0);
            expected[key] = 0;
        }
    }
    size_t count = 0;
    for (uint64_t key = 2; key < CALLS; key++) {
        assert_int_equal(sg_map_get(&map, key, &found), expected[key] != 0);
        if (expected[key])
            assert_int_equal(found, expected[key]);
        count += expected[key] != 0;
    }
    assert_int_equal(map.count, count);
    free(map.slots);
}

TEST(digests_differ)
{
    static const char text[] = "0123456789abcdef0123456789abcdef";
    for (size_t i = 0; i < sizeof(text); i++)
        for (size_t k = 0; k < i; k++)
            assert_true(sg_map_digest(text, i) != sg_map_digest(text, k));
}

TEST(calls_wait_for_as_many_records_as_they_have_kernels)
{
    struct sg_launch_call call;
    for (uint32_t i = 1; i <= CALLS; i++)
        sg_launches_begin(
            i, &(struct sg_launch_call){.time_ns = i, .range = i % 7, .kernels = 1 + i % 3});
    for (uint32_t i = 1; i <= CALLS; i += 2)
        sg_launches_cancel(i);
    for (uint32_t i = 1; i <= CALLS; i++)
        for (unsigned k = 0; k <= 1 + i % 3; k++) {
            const bool is_expected = i % 2 == 0 && k < 1 + i % 3;
            assert_int_equal(sg_launches_take(i, &call), is_expected);
            if (is_expected)
                assert_true(call.time_ns == i && call.range == i % 7);
        }
    sg_launches_begin(5, &(struct sg_launch_call){.kernels = SG_KERNELS_UNKNOWN});
    for (unsigned k = 0; k < 10; k++)
        assert_true(sg_launches_take(5, &call));
}
