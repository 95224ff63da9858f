/*
 * launch_check.h by its definitions, element by element: outputs put away (keep), and compared with
 * those of a later launch (match).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "launch_check_bench.h"
#include "util/random.h"
#include "worker/output_check.h"

static uint64_t equal_bytes(const unsigned char *a, const unsigned char *b, uint64_t bytes)
{
    uint64_t equal = 0;
    for (uint64_t i = 0; i < bytes; i++)
        equal += a[i] == b[i];
    return equal;
}

/* Every bit pattern may come: not-a-number, infinities, both zeros. */
TEST(what_was_kept_is_hidden_and_found_again)
{
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

/* One bit somewhere, a few, or most of the bytes. */
static void change(struct output *o, unsigned how, uint64_t *random)
{
    const uint64_t bits = how == 0 ? 1 : how == 1 ? 5 : 0;
    memcpy(o->after, o->before, o->bytes);
    for (uint64_t i = 0; i < bits; i++)
        o->after[sg_random_next(random) % o->bytes] ^=
            (unsigned char)(1u << sg_random_next(random) % 8);
    for (uint64_t i = 0; how == 2 && i < o->bytes; i++)
        if (sg_random_next(random) % 3)
            o->after[i] ^= (unsigned char)sg_random_next(random);
}

TEST(every_difference_is_found)
{
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
                const struct sg_mismatch found =
                    compare(&o, allowed[how % COUNT(allowed)], exact, NULL, &squares);
                const struct sg_mismatch should =
                    by_definition(&o, allowed[how % COUNT(allowed)], exact);
                expect_mismatch(&o, &found, &should);
            }
            free_output(&o);
        }
    }
}

#define ELEMENTS 4

TEST(single_verdicts)
{
    static const struct {
        const char *sentence;
        enum sg_dtype dtype;
        double before[ELEMENTS], after[ELEMENTS];
        double allowed;
        bool exact;
        uint64_t wrong, nan, first;
        double rel_max;
    } rows[] = {
        ROW("equal", SG_F32, LIST(1, 2, 3, 4), LIST(1, 2, 3, 4), 0, true, 0, 0, 4, 0),
        ROW("0 and -0 are equal", SG_F32, LIST(0, -0.0, 3, 4), LIST(-0.0, 0, 3, 4), 0, true, 0, 0,
            4, 0),
        ROW("as much as is allowed", SG_F32, LIST(1, -1, 1, 1), LIST(1, -1, 1.5, 1), 0.25, false, 0,
            0, 4, 0.25),
        ROW("a little less is allowed", SG_F32, LIST(1, -1, 1, 1), LIST(1, -1, 1.5, 1),
            0.25 - 0x1p-54, false, 1, 0, 2, 0.25),
        ROW("nothing is allowed where equality is asked for", SG_F32, LIST(1, -1, 1, 1),
            LIST(1, -1, 1.5, 1), 0.25, true, 1, 0, 2, 0.25),
        ROW("the first of two, the worst of two", SG_F32, LIST(1, -1, 1, 1), LIST(1, 0, 1, 3), 0.25,
            false, 2, 0, 1, 1),
        ROW("the first is of the wrong ones", SG_F32, LIST(1, -1, 1, 1), LIST(1.25, 0, 1, 3), 0.25,
            false, 2, 0, 1, 1),
        ROW("not a number", SG_F32, LIST(1, 2, 3, 4), LIST(1, NAN, 3, 4), 9, false, 0, 1, 1, 0),
        ROW("not a number before", SG_F32, LIST(1, 2, 3, NAN), LIST(1, 2, 3, 4), 9, false, 0, 1, 3,
            0),
        ROW("not a number twice", SG_F32, LIST(NAN, 2, 3, 4), LIST(-NAN, 2, 3, 4), 0, true, 0, 0, 4,
            0),
        ROW("not a number behind a wrong one", SG_F32, LIST(1, 1, 1, 1), LIST(1, 3, 1, NAN), 0.25,
            false, 1, 1, 1, 1),
        ROW("a wrong one behind not a number", SG_F32, LIST(1, 1, 1, 1), LIST(NAN, 1, 1, 3), 0.25,
            false, 1, 1, 0, 1),
        ROW("infinity", SG_F32, LIST(1, 2, 3, 4), LIST(1, 2, INFINITY, 4), 9, false, 1, 0, 2,
            INFINITY),
        ROW("infinity before", SG_F32, LIST(1, 2, INFINITY, 4), LIST(1, 2, 3, 4), 9, false, 1, 0, 2,
            INFINITY),
        ROW("infinity twice", SG_F32, LIST(1, INFINITY, 3, 4), LIST(1, INFINITY, 3, 4), 0, true, 0,
            0, 4, 0),
        ROW("infinity of the other sign", SG_F32, LIST(1, INFINITY, 3, 4), LIST(1, -INFINITY, 3, 4),
            9, false, 1, 0, 1, INFINITY),
        ROW("anything against all zero", SG_F32, LIST(0, 0, 0, 0), LIST(0, 0, 0, 0x1p-100), 9,
            false, 1, 0, 3, INFINITY),
        ROW("infinity does not count in the rms", SG_F64, LIST(2, INFINITY, 0, 0),
            LIST(2, INFINITY, 1, 0), 1, false, 0, 0, 4, 1),
        ROW("e4m3", SG_E4M3, LIST(1, 1, 1, -1), LIST(1, 1, NAN, 1), 0.5, false, 1, 1, 2, 1),
        ROW("e2m1", SG_E2M1, LIST(1, 1, 1, -1), LIST(1, 1, 1, 1), 0.5, false, 1, 0, 3, 1),
        ROW("i8", SG_I8, LIST(-128, 0, 0, 0), LIST(-128, 0, 127, 0), 0.5, false, 1, 0, 2,
            127 / 64.0),
        ROW("i32", SG_I32, LIST(-2147483648.0, 0, 0, 0), LIST(2147483647.0, 0, 0, 0), 9, true, 1, 0,
            0, 4294967295.0 / 3221225472.0),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct output o = output_of(rows[i].dtype, ELEMENTS, i);
        double squares = 0;
        for (uint64_t k = 0; k < ELEMENTS; k++) {
            sg_dtype_put(o.dtype, o.before, k, rows[i].before[k]);
            sg_dtype_put(o.dtype, o.after, k, rows[i].after[k]);
        }
        const struct sg_mismatch found =
            compare(&o, rows[i].allowed, rows[i].exact, NULL, &squares);
        const uint64_t first = rows[i].first;
        const double got = first < ELEMENTS ? rows[i].after[first] : 0,
                     want = first < ELEMENTS ? rows[i].before[first] : 0;
        if (found.wrong != rows[i].wrong || found.nan != rows[i].nan || found.first != first ||
            !is_same(found.rel_max, rows[i].rel_max) || !is_same(found.got, got) ||
            !is_same(found.want, want))
            fail_msg("%s: %s: %llu wrong, %llu nan, first %llu, %g for %g, rel_max %.17g",
                     device->name, rows[i].sentence, (unsigned long long)found.wrong,
                     (unsigned long long)found.nan, (unsigned long long)found.first, found.got,
                     found.want, found.rel_max);
        free_output(&o);
    }
}

TEST(the_spare_half_byte_is_nothing)
{
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

static int run_all(const char *name)
{
    return check_run(name, NULL, NULL);
}

int main(void)
{
    return on_each_device(run_all);
}
